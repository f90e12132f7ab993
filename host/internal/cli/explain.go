package cli

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/explain/lime"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newExplain) }

type explainFlags struct {
	question question.Spec
	// Where the individuals come from.
	from        string
	rows        string
	encoded     bool
	row         []int
	strategy    string
	budget      string
	individuals int
	// Algorithm 2.
	samples  int
	quantile float64
	delta    float64
	test     int
	spread   float64
	depth    int
	leaf     int
	alpha    float64
	// The baseline.
	lime          bool
	limeSamples   int
	limeReference bool
	// Time of the solver that proves floors and ceilings; 0: it is not asked.
	bound time.Duration
	// Where results go.
	tree     string
	rulesOut string
	// For a grid.
	models modelsFlag
	shown  showFlags
	flags  *pflag.FlagSet
}

// defaultExplainBudget is in evaluations, so that equal seeds give equal
// explanations.
const defaultExplainBudget = "200000ev"

func newExplain(app *App) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain STUDY",
		Short: "Say under which conditions protected attributes decide most",
		Long: `Sample neighbours of the people treated worst, tell those with the largest k from
the others by a decision tree, and print the paths to its high leaves as conditions
on features that are not protected: simplified, and kept if people for whom they
hold have a mean k that is larger by δ. The people treated worst are those of a
search in the journal (--from), of rows (--rows, --row), or of a fresh fast search.

STUDY may also be a file that lists studies, such as studies/rq3.yaml: each of its
networks is explained and the paper's table is printed. docs/explain.md has the
method, the measures and the comparison with LIME (--lime).`,
		Example: `  hyfair explain studies/loan
  hyfair explain studies/adult.yaml --model AC-3 --from 3f0 --lime --tree tree.svg
  hyfair explain studies/loan --row 17 --rules-out rules.json --json
  hyfair explain studies/rq3.yaml --models 'AC-[138]' --budget 60s --format latex`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.flags = cmd.Flags()
			grid := yamlfile.HasKey(args[0], "studies")
			if err := f.validate(grid); err != nil {
				return usage(err)
			}
			if grid {
				return f.runGrid(cmd.Context(), app, args[0])
			}
			return f.runOne(cmd.Context(), app, args[0])
		},
	}
	addQuestion(cmd, &f.question)
	fl := cmd.Flags()
	fl.StringVar(&f.from, "from", "", "explain the people treated worst of this search in the journal")
	fl.StringVar(&f.rows, "rows", "", "explain the people treated worst in this file of rows, encoded as the study's own")
	fl.BoolVar(&f.encoded, "encoded", false, "the file of --rows has feature values already, below the features' names")
	fl.IntSliceVar(&f.row, "row", nil, "explain this row of the study's data (or of --rows), counted from 0; may be repeated")
	fl.StringVar(&f.strategy, "strategy", "climb", "strategy of the fresh search, in fast mode and without a solver")
	fl.StringVar(&f.budget, "budget", defaultExplainBudget, "of the fresh search: a time such as 10s, iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&f.individuals, "individuals", 10, "how many of the people treated worst to look around")
	fl.IntVar(&f.samples, "samples", explain.DefaultSamples, "neighbours to grow the tree from")
	fl.Float64Var(&f.quantile, "quantile", explain.DefaultQuantile, "k is high from this quantile of the neighbours' k on")
	fl.Float64Var(&f.delta, "delta", explain.DefaultDelta, "δ: keep a predicate if the mean k inside exceeds that outside by so much")
	fl.IntVar(&f.test, "test", explain.DefaultTest, "fresh neighbours inside, and as many outside, to test a predicate with")
	fl.Float64Var(&f.spread, "spread", explain.DefaultSpread, "standard deviation of a neighbour's number, as a part of the feature's range")
	fl.IntVar(&f.depth, "depth", explain.DefaultDepth, "most tests from the tree's root to a leaf")
	fl.IntVar(&f.leaf, "leaf", explain.DefaultLeaf, "fewest neighbours of a leaf")
	fl.Float64Var(&f.alpha, "alpha", 0, "price of a leaf in cost-complexity pruning (default: by cross-validation)")
	fl.BoolVar(&f.lime, "lime", false, "explain the one treated worst by LIME, too, as the paper does")
	fl.IntVar(&f.limeSamples, "lime-samples", lime.DefaultSamples, "samples of each of LIME's explanations")
	fl.BoolVar(&f.limeReference, "lime-reference", false, "--lime, held against the Python package lime, which must be installed")
	fl.DurationVar(&f.bound, "bound", 0, "time for a solver to prove the least k and gap inside each predicate kept and the largest outside all, such as 10s; 0: none")
	fl.StringVar(&f.tree, "tree", "", "write the tree to this file: .svg or .json")
	fl.StringVar(&f.rulesOut, "rules-out", "", "write the predicates kept as guardrails to this file")
	f.models.add(cmd)
	f.shown.add(cmd, "of a file of studies: ")
	f.shown.addOut(cmd, "of a file of studies: ")
	return cmd
}

