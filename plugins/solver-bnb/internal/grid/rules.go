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
	dimOf     []int // of each feature, −1 where it does not vary
}

// NewRules prepares the rules of a query; nil where there are none. What it
// requires and forbids must be about non-protected features: see Answerable.
func NewRules(g *Grid, q *problem.Query) *Rules {
	if len(q.Space.Forbidden)+len(q.Require)+len(q.Forbid) == 0 {
		return nil
	}
	r := &Rules{g: g, forbidden: q.Space.Forbidden, require: q.Require, forbid: q.Forbid, dimOf: make([]int, len(q.Space.Features))}
	for i := range r.dimOf {
		r.dimOf[i] = -1
	}
	for d := range g.Dims {
		r.dimOf[g.Dims[d].Feature] = d
	}
	return r
}

// Answerable reports whether what a query requires and forbids is about
// individuals, not about one of two copies.
func Answerable(q *problem.Query) bool {
	for _, list := range [][]space.Predicate{q.Require, q.Forbid} {
		for _, p := range list {
			for i := range p {
				if q.Space.Features[p[i].Feature].IsProtected() {
					return false
				}
			}
		}
	}
	return true
}

// Truth is whether something holds all over a box.
type Truth int8

// Of a box.
const (
	Nowhere Truth = iota
	Somewhere
	Everywhere
)

// Standing is what the rules say of a box.
type Standing struct {
	// Asked tells where the query's own conditions hold.
	Asked Truth
	// Possible and Sure tell of each combination whether it is allowed for some
	// and for all individuals of the box.
	Possible, Sure []bool
	// Individuals: at least one combination is allowed for everybody. Nobody:
	// none is for anybody.
	Individuals, Nobody bool
	// Cut is a dimension to cut where something holds in a part of the box; −1 for
	// none.
	Cut int
}

// Stand finds out how a box stands; s is overwritten.
func (r *Rules) Stand(box Box, s *Standing) {
	k := len(r.g.Combinations)
	if cap(s.Possible) < k {
		s.Possible, s.Sure = make([]bool, k), make([]bool, k)
	}
	s.Possible, s.Sure = s.Possible[:k], s.Sure[:k]
	s.Cut, s.Individuals, s.Nobody = -1, false, true
	for z := range k {
		forbidden := Nowhere
		for _, p := range r.forbidden {
			forbidden = max(forbidden, r.holds(p, box, z, &s.Cut))
		}
		s.Possible[z], s.Sure[z] = forbidden != Everywhere, forbidden == Nowhere
		s.Nobody = s.Nobody && !s.Possible[z]
		s.Individuals = s.Individuals || s.Sure[z]
	}
	s.Asked = Everywhere
	for _, p := range r.require {
		s.Asked = min(s.Asked, r.holds(p, box, 0, &s.Cut))
	}
	for _, p := range r.forbid {
		s.Asked = min(s.Asked, Everywhere-r.holds(p, box, 0, &s.Cut))
	}
}

// Asks reports whether the query asks about the individual.
func (r *Rules) Asks(point []float64) bool {
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

// Allowed tells of each combination whether the individual has it.
func (r *Rules) Allowed(point []float64) []bool {
	out := make([]bool, len(r.g.Combinations))
	for z := range out {
		out[z] = r.g.Space.Allowed(r.g.Complete(point, z))
	}
	return out
}

// holds tells where in the box, for combination z, predicate p holds. Where that
// is a part of it, cut is set to a dimension that matters.
func (r *Rules) holds(p space.Predicate, box Box, z int, cut *int) Truth {
	all, part := Everywhere, -1
	for i := range p {
		t := r.condition(&p[i], box, z)
		if t == Somewhere {
			part = r.dimOf[p[i].Feature]
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

func (r *Rules) condition(c *space.Condition, box Box, z int) Truth {
	for i, f := range r.g.Protected {
		if f == c.Feature {
			return truth(c.Holds(r.g.Combinations[z].Values[i]))
		}
	}
	d := r.dimOf[c.Feature]
	if d < 0 {
		return truth(c.Holds(r.g.base[c.Feature]))
	}
	dim := &r.g.Dims[d]
	lo, _ := dim.Values(int(box[2*d]))
	_, hi := dim.Values(int(box[2*d+1]))
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
