package bound_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

func randomNetwork(r *rand.Rand, inputs int, head relu.Head, scale float64) *relu.Network {
	widths := []int{inputs}
	for range 1 + r.IntN(3) {
		widths = append(widths, 1+r.IntN(5))
	}
	return known.Dense(head, func() float64 { return r.NormFloat64() * scale }, r.NormFloat64, widths...)
}

// TestBoundsEncloseExactValues evaluates every neuron exactly at random
// points of random boxes: each value must lie inside its interval.
func TestBoundsEncloseExactValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
		scale := rapid.SampledFrom([]float64{1, 1e-3, 1e6, 1e-310}).Draw(t, "scale")
		n := randomNetwork(r, 3, head, scale)
		box := make([]space.Interval, 3)
		x := make([]*big.Rat, 3)
		for i := range box {
			lo := r.NormFloat64() * 10
			box[i] = space.Interval{Lo: lo, Hi: lo + r.Float64()*5}
			v := box[i].Lo
			if r.IntN(2) == 0 {
				v = box[i].Hi // corners are where bounds are tight
			}
			x[i] = new(big.Rat).SetFloat64(v)
		}
		interval, linear := bound.Intervals(n, box), bound.Linear(n, box)
		for _, b := range []*bound.Bounds{interval, linear} {
			for k := 1; k <= len(n.Layers); k++ {
				for j := range n.Layers[k-1].Out {
					inside(t, neuron(n, k, j, x), b.Pre[k-1][j])
				}
			}
			inside(t, n.Exact().Logit(x), b.Logit)
		}
		if linear.Logit.Lo < interval.Logit.Lo || linear.Logit.Hi > interval.Logit.Hi {
			t.Fatalf("linear bounds %v are looser than interval bounds %v", linear.Logit, interval.Logit)
		}
	})
}

// TestLinearBoundsSeeCancellation: x − x is 0 through two always-active
// neurons, which interval arithmetic cannot see.
func TestLinearBoundsSeeCancellation(t *testing.T) {
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 1, Out: 2, Weights: []float64{1, 1}, Bias: []float64{5, 5}, ReLU: true},
		{In: 2, Out: 1, Weights: []float64{1, -1}, Bias: []float64{0}},
	}}
	box := []space.Interval{{Lo: -1, Hi: 1}}
	if b := bound.Intervals(n, box).Logit; b.Hi < 2 {
		t.Errorf("interval bounds %v are tighter than they can be", b)
	}
	if b := bound.Linear(n, box).Logit; b.Lo < -1e-12 || b.Hi > 1e-12 {
		t.Errorf("linear bounds %v, want 0 up to rounding", b)
	}
}

// neuron is the exact pre-activation of neuron j of layer k (counted from 1).
func neuron(n *relu.Network, k, j int, x []*big.Rat) *big.Rat {
	cut := &relu.Network{Head: relu.HeadLinear, Precision: 64}
	cut.Layers = append(cut.Layers, n.Layers[:k]...)
	l := cut.Layers[k-1]
	cut.Layers[k-1] = relu.Layer{In: l.In, Out: 1, Weights: l.Row(j), Bias: l.Bias[j : j+1]}
	return cut.Exact().Logit(x)
}

func inside(t *rapid.T, v *big.Rat, iv space.Interval) {
	t.Helper()
	lo, hi := new(big.Rat).SetFloat64(iv.Lo), new(big.Rat).SetFloat64(iv.Hi)
	if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 {
		f, _ := v.Float64()
		t.Fatalf("%v is outside [%v, %v]", f, iv.Lo, iv.Hi)
	}
}

// overlookFirst makes a network blind to all inputs but the first: with weights of 0, or with
// one neuron that sees them, which the next layer does not read.
func overlookFirst(n *relu.Network, kind int) {
	for j := range n.Layers[0].Out {
		if row := n.Layers[0].Row(j); kind == 0 || j > 0 || len(n.Layers) == 1 {
			clear(row[1:])
		}
	}
	if kind == 1 && len(n.Layers) > 1 {
		for j := range n.Layers[1].Out {
			n.Layers[1].Row(j)[0] = 0
		}
	}
}

