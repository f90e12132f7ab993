// Package notion bounds the value of a fairness notion, given enclosures of an individual's logits.
//
// Over a box, the logit of combination z lies in t + [Lo(z), Hi(z)], with one t for all combinations
// of an individual. So a notion of fairness becomes a question about t alone: above or below some
// thresholds the individual is certainly treated fairly, between two others it is certainly not.
package notion

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// Notion bounds one notion of fairness. It is read-only. The notions that the code
// mentions by name have bounds for all t, fast enough for the innermost loops. Any
// other notion has weaker bounds, which are sound.
type Notion struct {
	fairness.Notion
	// below and above enclose ε; 0 if the notion uses none.
	below, above float64
}

// New returns a Notion; eps may be nil if the notion uses none.
func New(n fairness.Notion, eps *big.Rat) Notion {
	j := Notion{Notion: n}
	if n.UsesEpsilon() {
		e, exact := eps.Float64()
		j.below, j.above = e, e
		if !exact {
			j.below, j.above = math.Nextafter(e, 0), math.Nextafter(e, math.Inf(1))
		}
	}
	return j
}

// Spread is where the logits of an individual may be, relative to t.
type Spread struct {
	// For combinations that may be allowed: the least Lo and the greatest Hi, and the
	// greatest Hi(z1) − Lo(z2) with z1 ≠ z2 (−Inf if there are no two).
	Least, Most, Apart float64
	// For combinations that are surely allowed: the greatest Lo and the least Hi. Sure is
	// false if there are fewer than two.
	SureMost, SureLeast float64
	Sure                bool
	// From and To enclose t; both are 0 if the intervals enclose the logits themselves.
	From, To float64
}

// Gather returns the Spread of the combinations' intervals. possible[z] and sure[z] say whether
// combination z may be allowed, and whether it surely is; nil means all.
func Gather(lo, hi []float64, possible, sure []bool) Spread {
	s := Spread{Least: math.Inf(1), Most: math.Inf(-1), SureMost: math.Inf(-1), SureLeast: math.Inf(1), Apart: math.Inf(-1)}
	n := 0
	least, second := -1, math.Inf(1) // the combination with the least Lo, and the least Lo of the others
	for z := range lo {
		if possible != nil && !possible[z] {
			continue
		}
		if lo[z] < s.Least {
			s.Least, second, least = lo[z], s.Least, z
		} else {
			second = min(second, lo[z])
		}
		s.Most = max(s.Most, hi[z])
		if sure == nil || sure[z] {
			n++
			s.SureMost, s.SureLeast = max(s.SureMost, lo[z]), min(s.SureLeast, hi[z])
		}
	}
	for z := range hi {
		if possible != nil && !possible[z] {
			continue
		}
		other := s.Least
		if z == least {
			other = second
		}
		s.Apart = max(s.Apart, hi[z]-other)
	}
	s.Sure = n >= 2
	s.Apart = beyond(s.Apart)
	return s
}

// beyond returns an upper bound of the exact difference of two numbers whose computed
// difference is d. A d of 0 is exact.
func beyond(d float64) float64 {
	if d == 0 || math.IsInf(d, 0) {
		return d
	}
	return up(d)
}

// Thresholds are conditions on the common part t: t > Above; t ≤ Below; From < t ≤ To, which holds nowhere unless From < To.
type Thresholds struct{ Above, Below, From, To float64 }

// never are thresholds that no t meets.
var never = Thresholds{Above: math.Inf(1), Below: math.Inf(-1), From: math.Inf(1), To: math.Inf(-1)}

