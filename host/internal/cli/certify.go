package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/partition"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

func init() { commands = append(commands, newCertify) }

type certifyFlags struct {
	question  question.Spec
	solver    string
	encoding  string
	bounds    string
	maxK      bool
	climb     bool
	partition partitionFlags
	maximise  bool
	gap       float64
	timeout   time.Duration
	check     string
	// certificate is the file that a proof is written to; empty: none.
	certificate string
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
	addQuestion(cmd, &f.question)
	f.partition.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.solver, "solver", "", "solver plugin (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.StringVar(&f.question.Notion, "notion", "", "score, logit, decision or decision-strict (default: the study's)")
	fl.StringVar(&f.encoding, "encoding", "", "lowering of the network for the solver: "+encodingNames()+" (default: network, or bigm or smt for a solver of these forms)")
	fl.StringVar(&f.bounds, "bounds", "", "bounds of the neurons for the lowering: interval, linear or lp (default: interval, or linear for a solver of scripts)")
	fl.StringSliceVar(&f.question.Relax, "relax", nil, `let a feature differ between the copies by at most so much: "hours-per-week=5"; may be repeated`)
	fl.IntVar(&f.question.K, "k", 0, "ask whether anybody's counterfactuals reach at least this many outcome bins, 3 or more")
	fl.BoolVar(&f.maxK, "max-k", false, "after the verdict, look for the largest number of outcome bins that one individual's counterfactuals reach, and bound it from above")
	fl.BoolVar(&f.climb, "climb", true, "look for a violation by local search before asking the solver, and give it the best individual as a start")
	fl.BoolVar(&f.maximise, "maximize", false, "after the verdict, look for the largest gap and bound it from above")
	fl.Float64Var(&f.gap, "gap", 0, "relative gap between bound and best at which maximising may stop; 0: as close as the solver's tolerance allows")
	fl.DurationVar(&f.timeout, "timeout", 0, "wall time for the whole question, such as 60s; 0: none")
	fl.StringVar(&f.certificate, "certificate", "", "write the proof of a fair verdict, or with --maximize of the bound, to this file, compressed if it ends in .gz; hyfair check verifies it")
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
	return errors.Join(f.question.Validate(), f.question.OneGoal(f.maximise), f.validateMaxK(), f.validatePartition())
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
	st, queries, err := app.queries(f.question, path, problem.Decide)
	if err != nil {
		return usage(err)
	}
	if err := f.binned(queries); err != nil {
		return usage(err)
	}
	s, err := app.session()
	if err != nil {
		return err
	}
	set, err := app.pluginOptions()
	if err != nil {
		return err
	}
	plugin, err := certify.OpenSolver(ctx, s, f.solver, f.encoding, set)
	if err != nil {
		return tooLate(ctx, f.timeout, app.end(s, err))
	}
	defer plugin.Close()
	if err := f.certifiable(queries, plugin.Description()); err != nil {
		return usage(err)
	}
	job := certifyJob{app: app, flags: f, study: st, plugin: plugin, session: s, set: set, memory: s.Memory}
	return job.all(ctx, queries, start)
}

// tooLate says of a solver that could not be started that the time was over, where
// it was.
func tooLate(ctx context.Context, timeout time.Duration, err error) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fmt.Errorf("--timeout %v was over before a solver had started: %w", timeout, err)
	}
	return err
}

// certifyJob is one question on its way to a verdict.
type certifyJob struct {
	app    *App
	flags  *certifyFlags
	study  *study.Study
	query  *problem.Query
	plugin *discover.Plugin
	memory int64
	start  time.Time

	session *session.Session
	set     map[string]string
}

