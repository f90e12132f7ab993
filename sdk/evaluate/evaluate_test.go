package evaluate_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

var twentieth = big.NewRat(1, 20)

type failer interface {
	Helper()
	Fatalf(string, ...any)
	Fatal(...any)
}

func newEvaluator(t failer, n *relu.Network, s *space.Space, eps *big.Rat) *evaluate.Evaluator {
	t.Helper()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	e, err := evaluate.New(n, s, space.Region{}, eps)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// agree compares an outcome with the definitions on exact logits.
func agree(t failer, e *evaluate.Evaluator, m model.Model, s *space.Space, r space.Region, eps *big.Rat, x []float64, got evaluate.Outcome) {
	t.Helper()
	exact, link := m.Exact(), m.Link()
	notion := link.Notion(fairness.Score)
	logit := func(point []float64) *big.Rat { return exact.Logit(s.ExactInputs(point)) }
	var logits []*big.Rat
	points := s.Counterfactuals(r, x)
	for _, point := range points {
		logits = append(logits, logit(point))
	}
	copies := e.Copies(x)
	if got.N != len(logits) || len(copies.Bins) != len(logits) {
		t.Fatalf("%v: N = %d, %d bins, want %d", x, got.N, len(copies.Bins), len(logits))
	}
	if want := link.KBins(logits, eps); got.K != want {
		t.Fatalf("%v: k = %d, want %d", x, got.K, want)
	}
	if want := notion.Violates(logits, eps); got.Violates != want {
		t.Fatalf("%v: violates %v, want %v", x, got.Violates, want)
	}
	if len(logits) == 0 {
		if got != (evaluate.Outcome{ArgMax: -1, ArgMin: -1}) {
			t.Fatalf("%v: %+v for an individual outside the space", x, got)
		}
		return
	}
	shannon, least := entropies(link, logits, eps)
	if math.Abs(got.Shannon-shannon) > 1e-10 || math.Abs(got.MinEntropy-least) > 1e-10 {
		t.Fatalf("%v: entropies %v and %v, want %v and %v", x, got.Shannon, got.MinEntropy, shannon, least)
	}
	lo, hi := notion.Gap(logits)
	slack := 1e-9
	if bound := evaluate.Bound(e); !math.IsInf(bound, 1) {
		slack += bound
	}
	if got.Gap < lo-slack || got.Gap > hi+slack {
		t.Fatalf("%v: gap %v outside [%v, %v]", x, got.Gap, lo, hi)
	}
	for i, l := range logits {
		v, _ := l.Float64()
		if copies.Bins[i] != link.Bin(l, eps) || math.Abs(copies.Scores[i]-link.Score(v)) > slack || !slices.Equal(e.Point(x, copies.Combinations[i]), points[i]) {
			t.Fatalf("%v: copy %d is combination %d with score %v in bin %d, want %v with logit %v in bin %d",
				x, i, copies.Combinations[i], copies.Scores[i], copies.Bins[i], points[i], v, link.Bin(l, eps))
		}
	}
	// The extreme combinations are extreme up to rounding, and in the right order if they
	// differ by more.
	pair := []*big.Rat{logit(e.Point(x, got.ArgMax)), logit(e.Point(x, got.ArgMin))}
	if l, h := notion.Gap(pair); pair[0].Cmp(pair[1]) < 0 && slack < 1e-8 && hi > 2*slack || h < lo-2*slack || l > hi+2*slack {
		t.Fatalf("%v: combinations %d and %d are not the extremes", x, got.ArgMax, got.ArgMin)
	}
}

// entropies are Shannon's and the min-entropy of the bins, by definition.
func entropies(link fairness.Link, logits []*big.Rat, eps *big.Rat) (shannon, least float64) {
	counts := map[int]float64{}
	for _, l := range logits {
		counts[link.Bin(l, eps)]++
	}
	most := 0.0
	for _, n := range counts {
		p := n / float64(len(logits))
		shannon -= p * math.Log2(p)
		most = max(most, p)
	}
	return shannon, -math.Log2(most)
}

func TestAgreesWithDefinitions(t *testing.T) {
	tier.Checks(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		s := randomSpace(r)
		widths := []int{s.Inputs}
		for range r.IntN(4) {
			widths = append(widths, 1+r.IntN(7))
		}
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}).Draw(t, "head")
		scale := rapid.SampledFrom([]float64{0.5, 1, 3, 1e-5, 1e-160, 1e8, 1e155}).Draw(t, "scale")
		n := randomNetwork(r, head, scale, widths...)
		eps := rapid.SampledFrom([]*big.Rat{twentieth, big.NewRat(1, 3), big.NewRat(3, 10), big.NewRat(1, 1000)}).Draw(t, "eps")
		e := newEvaluator(t, n, s, eps)

		xs := make([][]float64, 40)
		for i := range xs {
			xs[i] = randomIndividual(r, s)
			switch f := r.IntN(len(s.Features)); r.IntN(8) {
			case 0: // outside the domain, perhaps outside every table
				xs[i][f] += math.Ldexp(1, r.IntN(60))
			case 1:
				xs[i][f] = math.NaN()
			}
		}
		outs := make([]evaluate.Outcome, len(xs))
		e.EvaluateAll(xs, outs)
		for i, x := range xs {
			if got := e.Evaluate(x); got != outs[i] {
				t.Fatalf("%v: alone %+v, in a batch %+v", x, got, outs[i])
			}
			if !meaningful(s, x) {
				if outs[i] != (evaluate.Outcome{ArgMax: -1, ArgMin: -1}) {
					t.Fatalf("%v: %+v without network inputs", x, outs[i])
				}
				continue
			}
			if i%4 == 0 { // exact evaluation is what takes the time
				agree(t, e, n, s, s.Whole(), eps, x, outs[i])
			}
		}
	})
}

