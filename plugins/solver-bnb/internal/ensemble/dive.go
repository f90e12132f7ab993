package ensemble

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// Dive searches a box for one pair of combinations, depth first (docs/developer/solver-bnb.md, Trees). It visits few nodes,
// but thoroughly: one walk through the trees bounds the box, and each part of it in which a feature has one place. So the
// box shrinks to the relevant places, and is split where that lowers the bounds most. Trees that end in one leaf throughout
// a part become a constant below it. It serves one goroutine.
type Dive struct {
	*Plan
	budget
	question
	walker
	// Difference makes dives bound and split for the difference of the logits first, and
	// for the logits themselves if that leaves something, as for margins of decisions.
	Difference bool
	// least and most are the current node's places by feature. During a walk they are those of the current part, and
	// from and to hold the node's.
	least, most, from, to []int32
	terms                 []term  // a stack of the terms of the nodes on the path
	places                []int32 // a stack of these nodes' places
	sums                  [bounds]sums
	cuts                  []bool // by cut: some comparison of the node has it
	listed                []int32
}

// budget limits a dive.
type budget struct {
	// Left is the number of nodes that the dive may still visit; 0 ends it. Every
	// leavesOfNode leaves walked through cost as much as a node.
	Left int
	// Nodes and Leaves count what the dive has visited so far.
	Nodes, Leaves int
	leavesOfNode  int // leaves walked through in about ten milliseconds
	stop          *atomic.Bool
	broken        bool // set if a walk was interrupted
}

// question is what a dive looks for, and what it leaves open.
type question struct {
	demands Pair
	used    [bounds]bool
	judge   func(bounds Pair) (demands Pair, ok bool)
	found   func(least []int32)
	left    []Part
	root    []Part // halves of the first node
}

// walker is the state of a walk through the current term.
type walker struct {
	top     float64
	touched []int32   // features that the term compares
	seen    []bool    // by feature: whether it is touched
	here    []float64 // by touched feature: the largest leaf since the walk's path last narrowed it
	cells   []float64 // by place of a narrowed feature: the largest leaf there
}

// Pair holds a number for each bound of a question about two logits: by how much the
// first exceeds the second, the first, and the negative of the second.
type Pair [bounds]float64

const bounds = 3

// Anything is a demand that every bound meets. Unlike −Inf, it makes dives split parts to lower the bound.
const Anything = -math.MaxFloat64

// term is the leaf in which one tree ends less another's.
type term struct{ one, two int32 }

// sums are bounds of a sum of terms. By place of a feature they say how much lower the
// bound is than the node's: at this place, in the places up to it, and in the places from
// it on.
type sums struct {
	at, upTo, from []float64
	touched        []int32
	seen           []bool
}

// lookEvery is the number of leaves after which a walk checks whether to stop.
const lookEvery = 1 << 12

// NewDive returns a Dive. Its dives end when stop is set, after at most lookEvery leaves.
func (p *Plan) NewDive(stop *atomic.Bool) *Dive {
	features, places := len(p.firsts), p.cuts+len(p.firsts)
	ints := func() []int32 { return make([]int32, features) }
	floats := func(n int) []float64 { return make([]float64, n) }
	d := &Dive{Plan: p, least: ints(), most: ints(), from: ints(), to: ints(), cuts: make([]bool, p.cuts)}
	d.leavesOfNode, d.stop, d.walker = 1<<16, stop, walker{seen: make([]bool, features), here: floats(features), cells: floats(places)}
	for i := range d.sums {
		d.sums[i] = sums{at: floats(places), upTo: floats(places), from: floats(places), seen: make([]bool, features)}
	}
	return d
}

// Part is a set of individuals, given by the places of their features, and a pair of
// combinations.
type Part struct {
	Z1, Z2 int32
	Bounds Pair
	Places []int32 // the least places by feature, then the greatest
}

// Part returns the last bounded box as a part for a pair.
func (b *Boxes) Part(z1, z2 int) Part {
	return Part{int32(z1), int32(z2), b.Pair(z1, z2), append(append([]int32(nil), b.least[0]...), b.most[0]...)}
}

