package evaluate

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// settle computes the outcome from the known logits, and refines those that leave it
// undecided.
func (e *Evaluator) settle(s *scratch) Outcome {
	out := Outcome{N: s.n}
	e.countBins(s, &out)
	x := s.extremes()
	decided := false
	if out.Gap, out.Violates, decided = e.exceeds(s, x); !decided {
		x.high, x.low, out.Violates = e.settleGap(s)
		out.Gap, _, _ = e.exceeds(s, x)
	}
	out.ArgMax, out.ArgMin = int(s.combos[x.high]), int(s.combos[x.low])
	return out
}

// countBins fills in k and the entropies of the distribution over the bins, from
// exact counts.
func (e *Evaluator) countBins(s *scratch, out *Outcome) {
	least, most, bin := len(s.counts), 0, 0
	s.bins = s.bins[:0]
	for c := range s.n {
		j := e.binOf(s, c, bin)
		if bin = j; !e.edges.tabled() {
			s.bins = append(s.bins, j)
			continue
		}
		s.counts[j]++
		least, most = min(least, j), max(most, j)
	}
	var sum int64
	var largest int32
	count := func(n int32) {
		out.K++
		sum += e.entropy.sums[n]
		largest = max(largest, n)
	}
	if e.edges.tabled() {
		counts := s.counts[least : most+1]
		for j, n := range counts {
			if n > 0 {
				count(n)
				counts[j] = 0
			}
		}
	} else {
		slices.Sort(s.bins)
		for from, c := 0, 1; c <= s.n; c++ {
			if c == s.n || s.bins[c] != s.bins[from] {
				count(int32(c - from))
				from = c
			}
		}
	}
	out.Shannon, out.MinEntropy = e.entropy.of(s.n, sum, int(largest))
}

// settleBin decides the bin of a column that the kernel's logit does not decide.
func (e *Evaluator) settleBin(s *scratch, column int) int {
	e.refine(s, column)
	if j, ok := e.edges.bin(s.logits[column], s.errs[column], 0); ok {
		return j
	}
	return e.binning.Of(e.exactLogit(s, column))
}

// extremes is what is known of the largest and smallest logit.
type extremes struct {
	high, low int // the columns of the largest and smallest computed logit
	// err bounds how far the largest exact logit is from logits[high], and the
	// smallest from logits[low].
	err float64
	// The largest exact logit is at least floor, the smallest at most ceiling.
	floor, ceiling float64
}

