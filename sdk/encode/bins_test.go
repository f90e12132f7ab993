package encode

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// drawBinsQuery draws a question for more than two bins.
func drawBinsQuery(t *rapid.T) *problem.Query {
	q := drawQuery(t)
	q.Relax, q.Require, q.Notion = nil, nil, fairness.Score
	if q.TellsCopiesApart() {
		q.Forbid = q.Forbid[:1]
	}
	q.Epsilon = rapid.SampledFrom([]*big.Rat{big.NewRat(1, 8), big.NewRat(1, 20), big.NewRat(3, 10), big.NewRat(1, 4)}).Draw(t, "ε of bins")
	q.K = rapid.IntRange(3, 4).Draw(t, "k")
	return q
}

// logitsOf are the exact logits of all counterfactuals of an individual.
func logitsOf(q *problem.Query, x []float64) (points [][]float64, logits []*big.Rat) {
	return q.Space.Counterfactuals(q.RegionOrWhole(), x), q.Logits(q.Model.Exact(), x)
}

// individuals lists the points with the first protected combination.
func individuals(s *space.Space) [][]float64 {
	return slices.DeleteFunc(points(s), func(p []float64) bool {
		return slices.ContainsFunc(s.Protected(), func(i int) bool { return p[i] != s.Features[i].Protected[0] })
	})
}

func nearEdge(at []space.Interval, logit *big.Rat) bool {
	l, _ := logit.Float64()
	return slices.ContainsFunc(at, func(e space.Interval) bool { return math.Abs(e.Lo-l) < 1e-9 })
}

// TestBinsInOrder draws copies of an individual: the rows and the text of
// InBins let them in, in that order, exactly where their bins increase. (The
// lift chooses the separators; where it finds none, neither must the text,
// which leaves the choice open.)
func TestBinsInOrder(t *testing.T) {
	outcomes := map[bool]int{}
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		q := drawBinsQuery(t)
		b := bound.Intervals(q.Model, bound.Inputs(q.Space, RelaxedRegion(q)))
		e := rapid.SampledFrom(milps).Draw(t, "encoding")
		low, err := e.LowerMILP(q, b)
		if errors.Is(err, ErrTooFewBins) {
			t.Skip("too few bins")
		}
		if err != nil {
			t.Fatal(err)
		}
		delta, err := low.InBins(q.Epsilon, q.K)
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewStack(low.Problem).Apply(delta)
		if err != nil {
			t.Fatal(err)
		}
		smt := lowerTo(t, q, SMT)
		text, err := smt.InBins(q.Epsilon, q.K)
		if err != nil {
			t.Fatal(err)
		}
		script := parse(t, smt.Problem.SMT.Text+text)
		all := individuals(q.Space)
		for range 20 {
			x := rapid.SampledFrom(all).Draw(t, "x")
			people, logits := logitsOf(q, x)
			if slices.ContainsFunc(logits, func(l *big.Rat) bool { return nearEdge(low.edges.at, l) }) {
				continue // a lift in float64 cannot tell which side
			}
			if len(people) < q.K || !asked(q, people[0], people[0]) {
				continue
			}
			copies, bins := make([][]float64, q.K), make([]int, q.K)
			picked := rapid.SliceOfN(rapid.IntRange(0, len(people)-1), q.K, q.K).Draw(t, "copies")
			slices.SortStableFunc(picked, func(i, j int) int { return logits[i].Cmp(logits[j]) })
			if rapid.IntRange(0, 4).Draw(t, "out of order") == 0 {
				slices.Reverse(picked)
			}
			want := true
			for c, i := range picked {
				copies[c], bins[c] = people[i], fairness.LinkSigmoid.Bin(logits[i], q.Epsilon)
				want = want && (c == 0 || bins[c-1] < bins[c])
			}
			outcomes[want]++
			values, err := low.Lift(copies)
			if err != nil {
				t.Fatal(err)
			}
			separated := !slices.ContainsFunc(slices.Concat(low.separators...), func(c int) bool { return math.IsNaN(values[c]) })
			values[low.Slack] = 0
			complete(low.Problem.MILP, values)
			if got := separated && p.MILP.Violation(values) < roundingRoom; got != want {
				t.Fatalf("%s: bins %v at ε = %s are let in by the rows: %v", e.Name, bins, q.Epsilon, got)
			}
			assigned := (&referee{q, smt}).assign(copies...)
			if got := holds(t, script, assigned); got != want {
				t.Fatalf("bins %v at ε = %s are let in by the text: %v", bins, q.Epsilon, got)
			}
			if !want {
				continue
			}
			room := roomOf(smt.edges.at, logits, picked)
			for _, off := range []float64{-1e-6, 1e-6} {
				assigned["slack"] = exactly(room + off)
				if got := holds(t, script, assigned); got != (off < 0 && room+off >= 0) {
					t.Fatalf("bins %v at ε = %s with a slack %+g off their room of %v: %v", bins, q.Epsilon, off, room, got)
				}
			}
		}
	})
	if outcomes[true] == 0 || outcomes[false] == 0 {
		t.Errorf("outcomes %v: the test shows nothing", outcomes)
	}
}

