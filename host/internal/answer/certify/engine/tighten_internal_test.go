package engine

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// deep draws a network of two hidden layers over two integers, a table and a
// protected feature.
func deep(r *rand.Rand) *problem.Query {
	s := &space.Space{Inputs: 4, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: -4, Hi: 4, Inputs: []space.Input{{Index: 0, Scale: 0.5}}},
		{Name: "c", Kind: space.Categorical, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{{Index: 1, Table: []float64{0, 2, -1}}}},
		{Name: "u", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 2, Scale: 1}}},
		{Name: "sex", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 3, Scale: 1}}},
	}}
	layer := func(in, out int, rectified bool) relu.Layer {
		l := relu.Layer{In: in, Out: out, ReLU: rectified, Weights: make([]float64, in*out), Bias: make([]float64, out)}
		for i := range l.Weights {
			l.Weights[i] = r.NormFloat64()
		}
		for i := range l.Bias {
			l.Bias[i] = r.NormFloat64()
		}
		return l
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{layer(4, 5, true), layer(5, 5, true), layer(5, 1, false)}}
	return &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Logit, Epsilon: big.NewRat(1, 2), Goal: problem.Decide}
}

// TestTightenedBoundsEnclose holds the bounds that HiGHS tightened against the
// network at random points, and against those it started from.
func TestTightenedBoundsEnclose(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "highs")
	narrowed := 0
	for i := range tier.Count(12, 30) {
		rng := rand.New(rand.NewPCG(uint64(i), 21))
		q := deep(rng)
		r, err := newRun(q, Options{Solver: solver, Description: d, Bounds: BoundsLP})
		if err != nil {
			t.Fatal(err)
		}
		before := r.bounds(q.Region)
		after, slack, err := r.tightened(t.Context(), q.Region, before)
		if err != nil || !(slack > 0 && slack < 1e-2) {
			t.Fatalf("slack %v, %v", slack, err)
		}
		for k := range before.Pre {
			for j, iv := range after.Pre[k] {
				if was := before.Pre[k][j]; iv.Lo < was.Lo || iv.Hi > was.Hi {
					t.Fatalf("neuron %d.%d: %v is wider than %v", k, j, iv, was)
				}
			}
		}
		if after.Logit.Hi-after.Logit.Lo < 0.99*(before.Logit.Hi-before.Logit.Lo) {
			narrowed++
		}
		for range 300 {
			x := q.Space.Draw(q.Region.Box, rng)
			x[3] = float64(rng.IntN(2))
			v := q.Space.NetworkInputs(nil, x)
			for k := range q.Model.(*relu.Network).Layers {
				l := &q.Model.(*relu.Network).Layers[k]
				next := make([]float64, l.Out)
				for j := range next {
					y := l.Bias[j]
					for in, w := range l.Row(j) {
						y += w * v[in]
					}
					iv := after.Pre[k][j]
					if k == len(q.Model.(*relu.Network).Layers)-1 {
						iv = after.Logit
					}
					if y < iv.Lo-1e-9 || y > iv.Hi+1e-9 {
						t.Fatalf("network %d, neuron %d.%d is %v at %v, outside %v", i, k, j, y, x, iv)
					}
					if next[j] = y; l.ReLU {
						next[j] = max(0, y)
					}
				}
				v = next
			}
		}
	}
	if narrowed < 10 {
		t.Errorf("the logit's bounds were narrowed for %d of 30 networks", narrowed)
	}
}

// A start is complete: its slack is what the rows leave.
func TestRoomIsWhatTheRowsLeave(t *testing.T) {
	rows := []problem.Row{
		{Lo: -1e300, Hi: 3, Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 2, Coef: 1}}}, // slack ≤ 3 − x
		{Lo: 0, Hi: 1e300, Terms: []problem.Term{{Column: 1, Coef: 2}, {Column: 2, Coef: -4}}}, // slack ≤ y / 2
		{Lo: 0, Hi: 1, Terms: []problem.Term{{Column: 0, Coef: 1}}},
	}
	for _, c := range []struct{ x, y, want float64 }{{1, 10, 2}, {1, 1, 0.5}, {5, 10, -2}} {
		if got := room(rows, 2, []float64{c.x, c.y, 0}); got != c.want {
			t.Errorf("at %v, %v there is room for %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if got := room(rows[2:], 2, []float64{1, 1, 0}); got != 0 {
		t.Errorf("rows that do not speak of the slack leave %v", got)
	}
}
