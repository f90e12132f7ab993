// Package evaluate computes k, the gap and the entropies of many individuals
// fast: all counterfactuals of a person go through the network together, what
// they share is computed once (kernel.go says how), and the loops that remain
// are vector instructions where the processor has them (lanes.go).
//
// It works in floating point but its decisions are exact. Every computed logit
// carries a proven bound of its error (derived in rounding.go); where a logit
// lies within its bound of a bin's edge, or a gap within its bound of ε, the
// copies concerned are evaluated again with a tighter bound and, if that does
// not decide, in exact arithmetic by sdk/model and sdk/fairness, whose
// definitions this package is tested against.
//
// All of this is for networks of ReLU layers. Models of other families evaluate
// counterfactuals together where they are model.Varying, else one at a time, with the
// error bounds that they give, and as exactly.
package evaluate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Outcome is what is known of one individual x.
type Outcome struct {
	// N is |Z(x)|, the number of allowed counterfactuals; where it is 0, x is
	// not in the space and everything else is zero but ArgMax and ArgMin, −1.
	N int
	// K is k(x), the number of different bins its scores fall into; exact.
	K int
	// Gap is the largest score minus the smallest one, in float64 arithmetic:
	// for display and ordering, to some 14 digits where the values inside the network
	// are of its logits' size, and to less where larger ones cancel. All variants of the loops
	// compute the same number; between processor architectures, whose exponential
	// functions differ, its last digit may not be the same. Whether it exceeds ε
	// is Violates' to say.
	Gap float64
	// Violates reports gap(x) > ε; exact.
	Violates bool
	// ArgMax and ArgMin are the protected combinations with the largest and the smallest
	// score, as indices for Point. Among scores equal up to rounding, any one.
	ArgMax, ArgMin int
	// Shannon and MinEntropy are entropies, in bits, of the distribution of the
	// counterfactuals over the bins, all equally likely: −Σ pⱼ·log₂ pⱼ and
	// −log₂ max pⱼ, where pⱼ is the share of bin j. They are computed from exact
	// counts to about 10⁻¹¹ and are the same on every machine.
	Shannon, MinEntropy float64
}

// Evaluator evaluates individuals of one model, space, region and ε. It is
// read-only and safe for concurrent use.
type Evaluator struct {
	space   *space.Space
	link    fairness.Link
	notion  fairness.Notion // of gaps between scores
	eps     *big.Rat
	epsLo   float64 // float64 numbers around ε
	epsHi   float64
	edges   edges
	combos  *combinations
	mapping *mapping
	// layers are a network of ReLU layers with its head folded into the last one;
	// nil for other models.
	layers  []layer
	model   model.Model
	exact   model.Exact
	entropy entropies
	lanes   *lanes
	kernel  *kernel      // nil above maxTable, and for other models
	varying model.Copies // of other models that have such; else nil
	// bound is the error bound of kernel or varying inside the domain; +Inf where there
	// is none, or neither: each logit is then computed on its own, which is slower.
	bound float64
	pool  sync.Pool
}

// maxTable bounds the protected contributions that New computes for the kernel,
// one a combination and first-layer neuron.
const maxTable = 1 << 26

// New prepares an evaluator. The model and the space must have passed
// Validate. The region's protected values are the copies' values; its box is
// not enforced (see space.RegionContains). A zero region is the whole space. ε
// is a score difference that fairness.CheckEpsilon accepts. Many combinations of a wide network, and an ε
// below 2⁻¹², cost time and change no answer. simd.Variable
// chooses among the variants of its loops.
func New(m model.Model, s *space.Space, region space.Region, eps *big.Rat) (*Evaluator, error) {
	if m == nil {
		return nil, errors.New("there is no network: a strategy that evaluates by itself asks for it by NeedsModel")
	}
	if m.Inputs() != s.Inputs {
		return nil, fmt.Errorf("network takes %d inputs, space feeds %d", m.Inputs(), s.Inputs)
	}
	if err := fairness.CheckEpsilon(eps, fairness.Score); err != nil {
		return nil, err
	}
	variant, err := simd.Choose(variants)
	if err != nil {
		return nil, err
	}
	whole := s.Whole()
	if region.Values != nil {
		whole.Values = region.Values
	}
	combos, err := newCombinations(s, whole)
	if err != nil {
		return nil, err
	}
	e := &Evaluator{
		space: s, link: m.Link(), notion: m.Link().Notion(fairness.Score), eps: new(big.Rat).Set(eps), edges: newEdges(m.Link(), eps),
		combos: combos, mapping: newMapping(s),
		model: m, exact: m.Exact(),
	}
	e.epsLo, e.epsHi = around(eps)
	e.entropy = newEntropies(combos.count)
	e.lanes, e.bound = variant, math.Inf(1)
	if n, ok := m.(*relu.Network); ok {
		e.layers = fold(n)
		if combos.count*e.layers[0].out <= maxTable {
			e.kernel = newKernel(variant, e.layers, e.mapping, combos)
			e.bound = staticBound(e.layers, s, whole)
		}
	}
	if m, ok := m.(model.Varying); ok {
		e.vary(m)
	}
	e.edges.margin(e.bound)
	e.pool.New = func() any { return e.newScratch() }
	return e, nil
}

