// Package evaluate computes k and gap of many individuals fast: all
// counterfactuals of a person go through the network together, and what they
// share is computed once.
//
// It works in floating point but its decisions are exact. Every computed logit
// carries a proven bound of its error (derived in rounding.go); where a logit lies within its bound of a bin's edge, or a gap
// within its bound of ε, the copies concerned are evaluated again with a
// tighter bound and, if that does not decide, in exact arithmetic by
// sdk/network and sdk/fairness, whose definitions this package is tested
// against.
package evaluate

import (
	"fmt"
	"math"
	"math/big"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/network"
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
	// for display and ordering. Its last digits may differ between processor
	// architectures; whether it exceeds ε is Violates' to say.
	Gap float64
	// Violates reports gap(x) > ε; exact.
	Violates bool
	// ArgMax and ArgMin are the protected combinations with the largest and the
	// smallest score, as numbers that Point understands. Among scores that
	// rounding cannot tell apart it may be any.
	ArgMax, ArgMin int
}

// Evaluator evaluates individuals of one network, space, region and ε. It is
// read-only and safe for concurrent use.
type Evaluator struct {
	space    *space.Space
	eps      *big.Rat
	epsLo    float64 // float64 numbers around ε
	epsHi    float64
	edges    edges
	combos   *combinations
	mapping  *mapping
	layers   []layer // the network with its head folded into the last layer
	exact    *network.Exact
	kernel   kernel
	bound    float64 // the kernel's error bound inside the domain
	maxGroup int     // individuals handed to the kernel together
	pool     sync.Pool
}

// Limits on what New accepts, far above the studies of this field.
const (
	// MaxBins bounds ⌈1/ε⌉.
	MaxBins = 1 << 14
	// maxTable bounds the entries of the table of protected contributions, one
	// a combination and first-layer neuron (512 MiB).
	maxTable = 1 << 26
)

// New prepares an evaluator. The network and the space must have passed
// Validate. The region's protected values are the copies' values; its box is
// not enforced (see space.RegionContains). A zero region is the whole space. ε
// is a score difference, 0 < ε < 1.
func New(n *network.Network, s *space.Space, region space.Region, eps *big.Rat) (*Evaluator, error) {
	if n.Inputs() != s.Inputs {
		return nil, fmt.Errorf("network takes %d inputs, space feeds %d", n.Inputs(), s.Inputs)
	}
	if err := fairness.CheckEpsilon(eps, fairness.Score); err != nil {
		return nil, err
	}
	if bins := fairness.Bins(eps); bins > MaxBins {
		return nil, fmt.Errorf("ε = %s makes %d bins; at most %d can be counted", eps.RatString(), bins, MaxBins)
	}
	whole := s.Whole()
	if region.Values != nil {
		whole.Values = region.Values
	}
	combos, err := newCombinations(s, whole)
	if err != nil {
		return nil, err
	}
	layers := fold(n)
	if size := combos.count * layers[0].out; size > maxTable {
		return nil, fmt.Errorf("%d protected combinations times %d neurons of the first layer is above the limit of %d; cut the lists of protected values",
			combos.count, layers[0].out, maxTable)
	}
	e := &Evaluator{
		space: s, eps: new(big.Rat).Set(eps), edges: newEdges(eps),
		combos: combos, mapping: newMapping(s), layers: layers,
		exact: network.NewExact(n),
	}
	e.epsLo, e.epsHi = around(eps)
	e.kernel = newKernel64(layers, e.mapping, combos)
	e.bound = staticBound(n, layers, s, whole)
	e.maxGroup = max(1, tile/max(1, combos.count))
	e.pool.New = func() any { return e.newScratch() }
	return e, nil
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
	s.begin()
	e.add(s, x)
	e.score(s)
	out := e.outcome(s, &s.members[0])
	e.pool.Put(s)
	return out
}

// EvaluateAll sets out[i] to the outcome of xs[i], on GOMAXPROCS goroutines.
// out must be at least as long as xs.
func (e *Evaluator) EvaluateAll(xs [][]float64, out []Outcome) {
	out = out[:len(xs)]
	chunk := 4 * e.maxGroup
	workers := min(runtime.GOMAXPROCS(0), (len(xs)+chunk-1)/chunk)
	var next atomic.Int64
	work := func() {
		s := e.pool.Get().(*scratch)
		defer e.pool.Put(s)
		for {
			to := min(int(next.Add(int64(chunk))), len(xs)+chunk)
			from := to - chunk
			if from >= len(xs) {
				return
			}
			for to = min(to, len(xs)); from < to; from += e.maxGroup {
				e.evaluateGroup(s, xs[from:min(from+e.maxGroup, to)], out[from:])
			}
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

func (e *Evaluator) evaluateGroup(s *scratch, xs [][]float64, out []Outcome) {
	s.begin()
	for _, x := range xs {
		e.add(s, x)
	}
	e.score(s)
	for i := range xs {
		out[i] = e.outcome(s, &s.members[i])
	}
}

// Scores gives the scores of x's allowed counterfactuals in float64
// arithmetic, with the number of each one's protected combination.
func (e *Evaluator) Scores(x []float64) (scores []float64, combinations []int) {
	s := e.pool.Get().(*scratch)
	defer e.pool.Put(s)
	s.begin()
	e.add(s, x)
	e.score(s)
	m := &s.members[0]
	for column := m.from; column < m.to; column++ {
		if math.IsInf(s.errs[column], 1) {
			e.refine(s, m, column)
		}
		scores = append(scores, network.Sigmoid(s.logits[column]))
		combinations = append(combinations, int(s.combos[column]))
	}
	return scores, combinations
}