// Thresholds returns the t above which, up to which, and between which an individual is
// surely fair (Above, Below) and surely unfair (From, To).
func (j *Notion) Thresholds(s *Spread) Thresholds {
	th := never
	if math.IsInf(s.Apart, -1) { // at most one combination
		th.Above = math.Inf(-1)
		return th
	}
	switch j.Notion {
	case fairness.Decision, fairness.DecisionStrict:
		if s.Apart <= 0 { // logits on two sides of 0 differ
			th.Above = math.Inf(-1)
			break
		}
		th.Above, th.Below = -s.Least, -s.Most
		if s.Sure {
			th.From, th.To = -s.SureMost, -s.SureLeast
			if !j.Jumps() {
				th.To = math.Nextafter(th.To, math.Inf(-1))
			}
		}
	case fairness.Logit, fairness.Share:
		if s.Apart <= j.below {
			th.Above = math.Inf(-1)
		}
		if s.Sure && down(s.SureMost-s.SureLeast) > j.above {
			th.From, th.To = math.Inf(-1), math.Inf(1)
		}
	case fairness.Score:
		// The scores of a pair differ by at most those of two logits at distance Apart:
		// too little everywhere, or beyond some distance of their middle from 0. The
		// middle is above t + Least and below t + Most.
		far := farthest(s.Apart, j.below)
		if math.IsInf(far, -1) {
			th.Above = math.Inf(-1)
			break
		}
		th.Above, th.Below = far-s.Least+margin, -far-s.Most-margin
		// All scores lie between those of t + Least and t + Most, whose middle may give
		// tighter thresholds.
		far = farthest(up(s.Most-s.Least), j.below)
		mid := s.Least + (s.Most-s.Least)/2
		th.Above, th.Below = min(th.Above, far-mid+margin), max(th.Below, -far-mid-margin)
		if s.Sure {
			if d := down(s.SureMost - s.SureLeast); d > 0 {
				if within := farthest(d, j.above); within > 0.01 {
					mid := s.SureLeast + d/2
					th.From, th.To = -within-mid+margin, within-mid-margin
				}
			}
		}
	}
	return th
}

// Signs reports whether a violation is two logits of opposite signs.
func (j *Notion) Signs() bool {
	return j.Notion == fairness.Decision || j.Notion == fairness.DecisionStrict
}

// Beyond returns a number of at least 0 such that an individual with all logits above it,
// or all below its negative, is surely fair, if no two logits differ by more than apart.
// +Inf if there is none.
func (j *Notion) Beyond(apart float64) float64 {
	switch j.Notion {
	case fairness.Decision, fairness.DecisionStrict:
		return 0
	case fairness.Score:
		if far := farthest(apart, j.below); far >= 0 {
			return far + margin
		}
		return 0 // fair everywhere
	}
	return math.Inf(1)
}

// margin exceeds the errors of farthest and of sums with it. Go's Sinh, Cosh, Acosh and
// Log have relative errors of a few units in the last place, below 2⁻⁵⁰. So the errors of
// c−1, where it is at least 10⁻⁶, and of the relevant logits, which are below 1000, are
// at most 2⁻³⁰. TestFarthest checks it against exact arithmetic.
const margin = 0x1p-24

// farthest returns the m ≥ 0 at which two logits at distance d, with m in their middle,
// have scores that differ by eps: beyond it the scores are closer. It is −Inf if they are
// closer everywhere. From
//
//	σ(m+d/2) − σ(m−d/2) = sinh(d/2) / (cosh(m) + cosh(d/2))
//
// it is arcosh(sinh(d/2)/ε − cosh(d/2)).
//
// For d near or slightly below the distance at which the scores differ by eps at m = 0,
// it returns 0.01: more than the exact m in either case.
func farthest(d, eps float64) float64 {
	if !(d > 0) {
		return math.Inf(-1)
	}
	h := d / 2
	if h > 300 { // sinh and cosh are eʰ/2 there, and arcosh(c) at most ln(2c)
		return h + math.Log(1/eps-1)
	}
	c := math.Sinh(h)/eps - math.Cosh(h)
	switch {
	case c < 1-1e-6:
		return math.Inf(-1)
	case c < 1+1e-6:
		return 0.01
	}
	return math.Acosh(c)
}

func up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }
func down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
