package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/certify"
	"github.com/hyfair/hyfair/host/internal/discover"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// openSolver starts the named solver, or the first that can be used with the
// encoding; without one, with the network itself, or else with rows and columns,
// or else with scripts.
func openSolver(ctx context.Context, app *App, name, encoding string) (*discover.Plugin, error) {
	if name == "" && encoding == "" {
		encodings := []string{certify.Direct, "bigm", "smt"}
		return firstSolver(ctx, app, encodings)
	}
	if name == "" {
		return firstSolver(ctx, app, []string{encoding})
	}
	catalogue, options, err := app.pluginsAndOptions()
	if err != nil {
		return nil, err
	}
	plugin, err := catalogue.Open(ctx, client.Solver, name, options)
	if errors.Is(err, sdk.ErrInvalidOption) {
		return nil, usage(err)
	}
	return plugin, unknownPlugin(err)
}

// loweredSolver starts the first solver that problems are lowered for.
func loweredSolver(ctx context.Context, app *App) (*discover.Plugin, error) {
	return firstSolver(ctx, app, []string{"bigm", "smt"})
}

// firstSolver starts the default solver for the first of the encodings that has
// one. The error is that of rows and columns, where those are among them.
func firstSolver(ctx context.Context, app *App, encodings []string) (*discover.Plugin, error) {
	catalogue, options, err := app.pluginsAndOptions()
	if err != nil {
		return nil, err
	}
	var failed error
	for _, name := range encodings {
		e, err := certify.LookupEncoding(name)
		if err != nil {
			return nil, usage(fmt.Errorf("%w: --encoding: %w", sdk.ErrInvalidOption, err))
		}
		goals := []problem.Goal{problem.Decide, problem.Maximise}
		if e.Form == problem.FormSMT {
			goals = goals[:1]
		}
		p, err := catalogue.DefaultSolver(ctx, options, e.Form, goals...)
		switch {
		case err == nil:
			return p, nil
		case errors.Is(err, sdk.ErrInvalidOption):
			// Another of the solvers may be the one that has it.
			if failed == nil || !errors.Is(failed, sdk.ErrInvalidOption) {
				failed = usage(err)
			}
		case ctx.Err() != nil:
			return nil, err
		case failed == nil || e.Form == problem.FormMILP && !errors.Is(failed, sdk.ErrInvalidOption):
			failed = err
		}
	}
	return nil, failed
}

// pluginsAndOptions are what --plugin-dir and --set ask for.
func (a *App) pluginsAndOptions() (*discover.Catalogue, map[string]string, error) {
	catalogue, err := a.catalogue()
	if err != nil {
		return nil, nil, err
	}
	options, err := a.pluginOptions()
	return catalogue, options, err
}

// refuses asks a solver that nobody named for next to nothing, and gives its
// reason where it does not answer such questions at all.
func (j *certifyJob) refuses(ctx context.Context) error {
	o := certify.Options{Description: j.plugin.Description(), Encoding: j.flags.encoding}
	if j.flags.solver != "" || !o.Direct() {
		return nil
	}
	_, err := j.plugin.Solver().Solve(ctx, &problem.Problem{Name: "trial", Network: j.query},
		sdk.SolveOptions{WorkLimit: 1, TimeLimit: time.Second, Seed: j.app.Seed, Options: j.plugin.Options})
	if errors.Is(err, sdk.ErrUnsupported) {
		return err
	}
	return nil // what else is wrong will show when it is asked in earnest
}

// suited is the job with a solver that answers its question: another than the
// one taken by default, where that one does not.
func (j *certifyJob) suited(ctx context.Context) (*certifyJob, error) {
	why := j.refuses(ctx)
	if why == nil || j.flags.encoding != "" {
		return j, nil // an encoding that was named leaves no choice
	}
	other, err := loweredSolver(ctx, j.app)
	if err != nil {
		return nil, fmt.Errorf("%w; and of the other solvers: %w", why, err)
	}
	fmt.Fprintf(j.app.Stderr, "hyfair: %v; asking %s\n", why, other.Found.Name)
	out := *j
	out.plugin = other
	return &out, nil
}
