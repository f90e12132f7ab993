package train

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// TestStartsFromTheNetwork: training with a vanishing step returns the network
// that training started from.
func TestStartsFromTheNetwork(t *testing.T) {
	x, y := xor(200, 1)
	from, _ := mustTrain(t, xorConfig, x, y)
	n, _ := mustTrain(t, Config{Start: from, Epochs: 1, LearningRate: 1e-30}, x, y)
	for k := range from.Layers {
		if !cmp.Equal(from.Layers[k].Weights, n.Layers[k].Weights) || !cmp.Equal(from.Layers[k].Bias, n.Layers[k].Bias) {
			t.Fatalf("layer %d is another before a step was taken", k)
		}
	}
	before := cmp.Equal(from, n)
	again, _ := mustTrain(t, Config{Start: from, Epochs: 3, Seed: 2}, x, y)
	more, _ := mustTrain(t, Config{Start: from, Epochs: 3, Seed: 2}, x, y)
	if !before || !cmp.Equal(again, more) || cmp.Equal(again, from) {
		t.Error("training further is not deterministic, or trains nothing, or changed the network it started from")
	}
}

// TestTwoSoftmaxUnitsAreOneSigmoidUnit compares logits, up to rounding weights to
// float32.
func TestTwoSoftmaxUnitsAreOneSigmoidUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(float32(rng.NormFloat64()))
		}
		return out
	}
	two := &relu.Network{Head: relu.HeadSoftmax, Precision: 32, Layers: []relu.Layer{
		{Name: "hidden", In: 3, Out: 5, ReLU: true, Weights: draw(15), Bias: draw(5)},
		{Name: "output", In: 5, Out: 2, Weights: draw(10), Bias: draw(2)},
	}}
	one := OneLogit(two)
	if err := one.Validate(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		inputs := draw(3)
		if a, b := two.Logit(inputs), one.Logit(inputs); math.Abs(a-b) > 1e-5 {
			t.Fatalf("logits %v and %v at %v", a, b, inputs)
		}
	}
	if OneLogit(one) != one {
		t.Error("a network with one unit is not left alone")
	}
}

// TestConsistencyNarrowsTheSpread trains on labels that a third input, which
// copies differ in, gives away: the penalty keeps the network from using it.
func TestConsistencyNarrowsTheSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	var x [][]float64
	var y []int
	for range 600 {
		a, z := 2*rng.Float64()-1, float64(rng.IntN(3)-1)
		label := 0
		if a+z > 0 {
			label = 1
		}
		x, y = append(x, []float64{a, z}), append(y, label)
	}
	copies := func(row int) [][]float64 {
		return [][]float64{{x[row][0], -1}, {x[row][0], 0}, {x[row][0], 1}}
	}
	variance := func(n *relu.Network) (sum float64) {
		for row := range x {
			var logits [3]float64
			for i, c := range copies(row) {
				logits[i] = n.Logit(c)
			}
			mean := (logits[0] + logits[1] + logits[2]) / 3
			for _, l := range logits {
				sum += (l - mean) * (l - mean) / 3
			}
		}
		return sum / float64(len(x))
	}
	c := Config{Hidden: []int{8}, Epochs: 30, LearningRate: 0.01, Seed: 4, HeldBack: 0.2}
	without, _ := mustTrain(t, c, x, y)
	c.Consistency = Consistency{Weight: 2, Group: func(_ *rand.Rand, row int) [][]float64 { return copies(row) }}
	with, report := mustTrain(t, c, x, y)
	if before, after := variance(without), variance(with); after > before/20 {
		t.Errorf("variance of the logits over copies: %.4f without the penalty, %.4f with it", before, after)
	}
	if report.HeldAccuracy < 0.6 {
		t.Errorf("accuracy %.2f: the penalty left nothing of the loss", report.HeldAccuracy)
	}
	again, _ := mustTrain(t, c, x, y)
	if !cmp.Equal(with, again) {
		t.Error("the same seed gave another network")
	}
}

