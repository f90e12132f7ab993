package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
)

func init() { commands = append(commands, newSearch) }

// loopSolverHelp is the flag --solver of commands with a solver in the loop.
const loopSolverHelp = "solver plugin in the loop, or none (default: the first usable of bnb, highs, lpsolve)"

func newSearch(app *App) *cobra.Command {
	var r search.Request
	cmd := &cobra.Command{
		Use:   "search STUDY",
		Short: "Search for the people whose treatment depends most on protected attributes",
		Long: `Search for individuals whose counterfactuals, the copies that differ in protected
attributes only, get scores in as many different bins as possible. A strategy
plugin says where to look, a solver helps it off plateaus, and this program
evaluates and counts. docs/user/search.md has the loop, the measures and the files.

In --mode fast, what is found depends on --chains.`,
		Example: `  hyfair search studies/loan
  hyfair search studies/adult.yaml --strategy sa+knn --budget 60s --runs 10 --out found.csv
  hyfair search studies/adult.yaml --solver none --budget 5000it --where "age=30..39" --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error { return runSearch(cmd.Context(), app, r, args[0]) },
	}
	addQuestion(cmd, &r.Spec)
	cmd.Flags().StringVar(&r.Notion, "notion", "", "which individuals count as found: score (a gap above ε) or decision (copies with different decisions) (default score)")
	addNear(cmd, &r.Spec, "; of solvers, only bnb takes it")
	addPopulation(cmd, &r.Population, "draw the people that the strategy starts from, in place of rows (with uniform, it takes rows)")
	app.addPictures(cmd, "the copies of the worst-treated individual on the axis of scores")
	app.addGates(cmd, &r.Gates)
	fl := cmd.Flags()
	fl.Var(&gateFlag{&r.Gates, "max-k", "int", func(name, bound string) (gate.Gate, error) { return gate.Count(name, bound, 1) }}, "max-k",
		"largest k that may be found or, with --bound, stay possible: exit with code 3 if it is exceeded or unknown")
	fl.StringVar(&r.Strategy, "strategy", "", "strategy plugin, or one of a plugin's presets: rw, sa, sa+knn, climb, … (default: sa; in fast mode climb)")
	fl.StringVar(&r.Solver, "solver", "", loopSolverHelp)
	fl.StringVar(&r.Mode, "mode", search.Paper, "paper (one candidate a round, the solver in the loop) or fast (many chains in batches; the solver adds individuals in the background)")
	fl.StringVar(&r.Budget, "budget", "10s", "budget of each run: a time such as 10s (loading included), iterations such as 5000it, or evaluations such as 100000ev")
	fl.IntVar(&r.Chains, "chains", search.DefaultChains, "fast mode: chains that the strategy advances in parallel")
	fl.Int64Var(&r.Keep, "keep", search.DefaultKeep, "fast mode: keep this many of the individuals found, and a falling share of later ones; -1: all")
	fl.IntVar(&r.Runs, "runs", 1, "repeat with the seeds seed, seed+1, …")
	fl.StringVar(&r.Out, "out", "", "write all individuals found to this CSV file")
	fl.DurationVar(&r.Bound, "bound", 0, "after the search, time for a solver to bound the largest k from above, such as 5s; 0: no bound")
	return cmd
}

func runSearch(ctx context.Context, app *App, r search.Request, path string) error {
	if r.Chains < 1 {
		return usage(fmt.Errorf("--chains %d: want 1 to %d", r.Chains, search.MaxChains))
	}
	var err error
	if r.Set, err = app.pluginOptions(); err != nil {
		return err
	}
	r.Study, r.Data, r.Seed = path, app.Data, app.Seed
	out, err := ask(ctx, app, search.Answer, r)
	if out == nil {
		return err
	}
	if !app.JSON && out.Journal != "" {
		fmt.Fprintf(app.Stderr, "run %s in %s\n", out.Run, out.Journal)
	}
	return app.interruptedIf(out.Interrupted, err)
}
