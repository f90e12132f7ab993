package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Train fits a network to the rows x, each a vector of network inputs (see
// space.NetworkInputs), and their labels y, 0 or 1. The network's weights are
// float32 values. progress, if not nil, is called after each epoch from the
// calling goroutine.
//
// When ctx ends, Train stops within one batch and returns the best network of
// the epochs completed so far, its report and ctx's error; the network is nil
// if no epoch was completed. Every other error comes without a network: input
// that cannot be trained on, ErrOneClass, ErrDiverged.
//
// Train does not change or keep x and y. Calls may run concurrently.
func Train(ctx context.Context, c Config, x [][]float64, y []int, progress func(Epoch)) (*relu.Network, Report, error) {
	begin := time.Now()
	c, err := c.withDefaults()
	if err != nil {
		return nil, Report{}, fmt.Errorf("train: %w", err)
	}
	if err := checkData(x, y); err != nil {
		return nil, Report{}, fmt.Errorf("train: %w", err)
	}
	if err := c.checkStart(len(x[0])); err != nil {
		return nil, Report{}, fmt.Errorf("train: %w", err)
	}
	hidden := c.Hidden
	if c.Start != nil {
		hidden = widths(c.Start)
	}
	if err := errors.Join(checkSize(len(x[0]), hidden), checkHeld(c.Held, len(x))); err != nil {
		return nil, Report{}, fmt.Errorf("train: %w", err)
	}
	r := newRun(c, x, y)
	if err := r.checkClasses(); err != nil {
		return nil, Report{}, fmt.Errorf("train: %w", err)
	}
	epochs, stopped := r.epochs(ctx, progress)
	if stopped != nil && (ctx.Err() == nil || r.best == nil) {
		return nil, Report{}, fmt.Errorf("train: %w", stopped)
	}
	r.model.parameters = rounded(r.best)
	n, err := r.model.network()
	if err != nil {
		return nil, Report{}, fmt.Errorf("train: %w", err)
	}
	report := r.report()
	report.Epochs = epochs
	report.Elapsed = time.Since(begin)
	return n, report, stopped
}

// run is the state of one training run.
type run struct {
	Config
	x           [][]float64
	y           []int
	train, held []int // row numbers; train in the order of the current epoch
	rng         *rand.Rand
	groups      *rand.Rand
	slopes      []float64 // of the latest group
	model       *model
	optimiser   *adam
	gradient    []float64
	best        []float64 // parameters of the best epoch so far; nil before the first
	bestEpoch   int
	bestLoss    float64
}

// The second half of the PCG's seed separates the streams of a run: draws for
// one purpose never depend on draws for another.
const (
	streamSplit = iota + 1
	streamWeights
	streamOrder
	streamGroups
	streamHeldGroups
)

func newRun(c Config, x [][]float64, y []int) *run {
	r := &run{Config: c, x: x, y: y}
	rows := make([]int, len(x))
	for i := range rows {
		rows[i] = i
	}
	if c.HeldBack > 0 {
		r.stream(streamSplit).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		n := min(max(int(float64(c.HeldBack*float64(len(rows)))), 1), len(rows)-1)
		r.held, rows = rows[:n], rows[n:]
		slices.Sort(r.held)
		slices.Sort(rows)
	}
	if len(c.Held) > 0 {
		r.held = slices.Clone(c.Held)
		rows = slices.DeleteFunc(rows, func(i int) bool { _, held := slices.BinarySearch(c.Held, i); return held })
	}
	r.train = rows
	if c.Start != nil {
		r.model = startFrom(c.Start)
	} else {
		r.model = newModel(len(x[0]), c.Hidden, r.stream(streamWeights))
	}
	r.rng, r.groups = r.stream(streamOrder), r.stream(streamGroups)
	r.optimiser = newAdam(len(r.model.parameters))
	r.gradient = make([]float64, len(r.model.parameters))
	return r
}

func (r *run) stream(purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(r.Seed), purpose))
}

