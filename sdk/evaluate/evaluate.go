// Package evaluate computes k, the gap and the entropies of many individuals
// fast: all counterfactuals of a person go through the network together, what
// they share is computed once (kernel.go says how), and the loops that remain
// use vector instructions if the processor has them (lanes.go).
//
// It works in floating point but its decisions are exact. Every computed logit
// carries a proven bound of its error (derived in rounding.go); if a logit lies
// within its bound of a bin's edge, or a gap within its bound of ε, the copies
// concerned are evaluated again with a tighter bound and, if that does
// not decide, in exact arithmetic by sdk/model and sdk/fairness, whose
// definitions this package is tested against.
//
// This holds for networks of ReLU layers. Models of other families evaluate
// counterfactuals together if they are model.Varying, otherwise one at a time. They
// supply the error bounds, and the decisions are equally exact.
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

// Outcome is the result for one individual x.
type Outcome struct {
	// N is |Z(x)|, the number of allowed counterfactuals. If it is 0, x is not in
	// the space; ArgMax and ArgMin are then −1, and all other fields zero.
	N int
	// K is k(x), the number of different bins its scores fall into; exact.
	K int
	// Gap is the largest score minus the smallest one, in float64 arithmetic. It is for
	// display and ordering, with about 14 correct digits if the values inside the network
	// are of its logits' size, and fewer if larger ones cancel. All variants of the loops
	// compute the same number; its last digit may differ between processor
	// architectures, whose exponential functions differ. Violates says whether it
	// exceeds ε.
	Gap float64
	// Violates reports gap(x) > ε or, with bands, K ≥ 2; exact.
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
	binning fairness.Binning
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
	varying model.Copies // of a model.Varying; else nil
	batched model.Batched
	// bound is the error bound of kernel or varying inside the domain; +Inf if there is
	// none: each logit is then computed separately, which is slower.
	bound float64
	pool  sync.Pool
}

// maxTable bounds the protected contributions that New computes for the kernel,
// one per combination and first-layer neuron.
const maxTable = 1 << 26

// New prepares an evaluator. The model and the space must have passed
// Validate. The region's protected values are the copies' values; its box is
// not enforced (see space.RegionContains). A zero region is the whole space. ε
// is a score difference that fairness.CheckEpsilon accepts. Evaluation is slower, with
// the same results, for an ε below 2⁻¹² and if combinations times first-layer neurons
// exceed 2²⁶. simd.Variable chooses among the variants of its loops.
func New(m model.Model, s *space.Space, region space.Region, eps *big.Rat) (*Evaluator, error) {
	return NewBanded(m, s, region, eps, nil)
}

// NewBanded is New with the bands of a decision in place of the bins of width eps: K counts bands, and an
// individual violates if its copies are in two bands or more. Without bands it is New.
func NewBanded(m model.Model, s *space.Space, region space.Region, eps *big.Rat, bands fairness.Bands) (*Evaluator, error) {
	if m == nil {
		return nil, errors.New("the model is nil: a strategy that evaluates by itself must set NeedsModel in its description")
	}
	if m.Inputs() != s.Inputs {
		return nil, fmt.Errorf("the model takes %d inputs, but the space feeds %d", m.Inputs(), s.Inputs)
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
		space: s, link: m.Link(), notion: m.Link().Notion(fairness.Score), eps: new(big.Rat).Set(eps), binning: m.Link().Binning(eps, bands),
		combos: combos, mapping: newMapping(s),
		model: m, exact: m.Exact(),
	}
	e.edges = newEdges(e.link, eps, e.binning)
	if e.epsLo, e.epsHi = around(eps); bands != nil {
		e.epsLo, e.epsHi = math.Inf(-1), math.Inf(-1) // no gap needs to be refined
	}
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
	e.batched, _ = m.(model.Batched)
	e.edges.margin(e.bound)
	e.pool.New = func() any { return e.newScratch() }
	return e, nil
}

