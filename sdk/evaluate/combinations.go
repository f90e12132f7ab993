package evaluate

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// combinations numbers the protected combinations of a region in
// lexicographic order and knows which of them an individual allows.
type combinations struct {
	features []int // the protected features
	count    int
	values   []float64 // count × len(features)
	all      []int32   // 0 to count−1: allowed if no rule applies
	rules    []rule
}

// rule is a constraint in two parts: if its conditions on the individual hold, the
// marked combinations are forbidden.
type rule struct {
	individual space.Predicate
	forbids    []bool
}

func newCombinations(s *space.Space, r space.Region) (*combinations, error) {
	if len(r.Values) != len(s.Features) {
		return nil, fmt.Errorf("the region has %d features, the space %d", len(r.Values), len(s.Features))
	}
	c := &combinations{features: s.Protected()}
	for _, i := range c.features {
		f := &s.Features[i]
		if len(r.Values[i]) == 0 {
			return nil, fmt.Errorf("the region leaves protected feature %q no value", f.Name)
		}
		for _, v := range r.Values[i] {
			if !defined(f, v) {
				return nil, fmt.Errorf("protected feature %q: the region's value %v is not finite, or not in the feature's table", f.Name, v)
			}
		}
	}
	if r.Count() > space.MaxCombinations {
		return nil, fmt.Errorf("more than %d protected combinations: protect fewer features, or list fewer of their values", space.MaxCombinations)
	}
	s.EachCombination(r, make([]float64, len(s.Features)), func(point []float64) {
		for _, i := range c.features {
			c.values = append(c.values, point[i])
		}
		c.all = append(c.all, int32(c.count))
		c.count++
	})
	for _, p := range s.Forbidden {
		if r, ok := c.rule(s, p); ok {
			c.rules = append(c.rules, r)
		}
	}
	return c, nil
}

// rule splits a constraint; ok is false if it forbids no combination.
func (c *combinations) rule(s *space.Space, p space.Predicate) (r rule, ok bool) {
	var protected space.Predicate
	for _, condition := range p {
		if s.Features[condition.Feature].IsProtected() {
			protected = append(protected, condition)
		} else {
			r.individual = append(r.individual, condition)
		}
	}
	r.forbids = make([]bool, c.count)
	point := make([]float64, len(s.Features))
	for k := range r.forbids {
		c.complete(point, k)
		r.forbids[k] = protected.Holds(point)
	}
	return r, slices.Contains(r.forbids, true)
}

// complete writes combination k into the protected entries of point.
func (c *combinations) complete(point []float64, k int) {
	values := c.values[k*len(c.features):]
	for n, i := range c.features {
		point[i] = values[n]
	}
}

// of returns Z(x) in ascending order, in the memory of dst or in shared memory that
// must not be modified.
func (c *combinations) of(dst []int32, x []float64) []int32 {
	all := true
	for i := range c.rules {
		if r := &c.rules[i]; r.individual.Holds(x) {
			if all {
				dst, all = append(dst[:0], c.all...), false
			}
			dst = slices.DeleteFunc(dst, func(k int32) bool { return r.forbids[k] })
		}
	}
	if all {
		return c.all
	}
	return dst
}

// defined reports whether the feature's maps to network inputs are defined at v:
// an affine map at any finite value, a table at the values with an entry.
func defined(f *space.Feature, v float64) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	for i := range f.Inputs {
		if f.Inputs[i].Table != nil && !f.Contains(v) {
			return false
		}
	}
	return true
}