// checkClasses returns an error unless the training rows have both labels.
func (r *run) checkClasses() error {
	positive := 0
	for _, i := range r.train {
		positive += r.y[i]
	}
	if positive == 0 || positive == len(r.train) {
		return fmt.Errorf("%w: all %d have label %d", ErrOneClass, len(r.train), r.y[r.train[0]])
	}
	return nil
}

// epochs runs the passes and counts the completed ones.
func (r *run) epochs(ctx context.Context, progress func(Epoch)) (int, error) {
	rate := r.LearningRate
	for number := 1; number <= r.Epochs; number++ {
		r.rng.Shuffle(len(r.train), func(i, j int) { r.train[i], r.train[j] = r.train[j], r.train[i] })
		loss, err := r.pass(ctx, rate)
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("%w in epoch %d", err, number)
			}
			return number - 1, err
		}
		e := Epoch{Number: number, TrainLoss: loss}
		e.HeldLoss, _ = r.measure(r.held)
		e.HeldSpread = r.meanSpread(r.held)
		if aim := e.HeldLoss + e.HeldSpread; len(r.held) == 0 || r.best == nil || aim < r.bestLoss {
			r.best = append(r.best[:0], r.model.parameters...)
			r.bestEpoch, r.bestLoss = number, aim
		}
		if progress != nil {
			progress(e)
		}
		if r.Patience > 0 && number-r.bestEpoch >= r.Patience {
			return number, nil
		}
		rate = float64(rate * r.Decay)
	}
	return r.Epochs, nil
}

// pass takes one step per batch over all rows and returns their mean loss.
func (r *run) pass(ctx context.Context, rate float64) (float64, error) {
	total, spread := 0.0, 0.0
	for batch := range slices.Chunk(r.train, r.Batch) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		clear(r.gradient)
		share := 1 / float64(len(batch))
		for _, i := range batch {
			loss, slope := r.Loss(r.model.logit(r.x[i]), r.y[i])
			total += loss
			r.model.addGradient(r.gradient, r.x[i], float64(slope*share))
			if r.Consistency.on() {
				spread += r.addSpread(i, share)
			}
		}
		if all := total + spread; math.IsNaN(all) || math.IsInf(all, 0) {
			return 0, fmt.Errorf("%w: the loss is %v; try a learning rate below %v, or scale the inputs to about −1 to 1",
				ErrDiverged, all, r.LearningRate)
		}
		if r.L2 > 0 {
			r.model.addPenalty(r.gradient, r.L2)
		}
		r.optimiser.step(r.model.parameters, r.gradient, rate)
	}
	return total / float64(len(r.train)), nil
}

// report measures the current model on both kinds of rows.
func (r *run) report() Report {
	rep := Report{Best: r.bestEpoch, TrainRows: len(r.train), HeldRows: len(r.held)}
	rep.TrainLoss, rep.TrainAccuracy = r.measure(r.train)
	rep.HeldLoss, rep.HeldAccuracy = r.measure(r.held)
	return rep
}

// measure returns the mean loss of the rows and the share that the model gets
// right; both are NaN without rows.
func (r *run) measure(rows []int) (loss, accuracy float64) {
	right := 0
	for _, i := range rows {
		logit := r.model.logit(r.x[i])
		value, _ := r.Loss(logit, r.y[i])
		loss += value
		border := r.Border
		if r.Borders != nil {
			border = r.Borders[i]
		}
		if (logit > border) == (r.y[i] == 1) {
			right++
		}
	}
	count := float64(len(rows))
	return loss / count, float64(right) / count
}

// Measure returns the mean cross-entropy of a network's logits and its accuracy,
// a share from 0 to 1, on rows of network inputs and their labels. A logit above
// its row's border predicts a label of 1. Both are NaN without rows.
func Measure(n *relu.Network, borders []float64, x [][]float64, y []int) (loss, accuracy float64) {
	right := 0
	for i, row := range x {
		logit := n.Logit(row)
		value, _ := CrossEntropy(logit, y[i])
		loss += value
		if (logit > borders[i]) == (y[i] == 1) {
			right++
		}
	}
	count := float64(len(x))
	return loss / count, float64(right) / count
}
