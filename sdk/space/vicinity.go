package space

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Vicinity is the set of individuals within a distance of a row of data. It is read-only.
//
// The distance is Gower's (1971): the mean over the features that are not protected of |a − b| divided by the
// width of the feature's domain for numbers, and of 0 for equal and 1 for different categories. A missing value is
// at distance 1 from every number. Rows are kept in a k-d tree (Bentley, 1975).
type Vicinity struct {
	// Rows are the rows without repetitions, with protected entries 0. Distance is from 0 to 1.
	Rows     [][]float64
	Distance *big.Rat

	features []Feature
	free     []int
	most     *big.Rat // the largest sum over features
	limit    float64  // most, rounded
	slack    float64  // covers the rounding of a sum of distances
	tree     []ball
}

// ball is a node of the tree: the box of its rows, and its children; a leaf has one row.
type ball struct {
	box         Box
	left, right int // 0 for a leaf
}

// NewVicinity returns the vicinity of rows, each an individual of the space; protected entries are ignored.
func NewVicinity(s *Space, rows [][]float64, distance *big.Rat) (*Vicinity, error) {
	switch {
	case distance == nil:
		return nil, errors.New("got no distance, want one from 0 to 1")
	case distance.Sign() < 0 || distance.Cmp(big.NewRat(1, 1)) > 0:
		return nil, fmt.Errorf("got the distance %s, want one from 0 to 1", distance.RatString())
	case len(rows) == 0:
		return nil, errors.New("got no rows within the features' domains, want at least one")
	}
	v := &Vicinity{Distance: distance, features: s.Features, free: s.Free()}
	for i, row := range rows {
		if !s.ContainsIndividual(row) {
			return nil, fmt.Errorf("row %d is not an individual of the space", i)
		}
		v.Rows = append(v.Rows, s.Canonical(row))
	}
	slices.SortFunc(v.Rows, slices.Compare)
	v.Rows = slices.CompactFunc(v.Rows, slices.Equal)
	v.most = new(big.Rat).Mul(distance, big.NewRat(int64(len(v.free)), 1))
	v.limit, _ = v.most.Float64()
	v.slack = 0x1p-40 * float64(len(v.free))
	v.grow(slices.Clone(v.Rows))
	return v, nil
}

// grow adds the tree of some rows, which it reorders, and returns its node.
func (v *Vicinity) grow(rows [][]float64) int {
	b := ball{box: make(Box, len(v.features))}
	at, widest, by := len(v.tree), 0.0, -1
	for _, i := range v.free {
		iv := Interval{rows[0][i], rows[0][i]}
		for _, row := range rows {
			iv = Interval{min(iv.Lo, row[i]), max(iv.Hi, row[i])}
		}
		if b.box[i] = iv; iv.Lo < iv.Hi {
			if w := v.Apart(i, iv.Lo, iv.Hi); w > widest || by < 0 {
				widest, by = w, i
			}
		}
	}
	v.tree = append(v.tree, b)
	if by >= 0 {
		slices.SortFunc(rows, func(a, b []float64) int { return slices.Compare(a[by:by+1], b[by:by+1]) })
		half := len(rows) / 2
		left, right := v.grow(rows[:half]), v.grow(rows[half:])
		v.tree[at].left, v.tree[at].right = left, right
	}
	return at
}

// unlike reports whether two different values of a feature are at distance 1 whatever their difference: categories, or a
// number and the value for missing.
func (v *Vicinity) unlike(feature int, a, b float64) bool {
	f := &v.features[feature]
	return f.Kind == Categorical || f.Missing && max(a, b) == f.Hi
}

// Apart is the distance between two values of a feature, up to rounding.
func (v *Vicinity) Apart(feature int, a, b float64) float64 {
	switch numbers := v.features[feature].Numbers(); {
	case a == b:
		return 0
	case v.unlike(feature, a, b):
		return 1
	default:
		return math.Abs(a-b) / (numbers.Hi - numbers.Lo)
	}
}

// nearest is the least distance between a value of box and a value of rows. If they are disjoint, only the upper one can
// contain the value for missing, at its upper end.
func (v *Vicinity) nearest(feature int, box, rows Interval) float64 {
	switch {
	case box.Hi < rows.Lo:
		return v.Apart(feature, box.Hi, rows.Lo)
	case rows.Hi < box.Lo:
		return v.Apart(feature, box.Lo, rows.Hi)
	}
	return 0
}

// farthest is the least, over the values of rows, of the largest distance to a value of box.
func (v *Vicinity) farthest(feature int, box, rows Interval) float64 {
	switch {
	case box.Lo == box.Hi:
		return v.nearest(feature, box, rows)
	case v.unlike(feature, box.Lo, box.Hi):
		return 1
	}
	row := max(rows.Lo, min(box.Lo+(box.Hi-box.Lo)/2, rows.Hi))
	return max(v.Apart(feature, row, box.Lo), v.Apart(feature, row, box.Hi))
}

