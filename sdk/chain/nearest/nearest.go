// Package nearest finds the rows of a data set nearest to an individual.
//
// The distance is Gower's (J. C. Gower, A general coefficient of similarity
// and some of its properties, Biometrics 27, 1971) over the non-protected
// features: the mean of |a − b| / range for integer and real features, the
// range being that of the domain, and of 0 or 1 for equal or different
// categories.
package nearest

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// Index holds the distinct individuals among rows, scaled so that a distance
// is a sum. Rows that differ in protected features only are one individual and
// count once. It is read-only and safe for concurrent use.
type Index struct {
	rows [][]float64
	// numeric and categorical list the feature indices, the numbers with the
	// most scattered features first: a scan that adds them up in this order can
	// give a row up early.
	numeric, categorical []int
	scale                []float64 // 1/range by feature
	// values holds the scaled rows, stride apart: categories, then numbers.
	values []float64
	stride int
}

// New indexes the rows, which must be of the space's width; it keeps them and
// does not modify them. Where rows are the same individual the first one
// stands for all.
func New(s *space.Space, rows [][]float64) *Index {
	x := &Index{scale: make([]float64, len(s.Features))}
	for _, i := range s.Free() {
		f := &s.Features[i]
		switch {
		case f.Kind == space.Categorical:
			x.categorical = append(x.categorical, i)
			x.scale[i] = 1
		case f.Hi > f.Lo:
			x.numeric = append(x.numeric, i)
			x.scale[i] = 1 / (f.Hi - f.Lo)
		}
	}
	x.rows = distinct(rows, append(slices.Clone(x.categorical), x.numeric...))
	x.scatteredFirst(x.numeric)
	x.stride = len(x.categorical) + len(x.numeric)
	x.values = make([]float64, 0, x.stride*len(x.rows))
	for _, row := range x.rows {
		x.values = x.append(x.values, row)
	}
	return x
}

// Len is the number of distinct individuals.
func (x *Index) Len() int { return len(x.rows) }

// Find gives the k individuals nearest to point, nearest first, ties by row
// order; the point itself is left out. There are fewer where the data set has
// fewer. The answers are rows handed to New.
func (x *Index) Find(point []float64, k int) [][]float64 {
	if k <= 0 {
		return nil
	}
	query := x.append(make([]float64, 0, x.stride), point)
	// The k best so far, nearest first: k is small, so inserting is cheap.
	best := make([]hit, 0, min(k, len(x.rows))+1)
	limit := math.Inf(1)
	for row := range x.rows {
		d := x.distance(query, row, limit)
		if d >= limit || d == 0 {
			continue // rows come in order, so among equals the earlier one stays
		}
		at, _ := slices.BinarySearchFunc(best, hit{d, row}, compareHits)
		best = slices.Insert(best, at, hit{d, row})
		if len(best) > k {
			best = best[:k]
		}
		if len(best) == k {
			limit = best[k-1].distance
		}
	}
	out := make([][]float64, len(best))
	for i, h := range best {
		out[i] = x.rows[h.row]
	}
	return out
}

type hit struct {
	distance float64 // a sum over the features, not yet divided by their number
	row      int
}

func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
}

// distance is the summed distance of the query to a row, or some number of at
// least limit as soon as it is known to reach that.
func (x *Index) distance(query []float64, row int, limit float64) float64 {
	v := x.values[row*x.stride : (row+1)*x.stride]
	query = query[:len(v)]
	var d float64
	n := len(x.categorical)
	for j := range n {
		if v[j] != query[j] {
			d++
		}
	}
	for j := n; j < len(v) && d < limit; j++ {
		d += math.Abs(v[j] - query[j])
	}
	return d
}

func (x *Index) append(dst, row []float64) []float64 {
	for _, i := range x.categorical {
		dst = append(dst, row[i])
	}
	for _, i := range x.numeric {
		dst = append(dst, row[i]*x.scale[i])
	}
	return dst
}

// scatteredFirst sorts features by the summed differences of neighbouring
// rows, the largest first. The conversion keeps the sum the same on machines
// that would fuse it with the product.
func (x *Index) scatteredFirst(features []int) {
	scatter := map[int]float64{}
	for _, i := range features {
		for r := 1; r < len(x.rows); r++ {
			scatter[i] += float64(math.Abs(x.rows[r][i]-x.rows[r-1][i]) * x.scale[i])
		}
	}
	slices.SortStableFunc(features, func(a, b int) int { return cmp.Compare(scatter[b], scatter[a]) })
}

// distinct keeps the first of the rows that agree in all the features.
func distinct(rows [][]float64, features []int) [][]float64 {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		for _, i := range features {
			if c := cmp.Compare(rows[a][i], rows[b][i]); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortStableFunc(order, compare)
	order = slices.CompactFunc(order, func(a, b int) bool { return compare(a, b) == 0 })
	slices.Sort(order)
	out := make([][]float64, len(order))
	for i, r := range order {
		out[i] = rows[r]
	}
	return out
}
