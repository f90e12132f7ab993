package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

func init() {
	commands = append(commands, newMitigate)
	works[series.Mitigate.Command] = answers(mitigate.Answer)
}

type mitigateFlags struct {
	mitigate.Request
	experimentFlags
	// held is the result for the networks of a file, compared with the gates; nil until then.
	held any
}

func newMitigate(app *App) *cobra.Command {
	f := mitigateFlags{Request: mitigate.Request{Retraining: mitigate.DefaultRetraining()}}
	cmd := &cobra.Command{
		Use:   "mitigate STUDY",
		Short: "Guard a network, train it further, and search again: what helps, and at what cost",
		Long: `Compare remedies for a network that treats copies of one person differently: refuse to answer there (guardrails),
train it further, or both. Each arm is searched in the same way, and measured on the rows held back. Guardrails
come from --guardrails, else from explaining each search. An arm that cannot run is skipped with the reason. The
exit code is 1 if a training diverges or a search loses its strategy or solver. STUDY may be a file of studies:
one that fails is named, the others continue, each has a folder in --out. See docs/user/mitigate.md.`,
		Example: `  hyfair mitigate studies/loan
  hyfair mitigate studies/adult.yaml --model AC-3 --arms original,retrained,consistent --budget 60s --mode fast --json
  hyfair mitigate studies/rq4.yaml --models 'AC-[138]' --budget 60s`,
		Args: studyOrFrom,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from != "" {
				if len(args) > 0 {
					return usage(f.validate(args))
				}
				failed := f.recallSeries(app, series.Mitigate.Recall, func(t experiment.Table) error { return f.showSeries(app, t) })
				return app.gated(cmd.Context(), f.held, failed)
			}
			if yamlfile.HasKey(args[0], "studies") {
				failed := f.runSeries(cmd, app, args[0])
				return app.gated(cmd.Context(), f.held, failed)
			}
			if err := f.single("studies/rq4.yaml"); err != nil {
				return usage(err)
			}
			return runMitigate(cmd.Context(), app, &f, args[0])
		},
	}
	s := &f.Search
	addQuestion(cmd, &s.Spec)
	fl := cmd.Flags()
	fl.StringSliceVar(&f.Arms, "arms", mitigate.DefaultArms(), "what to compare: "+strings.Join(mitigate.Ways(), ", ")+", each also with +guards")
	fl.StringVar(&f.Favourable, "favourable", "", "with bands: count this band and better ones as a yes in accuracy and measures of groups (default: no such measures)")
	fl.StringVar(&f.Guardrails, "guardrails", "", "rules file for the arms with +guards (default: explain what each network's search finds)")
	fl.Var(&optionalFloat{&f.Delta}, "delta", "explained guardrails: how much larger the mean k inside a rule must be than outside (default: that of explain)")
	fl.Float64Var(&f.MostRefused, "refuse-at-most", 1, "explained guardrails: largest share of the training rows that they may refuse together; a rule that would exceed it is left out")
	app.addPictures(cmd, "what each arm costs and gains")
	app.addGates(cmd, &f.Gates)
	addShareGate(cmd, &f.Gates, mitigate.MaxCost, "largest loss of accuracy of an arm on the rows that it answers")
	addShareGate(cmd, &f.Gates, mitigate.MaxUnfair, "largest share of people treated unfairly, of those that an arm answers")
	f.add(app, cmd, ofFiles)
	fl.StringVar(&f.from, "from", "", "show the tables of this run of a file of studies in the journal again, without running anything")
	fl.StringVar(&f.Out, "out", "", "write the new networks (.json, .onnx), guardrails, table.md and table.csv to this folder")
	fl.StringVar(&s.Strategy, "strategy", "sa", "strategy plugin of every search, or one of a plugin's presets")
	fl.StringVar(&s.Solver, "solver", "", loopSolverHelp)
	fl.StringVar(&s.Mode, "mode", search.Paper, "mode of every search: paper or fast")
	fl.StringVar(&s.Budget, "budget", "10s", "budget of each arm's search: a time such as 10s, iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&s.Chains, "chains", search.DefaultChains, "fast mode: chains that the strategy advances in parallel")
	fl.Int64Var(&s.Keep, "keep", search.DefaultKeep, "fast mode: keep this many of the individuals found, and a falling share of later ones; -1: all")
	fl.DurationVar(&f.Prove, "prove", 0, "for each arm, time for a solver to bound the share of all possible people whom the arm treats unfairly, such as 10s; 0: no bound")
	fl.IntVar(&s.Runs, "runs", 1, "searches of each arm, with the seeds seed, seed + 1, …")
	r := &f.Retraining
	fl.IntVar(&r.Epochs, "epochs", r.Epochs, "passes over the rows of each training, at most")
	fl.Float64Var(&r.Rate, "rate", r.Rate, "Adam's step size")
	fl.IntVar(&r.Patience, "patience", r.Patience, "stop a training after that many epochs without a better one; 0: never")
	fl.Float64Var(&r.HeldBack, "hold-back", r.HeldBack, "share of the training rows set aside to choose the best epoch by")
	fl.IntVar(&r.Augment, "augment", r.Augment, "number of individuals found, largest k first, that the arm retrained adds to the rows with all their copies, and that the arms consistent and iterated use in the penalty")
	fl.StringVar(&r.Label, "label", r.Label, "label of an added individual's copies: "+strings.Join(mitigate.Labels(), " or ")+", the decision of most copies or of their mean score")
	fl.Float64Var(&r.Weight, "weight", r.Weight, "arms consistent and iterated: weight of the penalty on the spread of the copies' logits")
	fl.IntVar(&r.Copies, "copies", r.Copies, "arms consistent and iterated: number of counterfactuals in each evaluation of the penalty")
	fl.IntVar(&r.Rounds, "rounds", r.Rounds, "arm iterated: largest number of rounds of training and searching")
	fl.Float64Var(&r.MaxLoss, "max-loss", r.MaxLoss, "arm iterated: accuracy that the network may lose, as a share")
	return cmd
}

