package ensemble

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// Moments bounds from below how many individuals of a box get one decision, and how many get two, for two combinations of
// a grid without real features (docs/developer/solver-bnb.md, Counting). It serves one goroutine.
//
// M is the mean of both logits and H half their difference, so that decisions differ if and only if |H| > |M|. Both
// are sums of trees. Features are divided into groups. The conditional means of M, and of H, by the cells of each group
// add up to A and B (the functional ANOVA of Hoeffding, 1948, and Sobol, 1993). Groups are independent in a box, so that
// a convolution gives the distribution of A and B. The comparison of |B| with |A| is wrong only where
// e = |M − A| + |H − B| is at least g = ||A| − |B||. For any r > 0,
//
//	P(e ≥ g) ≤ E max(0, 1 − (g/r)²) + E e²/r²,
//
// as in Chebyshev's inequality. E e² ≤ (√E(M−A)² + √E(H−B)²)² follows from the pairs of leaves of the trees that
// compare features of several groups. Without such trees only the rounding to bins is left.
type Moments struct {
	*Dive
	reach  [][]uint64  // by feature and place: the first cell of the dimension at it
	dim    []int       // by feature: its dimension, −1 for none
	before [][]float64 // by feature and place: the number of the box's cells at places before it
	reduction
	division
	lo, hi []int32 // by feature: the places of the current leaf
	tree   int     // the current tree; −1 if it compares features of one group
	square effect  // the sum of its products with earlier trees
	work   int     // branches that may still be visited
	rows   [2][]float64
	masses [2][marginBins + 1]float64
}

// effect is a number for M and one for H.
type effect struct{ m, h float64 }

// add adds an effect, multiplied by a weight.
func (e *effect) add(weight float64, v effect) { e.m, e.h = e.m+weight*v.m, e.h+weight*v.h }

// weightedMean returns the mean of two effects; left is the weight of the first.
func weightedMean(left float64, x, y effect) effect {
	return effect{left*x.m + (1-left)*y.m, left*x.h + (1-left)*y.h}
}

// size returns the sum of both magnitudes.
func (e effect) size() float64 { return math.Abs(e.m) + math.Abs(e.h) }

// reduction holds the trees that are not constant in the box.
type reduction struct {
	branches []branch
	trees    []reduced
	constant effect
	size     float64 // the sum of the trees' largest leaves, by magnitude
	off      float64 // bounds the rounding errors of sums of conditional means
}

// branch is a node of a tree that the box does not decide.
type branch struct {
	feature, cut, right int32   // feature is −1 for a leaf; the left child follows
	lo, hi              int32   // the places of the feature at this node
	compared            uint64  // the dimensions compared here or below
	left                float64 // the share that goes left
	mean                effect
}

// reduced is a tree; most is its largest leaf, by magnitude.
type reduced struct {
	root     int32
	compared uint64
	most     float64
}

const (
	// momentWork and mostBranches bound the branches visited for a box, and their number.
	momentWork, mostBranches = 1 << 25, 1 << 20
	// groupCells and groupFeatures bound a group.
	groupCells, groupFeatures = 1 << 12, 6
	// convolved is the number of bins of the joint distribution of A and B, about; marginBins that of g.
	convolved, marginBins = 1 << 12, 1 << 12
	// slack exceeds the relative rounding error of sums of mostBranches products.
	slack = 0x1p-30
)

// CountsByMoments reports whether Moments can count: there are two combinations, at most 64 dimensions, and no real
// features.
func (p *Plan) CountsByMoments() bool {
	return p.grid.Countable && len(p.grid.Dims) <= 64 && len(p.grid.Combinations) == 2 && len(p.grid.Relaxed) == 0
}

// NewMoments returns a Moments, if CountsByMoments.
func (p *Plan) NewMoments(stop *atomic.Bool) *Moments {
	n, dims := len(p.firsts), len(p.grid.Dims)
	c := &Moments{Dive: p.NewDive(stop), reach: make([][]uint64, n), dim: make([]int, n), before: make([][]float64, n), lo: make([]int32, n), hi: make([]int32, n)}
	c.division = division{cell: make([][]int32, n), shares: make([][]float64, n), ties: make([]float64, dims*dims)}
	for f := range c.dim {
		c.dim[f] = -1
	}
	for d := range p.grid.Dims {
		dim := &p.grid.Dims[d]
		f := dim.Feature
		c.dim[f] = d
		c.reach[f] = append(c.reach[f], 0)
		for _, v := range p.firsts[f] {
			c.reach[f] = append(c.reach[f], uint64(dim.Reach(v)))
		}
		c.reach[f] = append(c.reach[f], uint64(dim.Cells))
		c.before[f], c.cell[f] = make([]float64, len(c.reach[f])), make([]int32, len(c.reach[f]))
	}
	return c
}