func (f *explainFlags) validate(grid bool) error {
	if f.individuals < 1 {
		return fmt.Errorf("--individuals %d: want at least 1", f.individuals)
	}
	if f.limeSamples < 10 || f.limeSamples > maxExplainSamples {
		return fmt.Errorf("--lime-samples %d: want 10 to %d", f.limeSamples, maxExplainSamples)
	}
	if f.samples > maxExplainSamples || f.test > maxExplainSamples {
		return fmt.Errorf("--samples and --test: want at most %d", maxExplainSamples)
	}
	if c := f.method(); c.Validate() != nil {
		return c.Validate()
	}
	if f.bound < 0 {
		return fmt.Errorf("--bound %v is negative", f.bound)
	}
	if f.tree != "" && filepath.Ext(f.tree) != ".svg" && filepath.Ext(f.tree) != ".json" {
		return fmt.Errorf("--tree %s: want a file name that ends in .svg or .json", f.tree)
	}
	sources := 0
	for _, name := range []string{"from", "rows", "budget"} {
		if f.flags.Changed(name) {
			sources++
		}
	}
	if f.flags.Changed("row") && !f.flags.Changed("rows") {
		sources++
	}
	if !grid && sources > 1 {
		return errors.New("the people to explain come from one place: --from, --rows, --row, or a search with --budget")
	}
	if f.encoded && f.rows == "" {
		return errors.New("--encoded speaks of the file of --rows, which is not given")
	}
	if err := f.shown.validate(); err != nil {
		return err
	}
	alone, gridOnly := []string{"from", "rows", "row", "tree", "rules-out", "lime-reference", "model"}, []string{"models", "format", "out"}
	for _, name := range alone {
		if grid && f.flags.Changed(name) {
			return fmt.Errorf("--%s is for a single study, not for a file of several", name)
		}
	}
	for _, name := range gridOnly {
		if !grid && f.flags.Changed(name) {
			return fmt.Errorf("--%s is for a file of several studies, such as studies/rq3.yaml", name)
		}
	}
	return nil
}

// maxExplainSamples bounds the samples of one step.
const maxExplainSamples = 1 << 20

// explainJob is an explanation with its question read.
type explainJob struct {
	app     *App
	flags   *explainFlags
	asked   *question.Question
	study   *study.Study
	query   *problem.Query
	space   *space.Space
	region  space.Region
	epsilon *big.Rat

	evaluator *evaluate.Evaluator
	// config lacks the people and the rows.
	config explain.Config
	// python has the package of --lime-reference.
	python string
}

// open reads the question.
func (f *explainFlags) open(app *App, path string) (*explainJob, error) {
	asked, err := app.open(f.question, path)
	if err != nil {
		return nil, err
	}
	q, err := asked.Scores()
	if err != nil {
		return nil, err
	}
	st := asked.Study
	j := &explainJob{app: app, flags: f, asked: asked, study: st, query: q, space: q.Space, region: q.Region, epsilon: q.Epsilon}
	if j.evaluator, err = evaluate.New(st.Network, j.space, j.region, j.epsilon); err != nil {
		return nil, err
	}
	j.config = f.method()
	j.config.Space, j.config.Region, j.config.Evaluator = j.space, j.region, j.evaluator
	j.config.Bins, j.config.Seed = fairness.Bins(j.epsilon), app.Seed
	return j, nil
}

