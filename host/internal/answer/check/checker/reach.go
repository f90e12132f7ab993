package checker

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/space"
)

// reach determines the protected combinations and the individuals in a box. A constraint
// that holds on only a part of a box is ignored there: more is proved than needed.
type reach struct {
	space *space.Space
	// combinations of the region in lexicographic order, by protected feature.
	combinations [][]float64
	// forbidden[i][c]: combination c satisfies the protected conditions of constraint i.
	forbidden       [][]bool
	require, forbid []space.Predicate
}

func newReach(st *certificate.Statement) *reach {
	s, region := st.Space, st.RegionOrWhole()
	r := &reach{space: s, require: st.Require, forbid: st.Forbid}
	protected := s.Protected()
	s.EachCombination(region, make([]float64, len(s.Features)), func(point []float64) {
		values := make([]float64, len(protected))
		for k, i := range protected {
			values[k] = point[i]
		}
		r.combinations = append(r.combinations, values)
	})
	for _, p := range s.Forbidden {
		holds := make([]bool, len(r.combinations))
		for c, values := range r.combinations {
			holds[c] = !slices.ContainsFunc(p, func(of space.Condition) bool {
				k := slices.Index(protected, of.Feature)
				return k >= 0 && !of.Holds(values[k])
			})
		}
		r.forbidden = append(r.forbidden, holds)
	}
	return r
}

// allowed lists the combinations, by index, that are not forbidden on the whole box: a
// superset of Z(x) for every x in it, and Z(x) itself for a single point.
func (r *reach) allowed(box space.Box) []int {
	var whole []int // constraints whose other conditions hold on the whole box
	for i, p := range r.space.Forbidden {
		if r.throughout(p, box) {
			whole = append(whole, i)
		}
	}
	var out []int
	for c := range r.combinations {
		if !slices.ContainsFunc(whole, func(i int) bool { return r.forbidden[i][c] }) {
			out = append(out, c)
		}
	}
	return out
}

// void reports whether a constraint excludes the entire box from the claim.
func (r *reach) void(box space.Box) bool {
	for _, p := range r.forbid {
		if r.throughout(p, box) {
			return true
		}
	}
	for _, p := range r.require {
		if slices.ContainsFunc(p, func(c space.Condition) bool { return r.nowhere(&c, box[c.Feature]) }) {
			return true
		}
	}
	return false
}

// throughout reports whether the predicate's conditions on non-protected features hold
// everywhere in the box.
func (r *reach) throughout(p space.Predicate, box space.Box) bool {
	return !slices.ContainsFunc(p, func(c space.Condition) bool {
		return !r.space.Features[c.Feature].IsProtected() && !everywhere(&c, box[c.Feature])
	})
}

func everywhere(c *space.Condition, iv space.Interval) bool {
	if c.Set == nil {
		return c.Interval.Contains(iv.Lo) && c.Interval.Contains(iv.Hi)
	}
	first, found := slices.BinarySearch(c.Set, int(iv.Lo))
	last := first + int(iv.Hi-iv.Lo)
	return found && last < len(c.Set) && c.Set[last] == int(iv.Hi)
}

func (r *reach) nowhere(c *space.Condition, iv space.Interval) bool {
	if c.Set != nil {
		next, _ := slices.BinarySearch(c.Set, int(iv.Lo))
		return next == len(c.Set) || float64(c.Set[next]) > iv.Hi
	}
	both := iv.Intersect(c.Interval)
	if r.space.Features[c.Feature].Discrete() {
		both = space.Interval{Lo: math.Ceil(both.Lo), Hi: math.Floor(both.Hi)}
	}
	return both.Empty()
}
