package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/train"
)

func init() { commands = append(commands, newTrain) }

func newTrain(app *App) *cobra.Command {
	var r train.Request
	cmd := &cobra.Command{
		Use:   "train STUDY",
		Short: "Train a network on a study's data",
		Long: `Train a fully connected ReLU network with one sigmoid output on the rows that the
study does not hold back, with Adam and binary cross-entropy, and write it in the
program's own JSON format. The same seed, data and flags give the same file, on
any machine. The study's own network is neither needed nor read.

With --hold-back, a share of the training rows is set aside, and the network of
the epoch that does best on it is kept; the rows that the study itself holds back are
never trained on, and measure how good the network is on people it has not seen.`,
		Example: `  hyfair train studies/loan --hidden 16,8 --epochs 50 --out network.json
  hyfair train studies/adult.yaml --hidden 64,32 --hold-back 0.1 --patience 10 --out adult.json --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Study, r.Data, r.Config.Seed = args[0], app.Data, app.Seed
			return runTrain(cmd.Context(), app, r)
		},
	}
	fl, c := cmd.Flags(), &r.Config
	fl.IntSliceVar(&c.Hidden, "hidden", []int{16, 8}, "neurons of each hidden layer, the one nearest to the inputs first")
	fl.IntVar(&c.Epochs, "epochs", 100, "passes over the rows")
	fl.IntVar(&c.Batch, "batch", 32, "rows per step")
	fl.Float64Var(&c.LearningRate, "rate", train.DefaultLearningRate, "Adam's step size in the first epoch")
	fl.Float64Var(&c.Decay, "decay", 1, "factor on the step size after each epoch")
	fl.Float64Var(&c.L2, "l2", 0, "strength of the penalty on squared weights")
	fl.Float64Var(&c.HeldBack, "hold-back", 0, "share of the training rows set aside to choose the best epoch by")
	fl.IntVar(&c.Patience, "patience", 0, "stop after that many epochs without a better one; 0: never")
	fl.StringVar(&r.Out, "out", "", "file to write the network to (required)")
	return cmd
}

func runTrain(ctx context.Context, app *App, r train.Request) error {
	out, err := ask(ctx, app, train.Answer, r)
	return app.interruptedIf(out != nil && out.Interrupted, err)
}
