package encode_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// mixedSpace has one feature of each encoding: a plain integer, a one-hot category, a real
// number, a protected progression, a protected set that is no progression, and a protected
// category.
func mixedSpace() *space.Space {
	return &space.Space{Inputs: 8, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: -2, Hi: 5, Inputs: []space.Input{{Index: 0, Scale: 0.5, Offset: -1}}},
		{Name: "c", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{
			{Index: 1, Table: []float64{1, 0, 0}}, {Index: 2, Table: []float64{0, 1, 0}}, {Index: 3, Table: []float64{0, 0, 1}}}},
		{Name: "r", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 4, Scale: 1}}},
		{Name: "age", Kind: space.Integer, Lo: 0, Hi: 99, Protected: []float64{15, 25, 35}, Inputs: []space.Input{{Index: 5, Scale: 0.1}}},
		{Name: "odd", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{1, 2, 7}, Inputs: []space.Input{{Index: 6, Scale: 1, Offset: -3}}},
		{Name: "sex", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 7, Scale: 1}}},
	}}
}

func randomNetwork(r *rand.Rand, inputs int, head relu.Head) *relu.Network {
	n := &relu.Network{Head: head, Precision: 64}
	in := inputs
	for range 1 + r.IntN(3) {
		out := 1 + r.IntN(5)
		n.Layers = append(n.Layers, known.Layer(in, out, r.IntN(6) > 0, r.NormFloat64, r.NormFloat64))
		in = out
	}
	units := 1
	if head == relu.HeadSoftmax {
		units = 2
	}
	n.Layers = append(n.Layers, known.Layer(in, units, false, r.NormFloat64, r.NormFloat64))
	return n
}

func randomPoint(r *rand.Rand, s *space.Space, region space.Region) []float64 {
	p := make([]float64, len(s.Features))
	for i := range p {
		switch f := &s.Features[i]; {
		case f.IsProtected():
			p[i] = region.Values[i][r.IntN(len(region.Values[i]))]
		case f.Kind == space.Real:
			p[i] = region.Box[i].Lo + r.Float64()*(region.Box[i].Hi-region.Box[i].Lo)
		default:
			p[i] = region.Box[i].Lo + float64(r.IntN(int(region.Box[i].Hi-region.Box[i].Lo)+1))
		}
	}
	return p
}

// TestLoweringsKeepEveryPoint lifts pairs of copies into start values: they must
// satisfy every row and bound, and decode back to themselves. So no point of
// the space is cut off by the lowering.
func TestLoweringsKeepEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		s := mixedSpace()
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}).Draw(t, "head")
		q := &problem.Query{Model: randomNetwork(r, s.Inputs, head), Space: s, Notion: fairness.Score,
			Epsilon: big.NewRat(1, 20), Goal: problem.Decide, Region: s.Whole()}
		if rapid.Bool().Draw(t, "cut") {
			q.Region.Box[0] = space.Interval{Lo: 1, Hi: 3}
			q.Region.Box[1] = space.Interval{Lo: 2, Hi: 2}
			q.Region.Values[4] = []float64{2}
		}
		if err := q.Validate(); err != nil {
			t.Fatal(err)
		}
		encoding := rapid.SampledFrom(milpEncodings()).Draw(t, "encoding")
		method := rapid.SampledFrom([]func(model.Model, []space.Interval) *bound.Bounds{bound.Intervals, bound.Linear}).Draw(t, "bounds")
		low, err := encoding.LowerMILP(q, method(q.Model, bound.Inputs(s, q.Region)))
		if err != nil {
			t.Fatal(err)
		}
		one, two := randomPoint(r, s, q.Region), randomPoint(r, s, q.Region)
		for _, i := range s.Free() {
			two[i] = one[i]
		}
		values, err := low.Lift([][]float64{one, two})
		if err != nil {
			t.Fatal(err)
		}
		values[low.Slack] = 0
		if v := low.Problem.MILP.Violation(values); !(v < 1e-9) {
			t.Fatalf("a point of the space breaks the lowered problem by %v", v)
		}
		back, err := low.Decode(problem.Floats(values))
		if err != nil {
			t.Fatal(err)
		}
		for c, want := range [][]float64{one, two} {
			for i := range want {
				if back[c][i] != want[i] {
					t.Fatalf("copy %d, feature %s: decoded %v, lifted %v", c+1, s.Features[i].Name, back[c][i], want[i])
				}
			}
		}
	})
}