// all answers the questions in turn and shows the results: one as it is,
// several as a list.
func (j *certifyJob) all(ctx context.Context, queries []*problem.Query, start time.Time) error {
	set := &certifySet{Study: j.study.Name, Model: filepath.Base(j.study.ModelPath), Seed: j.app.Seed, Verdict: certify.Fair.String()}
	var failed error
	for i, q := range queries {
		one := *j
		one.query, one.start = q, start
		if i > 0 {
			one.start = time.Now()
			if !j.app.JSON {
				fmt.Fprintln(j.app.Stdout)
			}
		}
		suited, err := one.suited(ctx)
		if err != nil {
			failed = errors.Join(failed, err)
			break
		}
		out, err := suited.run(ctx)
		if suited.plugin != j.plugin {
			suited.plugin.Close()
		}
		if out != nil {
			set.add(out)
			if len(queries) == 1 && j.app.JSON {
				if err := j.app.printJSON(out); err != nil {
					return err
				}
			}
		}
		if failed = errors.Join(failed, err); out == nil || session.Interrupted(ctx) {
			break
		}
	}
	if len(queries) > 1 {
		set.Seconds = time.Since(start).Seconds()
		set.finish(len(queries))
		if err := j.printSet(set); err != nil {
			return err
		}
	}
	return j.exit(ctx, set.Verdict, failed)
}

// suited is the job with a solver that answers its question: another than the
// one taken by default, where that one does not.
func (j *certifyJob) suited(ctx context.Context) (*certifyJob, error) {
	if j.flags.solver != "" || j.flags.encoding != "" {
		return j, nil // which leaves no choice
	}
	other, err := certify.Instead(ctx, j.session, j.plugin, j.query, j.set, certify.Lowerings...)
	if err != nil {
		return nil, err
	}
	out := *j
	out.plugin = other
	return &out, nil
}

// run answers one question. out is nil where there is nothing to show.
func (j *certifyJob) run(ctx context.Context) (out *certifyOutput, err error) {
	events, err := j.events()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, events.close()) }()
	var rep *certify.Report
	var parts *partition.Report
	var maxK *certify.Extreme
	var failed error
	if j.flags.partition.chunks != "" && !certify.Nobody(j.query) {
		rep, parts, failed = j.partitioned(ctx, events)
	} else {
		rep, failed = j.undivided(ctx)
	}
	if rep == nil {
		events.failed(failed)
		return nil, badQuestion(failed)
	}
	// A solver that failed in the middle of a question leaves it undecided, which
	// the report says: the next one is asked all the same.
	if failed = certify.Unanswered(failed); failed == nil {
		maxK, failed = j.boundMaxK(ctx, rep)
		failed = certify.Unanswered(failed)
	}
	events.report(j, rep, failed, session.Interrupted(ctx))
	out = j.output(rep)
	out.MaxK = maxKJSON(maxK)
	out.Journal, out.Run, out.Partitions = events.path(), events.run, parts
	if failed == nil {
		out.Certificate, failed = j.certificate(ctx, rep)
	}
	if !j.app.JSON {
		j.print(out, rep, failed)
		j.printCertificate(out.Certificate)
	}
	return out, badQuestion(failed)
}

// undivided answers the question as a whole.
func (j *certifyJob) undivided(ctx context.Context) (*certify.Report, error) {
	line := newStatusLine(j.app)
	defer line.clear()
	o := j.options()
	o.Progress = func(p certify.Progress) { line.show(certifyProgress(p)) }
	return certify.Run(ctx, j.query, o)
}

// options are those of a question as a whole.
func (j *certifyJob) options() certify.Options {
	return certify.Options{
		Solver: j.plugin.Solver(), Description: j.plugin.Description(), Encoding: j.encoding(), Bounds: j.bounds(), Climb: j.flags.climb,
		Maximise: j.flags.maximise, Gap: j.flags.gap, Threads: j.app.threads(), Memory: j.memory,
		Seed: j.app.Seed, Set: j.plugin.Options,
	}
}

// encoding is the lowering that is used.
func (j *certifyJob) encoding() string {
	if j.flags.encoding != "" {
		return j.flags.encoding
	}
	d := j.plugin.Description()
	return certify.DefaultEncoding(&d)
}

// badQuestion sorts errors that left no report: the user's, or the solver's.
func badQuestion(err error) error {
	if errors.Is(err, sdk.ErrInvalidProblem) || errors.Is(err, sdk.ErrInvalidOption) {
		return usage(err)
	}
	return err
}

func (j *certifyJob) exit(ctx context.Context, verdict string, failed error) error {
	switch {
	case session.Interrupted(ctx):
		return &exitError{ExitInterrupted, errors.New("interrupted; what was found so far is shown")}
	case failed != nil:
		return failed
	case j.flags.check != "" && verdict != j.flags.check:
		return &exitError{ExitCheck, fmt.Errorf("--check %s: the verdict is %s", j.flags.check, verdict)}
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
