package evaluate_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// With small dyadic weights slopes are exact in floating point. They are those of
// exact difference quotients, with steps too small to meet another piece, and
// where a neuron lies at 0 its own slope is 0.
func TestGradientIsExact(t *testing.T) {
	kinks := 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		s := randomSpace(r)
		dyadic(s)
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}).Draw(t, "head")
		n := randomNetwork(r, head, 1, s.Inputs, 1+r.IntN(5), 1+r.IntN(5))
		for i := range n.Layers {
			for _, numbers := range [][]float64{n.Layers[i].Weights, n.Layers[i].Bias} {
				for k := range numbers {
					numbers[k] = float64(r.IntN(9)-4) / 2
				}
			}
		}
		e := newEvaluator(t, n, s, twentieth)
		g, err := e.Gradient()
		if err != nil {
			t.Fatal(err)
		}
		exact, step := n.Exact(), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
		for range 5 {
			x, c := randomIndividual(r, s), r.IntN(e.Combinations())
			for i := range x {
				x[i] = eighths(x[i])
			}
			_, slopes := g.At(x, c)
			inputs := s.ExactInputs(e.Point(x, c))
			want, kink := forward(n, inputs)
			at := exact.Logit(inputs)
			for i, slope := range slopes {
				got := new(big.Rat).SetFloat64(slope)
				if got.Cmp(want[i]) != 0 {
					t.Fatalf("slope %d is %v, want %s", i, slope, want[i].RatString())
				}
				if kink {
					kinks++
					continue
				}
				inputs[i].Add(inputs[i], step)
				quotient := exact.Logit(inputs)
				inputs[i].Sub(inputs[i], step)
				if quotient.Quo(quotient.Sub(quotient, at), step).Cmp(got) != 0 {
					t.Fatalf("slope %d is %v, the difference quotient %s", i, slope, quotient.RatString())
				}
			}
		}
	})
	if kinks == 0 && !testing.Short() { // few draws may meet none
		t.Error("no neuron lay at 0")
	}
}

// dyadic rounds what a space multiplies and adds, so that float64 does it exactly: elsewhere
// a neuron that lies at 0 need not lie there in float64.
func dyadic(s *space.Space) {
	for i := range s.Features {
		f := &s.Features[i]
		for k := range f.Inputs {
			f.Inputs[k].Scale, f.Inputs[k].Offset = eighths(f.Inputs[k].Scale), eighths(f.Inputs[k].Offset)
		}
		for k := range f.Protected {
			f.Protected[k] = eighths(f.Protected[k])
		}
	}
}

func eighths(v float64) float64 { return math.Floor(8*v) / 8 }

// forward carries exact slopes through the network; kink: a neuron lies at 0.
func forward(n *relu.Network, inputs []*big.Rat) (slopes []*big.Rat, kink bool) {
	values, by := inputs, make([][]*big.Rat, len(inputs)) // by[i] are the slopes of values[i]
	for i := range by {
		by[i] = make([]*big.Rat, len(inputs))
		for k := range by[i] {
			by[i][k] = new(big.Rat)
		}
		by[i][i].SetInt64(1)
	}
	sum := func(l *relu.Layer, j int, start float64, of func(i int) *big.Rat) *big.Rat {
		out := new(big.Rat).SetFloat64(start)
		for i, w := range l.Row(j) {
			out.Add(out, new(big.Rat).Mul(new(big.Rat).SetFloat64(w), of(i)))
		}
		return out
	}
	for k := range n.Layers {
		l := &n.Layers[k]
		next, nextBy := make([]*big.Rat, l.Out), make([][]*big.Rat, l.Out)
		for j := range next {
			next[j] = sum(l, j, l.Bias[j], func(i int) *big.Rat { return values[i] })
			dead := l.ReLU && next[j].Sign() <= 0
			kink = kink || l.ReLU && next[j].Sign() == 0
			for v := range inputs {
				d := sum(l, j, 0, func(i int) *big.Rat { return by[i][v] })
				if dead {
					d.SetInt64(0)
				}
				nextBy[j] = append(nextBy[j], d)
			}
			if dead {
				next[j].SetInt64(0)
			}
		}
		values, by = next, nextBy
	}
	if n.Head == relu.HeadSoftmax {
		for v := range inputs {
			by[0][v].Sub(by[1][v], by[0][v])
		}
	}
	return by[0], kink
}

// Of a linear network a feature's slope and promise are what really happens.
func TestSlopesAlongFeatures(t *testing.T) {
	s := &space.Space{Inputs: 4, Features: []space.Feature{
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 3, Scale: 1}}},
		{Name: "age", Kind: space.Integer, Lo: 10, Hi: 90, Inputs: []space.Input{{Index: 1, Scale: 0.5, Offset: -3}}},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{
			{Index: 0, Table: []float64{1, 0, 4}}, {Index: 2, Table: []float64{0, 1, 0}},
		}},
	}}
	n := &relu.Network{Head: relu.HeadLinear, Precision: 64, Layers: []relu.Layer{{In: 4, Out: 1, Weights: []float64{1, 2, -3, 5}, Bias: []float64{0.25}}}}
	e := newEvaluator(t, n, s, twentieth)
	g, err := e.Gradient()
	if err != nil {
		t.Fatal(err)
	}
	logit := func(x ...float64) float64 {
		l, _ := g.At(x, 1)
		return l
	}
	age, job := &s.Features[1], &s.Features[2]
	before, slopes := g.At([]float64{0, 20, 0}, 1)
	if got := age.Slope(slopes); got != 1 || logit(0, 21, 0)-before != 1 {
		t.Errorf("slope of age: %v", got)
	}
	if got := age.Promise(slopes, 20, 50); got != 30 || logit(0, 50, 0)-before != 30 {
		t.Errorf("promise of age: %v", got)
	}
	if got := job.Slope(slopes); got != 0 {
		t.Errorf("slope of job, which has tables: %v", got)
	}
	for v := range 3 {
		if got := job.Promise(slopes, 0, float64(v)); got != logit(0, 20, float64(v))-before {
			t.Errorf("promise of job %v: %v", v, got)
		}
	}

	other, err := evaluate.New(&linear.Unit{Weights: []float64{1, 2, 3, 4}}, s, space.Region{}, twentieth)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Gradient(); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("a model without a gradient: %v", err)
	}
}