func (s *scratch) extremes() extremes {
	x := extremes{high: 0, low: 0, floor: math.Inf(-1), ceiling: math.Inf(1)}
	most, least := math.Inf(-1), math.Inf(1)
	for c := range s.n {
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
// roundings and an exponential accurate to a few ulps add about 2⁻⁵⁰; the bound
// allows for an exponential much worse than any in use.
const sigmoidError = 0x1p-44

// exceeds computes the gap and decides whether it exceeds ε; decided is false if ε
// is too near.
func (e *Evaluator) exceeds(s *scratch, x extremes) (gap float64, exceeds, decided bool) {
	gap = e.link.Score(s.logits[x.high]) - e.link.Score(s.logits[x.low])
	exceeds, decided = e.compare(gap, x.err)
	return gap, exceeds, decided
}

// compare decides whether a gap exceeds ε. The gap was computed from two logits, each
// within err of the exact one, which moves each score by at most err times the slope
// (¼ for a sigmoid); what rounding adds to err is far below sigmoidError.
func (e *Evaluator) compare(gap, err float64) (exceeds, decided bool) {
	tolerance := 2*e.notion.Slope()*err + sigmoidError
	switch {
	case gap-tolerance > e.epsHi:
		return true, true
	case gap+tolerance < e.epsLo:
		return false, true
	}
	return false, false
}

// settleGap decides a gap that the kernel's logits do not decide: it refines the
// columns that may be the extremes, and evaluates exactly those that still may be.
func (e *Evaluator) settleGap(s *scratch) (high, low int, violates bool) {
	s.eachCandidate(func(c int) { e.refine(s, c) })
	x := s.extremes()
	if _, violates, decided := e.exceeds(s, x); decided {
		return x.high, x.low, violates
	}
	largest, smallest, high, low := e.exactExtremes(s)
	return high, low, e.notion.Exceeds(largest, smallest, e.eps)
}

// Violates reports, exactly, whether x's allowed counterfactuals violate notion n at
// eps, in the notion's unit. n need not be the notion of Outcome.Violates.
func (e *Evaluator) Violates(x []float64, n fairness.Notion, eps *big.Rat) bool {
	s := e.pool.Get().(*scratch)
	defer e.pool.Put(s)
	if e.spread(s, x); s.n < 2 {
		return false
	}
	target := n.Threshold(eps)
	below, above := fairness.Enclosure(target)
	for refined := false; ; refined = true {
		x := s.extremes()
		high, low := s.logits[x.high], s.logits[x.low]
		// What rounding adds to err is far below 2⁻⁵⁰ of the logits.
		errHigh, errLow := x.err*(1+0x1p-50)+math.Abs(high)*0x1p-50, x.err*(1+0x1p-50)+math.Abs(low)*0x1p-50
		switch {
		case n.Sure(high-errHigh, low+errLow, above):
			return true
		case !n.Possible(high+errHigh, low-errLow, math.Inf(1), below):
			return false
		case refined:
			largest, smallest, _, _ := e.exactExtremes(s)
			return n.Exceeds(largest, smallest, target)
		}
		s.eachCandidate(func(c int) { e.refine(s, c) })
	}
}

// Gap encloses the largest score minus the smallest one of x's allowed
// counterfactuals between float64 numbers rounded outward, even if large values
// cancel inside the network. Both are 0 if there are fewer than two
// counterfactuals.
func (e *Evaluator) Gap(x []float64) (lo, hi float64) {
	s := e.pool.Get().(*scratch)
	defer e.pool.Put(s)
	if e.spread(s, x); s.n < 2 {
		return 0, 0
	}
	s.eachCandidate(func(c int) { e.refine(s, c) })
	largest, smallest, _, _ := e.exactExtremes(s)
	return e.notion.Gap([]*big.Rat{largest, smallest})
}

// spread loads x and computes its logits, each with its error.
func (e *Evaluator) spread(s *scratch, x []float64) {
	e.prepare(s, [][]float64{x})
	if proven := e.load(s, x); s.n > 0 && e.score(s, proven) {
		s.spell()
		fill(s.errs[:s.n], e.bound)
	}
}

// exactExtremes finds the largest and the smallest logit, and their columns, in exact arithmetic.
// It evaluates only the columns that eachCandidate visits.
func (e *Evaluator) exactExtremes(s *scratch) (largest, smallest *big.Rat, high, low int) {
	s.eachCandidate(func(c int) {
		l := e.exactLogit(s, c)
		if largest == nil || l.Cmp(largest) > 0 {
			largest, high = l, c
		}
		if smallest == nil || l.Cmp(smallest) < 0 {
			smallest, low = l, c
		}
	})
	return largest, smallest, high, low
}

// eachCandidate visits the columns whose exact logit may be the individual's
// largest or smallest. It doubles the error bounds: the second half covers the rounding
// of the sums here, which is smaller than any bound.
func (s *scratch) eachCandidate(visit func(column int)) {
	x := s.extremes()
	for c := range s.n {
		if l, slack := s.logits[c], 2*s.errs[c]; l+slack >= x.floor || l-slack <= x.ceiling {
			visit(c)
		}
	}
}

// refine replaces a column's logit with the one of careful, if its error bound is smaller.
func (e *Evaluator) refine(s *scratch, column int) {
	if logit, err := e.careful(s, e.complete(s, column)); err < s.errs[column] {
		s.logits[column], s.errs[column] = logit, err
	}
}

// exactLogit evaluates a column in exact arithmetic.
func (e *Evaluator) exactLogit(s *scratch, column int) *big.Rat {
	logit := e.exact.Logit(e.space.ExactInputs(e.complete(s, column)))
	v, _ := logit.Float64()
	err := math.Abs(v)*0x1p-52 + math.SmallestNonzeroFloat64
	if math.IsInf(v, 0) {
		v = math.Copysign(math.MaxFloat64, v) // keeps the bounds finite
	}
	s.logits[column], s.errs[column] = v, err
	return logit
}
