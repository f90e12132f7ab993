package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newTrain) }

type trainFlags struct {
	config train.Config
	out    string
}

func newTrain(app *App) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train STUDY",
		Short: "Train a network on a study's data",
		Long: `Train a fully connected ReLU network with one sigmoid output on the rows that the
study does not hold back, with Adam and binary cross-entropy, and write it in the
program's own JSON format. The same seed, data and flags give the same file, on
any machine. The study's own network is neither needed nor looked at.

With --hold-back, a share of the training rows is set aside, and the network of
the epoch that does best on it is kept; the rows that the study itself holds back
never take part, and say how good the network is on people it has not seen.`,
		Example: `  hyfair train studies/loan --hidden 16,8 --epochs 50 --out network.json
  hyfair train studies/adult.yaml --hidden 64,32 --hold-back 0.1 --patience 10 --out adult.json --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error { return runTrain(cmd.Context(), app, &f, args[0]) },
	}
	fl, c := cmd.Flags(), &f.config
	fl.IntSliceVar(&c.Hidden, "hidden", []int{16, 8}, "neurons of each hidden layer, from the inputs on")
	fl.IntVar(&c.Epochs, "epochs", 100, "passes over the rows")
	fl.IntVar(&c.Batch, "batch", 32, "rows a step looks at")
	fl.Float64Var(&c.LearningRate, "rate", train.DefaultLearningRate, "Adam's step size in the first epoch")
	fl.Float64Var(&c.Decay, "decay", 1, "factor on the step size after each epoch")
	fl.Float64Var(&c.L2, "l2", 0, "strength of the penalty on squared weights")
	fl.Float64Var(&c.HeldBack, "hold-back", 0, "share of the training rows set aside to choose the best epoch by")
	fl.IntVar(&c.Patience, "patience", 0, "stop after that many epochs without a better one; 0: never")
	fl.StringVar(&f.out, "out", "", "file to write the network to (required)")
	return cmd
}

// trainReport is the JSON object of train. Accuracies are per cent; a null
// stands for what there are no rows to measure on.
type trainReport struct {
	Study string `json:"study"`
	// Model is the file written.
	Model   string  `json:"model"`
	Seed    int64   `json:"seed"`
	Seconds float64 `json:"seconds"`
	// Epochs were completed, and the network is that of epoch Best.
	Epochs      int  `json:"epochs"`
	Best        int  `json:"best_epoch"`
	Interrupted bool `json:"interrupted"`
	// Train are the rows trained on, HoldBack those of --hold-back, Test those
	// that the study holds back.
	Train    rowsReport        `json:"train"`
	HoldBack rowsReport        `json:"hold_back"`
	Test     rowsReport        `json:"test"`
	Network  modelfile.Summary `json:"network"`
}

type rowsReport struct {
	Rows     int      `json:"rows"`
	Loss     *float64 `json:"loss"`
	Accuracy *float64 `json:"accuracy"`
}

func measuredRows(rows int, loss, accuracy float64) rowsReport {
	r := rowsReport{Rows: rows}
	if rows > 0 {
		percent := 100 * accuracy
		r.Loss, r.Accuracy = &loss, &percent
	}
	return r
}

func runTrain(ctx context.Context, app *App, f *trainFlags, path string) error {
	begin := time.Now()
	if err := f.validate(); err != nil {
		return usage(err)
	}
	f.config.Seed = app.Seed
	st, err := study.Load(path, study.Options{DataRoot: app.Data, NoModel: true})
	if err != nil {
		return usage(err)
	}
	data, err := st.Data()
	if err != nil {
		return usage(err)
	}
	if data.Labels == nil {
		return usage(fmt.Errorf("%s: training needs labels, and the data has none", st.Path))
	}
	if err := insideTables(st.Space, data); err != nil {
		return usage(err)
	}
	x, y := networkRows(st.Space, data, data.Train())
	line := newStatusLine(app)
	n, result, err := train.Train(ctx, f.config, x, y, func(e train.Epoch) {
		text := fmt.Sprintf("epoch %d of %d, loss %.4f", e.Number, f.config.Epochs, e.TrainLoss)
		if !math.IsNaN(e.HeldLoss) {
			text += fmt.Sprintf(", on the rows set aside %.4f", e.HeldLoss)
		}
		line.show(text)
	})
	line.clear()
	interrupted := ctx.Err() != nil && err != nil
	switch {
	case interrupted && n == nil:
		return &exitError{ExitInterrupted, errors.New("interrupted before the end of the first epoch; nothing is written")}
	case errors.Is(err, train.ErrOneClass):
		return usage(err)
	case err != nil && !interrupted:
		return err
	}
	if err := writeNetwork(f.out, n); err != nil {
		return fmt.Errorf("--out: %w", err)
	}

	x, y = networkRows(st.Space, data, data.Test)
	report := &trainReport{
		Study: st.Name, Model: f.out, Seed: app.Seed, Seconds: time.Since(begin).Seconds(),
		Epochs: result.Epochs, Best: result.Best, Interrupted: interrupted,
		Train:    measuredRows(result.TrainRows, result.TrainLoss, result.TrainAccuracy),
		HoldBack: measuredRows(result.HeldRows, result.HeldLoss, result.HeldAccuracy),
		Network:  modelfile.Summarise(n),
	}
	loss, accuracy := train.Measure(n, x, y)
	report.Test = measuredRows(len(x), loss, accuracy)
	if !app.JSON {
		report.print(app.Stdout)
	} else if err := app.printJSON(report); err != nil {
		return err
	}
	if interrupted {
		return &exitError{code: ExitInterrupted}
	}
	return nil
}

func (f *trainFlags) validate() error {
	if f.out == "" {
		return errors.New("--out FILE is required: where to write the network")
	}
	if err := f.config.Validate(); err != nil {
		return err
	}
	if stat, err := os.Stat(filepath.Dir(f.out)); err != nil || !stat.IsDir() {
		return fmt.Errorf("--out %s: there is no folder %s", f.out, filepath.Dir(f.out))
	}
	return nil
}

// insideTables refuses data that the features' tables, such as one-hot inputs,
// have no entry for.
func insideTables(s *space.Space, data *people.Data) error {
	for i := range s.Features {
		f := &s.Features[i]
		for row, point := range data.Points {
			if f.HasTable() && !f.Contains(point[i]) {
				file, line := data.Where(row)
				return fmt.Errorf("%s:%d: %s is %v, outside its domain %v..%v: widen the domain in the study, or drop the row",
					file, line, f.Name, point[i], f.Lo, f.Hi)
			}
		}
	}
	return nil
}

// networkRows gives the network's inputs and the labels of some rows.
func networkRows(s *space.Space, data *people.Data, rows []int) (x [][]float64, y []int) {
	for _, i := range rows {
		x = append(x, s.NetworkInputs(nil, data.Points[i]))
		y = append(y, data.Labels[i])
	}
	return x, y
}

// writeNetwork writes the file in one go, so that a network that is there
// already is replaced whole or not at all.
func writeNetwork(path string, n *relu.Network) error {
	return files.Write(path, func(file *os.File) error { return modelfile.WriteJSON(file, n) })
}

func (r *trainReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d inputs", r.Model, r.Network.Inputs)
	for _, l := range r.Network.Layers {
		fmt.Fprintf(w, " → %d", l.Units)
	}
	fmt.Fprintf(w, ", %d weights and biases\n", r.Network.Parameters)
	fmt.Fprintf(w, "epoch %d of %d completed, %s, seed %d", r.Best, r.Epochs, view.Seconds(r.Seconds), r.Seed)
	if r.Interrupted {
		fmt.Fprint(w, "; interrupted, this is the best so far")
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "\n%-22s %8s %10s %10s\n", "", "rows", "loss", "accuracy")
	for _, part := range []struct {
		name string
		rows rowsReport
	}{{"trained on", r.Train}, {"set aside", r.HoldBack}, {"held back by the study", r.Test}} {
		if part.rows.Rows > 0 {
			fmt.Fprintf(w, "%-22s %8d %10.4f %8.2f %%\n", part.name, part.rows.Rows, *part.rows.Loss, *part.rows.Accuracy)
		}
	}
}