// roomOf is the largest slack of copies whose bins increase: between every two
// neighbours the edge that is furthest from both.
func roomOf(at []space.Interval, logits []*big.Rat, picked []int) float64 {
	room := math.Inf(1)
	for c := range picked[1:] {
		a, _ := logits[picked[c]].Float64()
		b, _ := logits[picked[c+1]].Float64()
		best := math.Inf(-1)
		for _, e := range at {
			best = math.Max(best, math.Min(e.Hi-a, b-e.Lo))
		}
		room = math.Min(room, best)
	}
	return room
}

// TestTooFewBinsIsAProof: where a lowering says so, no individual reaches k bins.
func TestTooFewBinsIsAProof(t *testing.T) {
	proofs := 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawBinsQuery(t)
		if rapid.Bool().Draw(t, "few combinations") {
			for _, i := range q.Space.Protected()[1:] {
				q.Region.Values[i] = q.Region.Values[i][:1]
			}
		}
		q.Model.(*relu.Network).Layers[len(q.Model.(*relu.Network).Layers)-1] = scaled(q.Model.(*relu.Network).Layers[len(q.Model.(*relu.Network).Layers)-1], 0.25)
		b := bound.Linear(q.Model, bound.Inputs(q.Space, RelaxedRegion(q)))
		_, milp := rapid.SampledFrom(milps).Draw(t, "encoding").LowerMILP(q, b)
		_, smt := SMT(q, b)
		if errors.Is(milp, ErrTooFewBins) != errors.Is(smt, ErrTooFewBins) {
			t.Fatalf("rows say %v, the script %v", milp, smt)
		}
		if !errors.Is(milp, ErrTooFewBins) {
			return
		}
		proofs++
		for _, x := range individuals(q.Space) {
			if _, logits := logitsOf(q, x); q.Space.RegionContains(q.Region, x) && fairness.LinkSigmoid.KBins(logits, q.Epsilon) >= q.K {
				t.Fatalf("%v reaches %d bins: %v", x, q.K, milp)
			}
		}
	})
	if proofs == 0 {
		t.Error("no query is decided: the test shows nothing")
	}
}

func scaled(l relu.Layer, factor float64) relu.Layer {
	l.Weights, l.Bias = slices.Clone(l.Weights), slices.Clone(l.Bias)
	for i := range l.Weights {
		l.Weights[i] *= factor
	}
	for i := range l.Bias {
		l.Bias[i] *= factor
	}
	return l
}

// lineQuery asks for three bins of a network without hidden layers over one
// person's number and a protected one of four values.
func lineQuery(r *rand.Rand, eps *big.Rat) *problem.Query {
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: 0, Hi: 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{0, 1, 2, 3}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
	}}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 2, Out: 1, Weights: []float64{r.NormFloat64(), r.NormFloat64()}, Bias: []float64{r.NormFloat64()}}}}
	return &problem.Query{Model: n, Space: s, Notion: fairness.Score, Epsilon: eps, K: 3, Goal: problem.Decide}
}

// TestSlackOfBinsDecides maximises the slack by enumeration: it is what the
// best copies of the best individual have, found here by trying all of them,
// and not negative exactly where some individual reaches three bins.
func TestSlackOfBinsDecides(t *testing.T) {
	tier.NeedUsual(t)
	verdicts := map[bool]int{}
	for seed := range uint64(tier.Count(28, 40)) {
		eps := []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 5), big.NewRat(3, 10)}[seed%3]
		q := lineQuery(rand.New(rand.NewPCG(seed, 7)), eps)
		low, err := BigM(q, bound.Intervals(q.Model, bound.Inputs(q.Space, q.Space.Whole())))
		if errors.Is(err, ErrTooFewBins) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		delta, err := low.InBins(eps, 3)
		if err != nil {
			t.Fatal(err)
		}
		delta.Objective = &problem.Objective{Maximise: true, Terms: []problem.Term{{Column: low.Slack, Coef: 1}}}
		p, err := problem.NewStack(low.Problem).Apply(delta)
		if err != nil {
			t.Fatal(err)
		}
		r, err := reference.Enumerator{}.Solve(context.Background(), p, sdk.SolveOptions{})
		if err != nil || r.Status != sdk.Optimal {
			t.Fatalf("%v, %v", r, err)
		}
		want, reached := math.Inf(-1), false
		for n := 0.0; n <= 1; n++ {
			_, logits := logitsOf(q, []float64{n, 0})
			want = math.Max(want, bestSlack(logits, low.edges.at))
			reached = reached || fairness.LinkSigmoid.KBins(logits, eps) >= 3
		}
		if math.Abs(r.Objective-want) > 1e-9 || (r.Objective >= 0) != reached {
			t.Errorf("network %d: the slack is %v, want %v; three bins are reached: %v", seed, r.Objective, want, reached)
		}
		verdicts[reached]++
	}
	if verdicts[true] < 5 || verdicts[false] < tier.Count(2, 5) {
		t.Errorf("verdicts %v: the test shows little", verdicts)
	}
}