// method is what the flags say of Algorithm 2.
func (f *explainFlags) method() explain.Config {
	c := explain.Config{
		Samples: f.samples, Quantile: f.quantile, Delta: f.delta, Test: f.test, Spread: f.spread,
		Growth: explain.Growth{Depth: f.depth, Leaf: f.leaf},
	}
	if f.flags.Changed("alpha") {
		c.Alpha = &f.alpha
	}
	return c
}

// runOne explains one network.
func (f *explainFlags) runOne(ctx context.Context, app *App, path string) error {
	begin := time.Now()
	j, err := f.open(app, path)
	if err != nil {
		return usage(err)
	}
	report, failed := j.run(ctx)
	if report == nil {
		return failed
	}
	failed = errors.Join(failed, j.writeFiles(report))
	report.Seconds = time.Since(begin).Seconds()
	if app.JSON {
		failed = errors.Join(failed, app.printJSON(report))
	} else {
		failed = errors.Join(failed, report.print(app.Stdout))
	}
	if report.Interrupted && failed == nil {
		return &exitError{ExitInterrupted, errors.New("interrupted; what was proved so far is shown")}
	}
	return failed
}

// run finds the people and explains them. An error may come with a report: the
// solver that was to prove more was lost, or there is none.
func (j *explainJob) run(ctx context.Context) (*explainReport, error) {
	f := j.flags
	if err := j.findReference(ctx); err != nil {
		return nil, err
	}
	worst, source, err := j.people(ctx)
	if err != nil {
		return nil, err
	}
	report := j.report(worst, source)
	around := worst.Pick(j.space, f.individuals)
	if len(around) == 0 {
		report.Nothing = "nobody was found whose treatment depends on protected attributes"
		return report, nil
	}
	for _, x := range around {
		report.Individuals = append(report.Individuals, j.individual(x))
	}
	config := j.config
	config.Around = around
	if config.Rows, err = j.data(); err != nil {
		return nil, err
	}
	line := newStatusLine(j.app)
	config.Progress = func(text string) { line.show(j.study.Name + ": " + text) }
	result, err := explain.Run(ctx, config)
	if err == nil {
		err = report.take(result, j.space)
	}
	if err == nil && (f.lime || f.limeReference) {
		err = j.baseline(ctx, report, around[0], config.Rows, line)
	}
	line.clear()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, usage(err)
	}
	return report, j.prove(ctx, report, around)
}

// data are the rows of the study; nil where it has none, or where they are not
// to be had, which is said.
func (j *explainJob) data() ([][]float64, error) {
	if !j.study.HasData() {
		return nil, nil
	}
	data, err := j.study.Data()
	switch {
	case errors.Is(err, study.ErrNoDataRoot) || errors.Is(err, os.ErrNotExist):
		fmt.Fprintf(j.app.Stderr, "hyfair: without support in the data: %v\n", err)
		return nil, nil
	case err != nil:
		return nil, usage(err)
	}
	return data.Points, nil
}

// writeFiles writes the tree and the guardrails.
func (j *explainJob) writeFiles(r *explainReport) error {
	f := j.flags
	if f.tree != "" && r.Tree == nil {
		fmt.Fprintf(j.app.Stderr, "hyfair: --tree: there is no tree to write\n")
	} else if f.tree != "" {
		if err := writeTree(f.tree, r.Tree, r.Study+" ("+r.Model+"): where k is high"); err != nil {
			return usage(fmt.Errorf("--tree: %w", err))
		}
	}
	if f.rulesOut == "" {
		return nil
	}
	var predicates []space.Predicate
	for i := range r.Predicates {
		predicates = append(predicates, r.Predicates[i].Holds)
	}
	rules, err := guard.New(j.space, r.Study, predicates)
	if err == nil {
		err = files.Write(f.rulesOut, func(file *os.File) error { return guard.Write(file, rules) })
	}
	if err != nil {
		return usage(fmt.Errorf("--rules-out: %w", err))
	}
	return nil
}

func writeTree(path string, tree *explain.TreeJSON, title string) error {
	return files.Write(path, func(file *os.File) error {
		if strings.HasSuffix(path, ".svg") {
			return (&view.Tree{Title: title, Root: tree.View()}).SVG(file)
		}
		return (&App{Stdout: file}).printJSON(tree)
	})
}
