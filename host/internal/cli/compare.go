package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

func init() { commands = append(commands, newCompare) }

type compareFlags struct {
	question question.Scope
	solvers  []string
	arms     []string
	models   modelsFlag
	budget   time.Duration
	runs     int
	shown    showFlags
	from     string
	fresh    bool
	// changed reports that the user gave a flag.
	changed func(name string) bool
}

// Defaults of a comparison that neither flags nor a file settle.
const (
	defaultCompareBudget = 100 * time.Second
	defaultCompareRuns   = 10
)

func newCompare(app *App) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare STUDY...",
		Short: "Put the same questions to several solvers under equal rules, and tabulate who answers what",
		Long: `Run every arm on every model, several times with different seeds, each task in a
process of its own with the same wall time, threads, memory and order of regions,
and print the paper's Table 1, how spread out the individuals found are, how much
was proved, and which proofs were refuted. A STUDY may also be a comparison file
(studies/rq1.yaml), whose settings flags override. What is done is kept in the
journal: the same command again goes on where it was broken off.`,
		Example: `  hyfair compare studies/loan --solvers z3,highs --budget 10s --runs 3
  hyfair compare studies/adult.yaml --models 'AC-[1368]' --solvers z3,highs,lpsolve --budget 100s --runs 10
  hyfair compare studies/adult.yaml --arm smt=solver:z3,notion:decision-strict,partition:10 --arm milp=solver:highs,notion:logit,goal:maximise,gap:1e-4
  hyfair compare studies/rq1.yaml --models 'AC-8' --runs 2 --format latex
  hyfair compare --from 3f0 --format csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = func(name string) bool { return cmd.Flag(name).Changed }
			if f.from != "" {
				return f.show(app, args)
			}
			return f.run(cmd.Context(), app, args)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.solvers, "solvers", nil, "an arm for each of these solvers, alike in all else")
	fl.StringArrayVar(&f.arms, "arm", nil, "an arm: name=solver:NAME,key:value,… or the name of an arm of the comparison file; may be repeated")
	f.models.add(cmd)
	fl.DurationVar(&f.budget, "budget", defaultCompareBudget, "wall time of each task, loading included")
	fl.IntVar(&f.runs, "runs", defaultCompareRuns, "runs of each arm on each model, with the seeds seed, seed + 1, …")
	fl.StringVar(&f.question.Epsilon, "epsilon", "", "ε of the measures and of arms without their own, a score difference (default: the study's)")
	fl.StringSliceVar(&f.question.Protected, "protected", nil, "protected attributes to vary together (default: all the study protects)")
	fl.StringVar(&f.question.Where, "where", "", `cut the space: "age=30..39,workclass=Private|State-gov"`)
	fl.StringSliceVar(&f.question.Rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
	f.shown.add(cmd, "")
	f.shown.addOut(cmd, "")
	fl.StringVar(&f.from, "from", "", "show the comparison of this run in the journal again, without running anything")
	fl.BoolVar(&f.fresh, "fresh", false, "begin anew even where the same comparison was broken off")
	return cmd
}

func (f *compareFlags) validate() error {
	if len(f.solvers) > 0 && len(f.arms) > 0 {
		return errors.New("give --solvers or --arm, not both: --solvers a,b is short for --arm a=solver:a --arm b=solver:b")
	}
	return f.shown.validate()
}

// plan is what flags and arguments ask for, with every file and plugin looked
// at.
func (f *compareFlags) plan(ctx context.Context, app *App, args []string) (*compare.Plan, error) {
	if len(args) == 0 {
		return nil, usage(errors.New("compare wants at least one STUDY or a comparison file; see hyfair compare --help"))
	}
	file := &compare.File{}
	for _, arg := range args {
		if !compare.IsFile(arg) {
			file.Studies = append(file.Studies, gridfile.Study{Path: arg})
			continue
		}
		if len(args) > 1 {
			return nil, usage(fmt.Errorf("%s is a comparison file, which names its studies itself: give it alone", arg))
		}
		var err error
		if file, err = compare.ReadFile(arg); err != nil {
			return nil, usage(err)
		}
	}
	p, err := f.merge(app, file)
	if err != nil {
		return nil, usage(err)
	}
	if _, err := app.session(); err != nil {
		return nil, err
	}
	if err := f.subjects(app, p, file.Studies); err != nil {
		return nil, usage(err)
	}
	if err := resolveArms(ctx, app, p); err != nil {
		return nil, err
	}
	return p, usage(p.Settle())
}

// merge lets flags override the file.
func (f *compareFlags) merge(app *App, file *compare.File) (*compare.Plan, error) {
	app.compares()
	memory, err := app.memoryBytes()
	if err != nil {
		return nil, err
	}
	p := &compare.Plan{
		Name: file.Name, Scope: file.Scope, Arms: file.Arms, Solvers: map[string]compare.Solver{},
		Budget: file.Budget, Runs: file.Runs, Seed: file.Seed, Threads: file.Threads, Memory: memory, Jobs: app.Jobs,
	}
	if p.Budget == 0 || f.changed("budget") {
		p.Budget = compare.Duration(f.budget)
	}
	if p.Runs == 0 || f.changed("runs") {
		p.Runs = f.runs
	}
	if p.Seed == 0 || f.changed("seed") {
		p.Seed = app.Seed
	}
	if p.Threads == 0 || f.changed("threads") {
		p.Threads = app.Threads
	}
	for name, field := range map[string]*[]string{"protected": &p.Protected, "rules": &p.Rules} {
		if f.changed(name) {
			*field = map[string][]string{"protected": f.question.Protected, "rules": f.question.Rules}[name]
		}
	}
	if f.changed("epsilon") {
		p.Epsilon = f.question.Epsilon
	}
	if f.changed("where") {
		p.Where = f.question.Where
	}
	switch {
	case len(f.solvers) > 0:
		p.Arms = compare.LikeForLike(f.solvers)
	case len(f.arms) > 0:
		p.Arms, err = chosenArms(f.arms, file.Arms)
	}
	return p, err
}

// chosenArms are those of --arm: described there, or picked from the file.
func chosenArms(texts []string, known []compare.Arm) ([]compare.Arm, error) {
	var out []compare.Arm
	for _, text := range texts {
		if i := slices.IndexFunc(known, func(a compare.Arm) bool { return a.Name == text }); i >= 0 {
			out = append(out, known[i])
			continue
		}
		a, err := compare.ParseArm(text)
		if err != nil {
			if !strings.Contains(text, "=") && len(known) > 0 {
				var names []string
				for i := range known {
					names = append(names, known[i].Name)
				}
				err = fmt.Errorf("%q is no arm of the comparison file, which has %s", text, strings.Join(names, ", "))
			}
			return nil, fmt.Errorf("--arm: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}

// subjects loads every study with every network asked for.
func (f *compareFlags) subjects(app *App, p *compare.Plan, studies []gridfile.Study) error {
	for _, s := range studies {
		models, err := f.models.of(app, s.Path, s.Models)
		if err != nil {
			return err
		}
		for _, m := range models {
			if err := p.AddSubject(question.Spec{Study: s.Path, Data: app.Data, Model: m}, s.Partition); err != nil {
				return err
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

// resolveArms starts each solver once, to learn its version and whether it
// takes what its arms would ask.
func resolveArms(ctx context.Context, app *App, p *compare.Plan) error {
	catalogue, err := app.catalogue()
	if err != nil {
		return err
	}
	options, err := app.pluginOptions()
	if err != nil {
		return err
	}
	plugins := map[string]*discover.Plugin{}
	var opened []*discover.Plugin
	defer func() {
		for _, plugin := range opened {
			plugin.Close()
		}
	}()
	for i := range p.Arms {
		name := p.Arms[i].Solver
		if plugins[name] != nil {
			continue
		}
		plugin, err := catalogue.Launch(ctx, client.Solver, name)
		if err != nil {
			return usageIf(err)
		}
		plugins[name] = plugin
		opened = append(opened, plugin)
	}
	if err := discover.Configure(options, opened...); err != nil {
		return usage(err)
	}
	for i := range p.Arms {
		if err := resolveArm(&p.Arms[i], plugins[p.Arms[i].Solver].Description()); err != nil {
			return fmt.Errorf("arm %s: %w", p.Arms[i].Name, err)
		}
	}
	for name, plugin := range plugins {
		d := plugin.Description()
		p.Solvers[name] = compare.Solver{Version: d.Version, Library: session.Library(d), Set: plugin.Options}
	}
	return nil
}

// resolveArm fills in the lowering and checks that the solver takes it.
func resolveArm(a *compare.Arm, d sdk.Description) error {
	for _, l := range d.Libraries {
		if !l.Found {
			return fmt.Errorf("library %s was not found; to install it: %s", l.Name, l.Hint)
		}
	}
	if a.Encoding == "" {
		a.Encoding = certify.DefaultEncoding(&d)
	}
	if a.Bounds == "" {
		a.Bounds = certify.DefaultBounds
	}
	e, err := certify.LookupEncoding(a.Encoding)
	switch {
	case err != nil:
		return usage(err)
	case !d.Answers(e.Form, problem.Decide):
		return usage(fmt.Errorf("solver %s does not answer problems in the %s form, which the encoding %s is", d.Name, e.Form, e.Name))
	case e.SOS1 && !d.SOS1:
		return usage(fmt.Errorf("solver %s knows no special ordered sets, which the encoding %s needs", d.Name, e.Name))
	}
	return nil
}
