package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// xor is n points of the square [−1, 1]², labelled by whether their signs
// differ: no network without a hidden layer learns it.
func xor(n int, seed uint64) (x [][]float64, y []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range n {
		a, b := 2*rng.Float64()-1, 2*rng.Float64()-1
		x = append(x, []float64{a, b})
		if a*b < 0 {
			y = append(y, 1)
		} else {
			y = append(y, 0)
		}
	}
	return x, y
}

var xorConfig = Config{Hidden: []int{16}, Epochs: 60, LearningRate: 0.01, Batch: 16, Seed: 1}

func mustTrain(t *testing.T, c Config, x [][]float64, y []int) (*relu.Network, Report) {
	t.Helper()
	n, report, err := Train(context.Background(), c, x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n, report
}

func accuracy(n *relu.Network, x [][]float64, y []int) float64 {
	right := 0
	for i, row := range x {
		if (n.Logit(row) > 0) == (y[i] == 1) {
			right++
		}
	}
	return float64(right) / float64(len(x))
}

func TestLearnsXOR(t *testing.T) {
	x, y := xor(800, 1)
	n, report := mustTrain(t, xorConfig, x, y)
	unseenX, unseenY := xor(2000, 2)
	if a := accuracy(n, unseenX, unseenY); a < 0.95 {
		t.Errorf("accuracy on unseen points is %.3f, want at least 0.95", a)
	}
	if a := accuracy(n, x, y); a != report.TrainAccuracy {
		t.Errorf("report says accuracy %v, the network has %v", report.TrainAccuracy, a)
	}
	if report.Epochs != 60 || report.Best != 60 || report.TrainRows != 800 || report.HeldRows != 0 {
		t.Errorf("report: %+v", report)
	}
	if !math.IsNaN(report.HeldLoss) || !math.IsNaN(report.HeldAccuracy) {
		t.Errorf("no rows held back, but loss %v and accuracy %v", report.HeldLoss, report.HeldAccuracy)
	}
}

func TestWithoutHiddenLayersIsLogisticRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	var x [][]float64
	var y []int
	for range 20000 {
		v := 4*rng.Float64() - 2
		x = append(x, []float64{v})
		label := 0
		if rng.Float64() < fairness.Sigmoid(1.5*v-0.5) {
			label = 1
		}
		y = append(y, label)
	}
	n, _ := mustTrain(t, Config{Epochs: 40, LearningRate: 0.01, Decay: 0.85}, x, y)
	// Standard errors at this size are about 0.03 and 0.02.
	if w, b := n.Layers[0].Weights[0], n.Layers[0].Bias[0]; math.Abs(w-1.5) > 0.1 || math.Abs(b+0.5) > 0.08 {
		t.Errorf("learnt σ(%.3f·v %+.3f), the labels were drawn from σ(1.5·v − 0.5)", w, b)
	}
}

func TestShapeAndPrecision(t *testing.T) {
	x, y := xor(100, 1)
	n, _ := mustTrain(t, Config{Hidden: []int{5, 3}, Epochs: 2}, x, y)
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	if n.Head != relu.HeadSigmoid || n.Precision != 32 || n.Inputs() != 2 || n.Neurons() != 8 {
		t.Errorf("head %v, precision %d, %d inputs, %d neurons", n.Head, n.Precision, n.Inputs(), n.Neurons())
	}
	for _, l := range n.Layers {
		for _, w := range append(append([]float64(nil), l.Weights...), l.Bias...) {
			if float64(float32(w)) != w {
				t.Fatalf("layer %s: %v is no float32", l.Name, w)
			}
		}
	}
}

func TestSameSeedSameBits(t *testing.T) {
	x, y := xor(200, 1)
	c := Config{Hidden: []int{8, 4}, Epochs: 10, HeldBack: 0.2, L2: 1e-3, Seed: 7}
	want, wantReport := mustTrain(t, c, x, y)
	wantReport.Elapsed = 0
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(cores)
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				got, report, err := Train(context.Background(), c, x, y, nil)
				report.Elapsed = 0
				if err != nil || !cmp.Equal(want, got) || report != wantReport {
					t.Errorf("%d cores: the same seed gave another network or report (error %v)", cores, err)
				}
			})
		}
		wait.Wait()
	}
	c.Seed = 8
	if other, _ := mustTrain(t, c, x, y); cmp.Equal(want, other) {
		t.Error("seeds 7 and 8 gave the same network")
	}
}

