package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newMitigate) }

type mitigateFlags struct {
	search      search.Request
	arms        []string
	guardrails  string
	delta       float64
	mostRefused float64
	models      modelsFlag
	retraining  mitigate.Retraining
	out         string
}

func newMitigate(app *App) *cobra.Command {
	f := mitigateFlags{retraining: mitigate.DefaultRetraining()}
	cmd := &cobra.Command{
		Use:   "mitigate STUDY",
		Short: "Guard a network, train it further, and search again: what helps, and what does it cost",
		Long: `Compare what can be done about a network that treats copies of one person
differently: refuse to answer where it does (guardrails), train it further, or
both. Each arm is searched in the same way under the same budget, and its
accuracy and group measures are taken on the rows that the study holds back.

Guardrails come from --guardrails, or, without it, from explaining what the
search of each network found. docs/mitigate.md describes arms and measures.

STUDY may also be a file that lists studies, such as studies/rq4.yaml: each of
its networks is treated in turn.`,
		Example: `  hyfair mitigate studies/loan
  hyfair mitigate studies/loan --guardrails rules.json --out mitigated
  hyfair mitigate studies/adult.yaml --model AC-3 --arms original,retrained,consistent --budget 60s --mode fast --json
  hyfair mitigate studies/rq4.yaml --models 'AC-[138]' --budget 60s`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if yamlfile.HasKey(args[0], "studies") {
				return f.runGrid(cmd.Context(), app, cmd, args[0])
			}
			if f.models.given() {
				return usage(errors.New("--models is for a file of several studies, such as studies/rq4.yaml"))
			}
			return runMitigate(cmd.Context(), app, &f, args[0])
		},
	}
	s := &f.search
	addQuestion(cmd, &s.Spec)
	fl := cmd.Flags()
	fl.StringSliceVar(&f.arms, "arms", mitigate.DefaultArms(), "what to compare: "+strings.Join(mitigate.Ways(), ", ")+", each also with +guards")
	fl.StringVar(&f.guardrails, "guardrails", "", "rules file for the arms with +guards (default: explain what each network's search finds)")
	fl.Float64Var(&f.delta, "delta", explain.DefaultMethod().Delta, "explained guardrails: how much larger the mean k inside a rule must be than outside")
	fl.Float64Var(&f.mostRefused, "refuse-at-most", 1, "explained guardrails: leave rules out that would make them refuse a larger share of the training rows")
	f.models.add(cmd)
	fl.StringVar(&f.out, "out", "", "write the new networks (.json, .onnx), guardrails and tables to this folder")
	fl.StringVar(&s.Strategy, "strategy", "sa", "strategy plugin of every search, or one of a plugin's presets")
	fl.StringVar(&s.Solver, "solver", "", loopSolverHelp)
	fl.StringVar(&s.Mode, "mode", search.Paper, "paper or fast, of every search")
	fl.StringVar(&s.Budget, "budget", "10s", "of each arm's search: a time such as 10s, iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&s.Chains, "chains", search.DefaultChains, "fast mode: chains that the strategy advances side by side")
	fl.Int64Var(&s.Keep, "keep", search.DefaultKeep, "fast mode: individuals found that are kept one by one before they are thinned out; -1: all")
	fl.IntVar(&s.Runs, "runs", 1, "searches of each arm, with the seeds seed, seed + 1, …")
	r := &f.retraining
	fl.IntVar(&r.Epochs, "epochs", r.Epochs, "passes over the rows of each training, at most")
	fl.Float64Var(&r.Rate, "rate", r.Rate, "Adam's step size")
	fl.IntVar(&r.Patience, "patience", r.Patience, "stop a training after that many epochs without a better one; 0: never")
	fl.Float64Var(&r.HeldBack, "hold-back", r.HeldBack, "share of the training rows set aside to choose the best epoch by")
	fl.IntVar(&r.Augment, "augment", r.Augment, "individuals found that training adds with all their copies, those with the largest k first")
	fl.StringVar(&r.Label, "label", r.Label, "label of an added individual's copies: "+strings.Join(mitigate.Labels(), " or "))
	fl.Float64Var(&r.Weight, "weight", r.Weight, "consistent and iterated: weight of the penalty on the spread of the copies' logits")
	fl.IntVar(&r.Copies, "copies", r.Copies, "consistent and iterated: counterfactuals that the penalty looks at a time")
	fl.IntVar(&r.Rounds, "rounds", r.Rounds, "iterated: turns of training and searching, at most")
	fl.Float64Var(&r.MaxLoss, "max-loss", r.MaxLoss, "iterated: accuracy that the network may cost, as a share")
	return cmd
}