// Settles reports whether it proved, after a limited number of nodes, that no pair of logits in a part
// meets judge's demands. judge receives bounds of a pair and returns what each must exceed, −Inf for
// no demand; ok is false if no pair within the bounds can. At places where the trees are constant and
// the demands are met, found receives the least places, so that judge may then demand more.
//
// The result left is what stays open: if the part is settled, the places with constant trees that
// still meet the demands, else all of it.
func (d *Dive) Settles(p *Part, limit int, judge func(bounds Pair) (demands Pair, ok bool), found func(least []int32)) (left []Part, settled bool) {
	d.found, d.Left, d.Nodes, d.Leaves, d.root, d.left = found, limit, 0, 0, nil, nil
	n, ok := d.begin(p, judge)
	if !ok {
		return nil, true
	}
	if settled = d.closes(n); !settled {
		if d.left = d.root; d.root == nil { // stopped before the first split
			d.left = []Part{*p}
		}
	}
	for i := range d.left {
		d.left[i].Z1, d.left[i].Z2 = p.Z1, p.Z2
	}
	return d.left, settled
}

// begin puts a part's terms on the stack; ok is false if the part cannot meet the
// demands.
func (d *Dive) begin(p *Part, judge func(bounds Pair) (demands Pair, ok bool)) (n share, ok bool) {
	d.judge, d.broken = judge, false
	copy(d.least, p.Places)
	copy(d.most, p.Places[len(d.least):])
	demands, ok := judge(p.Bounds)
	if !ok {
		return n, false
	}
	d.demands = demands
	d.terms, d.places = d.terms[:0], d.places[:0]
	for i := range n.sum {
		n.start[i] = len(d.terms)
		if d.used[i] = !math.IsInf(demands[i], -1); d.used[i] {
			n.sum[i] = d.write(i, int(p.Z1), int(p.Z2))
		}
	}
	n.start[len(n.sum)] = len(d.terms)
	return n, true
}

// Cut returns the split that lowers the bounds of a part most, among the splits for which can returns true: a
// feature, −1 if there is none, and the last place of the lower half. judge is as in Settles.
func (d *Dive) Cut(p *Part, judge func(bounds Pair) (demands Pair, ok bool), can func(feature, last int32) bool) (feature, last int32) {
	n, ok := d.begin(p, judge)
	if !ok {
		return -1, 0
	}
	tops, _ := d.bound(n)
	if d.outdone(tops) {
		return -1, 0
	}
	feature, last, _ = d.choose(tops, can)
	return feature, last
}

// bound walks through the terms of a node and returns its bounds. It leaves the terms that are not
// constant on the stack.
func (d *Dive) bound(n share) (tops Pair, now share) {
	for _, at := range d.listed {
		d.cuts[at] = false
	}
	d.listed = d.listed[:0]
	copy(d.from, d.least)
	copy(d.to, d.most)
	for i := range bounds {
		now.start[i] = len(d.terms)
		tops[i] = math.Inf(1)
		if d.used[i] {
			now.sum[i], tops[i] = d.sweep(&d.sums[i], n.start[i], n.start[i+1], n.sum[i])
			tops[i] += 16 * d.err
		}
		if i == 0 && d.Difference && d.used[0] && tops[0] <= d.demands[0] {
			tops[1], tops[2] = math.Inf(1), math.Inf(1)
			break // nothing is left, whatever the logits are
		}
	}
	now.start[bounds] = len(d.terms)
	return tops, now
}

// write puts the terms of a bound on the stack, and returns its constant part.
func (d *Dive) write(i, z1, z2 int) (constant float64) {
	if i == 0 {
		for k := range d.apart {
			if of := &d.apart[k]; of.of[z1] != of.of[z2] {
				d.terms = append(d.terms, term{of.roots[of.of[z1]], of.roots[of.of[z2]]})
			}
		}
		return 0
	}
	add := func(root int32) {
		t := term{root, d.zero}
		if i == 2 {
			t = term{d.zero, root}
		}
		d.terms = append(d.terms, t)
	}
	z, base := z1, d.base
	if i == 2 {
		z, base = z2, -d.base
	}
	for k := range d.apart {
		add(d.apart[k].roots[d.apart[k].of[z]])
	}
	for _, root := range d.shared {
		add(root)
	}
	return base
}

// share is a node's part of the stack: for each bound, the terms that begin at start, and the
// sum of the constant ones.
type share struct {
	start [bounds + 1]int
	sum   Pair
}

