package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/explain/lime"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

func init() {
	commands = append(commands, newExplain)
	works[series.Explain.Command] = answers(explain.Answer)
}

type explainFlags struct {
	request explain.Request
	// experimentFlags apply to a file of studies only.
	experimentFlags
	flags *pflag.FlagSet
}

// defaultExplainBudget is in evaluations, so that equal seeds give equal
// explanations.
const defaultExplainBudget = "200000ev"

func newExplain(app *App) *cobra.Command {
	f := explainFlags{request: explain.Request{Method: explain.DefaultMethod()}}
	cmd := &cobra.Command{
		Use:   "explain STUDY",
		Short: "Find the conditions under which protected attributes decide most",
		Long: `Sample neighbours of the people treated worst, separate those with the largest k
from the others by a decision tree, and print the paths to its high leaves as
conditions on features that are not protected, simplified. A condition is kept if the
mean k of the people who meet it exceeds that of the others by δ. The people treated worst are those of a
search in the journal (--from), of rows (--rows, --row), or of a fresh fast search.

STUDY may also be a file that lists studies, such as studies/rq3.yaml: each of its
networks is explained and the paper's table is printed. docs/user/explain.md has the
method, the measures and --lime. The exit code is 0 even if nothing was found to
explain, and 1 if --bound finds no solver, or loses it.`,
		Example: `  hyfair explain studies/loan
  hyfair explain studies/adult.yaml --model AC-3 --from 3f0 --lime --tree tree.svg
  hyfair explain studies/loan --row 17 --rules-out rules.json --json
  hyfair explain studies/rq3.yaml --models 'AC-[138]' --budget 60s --format latex
  hyfair explain --from 3f0 --format csv`,
		Args: studyOrFrom,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.flags = cmd.Flags()
			if len(args) == 0 {
				f.from = f.request.From
				return f.recallSeries(app, series.Explain.Recall, func(t experiment.Table) error { return f.show(app, t) })
			}
			grid := yamlfile.HasKey(args[0], "studies")
			if grid {
				return f.runSeries(cmd, app, args[0])
			}
			if err := f.validate(false); err != nil {
				return usage(err)
			}
			return f.runOne(cmd.Context(), app, args[0])
		},
	}
	r := &f.request
	addQuestion(cmd, &r.Spec)
	addPopulation(cmd, &r.Population, "the people of whom coverages are shares, besides all combinations of values")
	fl := cmd.Flags()
	fl.StringVar(&r.From, "from", "", "explain the people treated worst of this run of search, quantify or certify in the journal; without STUDY: show the tables of this run of a file of studies again")
	fl.StringVar(&r.Notion, "notion", "", "outcomes that k counts: score (bins of scores) or decision (yes and no) (default score)")
	fl.StringVar(&r.Rows, "rows", "", "explain the people treated worst in this file of rows, which are encoded like the study's")
	fl.BoolVar(&r.Encoded, "encoded", false, "the file of --rows already has feature values, under the features' names")
	fl.IntSliceVar(&r.Row, "row", nil, "explain this row of the study's data (or of --rows), counted from 0; may be repeated")
	fl.StringVar(&r.Strategy, "strategy", "", "strategy of the fresh search, in fast mode and without a solver (default: climb, or sa for models that climb does not take)")
	fl.StringVar(&r.Budget, "budget", defaultExplainBudget, "budget of the fresh search: a time such as 10s, iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&r.Individuals, "individuals", 10, "number of people treated worst whose neighbours are sampled")
	fl.IntVar(&r.Samples, "samples", r.Samples, "number of neighbours to grow the tree from")
	fl.Float64Var(&r.Quantile, "quantile", r.Quantile, "a k is high if it is at least this quantile of the neighbours' k")
	fl.Var(&optionalFloat{&r.Delta}, "delta", "δ: keep a predicate if the mean k inside exceeds that outside by this much (default: 3, or a quarter of the range of the neighbours' k if that is less)")
	fl.IntVar(&r.Test, "test", r.Test, "number of fresh neighbours to test a predicate with, inside it and as many outside")
	fl.Float64Var(&r.Spread, "spread", r.Spread, "standard deviation of a neighbour's numeric features, as a share of the feature's range")
	fl.IntVar(&r.Depth, "depth", r.Depth, "largest number of tests from the tree's root to a leaf")
	fl.IntVar(&r.Leaf, "leaf", r.Leaf, "least number of neighbours in a leaf")
	fl.Var(&optionalFloat{&r.Alpha}, "alpha", "cost of a leaf in cost-complexity pruning (default: by cross-validation)")
	fl.BoolVar(&r.LIME, "lime", false, "also explain the person treated worst with LIME, as the paper does")
	fl.IntVar(&r.LIMESamples, "lime-samples", lime.DefaultSamples, "samples of each of LIME's explanations")
	fl.DurationVar(&r.Bound, "bound", 0, "time for a solver to bound k and gap, from below inside each predicate kept and from above outside them all, such as 10s; 0: no bounds")
	fl.StringVar(&r.TreeOut, "tree", "", "write the tree to this file: .svg or .json")
	fl.StringVar(&r.RulesOut, "rules-out", "", "write the predicates kept as guardrails to this file")
	app.addPictures(cmd, "the tree and who is described")
	f.add(app, cmd, ofFiles)
	f.shown.add(cmd, ofFiles)
	f.shown.addOut(cmd, ofFiles)
	return cmd
}

func (f *explainFlags) validate(grid bool) error {
	if err := f.request.Validate(); err != nil {
		return err
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
		return errors.New("give only one source of the people to explain: --from, --rows, --row, or a search with --budget")
	}
	if f.request.Encoded && f.request.Rows == "" {
		return errors.New("--encoded applies to the file of --rows: give that file")
	}
	if err := f.experimentFlags.validate(nil); err != nil {
		return err
	}
	if grid {
		return nil
	}
	return f.single("studies/rq3.yaml", "format", "out")
}

// runOne explains one network.
func (f *explainFlags) runOne(ctx context.Context, app *App, path string) error {
	r, err := f.complete(app, path)
	if err != nil {
		return err
	}
	out, err := ask(ctx, app, explain.Answer, r)
	if out != nil && out.Interrupted && err == nil {
		return &exitError{ExitInterrupted, errors.New("interrupted; what was proved so far is shown")}
	}
	return err
}

// runSeries explains the networks of a file that lists studies, such as
// studies/rq3.yaml.
func (f *explainFlags) runSeries(cmd *cobra.Command, app *App, file string) error {
	p := &series.Plan[explain.Request, explain.Result]{Kind: series.Explain}
	return runSeries(cmd, app, &f.experimentFlags, file, aloneExplain, p, func(spec question.Spec, _ string) (explain.Request, error) {
		r, err := f.complete(app, spec.Study)
		r.Model = spec.Model
		return r, errors.Join(err, f.validate(true))
	}, func(t experiment.Table) error { return f.show(app, t) })
}

// aloneExplain lists the flags that a file of studies does not accept.
var aloneExplain = []string{"from", "rows", "row", "encoded", "tree", "rules-out", "model"}

// complete returns the request about a study.
func (f *explainFlags) complete(app *App, path string) (r explain.Request, err error) {
	r = f.request
	r.Study, r.Data, r.Seed = path, app.Data, app.Seed
	r.Set, err = app.pluginOptions()
	return r, err
}