// vary lets the model prepare to evaluate all copies of an individual together.
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

// Combinations returns the number of protected combinations of the region, before
// constraints. They are numbered from 0 in lexicographic order.
func (e *Evaluator) Combinations() int { return e.combos.count }

// Point returns a copy of x with the values of protected combination c.
func (e *Evaluator) Point(x []float64, c int) []float64 {
	point := append([]float64(nil), x...)
	e.combos.complete(point, c)
	return point
}

// Evaluate computes the outcome of individual x, which has one entry per feature;
// protected entries are ignored. Outside the features' domains the outcome is equally
// exact, but takes longer. An x from which no inputs can be computed (a wrong length,
// a number that is not finite, no entry in a table) is not in the space: N = 0.
// Evaluate does not allocate unless exact arithmetic is needed.
func (e *Evaluator) Evaluate(x []float64) Outcome {
	s := e.pool.Get().(*scratch)
	e.prepare(s, [][]float64{x})
	out, _ := e.evaluate(s, x)
	e.pool.Put(s)
	return out
}

// Prepare lets a model.Batched prepare the counterfactuals of individuals, which makes evaluating them one by
// one fast. It does nothing for other models.
func (e *Evaluator) Prepare(xs [][]float64) {
	if e.batched != nil {
		e.all(len(xs), func(s *scratch, from, to int) { e.prepare(s, xs[from:to]) })
	}
}

// prepare lets a model.Batched prepare the counterfactuals of individuals.
func (e *Evaluator) prepare(s *scratch, xs [][]float64) {
	if e.batched == nil {
		return
	}
	Ahead(e.batched, e.space, func(yield func([]float64) bool) {
		for _, x := range xs {
			e.load(s, x)
			for column := range s.n {
				if !yield(e.complete(s, column)) {
					return
				}
			}
		}
	})
}

// evaluate evaluates x. decided reports that the kernel's logits sufficed.
func (e *Evaluator) evaluate(s *scratch, x []float64) (out Outcome, decided bool) {
	proven := e.load(s, x)
	if s.n == 0 {
		return Outcome{ArgMax: -1, ArgMin: -1}, false
	}
	if e.score(s, proven) {
		if out, decided = e.decide(s); decided {
			return e.banded(out), true
		}
		s.spell()
		fill(s.errs[:s.n], e.bound)
	}
	return e.banded(e.settle(s)), false
}

// banded returns out; if the evaluator has bands, its Violates is set to K ≥ 2.
func (e *Evaluator) banded(out Outcome) Outcome {
	if e.binning.Bands() != nil {
		out.Violates = out.K >= 2
	}
	return out
}

// EvaluateAll sets out[i] to the outcome of xs[i], on GOMAXPROCS goroutines.
// out must be at least as long as xs.
func (e *Evaluator) EvaluateAll(xs [][]float64, out []Outcome) {
	out = out[:len(xs)]
	e.all(len(xs), func(s *scratch, from, to int) {
		e.prepare(s, xs[from:to])
		for i := from; i < to; i++ {
			out[i], _ = e.evaluate(s, xs[i])
		}
	})
}

// all splits the indices below n into ranges of at most chunk. It calls do(s, from, to)
// once for each, on up to GOMAXPROCS goroutines with a scratch each.
func (e *Evaluator) all(n int, do func(s *scratch, from, to int)) {
	chunk := chunk
	if e.batched != nil {
		chunk = max(1, batch/e.combos.count)
	}
	workers := min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk)
	var next atomic.Int64
	work := func() {
		s := e.pool.Get().(*scratch)
		defer e.pool.Put(s)
		for {
			from := int(next.Add(int64(chunk))) - chunk
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

// batch is the largest number of counterfactuals that a model.Batched prepares at a time.
const batch = 4096

// Kernel names the variant of the vector loops in use: avx512, avx2 or scalar.
func (e *Evaluator) Kernel() string { return e.lanes.name }
