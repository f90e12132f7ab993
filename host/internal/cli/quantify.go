package cli

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/problem"
)

func init() { commands = append(commands, newQuantify) }

type quantifyFlags struct {
	question question.Spec
	solver   string
	samples  int
	mapFile  string
	timeout  time.Duration
}

func newQuantify(app *App) *cobra.Command {
	var f quantifyFlags
	cmd := &cobra.Command{
		Use:   "quantify STUDY",
		Short: "Say which share of the space is proved fair, which is not, and what is open",
		Long: `Divide the space into what is proved to be treated fairly, what is proved to be
treated unfairly, and what is undecided. The share of discriminated individuals
lies between the second and what the first leaves; the interval shrinks for as
long as the solver runs. Beside it stand a uniform sample and the data set's rows,
evaluated exactly.`,
		Example: `  hyfair quantify studies/loan
  hyfair quantify studies/adult.yaml --model AC-1 --protected sex --notion decision --timeout 60s --threads 2
  hyfair quantify studies/loan --map loan.csv --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error { return runQuantify(cmd.Context(), app, &f, args[0]) },
	}
	addQuestion(cmd, &f.question)
	fl := cmd.Flags()
	fl.StringVar(&f.solver, "solver", "", "solver plugin that quantifies (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.StringVar(&f.question.Notion, "notion", "", "score, logit, decision or decision-strict (default: the study's)")
	fl.IntVar(&f.question.K, "k", 0, "count individuals whose counterfactuals reach at least this many outcome bins, 3 or more")
	fl.IntVar(&f.samples, "samples", 10_000, "individuals to draw uniformly and evaluate; 0: none")
	fl.StringVar(&f.mapFile, "map", "", "write the boxes that the space was divided into to this file, .csv or .jsonl")
	fl.DurationVar(&f.timeout, "timeout", 0, "wall time for the whole question, such as 60s; 0: until nothing is undecided")
	return cmd
}

func (f *quantifyFlags) validate() error {
	switch {
	case f.timeout < 0:
		return fmt.Errorf("--timeout %v is negative", f.timeout)
	case f.samples < 0:
		return fmt.Errorf("--samples %d: want 0 or more", f.samples)
	case f.mapFile != "" && !slices.Contains(quantify.MapFormats, filepath.Ext(f.mapFile)):
		return fmt.Errorf("--map %s: want a name that ends in %s", f.mapFile, strings.Join(quantify.MapFormats, " or "))
	}
	return f.question.Validate()
}

// quantifyJob is a question with everything read.
type quantifyJob struct {
	app    *App
	flags  *quantifyFlags
	study  *study.Study
	query  *problem.Query
	plugin *discover.Plugin
	memory int64
	start  time.Time
	// asked and of are the question's number among those of the command, from 0.
	asked, of int
	// rows of the data set; nil for none.
	rows [][]float64
	// noRows says why there are none.
	noRows string
}

func runQuantify(ctx context.Context, app *App, f *quantifyFlags, path string) error {
	j := quantifyJob{app: app, flags: f, start: time.Now()}
	if err := f.validate(); err != nil {
		return usage(err)
	}
	if f.timeout > 0 {
		// As for certify, the clock covers everything.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(f.timeout-100*time.Millisecond, f.timeout/2))
		defer cancel()
	}
	var queries []*problem.Query
	var err error
	if j.study, queries, err = app.queries(f.question, path, problem.Quantify); err != nil {
		return usage(err)
	}
	if len(queries) > 1 && f.mapFile != "" {
		return usage(fmt.Errorf("--map is of one question; --protected %s asks several", strings.Join(f.question.Protected, ",")))
	}
	if j.memory, err = app.memoryBytes(); err != nil {
		return usage(err)
	}
	j.readRows()
	s, err := app.session()
	if err != nil {
		return err
	}
	if j.plugin, err = quantifier(ctx, app, s, f.solver); err != nil {
		return tooLate(ctx, f.timeout, err)
	}
	defer j.plugin.Close()
	return j.all(ctx, queries)
}

func (j *quantifyJob) readRows() {
	switch d, err := j.study.Data(); {
	case err == nil:
		j.rows = d.Points
	case errors.Is(err, study.ErrNoData):
		j.noRows = "the study declares none"
	default:
		j.noRows = err.Error()
	}
}

// all answers the questions in turn and shows the results: one as it is, several
// as a list.
func (j *quantifyJob) all(ctx context.Context, queries []*problem.Query) error {
	set := &quantifySet{Study: j.study.Name, Model: filepath.Base(j.study.ModelPath), Seed: j.app.Seed, Questions: []*quantifyReport{}}
	var failed error
	for i, q := range queries {
		one := *j
		one.query, one.asked, one.of = q, i, len(queries)
		if i > 0 {
			one.start = time.Now()
			if !j.app.JSON {
				fmt.Fprintln(j.app.Stdout)
			}
		}
		part, cancel := partOf(ctx, len(queries)-i)
		out, err := one.one(part)
		cancel()
		if out != nil {
			set.Questions = append(set.Questions, out)
		}
		if failed = errors.Join(failed, err); out == nil || session.Interrupted(ctx) {
			break
		}
	}
	switch {
	case len(queries) > 1:
		set.Seconds = time.Since(j.start).Seconds()
		failed = errors.Join(failed, j.printSet(set))
	case len(set.Questions) == 1 && j.app.JSON:
		failed = errors.Join(failed, j.app.printJSON(set.Questions[0]))
	}
	if session.Interrupted(ctx) && len(set.Questions) > 0 {
		return &exitError{ExitInterrupted, errors.New("interrupted; what was proved so far is shown")}
	}
	return failed
}

// partOf gives the first of several questions its part of the time that is left.
func partOf(ctx context.Context, questions int) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || questions < 2 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)/time.Duration(questions))
}

// one answers one question and prints it, unless it is for JSON. out is nil where
// there is nothing to show.
func (j *quantifyJob) one(ctx context.Context) (out *quantifyReport, err error) {
	events, err := j.events()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, events.close()) }()
	var file *mapFile
	if j.flags.mapFile != "" {
		if file, err = j.createMap(); err != nil {
			events.failed(err)
			return nil, usage(fmt.Errorf("--map: %w", err))
		}
	}
	rep, failed := j.run(ctx, file, events)
	if rep != nil {
		if certify.Unanswered(failed) == nil && failed != nil {
			fmt.Fprintf(j.app.Stderr, "hyfair: %v\n", failed)
		}
		failed = certify.Unanswered(failed)
	}
	if file != nil {
		failed = errors.Join(failed, file.finish(rep != nil))
	}
	if rep == nil {
		events.failed(failed)
		return nil, badQuestion(failed)
	}
	if failed == nil && len(rep.Faults) > 0 {
		failed = errors.New(strings.Join(rep.Faults, "\n"))
	}
	events.report(rep, failed, session.Interrupted(ctx))
	out = j.report(rep)
	out.Journal, out.Run = events.path(), events.run
	if !j.app.JSON {
		j.print(out)
	}
	return out, failed
}

// quantifier starts the solver named, or the first that quantifies.
func quantifier(ctx context.Context, app *App, s *session.Session, name string) (p *discover.Plugin, err error) {
	options, err := app.pluginOptions()
	if err != nil {
		return nil, err
	}
	if name == "" {
		p, err = s.Plugins.DefaultSolver(ctx, options, problem.FormNetwork, problem.Quantify)
	} else {
		p, err = certify.OpenSolver(ctx, s, name, "", options)
	}
	if err != nil {
		return nil, app.end(s, err)
	}
	if d := p.Description(); !d.Answers(problem.FormNetwork, problem.Quantify) {
		p.Close()
		return nil, usage(fmt.Errorf("solver %s does not quantify (hyfair plugins lists what each serves)", name))
	}
	return p, nil
}

// run asks.
func (j *quantifyJob) run(ctx context.Context, out *mapFile, events *quantifyEvents) (*quantify.Report, error) {
	line := newStatusLine(j.app)
	defer line.clear()
	which := ""
	if j.of > 1 {
		which = fmt.Sprintf("%d of %d · %s · ", j.asked+1, j.of, strings.Join(question.Protected(j.query.Space), " × "))
	}
	o := quantify.Options{
		Solver: j.plugin.Solver(), Description: j.plugin.Description(), Threads: j.app.threads(), Memory: j.memory, Seed: j.app.Seed, Set: j.plugin.Options,
		Samples: j.flags.samples, Rows: j.rows,
		Progress: func(p quantify.Progress) {
			line.show(which + quantifyProgress(p))
			events.progress(p)
		},
	}
	if out != nil {
		o.Pieces = out.Write
	}
	return quantify.Run(ctx, j.query, o)
}

// quantifyProgress is one line about a running question.
func quantifyProgress(p quantify.Progress) string {
	if p.Fair == nil || p.Unfair == nil {
		return fmt.Sprintf("nothing proved yet · %s", p.Elapsed.Round(100*time.Millisecond))
	}
	most := new(big.Rat).Sub(big.NewRat(1, 1), p.Fair)
	open := new(big.Rat).Sub(most, p.Unfair)
	line := fmt.Sprintf("discriminated: between %s and %s · undecided %s · %d boxes",
		view.Share(ratFloat(p.Unfair)), view.Share(ratFloat(most)), view.Share(ratFloat(open)), p.Boxes)
	if p.Pieces > 0 {
		line += fmt.Sprintf(", %d in the map", p.Pieces)
	}
	return fmt.Sprintf("%s · %s", line, p.Elapsed.Round(100*time.Millisecond))
}

func ratFloat(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// mapFile is the file that --map names, under its name once it is complete.
type mapFile struct {
	*quantify.MapWriter
	file *files.File
}

func (j *quantifyJob) createMap() (*mapFile, error) {
	file, err := files.Create(j.flags.mapFile)
	if err != nil {
		return nil, err
	}
	w, err := quantify.NewMapWriter(file, j.flags.mapFile, j.query.Space)
	if err != nil {
		file.Discard()
		return nil, err
	}
	return &mapFile{w, file}, nil
}

// finish gives the file its name, or removes it where there is nothing to keep.
func (m *mapFile) finish(keep bool) error {
	if !keep {
		m.file.Discard()
		return nil
	}
	if err := m.file.Finish(m.MapWriter.Close()); err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	return nil
}