// search reports whether, at some leaf below a node, the sum of a measure over the features is within limit and sure,
// unless nil, confirms it. The measure of a node must not exceed those of its leaves.
func (v *Vicinity) search(at int, box Box, limit float64, measure func(int, Interval, Interval) float64, sure func(row Box, sum float64) bool) bool {
	b, sum := &v.tree[at], 0.0
	for _, i := range v.free {
		if sum += measure(i, box[i], b.box[i]); sum > limit {
			return false
		}
	}
	if b.left == 0 {
		return sure == nil || sure(b.box, sum)
	}
	return v.search(b.left, box, limit, measure, sure) || v.search(b.right, box, limit, measure, sure)
}

// Meets reports whether a box may have an individual in the vicinity. Only false is certain.
func (v *Vicinity) Meets(box Box) bool { return v.search(0, box, v.limit+v.slack, v.nearest, nil) }

// Covers reports whether one row is near all individuals of a box. Only true is certain: it may take several rows.
func (v *Vicinity) Covers(box Box) bool { return v.search(0, box, v.limit-v.slack, v.farthest, nil) }

// Has reports, exactly, whether an individual is in the vicinity.
func (v *Vicinity) Has(x []float64) bool {
	box := make(Box, len(x))
	for _, i := range v.free {
		box[i] = Interval{x[i], x[i]}
	}
	return v.search(0, box, v.limit+v.slack, v.nearest, func(row Box, sum float64) bool {
		return sum <= v.limit-v.slack || v.exactly(x, row)
	})
}

// Excludes reports whether a region has no individual in the vicinity: its box is too far from all rows, or the space's
// constraints forbid every copy of the points that are near. It may also be false then, if too many cases had to be tried.
func (v *Vicinity) Excludes(s *Space, r Region) bool {
	steps := maxCountings
	return !v.search(0, r.Box, v.limit+v.slack, v.nearest, func(near Box, _ float64) bool {
		row, some := make([]float64, len(near)), false
		for _, i := range v.free {
			row[i] = near[i].Lo
		}
		s.EachCombination(r, row, func(z []float64) { some = some || v.allows(s, row, z, r.Box, &steps) })
		return some
	})
}

// allows reports whether some point of box, with the protected values of z, is allowed and within the distance of row.
// It branches on the conditions of a constraint that forbids the point nearest to the row. Without steps left it is true.
func (v *Vicinity) allows(s *Space, row, z []float64, box Box, steps *int) bool {
	if *steps--; *steps < 0 {
		return true
	}
	x, at, sum := slices.Clone(z), make(Box, len(z)), 0.0
	for _, i := range v.free {
		x[i] = max(box[i].Lo, min(row[i], box[i].Hi))
		at[i] = Interval{row[i], row[i]}
		sum += v.Apart(i, x[i], row[i])
	}
	if sum > v.limit+v.slack || sum > v.limit-v.slack && !v.exactly(x, at) {
		return false
	}
	holds := slices.IndexFunc(s.Forbidden, func(p Predicate) bool { return p.Holds(x) })
	if holds < 0 {
		return true
	}
	return slices.ContainsFunc(s.Forbidden[holds], func(c Condition) bool {
		return !s.Features[c.Feature].IsProtected() && slices.ContainsFunc(s.Features[c.Feature].without(&c, box[c.Feature]), func(side Interval) bool {
			part := slices.Clone(box)
			part[c.Feature] = side
			return v.allows(s, row, z, part, steps)
		})
	})
}

// without returns the parts of an interval of the feature in which a condition does not hold.
func (f *Feature) without(c *Condition, of Interval) (out []Interval) {
	if c.Set != nil {
		for k := of.Lo; k <= of.Hi; k++ {
			if !c.Holds(k) {
				out = append(out, Interval{k, k})
			}
		}
		return out
	}
	below, above := math.Nextafter(c.Interval.Lo, math.Inf(-1)), math.Nextafter(c.Interval.Hi, math.Inf(1))
	if f.Discrete() {
		below, above = math.Ceil(c.Interval.Lo)-1, math.Floor(c.Interval.Hi)+1
	}
	return slices.DeleteFunc([]Interval{{of.Lo, min(of.Hi, below)}, {max(of.Lo, above), of.Hi}}, Interval.Empty)
}

// exactly decides in exact arithmetic whether x is within the distance of a row.
func (v *Vicinity) exactly(x []float64, row Box) bool {
	sum, exact := new(big.Rat), func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for _, i := range v.free {
		a, b := x[i], row[i].Lo
		switch numbers := v.features[i].Numbers(); {
		case a == b:
		case v.unlike(i, a, b):
			sum.Add(sum, big.NewRat(1, 1))
		default:
			width := exact(numbers.Hi)
			width.Sub(width, exact(numbers.Lo))
			part := exact(a)
			part.Sub(part, exact(b))
			sum.Add(sum, part.Quo(part.Abs(part), width))
		}
	}
	return sum.Cmp(v.most) <= 0
}
