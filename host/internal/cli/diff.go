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
		Short: "Say what a new model changes: whose decision, and who is treated unfairly",
		Long: `Compare two models of the same features: for each person of a data set, whose decision changes, and who is
treated unfairly by one of the models alone; for all individuals, the share whose decision changes, sampled and,
of two models of one family, proved. OLD is a study, NEW a study or a model for the study of OLD, as --model
names one. Of the study NEW, the model, its inputs and its threshold count; all else is asked as OLD says. The people are those of OLD's data set, or of ROWS.csv. Other notions than decision ask for scores
that lie more than ε apart.`,
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
	addShareGate(cmd, &r.Gates, audit.MaxWorse, "share of the people who may be treated unfairly by the new model alone")
	fl := cmd.Flags()
	fl.StringVar(&r.Notion, "notion", "", "what a change is, and what unfair: decision, decision-strict, score or logit (default decision)")
	fl.BoolVar(&r.Encoded, "encoded", false, "ROWS.csv has feature values already, below the features' names")
	addPopulation(cmd, &r.Population)
	fl.IntVar(&r.Samples, "samples", 10_000, "individuals to draw and evaluate; 0: none")
	fl.BoolVar(&proved, "prove", true, "prove how many of all individuals change")
	fl.StringVar(&r.Solver, "solver", "", "solver plugin that quantifies (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.DurationVar(&r.Timeout, "timeout", 30*time.Second, "wall time; sample and proof have what the people leave of it; 0: until nothing is undecided")
	return cmd
}

func runDiff(ctx context.Context, app *App, r diff.Request) (err error) {
	if r.Set, err = app.pluginOptions(); err != nil {
		return err
	}
	out, err := ask(ctx, app, diff.Answer, r)
	return interruptedIf(out != nil && out.Interrupted, err)
}
