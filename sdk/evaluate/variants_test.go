package evaluate_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// eachVariant makes an evaluator of every variant of the vector loops.
func eachVariant(t failer, n *relu.Network, s *space.Space, eps *big.Rat) map[string]*evaluate.Evaluator {
	t.Helper()
	before, set := os.LookupEnv(simd.Variable)
	defer func() {
		if os.Unsetenv(simd.Variable); set {
			os.Setenv(simd.Variable, before)
		}
	}()
	out := map[string]*evaluate.Evaluator{}
	for _, name := range simd.Kernels() {
		os.Setenv(simd.Variable, name)
		out[name] = newEvaluator(t, n, s, eps)
		if got := out[name].Kernel(); got != name {
			t.Fatalf("asked for %s, got %s", name, got)
		}
	}
	return out
}

// TestVariantsAgree evaluates the same individuals with all variants: outcomes
// must be the same to the last bit, and some are held against the definitions.
// Networks are up to 150 neurons wide and six layers deep; the combinations are
// from 2, which leave a vector almost empty, to hundreds.
func TestVariantsAgree(t *testing.T) {
	tier.Checks(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		s := adultLike()
		switch rapid.IntRange(0, 3).Draw(t, "combinations") {
		case 0:
			s.Features[0].Protected, s.Features[7].Protected = nil, nil // 2
		case 1:
			s.Features[8].Protected, s.Features[7].Protected = nil, nil // 9
		case 2:
			s.Features[12].Protected = []float64{1, 2, 3} // 270
		}
		if rapid.Bool().Draw(t, "rule") {
			s.Forbidden = []space.Predicate{{
				{Feature: 1, Interval: space.Interval{Lo: 2, Hi: 4}},
				{Feature: 8, Interval: space.Interval{Lo: 1, Hi: 1}},
			}}
		}
		widths := []int{13}
		for range rapid.IntRange(0, 5).Draw(t, "layers") {
			widths = append(widths, rapid.SampledFrom([]int{1, 3, 8, 9, 16, 30, 64, 65, 100, 150}).Draw(t, "width"))
		}
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
		scale := rapid.SampledFrom([]float64{0.05, 0.2, 1}).Draw(t, "scale")
		n := randomNetwork(r, head, scale, widths...)
		xs := make([][]float64, 6)
		for i := range xs {
			xs[i] = randomIndividual(r, s)
		}
		centre(n, s, xs[0])
		outs := make([]evaluate.Outcome, len(xs))
		first := true
		for name, e := range eachVariant(t, n, s, twentieth) {
			for i, x := range xs {
				got := e.Evaluate(x)
				if first {
					outs[i] = got
				} else if got != outs[i] {
					t.Fatalf("%v: %s: %+v, another variant %+v", x, name, got, outs[i])
				}
			}
			if first && n.Parameters() < 1500 {
				agree(t, e, n, s, s.Whole(), twentieth, xs[0], outs[0])
			}
			first = false
		}
	})
}

// centre moves the network's output so that x's first counterfactual has a
// score of about ½: where bins are narrow.
func centre(n *relu.Network, s *space.Space, x []float64) {
	points := s.Counterfactuals(s.Whole(), x)
	if len(points) == 0 {
		return
	}
	bias := n.Layers[len(n.Layers)-1].Bias
	bias[len(bias)-1] -= n.Logit(s.NetworkInputs(nil, points[0]))
}

// TestCopiesOnEdges moves the output of random networks so that one
// counterfactual's logit is an edge's, up to the last bits: as near to it as the
// bias can bring it, and some neighbours of that.
func TestCopiesOnEdges(t *testing.T) {
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		s := randomSpace(r)
		n := randomNetwork(r, relu.HeadSigmoid, 1, s.Inputs, 1+r.IntN(12), 1+r.IntN(6))
		x := randomIndividual(r, s)
		points := s.Counterfactuals(s.Whole(), x)
		if len(points) == 0 {
			t.Skip("not in the space")
		}
		logit := n.Exact().Logit(s.ExactInputs(points[r.IntN(len(points))]))
		edge, _ := fairness.LogitEnclosure(big.NewRat(rapid.Int64Range(1, 19).Draw(t, "edge"), 20))
		bias := n.Layers[len(n.Layers)-1].Bias
		target := new(big.Rat).SetFloat64(edge)
		target.Sub(target, logit).Add(target, new(big.Rat).SetFloat64(bias[0]))
		bias[0], _ = target.Float64()
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			bias[0] = math.Nextafter(bias[0], rapid.SampledFrom([]float64{-100, 100}).Draw(t, "towards"))
		}
		for _, e := range eachVariant(t, n, s, twentieth) {
			agree(t, e, n, s, s.Whole(), twentieth, x, e.Evaluate(x))
		}
	})
}

// TestAnyNumberOfCores evaluates a batch on one to eight of them.
func TestAnyNumberOfCores(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	s := adultLike()
	e := newEvaluator(t, randomNetwork(r, relu.HeadSigmoid, 0.2, 13, 30, 20), s, twentieth)
	xs := make([][]float64, 1000)
	want := make([]evaluate.Outcome, len(xs))
	for i := range xs {
		xs[i] = randomIndividual(r, s)
		want[i] = e.Evaluate(xs[i])
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(cores)
		got := make([]evaluate.Outcome, len(xs))
		e.EvaluateAll(xs, got)
		if !slices.Equal(got, want) {
			t.Errorf("outcomes on %d cores differ from one after the other", cores)
		}
	}
}

func TestUnknownVariantIsRefused(t *testing.T) {
	t.Setenv(simd.Variable, "abacus")
	n, s := line(0, 1)
	if _, err := evaluate.New(n, s, space.Region{}, twentieth); err == nil {
		t.Error("a variant that does not exist was accepted")
	}
}