func (d *Dive) closes(n share) bool {
	if d.Left--; d.Left < 0 {
		return false
	}
	d.Nodes++
	terms, places := len(d.terms), len(d.places)
	defer func() {
		copy(d.least, d.places[places:])
		copy(d.most, d.places[places+len(d.least):])
		d.terms, d.places = d.terms[:terms], d.places[:places]
	}()
	d.places = append(append(d.places, d.least...), d.most...)
	var tops Pair
	for {
		before := d.Leaves / d.leavesOfNode
		tops, n = d.bound(n)
		d.Left -= d.Leaves/d.leavesOfNode - before
		if d.broken || d.stop.Load() {
			return false
		}
		if d.outdone(tops) {
			return true
		}
		shrunk, any := d.shrink(tops)
		if !any {
			return true
		}
		if !shrunk || d.Left < 0 && cuttable(d) {
			break
		}
	}
	if n.start[0] == n.start[bounds] {
		if d.found(d.least); !d.outdone(tops) {
			d.left = append(d.left, Part{Places: append(append([]int32(nil), d.least...), d.most...), Bounds: tops})
		}
		return true
	}
	f, c, left := d.choose(tops, nil)
	if d.root == nil {
		d.root = halves(d, tops, f, c)
	}
	for range 2 {
		was := d.least[f]
		if left {
			was, d.most[f] = d.most[f], c
		} else {
			d.least[f] = c + 1
		}
		if !d.closes(n) {
			return false
		}
		if left {
			d.most[f] = was
		} else {
			d.least[f] = was
		}
		left = !left
	}
	return true
}

// outdone reports whether bounds exclude everything looked for, and updates the demands.
func (d *Dive) outdone(tops Pair) bool {
	demands, ok := d.judge(tops)
	if !ok {
		return true
	}
	d.demands = demands
	for i := range bounds {
		if d.used[i] && tops[i] <= demands[i] {
			return true
		}
	}
	return false
}

// shrink narrows the node to relevant places; any is false if there are none.
func (d *Dive) shrink(tops Pair) (shrunk, any bool) {
	for i := range d.sums {
		s := &d.sums[i]
		if !d.used[i] {
			continue
		}
		for _, f := range s.touched {
			at := s.at[d.offset[f]+int(f):]
			lo, hi := d.least[f], d.most[f]
			for lo <= hi && tops[i]+at[lo] <= d.demands[i] {
				lo++
			}
			for lo <= hi && tops[i]+at[hi] <= d.demands[i] {
				hi--
			}
			if lo > hi {
				return true, false
			}
			if lo > d.least[f] || hi < d.most[f] {
				d.least[f], d.most[f], shrunk = lo, hi, true
			}
		}
	}
	return shrunk, true
}

// cut returns a cut's feature, and the last place before it.
func (p *Plan) cut(k int32) (f, c int32) { return p.featureOf[k], k - int32(p.offset[p.featureOf[k]]) }

// cuttable reports whether the narrowed node has a cut.
func cuttable(d *Dive) bool {
	return slices.ContainsFunc(d.listed, func(k int32) bool {
		f, c := d.cut(k)
		return c >= d.least[f] && c < d.most[f]
	})
}

// choose finds the split that lowers the bounds most, among the splits for which can returns true, and reports whether its
// lower part is the more promising.
func (d *Dive) choose(tops Pair, can func(feature, last int32) bool) (feature, cut int32, left bool) {
	if d.Difference && d.used[0] {
		if feature, cut, left = d.chooseOf(0, 1, tops, can); feature >= 0 {
			return feature, cut, left
		}
	}
	return d.chooseOf(0, bounds, tops, can)
}

// chooseOf is choose with the bounds [from, to) only.
func (d *Dive) chooseOf(from, to int, tops Pair, can func(feature, last int32) bool) (feature, cut int32, left bool) {
	feature = -1
	best := 0.0
	if to == 1 {
		best = 0.01 * 0.01 // a split must lower the bound
	}
	for _, k := range d.listed {
		f, c := d.cut(k)
		if c < d.least[f] || c >= d.most[f] {
			continue // the node was narrowed meanwhile
		}
		a, b := 0.0, 0.0
		for i := from; i < to; i++ {
			if s := &d.sums[i]; d.used[i] && s.seen[f] {
				slack := tops[i] - d.demands[i]
				if d.demands[i] == Anything {
					slack = 1 + math.Abs(tops[i])
				}
				at := d.offset[f] + int(f) + int(c)
				a += min(-s.upTo[at]/slack, 1)
				b += min(-s.from[at+1]/slack, 1)
			}
		}
		if v := (a + 0.01) * (b + 0.01); v > best && (can == nil || can(f, c)) {
			best, feature, cut, left = v, f, c, a <= b
		}
	}
	return feature, cut, left
}

