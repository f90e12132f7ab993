// Package ensemble bounds sums of decision trees over boxes of individuals.
//
// Trees are rewritten over features instead of inputs: a comparison of an input becomes a
// comparison of the feature's value with the numbers at which its outcome changes, found
// in exact arithmetic. For each protected combination, a tree is reduced to the
// comparisons of other features. A tree that is the same for all combinations is shared
// by all logits, and cancels in pairs.
package ensemble

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// ErrTooLarge is wrapped by errors about ensembles and combinations that would take too much memory.
var ErrTooLarge = errors.New("too large")

// maxNodes bounds the number of nodes of all trees, reduced for all combinations.
const maxNodes = 1 << 24

// maxWork bounds nodes times combinations.
const maxWork = 1 << 28

// maxPaired is the largest number of combinations whose pairs are compared tree by tree.
const maxPaired = 64

// Plan is an ensemble rewritten for a grid. It is read-only.
type Plan struct {
	grid *grid.Grid
	base float64
	err  float64
	// nodes are the nodes of all trees; equal ones are stored once.
	nodes []node
	// firsts are, by feature, the values at which the outcome of some comparison changes,
	// in increasing order. offset is the number of firsts of the features before.
	firsts    [][]float64
	offset    []int
	cuts      int       // the number of all firsts
	featureOf []int32   // by cut
	zero      int32     // the node of a leaf that is 0
	more      [][]int32 // further cuts of nodes, in increasing order
	shared    []int32   // roots of trees that are the same for all combinations and copies
	apart     []kinds   // trees that differ between combinations
}

// kinds groups a tree's combinations by the root that they share after inputs of protected
// features are fixed.
type kinds struct {
	roots []int32
	of    []int32 // by combination: which root
}

// node is a leaf, or a comparison of a feature's place: the number of its firsts that its
// value has reached.
type node struct {
	feature     int32 // −1 for a leaf
	cut         int32 // places above cut are behind it
	left, right int32 // left: behind an even number of all cuts
	more        int32 // index in more of the further cuts, −1 for none
	value       float64
}

// maker rewrites trees over features.
type maker struct {
	*Plan
	e       *trees.Ensemble
	sources []source // by input
	index   map[node]int32
	cutsOf  map[string]int32
	known   map[test]*split // comparisons with one border
	splits  []*split        // by node of the current tree; nil for leaves and protected features
	points  [][]float64     // by combination: an individual with it
}

type source struct {
	feature int
	*space.Input
}

// test is a comparison of an input with one border.
type test struct {
	input  int32
	border float64
	closed bool
}

// split is a comparison of an input, rewritten over its feature.
type split struct {
	left   bool      // whether the least value goes left
	firsts []float64 // the values at which the side changes
	places []int32   // the indices of these among the feature's firsts
}

// New rewrites an ensemble for a grid.
func New(e *trees.Ensemble, g *grid.Grid) (*Plan, error) {
	s := g.Space
	m := &maker{
		Plan: &Plan{grid: g, base: e.Base, err: e.SumError(), firsts: make([][]float64, len(s.Features))}, e: e,
		sources: make([]source, s.Inputs), index: make(map[node]int32, e.Parameters()), cutsOf: map[string]int32{}, known: map[test]*split{},
	}
	for i := range s.Features {
		for k := range s.Features[i].Inputs {
			m.sources[s.Features[i].Inputs[k].Index] = source{i, &s.Features[i].Inputs[k]}
		}
	}
	if len(g.Combinations)*e.Parameters() > maxWork {
		return nil, fmt.Errorf("%w: %d nodes times %d protected combinations; want a product of at most %d", ErrTooLarge, e.Parameters(), len(g.Combinations), maxWork)
	}
	base := g.Point(make([]float64, len(g.Dims)))
	for z := range g.Combinations {
		m.points = append(m.points, g.Complete(base, z))
	}
	all := make([][]*split, len(e.Trees))
	for k, t := range e.Trees {
		all[k] = make([]*split, len(t))
		for i := range t {
			if n := &t[i]; !n.IsLeaf() && !m.protected(n) {
				all[k][i] = m.split(n)
			}
		}
	}
	for i := range s.Features {
		slices.Sort(m.firsts[i])
		m.firsts[i] = slices.Compact(m.firsts[i])
		m.offset = append(m.offset, m.cuts)
		m.cuts += len(m.firsts[i])
		for range m.firsts[i] {
			m.featureOf = append(m.featureOf, int32(i))
		}
	}
	for k, t := range e.Trees {
		m.splits = all[k]
		for i, s := range m.splits {
			if s != nil && s.places == nil {
				for _, v := range s.firsts {
					s.places = append(s.places, int32(m.Place(m.sources[t[i].Input].feature, v))-1)
				}
			}
		}
		if err := m.tree(t); err != nil {
			return nil, err
		}
	}
	m.zero = m.number(node{feature: -1, more: -1})
	return m.Plan, nil
}

