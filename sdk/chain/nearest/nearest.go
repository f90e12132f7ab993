// Package nearest finds the rows of a data set nearest to an individual.
//
// The distance is Gower's (J. C. Gower, A general coefficient of similarity
// and some of its properties, Biometrics 27, 1971) over the non-protected
// features: the mean of |a − b| / range for integer and real features, the
// range being that of the domain, and of 0 or 1 for equal or different
// categories.
//
// Each category that differs costs a full range, so most rows are ruled out by
// their categories alone. Rows with the same categories form a bucket. Buckets are
// visited in the order of their number of categories that differ from the
// individual's; the search ends when that number exceeds the distance of the
// farthest neighbour found. Inside a bucket, a k-d tree over the numbers (J. L.
// Bentley, Communications of the ACM 18, 1975) prunes rows in the same way.
package nearest

import (
	"bytes"
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
	// numeric and categorical list feature indices. The most scattered numeric
	// features come first, so that a sum exceeds the limit early.
	numeric, categorical []int
	scale                []float64 // 1/range by feature
	signer               signer
	// signatures holds the buckets' signatures, one after the other; trees holds
	// their root nodes, in the same order.
	signatures []uint64
	trees      []int32
	forest     forest
}

// New indexes the rows, which must be of the space's width; it keeps them and
// does not modify them. Of several rows that are the same individual, only the
// first is kept.
func New(s *space.Space, rows [][]float64) *Index {
	x := &Index{scale: make([]float64, len(s.Features))}
	for _, i := range s.Free() {
		f := &s.Features[i]
		switch {
		case f.Kind == space.Categorical:
			x.categorical = append(x.categorical, i)
		case f.Hi > f.Lo:
			x.numeric = append(x.numeric, i)
			x.scale[i] = 1 / (f.Hi - f.Lo)
		}
	}
	x.rows = distinct(rows, append(slices.Clone(x.categorical), x.numeric...))
	x.scatteredFirst(x.numeric)
	x.signer = newSigner(x.rows, x.categorical)
	x.plant()
	return x
}

// plant sorts the rows into buckets and builds the k-d tree of each bucket.
func (x *Index) plant() {
	width := x.signer.words
	signatures := make([]uint64, 0, width*len(x.rows))
	x.forest = forest{dims: len(x.numeric), points: make([]float64, 0, len(x.numeric)*len(x.rows))}
	for r, row := range x.rows {
		signatures = x.signer.append(signatures, row)
		x.forest.points = x.scaled(x.forest.points, row)
		x.forest.order = append(x.forest.order, int32(r))
	}
	of := func(r int32) []uint64 { return signatures[int(r)*width : int(r+1)*width] }
	order := x.forest.order
	slices.SortStableFunc(order, func(a, b int32) int { return slices.Compare(of(a), of(b)) })
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && slices.Equal(of(order[to]), of(order[from])) {
			to++
		}
		x.signatures = append(x.signatures, of(order[from])...)
		x.trees = append(x.trees, x.forest.grow(from, to))
		from = to
	}
	x.forest.arrange()
}

// Len is the number of distinct individuals.
func (x *Index) Len() int { return len(x.rows) }

// farLevel is the level of all buckets with that many differing categories or more.
const farLevel = math.MaxUint8

// Find returns the k individuals nearest to point, nearest first, ties by row
// order, or all if the data set has fewer. The point itself is left out. The
// results are rows handed to New.
func (x *Index) Find(point []float64, k int) [][]float64 {
	if k <= 0 {
		return nil
	}
	signature := x.signer.append(make([]uint64, 0, x.signer.words), point)
	levels := x.signer.levels(x.signatures, signature, len(x.trees))
	q := query{
		forest: &x.forest,
		point:  x.scaled(make([]float64, 0, len(x.numeric)), point),
		best:   make([]hit, 0, min(k, len(x.rows))+1),
		k:      k, limit: math.Inf(1),
	}
	for level := 0; level <= min(len(x.categorical), farLevel) && float64(level) <= q.limit; level++ {
		for at := 0; ; at++ {
			next := bytes.IndexByte(levels[at:], byte(level))
			if next < 0 {
				break
			}
			at += next
			differing := level
			if level == farLevel {
				differing = x.signer.differing(x.signatures[at*x.signer.words:], signature)
			}
			q.visit(x.trees[at], float64(differing))
		}
	}
	out := make([][]float64, len(q.best))
	for i, h := range q.best {
		out[i] = x.rows[h.row]
	}
	return out
}

// scaled appends a row's numbers, divided by their ranges.
func (x *Index) scaled(dst, row []float64) []float64 {
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