// Count returns lower bounds of the shares of the box that get one decision, and two. b has bounded the box.
func (c *Moments) Count(b *Boxes, box grid.Box) (fair, unfair float64) {
	if !c.prepare(b, box) {
		return 0, 0
	}
	rest, most, ok := c.residual()
	if !ok {
		return 0, 0
	}
	return c.convolve(rest, most)
}

// prepare reduces the trees to a box, and divides the features into groups.
func (c *Moments) prepare(b *Boxes, box grid.Box) bool {
	copy(c.least, b.least[0])
	copy(c.most, b.most[0])
	copy(c.lo, c.least)
	copy(c.hi, c.most)
	for f, d := range c.dim {
		if d >= 0 {
			from, to := box[2*d], box[2*d+1]+1
			for p := c.least[f]; p <= c.most[f]+1; p++ {
				c.before[f][p] = float64(min(max(c.reach[f][p], from), to) - from)
			}
		}
	}
	c.work = momentWork
	if !c.reduce() || !(c.size >= 0x1p-400 && c.size <= 0x1p500) { // squares may underflow or overflow
		return false
	}
	c.divide()
	return true
}

// share returns the share of the box's places of a feature that lie in [lo, hi].
func (c *Moments) share(f, lo, hi int32) float64 {
	n := c.before[f]
	return (n[hi+1] - n[lo]) / n[c.most[f]+1]
}

// reduce writes the branches of all trees that are not constant in the box, less their means.
func (c *Moments) reduce() bool {
	c.reduction = reduction{branches: c.branches[:0], trees: c.trees[:0], constant: effect{m: c.base}, size: math.Abs(c.base)}
	add := func(one, two int32) {
		root := int32(len(c.branches))
		if c.grow(one, two); c.work < 0 {
			return
		}
		list, most, largest := c.branches[root:], 0.0, 0.0
		mean := list[0].mean
		for i := range list {
			v := &list[i].mean
			largest = max(largest, v.size())
			v.add(-1, mean)
			most = max(most, v.size())
		}
		c.size += largest
		c.constant.add(1, mean)
		if list[0].feature < 0 {
			c.branches = c.branches[:root]
			return
		}
		c.trees = append(c.trees, reduced{root, list[0].compared, most})
	}
	for i := range c.apart {
		k := &c.apart[i]
		add(k.roots[k.of[0]], k.roots[k.of[1]])
	}
	for _, root := range c.shared {
		add(root, root)
	}
	return c.work >= 0
}

// grow writes half the sum and half the difference of two trees in the current places.
func (c *Moments) grow(one, two int32) (at int32) {
	one, two = c.descend(one), c.descend(two)
	at = int32(len(c.branches))
	c.branches = append(c.branches, branch{feature: -1})
	if c.work--; c.work < 0 || at >= mostBranches {
		c.work = -1
		return at
	}
	n := &c.nodes[one]
	if n.feature < 0 {
		v := n.value
		if n = &c.nodes[two]; n.feature < 0 {
			c.branches[at].mean = effect{(v + n.value) / 2, (n.value - v) / 2}
			return at
		}
	}
	f, cut := n.feature, n.cut
	least, most := c.least[f], c.most[f]
	if n.more >= 0 && (cut < least || cut >= most) {
		more := c.more[n.more]
		cut = more[slices.IndexFunc(more, func(cut int32) bool { return cut >= least && cut < most })]
	}
	c.most[f] = cut
	l := c.grow(one, two)
	c.most[f], c.least[f] = most, cut+1
	r := c.grow(one, two)
	c.least[f] = least
	cells := c.before[f]
	left := (cells[cut+1] - cells[least]) / (cells[most+1] - cells[least])
	x, y := &c.branches[l], &c.branches[r]
	c.branches[at] = branch{feature: f, cut: cut, right: r, lo: least, hi: most, left: left, compared: x.compared | y.compared | 1<<c.dim[f],
		mean: weightedMean(left, x.mean, y.mean)}
	return at
}