// TestTangentsKeepEveryViolation draws pairs of logits beyond the border:
// bounds and tangents must leave them slack.
func TestTangentsKeepEveryViolation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := rapid.SampledFrom([]float64{1e-40, 1e-18, 1e-6, 0.01, 0.05, 0.3, 0.9, 0.999, 0.9999999, 1 - 1e-9, 1 - 1e-12, 1 - 1e-16}).Draw(t, "eps")
		a := rapid.Float64Range(-40, 90).Draw(t, "a")
		b := rapid.Float64Range(-90, 40).Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a - rapid.Float64Range(0, 1e-3).Draw(t, "by")
		}
		if !fairness.GapExceeds(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b), new(big.Rat).SetFloat64(eps)) {
			t.Skip("no violation")
		}
		l := b - rapid.Float64Range(0, 30).Draw(t, "below")
		u := a + rapid.Float64Range(0, 30).Draw(t, "above")
		curve, ok := encode.NewCurve(new(big.Rat).SetFloat64(eps), l, u)
		if !ok {
			t.Fatalf("no border between %v and %v though (%v, %v) is beyond it", l, u, a, b)
		}
		if a < curve.LeastA() || b > curve.GreatestB() {
			t.Fatalf("(%v, %v) violates but a ≥ %v or b ≤ %v cuts it off", a, b, curve.LeastA(), curve.GreatestB())
		}
		points := append(curve.Start(8), rapid.Float64Range(-50, 50).Draw(t, "at"), a)
		for _, at := range points {
			row := curve.Row(at, 0, 1, 2)
			if math.IsNaN(row.Hi) || math.IsInf(row.Hi, 0) {
				t.Fatalf("the tangent at %v has the side %v", at, row.Hi)
			}
			if v := problem.Evaluate(row.Terms, []float64{a, b, 0}); v > row.Hi {
				t.Fatalf("the tangent at %v cuts off (%v, %v): %v > %v", at, a, b, v, row.Hi)
			}
		}
	})
}

// TestTangentsTouchTheBorder: a pair short of the border by more than the
// rounding is cut off by the tangent at its own a.
func TestTangentsTouchTheBorder(t *testing.T) {
	for _, eps := range []float64{0.01, 0.05, 0.5} {
		for a := -4.0; a < 8; a += 0.25 {
			p := fairness.Sigmoid(a) - eps
			if p <= 1e-5 {
				continue
			}
			border := math.Log(p) - math.Log1p(-p)
			curve, ok := encode.NewCurve(new(big.Rat).SetFloat64(eps), -50, 50)
			if !ok {
				t.Fatal("no border")
			}
			row := curve.Row(a, 0, 1, 2)
			if v := problem.Evaluate(row.Terms, []float64{a, border + 1e-4*math.Max(1, 1/p), 0}); v <= row.Hi {
				t.Errorf("ε = %v, a = %v: the tangent does not cut off b just above the border", eps, a)
			}
		}
	}
}

func TestForbiddenPointsAreCutOff(t *testing.T) {
	s := mixedSpace()
	s.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 9}}, {Feature: 5, Set: []int{1}}}}
	r := rand.New(rand.NewPCG(1, 1))
	q := &problem.Query{Model: randomNetwork(r, s.Inputs, relu.HeadSigmoid), Space: s, Notion: fairness.Logit,
		Epsilon: big.NewRat(1, 20), Goal: problem.Decide, Region: s.Whole()}
	low, err := encode.BigM(q, bound.Intervals(q.Model, bound.Inputs(s, q.Region)))
	if err != nil {
		t.Fatal(err)
	}
	m := low.Problem.MILP
	for n := -2.0; n <= 5; n++ {
		for sex := 0.0; sex <= 1; sex++ {
			point := []float64{n, 1, 0, 15, 2, sex}
			values, err := low.Lift([][]float64{point, point})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := satisfiable(m, values), s.Allowed(point); got != want {
				t.Errorf("n = %v, sex = %v: the rows allow it: %v, the space: %v", n, sex, got, want)
			}
		}
	}
}

// satisfiable tries every setting of the binaries left open (NaN).
func satisfiable(m *problem.MILP, values []float64) bool {
	for i, v := range values {
		if math.IsNaN(v) {
			for _, try := range []float64{0, 1} {
				next := append([]float64(nil), values...)
				next[i] = try
				if satisfiable(m, next) {
					return true
				}
			}
			return false
		}
	}
	return m.Violation(values) < 1e-9
}

// milpEncodings are the encodings of the register in the MILP form.
func milpEncodings() []encode.Encoding {
	return slices.DeleteFunc(slices.Clone(encode.Encodings), func(e encode.Encoding) bool { return e.Form != problem.FormMILP })
}
