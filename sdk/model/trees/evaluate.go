package trees

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// leafAt returns the index of the leaf that a tree ends in. Input i is at[i] + δ, where δ is
// infinitesimal and has the sign of more[i]; it is 0 if more is nil.
func (t Tree) leafAt(at []float64, more []int) int {
	i := int32(0)
	for !t[i].IsLeaf() {
		n, sign := &t[i], 0
		if more != nil {
			sign = more[n.Input]
		}
		if n.left(at[n.Input], sign) {
			i = n.Left
		} else {
			i = n.Right
		}
	}
	return int(i)
}

// leaves returns a function that gives the value of the leaf that tree k ends in.
func (e *Ensemble) leaves(inputs []float64) func(k int) float64 {
	if missing(inputs) {
		return func(k int) float64 { return e.Trees[k][e.Trees[k].leafAt(inputs, nil)].Value }
	}
	f := e.flat()
	return func(k int) float64 {
		v, _ := f.leaf(f.roots[k], inputs, nil)
		return v
	}
}

// flat returns the flattened ensemble, which the first call builds. It is safe for
// concurrent use.
func (e *Ensemble) flat() *flat {
	e.flatten.Do(func() { e.steps = flatten(e.Trees, nil) })
	return e.steps
}

// Logit implements model.Model: the sum in float64, tree by tree.
func (e *Ensemble) Logit(inputs []float64) float64 {
	sum, leaf := e.Base, e.leaves(inputs)
	for k := range e.Trees {
		sum += leaf(k)
	}
	return sum
}

// Logit32 is the sum as libraries compute it in single precision, tree by tree.
func (e *Ensemble) Logit32(inputs []float64) float32 {
	sum, leaf := float32(e.Base), e.leaves(inputs)
	for k := range e.Trees {
		sum += float32(leaf(k))
	}
	return sum
}

// near compares an input whose value is at ± off. The first result is that of the middle of this
// range; the second reports whether another number in it may go to the other side.
func (n *Node) near(at, off float64) (left, near bool) {
	left = n.left(at, 0)
	if off != 0 {
		low, high := math.Nextafter(at-off, math.Inf(-1)), math.Nextafter(at+off, math.Inf(1))
		near = n.count(low, true) != n.count(high, false)
	}
	return left, near
}

// SumError bounds the error of any sum of the base and a leaf of each tree, in
// float64 and in any order. It is 0 if such sums are exact.
func (e *Ensemble) SumError() float64 {
	e.once.Do(func() { e.off = e.sumError() })
	return e.off
}

func (e *Ensemble) sumError() float64 {
	if _, total, ok := e.scale(); ok && bits.Len64(total) <= 51 { // there is room for differences
		return 0
	}
	size := math.Abs(e.Base)
	for _, t := range e.Trees {
		size += t.most()
	}
	return float64(len(e.Trees)+2) * 0x1p-51 * size
}

// most is the largest magnitude of a leaf.
func (t Tree) most() float64 {
	most := 0.0
	for i := range t {
		if t[i].IsLeaf() {
			most = max(most, math.Abs(t[i].Value))
		}
	}
	return most
}

// scale returns the shift such that the base and all leaves, times 2^shift, are integers.
// total is the sum of the magnitudes of the base and of each tree's largest leaf; ok is
// false if it may take more than 62 bits.
func (e *Ensemble) scale() (shift int, total uint64, ok bool) {
	least, highest := math.MaxInt, math.MinInt
	note := func(v float64) {
		if v == 0 {
			return
		}
		frac, exp := math.Frexp(v)
		mantissa := int64(math.Abs(frac) * (1 << 53))
		least = min(least, exp-53+bits.TrailingZeros64(uint64(mantissa)))
		highest = max(highest, exp)
	}
	note(e.Base)
	for _, t := range e.Trees {
		for i := range t {
			if t[i].IsLeaf() {
				note(t[i].Value)
			}
		}
	}
	if least == math.MaxInt {
		return 0, 0, true
	}
	if highest-least+bits.Len(uint(len(e.Trees)+1)) > 62 {
		return -least, 0, false
	}
	sum := math.Ldexp(math.Abs(e.Base), -least) // exact: at most 62 bits, of which 53 are set
	total = uint64(sum)
	for _, t := range e.Trees {
		total += uint64(math.Ldexp(t.most(), -least))
	}
	return -least, total, true
}

// LogitError implements model.Model. It does not know which borders are near, so there is
// a bound only if all inputs are exact: see LogitNear.
func (e *Ensemble) LogitError(_, off []float64) float64 {
	for _, o := range off {
		if o != 0 {
			return math.Inf(1)
		}
	}
	return e.SumError()
}

// LogitNear implements model.Near: the error is infinite if a compared input may lie on
// the other side of a border.
func (e *Ensemble) LogitNear(inputs, off []float64) (logit, err float64) {
	if off = exactly(off); off == nil {
		leaf := e.leaves(inputs)
		for k := range e.Trees {
			logit += leaf(k)
		}
		return logit + e.Base, e.SumError()
	}
	if missing(inputs) {
		return 0, math.Inf(1)
	}
	f := e.flat()
	for _, root := range f.roots {
		v, near := f.leaf(root, inputs, off)
		if near {
			return 0, math.Inf(1)
		}
		logit += v
	}
	return logit + e.Base, e.SumError()
}