func (m *maker) protected(n *trees.Node) bool {
	return m.grid.Space.Features[m.sources[n.Input].feature].IsProtected()
}

// Place returns the number of a feature's firsts that a value has reached.
func (p *Plan) Place(feature int, v float64) int {
	firsts := p.firsts[feature]
	return sort.Search(len(firsts), func(i int) bool { return firsts[i] > v })
}

// split rewrites a comparison over the values of its feature's domain.
func (m *maker) split(n *trees.Node) *split {
	key := test{n.Input, n.Value, n.Closed}
	if out := m.known[key]; out != nil && len(n.More) == 0 {
		return out
	}
	from := m.sources[n.Input]
	f := &m.grid.Space.Features[from.feature]
	out := &split{left: goesLeft(n, from.Input, f, f.Lo)}
	change := func(v float64) {
		if k := len(out.firsts) - 1; k >= 0 && out.firsts[k] == v {
			out.firsts = out.firsts[:k] // two changes cancel
			return
		}
		out.firsts = append(out.firsts, v)
	}
	if from.Table != nil {
		before := out.left
		for k, t := range from.Table {
			if now := n.SendsLeft(t); now != before {
				before = now
				change(f.Lo + float64(k))
			}
		}
	} else {
		var list []float64
		n.Borders(func(border float64) {
			if v := first(f, from.Input, border, n.Closed); !math.IsNaN(v) {
				list = append(list, v)
			}
		})
		slices.Sort(list)
		for _, v := range list {
			change(v)
		}
	}
	m.firsts[from.feature] = append(m.firsts[from.feature], out.firsts...)
	if len(n.More) == 0 {
		m.known[key] = out
	}
	return out
}

// goesLeft reports whether a feature's value goes left, in exact arithmetic.
func goesLeft(n *trees.Node, in *space.Input, f *space.Feature, v float64) bool {
	if in.Table != nil {
		return n.SendsLeft(in.Table[int(v-f.Lo)])
	}
	left := true
	n.Borders(func(border float64) { left = left != passes(in, v, border, n.Closed) })
	return left
}

// passes reports whether an input at a value lies above a border, or on it if closed is unset.
func passes(in *space.Input, v, border float64, closed bool) bool {
	side := in.Compare(v, border)
	return side > 0 || side == 0 && !closed
}

// first returns the least value of the domain that is on another side of a border than the lowest one; NaN if there is
// none.
func first(f *space.Feature, in *space.Input, border float64, closed bool) float64 {
	was := passes(in, f.Lo, border, closed)
	other := func(v float64) bool { return passes(in, v, border, closed) != was }
	if !other(f.Hi) {
		return math.NaN()
	}
	guess := min(max((border-in.Offset)/in.Scale, f.Lo), f.Hi)
	if f.Discrete() {
		return f.Lo + float64(search(0, uint64(f.Hi-f.Lo), uint64(guess-f.Lo), func(k uint64) bool { return other(f.Lo + float64(k)) }))
	}
	return numbered(search(ordered(f.Lo), ordered(f.Hi), ordered(guess), func(k uint64) bool { return other(numbered(k)) }))
}