// halves splits a node at a cut.
func halves(d *Dive, tops Pair, f, c int32) []Part {
	out := make([]Part, 2)
	for side := range out {
		p := &out[side]
		p.Places = append(append(p.Places, d.least...), d.most...)
		if p.Bounds = tops; side == 0 {
			p.Places[len(d.least)+int(f)] = c
		} else {
			p.Places[f] = c + 1
		}
		at := d.offset[f] + int(f) + int(c)
		for i := range d.sums {
			switch s := &d.sums[i]; {
			case !d.used[i] || !s.seen[f]:
			case side == 0:
				p.Bounds[i] += s.upTo[at]
			default:
				p.Bounds[i] += s.from[at+1]
			}
		}
	}
	return out
}

// sweep bounds the sum of terms, and keeps those that are not constant.
func (d *Dive) sweep(s *sums, start, end int, sum float64) (constant, top float64) {
	for _, f := range s.touched {
		from := d.offset[f] + int(f)
		clear(s.at[from : from+len(d.firsts[f])+1])
		clear(s.upTo[from : from+len(d.firsts[f])+1])
		clear(s.from[from : from+len(d.firsts[f])+1])
		s.seen[f] = false
	}
	s.touched = s.touched[:0]
	for k := start; k < end; k++ {
		t := d.terms[k]
		t.one, t.two = d.descend(t.one), d.descend(t.two)
		if t.one == t.two {
			continue
		}
		p, q := &d.nodes[t.one], &d.nodes[t.two]
		if p.feature < 0 && q.feature < 0 {
			sum += p.value - q.value
			continue
		}
		d.top = math.Inf(-1)
		d.walk(t.one, t.two)
		d.terms = append(d.terms, t)
		top += d.top
		for _, f := range d.touched {
			if d.seen[f] = false; !s.seen[f] {
				s.seen[f] = true
				s.touched = append(s.touched, f)
			}
			from, lo, hi := d.offset[f]+int(f), d.from[f], d.to[f]
			free := d.here[f]
			most := math.Inf(-1)
			for c := from + int(lo); c <= from+int(hi); c++ {
				v := max(d.cells[c], free)
				d.cells[c] = v - d.top
				s.at[c] += v - d.top
				most = max(most, v)
				s.upTo[c] += most - d.top
			}
			most = math.Inf(-1)
			for c := from + int(hi); c >= from+int(lo); c-- {
				most = max(most, d.cells[c])
				s.from[c] += most
			}
		}
		d.touched = d.touched[:0]
	}
	return sum, sum + top
}

// descend follows comparisons with the same outcome in the entire node.
func (d *Dive) descend(at int32) int32 {
	for {
		n := &d.nodes[at]
		if n.feature < 0 {
			return at
		}
		least, most := d.least[n.feature], d.most[n.feature]
		if n.more < 0 {
			switch {
			case most <= n.cut:
				at = n.left
			case least > n.cut:
				at = n.right
			default:
				return at
			}
			continue
		}
		switch p := behind(n, d.more[n.more], least, most); p {
		case both:
			return at
		case none:
			at = n.left
		default:
			at = n.right
		}
	}
}

// walk visits the pairs of leaves below two nodes that have a place in common.
func (d *Dive) walk(one, two int32) {
	if d.broken {
		return
	}
	one, two = d.descend(one), d.descend(two)
	if one == two { // the same leaf in both
		d.leaf(0)
		return
	}
	n := &d.nodes[one]
	first := n.feature >= 0
	if !first {
		v := n.value
		if n = &d.nodes[two]; n.feature < 0 {
			d.leaf(v - n.value)
			return
		}
	}
	f := n.feature
	least, most := d.least[f], d.most[f]
	other := one
	if first {
		other = two
	}
	d.list(f, n.cut, least, most)
	if n.more >= 0 && d.listMore(n, least, most) > mostRuns { // treats both children as reached everywhere
		d.below(n.left, other, first)
		d.below(n.right, other, first)
		return
	}
	if !d.seen[f] {
		d.touch(f)
	}
	if n.more < 0 {
		d.most[f] = n.cut
		d.visit(f, n.left, other, first)
		d.most[f], d.least[f] = most, n.cut+1
		d.visit(f, n.right, other, first)
	} else {
		d.runs(n, other, first)
	}
	d.least[f] = least
}

