package explain

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// simplify drops ends of ranges and whole conditions that the merit does not need. The merit may
// fall by at most one standard error of the difference between the means: the book's
// one-standard-error rule for trees, applied to a path. The conjunct that costs
// least is dropped first, ties from the end; the last condition stays.
//
// A predicate with fewer than two samples on either side is returned unchanged: its error
// is unknown.
func simplify(p space.Predicate, points [][]float64, ks []float64) space.Predicate {
	in, out := sides(p, points, ks)
	least := in.merit(out) - float64(in.discount(out)*math.Hypot(in.standardError(), out.standardError()))
	if math.IsNaN(least) {
		return p
	}
	for {
		var best space.Predicate
		largest := least
		for _, q := range shorter(p) {
			in, out := sides(q, points, ks)
			if m := in.merit(out); m >= largest { // false if a side is empty
				best, largest = q, m
			}
		}
		if best == nil {
			return p
		}
		p = best
	}
}

// shorter lists the predicates with one conjunct removed, at least one left.
func shorter(p space.Predicate) []space.Predicate {
	var out []space.Predicate
	for i := range p {
		if iv := p[i].Interval; p[i].Set == nil && iv.Lo < iv.Hi && !math.IsInf(iv.Lo, 0) && !math.IsInf(iv.Hi, 0) {
			below, above := slices.Clone(p), slices.Clone(p)
			below[i].Interval.Lo, above[i].Interval.Hi = math.Inf(-1), math.Inf(1)
			out = append(out, below, above)
		} else if len(p) > 1 {
			out = append(out, slices.Delete(slices.Clone(p), i, i+1))
		}
	}
	return out
}

// sides sums k over the samples where p holds and over the others.
func sides(p space.Predicate, points [][]float64, ks []float64) (in, out sum) {
	for i, x := range points {
		if p.Holds(x) {
			in.add(ks[i])
		} else {
			out.add(ks[i])
		}
	}
	return in, out
}

// sum holds the sums of k and k² over samples. The zero value is empty.
type sum struct {
	n          int
	k, squares float64
}

func (s *sum) add(k float64) { s.n, s.k, s.squares = s.n+1, s.k+k, s.squares+float64(k*k) }

func (s sum) plus(t sum) sum  { return sum{s.n + t.n, s.k + t.k, s.squares + t.squares} }
func (s sum) minus(t sum) sum { return sum{s.n - t.n, s.k - t.k, s.squares - t.squares} }

// mean is NaN without samples.
func (s sum) mean() float64 { return s.k / float64(s.n) }

// standardError of the mean; NaN below two samples.
func (s sum) standardError() float64 {
	if s.n < 2 {
		return math.NaN()
	}
	variance := (s.squares - float64(s.k*s.mean())) / float64(s.n-1)
	return math.Sqrt(max(0, variance) / float64(s.n))
}

// merit is the objective that shapes predicates: the mean k inside less the mean outside,
// discounted if few samples are outside. NaN if a side is empty. Sums of k are whole
// numbers, so the order of the samples does not matter.
func (s sum) merit(outside sum) float64 {
	return (s.mean() - outside.mean()) * s.discount(outside)
}

// discount is 1 while at least a quarter of the samples lie outside, and falls with the
// square root of that share below. A condition that nearly all individuals satisfy explains
// little.
func (s sum) discount(outside sum) float64 {
	return math.Sqrt(min(1, 4*float64(outside.n)/float64(s.n+outside.n)))
}
