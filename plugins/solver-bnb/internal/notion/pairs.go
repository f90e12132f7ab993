package notion

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Pairs says which lanes' logits are compared: those of a first and a second copy
// of different combinations. It is read-only.
type Pairs struct {
	// Combinations take turns over the lanes: lane v has combination v mod
	// Combinations.
	Combinations int
	// One and Two are by lane whether it may be a first copy, a second.
	One, Two []bool
	// OneWay: only pairs whose first copy has the larger logit matter.
	OneWay bool
}

// Interval is an enclosure of every lane's logit.
type Interval struct{ Lo, Hi []float64 }

// lowest is the lane of least value, and the one of least value among those of
// other combinations; −1 where there is none.
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

// besides is the lane of least value of another combination than that of a lane.
func (l lowest) besides(lane int) int {
	if l.lane >= 0 && l.lane%l.combinations == lane%l.combinations {
		return l.other
	}
	return l.lane
}

// Each visits every lane that may be the higher of a pair with the one of least
// value that may be the lower: so some largest difference of the values is among
// the visits. up: the first copy is the one that may be higher.
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

// Widest bounds what the notion measures of all pairs of a box: whole encloses
// the lanes' logits, and each of relative does so from some number on that is the
// same for all lanes of a pair. −Inf where there are no pairs.
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

// Surely reports that logits of which one is at least high and the other at most
// low violate the notion.
func (j *Notion) Surely(high, low float64) bool { return j.Sure(high, low, j.above) }

// SurelyApart reports that two logits violate the notion, of which one is in high, the other in low, and the first
// more than the second by apart at least.
//
// As σ(a) − σ(b) ≥ σ(b + d) − σ(b) for a ≥ b + d, and likewise ≥ σ(a) − σ(a − d), two scores are ε apart where the middle of
// one logit and what is d from it is near enough to 0.
func (j *Notion) SurelyApart(high, low space.Interval, apart float64) bool {
	switch j.Notion {
	case fairness.Logit, fairness.Share:
		return apart > j.above
	case fairness.Score:
		d := min(apart, 1000) // so that nothing large cancels
		if !(d > 0) {
			return false
		}
		far := farthest(d, j.above) - margin
		near := func(lo, hi float64) bool { return far > 0.01 && lo > -far && hi < far }
		return near(low.Lo+d/2, low.Hi+d/2) || near(high.Lo-d/2, high.Hi-d/2)
	}
	return false
}

// Tolerated is the largest of what the notion measures that is no violation, or
// next to it.
func (j *Notion) Tolerated() float64 { return j.below }
