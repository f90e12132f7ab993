package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/diff"
)

func init() { commands = append(commands, newDiff) }

func newDiff(app *App) *cobra.Command {
	var r diff.Request
	proved := true
	cmd := &cobra.Command{
		Use:   "diff OLD NEW [ROWS.csv]",
		Short: "Show what a new model changes: whose decision, and who is treated unfairly",
		Long: `Compare two models of the same features: for each person of a data set, whose decision changes, and who is
treated unfairly by only one of the models; for all individuals, the share whose decision changes, sampled and,
for two models of one family, proved. OLD is a study, NEW a study or a model for the study of OLD, as --model
names one. From a study NEW only the model, its inputs and its threshold are used; all else is as in OLD. The
people are those of OLD's data set, or of ROWS.csv. Notions other than decision ask for scores that lie more
than ε apart.`,
		Example: `  hyfair diff studies/loan retrained.json --max-worse 0.2%
  hyfair diff old.yaml new.yaml applicants.csv --json
  hyfair diff studies/adult.yaml AC-4 --notion score --epsilon 0.1`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return usage(fmt.Errorf("diff wants OLD, NEW and perhaps one file of rows, got %d arguments; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Study, r.New, r.Data, r.Seed, r.Unproved = args[0], args[1], app.Data, app.Seed, !proved
			if len(args) > 2 {
				r.File = args[2]
			}
			return runDiff(cmd.Context(), app, r)
		},
	}
	addQuestion(cmd, &r.Spec)
	app.addPage(cmd)
	app.addGates(cmd, &r.Gates)
	addShareGate(cmd, &r.Gates, audit.MaxWorse, "largest share of people treated unfairly by the new model alone")
	fl := cmd.Flags()
	fl.StringVar(&r.Notion, "notion", "", "what counts as a change and as unfair treatment: decision, decision-strict, score or logit (default decision)")
	fl.BoolVar(&r.Encoded, "encoded", false, "ROWS.csv already has feature values, under the features' names")
	addPopulation(cmd, &r.Population, sharesOf)
	fl.IntVar(&r.Samples, "samples", 10_000, "number of individuals to draw and evaluate; 0: none")
	fl.BoolVar(&proved, "prove", true, "prove bounds on the share of all individuals whose decision changes")
	fl.StringVar(&r.Solver, "solver", "", "solver plugin that quantifies (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.DurationVar(&r.Timeout, "timeout", 30*time.Second, "limit of wall time; the sample and the proof get what the comparison of people leaves; 0: until nothing is undecided")
	return cmd
}

func runDiff(ctx context.Context, app *App, r diff.Request) (err error) {
	if r.Set, err = app.pluginOptions(); err != nil {
		return err
	}
	out, err := ask(ctx, app, diff.Answer, r)
	return app.interruptedIf(out != nil && out.Interrupted, err)
}
