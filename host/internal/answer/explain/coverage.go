package explain

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// Coverage is the part of a region where a predicate holds.
type Coverage struct {
	// The number of individuals, an exact whole number of any length; absent if a feature is
	// real.
	Count string `json:"count,omitempty"`
	// The share of the region's individuals, or of its volume if features are real.
	Share float64 `json:"share"`
	// The constraints have too many cases to count, so that forbidden points are counted too.
	Unconstrained bool `json:"unconstrained,omitempty"`
}

// maxCells bounds the number of cells that Cover enumerates.
const maxCells = 1 << 18

// Cover measures a predicate over non-protected features in a region. Individuals without
// an allowed counterfactual do not count. Integers and categories are counted, real
// features measured by length, in exact arithmetic.
func Cover(s *space.Space, region space.Region, p space.Predicate) Coverage {
	part, ok := measure(s, region, p, true)
	whole, okWhole := measure(s, region, nil, true)
	out := Coverage{}
	if !ok || !okWhole {
		part, _ = measure(s, region, p, false)
		whole, _ = measure(s, region, nil, false)
		out.Unconstrained = true
	}
	if whole.Sign() > 0 {
		out.Share, _ = new(big.Rat).Quo(part, whole).Float64()
	}
	if !s.HasReals() {
		out.Count = part.Num().String()
	}
	return out
}

// cell is a set of values of one feature on which the predicate and every constraint are
// constant.
type cell struct {
	value  float64
	weight *big.Rat
}

// measure is the measure of the region's individuals where p holds. ok is false if the
// constraints need more than maxCells cells.
func measure(s *space.Space, region space.Region, p space.Predicate, constrained bool) (*big.Rat, bool) {
	rules := s.Forbidden
	if !constrained {
		rules = nil
	}
	total := big.NewRat(1, 1)
	inner := space.Region{Box: region.Box, Values: slices.Clone(region.Values)}
	var mentioned []int
	var cells [][]cell
	cases := 1
	for i := range s.Features {
		var conditions []*space.Condition
		for _, rule := range rules {
			for k := range rule {
				if rule[k].Feature == i {
					conditions = append(conditions, &rule[k])
				}
			}
		}
		if s.Features[i].IsProtected() {
			if len(conditions) == 0 {
				inner.Values[i] = region.Values[i][:min(1, len(region.Values[i]))]
			}
			continue
		}
		parts := cellsOf(&s.Features[i], region.Box[i], i, p, conditions)
		if len(conditions) > 0 {
			mentioned, cells = append(mentioned, i), append(cells, parts)
			cases = min(cases*len(parts), maxCells+1)
			continue
		}
		sum := new(big.Rat)
		for _, c := range parts {
			sum.Add(sum, c.weight)
		}
		total.Mul(total, sum)
	}
	if constrained && cases*inner.Count() > maxCells {
		return nil, false
	}
	cloud := &Cloud{Space: s, Region: inner}
	x := make([]float64, len(s.Features))
	sum := new(big.Rat)
	for c := range cases {
		weight := big.NewRat(1, 1)
		for k, i := range mentioned {
			part := &cells[k][c%len(cells[k])]
			c /= len(cells[k])
			x[i] = part.value
			weight.Mul(weight, part.weight)
		}
		if !constrained || cloud.lives(x) {
			sum.Add(sum, weight)
		}
	}
	return total.Mul(total, sum), true
}

// cellsOf takes the values of one feature in an interval that satisfy p's conditions on it, and
// splits them where any condition begins or ceases to hold.
func cellsOf(f *space.Feature, iv space.Interval, feature int, p space.Predicate, conditions []*space.Condition) []cell {
	var cells []cell
	holds := func(v float64) bool {
		for i := range p {
			if p[i].Feature == feature && !p[i].Holds(v) {
				return false
			}
		}
		return true
	}
	if f.Kind == space.Categorical {
		for v := range f.Categories {
			if iv.Contains(float64(v)) && holds(float64(v)) {
				cells = append(cells, cell{float64(v), big.NewRat(1, 1)})
			}
		}
		return cells
	}
	point := iv.Lo == iv.Hi
	for i := range p {
		if p[i].Feature == feature {
			iv = iv.Intersect(p[i].Interval)
		}
	}
	if f.Kind == space.Integer {
		iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
	}
	if iv.Empty() {
		return nil
	}
	if iv.Lo == iv.Hi {
		// A real feature fixed by the region has length 0; its one value weighs 1.
		weight := big.NewRat(1, 1)
		if f.Kind == space.Real && !point {
			weight.SetInt64(0)
		}
		return []cell{{iv.Lo, weight}}
	}
	// A cell is half-open, from one cut to the next. For a real feature the ends have
	// measure 0.
	cuts := []float64{iv.Lo}
	end := iv.Hi
	if f.Kind == space.Integer {
		end++
	}
	for _, c := range conditions {
		first, after := c.Interval.Lo, c.Interval.Hi
		if f.Kind == space.Integer {
			first, after = math.Ceil(first), math.Floor(after)+1
		}
		for _, at := range []float64{first, after} {
			if at > iv.Lo && at < end {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	cuts = append(slices.Compact(cuts), end)
	for i, lo := range cuts[:len(cuts)-1] {
		hi := cuts[i+1]
		value := lo
		if f.Kind == space.Real {
			value = lo + (hi-lo)/2
		}
		weight := new(big.Rat).SetFloat64(hi)
		cells = append(cells, cell{value, weight.Sub(weight, new(big.Rat).SetFloat64(lo))})
	}
	return cells
}