// TestDifferencesEncloseExactValues compares two copies of one individual, or of
// two that differ within a tolerance, neuron by neuron.
func TestDifferencesEncloseExactValues(t *testing.T) {
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: -5, Hi: 5, Inputs: []space.Input{{Index: 0, Scale: 0.3}}},
		{Name: "p", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{2, 3, 7}, Inputs: []space.Input{{Index: 1, Scale: 0.7, Offset: -1}}},
		{Name: "q", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"a", "b"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 2, Table: []float64{3, -1}}}},
	}}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	r := s.Whole()
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
		n := randomNetwork(rng, 3, head, rapid.SampledFrom([]float64{1, 1, 1e-310}).Draw(t, "scale"))
		blind := rapid.Bool().Draw(t, "blind")
		if kind := rng.IntN(2); blind {
			if overlookFirst(n, kind); n.Overlooks([]bool{false, true, true}) != (kind == 0 || len(n.Layers) > 1) {
				t.Fatalf("kind %d: overlooks %v", kind, n.Overlooks([]bool{false, true, true}))
			}
		}
		b := bound.Linear(n, bound.Inputs(s, r))
		x := float64(rng.IntN(11) - 5)
		y, tolerance := x, []float64(nil)
		if rapid.Bool().Draw(t, "relaxed") {
			tolerance = []float64{float64(rng.IntN(3)), 0, 0}
			y = math.Max(-5, math.Min(5, x+tolerance[0]*float64(1-2*rng.IntN(2))))
		}
		d := bound.Differences(n, s, r, tolerance, b)
		if blind && tolerance == nil && d.Logit != (space.Interval{}) {
			t.Fatalf("a network that does not see what differs has differences in %v", d.Logit)
		}
		pick := func(x float64) []*big.Rat {
			return s.ExactInputs([]float64{x, r.Values[1][rng.IntN(3)], r.Values[2][rng.IntN(2)]})
		}
		one, two := pick(x), pick(y)
		for k := 1; k <= len(n.Layers); k++ {
			for j := range n.Layers[k-1].Out {
				inside(t, new(big.Rat).Sub(neuron(n, k, j, one), neuron(n, k, j, two)), d.Pre[k-1][j])
			}
		}
		exact := n.Exact()
		inside(t, new(big.Rat).Sub(exact.Logit(one), exact.Logit(two)), d.Logit)
	})
}

func TestInputsOverARegion(t *testing.T) {
	s := &space.Space{Inputs: 4, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: 0, Hi: 10, Inputs: []space.Input{{Index: 0, Scale: -2, Offset: 1}}},
		{Name: "c", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"a", "b", "c"},
			Inputs: []space.Input{{Index: 1, Table: []float64{5, -1, 3}}}},
		{Name: "p", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{2, 7},
			Inputs: []space.Input{{Index: 2, Scale: 1}, {Index: 3, Table: []float64{0, 0, 8, 99, 0, 0, 0, 4, 0, 0}}}},
	}}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	r := s.Whole()
	r.Box[0] = space.Interval{Lo: 2, Hi: 3}
	r.Box[1] = space.Interval{Lo: 1, Hi: 2}
	got := bound.Inputs(s, r)
	want := []space.Interval{{Lo: -5, Hi: -3}, {Lo: -1, Hi: 3}, {Lo: 2, Hi: 7}, {Lo: 4, Hi: 8}}
	for i := range want {
		if got[i].Lo > want[i].Lo || got[i].Lo < want[i].Lo-1e-12 || got[i].Hi < want[i].Hi || got[i].Hi > want[i].Hi+1e-12 {
			t.Errorf("input %d: [%v, %v], want about [%v, %v]", i, got[i].Lo, got[i].Hi, want[i].Lo, want[i].Hi)
		}
	}
}
