package explain

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// simplify leaves out what a predicate hardly needs: the ends of ranges, and
// whole conditions, without which its merit is still what it would be if the
// difference between the means were one standard error less. It is the book's
// one-standard-error rule for trees, here for a path: of the predicates that the
// samples cannot tell apart, the shortest. What costs least is left out first, ties
// from the end; the last condition stays.
//
// A predicate whose two sides are not both met by two samples or more is left as
// it is: nothing is known of its error.
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
			if m := in.merit(out); m >= largest { // false where a side is empty
				best, largest = q, m
			}
		}
		if best == nil {
			return p
		}
		p = best
	}
}

// shorter lists the predicates with one conjunct less, of those that have any left.
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

// sides sums up k where p holds and where it does not.
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

// sum adds up k, and its square, over samples. The zero value is of none.
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

// merit is what predicates are shaped by: the difference between the mean k of the
// samples inside and of those outside, discounted where few are left outside. NaN
// where a side is empty. Sums of k are whole numbers, so that it does not depend on
// the order of the samples.
func (s sum) merit(outside sum) float64 {
	return (s.mean() - outside.mean()) * s.discount(outside)
}

// discount is 1 while at least a quarter of the samples lie outside, and falls with
// the square root of their share below: a condition that nearly everybody fulfils
// explains little, however fair the others are treated.
func (s sum) discount(outside sum) float64 {
	return math.Sqrt(min(1, 4*float64(outside.n)/float64(s.n+outside.n)))
}