// below walks below a child of the first node (if first is set) or of the second.
func (d *Dive) below(child, other int32, first bool) {
	if first {
		d.walk(child, other)
	} else {
		d.walk(other, child)
	}
}

// visit walks below a child, with the feature's current places. Leaves whose path narrows the feature no further are
// reached from all of these places.
func (d *Dive) visit(f, child, other int32, first bool) {
	before := d.here[f]
	d.here[f] = math.Inf(-1)
	d.below(child, other, first)
	v := d.here[f]
	d.here[f] = before
	from := d.offset[f] + int(f)
	cells := d.cells[from+int(d.least[f]) : from+int(d.most[f])+1]
	for c := range cells {
		if cells[c] < v {
			cells[c] = v
		}
	}
}

// listMore records the further cuts of a comparison, and returns how many of them lie between the places
// least and most.
func (d *Dive) listMore(n *node, least, most int32) (many int) {
	for _, c := range d.more[n.more] {
		if d.list(n.feature, c, least, most) {
			many++
		}
	}
	return many
}

// runs visits the children of a comparison with further cuts, one run of places after the
// other.
func (d *Dive) runs(n *node, other int32, first bool) {
	f, side, next := n.feature, n.left, n.right
	most := d.most[f]
	run := func(last int32) {
		if last >= d.least[f] {
			d.most[f] = last
			d.visit(f, side, other, first)
			d.least[f] = last + 1
		}
		side, next = next, side
	}
	if n.cut < most {
		run(n.cut)
		for _, c := range d.more[n.more] {
			if c >= most {
				break
			}
			run(c)
		}
	}
	run(most)
	d.most[f] = most
}

// mostRuns is the largest number of further cuts of a comparison that a walk
// distinguishes.
const mostRuns = 8

// list records a cut, and reports whether it lies between the places least and most.
func (d *Dive) list(f, cut, least, most int32) bool {
	if cut < least || cut >= most {
		return false
	}
	if at := int32(d.offset[f]) + cut; !d.cuts[at] {
		d.cuts[at] = true
		d.listed = append(d.listed, at)
	}
	return true
}

// touch begins to distinguish a feature's places. Earlier leaves are reached from all of
// them.
func (d *Dive) touch(f int32) {
	d.seen[f] = true
	d.touched = append(d.touched, f)
	d.here[f] = d.top
	from := d.offset[f] + int(f)
	for c := from + int(d.from[f]); c <= from+int(d.to[f]); c++ {
		d.cells[c] = math.Inf(-1)
	}
}

func (d *Dive) leaf(v float64) {
	if d.Leaves++; d.Leaves%lookEvery == 0 {
		d.broken = d.stop.Load()
	}
	for _, f := range d.touched {
		d.here[f] = max(d.here[f], v)
	}
	d.top = max(d.top, v)
}

// At sets x to an individual, by dimension, whose features have these places.
func (p *Plan) At(x []float64, least []int32) {
	for k := range p.grid.Dims {
		dim := &p.grid.Dims[k]
		x[k], _ = dim.Values(0)
		if f := dim.Feature; p.Place(f, x[k]) < int(least[f]) {
			x[k] = p.firsts[f][least[f]-1]
		}
	}
}

// Box returns the cells that contain some of a part's places.
func (p *Plan) Box(of *Part) grid.Box {
	box := p.grid.Whole()
	for k := range p.grid.Dims {
		dim := &p.grid.Dims[k]
		f := dim.Feature
		if least := of.Places[f]; least > 0 {
			box[2*k] = uint64(dim.Reach(p.firsts[f][least-1]))
		}
		if most := int(of.Places[len(p.firsts)+f]); most < len(p.firsts[f]) {
			last := dim.Reach(p.firsts[f][most])
			if dim.Real { // borders of cells are rounded
				last += 2
			}
			box[2*k+1] = uint64(min(last, dim.Cells) - 1)
		}
	}
	return box
}
