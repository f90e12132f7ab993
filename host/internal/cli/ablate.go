package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
)

func init() { commands = append(commands, newAblate) }

type ablateFlags struct {
	question   question.Scope
	arms       []string
	models     modelsFlag
	budget     string
	runs       int
	shown      showFlags
	target     int
	plots      string
	plotFormat string
	bound      time.Duration
	from       string
	resume     bool
	fresh      bool
	// changed reports that the user gave a flag.
	changed func(name string) bool
}

// Defaults of an ablation that neither flags nor its file settle.
const (
	defaultAblateBudget = "60s"
	defaultAblateRuns   = 10
)

func newAblate(app *App) *cobra.Command {
	var f ablateFlags
	cmd := &cobra.Command{
		Use:   "ablate GRID.yaml",
		Short: "Search the same networks with several strategies under equal budgets, tabulate and rank them",
		Long: `Run every arm of a grid (strategies, their options, modes, with and without a
solver) on every network, several times with different seeds, each task in a
process of its own with the same budget, and print the paper's Table 2, a ranking
with significance, and plots. What is done is kept in the journal: the same command
again goes on where it was broken off. docs/ablate.md has the grid's format.`,
		Example: `  hyfair ablate studies/rq2.yaml --models 'AC-[13]' --budget 10s --runs 5 --jobs 2
  hyfair ablate studies/rq2.yaml --arm sa --arm rw --format latex --out table2.tex
  hyfair ablate --from 3f0 --plots plots --plot-format png`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = func(name string) bool { return cmd.Flag(name).Changed }
			if err := f.validate(args); err != nil {
				return usage(err)
			}
			if f.from != "" {
				return f.show(app)
			}
			return f.run(cmd.Context(), app, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.arms, "arm", nil, "only this arm of the grid; may be repeated")
	f.models.add(cmd)
	fl.StringVar(&f.budget, "budget", defaultAblateBudget, "of each task: a time such as 10s, loading included, iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&f.runs, "runs", defaultAblateRuns, "runs of each arm on each network, with the seeds seed, seed + 1, …")
	fl.StringVar(&f.question.Epsilon, "epsilon", "", "ε, a score difference (default: the study's)")
	fl.StringSliceVar(&f.question.Protected, "protected", nil, "protected attributes to vary together (default: all the study protects)")
	fl.StringVar(&f.question.Where, "where", "", `cut the space: "age=30..39,workclass=Private|State-gov"`)
	fl.StringSliceVar(&f.question.Rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
	f.shown.add(cmd, "")
	f.shown.addOut(cmd, "")
	fl.IntVar(&f.target, "target", 0, "k that times to target are about (default: the largest that half of a network's runs reached)")
	fl.StringVar(&f.plots, "plots", "", "draw time to target, largest k over time and individuals by k of each network into this folder")
	fl.StringVar(&f.plotFormat, "plot-format", view.SVG, "svg or png")
	fl.DurationVar(&f.bound, "bound", 0, "after the searches, time for a solver to prove for each network how many bins nobody exceeds, such as 10s; 0: none")
	fl.StringVar(&f.from, "from", "", "show the ablation of this run in the journal again, without running anything")
	fl.BoolVar(&f.resume, "resume", false, "go on with the run that was broken off, and with nothing else (default: go on where there is one, else begin)")
	fl.BoolVar(&f.fresh, "fresh", false, "begin anew even where the same ablation was broken off")
	return cmd
}

func (f *ablateFlags) validate(args []string) error {
	switch {
	case f.from != "" && len(args) > 0:
		return fmt.Errorf("--from shows a run of the journal, whose grid is known: leave out %s", strings.Join(args, " "))
	case f.from == "" && len(args) != 1:
		return fmt.Errorf("ablate wants one GRID.yaml, got %d arguments; see hyfair ablate --help", len(args))
	case !slices.Contains(view.FigureFormats, f.plotFormat):
		return fmt.Errorf("--plot-format %q: want %s", f.plotFormat, strings.Join(view.FigureFormats, " or "))
	case f.resume && f.fresh:
		return errors.New("--resume and --fresh exclude each other")
	case f.changed("target") && f.target < 2:
		return fmt.Errorf("--target %d: want a k of 2 or more", f.target)
	case f.bound < 0:
		return fmt.Errorf("--bound %v is negative", f.bound)
	}
	return f.shown.validate()
}

// plan is what flags and grid ask for, with every file and plugin looked at.
func (f *ablateFlags) plan(ctx context.Context, app *App, path string) (*ablate.Plan, error) {
	if len(app.Set) > 0 {
		return nil, usage(errors.New("--set: options belong to the arms of the grid, under set and solver_set"))
	}
	file, err := ablate.ReadFile(path)
	if err != nil {
		return nil, usage(err)
	}
	p, err := f.merge(app, file)
	if err != nil {
		return nil, usage(err)
	}
	s, err := app.session()
	if err != nil {
		return nil, err
	}
	s.Threads, s.Memory = p.Threads, p.Memory // of every arm and of --bound
	if err := f.subjects(app, p, file.Studies); err != nil {
		return nil, usage(err)
	}
	if err := p.Settle(); err != nil {
		return nil, usage(err)
	}
	return p, app.end(app.current, p.Resolve(ctx, app.current))
}

// merge lets flags override the file.
func (f *ablateFlags) merge(app *App, file *ablate.File) (*ablate.Plan, error) {
	app.compares()
	memory, err := app.memoryBytes()
	if err != nil {
		return nil, err
	}
	p := &ablate.Plan{
		Name: file.Name, Scope: file.Scope, Arms: file.Arms, Plugins: map[string]ablate.Plugin{},
		Budget: file.Budget, Runs: file.Runs, Seed: file.Seed, Threads: file.Threads, Memory: memory, Jobs: file.Jobs, Bound: file.Bound,
	}
	if f.changed("bound") {
		p.Bound = f.bound
	}
	if p.Budget == "" || f.changed("budget") {
		p.Budget = f.budget
	}
	for _, n := range []struct {
		name string
		to   *int
		flag int
	}{{"runs", &p.Runs, f.runs}, {"threads", &p.Threads, app.Threads}, {"jobs", &p.Jobs, app.Jobs}} {
		if *n.to == 0 || f.changed(n.name) {
			*n.to = n.flag
		}
	}
	if p.Seed == 0 || f.changed("seed") {
		p.Seed = app.Seed
	}
	if f.changed("protected") {
		p.Protected = f.question.Protected
	}
	if f.changed("rules") {
		p.Rules = f.question.Rules
	}
	if f.changed("epsilon") {
		p.Epsilon = f.question.Epsilon
	}
	if f.changed("where") {
		p.Where = f.question.Where
	}
	if len(f.arms) > 0 {
		p.Arms, err = pickArms(f.arms, file.Arms)
	}
	return p, err
}

// pickArms are those of --arm.
func pickArms(names []string, known []ablate.Arm) ([]ablate.Arm, error) {
	var out []ablate.Arm
	for _, name := range names {
		i := slices.IndexFunc(known, func(a ablate.Arm) bool { return a.Name == name })
		if i < 0 {
			all := make([]string, len(known))
			for k := range known {
				all[k] = known[k].Name
			}
			return nil, fmt.Errorf("--arm: %q is no arm of the grid, which has %s", name, strings.Join(all, ", "))
		}
		if slices.ContainsFunc(out, func(a ablate.Arm) bool { return a.Name == name }) {
			return nil, fmt.Errorf("--arm: %q is given twice", name)
		}
		out = append(out, known[i])
	}
	return out, nil
}

// subjects loads every study with every network asked for.
func (f *ablateFlags) subjects(app *App, p *ablate.Plan, studies []gridfile.Study) error {
	for _, s := range studies {
		models, err := f.models.of(app, s.Path, s.Models)
		if err != nil {
			return fmt.Errorf("%s: %w", s.At, err)
		}
		for _, m := range models {
			if err := p.AddSubject(question.Spec{Study: s.Path, Data: app.Data, Model: m}); err != nil {
				return fmt.Errorf("%s: %w", s.At, err)
			}
		}
	}
	if len(p.Subjects) == 0 {
		return f.models.none()
	}
	for i := range p.Subjects {
		question.CountsBins(p.Subjects[i].Clustering, app.current.Note)
	}
	return nil
}