// meaningful: every feature that is not protected has network inputs at x.
func meaningful(s *space.Space, x []float64) bool {
	for i := range s.Features {
		f := &s.Features[i]
		if f.IsProtected() {
			continue
		}
		if math.IsNaN(x[i]) || len(f.Inputs) > 0 && f.Inputs[0].Table != nil && !f.Contains(x[i]) {
			return false
		}
	}
	return true
}

// line is a network whose logit is the sum of a real feature and an offset
// that the protected feature chooses.
func line(offsets ...float64) (*relu.Network, *space.Space) {
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64,
		Layers: []relu.Layer{{In: 2, Out: 1, Weights: []float64{1, 1}, Bias: []float64{0}}}}
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "x", Kind: space.Real, Lo: -10, Hi: 10, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: float64(len(offsets) - 1), Inputs: []space.Input{{Index: 1, Table: offsets}}},
	}}
	for v := range offsets {
		s.Features[1].Protected = append(s.Features[1].Protected, float64(v))
	}
	return n, s
}

// TestOnTheEdges walks over the float64 numbers around each edge's logit: the
// steps are finer than any error bound, the bins must still be right.
func TestOnTheEdges(t *testing.T) {
	n, s := line(0, 0x1p-60, -0x1p-60)
	for _, eps := range []*big.Rat{twentieth, big.NewRat(3, 100)} {
		e := newEvaluator(t, n, s, eps)
		edge := new(big.Rat)
		for range fairness.Bins(eps) - 1 {
			v, _ := fairness.LogitEnclosure(edge.Add(edge, eps))
			for range 3 {
				v = math.Nextafter(v, -20)
			}
			for range 8 {
				x := []float64{v, 0}
				agree(t, e, n, s, s.Whole(), eps, x, e.Evaluate(x))
				v = math.Nextafter(v, 20)
			}
		}
	}
	e := newEvaluator(t, n, s, twentieth)
	if k := e.Evaluate([]float64{0, 0}).K; k != 2 {
		t.Errorf("logits 0 and ±2⁻⁶⁰: k = %d, want the two bins around ½", k)
	}
}

// TestGapAtEpsilon places a pair at gap = ε up to the last bit.
func TestGapAtEpsilon(t *testing.T) {
	_, upper := fairness.LogitEnclosure(big.NewRat(11, 20))
	for ulps := -4; ulps <= 4; ulps++ {
		v := upper
		for range max(ulps, -ulps) {
			v = math.Nextafter(v, v+math.Copysign(1, float64(ulps)))
		}
		n, s := line(0, v)
		e := newEvaluator(t, n, s, twentieth)
		x := []float64{0, 0}
		got := e.Evaluate(x)
		agree(t, e, n, s, s.Whole(), twentieth, x, got)
		if got.Violates != (ulps >= 0) {
			t.Errorf("%+d units beside ε: violates %v", ulps, got.Violates)
		}
	}
}