// residual returns upper bounds of E(M−A)² and E(H−B)², and of |M−A| + |H−B|, for A and B with exact conditional
// means, which it leaves in the groups.
func (c *Moments) residual() (rest effect, most float64, ok bool) {
	several := c.trees[:0]
	for _, t := range c.trees {
		if c.alone(&t) {
			c.tree = -1
			c.leaves(t.root, 1, 0)
		} else {
			several = append(several, t)
			most += t.most
		}
	}
	c.trees = several
	var size, v effect
	errors := func(sums, terms float64) float64 { return 0x1p-51 * (sums + float64(len(c.branches))) * terms } // no path is longer
	c.off = errors(0, c.size)
	for i, t := range c.trees {
		c.tree, c.square = i, effect{}
		own := c.leaves(t.root, 1, 0)
		size.m, size.h = size.m+math.Sqrt(own.m), size.h+math.Sqrt(own.h)
		v.add(1, own)
		v.add(2, c.square)
		if c.work < 0 || c.stop.Load() {
			return effect{}, 0, false
		}
	}
	for i := range c.groups {
		g := &c.groups[i]
		c.off += errors(g.added+float64(g.cells), g.terms)
		c.sum(g, g.within, g.base[0])
		c.sum(g, g.joint, g.base[1])
		largest := 0.0
		for k := range g.joint {
			e, w := g.joint[k], c.shareOf(g, k)
			v.m, v.h = v.m-w*e.m*e.m, v.h-w*e.h*e.h
			largest = max(largest, e.size())
			g.within[k].add(1, e)
		}
		most += largest
	}
	// The rounding error of sums of products is relative to products of norms, and the groups' means are off.
	more := func(size float64) float64 { return slack*size*size + 2*(size+c.off)*c.off }
	return effect{max(0, v.m) + more(size.m), max(0, v.h) + more(size.h)}, most, true
}

// leaves visits the leaves below a branch, to which a share of the box goes, and returns their sum of squares.
func (c *Moments) leaves(at int32, share float64, compared uint64) (square effect) {
	b := &c.branches[at]
	if b.feature < 0 {
		c.leaf(share, compared, b.mean)
		return effect{share * b.mean.m * b.mean.m, share * b.mean.h * b.mean.h}
	}
	f := b.feature
	compared |= 1 << c.dim[f]
	c.hi[f] = b.cut
	square = c.leaves(at+1, share*b.left, compared)
	c.hi[f], c.lo[f] = b.hi, b.cut+1
	square.add(1, c.leaves(b.right, share*(1-b.left), compared))
	c.lo[f] = b.lo
	return square
}

// leaf adds a leaf to the groups' conditional means, and its products with earlier trees.
func (c *Moments) leaf(share float64, compared uint64, v effect) {
	for i := range c.groups {
		if g := &c.groups[i]; g.compared&compared != 0 {
			if c.tree < 0 {
				c.spread(g, g.within, &g.base[0], share, compared, v)
			} else {
				c.spread(g, g.joint, &g.base[1], share, compared, v)
			}
		}
	}
	if c.tree < 0 || c.stop.Load() {
		return
	}
	var sum effect
	for _, t := range c.trees[:c.tree] {
		if c.work < 0 {
			return
		}
		if t.compared&compared != 0 {
			sum.add(1, c.conditional(t.root, compared))
		}
	}
	c.square.m, c.square.h = c.square.m+share*v.m*sum.m, c.square.h+share*v.h*sum.h
}

// spread adds a leaf's part of a group's conditional means, as differences from cell to cell along each feature.
func (c *Moments) spread(g *group, to []effect, base *effect, share float64, compared uint64, v effect) {
	base.add(share, v)
	var corners [1 << groupFeatures]struct {
		at   int
		sign float64
	}
	corners[0].sign = share
	n := 1
	for j, f := range g.features {
		if compared>>c.dim[f]&1 == 0 {
			continue
		}
		part := c.share(f, c.lo[f], c.hi[f])
		from, to := int(c.cell[f][c.lo[f]]), int(c.cell[f][c.hi[f]])+1
		for k := range n {
			k := &corners[k]
			if k.sign /= part; to < len(c.shares[f]) {
				corners[n].at, corners[n].sign = k.at+to*g.strides[j], -k.sign
				n++
			}
			k.at += from * g.strides[j]
		}
	}
	for _, k := range corners[:n] {
		to[k.at].add(k.sign, v)
		g.terms += math.Abs(k.sign) * v.size()
	}
	g.added += float64(n)
}

// conditional returns the mean below a branch in the places of the current leaf, which compares some dimensions.
func (c *Moments) conditional(at int32, compared uint64) effect {
	b := &c.branches[at]
	for b.compared&compared != 0 {
		left := b.left
		if f := b.feature; compared>>c.dim[f]&1 != 0 {
			lo, hi := max(b.lo, c.lo[f]), min(b.hi, c.hi[f])
			if hi <= b.cut {
				at++
				b = &c.branches[at]
				continue
			}
			if lo > b.cut {
				at = b.right
				b = &c.branches[at]
				continue
			}
			n := c.before[f]
			left = (n[b.cut+1] - n[lo]) / (n[hi+1] - n[lo])
		}
		c.work--
		return weightedMean(left, c.conditional(at+1, compared), c.conditional(b.right, compared))
	}
	return b.mean
}

