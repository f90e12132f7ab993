package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/answer/report"
	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/experiment/soundness"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
)

func init() { commands = append(commands, newReport) }

type reportFlags struct {
	shown   showFlags
	request report.Request
	flags   *pflag.FlagSet
}

// defaultReportBudget is how long a report on a study may take.
const defaultReportBudget = time.Minute

func newReport(app *App) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN... | --study STUDY",
		Short: "Report on a model in ten parts, or on runs of the journal without running anything",
		Long: `With --study, run audit, certify, search, quantify, explain and mitigate within
one budget, and report on all of them. The first screen says in a sentence how many
people in the data would get the other decision, and shows the grade of the verdict,
key figures, and a curve over thresholds. Ten parts follow: rates by group; people
whose decision changes; plausible people; the verdict and its proof; an example; who
is affected; how k and gap are spread; mitigations; what was not proved; and where
each number comes from. A missing part says why. No row of the data is shown, unless
--people show is given. Answers of an earlier report in the journal to the same
question about the same files are reused. --html writes a page for people;
docs/user/report.md explains one.

With RUN, report what the journal holds about runs: for a search the measures, the
seconds to each k, and the number of individuals by k; for a quantification the shares;
for a verdict its witnesses; for a comparison or an ablation its tables; for a report
all of it. Nothing is run, and neither study nor network is needed. A run that
was killed is reported with what it had written. RUN is a run's name, or any
beginning of it that no other name has; hyfair runs lists them. --format csv has the
columns measure, k (of searches) and value.`,
		Example: `  hyfair report --study studies/loan --html loan.html
  hyfair report --study studies/adult.yaml --model AC-1 --budget 5m --html ac-1.html
  hyfair report 3f0 --format latex > table.tex
  hyfair report 3f0 a81 --html two.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(args); err != nil {
				return usage(err)
			}
			if f.request.Study != "" {
				return f.assess(cmd.Context(), app)
			}
			app.lookBack()
			return f.recall(cmd.Context(), app, args)
		},
	}
	f.flags = cmd.Flags()
	f.shown.add(cmd, "")
	app.addPictures(cmd, "the report's figures")
	f.flags.StringVar(&f.request.Study, "study", "", "report on this study")
	f.flags.DurationVar(&f.request.Budget, "budget", defaultReportBudget, "with --study: wall time for all parts together")
	f.flags.StringVar(&f.request.Notion, "notion", "", "with --study: notion of fairness: score, logit, decision or decision-strict (default: the study's)")
	f.flags.StringVar(&f.request.People, "people", report.Hide, "with --study: hide or show the worst-treated rows of the data, which are personal data")
	f.flags.BoolVar(&f.request.Fresh, "fresh", false, "with --study: reuse nothing from the journal")
	addQuestion(cmd, &f.request.Spec)
	return cmd
}

func (f *reportFlags) validate(args []string) error {
	switch {
	case f.request.Study == "" && len(args) == 0:
		return errors.New("report wants runs of the journal (hyfair runs lists them), or --study STUDY; see hyfair report --help")
	case f.request.Study != "" && len(args) > 0:
		return fmt.Errorf("report takes runs, or --study and a study: leave out one of them")
	}
	if f.request.Study == "" {
		for _, name := range []string{"budget", "notion", "people", "fresh", "model", "epsilon", "protected", "where", "rules"} {
			if f.flags.Changed(name) {
				return fmt.Errorf("--%s is for a report with --study: give --study, or leave it out", name)
			}
		}
	}
	return f.shown.validate()
}

// assess reports on a study.
func (f *reportFlags) assess(ctx context.Context, app *App) error {
	r := f.request
	r.Data, r.Seed = app.Data, app.Seed
	out, err := askAs(ctx, app, func(r result) error { return f.shown.show(app, r) }, report.Answer, r)
	return app.interruptedIf(out != nil && out.Interrupted, err)
}

// reports are the reports on several runs, one after the other.
type reports struct {
	Reports []runs.Result `json:"reports"`
	Names   []string      `json:"-"`
}

// Document shows the reports in the order of the runs.
func (r *reports) Document() *view.Document { return r.show(runs.Result.Document) }

// Page shows the reports in the order of the runs, with their figures.
func (r *reports) Page() *view.Document {
	return r.show(func(one runs.Result) *view.Document {
		if p, ok := one.(interface{ Page() *view.Document }); ok {
			return p.Page()
		}
		return one.Document()
	})
}

// Title returns the title of the page.
func (r *reports) Title() string {
	return fmt.Sprintf("%d runs of the journal", len(r.Reports))
}

func (r *reports) show(one func(runs.Result) *view.Document) *view.Document {
	d := &view.Document{}
	for i, known := range r.Reports {
		d.Add(view.Heading("Run " + r.Names[i]))
		d.Add(one(known).Blocks...)
	}
	return d
}

// recall reports on runs of the journal.
func (f *reportFlags) recall(ctx context.Context, app *App, names []string) error {
	all := &reports{Names: names}
	for _, name := range names {
		one, err := f.run(ctx, app, name)
		if err != nil {
			return usageIf(err)
		}
		all.Reports = append(all.Reports, one)
	}
	if len(names) == 1 {
		return f.shown.show(app, all.Reports[0])
	}
	return f.shown.show(app, all)
}

// recalled holds, by command, how the plan of an experiment in the journal is rebuilt.
var recalled = map[string]func(record.Task) (experiment.Plan, error){
	"compare":         func(t record.Task) (experiment.Plan, error) { return compare.Recall(t, "") },
	"ablate":          func(t record.Task) (experiment.Plan, error) { return ablate.Recall(t, 0, "") },
	soundness.Command: soundness.Recall, "explain": series.Explain.Recall, "mitigate": series.Mitigate.Recall,
}

// run reports on one run.
func (f *reportFlags) run(ctx context.Context, app *App, name string) (out runs.Result, err error) {
	known := false
	err = app.current.Past(func(j *journal.Journal) error {
		d, err := j.Show(name)
		if err != nil {
			return err
		}
		plan := recalled[d.Started.Task.Command]
		if known = plan != nil; !known {
			return nil
		}
		t, err := experiment.Recall(j, d.Name, plan)
		if t != nil {
			out = t
		}
		return err
	})
	if known || err != nil {
		return out, err
	}
	return runs.Of(ctx, app.current, name)
}