func runMitigate(ctx context.Context, app *App, f *mitigateFlags, path string) error {
	report, outcomes, failed := f.run(ctx, app, path)
	switch {
	case report == nil:
	case app.JSON:
		failed = errors.Join(failed, app.printJSON(report))
	default:
		failed = errors.Join(failed, report.print(app.Stdout, outcomes))
	}
	if failed == nil && report.Interrupted {
		return &exitError{code: ExitInterrupted}
	}
	return failed
}

// run compares the arms of one network. The report has the arms that were done
// and stands beside an error, unless no arm was.
func (f *mitigateFlags) run(ctx context.Context, app *App, path string) (*mitigateReport, []mitigate.Outcome, error) {
	begin := time.Now()
	j, c, err := openMitigate(app, f, path)
	if err != nil {
		return nil, nil, err
	}
	line := newStatusLine(app)
	c.Progress = line.show
	outcomes, failed := mitigate.Run(ctx, *c)
	line.clear()
	interrupted := ctx.Err() != nil
	if interrupted && errors.Is(failed, ctx.Err()) {
		failed = nil
	}
	if errors.Is(failed, train.ErrOneClass) {
		failed = usage(failed)
	}
	if failed != nil && len(outcomes) == 0 {
		return nil, nil, failed
	}
	report := j.report(outcomes)
	report.Interrupted, report.Seed, report.Seconds = interrupted, app.Seed, time.Since(begin).Seconds()
	if f.out != "" {
		failed = errors.Join(failed, writeTables(f.out, mitigate.Table(mitigate.Network{Outcomes: outcomes})))
	}
	return report, outcomes, failed
}

// openMitigate reads the study and the rows, and sees that what was asked can
// be done before anything takes time.
func openMitigate(app *App, f *mitigateFlags, path string) (*mitigateJob, *mitigate.Config, error) {
	f.retraining.Seed = app.Seed
	arms, err := mitigate.ParseArms(f.arms)
	if err != nil {
		return nil, nil, usage(fmt.Errorf("--arms: %w", err))
	}
	if err := f.retraining.Validate(); err != nil {
		return nil, nil, usage(err)
	}
	if !(f.mostRefused > 0 && f.mostRefused <= 1) {
		return nil, nil, usage(fmt.Errorf("--refuse-at-most %v: want more than 0, at most 1", f.mostRefused))
	}
	if f.search.Chains < 1 {
		return nil, nil, usage(fmt.Errorf("--chains %d: want 1 to %d", f.search.Chains, search.MaxChains))
	}
	if err := f.search.Validate(); err != nil {
		return nil, nil, usage(err)
	}
	asked, err := app.open(f.search.Spec, path)
	if err != nil {
		return nil, nil, usage(err)
	}
	scores, err := asked.Scores()
	if err != nil {
		return nil, nil, usage(err)
	}
	st, s, region := asked.Study, scores.Space, scores.Region
	c := &mitigate.Config{Arms: arms, Network: st.Network, Space: s, Region: region, Retraining: f.retraining, MostRefused: f.mostRefused}
	if err := giveTrainingRows(c, st); err != nil {
		return nil, nil, usage(err)
	}
	if f.guardrails != "" {
		if c.Rules, err = readGuardrails(f.guardrails, s); err != nil {
			return nil, nil, usage(err)
		}
	}
	j := &mitigateJob{
		app: app, flags: f, asked: asked, study: st, space: s, region: region, original: st.Network,
		files: map[string][]string{}, runs: map[string][]string{},
	}
	if f.out != "" {
		if err := os.MkdirAll(f.out, 0o777); err != nil {
			return nil, nil, usage(fmt.Errorf("--out: %w", err))
		}
	}
	c.Search, c.Trained, c.Explain = j.search, j.trained, j.explain
	return j, c, nil
}

// readGuardrails is a rules file as predicates; never nil.
func readGuardrails(path string, s *space.Space) ([]space.Predicate, error) {
	rules, err := guard.Read(path, s)
	if err != nil {
		return nil, err
	}
	return rules.Predicates(s)
}

// giveTrainingRows takes the rows that the study does not hold back to train
// on, and those it does to judge by.
func giveTrainingRows(c *mitigate.Config, st *study.Study) error {
	data, err := st.Data()
	if errors.Is(err, study.ErrNoData) {
		return fmt.Errorf("%w; retraining and accuracy need some", err)
	}
	if err != nil {
		return err
	}
	if data.Labels == nil {
		return fmt.Errorf("%s: retraining and accuracy need labels, and the data has none", st.Path)
	}
	if err := train.InsideTables(c.Space, data); err != nil {
		return err
	}
	c.Train, c.TrainLabels = pointsOf(data, data.Train())
	c.Test, c.TestLabels = pointsOf(data, data.Test)
	return nil
}

func pointsOf(data *people.Data, rows []int) (points [][]float64, labels []int) {
	for _, i := range rows {
		points, labels = append(points, data.Points[i]), append(labels, data.Labels[i])
	}
	return points, labels
}