// TestRegion evaluates only the region's protected values.
func TestRegion(t *testing.T) {
	n, s := line(0, 1, 2, 3)
	region, _, err := s.Cut(s.Whole(), space.Predicate{{Feature: 1, Interval: space.Interval{Lo: 1, Hi: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := evaluate.New(n, s, region, twentieth)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{-1.5, 0}
	got := e.Evaluate(x)
	agree(t, e, n, s, region, twentieth, x, got)
	if got.N != 2 || got.ArgMax != 1 || got.ArgMin != 0 || e.Combinations() != 2 {
		t.Errorf("%+v for two of four values", got)
	}
	if p := e.Point(x, got.ArgMax); !slices.Equal(p, []float64{-1.5, 2}) {
		t.Errorf("the largest score at %v", p)
	}
	copies := e.Copies(x)
	want := []float64{fairness.Sigmoid(-0.5), fairness.Sigmoid(0.5)}
	if !slices.Equal(copies.Scores, want) || !slices.Equal(copies.Combinations, []int{0, 1}) || !slices.Equal(copies.Bins, []int{7, 12}) {
		t.Errorf("%+v, want the scores %v", copies, want)
	}
}

// TestManyCombinations takes more than fit into one pass of the kernel.
func TestManyCombinations(t *testing.T) {
	tier.NeedUsual(t)
	r := rand.New(rand.NewPCG(5, 5))
	s := &space.Space{Inputs: 4}
	for i := range 4 {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Lo: 0, Hi: 9, Inputs: []space.Input{{Index: i, Scale: 1}}}
		if i > 0 {
			f.Protected = []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
		}
		s.Features = append(s.Features, f)
	}
	// Leaves 729 less 81 or 729 combinations, never in one run.
	s.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 5, Hi: 5}}, {Feature: 3, Interval: space.Interval{Lo: 4, Hi: 4}}}}
	n := randomNetwork(r, relu.HeadSigmoid, 0.4, 4, 9, 6)
	e := newEvaluator(t, n, s, twentieth)
	for v := range 10 {
		x := []float64{float64(v), 0, 0, 0}
		got := e.Evaluate(x)
		agree(t, e, n, s, s.Whole(), twentieth, x, got)
		if want := 729 - 81*map[int]int{5: 1}[v]; got.N != want {
			t.Errorf("N = %d at %v, want %d", got.N, x, want)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	s := randomSpace(r)
	n := randomNetwork(r, relu.HeadSigmoid, 0.7, s.Inputs, 12, 5)
	e := newEvaluator(t, n, s, twentieth)
	xs := make([][]float64, 500)
	want := make([]evaluate.Outcome, len(xs))
	for i := range xs {
		xs[i] = randomIndividual(r, s)
		want[i] = e.Evaluate(xs[i])
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			got, again := make([]evaluate.Outcome, len(xs)), make([]evaluate.Outcome, len(xs))
			e.EvaluateAll(xs, got)
			copies := e.EvaluateCopies(xs, again, evaluate.Detail{Scores: true, Bins: true})
			if !slices.Equal(got, want) || !slices.Equal(again, want) {
				t.Error("concurrent batches differ from single evaluations")
			}
			for i, x := range xs {
				if c := e.Copies(x); !slices.Equal(copies[i].Scores, c.Scores) || !slices.Equal(copies[i].Bins, c.Bins) {
					t.Errorf("%v: the copies of a batch are %+v, one by one %+v", x, copies[i], c)
				}
			}
		})
	}
	wait.Wait()
}

func TestNewRefuses(t *testing.T) {
	n, s := line(0, 1)
	other := randomNetwork(rand.New(rand.NewPCG(1, 1)), relu.HeadSigmoid, 1, 3)
	whole := s.Whole()
	empty := s.Whole()
	empty.Values[1] = nil
	outside := s.Whole()
	outside.Values[1] = []float64{0, 7}
	for name, c := range map[string]struct {
		n      model.Model
		region space.Region
		eps    *big.Rat
	}{
		"no network":                         {nil, whole, twentieth},
		"inputs do not match":                {other, whole, twentieth},
		"no epsilon":                         {n, whole, nil},
		"epsilon of zero":                    {n, whole, new(big.Rat)},
		"an epsilon too small to count bins": {n, whole, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 63))},
		"no protected value left":            {n, empty, twentieth},
		"value without a table item":         {n, outside, twentieth},
		"another space's region":             {n, space.Region{Values: make([][]float64, 5)}, twentieth},
	} {
		if _, err := evaluate.New(c.n, s, c.region, c.eps); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestEvaluateDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := randomSpace(r)
	e := newEvaluator(t, randomNetwork(r, relu.HeadSigmoid, 0.5, s.Inputs, 10, 10), s, twentieth)
	x := randomIndividual(r, s)
	if n := testing.AllocsPerRun(200, func() { e.Evaluate(x) }); n >= 1 {
		t.Errorf("%v allocations an individual", n)
	}
}
