package nearest

import (
	"cmp"
	"math"
	"slices"
)

// leafSize is the largest number of rows of a node that is not split.
const leafSize = 12

// forest is the trees of all buckets over one array of points.
type forest struct {
	dims int
	// order lists the rows in the order of the trees: a node holds order[from:to].
	order []int32
	// points holds the scaled numbers of the rows, dims per row: by row while the
	// trees are grown, then by position in order.
	points []float64
	nodes  []node
	boxes  []float64 // per node: dims lowest values, then dims highest
}

// node is a box of rows. An inner node's rows are split between its children.
type node struct {
	from, to    int32
	left, right int32 // 0 and 0: a leaf; no child is node 0
}

// grow makes a tree of order[from:to] and returns its root.
func (f *forest) grow(from, to int) int32 {
	at := int32(len(f.nodes))
	f.nodes = append(f.nodes, node{from: int32(from), to: int32(to)})
	rows := f.order[from:to]
	widest, spread := -1, 0.0
	box := make([]float64, 2*f.dims)
	for d := range f.dims {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range rows {
			v := f.points[int(r)*f.dims+d]
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		box[d], box[f.dims+d] = lo, hi
		if hi-lo > spread {
			widest, spread = d, hi-lo
		}
	}
	f.boxes = append(f.boxes, box...)
	if len(rows) <= leafSize || widest < 0 {
		return at
	}
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f.points[int(a)*f.dims+widest], f.points[int(b)*f.dims+widest]), cmp.Compare(a, b))
	})
	middle := from + len(rows)/2
	left := f.grow(from, middle)
	right := f.grow(middle, to)
	f.nodes[at].left, f.nodes[at].right = left, right
	return at
}

// arrange sorts the points into the trees' order, so that a leaf's points are
// adjacent.
func (f *forest) arrange() {
	points := make([]float64, 0, len(f.points))
	for _, r := range f.order {
		points = append(points, f.points[int(r)*f.dims:int(r+1)*f.dims]...)
	}
	f.points = points
}

// hit is a row and its distance: a sum over the features, not yet divided by
// their number.
type hit struct {
	distance float64
	row      int32
}

func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
}

// query is one search for neighbours.
type query struct {
	forest *forest
	point  []float64
	k      int
	best   []hit // the k best so far, nearest first: k is small, so inserting is cheap
	limit  float64
}

// visit looks for neighbours in a node whose rows' categories add the given
// distance. The distances of a row and of its box add up the features in the same
// order, and rounding is monotone, so the box's distance never exceeds the row's,
// not even in the last digit.
func (q *query) visit(at int32, categories float64) {
	f := q.forest
	n := &f.nodes[at]
	if n.left != 0 {
		near, far := n.left, n.right
		a, b := q.toBox(near, categories), q.toBox(far, categories)
		if b < a {
			near, far, a, b = far, near, b, a
		}
		if a <= q.limit {
			q.visit(near, categories)
		}
		if b <= q.limit {
			q.visit(far, categories)
		}
		return
	}
	for i := n.from; i < n.to; i++ {
		d := categories
		for j, v := range f.points[int(i)*f.dims : int(i+1)*f.dims] {
			if d += math.Abs(v - q.point[j]); d > q.limit {
				break
			}
		}
		if d <= q.limit && d > 0 {
			q.add(hit{d, f.order[i]})
		}
	}
}

func (q *query) add(h hit) {
	at, _ := slices.BinarySearchFunc(q.best, h, compareHits)
	if at >= q.k {
		return
	}
	q.best = slices.Insert(q.best, at, h)
	if len(q.best) > q.k {
		q.best = q.best[:q.k]
	}
	if len(q.best) == q.k {
		q.limit = q.best[q.k-1].distance
	}
}

// toBox is the distance to the nearest point of a node's box. The argument categories
// is the part of it that the categories contribute.
func (q *query) toBox(at int32, categories float64) float64 {
	f := q.forest
	box := f.boxes[int(at)*2*f.dims : int(at+1)*2*f.dims]
	d := categories
	for j, v := range q.point {
		if lo, hi := box[j], box[f.dims+j]; v < lo {
			d += lo - v
		} else if v > hi {
			d += v - hi
		}
	}
	return d
}
