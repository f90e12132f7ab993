package space

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Box is one closed interval for each non-protected feature, indexed by
// feature; the entries of protected features are ignored. A categorical
// feature's interval is over its indices in declared order.
type Box []Interval

// Region is a box and the values each protected feature may take. Both slices
// are indexed by feature; Values is nil at non-protected features.
type Region struct {
	Box    Box
	Values [][]float64
}

// Whole returns the region that is the entire space.
func (s *Space) Whole() Region {
	r := Region{Box: make(Box, len(s.Features)), Values: make([][]float64, len(s.Features))}
	for i := range s.Features {
		if f := &s.Features[i]; f.IsProtected() {
			r.Values[i] = f.Protected
		} else {
			r.Box[i] = Interval{f.Lo, f.Hi}
		}
	}
	return r
}

// Clone copies the box, and shares the value lists, which are never modified.
func (r Region) Clone() Region {
	return Region{Box: slices.Clone(r.Box), Values: slices.Clone(r.Values)}
}

// Count is the number of protected combinations before constraints, the
// product of the value counts (1 if nothing is protected), at most
// MaxCombinations+1.
func (r Region) Count() int {
	n := 1
	for _, v := range r.Values {
		if v != nil {
			n *= len(v)
			if n > MaxCombinations {
				return MaxCombinations + 1
			}
		}
	}
	return n
}

// Cut intersects the region with a predicate. A condition on a protected feature
// filters its list of values (for both copies: a targeted query); an interval cuts
// the box, rounded inward for discrete features. Category sets are intersected with
// each other and with the box. If the intersection is not contiguous, it is not a
// box: its hull cuts the box, and rest returns the intersection for the query to
// require. If nothing is left, the error wraps ErrEmpty and names the feature.
func (s *Space) Cut(r Region, p Predicate) (cut Region, rest Predicate, err error) {
	out := r.Clone()
	sets := map[int]Predicate{} // category sets on non-protected features
	for i := range p {
		c := &p[i]
		f := &s.Features[c.Feature]
		switch {
		case f.IsProtected():
			var kept []float64
			for _, v := range out.Values[c.Feature] {
				if c.Holds(v) {
					kept = append(kept, v)
				}
			}
			if len(kept) == 0 {
				return r, nil, fmt.Errorf("feature %q: no protected value satisfies the cut: %w", f.Name, ErrEmpty)
			}
			out.Values[c.Feature] = kept
		case c.Set != nil:
			sets[c.Feature] = append(sets[c.Feature], *c)
		default:
			iv := c.Interval
			if f.Discrete() {
				iv = Interval{math.Ceil(iv.Lo), math.Floor(iv.Hi)}
			}
			before := out.Box[c.Feature]
			b := before.Intersect(iv)
			if b.Empty() {
				return r, nil, fmt.Errorf("feature %q: %s leaves nothing of %s to %s: %w",
					f.Name, c.format(f), f.Label(before.Lo), f.Label(before.Hi), ErrEmpty)
			}
			out.Box[c.Feature] = b
		}
	}
	// Sets come last, because they need the box that the intervals leave.
	for _, i := range slices.Sorted(maps.Keys(sets)) {
		var kept []int
		b := out.Box[i].Intersect(Interval{s.Features[i].Lo, s.Features[i].Hi})
		for v := int(math.Ceil(b.Lo)); float64(v) <= b.Hi; v++ {
			if !slices.ContainsFunc(sets[i], func(c Condition) bool { return !c.Holds(float64(v)) }) {
				kept = append(kept, v)
			}
		}
		if len(kept) == 0 {
			return r, nil, fmt.Errorf("feature %q: no category satisfies the cut: %w", s.Features[i].Name, ErrEmpty)
		}
		first, last := kept[0], kept[len(kept)-1]
		out.Box[i] = Interval{float64(first), float64(last)}
		if len(kept) != last-first+1 {
			rest = append(rest, Condition{Feature: i, Set: kept})
		}
	}
	return out, rest, nil
}

// Restrict returns the space with the domains of its ordered non-protected features
// cut to the region. A query with relaxations uses it, because both of its copies must
// lie in the region (docs/reference/semantics.md). Categories, which cannot be relaxed,
// and protected values are not cut. The region must lie in the space and contain a
// value of every feature.
func (s *Space) Restrict(r Region) *Space {
	out := *s
	out.Features = slices.Clone(s.Features)
	for i := range out.Features {
		f := &out.Features[i]
		if f.IsProtected() || f.Kind == Categorical {
			continue
		}
		lo, hi := f.Lo, f.Hi
		f.Missing = f.Missing && r.Box[i].Hi >= hi && r.Box[i].Lo < hi
		f.Lo, f.Hi = math.Max(lo, r.Box[i].Lo), math.Min(hi, r.Box[i].Hi)
		if f.Kind == Integer {
			f.Lo, f.Hi = math.Ceil(f.Lo), math.Floor(f.Hi)
		}
		f.Inputs = slices.Clone(f.Inputs)
		for k := range f.Inputs {
			if in := &f.Inputs[k]; in.Table != nil {
				in.Table = in.Table[int(f.Lo-lo) : int(f.Hi-lo)+1]
			}
		}
	}
	return &out
}

// RegionContains reports whether x lies in the region's box.
func (s *Space) RegionContains(r Region, x []float64) bool {
	for i := range s.Features {
		if f := &s.Features[i]; !f.IsProtected() && !(f.Contains(x[i]) && r.Box[i].Contains(x[i])) {
			return false
		}
	}
	return true
}

// Counterfactuals lists the points (x, z) for every allowed protected
// combination z of the region at x, in lexicographic order of the protected
// values: Z(x). Each point is a fresh slice.
func (s *Space) Counterfactuals(r Region, x []float64) [][]float64 {
	var out [][]float64
	s.EachCombination(r, x, func(point []float64) {
		if s.Allowed(point) {
			out = append(out, slices.Clone(point))
		}
	})
	return out
}

// EachCombination calls visit with x completed by every protected combination
// of the region in lexicographic order, allowed or not. The slice is reused.
func (s *Space) EachCombination(r Region, x []float64, visit func(point []float64)) {
	protected := s.Protected()
	point := slices.Clone(x)
	at := make([]int, len(protected))
	for k, i := range protected {
		if len(r.Values[i]) == 0 {
			return
		}
		point[i] = r.Values[i][0]
		at[k] = 0
	}
	for {
		visit(point)
		k := len(protected) - 1
		for ; k >= 0; k-- {
			i := protected[k]
			at[k]++
			if at[k] < len(r.Values[i]) {
				point[i] = r.Values[i][at[k]]
				break
			}
			at[k] = 0
			point[i] = r.Values[i][0]
		}
		if k < 0 {
			return
		}
	}
}

// Bisect cuts an interval in two: at its middle, the middle belonging to both
// halves, or for a discrete feature between two neighbouring integers.
func Bisect(iv Interval, discrete bool) (low, high Interval) {
	mid := iv.Lo + (iv.Hi-iv.Lo)/2
	if discrete {
		mid = math.Floor(mid)
		return Interval{iv.Lo, mid}, Interval{mid + 1, iv.Hi}
	}
	return Interval{iv.Lo, mid}, Interval{mid, iv.Hi}
}