// search returns the least number in (lo, hi] with a property that larger ones have too. hi must have it, and lo not.
// It is fast if the guess, which must be from lo to hi, is near.
func search(lo, hi, guess uint64, has func(k uint64) bool) uint64 {
	for step := uint64(1); lo+1 < hi; step *= 2 {
		mid := min(max(guess, lo+1), hi-1)
		if step > 1<<6 {
			mid = lo + (hi-lo)/2
		}
		if has(mid) {
			hi, guess = mid, mid-min(step, mid)
		} else {
			lo, guess = mid, mid+step
		}
	}
	return hi
}

// ordered maps float64 values to integers in the same order.
func ordered(v float64) uint64 {
	if b := math.Float64bits(v); b>>63 == 0 {
		return b + 1<<63
	}
	return math.Float64bits(-v) ^ (1<<63 - 1)
}

func numbered(n uint64) float64 {
	if n >= 1<<63 {
		return math.Float64frombits(n - 1<<63)
	}
	return -math.Float64frombits(n ^ (1<<63 - 1))
}

// tree reduces a tree for each combination.
func (m *maker) tree(t trees.Tree) error {
	var asked []int // nodes that compare protected features
	depends := false
	relaxed := map[int]bool{}
	for i := range m.grid.Relaxed {
		relaxed[m.grid.Relaxed[i].Feature] = true
	}
	for i := range t {
		if n := &t[i]; !n.IsLeaf() {
			if m.protected(n) {
				asked = append(asked, i)
			} else if len(m.splits[i].firsts) > 0 && relaxed[m.sources[n.Input].feature] {
				depends = true
			}
		}
	}
	known := map[string]int32{}
	k := kinds{of: make([]int32, len(m.points))}
	way, left := make([]bool, len(t)), make([]byte, len(asked))
	for z, point := range m.points {
		for j, i := range asked {
			from := m.sources[t[i].Input]
			way[i] = goesLeft(&t[i], from.Input, &m.grid.Space.Features[from.feature], point[from.feature])
			if left[j] = 0; way[i] {
				left[j] = 1
			}
		}
		at, ok := known[string(left)]
		if !ok {
			root := m.write(t, 0, way)
			if len(m.nodes) > maxNodes {
				return fmt.Errorf("%w: more than %d nodes for %d protected combinations", ErrTooLarge, maxNodes, len(m.points))
			}
			if at = int32(slices.Index(k.roots, root)); at < 0 {
				at = int32(len(k.roots))
				k.roots = append(k.roots, root)
			}
			known[string(left)] = at
		}
		k.of[z] = at
	}
	if len(k.roots) == 1 && !depends {
		m.shared = append(m.shared, k.roots[0])
	} else {
		m.apart = append(m.apart, k)
	}
	return nil
}

// write returns node i of a tree, rewritten; left holds the protected comparisons that go
// left.
func (m *maker) write(t trees.Tree, i int32, left []bool) int32 {
	n := &t[i]
	if n.IsLeaf() {
		return m.number(node{feature: -1, more: -1, value: n.Value})
	}
	if m.protected(n) {
		if left[int(i)] {
			return m.write(t, n.Left, left)
		}
		return m.write(t, n.Right, left)
	}
	s := m.splits[i]
	one, two := n.Left, n.Right
	if !s.left {
		one, two = two, one
	}
	if len(s.firsts) == 0 {
		return m.write(t, one, left)
	}
	out := node{feature: int32(m.sources[n.Input].feature), cut: s.places[0], left: m.write(t, one, left), right: m.write(t, two, left), more: -1}
	if out.left == out.right {
		return out.left
	}
	if len(s.places) > 1 {
		key := fmt.Sprint(s.places[1:])
		at, ok := m.cutsOf[key]
		if !ok {
			at = int32(len(m.more))
			m.cutsOf[key] = at
			m.more = append(m.more, s.places[1:])
		}
		out.more = at
	}
	return m.number(out)
}

func (m *maker) number(n node) int32 {
	at, ok := m.index[n]
	if !ok {
		at = int32(len(m.nodes))
		m.index[n] = at
		m.nodes = append(m.nodes, n)
	}
	return at
}

// Size returns the number of different nodes of the trees.
func (p *Plan) Size() int { return len(p.nodes) }

// Error bounds the rounding of a sum of leaves, one from each tree.
func (p *Plan) Error() float64 { return p.err }
