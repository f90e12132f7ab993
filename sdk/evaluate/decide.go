package evaluate

// maxCounted bounds the edges that columns are counted against one by one.
const maxCounted = 64

// decide computes the outcome from logits within e.bound of the exact ones. decided is false
// if that accuracy does not suffice, if the edges are not stored, or if the columns may lie on
// both sides of more than maxCounted edges.
func (e *Evaluator) decide(s *scratch) (out Outcome, decided bool) {
	low := e.link.Score(s.ends.least)
	high := low
	out = Outcome{N: s.n, ArgMax: int(s.combos[0]), ArgMin: int(s.combos[0])}
	if !s.same {
		high = e.link.Score(s.ends.most)
		s.extent = extent{values: &s.logits[0], least: s.ends.least, most: s.ends.most}
		e.lanes.places(&s.extent)
		out.ArgMax, out.ArgMin = int(s.combos[s.extent.atMost]), int(s.combos[s.extent.atLeast])
	}
	out.Gap = high - low
	if out.Violates, decided = e.compare(out.Gap, e.bound); !decided {
		return out, false
	}
	if !e.edges.tabled() {
		return out, false
	}
	first, last := e.edges.between(s.ends, low, high)
	edges := last - first + 1
	if edges <= 0 {
		out.K = 1
		return out, true // all columns are in one bin, and the entropies are 0
	}
	if edges > maxCounted || s.same {
		return out, false
	}
	s.census = census{
		values: &s.logits[0], octets: (s.n + 7) / 8, pairs: edges,
		thresholds: &e.edges.thresholds[2*first-2], counts: &s.above[0],
	}
	e.lanes.counts(&s.census)
	return out, e.distribute(s, &out, e.edges.thresholds[2*first-2:])
}

// distribute computes k and the entropies from the counts above each edge's two
// thresholds. It decides nothing if the two counts differ: a logit lies between.
func (e *Evaluator) distribute(s *scratch, out *Outcome, thresholds []float64) (decided bool) {
	filling := int64(-s.n & 7) // repetitions of the last column
	var sum int64
	rest, largest := int64(s.n), int64(0)
	for i := 0; i <= 2*s.census.pairs; i += 2 {
		var above int64
		if i < 2*s.census.pairs {
			if above = s.above[i+1]; above != s.above[i] {
				return false
			}
			if s.logits[s.n-1] >= thresholds[i+1] {
				above -= filling
			}
		}
		if n := rest - above; n > 0 {
			out.K++
			sum += e.entropy.sums[n]
			largest = max(largest, n)
		}
		rest = above
	}
	out.Shannon, out.MinEntropy = e.entropy.of(s.n, sum, int(largest))
	return true
}