// vary prepares a model's copies of one individual.
func (e *Evaluator) vary(m model.Varying) {
	var varying []int
	for i := range e.mapping.protected {
		varying = append(varying, e.mapping.protected[i].Index)
	}
	values := make([][]*big.Rat, e.combos.count)
	point := make([]float64, len(e.space.Features))
	for i := range e.space.Features {
		point[i] = e.space.Features[i].Lo
	}
	for k := range values {
		e.combos.complete(point, k)
		inputs := e.space.ExactInputs(point)
		for _, i := range varying {
			values[k] = append(values[k], inputs[i])
		}
	}
	none := make([]float64, m.Inputs())
	if e.varying = m.Copies(varying, values); e.varying != nil {
		e.bound = m.LogitError(none, none)
	}
}

// Combinations is the number of protected combinations of the region, before
// constraints; Point numbers them from 0 in lexicographic order.
func (e *Evaluator) Combinations() int { return e.combos.count }

// Point completes x by protected combination c. The result is a fresh slice.
func (e *Evaluator) Point(x []float64, c int) []float64 {
	point := append([]float64(nil), x...)
	e.combos.complete(point, c)
	return point
}

// Evaluate computes the outcome of individual x, one entry a feature, of which
// the protected ones are ignored. Outside the features' domains the network's
// answer is as exact but slower; an x with no meaning there (a wrong length, a
// number that is not finite, no entry in a table) is not in the space: N = 0.
// It does not allocate unless exact arithmetic is called for.
func (e *Evaluator) Evaluate(x []float64) Outcome {
	s := e.pool.Get().(*scratch)
	out, _ := e.evaluate(s, x)
	e.pool.Put(s)
	return out
}

// evaluate reports with decided that the logits as the kernel computed them
// were all it took.
func (e *Evaluator) evaluate(s *scratch, x []float64) (out Outcome, decided bool) {
	proven := e.load(s, x)
	if s.n == 0 {
		return Outcome{ArgMax: -1, ArgMin: -1}, false
	}
	if e.score(s, proven) {
		if out, decided = e.decide(s); decided {
			return out, true
		}
		s.spell()
		fill(s.errs[:s.n], e.bound)
	}
	return e.settle(s), false
}

// EvaluateAll sets out[i] to the outcome of xs[i], on GOMAXPROCS goroutines.
// out must be at least as long as xs.
func (e *Evaluator) EvaluateAll(xs [][]float64, out []Outcome) {
	out = out[:len(xs)]
	e.all(len(xs), func(s *scratch, from, to int) {
		for i := from; i < to; i++ {
			out[i], _ = e.evaluate(s, xs[i])
		}
	})
}

// all does n pieces of work, each of which is some individual's, on GOMAXPROCS
// goroutines.
func (e *Evaluator) all(n int, do func(s *scratch, from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk)
	var next atomic.Int64
	work := func() {
		s := e.pool.Get().(*scratch)
		defer e.pool.Put(s)
		for {
			from := int(next.Add(chunk)) - chunk
			if from >= n {
				return
			}
			do(s, from, min(from+chunk, n))
		}
	}
	if workers <= 1 {
		work()
		return
	}
	var wait sync.WaitGroup
	for range workers {
		wait.Go(work)
	}
	wait.Wait()
}

// chunk is how many individuals a goroutine takes at a time.
const chunk = 32

// Kernel names the variant of the vector loops in use: avx512, avx2 or scalar.
func (e *Evaluator) Kernel() string { return e.lanes.name }