func runMitigate(ctx context.Context, app *App, f *mitigateFlags, path string) error {
	r, err := f.complete(app, path)
	if err != nil {
		return err
	}
	out, err := ask(ctx, app, mitigate.Answer, r)
	return app.interruptedIf(out != nil && out.Interrupted, err)
}

// complete returns the request about a study.
func (f *mitigateFlags) complete(app *App, path string) (r mitigate.Request, err error) {
	r = f.Request
	if r.Search.Chains < 1 {
		return r, usage(fmt.Errorf("--chains %d: want 1 to %d", r.Search.Chains, search.MaxChains))
	}
	r.Search.Study, r.Search.Data, r.Search.Seed = path, app.Data, app.Seed
	r.Search.Set, err = app.pluginOptions()
	return r, err
}

// runSeries mitigates the networks of a file that lists studies, such as
// studies/rq4.yaml.
func (f *mitigateFlags) runSeries(cmd *cobra.Command, app *App, file string) error {
	p := &series.Plan[mitigate.Request, mitigate.Result]{Kind: series.Mitigate}
	return runSeries(cmd, app, &f.experimentFlags, file, []string{"model", "guardrails", "from"}, p, func(spec question.Spec, name string) (mitigate.Request, error) {
		r, err := f.complete(app, spec.Study)
		if r.Search.Model = spec.Model; r.Out != "" {
			r.Out = filepath.Join(r.Out, strings.ReplaceAll(name, "/", "-"))
		}
		return r, errors.Join(err, r.Validate())
	}, func(t experiment.Table) error { return f.showSeries(app, t) })
}

// showSeries shows the results of the networks of a file.
func (f *mitigateFlags) showSeries(app *App, t experiment.Table) error {
	m := t.(*series.Mitigations)
	m.HoldEach(f.Gates)
	app.page.gates.hold(m)
	f.held = m
	err := errors.Join(app.show(m), f.writeTidy(t))
	if f.Out != "" {
		err = errors.Join(err, m.WriteTables(f.Out))
	}
	return err
}
