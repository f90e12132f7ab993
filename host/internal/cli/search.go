package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newSearch) }

type searchFlags struct {
	question questionFlags
	strategy string
	solver   string
	mode     string
	budget   string
	chains   int
	keep     int64
	runs     int
	out      string
	bound    time.Duration
}

const (
	modePaper = "paper"
	modeFast  = "fast"
)

func newSearch(app *App) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search STUDY",
		Short: "Search for the people whose treatment depends most on protected attributes",
		Long: `Search for individuals whose counterfactuals, the copies that differ in protected
attributes only, get scores in as many different bins as possible. A strategy
plugin says where to look, a solver helps it off plateaus, and this program
evaluates and counts. docs/search.md has the loop, the measures and the files.`,
		Example: `  hyfair search studies/loan
  hyfair search studies/adult.yaml --strategy sa+knn --budget 60s --runs 10 --out found.csv
  hyfair search studies/adult.yaml --solver none --budget 5000it --where "age=30..39" --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error { return runSearch(cmd.Context(), app, &f, args[0]) },
	}
	f.question.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.strategy, "strategy", "", "strategy plugin, or one of a plugin's presets: rw, sa, sa+knn, climb, … (default: sa; in fast mode climb)")
	fl.StringVar(&f.solver, "solver", "", loopSolverHelp)
	fl.StringVar(&f.mode, "mode", modePaper, "paper: one candidate a round, the solver in the loop; fast: many chains, batches, solver seeds in the background")
	fl.StringVar(&f.budget, "budget", "10s", "a time such as 10s, loading included, iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&f.chains, "chains", search.DefaultChains, "fast mode: chains that the strategy advances side by side")
	fl.Int64Var(&f.keep, "keep", search.DefaultKeep, "fast mode: individuals found that are kept one by one before they are thinned out; -1: all")
	fl.IntVar(&f.runs, "runs", 1, "repeat with the seeds seed, seed+1, …")
	fl.StringVar(&f.out, "out", "", "write all individuals found to this CSV file")
	fl.DurationVar(&f.bound, "bound", 0, "after the search, time for a solver to prove how many bins nobody exceeds, such as 5s; 0: none")
	return cmd
}

func (f *searchFlags) validate() (search.Budget, error) {
	switch {
	case f.mode != modePaper && f.mode != modeFast:
		return search.Budget{}, fmt.Errorf("--mode %q: want %s or %s", f.mode, modePaper, modeFast)
	case f.chains < 1 || f.chains > search.MaxChains:
		return search.Budget{}, fmt.Errorf("--chains %d: want 1 to %d", f.chains, search.MaxChains)
	}
	if f.runs < 1 {
		return search.Budget{}, fmt.Errorf("--runs %d: want at least 1", f.runs)
	}
	if err := validateBound(f.bound); err != nil {
		return search.Budget{}, err
	}
	b, err := search.ParseBudget(f.budget)
	if err != nil {
		return b, fmt.Errorf("--budget: %w", err)
	}
	return b, nil
}

func runSearch(ctx context.Context, app *App, f *searchFlags, path string) error {
	j, closePlugins, err := openSearch(ctx, app, f, path)
	defer closePlugins()
	if err != nil {
		return err
	}
	report, failed := j.run(ctx)
	if report == nil {
		return failed
	}
	if f.bound > 0 && ctx.Err() == nil {
		var unbounded error
		report.Bound, unbounded = j.bound(ctx, f.bound, report.Best)
		failed = errors.Join(failed, unbounded)
		report.Interrupted = interrupted(ctx)
	}
	if app.JSON {
		failed = errors.Join(failed, app.printJSON(report))
	} else {
		report.print(app.Stdout, j.space)
		if report.Journal != "" {
			fmt.Fprintf(app.Stderr, "run %s in %s\n", report.Run, report.Journal)
		}
	}
	if report.Interrupted && failed == nil {
		return &exitError{code: ExitInterrupted}
	}
	return failed
}

// openSearch reads the question and opens all that a search needs. The function
// it returns ends what was started, also after an error.
func openSearch(ctx context.Context, app *App, f *searchFlags, path string) (*searchJob, func(), error) {
	nothing := func() {}
	j := &searchJob{app: app, begin: time.Now(), runs: f.runs, out: f.out}
	var err error
	if j.budget, err = f.validate(); err != nil {
		return nil, nothing, usage(err)
	}
	st, q, err := f.question.scores(app, path)
	if err != nil {
		return nil, nothing, usage(err)
	}
	j.space = q.Space
	if err := q.Validate(); err != nil {
		return nil, nothing, usage(err)
	}
	if j.evaluator, err = evaluate.New(q.Network, q.Space, q.Region, q.Epsilon); err != nil {
		return nil, nothing, usage(err)
	}
	j.query = q
	closePlugins, err := j.openPlugins(ctx, f, q)
	if err != nil {
		return nil, closePlugins, badQuestion(err)
	}
	if err := j.giveRows(st); err != nil {
		return nil, closePlugins, usage(err)
	}
	j.start.Epsilon, j.start.Region = q.Epsilon, q.Region
	j.describe(st, f)
	return j, closePlugins, nil
}

// giveRows hands the strategy the data set's rows, where it asked for them and
// the study has some.
func (j *searchJob) giveRows(st *study.Study) error {
	if !j.needsRows || !st.HasData() {
		return nil
	}
	data, err := st.Data()
	if err != nil {
		return err
	}
	j.start.Rows, j.dataSHA256 = data.Points, data.SHA256
	return nil
}

// describe says what is run, for the report and the journal.
func (j *searchJob) describe(st *study.Study, f *searchFlags) {
	j.study, j.model = st.Name, filepath.Base(st.ModelPath)
	settings := map[string]string{
		"epsilon": fairness.Exact(j.start.Epsilon), "mode": f.mode, "solver": j.solver, "budget": j.budget.String(),
	}
	if j.fast != nil {
		settings["chains"], settings["keep"] = strconv.Itoa(f.chains), strconv.FormatInt(f.keep, 10)
	}
	if j.dataSHA256 != "" {
		settings["data"] = j.dataSHA256
	}
	settings["protected"] = strings.Join(protectedNames(j.space), ",")
	for _, r := range st.Rules {
		if r.On {
			settings["rule."+r.Name] = "on"
		}
	}
	for name, value := range j.start.Options {
		settings["set."+name] = value
	}
	j.task = record.Task{
		Command: "search", Network: st.ModelSHA256, Study: st.SHA256, Arm: j.strategyName,
		Region: f.question.where, Settings: settings,
	}
}

// scores reads the question of a study as one about scores, whatever notion it
// certifies: who of the part of the space in question violates it.
func (f *questionFlags) scores(app *App, path string) (*study.Study, *problem.Query, error) {
	st, s, region, rest, err := f.load(app, path)
	if err != nil {
		return nil, nil, err
	}
	q := &problem.Query{Network: st.Network, Space: require(s, rest), Region: region, Notion: fairness.Score, Goal: problem.Decide}
	if q.Epsilon, err = f.epsilonFor(st, fairness.Score); err != nil {
		return nil, nil, err
	}
	return st, q, nil
}

// openPlugins starts the strategy and the solver and shares the user's options
// among them. The function it returns ends what was started, also after an
// error.
func (j *searchJob) openPlugins(ctx context.Context, f *searchFlags, q *problem.Query) (closeAll func(), err error) {
	var plugins []*discover.Plugin
	closeAll = func() {
		for _, p := range plugins {
			p.Close()
		}
	}
	options, err := j.app.pluginOptions()
	if err != nil {
		return closeAll, err
	}
	memory, err := j.app.memoryBytes()
	if err != nil {
		return closeAll, usage(err)
	}
	catalogue, err := j.app.catalogue()
	if err != nil {
		return closeAll, err
	}
	strategy, err := j.openStrategy(ctx, catalogue, f)
	if err != nil {
		return closeAll, unknownPlugin(err)
	}
	plugins = append(plugins, strategy)
	solver, err := j.openSolver(ctx, catalogue, f.solver, q)
	if err != nil {
		return closeAll, unknownPlugin(err)
	}
	j.solver = noSolver
	if solver != nil {
		plugins = append(plugins, solver)
		d := solver.Description()
		j.solver = d.Name
		j.newSeeder = func() search.Seeder {
			return &certify.Seeder{Query: q, WorkLimit: seedWork, Options: certify.Options{
				Solver: solver.Solver(), Description: d, Threads: j.app.threads(), Memory: memory, Set: solver.Options,
			}}
		}
	}
	if err := discover.Configure(options, plugins...); err != nil {
		return closeAll, err
	}
	j.strategy, j.start.Options = strategy.Strategy(), strategy.Options
	j.versions = map[string]string{"hyfair": version()}
	for _, p := range plugins {
		j.versions[p.String()] = p.Description().Version
	}
	d := strategy.Description()
	if f.mode == modeFast {
		j.fast = &search.Fast{Chains: f.chains, Ahead: d.Lag > 0, Keep: f.keep}
	}
	j.needsRows = d.NeedsRows
	if d.NeedsNetwork {
		j.start.Network = q.Network
	}
	return closeAll, nil
}

// openStrategy starts the strategy named. Without a name it is sa; in fast mode
// climb, where that is there.
func (j *searchJob) openStrategy(ctx context.Context, c *discover.Catalogue, f *searchFlags) (*discover.Plugin, error) {
	names := []string{f.strategy}
	switch {
	case f.strategy == "" && f.mode == modeFast:
		names = []string{"climb", "sa"}
	case f.strategy == "":
		names = []string{"sa"}
	}
	var p *discover.Plugin
	var err error
	for _, j.strategyName = range names {
		if p, err = c.Launch(ctx, client.Strategy, j.strategyName); !errors.Is(err, discover.ErrNotFound) {
			break
		}
	}
	return p, err
}

// seedWork bounds one question for an individual, in the solver's own unit, so
// that seeds do not depend on the machine.
const seedWork = 1000

// openSolver starts the solver in the loop; nil for none. Where none was named
// it is the first that gives individuals: of those that take the network itself,
// or else rows and columns. Where none can be used, the search goes on without
// and says so.
func (j *searchJob) openSolver(ctx context.Context, c *discover.Catalogue, name string, q *problem.Query) (*discover.Plugin, error) {
	switch name {
	case noSolver:
		return nil, nil
	case "":
		p, err := firstSolver(ctx, c, nil, []string{certify.Direct, "bigm"})
		if err == nil {
			if why := refusal(ctx, p, q, j.app.Seed); why != nil {
				p.Close()
				p, err = j.app.instead(ctx, why, c, nil, []string{"bigm"})
			}
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(j.app.Stderr, "hyfair: searching without a solver in the loop: %v\n", err)
			return nil, nil
		}
		return p, err
	}
	return c.Launch(ctx, client.Solver, name)
}

// unknownPlugin makes a name that no plugin has the user's mistake.
func unknownPlugin(err error) error {
	if errors.Is(err, discover.ErrNotFound) {
		return usage(err)
	}
	return err
}

// require turns conditions that no box can express (a set of categories with
// holes) into constraints that forbid the holes, which strategy, solver and
// evaluation then all respect.
func require(s *space.Space, rest space.Predicate) *space.Space {
	if len(rest) == 0 {
		return s
	}
	out := *s
	out.Forbidden = slices.Clone(s.Forbidden)
	for i := range rest {
		hole := space.Condition{Feature: rest[i].Feature}
		for v := range s.Features[hole.Feature].Categories {
			if !rest[i].Holds(float64(v)) {
				hole.Set = append(hole.Set, v)
			}
		}
		out.Forbidden = append(out.Forbidden, space.Predicate{hole})
	}
	return &out
}
