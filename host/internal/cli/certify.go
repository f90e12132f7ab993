package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/certify"
	"github.com/hyfair/hyfair/host/internal/discover"
	"github.com/hyfair/hyfair/host/internal/study"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

func init() { commands = append(commands, newCertify) }

type certifyFlags struct {
	question questionFlags
	solver   string
	notion   string
	encoding string
	bounds   string
	maximise bool
	gap      float64
	timeout  time.Duration
	check    string
}

func newCertify(app *App) *cobra.Command {
	var f certifyFlags
	cmd := &cobra.Command{
		Use:   "certify STUDY",
		Short: "Prove individual fairness, or show two people who refute it",
		Long: `Ask a solver whether any individual of the study has two counterfactuals that are
treated differently. A point it finds is replayed through the network in exact
arithmetic before it counts; a proof is printed with its grade and tolerance.`,
		Example: `  hyfair certify studies/loan
  hyfair certify studies/adult.yaml --model AC-8 --where "age=30..39,hours-per-week=31..40"
  hyfair certify studies/bank.yaml --notion logit --epsilon 2 --maximize --timeout 60s --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCertify(cmd.Context(), app, &f, args[0]) },
	}
	f.question.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.solver, "solver", "", "solver plugin (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.StringVar(&f.notion, "notion", "", "score, logit, decision or decision-strict (default: the study's)")
	fl.StringVar(&f.encoding, "encoding", certify.DefaultEncoding, "lowering of the network for the solver: bigm, or bigm+diff")
	fl.StringVar(&f.bounds, "bounds", certify.DefaultBounds, "bounds of the neurons for the lowering: interval or linear")
	fl.BoolVar(&f.maximise, "maximize", false, "after the verdict, look for the largest gap and bound it from above")
	fl.Float64Var(&f.gap, "gap", 0, "relative gap between bound and best at which maximising may stop; 0: as close as the solver's tolerance allows")
	fl.DurationVar(&f.timeout, "timeout", 0, "wall time for the whole question, such as 60s; 0: none")
	fl.StringVar(&f.check, "check", "", "fair or unfair: exit with code 3 if the verdict is another")
	return cmd
}

func (f *certifyFlags) validate() error {
	if f.check != "" && f.check != "fair" && f.check != "unfair" {
		return fmt.Errorf("--check %q: want fair or unfair", f.check)
	}
	if !(f.gap >= 0 && f.gap < 1) {
		return fmt.Errorf("--gap %v: want a relative gap from 0 to below 1", f.gap)
	}
	if f.timeout < 0 {
		return fmt.Errorf("--timeout %v is negative", f.timeout)
	}
	return nil
}

func runCertify(ctx context.Context, app *App, f *certifyFlags, path string) error {
	start := time.Now()
	if err := f.validate(); err != nil {
		return usage(err)
	}
	if f.timeout > 0 {
		// The clock covers everything, loading included; the last tenth of a
		// second is for the report.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(f.timeout-100*time.Millisecond, f.timeout/2))
		defer cancel()
	}
	q, st, err := f.query(app, path)
	if err != nil {
		return usage(err)
	}
	memory, err := app.memoryBytes()
	if err != nil {
		return usage(err)
	}
	plugin, err := openSolver(ctx, app, f.solver)
	if err != nil {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = fmt.Errorf("--timeout %v was over before a solver had started: %w", f.timeout, err)
		}
		return err
	}
	defer plugin.Close()
	job := certifyJob{app: app, flags: f, study: st, query: q, plugin: plugin, start: start, path: path}
	return job.run(ctx, memory)
}

// query is the question that flags and study make together.
func (f *certifyFlags) query(app *App, path string) (*problem.Query, *study.Study, error) {
	st, s, region, rest, err := f.question.load(app, path)
	if err != nil {
		return nil, nil, err
	}
	q := &problem.Query{Network: st.Network, Space: s, Region: region, Notion: st.Notion, Goal: problem.Decide, Seed: app.Seed}
	if len(rest) > 0 {
		q.Require = append(q.Require, rest)
	}
	if f.notion != "" {
		if q.Notion, err = fairness.ParseNotion(f.notion); err != nil {
			return nil, nil, fmt.Errorf("--notion: %w", err)
		}
	}
	if q.Notion.UsesEpsilon() {
		if q.Epsilon, err = f.question.epsilonFor(st, q.Notion); err != nil {
			return nil, nil, err
		}
	}
	return q, st, q.Validate()
}

// openSolver starts the named solver, or the first that can be used.
func openSolver(ctx context.Context, app *App, name string) (*discover.Plugin, error) {
	catalogue, err := app.catalogue()
	if err != nil {
		return nil, err
	}
	options, err := app.pluginOptions()
	if err != nil {
		return nil, err
	}
	var plugin *discover.Plugin
	if name == "" {
		plugin, err = catalogue.DefaultSolver(ctx, options, problem.FormMILP, problem.Decide, problem.Maximise)
	} else {
		plugin, err = catalogue.Open(ctx, client.Solver, name, options)
	}
	if errors.Is(err, sdk.ErrInvalidOption) {
		return nil, usage(err)
	}
	return plugin, unknownPlugin(err)
}

// certifyJob is one question on its way to a verdict.
type certifyJob struct {
	app    *App
	flags  *certifyFlags
	study  *study.Study
	query  *problem.Query
	plugin *discover.Plugin
	start  time.Time
	path   string
}

func (j *certifyJob) run(ctx context.Context, memory int64) error {
	events, err := j.events()
	if err != nil {
		return err
	}
	defer events.close()
	line := newStatusLine(j.app)
	rep, failed := certify.Run(ctx, j.query, certify.Options{
		Solver: j.plugin.Solver(), Description: j.plugin.Description(), Encoding: j.flags.encoding, Bounds: j.flags.bounds,
		Maximise: j.flags.maximise, Gap: j.flags.gap, Threads: j.app.Threads, Memory: memory,
		Seed: j.app.Seed, Set: j.plugin.Options,
		Progress: func(p certify.Progress) { line.show(certifyProgress(p)) },
	})
	line.clear()
	if rep == nil {
		events.failed(failed)
		return badQuestion(failed)
	}
	events.report(j, rep, failed, interrupted(ctx))
	out := j.output(rep)
	if err := j.print(out, rep, failed); err != nil {
		return err
	}
	return j.exit(ctx, rep, failed)
}

// badQuestion sorts errors that left no report: the user's, or the solver's.
func badQuestion(err error) error {
	if errors.Is(err, sdk.ErrInvalidProblem) || errors.Is(err, sdk.ErrInvalidOption) {
		return usage(err)
	}
	return err
}

// interrupted tells Ctrl-C from a deadline of our own.
func interrupted(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

func (j *certifyJob) exit(ctx context.Context, rep *certify.Report, failed error) error {
	switch {
	case interrupted(ctx):
		return &exitError{ExitInterrupted, errors.New("interrupted; what was found so far is shown")}
	case failed != nil:
		return badQuestion(failed)
	case j.flags.check != "" && rep.Verdict.String() != j.flags.check:
		return &exitError{ExitCheck, fmt.Errorf("--check %s: the verdict is %s", j.flags.check, rep.Verdict)}
	}
	return nil
}

// certifyProgress is one line about a running question.
func certifyProgress(p certify.Progress) string {
	best := "no witness yet"
	if p.Witness != nil {
		best = fmt.Sprintf("best margin %.4g", p.Witness.Margin)
	}
	return fmt.Sprintf("%d regions decided, %d open · %s · %d nodes · %s", p.Decided, p.Open, best, p.Nodes, p.Elapsed.Round(100*time.Millisecond))
}

// libraryOf names the native libraries behind a plugin, for reports.
func libraryOf(d sdk.Description) string {
	var parts []string
	for _, l := range d.Libraries {
		parts = append(parts, strings.TrimSpace(l.Name+" "+l.Version))
	}
	return strings.Join(slices.Compact(parts), ", ")
}
