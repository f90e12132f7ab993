package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
)

func init() { commands = append(commands, newAblate) }

type ablateFlags struct {
	experimentFlags
	arms   []string
	budget string
	target int
	bound  time.Duration
}

// Defaults of an ablation's settings, for those that neither the flags nor the file give.
const (
	defaultAblateBudget = "60s"
	defaultAblateRuns   = 10
)

func newAblate(app *App) *cobra.Command {
	var f ablateFlags
	cmd := &cobra.Command{
		Use:   "ablate GRID.yaml",
		Short: "Search the same models with several strategies under equal budgets, tabulate and rank them",
		Long: `Run every arm of a grid (strategies, their options, modes, with and without a
solver) on every network, several times with different seeds, each task in a
process of its own with the same budget, and print the paper's Table 2, a ranking
with significance, and plots. Finished tasks are kept in the journal: after an
interruption the same command resumes. docs/user/ablate.md has the grid's format.

Flags override the grid. Options of plugins belong to the arms: --set is refused. The
exit code is 1 if a task failed twice or a bound was lost.`,
		Example: `  hyfair ablate studies/rq2.yaml --models 'AC-[13]' --budget 10s --runs 5 --jobs 2
  hyfair ablate studies/rq2.yaml --arm sa --arm rw --format latex --out table2.tex
  hyfair ablate --from 3f0 --plots plots --plot-format png`,
		Args: cobra.ArbitraryArgs,
	}
	recall := func(t record.Task) (experiment.Plan, error) { return ablate.Recall(t, f.target, f.control) }
	cmd.RunE = f.run(app, f.check, recall, func(ctx context.Context, args []string) (experiment.Plan, error) { return f.plan(ctx, app, args[0]) })
	fl := cmd.Flags()
	fl.StringArrayVar(&f.arms, "arm", nil, "search with only this arm of the grid; may be repeated")
	fl.StringVar(&f.budget, "budget", defaultAblateBudget, "budget of each task: a time such as 10s (loading included), iterations such as 5000it, or evaluations such as 100000ev")
	f.add(app, cmd, "")
	f.addArms(cmd, defaultAblateRuns, ablate.Columns())
	fl.IntVar(&f.target, "target", 0, "target k, up to which the time of each run is measured (default: the largest k that half of a network's runs reached)")
	app.addPage(cmd)
	f.plots.add(cmd, "time to target, largest k over the budget and time, and individuals by k of each network")
	fl.DurationVar(&f.bound, "bound", 0, "after the searches, time for a solver to bound each network's largest k from above, such as 10s; 0: no bound")
	return cmd
}

func (f *ablateFlags) check(args []string) error {
	switch {
	case f.from == "" && len(args) != 1:
		return fmt.Errorf("ablate wants one GRID.yaml, got %d arguments; see hyfair ablate --help", len(args))
	case f.changed("target") && f.target < 2:
		return fmt.Errorf("--target %d: want a k of 2 or more", f.target)
	case f.bound < 0:
		return fmt.Errorf("--bound %v is negative: want a time, or 0 for no bound", f.bound)
	}
	return nil
}

// plan returns the plan of flags and grid, after checking every file and plugin.
func (f *ablateFlags) plan(ctx context.Context, app *App, path string) (*ablate.Plan, error) {
	if len(app.Set) > 0 {
		return nil, usage(errors.New("--set: options belong to the arms of the grid, under set and solver_set"))
	}
	file, err := ablate.ReadFile(path)
	if err != nil {
		return nil, usage(err)
	}
	terms, err := f.terms(app, file.Terms, f.budget)
	p := &ablate.Plan{Name: file.Name, Arms: file.Arms, Plugins: map[string]experiment.Plugin{}, Terms: terms, Bound: file.Bound, Target: f.target, Control: f.control}
	over(&f.experimentFlags, "bound", &p.Bound, f.bound)
	if len(f.arms) > 0 && err == nil {
		p.Arms, err = pickArms(f.arms, file.Arms)
	}
	if err != nil {
		return nil, usage(err)
	}
	s, err := app.session()
	if err != nil {
		return nil, err
	}
	s.Threads, s.Memory = p.Threads, p.Memory // of every arm and of --bound
	if err := f.networks(app, s, p, file.Studies, func(spec question.Spec, _ gridfile.Study) error { return p.AddSubject(spec) }); err != nil {
		return nil, err
	}
	if err := p.Settle(); err != nil {
		return nil, usage(err)
	}
	return p, usageIf(p.Resolve(ctx, s))
}

// pickArms returns the arms that --arm names.
func pickArms(names []string, known []ablate.Arm) (out []ablate.Arm, err error) {
	for i, name := range names {
		a, err := ablate.Form.Pick(known, name, "the grid")
		if err == nil && slices.Contains(names[:i], name) {
			err = fmt.Errorf("%q is given twice", name)
		}
		if err != nil {
			return nil, fmt.Errorf("--arm: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}