// convolve returns lower bounds of the shares with one decision and two, from the distribution of A and B. Conditional
// means are rounded to multiples of a step. This adds to the residual, with which exact means are uncorrelated. rest and
// most are bounds of the residual as in the method residual.
func (c *Moments) convolve(rest effect, most float64) (fair, unfair float64) {
	width, n := effect{}, float64(len(c.groups))
	ends := make([][2]effect, len(c.groups))
	for i := range c.groups {
		e := &ends[i]
		e[0], e[1] = c.groups[i].within[0], c.groups[i].within[0]
		for _, v := range c.groups[i].within {
			e[0], e[1] = effect{min(e[0].m, v.m), min(e[0].h, v.h)}, effect{max(e[1].m, v.m), max(e[1].h, v.h)}
		}
		width.m, width.h = width.m+e[1].m-e[0].m, width.h+e[1].h-e[0].h
	}
	step := max((width.m+width.h)/convolved, slack*c.size, math.SmallestNonzeroFloat64*0x1p60)
	for (width.m/step+n)*(width.h/step+1) > convolved {
		step *= 1.25
	}
	start, stride := c.constant, int(width.h/step+n)+2
	row := append(c.rows[0][:0], make([]float64, stride)...)
	row[0] = 1
	for i := range c.groups {
		g, least := &c.groups[i], ends[i][0]
		start.add(1, least)
		var mean, square effect
		last, off := 0, 0.0
		across := int(math.Round((ends[i][1].h-least.h)/step)) + 1
		shares := make([]float64, across*(int(math.Round((ends[i][1].m-least.m)/step))+1))
		for k, v := range g.within {
			w := c.shareOf(g, k)
			m, h := v.m-least.m, v.h-least.h
			km, kh := math.Round(m/step), math.Round(h/step)
			e := effect{km*step - m, kh*step - h}
			off = max(off, e.size())
			mean.add(w, e)
			square.m, square.h = square.m+w*e.m*e.m, square.h+w*e.h*e.h
			shares[int(km)*across+int(kh)] += w
			last = max(last, int(km))
		}
		start.add(-1, mean)
		rest.m += max(0, square.m-mean.m*mean.m) + slack*square.m
		rest.h += max(0, square.h-mean.h*mean.h) + slack*square.h
		most += off + mean.size()
		to := append(c.rows[1][:0], make([]float64, len(row)+(last+1)*stride)...)
		for k, w := range shares {
			if w > 0 {
				into := to[k/across*stride+k%across:][:len(row)]
				for i, v := range row {
					into[i] += w * v
				}
			}
		}
		row, c.rows[1] = to, row
	}
	c.rows[0] = row
	off := slack*c.size + 2*c.off
	norm := (math.Sqrt(rest.m)+math.Sqrt(rest.h))*(1+slack) + off
	return c.judge(start, step, stride, norm, most*(1+slack)+off)
}

// judge bounds shares, given the joint distribution of A and B in bins, and bounds of the norm and of the magnitude of the
// residual.
func (c *Moments) judge(start effect, step float64, stride int, norm, magnitude float64) (fair, unfair float64) {
	row := c.rows[0]
	margin := func(i int) float64 {
		return math.Abs(start.m+float64(i/stride)*step) - math.Abs(start.h+float64(i%stride)*step)
	}
	most := 0.0
	for i, p := range row {
		if p > 0 {
			most = max(most, math.Abs(margin(i)))
		}
	}
	c.masses = [2][marginBins + 1]float64{}
	width := min(most, magnitude) / marginBins
	slip := slack * (c.size + most)
	var out [2]float64
	for i, p := range row {
		if p > 0 {
			g, side := margin(i), 0
			if g < 0 {
				g, side = -g, 1
			}
			if g -= slip; g > magnitude {
				out[side] += p
			} else if g > 0 {
				c.masses[side][min(int(g/width), marginBins)] += p
			}
		}
	}
	for side, sure := range out {
		best, beyond, near := 0.0, 0.0, 0.0 // near: of shares times squares of margins below r
		for _, p := range c.masses[side] {
			beyond += p
		}
		for k, p := range c.masses[side] {
			if r := float64(k) * width; k > 0 {
				best = max(best, beyond+(near-norm*norm)/(r*r))
				near += p * r * r
			}
			beyond -= p
		}
		out[side] = max(0, (sure+best)*(1-slack)-slack)
	}
	return out[0], out[1]
}
