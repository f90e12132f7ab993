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
constraints allow at one individual. Accuracy is the share of rows whose label
the network gets right, deciding where the score is above 0.5.

--scores holds the network's scores, row by row, against those that your own
pipeline gave: where they differ, the study says something else about the inputs.

A study whose data set is not there is shown without rows and accuracy.`,
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
	cmd.Flags().StringVar(&r.Model, "model", "", "use this model in place of the study's: a file, or a name beside the study's own")
	cmd.Flags().StringVar(&r.Threshold, "threshold", "", thresholdHelp)
	cmd.Flags().StringSliceVar(&r.Rules, "rules", nil, "constraints to switch on by name, or all, or none (default: as the study says)")
	cmd.Flags().StringVar(&scores, "scores", "", "hold the scores against those of this CSV file, one for each row, in the same order")
	return cmd
}