// TestConsistencyGradient compares the gradient of the penalty with finite differences.
func TestConsistencyGradient(t *testing.T) {
	x, y := xor(8, 1)
	group := [][]float64{x[1], x[2], x[5], x[7]}
	c, err := Config{
		Hidden: []int{6}, Seed: 5,
		Consistency: Consistency{Weight: 0.7, Group: func(*rand.Rand, int) [][]float64 { return group }},
	}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(c, x, y)
	r.addSpread(0, 0.25)
	for i := range r.model.parameters {
		const step = 1e-6
		at := r.model.parameters[i]
		r.model.parameters[i] = at + step
		_, above := r.spread(group)
		r.model.parameters[i] = at - step
		_, below := r.spread(group)
		r.model.parameters[i] = at
		if want := 0.25 * (above - below) / (2 * step); math.Abs(want-r.gradient[i]) > 1e-6 {
			t.Errorf("parameter %d: gradient %v, differences say %v", i, r.gradient[i], want)
		}
	}
}

// TestHeldRowsAreThoseNamed: exactly the named rows are held back.
func TestHeldRowsAreThoseNamed(t *testing.T) {
	x, y := xor(100, 1)
	held := []int{3, 10, 11, 99}
	_, report := mustTrain(t, Config{Hidden: []int{4}, Epochs: 2, Held: held}, x, y)
	if report.TrainRows != 96 || report.HeldRows != 4 || math.IsNaN(report.HeldLoss) {
		t.Errorf("%d rows trained on, %d held back, loss there %v", report.TrainRows, report.HeldRows, report.HeldLoss)
	}
	without := func() (tx [][]float64, ty []int) {
		for i := range x {
			if i != 3 && i != 10 && i != 11 && i != 99 {
				tx, ty = append(tx, x[i]), append(ty, y[i])
			}
		}
		return tx, ty
	}
	tx, ty := without()
	// With one batch per pass, the order matters for rounding only.
	a, _ := mustTrain(t, Config{Hidden: []int{4}, Epochs: 1, Batch: 100, Held: held}, x, y)
	b, _ := mustTrain(t, Config{Hidden: []int{4}, Epochs: 1, Batch: 100}, tx, ty)
	for k, w := range a.Layers[0].Weights {
		if math.Abs(w-b.Layers[0].Weights[k]) > 1e-6 {
			t.Fatal("training with rows held back is not training without them")
		}
	}
}

func TestRefusesBadStarts(t *testing.T) {
	x, y := xor(20, 1)
	from, _ := mustTrain(t, Config{Hidden: []int{3}, Epochs: 1}, x, y)
	linear := *from
	linear.Layers = append([]relu.Layer{}, from.Layers...)
	linear.Layers[0].ReLU = false
	three := &relu.Network{Head: relu.HeadSigmoid, Precision: 32, Layers: []relu.Layer{{In: 3, Out: 1, Weights: make([]float64, 3), Bias: []float64{0}}}}
	for _, test := range []struct {
		name string
		c    Config
		want string
	}{
		{"hidden layers too", Config{Start: from, Hidden: []int{3}}, "give one of the two"},
		{"other inputs", Config{Start: three}, "takes 3 inputs, the rows have 2"},
		{"linear hidden layer", Config{Start: &linear}, "has no ReLU"},
		{"held twice", Config{Held: []int{4, 4}}, "row 4 held back"},
		{"held beyond", Config{Held: []int{20}}, "row 20 held back: want rows 0 to 19"},
		{"held by both", Config{Held: []int{1}, HeldBack: 0.1}, "give one of the two"},
		{"negative weight", Config{Consistency: Consistency{Weight: -1}}, "consistency weight -1"},
		{"penalty explodes", Config{Hidden: []int{3}, Consistency: Consistency{
			Weight: 1, Group: func(*rand.Rand, int) [][]float64 { return [][]float64{{1e200, 0}, {-1e200, 0}} },
		}}, "the loss is +Inf"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, _, err := Train(t.Context(), test.c, x, y, nil)
			if n != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}
