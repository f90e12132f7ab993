package space

import (
	"math"
	"slices"
)

// maxCountings is the largest number of constraint checks in MaxCounterfactuals.
const maxCountings = 1 << 22

// MaxCounterfactuals is K over the region: the largest number of protected
// combinations that the constraints allow at one individual. exact reports that
// some individual has that many; otherwise there were too many cases to enumerate,
// and k, the number of combinations without constraints, is an upper bound.
//
// Individuals that satisfy the same conditions of the constraints have the same
// counterfactuals, so one of each kind is enough. Constraints only forbid: if one
// value of a feature satisfies a subset of the conditions that another satisfies, it
// allows at least as much, and the other value need not be tried.
func (s *Space) MaxCounterfactuals(r Region) (k int, exact bool) {
	mentioned := make([]bool, len(s.Features))
	for _, p := range s.Forbidden {
		for i := range p {
			mentioned[p[i].Feature] = true
		}
	}
	// A protected feature that no constraint mentions multiplies the count by its values.
	factor := 1
	inner := Region{Box: r.Box, Values: slices.Clone(r.Values)}
	var free []int
	var values [][]float64
	cases := 1
	point := make([]float64, len(s.Features))
	for i := range s.Features {
		switch f := &s.Features[i]; {
		case f.IsProtected() && !mentioned[i]:
			factor *= len(r.Values[i])
			inner.Values[i] = r.Values[i][:min(1, len(r.Values[i]))]
		case f.IsProtected():
		case mentioned[i]:
			v := s.leastForbidden(i, r.Box[i])
			if len(v) == 0 {
				return 0, true // no value of the feature in the box
			}
			free, values = append(free, i), append(values, v)
			cases = min(cases*len(v), maxCountings+1)
		}
	}
	if cases*inner.Count()*max(1, len(s.Forbidden)) > maxCountings {
		return r.Count(), len(s.Forbidden) == 0
	}
	for c := range cases {
		for at, i := range free {
			point[i] = values[at][c%len(values[at])]
			c /= len(values[at])
		}
		allowed := 0
		s.EachCombination(inner, point, func(full []float64) {
			if s.Allowed(full) {
				allowed++
			}
		})
		k = max(k, allowed*factor)
	}
	return k, true
}

// leastForbidden lists values of a non-protected feature within the interval,
// one for each smallest set of constraint conditions that a value satisfies.
func (s *Space) leastForbidden(feature int, iv Interval) []float64 {
	f := &s.Features[feature]
	var conditions []*Condition
	for _, p := range s.Forbidden {
		for i := range p {
			if p[i].Feature == feature {
				conditions = append(conditions, &p[i])
			}
		}
	}
	type kind struct {
		value float64
		holds []bool
	}
	var kinds []kind
	for _, v := range f.representatives(conditions, iv) {
		k := kind{v, make([]bool, len(conditions))}
		for i, c := range conditions {
			k.holds[i] = c.Holds(v)
		}
		// within reports whether a's conditions are a subset of b's.
		within := func(a, b kind) bool {
			for i := range a.holds {
				if a.holds[i] && !b.holds[i] {
					return false
				}
			}
			return true
		}
		if slices.ContainsFunc(kinds, func(o kind) bool { return within(o, k) }) {
			continue
		}
		kinds = slices.DeleteFunc(kinds, func(o kind) bool { return within(k, o) })
		kinds = append(kinds, k)
	}
	out := make([]float64, len(kinds))
	for i, k := range kinds {
		out[i] = k.value
	}
	return out
}

// representatives lists values within the interval. For every value of the feature
// in it, the list has a value that satisfies the same conditions.
func (f *Feature) representatives(conditions []*Condition, iv Interval) []float64 {
	var out []float64
	add := func(v float64) {
		if iv.Contains(v) && f.Contains(v) {
			out = append(out, v)
		}
	}
	if f.Kind == Categorical {
		for v := range f.Categories {
			add(float64(v))
		}
		return out
	}
	// The ends of the intervals, and a value between neighbouring ends.
	ends := []float64{iv.Lo, iv.Hi}
	for _, c := range conditions {
		for _, end := range []float64{c.Interval.Lo, c.Interval.Hi} {
			if iv.Contains(end) {
				ends = append(ends, end)
			}
		}
	}
	slices.Sort(ends)
	for i, end := range ends {
		add(end)
		if f.Kind == Integer {
			add(math.Floor(end))
			add(math.Ceil(end))
			add(math.Floor(end) + 1)
			add(math.Ceil(end) - 1)
		} else if i > 0 {
			add(ends[i-1] + (end-ends[i-1])/2)
		}
	}
	return out
}
