package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Request asks for a network trained on a study's data.
type Request struct {
	Study string `json:"study"`
	// Data is the folder of paths that begin with data:.
	Data string `json:"data,omitempty"`
	// Config says how to train; its Start must be nil and its Held empty.
	Config Config `json:"config"`
	// Out is the file to write the network to. It does not change the result.
	Out string `json:"-"`
}

// Validate checks what can be checked without reading anything but folders.
func (r *Request) Validate() error {
	if r.Out == "" {
		return errors.New("--out FILE is required: where to write the network")
	}
	if err := r.Config.Validate(); err != nil {
		return err
	}
	if stat, err := os.Stat(filepath.Dir(r.Out)); err != nil || !stat.IsDir() {
		return fmt.Errorf("--out %s: there is no folder %s", r.Out, filepath.Dir(r.Out))
	}
	return nil
}

// Result is the answer to a Request and the JSON object of hyfair train. Accuracies are per
// cent; null without rows to measure them.
type Result struct {
	// The study's name.
	Study string `json:"study"`
	// The file written.
	Model string `json:"model"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The number of epochs completed.
	Epochs int `json:"epochs"`
	// The epoch whose network was kept.
	Best int `json:"best_epoch"`
	// A signal ended the training early.
	Interrupted bool `json:"interrupted"`
	// The rows trained on.
	Train Rows `json:"train"`
	// The rows set aside by --hold-back.
	HoldBack Rows `json:"hold_back"`
	// The rows that the study holds back.
	Test Rows `json:"test"`
	// The network.
	Network modelfile.Summary `json:"network"`
}

// Rows measures the network on some rows.
type Rows struct {
	// The number of rows.
	Rows int `json:"rows"`
	// The mean cross-entropy; null without rows.
	Loss *float64 `json:"loss"`
	// The accuracy in per cent; null without rows.
	Accuracy *float64 `json:"accuracy"`
}

// Answer trains a network and writes it. After an interrupt, this is the best network so far.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	st, data, err := r.open()
	if err != nil {
		return nil, session.Mistake(err)
	}
	s.Work()
	_, r.Config.Border = st.Rule.Border(fairness.LinkSigmoid)
	x, y, borders := inputs(st, data, data.Train())
	if st.Rule.Groups != nil {
		r.Config.Borders = borders
	}
	n, report, err := Train(ctx, r.Config, x, y, func(e Epoch) {
		text := fmt.Sprintf("epoch %d of %d, loss %.4f", e.Number, r.Config.Epochs, e.TrainLoss)
		if !math.IsNaN(e.HeldLoss) {
			text += fmt.Sprintf(", on the rows set aside %.4f", e.HeldLoss)
		}
		s.Show(text)
	})
	interrupted := ctx.Err() != nil && err != nil
	switch {
	case interrupted && n == nil:
		return nil, errors.New("interrupted before the end of the first epoch; nothing is written")
	case errors.Is(err, ErrOneClass):
		return nil, session.Mistake(err)
	case err != nil && !interrupted:
		return nil, err
	}
	if err := files.Write(r.Out, func(file *os.File) error { return modelfile.WriteJSON(file, n) }); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	if err := study.KeepTrained(r.Study, study.Options{DataRoot: r.Data, Model: r.Out}); err != nil {
		s.Note("cannot record that the model was trained on the study's inputs: %v", err)
	}
	x, y, borders = inputs(st, data, data.Test)
	loss, accuracy := Measure(n, borders, x, y)
	return &Result{
		Study: st.Name, Model: r.Out, Seed: r.Config.Seed, Seconds: time.Since(s.Begun).Seconds(),
		Epochs: report.Epochs, Best: report.Best, Interrupted: interrupted,
		Train:    measured(report.TrainRows, report.TrainLoss, report.TrainAccuracy),
		HoldBack: measured(report.HeldRows, report.HeldLoss, report.HeldAccuracy),
		Test:     measured(len(x), loss, accuracy),
		Network:  modelfile.Summarise(n),
	}, nil
}

// open reads the study's data.
func (r *Request) open() (*study.Study, *people.Data, error) {
	if err := r.Validate(); err != nil {
		return nil, nil, err
	}
	st, err := study.Load(r.Study, study.Options{DataRoot: r.Data, NoModel: true})
	if err != nil {
		return nil, nil, err
	}
	data, err := st.Data()
	switch {
	case err != nil:
	case data.Labels == nil:
		err = fmt.Errorf("%s: training needs labels: add the key label to the study's data", st.Path)
	default:
		err = data.InsideTables(st.Space)
	}
	return st, data, err
}

// inputs returns the network's inputs and the labels of some rows.
func inputs(st *study.Study, data *people.Data, rows []int) (x [][]float64, y []int, borders []float64) {
	var points [][]float64
	for _, i := range rows {
		points = append(points, data.Points[i])
		x = append(x, st.Space.NetworkInputs(nil, data.Points[i]))
		y = append(y, data.Labels[i])
	}
	return x, y, individual.Borders(st.Rule, fairness.LinkSigmoid, st.Space, points)
}

func measured(rows int, loss, accuracy float64) Rows {
	r := Rows{Rows: rows}
	if rows > 0 {
		percent := 100 * accuracy
		r.Loss, r.Accuracy = &loss, &percent
	}
	return r
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	shape := fmt.Sprintf("%s: %d inputs", r.Model, r.Network.Inputs)
	for _, l := range r.Network.Layers {
		shape += fmt.Sprintf(" → %d", l.Units)
	}
	shape += fmt.Sprintf(", %d weights and biases", r.Network.Parameters)
	course := fmt.Sprintf("epoch %d of %d completed, %s, seed %d", r.Best, r.Epochs, view.Seconds(r.Seconds), r.Seed)
	if r.Interrupted {
		course += "; interrupted, this is the best so far"
	}
	t := &view.Table{Plain: true, Columns: []view.Column{
		{Width: 22}, {Title: "rows", Right: true, Width: 7}, {Title: "loss", Right: true, Width: 9}, {Title: "accuracy", Right: true, Width: 9},
	}}
	for i, rows := range []Rows{r.Train, r.HoldBack, r.Test} {
		if rows.Rows > 0 {
			t.Add([]string{"trained on", "set aside", "held back by the study"}[i],
				strconv.Itoa(rows.Rows), view.Number(rows.Loss, 4), view.Number(rows.Accuracy, 2)+" %")
		}
	}
	return view.Of(view.Paragraph{shape, course}, t)
}
