// Package notion bounds what a fairness notion measures, given enclosures of an individual's logits.
//
// Over a box, the logit of combination z lies in t + [Lo(z), Hi(z)], where t is
// the same for all combinations of one individual. So a notion of fairness
// becomes a question about t alone: where it is above or below some threshold the
// individual is certainly treated fairly, where it is between two others it
// certainly is not.
package notion

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// Notion knows one notion of fairness. It is read-only. What it asks of a notion by
// name are bounds that hold for all t, in the innermost loops; of any other notion it
// knows less, and nothing wrong.
type Notion struct {
	fairness.Notion
	// below and above enclose ε; 0 where the notion uses none.
	below, above float64
}

// New makes a Notion; eps may be nil where the notion uses none.
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

// Spread is where the logits of a person may be, from t on.
type Spread struct {
	// Of combinations that may be allowed: the least Lo and the greatest Hi, and
	// the greatest Hi(z1) − Lo(z2) with z1 ≠ z2 (−Inf where there are no two).
	Least, Most, Apart float64
	// Of combinations that surely are allowed: the greatest Lo and the least Hi.
	// Sure is unset where fewer than two are.
	SureMost, SureLeast float64
	Sure                bool
	// From and To enclose t: 0 and 0 where the intervals are the logits' own.
	From, To float64
}

// Gather makes a Spread of the combinations' intervals. possible is by
// combination whether it may be allowed, sure whether it is; nil stands for all.
func Gather(lo, hi []float64, possible, sure []bool) Spread {
	s := Spread{Least: math.Inf(1), Most: math.Inf(-1), SureMost: math.Inf(-1), SureLeast: math.Inf(1), Apart: math.Inf(-1)}
	n := 0
	least, second := -1, math.Inf(1) // whose Lo is least, and the least of the others
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

// beyond is no less than the exact difference of two numbers that is computed as d. One
// of 0 is exact.
func beyond(d float64) float64 {
	if d == 0 || math.IsInf(d, 0) {
		return d
	}
	return up(d)
}

// Thresholds say where a sum t is above, at most, or between numbers: t > Above; t ≤ Below; From < t ≤ To, nowhere unless From < To.
type Thresholds struct{ Above, Below, From, To float64 }

// never is an empty set of thresholds.
var never = Thresholds{Above: math.Inf(1), Below: math.Inf(-1), From: math.Inf(1), To: math.Inf(-1)}

// Thresholds are the t from which on, up to which, and between which an
// individual is surely fair (Above, Below) and surely not (From, To).
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
		// The scores of a pair differ by at most those of two logits that are Apart
		// apart: too little everywhere, or from some middle on. The middle is above
		// t + Least and below t + Most.
		far := farthest(s.Apart, j.below)
		if math.IsInf(far, -1) {
			th.Above = math.Inf(-1)
			break
		}
		th.Above, th.Below = far-s.Least+margin, -far-s.Most-margin
		// All scores lie between those of t + Least and t + Most, whose own middle
		// may tell more.
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

// Signs reports that a violation is two logits of opposite signs.
func (j *Notion) Signs() bool {
	return j.Notion == fairness.Decision || j.Notion == fairness.DecisionStrict
}

// Beyond is a number, 0 or more, such that an individual all of whose logits are
// above it, or all below its negative, is surely fair, where no two are more than
// apart from each other. +Inf where there is none.
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

// margin outweighs the errors of farthest and of sums with it. Go's Sinh, Cosh,
// Acosh and Log have relative errors of a few units in the last place, below
// 2⁻⁵⁰, and so have c−1 ≥ 10⁻⁶ and the logits that matter, below 1000, one of
// 2⁻³⁰ at most; TestFarthest checks it against exact arithmetic.
const margin = 0x1p-24

// farthest is the m ≥ 0 at which two logits d apart, with m in their middle, have
// scores eps apart: beyond it they are closer. −Inf where they are closer
// everywhere. From
//
//	σ(m+d/2) − σ(m−d/2) = sinh(d/2) / (cosh(m) + cosh(d/2))
//
// it is arcosh(sinh(d/2)/ε − cosh(d/2)).
//
// Near d where the two are just eps apart at m = 0, it answers 0.01, and so
// for a little smaller d: a larger m than the exact one in either case.
func farthest(d, eps float64) float64 {
	if !(d > 0) {
		return math.Inf(-1)
	}
	h := d / 2
	if h > 300 { // where sinh and cosh are eʰ/2: at most ln(2c)
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