func TestLeavesRowsAlone(t *testing.T) {
	x, y := xor(50, 1)
	wantX, wantY := xor(50, 1)
	mustTrain(t, Config{Hidden: []int{4}, Epochs: 3, HeldBack: 0.3}, x, y)
	if !cmp.Equal(x, wantX) || !cmp.Equal(y, wantY) {
		t.Error("Train changed its rows or labels")
	}
}

func TestHeldBackRowsChooseTheEpoch(t *testing.T) {
	x, y := xor(120, 1)
	for i := range y { // a quarter of the labels are wrong: there is something to overfit
		if i%4 == 0 {
			y[i] = 1 - y[i]
		}
	}
	c := Config{Hidden: []int{32}, Epochs: 200, LearningRate: 0.02, HeldBack: 0.25, Patience: 15, Seed: 3}
	var seen []Epoch
	n, report, err := Train(context.Background(), c, x, y, func(e Epoch) { seen = append(seen, e) })
	if err != nil {
		t.Fatal(err)
	}
	if report.TrainRows != 90 || report.HeldRows != 30 {
		t.Fatalf("%d rows trained on and %d held back, want 90 and 30", report.TrainRows, report.HeldRows)
	}
	best := 0
	for i, e := range seen {
		if e.Number != i+1 {
			t.Fatalf("epoch %d came as number %d", i+1, e.Number)
		}
		if e.HeldLoss < seen[best].HeldLoss {
			best = i
		}
	}
	if report.Best != best+1 || report.Epochs != len(seen) {
		t.Errorf("report says epoch %d of %d, progress says %d of %d", report.Best, report.Epochs, best+1, len(seen))
	}
	if report.Epochs != report.Best+c.Patience {
		t.Errorf("stopped after epoch %d, want %d after the best, %d", report.Epochs, c.Patience, report.Best)
	}
	// Rounding the weights moves the loss a little.
	if math.Abs(report.HeldLoss-seen[best].HeldLoss) > 1e-4 {
		t.Errorf("held-back loss %v, was %v in epoch %d", report.HeldLoss, seen[best].HeldLoss, best+1)
	}
	c.Epochs, c.Patience = report.Best, 0
	if again, _ := mustTrain(t, c, x, y); !cmp.Equal(n, again) {
		t.Errorf("%d epochs do not give the network of epoch %d", c.Epochs, report.Best)
	}
}

