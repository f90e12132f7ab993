package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
)

func init() { commands = append(commands, newInit) }

func newInit(app *App) *cobra.Command {
	var r draft.Request
	class, ask := -1, false
	cmd := &cobra.Command{
		Use:   "init DATA.csv [MODEL]",
		Short: "Draft the study of a model and a CSV file",
		Long: `Draft a study: how the file is written, what its columns hold, which is the label, and
how they become the model's inputs. Each guess has a comment in the file that says how
sure it is and why. What is protected is never guessed: name it with --protected.

The encoding of the inputs is read from the model's file if that contains it, as ONNX of an
entire scikit-learn Pipeline does. It can also be solved from --inputs, a CSV file with the
model's inputs for the same rows, or --scores, one with its scores, and then holds for
every row. Without either it is the encoding that fits the labels best.

The rows of --scores and --inputs are those of the CSV file in its order: all of them, or
those without a missing value. With several columns of scores, the last numeric one counts,
and every row needs a number in it. An input of trees may be empty if the value is missing.
docs/user/your-model.md goes through an example.`,
		Example: `  hyfair init people.csv model.onnx --protected sex,age
  hyfair init people.csv model.onnx --scores scores.csv --protected sex --out people.yaml
  hyfair init adult.data model.json --columns age,workclass,fnlwgt,education --label income`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage(fmt.Errorf("init wants a CSV file and perhaps a model's, got %d arguments; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&r.Protected, "protected", nil, "columns to protect (default: none; comments in the study suggest some)")
	fl.StringVar(&r.Label, "label", "", "column of the label (default: guessed)")
	fl.StringSliceVar(&r.Positive, "positive", nil, "values of the label that count as 1 (default: guessed)")
	fl.StringSliceVar(&r.Columns, "columns", nil, "names for the columns of a file that does not begin with them")
	fl.StringVar(&r.Scores, "scores", "", "CSV file with the model's scores of the rows, written by your own pipeline")
	fl.StringVar(&r.Inputs, "inputs", "", "CSV file with the model's inputs for the rows, written by your own pipeline")
	fl.StringVar(&r.Output, "output", "", "name of the output to use, if an ONNX file has several")
	fl.IntVar(&class, "class", -1, "class whose probability the score is, counted from 0 (default: 1 of two)")
	fl.StringVar(&r.Out, "out", "study.yaml", "study file to write")
	fl.BoolVar(&r.Force, "force", false, "replace an existing file, and keep its contents as FILE.old1, or under the next free number")
	fl.BoolVar(&ask, "ask", false, "ask for the label and the columns to protect, with guesses as default answers")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r.Data, r.Seed = args[0], app.Seed
		if len(args) == 2 {
			r.Model = args[1]
		}
		if class >= 0 {
			r.Class = &class
		}
		if ask {
			if err := app.askAbout(&r); err != nil {
				return usageIf(err)
			}
		}
		return asking(app, reconcile.Draft, &r, func([]string) {})(cmd, args)
	}
	return cmd
}
