package ensemble

import (
	"math"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// Boxes bounds boxes, one at a time, on one goroutine.
type Boxes struct {
	*Plan
	// Enclosures for the current box: of the shared trees' sum, and of the rest of each
	// lane's logit.
	From, To float64
	Lo, Hi   []float64
	// Constant is set if every tree ends in one leaf in the entire box.
	Constant bool
	// Stop, if not nil, is checked after every lookEvery nodes of a box; if it is set, the bound
	// is interrupted. Then Broken is set for good, and no later bound is valid.
	Stop   *atomic.Bool
	Broken bool
	seen   int // nodes visited for the current box
	copies
	gains
	matrix
}

// copies describes the current box by the ranges of its copies.
type copies struct {
	least, most [2][]int32 // places by feature, for the first and the second copies
	side        int        // the current side: 0 for first copies, 1 for second
	twice       bool       // second copies may have other values of relaxed features
}

// matrix bounds how much the trees that differ between combinations add to logit
// differences.
type matrix struct {
	// sums bounds, by pair of combinations, how much the first logit exceeds the second; nil if there are too many.
	sums    []float64
	between []float64 // the same for one tree, by pair of its roots
	reached [][2]float64
	values  []float64 // by root
}

// gains estimates how much each split of the current box would narrow its bounds.
type gains struct {
	gains  []float64 // by cut
	gained []int32   // cuts with gains
	weigh  float64   // the weight of gains; 0 if none are wanted
}

// NewBoxes allocates memory for bounds.
func (p *Plan) NewBoxes() *Boxes {
	lanes := p.grid.Lanes()
	b := &Boxes{Plan: p, Lo: make([]float64, lanes), Hi: make([]float64, lanes)}
	b.gains.gains, b.twice = make([]float64, p.cuts), len(p.grid.Relaxed) > 0
	for side := range b.least {
		b.least[side], b.most[side] = make([]int32, len(p.firsts)), make([]int32, len(p.firsts))
	}
	most := 0
	for i := range p.apart {
		most = max(most, len(p.apart[i].roots))
	}
	b.reached, b.values = make([][2]float64, most), make([]float64, most)
	if k := len(p.grid.Combinations); !b.twice && k <= maxPaired {
		b.sums, b.between = make([]float64, k*k), make([]float64, most*most)
	}
	// Features that do not vary keep their place.
	base := p.grid.Point(make([]float64, len(p.grid.Dims)))
	for i, v := range base {
		place := int32(p.Place(i, v))
		for side := range b.least {
			b.least[side][i], b.most[side][i] = place, place
		}
	}
	return b
}

// place finds the places of a box's features.
func (b *Boxes) place(box grid.Box) {
	for d := range b.grid.Dims {
		dim := &b.grid.Dims[d]
		if dim.IsShift {
			continue
		}
		lo, _ := dim.Values(box[2*d])
		_, hi := dim.Values(box[2*d+1])
		least, most := int32(b.Place(dim.Feature, lo)), int32(b.Place(dim.Feature, hi))
		for side := range b.least {
			b.least[side][dim.Feature], b.most[side][dim.Feature] = least, most
		}
	}
	for i := range b.grid.Relaxed {
		r := &b.grid.Relaxed[i]
		lo, hi, _ := r.Reach(b.grid, box)
		b.least[1][r.Feature], b.most[1][r.Feature] = int32(b.Place(r.Feature, lo)), int32(b.Place(r.Feature, hi))
	}
}

// Bound bounds a box. If it sets Broken, the bound is invalid.
func (b *Boxes) Bound(box grid.Box) {
	b.place(box)
	b.seen = 0
	b.boundPlaces()
}

// boundPlaces does the work of Bound, once the places of the box's features are known.
func (b *Boxes) boundPlaces() {
	b.Constant, b.side = true, 0
	b.From, b.To = b.base, b.base
	for _, root := range b.shared {
		lo, hi := b.reach(root)
		b.From, b.To = b.From+lo, b.To+hi
	}
	clear(b.Lo)
	clear(b.Hi)
	clear(b.sums)
	for i := range b.apart {
		k := &b.apart[i]
		for side := range len(b.Lo) / len(k.of) {
			b.side = side
			for j, root := range k.roots {
				b.reached[j][0], b.reached[j][1] = b.reach(root)
			}
			lo, hi := b.Lo[side*len(k.of):], b.Hi[side*len(k.of):]
			for z, of := range k.of {
				lo[z] += b.reached[of][0]
				hi[z] += b.reached[of][1]
			}
		}
		b.side = 0
		if b.sums != nil {
			b.pairs(k)
		}
	}
	// Sums of leaves may be off by the error.
	if err := 2 * b.err; err != 0 {
		b.From, b.To = b.From-err, b.To+err
		if len(b.apart) > 0 {
			for z := range b.Lo {
				b.Lo[z], b.Hi[z] = b.Lo[z]-err, b.Hi[z]+err
			}
		}
	}
}

// goesOn counts a node, and reports whether the walk may go below it.
func (b *Boxes) goesOn() bool {
	if b.seen++; b.seen%lookEvery == 0 && b.Stop != nil && b.Stop.Load() {
		b.Broken = true
	}
	return !b.Broken
}

// pairs adds a tree to the matrix.
func (b *Boxes) pairs(k *kinds) {
	n, all := len(k.roots), len(k.of)
	for i, one := range k.roots {
		for j, two := range k.roots[:i] {
			least, most := b.apartBy(one, two)
			b.between[i*n+j], b.between[j*n+i] = most, -least
		}
		b.between[i*n+i] = 0
	}
	for z1, i := range k.of {
		row := b.between[int(i)*n : int(i+1)*n]
		to := b.sums[z1*all : (z1+1)*all]
		for z2, j := range k.of {
			if v := row[j]; v != 0 {
				if to[z2] == 0 { // zeros add up to 0, anything else may be off
					to[z2] = 4 * b.err
				}
				to[z2] += v
			}
		}
	}
}

// Apart bounds how much a combination's logit may exceed another's in the box. possible
// says which may be allowed; nil means all. It is −Inf if there are fewer than two.
func (b *Boxes) Apart(possible []bool) float64 {
	apart := math.Inf(-1)
	n := len(b.grid.Combinations)
	for z1 := range n {
		for z2 := range n {
			if z1 == z2 || possible != nil && !(possible[z1] && possible[z2]) {
				continue
			}
			if v := b.of(z1, z2); v > apart {
				apart = v
			}
		}
	}
	return apart
}

// of returns an upper bound of one combination's logit less another's in the box.
func (b *Boxes) of(z1, z2 int) float64 {
	v := b.Hi[z1] - b.Lo[z2]
	if b.sums != nil {
		v = min(v, b.sums[z1*len(b.grid.Combinations)+z2])
	}
	return v
}

// Pair bounds a pair of combinations' logits.
func (b *Boxes) Pair(z1, z2 int) Pair { return Pair{b.of(z1, z2), b.To + b.Hi[z1], -b.From - b.Lo[z2]} }

// Places returns the number of combinations of places in the last bounded box, capped at the
// given number.
func (b *Boxes) Places(most int) int {
	n := 1
	for f := range b.least[0] {
		if n *= int(b.most[0][f]-b.least[0][f]) + 1; n >= most {
			return most
		}
	}
	return n
}

// reach returns the least and the greatest leaf below a node, within the places.
func (b *Boxes) reach(at int32) (lo, hi float64) {
	n := &b.nodes[at]
	for n.feature >= 0 {
		behind := b.behind(n)
		if behind == both {
			break
		}
		next := n.left
		if behind == all {
			next = n.right
		}
		n = &b.nodes[next]
	}
	if n.feature < 0 {
		return n.value, n.value
	}
	if b.Constant = false; !b.goesOn() {
		return 0, 0
	}
	least, most := b.least[b.side], b.most[b.side]
	f := n.feature
	if n.more >= 0 {
		l1, h1 := b.reach(n.left)
		l2, h2 := b.reach(n.right)
		b.gainAll(n, max(h1, h2)-min(l1, l2))
		return min(l1, l2), max(h1, h2)
	}
	was := most[f]
	most[f] = n.cut
	l1, h1 := b.reach(n.left)
	most[f] = was
	was, least[f] = least[f], n.cut+1
	l2, h2 := b.reach(n.right)
	least[f] = was
	if b.weigh > 0 {
		b.gain(f, n.cut, max(h1, h2)-min(l1, l2)-min(h1-l1, h2-l2))
	}
	return min(l1, l2), max(h1, h2)
}

// Positions of a box relative to a comparison's cuts.
const (
	none = iota // before them, or behind an even number of them
	all         // behind an odd number of them
	both
)

// behind returns the position of the current box, on the current side.
func (b *Boxes) behind(n *node) int {
	least, most := b.least[b.side][n.feature], b.most[b.side][n.feature]
	if n.more < 0 {
		switch {
		case most <= n.cut:
			return none
		case least > n.cut:
			return all
		}
		return both
	}
	return behind(n, b.more[n.more], least, most)
}

// behind returns the position of places relative to a comparison with further cuts.
func behind(n *node, more []int32, least, most int32) int {
	passed := 0
	if least > n.cut {
		passed++
	}
	if least <= n.cut && most > n.cut {
		return both
	}
	for _, c := range more {
		switch {
		case least > c:
			passed++
		case most > c:
			return both
		}
	}
	return passed % 2
}

// apartBy returns bounds of one tree's leaf less another's.
func (b *Boxes) apartBy(one, two int32) (least, most float64) {
	if one == two || !b.goesOn() {
		return 0, 0
	}
	p, q := &b.nodes[one], &b.nodes[two]
	if p.feature < 0 && q.feature < 0 {
		return p.value - q.value, p.value - q.value
	}
	first := p.feature >= 0
	if first {
		switch b.behind(p) {
		case none:
			return b.apartBy(p.left, two)
		case all:
			return b.apartBy(p.right, two)
		}
	}
	if q.feature >= 0 {
		switch b.behind(q) {
		case none:
			return b.apartBy(one, q.left)
		case all:
			return b.apartBy(one, q.right)
		}
	}
	n := q
	left, right := [2]int32{one, q.left}, [2]int32{one, q.right}
	if first {
		n = p
		left, right = [2]int32{p.left, two}, [2]int32{p.right, two}
		// The same comparison in both trees has the same outcome.
		if q.feature == n.feature && q.cut == n.cut && q.more == n.more {
			left[1], right[1] = q.left, q.right
		}
	}
	f := n.feature
	lo, hi := b.least[0], b.most[0]
	if n.more >= 0 {
		l1, h1 := b.apartBy(left[0], left[1])
		l2, h2 := b.apartBy(right[0], right[1])
		b.gainAll(n, max(h1, h2)-min(l1, l2))
		return min(l1, l2), max(h1, h2)
	}
	was := hi[f]
	hi[f] = n.cut
	l1, h1 := b.apartBy(left[0], left[1])
	hi[f] = was
	was, lo[f] = lo[f], n.cut+1
	l2, h2 := b.apartBy(right[0], right[1])
	lo[f] = was
	least, most = min(l1, l2), max(h1, h2)
	if b.weigh > 0 {
		b.gain(f, n.cut, 2*most-h1-h2+(h1-l1)*0x1p-20)
	}
	return least, most
}

// gain records how much splitting the box at a cut would narrow a bound.
func (b *Boxes) gain(feature, cut int32, v float64) {
	at := b.offset[feature] + int(cut)
	if b.gains.gains[at] == 0 {
		b.gained = append(b.gained, int32(at))
	}
	b.gains.gains[at] += v*b.weigh + math.SmallestNonzeroFloat64
}

// gainAll is gain for all cuts of a comparison that lie within the box.
func (b *Boxes) gainAll(n *node, v float64) {
	if b.weigh == 0 {
		return
	}
	for _, c := range append([]int32{n.cut}, b.more[n.more]...) {
		if b.least[b.side][n.feature] <= c && b.most[b.side][n.feature] > c {
			b.gain(n.feature, c, v)
		}
	}
}

// Cut returns where to split a box: the last cell of its lower half in a dimension; dim
// is −1 if no comparison splits it.
func (b *Boxes) Cut(box grid.Box) (dim int, last uint64) {
	b.Bound(box)
	z1, z2 := b.Worst()
	b.gained = b.gained[:0]
	b.side = 0
	for i := range b.apart {
		k := &b.apart[i]
		if b.weigh = 1; b.sums != nil {
			b.apartBy(k.roots[k.of[z1]], k.roots[k.of[z2]])
			continue
		}
		for side := range len(b.Lo) / len(k.of) {
			b.side = side
			b.reach(k.roots[k.of[z1]])
			b.reach(k.roots[k.of[z2]])
		}
		b.side = 0
	}
	b.weigh = 0.25
	for _, root := range b.shared {
		b.reach(root)
	}
	b.weigh = 0
	dim = -1
	best := 0.0
	for d := range b.grid.Dims {
		f := b.grid.Dims[d].Feature
		if b.grid.Dims[d].IsShift || box[2*d] == box[2*d+1] {
			continue
		}
		for c := range b.firsts[f] {
			if g := b.gains.gains[b.offset[f]+c]; g > best {
				if at, ok := b.cell(d, box, b.firsts[f][c]); ok {
					dim, last, best = d, at, g
				}
			}
		}
	}
	for _, at := range b.gained {
		b.gains.gains[at] = 0
	}
	return dim, last
}

// Worst returns the pair of combinations whose logits may differ most; twice the first one if features are relaxed.
func (b *Boxes) Worst() (z1, z2 int) {
	if b.twice {
		return 0, 0
	}
	apart := math.Inf(-1)
	for i := range b.grid.Combinations {
		for j := range b.grid.Combinations {
			if v := b.of(i, j); i != j && v > apart {
				z1, z2, apart = i, j, v
			}
		}
	}
	return z1, z2
}

// Cell returns where to split a box so that its lower half has the places of a feature up
// to c: a dimension, −1 if there is none, and the last cell of the lower half.
func (b *Boxes) Cell(box grid.Box, feature, c int) (dim int, last uint64) {
	for d := range b.grid.Dims {
		if dim := &b.grid.Dims[d]; dim.Feature == feature && !dim.IsShift && box[2*d] < box[2*d+1] {
			if last, ok := b.cell(d, box, b.firsts[feature][c]); ok {
				return d, last
			}
		}
	}
	return -1, 0
}

// cell returns the last cell of the lower half if a box is split at a value in it: the cell
// before the value's or, for a real feature, the box's first cell if the value is in that. ok
// is false if there is no such split.
func (b *Boxes) cell(d int, box grid.Box, v float64) (last uint64, ok bool) {
	dim := &b.grid.Dims[d]
	from, to := box[2*d], box[2*d+1]
	lo, hi := from, to
	for lo < hi { // the first cell whose values reach v
		mid := lo + (hi-lo)/2
		if _, top := dim.Values(mid); top >= v {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo > from {
		return lo - 1, true
	}
	return from, dim.Real && from < to // the value is in the first cell
}

// Logits evaluates an individual's copies, by lane, into out. The first lanes belong to the
// first copies, which are at the point one; any further lanes belong to second copies, at
// the point two.
func (b *Boxes) Logits(out, one, two []float64) {
	k := len(b.grid.Combinations)
	for side, point := range [2][]float64{one, two} {
		if side*k >= len(out) {
			break
		}
		to := out[side*k : (side+1)*k]
		sum := b.base
		for _, root := range b.shared {
			sum += b.leaf(root, point)
		}
		for z := range to {
			to[z] = sum
		}
		for i := range b.apart {
			kinds := &b.apart[i]
			for j, root := range kinds.roots {
				b.values[j] = b.leaf(root, point)
			}
			for z, of := range kinds.of {
				to[z] += b.values[of]
			}
		}
	}
}

// leaf returns the leaf of a tree that a point reaches.
func (b *Plan) leaf(at int32, point []float64) float64 {
	for {
		n := &b.nodes[at]
		if n.feature < 0 {
			return n.value
		}
		firsts, v := b.firsts[n.feature], point[n.feature]
		right := v >= firsts[n.cut]
		if n.more >= 0 {
			for _, c := range b.more[n.more] {
				right = right != (v >= firsts[c])
			}
		}
		if at = n.left; right {
			at = n.right
		}
	}
}