func TestCancelKeepsWhatWasLearnt(t *testing.T) {
	x, y := xor(200, 1)
	c := Config{Hidden: []int{8}, Epochs: 1000, Seed: 2}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n, report, err := Train(ctx, c, x, y, func(e Epoch) {
		if e.Number == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || n == nil || report.Epochs != 5 {
		t.Fatalf("network %v, %d epochs, error %v", n, report.Epochs, err)
	}
	c.Epochs = 5
	if five, _ := mustTrain(t, c, x, y); !cmp.Equal(n, five) {
		t.Error("cancelled after epoch 5, but the network is not that of 5 epochs")
	}
	n, _, err = Train(ctx, c, x, y, nil)
	if n != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the first epoch: network %v, error %v", n, err)
	}
}

func TestPenaltyShrinksWeights(t *testing.T) {
	x, y := xor(300, 1)
	size := func(strength float64) (sum float64) {
		c := xorConfig
		c.L2 = strength
		n, _ := mustTrain(t, c, x, y)
		for _, l := range n.Layers {
			for _, w := range l.Weights {
				sum += w * w
			}
		}
		return sum
	}
	if without, with := size(0), size(0.01); with > without/2 {
		t.Errorf("‖weights‖² is %.2f without and %.2f with the penalty", without, with)
	}
}

func TestOwnLoss(t *testing.T) {
	x, y := xor(400, 1)
	c := xorConfig
	c.Loss = func(logit float64, label int) (value, slope float64) { // hinge
		side := float64(2*label - 1)
		if margin := side * logit; margin < 1 {
			return 1 - margin, -side
		}
		return 0, 0
	}
	n, report := mustTrain(t, c, x, y)
	if report.TrainAccuracy < 0.95 {
		t.Errorf("accuracy %.3f with the hinge loss", report.TrainAccuracy)
	}
	if ordinary, _ := mustTrain(t, xorConfig, x, y); cmp.Equal(n, ordinary) {
		t.Error("the loss made no difference")
	}
}

func TestRefusals(t *testing.T) {
	x, y := xor(20, 1)
	ones := make([]int, 20)
	for i := range ones {
		ones[i] = 1
	}
	with := func(i, j int, v float64) [][]float64 {
		out, _ := xor(20, 1)
		out[i][j] = v
		return out
	}
	lone := make([]int, 20)
	lone[4] = 1
	tests := []struct {
		name string
		c    Config
		x    [][]float64
		y    []int
		want string
		is   error
	}{
		{name: "no rows", want: "no rows to train on"},
		{name: "fewer labels", x: x, y: y[:19], want: "20 rows but 19 labels"},
		{name: "no inputs", x: [][]float64{{}}, y: []int{1}, want: "rows have 0 inputs"},
		{name: "ragged", x: append(append([][]float64{}, x...), []float64{1}), y: append(append([]int{}, y...), 1), want: "row 20 has 1 inputs, the rows before it 2"},
		{name: "NaN", x: with(3, 1, math.NaN()), y: y, want: "row 3, input 1 is NaN"},
		{name: "infinite", x: with(5, 0, math.Inf(1)), y: y, want: "row 5, input 0 is +Inf"},
		{name: "third class", x: x[:2], y: []int{0, 2}, want: "row 1 has label 2; want 0 or 1"},
		{name: "one class", x: x, y: ones, want: "all 20 have label 1", is: ErrOneClass},
		{name: "other class held back", c: Config{HeldBack: 0.95}, x: x, y: lone, want: "all 1 have label", is: ErrOneClass},
		{name: "diverges", c: Config{Hidden: []int{4}, LearningRate: 1e200}, x: x, y: y, want: "in epoch ", is: ErrDiverged},
		{name: "NaN loss", c: Config{Loss: func(float64, int) (float64, float64) { return math.NaN(), 1 }}, x: x, y: y, want: "the loss is NaN", is: ErrDiverged},
		{name: "beyond float32", c: Config{Epochs: 1, LearningRate: 1e60, Loss: func(float64, int) (float64, float64) { return 1, 1 }}, x: x, y: y, want: "Inf", is: ErrDiverged},
		{name: "empty layer", c: Config{Hidden: []int{3, 0}}, x: x, y: y, want: "hidden layer 2: 0 neurons"},
		{name: "huge", c: Config{Hidden: []int{65536, 65536}}, x: x, y: y, want: "choose smaller hidden layers"},
		{name: "epochs", c: Config{Epochs: -1}, x: x, y: y, want: "-1 epochs"},
		{name: "batch", c: Config{Batch: -1}, x: x, y: y, want: "batches of -1 rows"},
		{name: "rate", c: Config{LearningRate: math.NaN()}, x: x, y: y, want: "learning rate NaN"},
		{name: "decay", c: Config{Decay: 1.5}, x: x, y: y, want: "decay 1.5"},
		{name: "L2", c: Config{L2: -1}, x: x, y: y, want: "L2 penalty -1"},
		{name: "held back", c: Config{HeldBack: 1}, x: x, y: y, want: "share 1 held back"},
		{name: "patience", c: Config{Patience: 3}, x: x, y: y, want: "patience needs rows held back"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n, _, err := Train(context.Background(), test.c, test.x, test.y, nil)
			if err == nil || n != nil {
				t.Fatalf("network %v, error %v", n, err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not say %q", err, test.want)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %q is not %q", err, test.is)
			}
		})
	}
}
