package grid

import (
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Rules are the constraints of a space, and what a query requires and forbids.
type Rules struct {
	g         *Grid
	forbidden []space.Predicate
	require   []space.Predicate
	forbid    []space.Predicate
	within    *space.Vicinity
	dimOf     []int // by feature: its dimension, −1 if it does not vary
	relaxed   []int // by feature: its index in Grid.Relaxed, −1 if it is not relaxed
}

// NewRules returns the rules of a query; nil if there are none and all pairs of copies
// count.
func NewRules(g *Grid, q *problem.Query) *Rules {
	if len(q.Space.Forbidden)+len(q.Require)+len(q.Forbid)+len(g.Relaxed) == 0 && q.Within == nil {
		return nil
	}
	r := &Rules{g: g, forbidden: q.Space.Forbidden, require: q.Require, forbid: q.Forbid, within: q.Within}
	for range q.Space.Features {
		r.dimOf, r.relaxed = append(r.dimOf, -1), append(r.relaxed, -1)
	}
	for d := range g.Dims {
		if !g.Dims[d].IsShift {
			r.dimOf[g.Dims[d].Feature] = d
		}
	}
	for i := range g.Relaxed {
		r.relaxed[g.Relaxed[i].Feature] = i
	}
	return r
}

// Truth says where in a box something holds.
type Truth int8

// Somewhere means that neither of the others is certain.
const (
	Nowhere Truth = iota
	Somewhere
	Everywhere
)

// Standing is what the rules say about a box.
type Standing struct {
	// Asked says where the query's own conditions hold.
	Asked Truth
	// Possible and Sure say, by combination, whether it is allowed for some and for all
	// individuals of the box.
	Possible, Sure []bool
	// Individuals is set if each individual is allowed at least one combination, None if
	// no individual is allowed any.
	Individuals, None bool
	// Cut is a dimension to split if a rule holds in a part of the box only; −1 if there
	// is none.
	Cut int
}

// Stand determines what the rules say about a box of individuals; it overwrites s.
func (r *Rules) Stand(box Box, s *Standing) {
	k := len(r.g.Combinations)
	if cap(s.Possible) < k {
		s.Possible, s.Sure = make([]bool, k), make([]bool, k)
	}
	s.Possible, s.Sure = s.Possible[:k], s.Sure[:k]
	s.Cut, s.Individuals, s.None = -1, false, true
	for z := range k {
		forbidden := Nowhere
		for _, p := range r.forbidden {
			forbidden = max(forbidden, r.holds(p, box, z, &s.Cut))
		}
		s.Possible[z], s.Sure[z] = forbidden != Everywhere, forbidden == Nowhere
		s.None = s.None && !s.Possible[z]
		s.Individuals = s.Individuals || s.Sure[z]
	}
	s.Asked = r.asked(box, 0, &s.Cut)
}

// Asks reports whether the query asks about the individual, or the first copy.
func (r *Rules) Asks(point []float64) bool {
	if r.within != nil && !r.within.Has(point) {
		return false
	}
	for _, p := range r.require {
		if !p.Holds(point) {
			return false
		}
	}
	for _, p := range r.forbid {
		if p.Holds(point) {
			return false
		}
	}
	return true
}

// near returns where in a box individuals are near rows. For Somewhere it sets cut to the dimension in which the box
// is widest.
func (r *Rules) near(box Box, cut *int) Truth {
	values := make(space.Box, len(r.g.base))
	for i, v := range r.g.base {
		values[i] = space.Interval{Lo: v, Hi: v}
	}
	widest, by := 0.0, -1
	for d := range r.g.Dims {
		if f := r.g.Dims[d].Feature; !r.g.Dims[d].IsShift {
			lo, hi := r.g.span(d, box)
			if values[f] = (space.Interval{Lo: lo, Hi: hi}); box[2*d] < box[2*d+1] {
				if w := r.within.Apart(f, lo, hi); w > widest {
					widest, by = w, d
				}
			}
		}
	}
	switch {
	case !r.within.Meets(values):
		return Nowhere
	case r.within.Covers(values):
		return Everywhere
	}
	*cut = by
	return Somewhere
}

// Allowed returns, by combination, whether the individual may have it.
func (r *Rules) Allowed(point []float64) []bool {
	out := make([]bool, len(r.g.Combinations))
	for z := range out {
		out[z] = r.g.Space.Allowed(r.g.Complete(point, z))
	}
	return out
}

// holds returns where in the box predicate p holds for the copy of a lane. If that is a
// part of the box, it sets cut to a dimension to split.
func (r *Rules) holds(p space.Predicate, box Box, lane int, cut *int) Truth {
	all, part := Everywhere, -1
	for i := range p {
		t, d := r.condition(&p[i], box, lane)
		if t == Somewhere {
			part = d
		}
		if all = min(all, t); all == Nowhere {
			return Nowhere
		}
	}
	if all == Somewhere && part >= 0 {
		*cut = part
	}
	return all
}

// condition returns where in the box a condition holds, and the dimension to split if
// that is a part of it.
func (r *Rules) condition(c *space.Condition, box Box, lane int) (t Truth, dim int) {
	for i, f := range r.g.Protected {
		if f == c.Feature {
			return truth(c.Holds(r.g.Combinations[lane%len(r.g.Combinations)].Values[i])), -1
		}
	}
	d, relaxed := r.dimOf[c.Feature], r.relaxed[c.Feature]
	switch {
	case relaxed >= 0 && lane >= len(r.g.Combinations):
		of := &r.g.Relaxed[relaxed]
		lo, hi, _ := of.Reach(r.g, box)
		return over(c, lo, hi), of.wider(r.g, box)
	case d < 0:
		return truth(c.Holds(r.g.base[c.Feature])), -1
	}
	lo, hi := r.g.span(d, box)
	return over(c, lo, hi), d
}

// over returns where between two values a condition holds.
func over(c *space.Condition, lo, hi float64) Truth {
	if c.Set == nil {
		switch {
		case c.Interval.Lo <= lo && hi <= c.Interval.Hi:
			return Everywhere
		case c.Interval.Hi < lo || hi < c.Interval.Lo:
			return Nowhere
		}
		return Somewhere
	}
	some, all := false, true
	for v := lo; v <= hi; v++ {
		if c.Holds(v) {
			some = true
		} else {
			all = false
		}
	}
	switch {
	case all:
		return Everywhere
	case some:
		return Somewhere
	}
	return Nowhere
}

func truth(b bool) Truth {
	if b {
		return Everywhere
	}
	return Nowhere
}
