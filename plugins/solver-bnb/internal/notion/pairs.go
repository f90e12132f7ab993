package notion

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Pairs says which lanes' logits are compared: those of a first and a second copy with
// different combinations. It is read-only.
type Pairs struct {
	// Combinations is the number of combinations: lane v has combination v mod
	// Combinations.
	Combinations int
	// One and Two say, by lane, whether it may be a first copy and a second copy.
	One, Two []bool
	// OneWay restricts the comparison to pairs whose first copy has the larger logit.
	OneWay bool
}

// Interval encloses every lane's logit.
type Interval struct{ Lo, Hi []float64 }

// lowest is the lane with the least value, and the one with the least value among lanes
// of other combinations; −1 if there is none.
type lowest struct{ lane, other, combinations int }

func (p *Pairs) lowest(v []float64, of []bool) lowest {
	l := lowest{-1, -1, p.Combinations}
	for i := range v {
		switch {
		case !of[i]:
		case l.lane < 0:
			l.lane = i
		case v[i] < v[l.lane]:
			if i%p.Combinations != l.lane%p.Combinations {
				l.other = l.lane
			}
			l.lane = i
		case i%p.Combinations != l.lane%p.Combinations && (l.other < 0 || v[i] < v[l.other]):
			l.other = i
		}
	}
	return l
}

// besides returns the lane with the least value among those with another combination than
// the given lane's.
func (l lowest) besides(lane int) int {
	if l.lane >= 0 && l.lane%l.combinations == lane%l.combinations {
		return l.other
	}
	return l.lane
}

// Each visits every lane that may be the higher one of a pair, with the lane of least
// value that may be the lower one. So one of the visits has the largest difference of
// values. up is set if the first copy is the higher one.
func (p *Pairs) Each(v []float64, visit func(one, two int, up bool)) {
	low := p.lowest(v, p.Two)
	for i, ok := range p.One {
		if j := low.besides(i); ok && j >= 0 {
			visit(i, j, true)
		}
	}
	if p.OneWay {
		return
	}
	low = p.lowest(v, p.One)
	for i, ok := range p.Two {
		if j := low.besides(i); ok && j >= 0 {
			visit(j, i, false)
		}
	}
}

// Widest bounds the notion's value for all pairs of a box. whole encloses the lanes'
// logits, and so does each of relative after a shift that is the same for all lanes. It
// is −Inf if there are no pairs.
func (j *Notion) Widest(p *Pairs, whole Interval, relative []Interval) float64 {
	most := math.Inf(-1)
	sides := [2][2][]bool{{p.One, p.Two}, {p.Two, p.One}}
	for way, side := range sides {
		if way == 1 && p.OneWay {
			break
		}
		high, low := side[0], side[1]
		least := p.lowest(whole.Lo, low)
		var nearest [2]lowest
		for i := range relative {
			nearest[i] = p.lowest(relative[i].Lo, low)
		}
		for a, ok := range high {
			b := least.besides(a)
			if !ok || b < 0 {
				continue
			}
			apart := beyond(whole.Hi[a] - whole.Lo[b])
			for i := range relative {
				r := &relative[i]
				apart = min(apart, beyond(r.Hi[a]-r.Lo[nearest[i].besides(a)]))
			}
			most = max(most, j.Most(whole.Hi[a], whole.Lo[b], apart))
		}
	}
	return most
}

// Surely reports whether any two logits violate the notion if the first is not less than
// the number high, and the second not greater than the number low.
func (j *Notion) Surely(high, low float64) bool { return j.Sure(high, low, j.above) }

// SurelyApart reports whether two logits violate the notion if one is in high, the other in low, and the first exceeds the
// second by at least apart.
//
// Since σ(a) − σ(b) ≥ σ(b + d) − σ(b) for a ≥ b + d, and likewise ≥ σ(a) − σ(a − d), two scores differ by ε if the middle
// of one logit and the number at distance d from it is near enough to 0.
func (j *Notion) SurelyApart(high, low space.Interval, apart float64) bool {
	switch j.Notion {
	case fairness.Logit, fairness.Share:
		return apart > j.above
	case fairness.Score:
		d := min(apart, 1000) // avoids cancellation of large numbers
		if !(d > 0) {
			return false
		}
		far := farthest(d, j.above) - margin
		near := func(lo, hi float64) bool { return far > 0.01 && lo > -far && hi < far }
		return near(low.Lo+d/2, low.Hi+d/2) || near(high.Lo-d/2, high.Hi-d/2)
	}
	return false
}

// Tolerated returns the largest value of the notion that is not a violation, or the
// float64 below it.
func (j *Notion) Tolerated() float64 { return j.below }
