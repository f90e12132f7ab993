package evaluate

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/network"
)

// edges are the logits between the bins: bin j lies between edge j and edge
// j+1, of which float64 numbers below and above are held. The outermost are
// infinite.
type edges struct{ below, above []float64 }

func newEdges(eps *big.Rat) edges {
	bins := fairness.Bins(eps)
	g := edges{below: make([]float64, bins+1), above: make([]float64, bins+1)}
	p := new(big.Rat)
	for j := 1; j < bins; j++ {
		g.below[j], g.above[j] = fairness.LogitEnclosure(p.Add(p, eps))
	}
	g.below[0], g.above[0] = math.Inf(-1), math.Inf(-1)
	g.below[bins], g.above[bins] = math.Inf(1), math.Inf(1)
	return g
}

// bin finds the bin of every logit within err of l. ok is false where an edge
// lies too near. guess is the bin to try first.
func (g *edges) bin(l, err float64, guess int) (j int, ok bool) {
	if !(g.above[guess] <= l && l < g.below[guess+1]) {
		at, found := slices.BinarySearch(g.above[1:len(g.above)-1], l)
		if guess = at; found {
			guess++
		}
	}
	// Each difference is rounded once, which the factor on err outweighs.
	err *= 1 + 0x1p-50
	return guess, l-g.above[guess] >= err && g.below[guess+1]-l > err
}

// outcome decides all there is to say of a member whose logits are computed.
func (e *Evaluator) outcome(s *scratch, m *member) Outcome {
	out := Outcome{N: m.to - m.from, ArgMax: -1, ArgMin: -1}
	if out.N == 0 {
		return out
	}
	out.K = e.countBins(s, m)
	x := s.extremes(m)
	decided := false
	if out.Gap, out.Violates, decided = e.exceeds(s, x); !decided {
		x.high, x.low, out.Violates = e.settleGap(s, m)
		out.Gap, _, _ = e.exceeds(s, x)
	}
	out.ArgMax, out.ArgMin = int(s.combos[x.high]), int(s.combos[x.low])
	return out
}

// countBins is k, exactly.
func (e *Evaluator) countBins(s *scratch, m *member) int {
	s.epoch++
	if s.epoch == 0 {
		clear(s.seen)
		s.epoch = 1
	}
	k, bin := 0, 0
	for c := m.from; c < m.to; c++ {
		j, ok := e.edges.bin(s.logits[c], s.errs[c], bin)
		if !ok {
			j = e.settleBin(s, m, c)
		}
		if s.seen[j] != s.epoch {
			s.seen[j] = s.epoch
			k++
		}
		bin = j
	}
	return k
}

// settleBin decides the bin of a column that the kernel could not.
func (e *Evaluator) settleBin(s *scratch, m *member, column int) int {
	e.refine(s, m, column)
	if j, ok := e.edges.bin(s.logits[column], s.errs[column], 0); ok {
		return j
	}
	return fairness.Bin(e.exactLogit(s, m, column), e.eps)
}

// extremes is what is known of a member's largest and smallest logit.
type extremes struct {
	high, low int // the columns of the largest and smallest computed logit
	// err bounds how far the largest exact logit is from logits[high], and the
	// smallest from logits[low].
	err float64
	// The largest exact logit is at least floor, the smallest at most ceiling.
	floor, ceiling float64
}

func (s *scratch) extremes(m *member) extremes {
	x := extremes{high: m.from, low: m.from, floor: math.Inf(-1), ceiling: math.Inf(1)}
	most, least := math.Inf(-1), math.Inf(1)
	for c := m.from; c < m.to; c++ {
		l, err := s.logits[c], s.errs[c]
		if l > s.logits[x.high] {
			x.high = c
		}
		if l < s.logits[x.low] {
			x.low = c
		}
		// Branches, because a new extreme is rare.
		above, below := l+err, l-err
		if above > most {
			most = above
		}
		if below < least {
			least = below
		}
		if below > x.floor {
			x.floor = below
		}
		if above < x.ceiling {
			x.ceiling = above
		}
	}
	high, low := s.logits[x.high], s.logits[x.low]
	x.err = max(most-high, high-x.floor, low-least, x.ceiling-low)
	return x
}

// sigmoidError bounds the error of a difference of two computed sigmoids. The
// roundings and an exponential to within a few units in the last place make
// some 2⁻⁵⁰; there is room for an exponential much worse than any in use.
const sigmoidError = 0x1p-44

// exceeds computes the gap and decides whether it exceeds ε; decided is false
// where ε lies too near. The sigmoid's slope is at most ¼, hence err/2 for the
// two ends; what rounding adds to err is far below sigmoidError.
func (e *Evaluator) exceeds(s *scratch, x extremes) (gap float64, exceeds, decided bool) {
	gap = network.Sigmoid(s.logits[x.high]) - network.Sigmoid(s.logits[x.low])
	tolerance := x.err/2 + sigmoidError
	switch {
	case gap-tolerance > e.epsHi:
		return gap, true, true
	case gap+tolerance < e.epsLo:
		return gap, false, true
	}
	return gap, false, false
}

// settleGap decides what the kernel's logits could not: it refines the columns
// that may be the extremes, and evaluates exactly those that still may be.
func (e *Evaluator) settleGap(s *scratch, m *member) (high, low int, violates bool) {
	s.eachCandidate(m, func(c int) { e.refine(s, m, c) })
	x := s.extremes(m)
	if _, violates, decided := e.exceeds(s, x); decided {
		return x.high, x.low, violates
	}
	var largest, smallest *big.Rat
	s.eachCandidate(m, func(c int) {
		l := e.exactLogit(s, m, c)
		if largest == nil || l.Cmp(largest) > 0 {
			largest, high = l, c
		}
		if smallest == nil || l.Cmp(smallest) < 0 {
			smallest, low = l, c
		}
	})
	return high, low, fairness.GapExceeds(largest, smallest, e.eps)
}

// eachCandidate visits the columns whose exact logit may be the member's
// largest or smallest. One error bound would do; the second one is for the
// rounding here, which every bound exceeds.
func (s *scratch) eachCandidate(m *member, visit func(column int)) {
	x := s.extremes(m)
	for c := m.from; c < m.to; c++ {
		if l, slack := s.logits[c], 2*s.errs[c]; l+slack >= x.floor || l-slack <= x.ceiling {
			visit(c)
		}
	}
}

// refine replaces a column's logit by a more carefully bounded one.
func (e *Evaluator) refine(s *scratch, m *member, column int) {
	if logit, err := e.careful(s, e.complete(s, m, column)); err < s.errs[column] {
		s.logits[column], s.errs[column] = logit, err
	}
}

// exactLogit evaluates a column in exact arithmetic.
func (e *Evaluator) exactLogit(s *scratch, m *member, column int) *big.Rat {
	logit := e.exact.Logit(e.space.ExactInputs(e.complete(s, m, column)))
	v, _ := logit.Float64()
	err := math.Abs(v)*0x1p-52 + math.SmallestNonzeroFloat64
	if math.IsInf(v, 0) {
		v = math.Copysign(math.MaxFloat64, v) // bounds stay numbers that way
	}
	s.logits[column], s.errs[column] = v, err
	return logit
}
