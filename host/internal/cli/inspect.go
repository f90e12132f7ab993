package cli

import (
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
)

func init() { commands = append(commands, newInspect) }

func newInspect(app *App) *cobra.Command {
	var r inspect.Request
	var scores string
	cmd := &cobra.Command{
		Use:   "inspect STUDY|MODEL",
		Short: "Show a study or a model: layers or trees, features, protected values, K, rows, accuracy",
		Long: `Show what is in a study, which is a study file or a folder with one, or in a
network file alone. K is the largest number of protected combinations that the
constraints allow for one individual. Accuracy is the share of rows whose label
the network gets right, deciding yes if the score is above 0.5.

--scores compares the network's scores, row by row, with those of your own
pipeline: if they differ, the study encodes the inputs differently.

A study whose data set is missing is shown without rows and accuracy.`,
		Example: `  hyfair inspect studies/loan
  hyfair inspect studies/adult.yaml --model AC-8 --data ~/data
  hyfair inspect studies/loan --scores mine.csv
  hyfair inspect network.h5 --json`,
		Args: exactlyOne("study or model"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if r.Path, r.Data, r.Seed = args[0], app.Data, app.Seed; scores == "" {
				_, err = ask(cmd.Context(), app, inspect.Answer, r)
			} else {
				_, err = ask(cmd.Context(), app, reconcile.Answer, reconcile.Request{Request: r, Scores: scores})
			}
			return err
		},
	}
	cmd.Flags().StringVar(&r.Model, "model", "", "use this model instead of the study's: a file, or the name of a model next to the study's own")
	cmd.Flags().StringVar(&r.Threshold, "threshold", "", thresholdHelp)
	cmd.Flags().StringSliceVar(&r.Rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
	cmd.Flags().StringVar(&scores, "scores", "", "compare the scores with those of this CSV file, one per row, in the same order")
	return cmd
}