// bestSlack tries every three logits, in any order and with repetition, and
// every two edges in order between them.
func bestSlack(logits []*big.Rat, at []space.Interval) float64 {
	best := math.Inf(-1)
	v := make([]float64, len(logits))
	for i := range v {
		v[i], _ = logits[i].Float64()
	}
	for first := range at {
		for second := first + 1; second < len(at); second++ {
			e, f := at[first].Lo, at[second].Lo
			for _, a := range v {
				for _, b := range v {
					for _, c := range v {
						best = math.Max(best, min(e-a, b-e, f-b, c-f))
					}
				}
			}
		}
	}
	return best
}

// Edges lie around the true ones: no float64 between the enclosure's ends, and
// the bins that fairness counts change there.
func TestEdgesAreWhereBinsChange(t *testing.T) {
	q := lineQuery(rand.New(rand.NewPCG(1, 1)), big.NewRat(1, 20))
	wide := &bound.Bounds{Logit: space.Interval{Lo: -50, Hi: 50}}
	e, err := binEdges(q, wide)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.at) != 19 || e.first != 0 {
		t.Fatalf("%d edges from bin %d, want 19 from 0", len(e.at), e.first)
	}
	for j, at := range e.at {
		below := fairness.LinkSigmoid.Bin(exactly(math.Nextafter(at.Lo, math.Inf(-1))), q.Epsilon)
		above := fairness.LinkSigmoid.Bin(exactly(at.Hi), q.Epsilon)
		if below != j || above != j+1 || at.Hi-at.Lo > 1e-14 {
			t.Errorf("edge %d from %v to %v: bins %d below and %d above", j+1, at.Lo, at.Hi, below, above)
		}
	}
	narrow := &bound.Bounds{Logit: space.Interval{Lo: -0.5, Hi: 0.5}}
	if e, err = binEdges(q, narrow); err != nil || len(e.at) != 5 || e.first != 7 {
		t.Errorf("%d edges from bin %d (%v), want 5 from 7", len(e.at), e.first, err)
	}
	if lo, hi := fairness.LinkSigmoid.Edge(20, q.Epsilon); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("past the last bin: %v to %v", lo, hi)
	}
}

func TestBinsRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*problem.Query)
		want  error
	}{
		"relaxed": {func(q *problem.Query) { q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}} }, sdk.ErrUnsupported},
		"apart": {func(q *problem.Query) {
			q.Forbid = []space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 1, Hi: 2}}}}
		}, sdk.ErrUnsupported},
		"fine ε":          {func(q *problem.Query) { q.Epsilon = big.NewRat(1, 1<<40) }, sdk.ErrUnsupported},
		"many bins":       {func(q *problem.Query) { q.K, q.Epsilon = 4, big.NewRat(1, 3) }, ErrTooFewBins},
		"many copies":     {func(q *problem.Query) { q.K = 5 }, ErrTooFewBins},
		"as it should be": {func(*problem.Query) {}, nil},
	} {
		q := lineQuery(rand.New(rand.NewPCG(1, 1)), big.NewRat(1, 20))
		q.Model.(*relu.Network).Layers[0].Weights[1] = 3
		c.spoil(q)
		b := bound.Intervals(q.Model, bound.Inputs(q.Space, RelaxedRegion(q)))
		for _, e := range Encodings {
			var err error
			if e.Form == problem.FormMILP {
				_, err = e.LowerMILP(q, b)
			} else {
				_, err = e.LowerSMT(q, b)
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%s, %s: error %v, want %v", name, e.Name, err, c.want)
			}
		}
	}
	q := lineQuery(rand.New(rand.NewPCG(1, 1)), big.NewRat(1, 20))
	q.K = 0
	low := lowerToMILP(t, milps[0], q)
	if _, err := low.InBins(q.Epsilon, 3); err == nil {
		t.Error("two copies were put into three bins")
	}
	if _, err := lowerTo(t, q, SMT).InBins(q.Epsilon, 3); err == nil {
		t.Error("two copies of a script were put into three bins")
	}
}
