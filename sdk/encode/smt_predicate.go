package encode

import (
	"math"

	"github.com/hyfair/hyfair/sdk/space"
)

// predicates asserts the conditions on copy c. The space's constraints bind every
// copy; Require, Forbid and Exclude are about the individual and bind the first copy.
func (w *writer) predicates(c int, features []*smtFeature) {
	for _, p := range w.q.Space.Forbidden {
		w.forbid(p, features)
	}
	if c > 0 {
		return
	}
	for _, p := range w.q.Require {
		for k := range p {
			if text := features[p[k].Feature].condition(&p[k]); text != "true" {
				w.assert(text)
			}
		}
	}
	for _, p := range w.q.Forbid {
		w.forbid(p, features)
	}
	for _, x := range w.q.Exclude {
		w.forbid(pointPredicate(w.q.Space, x), features)
	}
}

// forbid asserts that at least one condition fails.
func (w *writer) forbid(p space.Predicate, features []*smtFeature) {
	var all []string
	for k := range p {
		switch text := features[p[k].Feature].condition(&p[k]); text {
		case "true":
		case "false":
			return
		default:
			all = append(all, text)
		}
	}
	w.assert(not(allOf(all)))
}

// condition returns the formula of a condition on the feature: "true" or "false" if
// it holds or fails all over the region.
func (f *smtFeature) condition(c *space.Condition) string {
	switch {
	case f.symbol < 0 || f.values != nil || c.Set != nil:
		return f.oneOf(c)
	case f.integer: // the ends rounded inward
		return f.between(space.Interval{Lo: math.Ceil(c.Interval.Lo), Hi: math.Floor(c.Interval.Hi)})
	}
	return f.between(c.Interval)
}

// oneOf writes a condition as a choice among the feature's values.
func (f *smtFeature) oneOf(c *space.Condition) string {
	all := f.discrete()
	var holds []string
	for _, v := range all {
		if c.Holds(v) {
			holds = append(holds, f.equalsOrTrue(v))
		}
	}
	if len(holds) == len(all) {
		return "true"
	}
	return anyOf(holds)
}

func (f *smtFeature) equalsOrTrue(v float64) string {
	if f.symbol < 0 {
		return "true"
	}
	return f.equals(v)
}

func (f *smtFeature) between(iv space.Interval) string {
	if iv.Empty() || iv.Hi < f.lo || iv.Lo > f.hi {
		return "false"
	}
	var sides []string
	if iv.Lo > f.lo {
		sides = append(sides, "(<= "+f.literal(iv.Lo)+" "+f.name+")")
	}
	if iv.Hi < f.hi {
		sides = append(sides, "(<= "+f.name+" "+f.literal(iv.Hi)+")")
	}
	return allOf(sides)
}
