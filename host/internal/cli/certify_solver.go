package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

// How the flag --solver of commands with a solver in the loop reads.
const (
	loopSolverHelp = "solver plugin in the loop, or none (default: the first usable of bnb, highs, lpsolve)"
	noSolver       = "none"
)

// lowerings are the encodings that a question without one is put in where no
// solver takes the network itself, in the order in which they are tried.
var lowerings = []string{"bigm", "smt"}

// openSolver starts the named solver, or the first that can be used with the
// encoding; without one, with the network itself, or else with rows and columns,
// or else with scripts.
func openSolver(ctx context.Context, app *App, name, encoding string) (*discover.Plugin, error) {
	catalogue, options, err := app.pluginsAndOptions()
	if err != nil {
		return nil, err
	}
	if name == "" && encoding == "" {
		return firstSolver(ctx, catalogue, options, append([]string{certify.Direct}, lowerings...))
	}
	if name == "" {
		return firstSolver(ctx, catalogue, options, []string{encoding})
	}
	plugin, err := catalogue.Open(ctx, client.Solver, name, options)
	if errors.Is(err, sdk.ErrInvalidOption) {
		return nil, usage(err)
	}
	return plugin, unknownPlugin(err)
}

// firstSolver starts the default solver for the first of the encodings that has
// one. The error is that of rows and columns, where those are among them.
func firstSolver(ctx context.Context, catalogue *discover.Catalogue, options map[string]string, encodings []string) (*discover.Plugin, error) {
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

// refusal asks a solver that gets the network itself for next to nothing, and
// gives its reason where it does not answer such questions at all.
func refusal(ctx context.Context, p *discover.Plugin, q *problem.Query, seed int64) error {
	if o := (certify.Options{Description: p.Description()}); !o.Direct() {
		return nil
	}
	_, err := p.Solver().Solve(ctx, &problem.Problem{Name: "trial", Network: q},
		sdk.SolveOptions{WorkLimit: 1, TimeLimit: time.Second, Seed: seed, Options: p.Options})
	if errors.Is(err, sdk.ErrUnsupported) {
		return err
	}
	return nil // what else is wrong will show when it is asked in earnest
}

// suited is the job with a solver that answers its question: another than the
// one taken by default, where that one does not.
func (j *certifyJob) suited(ctx context.Context) (*certifyJob, error) {
	if j.flags.solver != "" || j.flags.encoding != "" {
		return j, nil // which leaves no choice
	}
	why := refusal(ctx, j.plugin, j.query, j.app.Seed)
	if why == nil {
		return j, nil
	}
	catalogue, options, err := j.app.pluginsAndOptions()
	if err != nil {
		return nil, err
	}
	other, err := j.app.instead(ctx, why, catalogue, options, lowerings)
	if err != nil {
		return nil, err
	}
	out := *j
	out.plugin = other
	return &out, nil
}

// instead starts a solver of the encodings in place of one that does not answer
// the question, and says so.
func (a *App) instead(ctx context.Context, why error, catalogue *discover.Catalogue, options map[string]string, encodings []string) (*discover.Plugin, error) {
	other, err := firstSolver(ctx, catalogue, options, encodings)
	if err != nil {
		return nil, fmt.Errorf("%w; and of the other solvers: %w", why, err)
	}
	fmt.Fprintf(a.Stderr, "hyfair: %v; asking %s\n", why, other.Found.Name)
	return other, nil
}