// count returns the number of borders below v. If with is set, a border equal to v counts too.
func (n *Node) count(v float64, with bool) int {
	count := 0
	n.Borders(func(b float64) {
		if b < v || with && b == v {
			count++
		}
	})
	return count
}

// exact sums leaves as integers over 2^shift, in an int64 if ok is set.
type exact struct {
	e     *Ensemble
	shift int
	ok    bool
}

// Exact implements model.Model.
func (e *Ensemble) Exact() model.Exact {
	x := &exact{e: e}
	x.shift, _, x.ok = e.scale()
	return x
}

// Logit implements model.Exact. nil is a missing input.
func (x *exact) Logit(inputs []*big.Rat) *big.Rat {
	at, more := nearestOf(inputs)
	var sum, term big.Int
	if x.ok {
		part := int64(math.Ldexp(x.e.Base, x.shift))
		for _, t := range x.e.Trees {
			part += int64(math.Ldexp(t[t.leafAt(at, more)].Value, x.shift))
		}
		sum.SetInt64(part)
	} else {
		x.scaled(&sum, x.e.Base)
		for _, t := range x.e.Trees {
			sum.Add(&sum, x.scaled(&term, t[t.leafAt(at, more)].Value))
		}
	}
	if x.shift < 0 {
		return new(big.Rat).SetInt(sum.Lsh(&sum, uint(-x.shift)))
	}
	return new(big.Rat).SetFrac(&sum, new(big.Int).Lsh(big.NewInt(1), uint(x.shift)))
}

// scaled is v times 2^shift, an integer.
func (x *exact) scaled(to *big.Int, v float64) *big.Int {
	frac, exp := math.Frexp(v)
	to.SetInt64(int64(frac * (1 << 53)))
	if up := x.shift + exp - 53; up >= 0 {
		return to.Lsh(to, uint(up))
	}
	// Only zeros are shifted out; a shift rounds negative numbers down.
	up := uint(53 - exp - x.shift)
	if to.Sign() < 0 {
		to.Neg(to)
		return to.Neg(to.Rsh(to, up))
	}
	return to.Rsh(to, up)
}

// Bounds implements model.Bounded: the sum of the least and of the greatest leaves
// that can be reached, tree by tree.
func (e *Ensemble) Bounds(box []space.Interval) space.Interval {
	out := space.Interval{Lo: e.Base, Hi: e.Base}
	room := append([]space.Interval(nil), box...)
	for _, t := range e.Trees {
		lo, hi := t.reach(0, room)
		out.Lo, out.Hi = out.Lo+lo, out.Hi+hi
	}
	err := e.SumError()
	return space.Interval{Lo: out.Lo - 2*err, Hi: out.Hi + 2*err}
}

// reach returns the least and the greatest leaf below node i within the box. It restores
// the box before it returns.
func (t Tree) reach(i int32, box []space.Interval) (lo, hi float64) {
	n := &t[i]
	if n.IsLeaf() {
		return n.Value, n.Value
	}
	at := box[n.Input]
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, side := range n.sides(at) {
		if side.reached {
			box[n.Input] = side.part
			least, most := t.reach(side.child, box)
			lo, hi = min(lo, least), max(hi, most)
		}
	}
	box[n.Input] = at
	return lo, hi
}

// side is a child of a comparison, and the part of an interval of inputs that goes there,
// if any does.
type side struct {
	child   int32
	part    space.Interval
	reached bool
}

// sides splits an interval of inputs into the parts that go left and right.
func (n *Node) sides(at space.Interval) [2]side {
	if len(n.More) > 0 {
		first, last := n.count(at.Lo, !n.Closed), n.count(at.Hi, !n.Closed)
		return [2]side{{n.Left, at, first < last || first%2 == 0}, {n.Right, at, first < last || first%2 == 1}}
	}
	return [2]side{
		{n.Left, space.Interval{Lo: at.Lo, Hi: min(at.Hi, n.Value)}, n.left(at.Lo, 0)},
		{n.Right, space.Interval{Lo: max(at.Lo, n.Value), Hi: at.Hi}, !n.left(at.Hi, 0)},
	}
}

// Apart implements model.Comparing: it sums, over the trees, the largest difference of
// leaves that a comparison of a differing input separates.
func (e *Ensemble) Apart(box []space.Interval, differs []bool) float64 {
	room := append([]space.Interval(nil), box...)
	sum := 0.0
	for _, t := range e.Trees {
		if apart, _, _ := t.apart(0, room, differs); apart > 0 {
			sum = up(sum + apart)
		}
	}
	return sum
}

// apart does the work of Apart below node i. It returns the bound on the difference of
// two leaves, and the least and the greatest leaf that the box reaches. It restores the
// box before it returns.
func (t Tree) apart(i int32, box []space.Interval, differs []bool) (apart, lo, hi float64) {
	n := &t[i]
	if n.IsLeaf() {
		return 0, n.Value, n.Value
	}
	at := box[n.Input]
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, side := range n.sides(at) {
		if side.reached {
			box[n.Input] = side.part
			below, least, most := t.apart(side.child, box, differs)
			if apart = max(apart, below); differs[n.Input] && lo <= hi && (most > lo || hi > least) {
				apart = max(apart, up(most-lo), up(hi-least))
			}
			lo, hi = min(lo, least), max(hi, most)
		}
	}
	box[n.Input] = at
	return apart, lo, hi
}

func up(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
