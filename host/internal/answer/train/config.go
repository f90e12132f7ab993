package train

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Config says how to train. A zero field means its default. Without Hidden, the
// result is logistic regression.
type Config struct {
	// Hidden lists the widths of the hidden layers, the one nearest to the inputs first.
	Hidden []int
	// Start, if not nil, is the network whose weights training starts from;
	// Hidden is then empty. Two softmax units become one sigmoid unit (OneLogit),
	// and the network returned has float32 weights whatever the precision of Start.
	Start *relu.Network `json:"-"`
	// Border is the logit above which the network predicts a label of 1, for accuracies.
	Border float64 `json:",omitempty"`
	// Borders has such a logit for each row, in place of Border, if they depend on the row.
	Borders []float64 `json:"-"`
	// Epochs is the number of passes over the rows, by default 100.
	Epochs int
	// Batch is the number of rows per step, by default 32.
	Batch int
	// LearningRate is Adam's step size in the first epoch, by default
	// DefaultLearningRate.
	LearningRate float64
	// Decay multiplies the learning rate after each epoch: in (0, 1], by
	// default 1.
	Decay float64
	// L2 is the strength λ of the penalty (λ/2)·‖weights‖² that is added to the mean loss; 0: no
	// penalty.
	L2 float64
	// HeldBack is the share of the rows, in [0, 1), that are drawn at random
	// and not trained on. Train then returns the network of the epoch with the
	// least loss on them, otherwise that of the last epoch.
	HeldBack float64
	// Held lists the rows held back, increasing, in place of HeldBack's share.
	Held []int `json:"-"`
	// Patience ends training after that many epochs without a new least loss
	// on the rows held back; 0 never does.
	Patience int
	// Seed decides the first weights, the rows held back and the order of the
	// training rows in every epoch.
	Seed int64
	// Loss is CrossEntropy by default.
	Loss Loss `json:"-"`
	// Consistency is off by default. With rows held back, the epoch with the
	// least sum of loss and penalty is chosen.
	Consistency Consistency
}

// Epoch is the progress of a run after one pass over the rows.
type Epoch struct {
	Number int // from 1
	// TrainLoss is the mean loss of the rows, each before its own step of the
	// epoch, without the L2 penalty.
	TrainLoss float64
	// HeldLoss is the mean loss of the rows held back after the epoch; NaN
	// without such rows.
	HeldLoss float64
	// HeldSpread is the mean penalty of Consistency on the rows held back; 0
	// without a penalty or such rows.
	HeldSpread float64
}

// Report says how a run went. Losses and accuracies are measured with the returned network, whose
// weights are rounded, over all training rows or all rows held back; the latter are NaN without
// rows held back.
type Report struct {
	// Epochs is the number completed. The network is that of epoch Best, bit for
	// bit the network of a run of Best epochs.
	Epochs, Best                int
	TrainRows, HeldRows         int
	TrainLoss, HeldLoss         float64 // mean per row, without the L2 penalty
	TrainAccuracy, HeldAccuracy float64 // shares, 0 to 1
	Elapsed                     time.Duration
}

// ErrOneClass says that all training rows have the same label, so there is nothing to
// learn.
var ErrOneClass = errors.New("only one class in the training rows")

// ErrDiverged says that a loss is no longer finite.
var ErrDiverged = errors.New("training diverged")

// maxParameters bounds the size of a network in training, which keeps five
// numbers for each parameter.
const maxParameters = 1 << 24

// withDefaults sets the defaults and checks the fields.
func (c Config) withDefaults() (Config, error) {
	if c.Epochs == 0 {
		c.Epochs = 100
	}
	if c.Batch == 0 {
		c.Batch = 32
	}
	if c.LearningRate == 0 {
		c.LearningRate = DefaultLearningRate
	}
	if c.Decay == 0 {
		c.Decay = 1
	}
	if c.Loss == nil {
		c.Loss = CrossEntropy
	}
	for k, width := range c.Hidden {
		if width < 1 || width > relu.MaxUnits {
			return c, fmt.Errorf("hidden layer %d: %d neurons; want 1 to %d", k+1, width, relu.MaxUnits)
		}
	}
	switch {
	case c.Epochs < 0:
		return c, fmt.Errorf("%d epochs; want at least 1", c.Epochs)
	case c.Batch < 0:
		return c, fmt.Errorf("batches of %d rows; want at least 1", c.Batch)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 0):
		return c, fmt.Errorf("learning rate %v; want a finite number above 0", c.LearningRate)
	case !(c.Decay > 0 && c.Decay <= 1):
		return c, fmt.Errorf("decay %v; want a factor above 0, at most 1", c.Decay)
	case !(c.L2 >= 0) || math.IsInf(c.L2, 0):
		return c, fmt.Errorf("L2 penalty %v; want a finite number, 0 or more", c.L2)
	case !(c.HeldBack >= 0 && c.HeldBack < 1):
		return c, fmt.Errorf("share %v held back; want 0 or more, below 1", c.HeldBack)
	case c.Patience < 0:
		return c, fmt.Errorf("patience of %d epochs; want 0 or more", c.Patience)
	case c.HeldBack > 0 && len(c.Held) > 0:
		return c, errors.New("rows held back by share and by list: give one of the two")
	case !(c.Consistency.Weight >= 0) || math.IsInf(c.Consistency.Weight, 0):
		return c, fmt.Errorf("consistency weight %v; want a finite number, 0 or more", c.Consistency.Weight)
	case c.Patience > 0 && c.HeldBack == 0 && len(c.Held) == 0:
		return c, errors.New("patience needs rows held back to measure on: hold some back, or set it to 0")
	}
	return c, nil
}

// Validate checks the fields, as Train does.
func (c Config) Validate() error {
	_, err := c.withDefaults()
	return err
}

// checkData refuses rows that cannot be trained on.
func checkData(x [][]float64, y []int) error {
	if len(x) == 0 {
		return errors.New("no rows to train on")
	}
	if len(x) != len(y) {
		return fmt.Errorf("%d rows but %d labels", len(x), len(y))
	}
	inputs := len(x[0])
	if inputs == 0 || inputs > relu.MaxUnits {
		return fmt.Errorf("rows have %d inputs; want 1 to %d", inputs, relu.MaxUnits)
	}
	for i, row := range x {
		if len(row) != inputs {
			return fmt.Errorf("row %d has %d inputs, the rows before it %d", i, len(row), inputs)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d, input %d is %v; want a finite number", i, j, v)
			}
		}
		if y[i] != 0 && y[i] != 1 {
			return fmt.Errorf("row %d has label %d; want 0 or 1", i, y[i])
		}
	}
	return nil
}

// checkHeld refuses a list of rows held back that is not increasing, or leaves
// no row to train on.
func checkHeld(held []int, rows int) error {
	for k, i := range held {
		if i < 0 || i >= rows || k > 0 && i <= held[k-1] {
			return fmt.Errorf("row %d held back: want rows 0 to %d, increasing", i, rows-1)
		}
	}
	if len(held) == rows {
		return fmt.Errorf("all %d rows are held back; none is left to train on", rows)
	}
	return nil
}

// checkSize refuses a network too large to train here.
func checkSize(inputs int, hidden []int) error {
	total, in := 0, inputs
	for _, out := range append(append([]int(nil), hidden...), 1) {
		total += (in + 1) * out // at most 2^32 + 2^16 each, so no overflow before the check
		if total > maxParameters {
			return fmt.Errorf("more than %d weights and biases: choose smaller hidden layers", maxParameters)
		}
		in = out
	}
	return nil
}
