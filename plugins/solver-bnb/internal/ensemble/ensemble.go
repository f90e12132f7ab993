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
	"math/big"
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
	tests   map[test]float64
	changes []map[float64]bool // by feature: its firsts
	splits  []split            // of the current tree
	inputs  [][]*big.Rat       // by combination: the inputs from the protected features
}

type source struct {
	feature int
	*space.Input
}

// test is a comparison of an input with a border; its outcome changes at some value of
// the feature.
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
		sources: make([]source, s.Inputs), index: make(map[node]int32, e.Parameters()), cutsOf: map[string]int32{}, tests: map[test]float64{},
	}
	for i := range s.Features {
		m.changes = append(m.changes, map[float64]bool{})
		for k := range s.Features[i].Inputs {
			m.sources[s.Features[i].Inputs[k].Index] = source{i, &s.Features[i].Inputs[k]}
		}
	}
	if len(g.Combinations)*e.Parameters() > maxWork {
		return nil, fmt.Errorf("%w: %d nodes times %d protected combinations; want a product of at most %d", ErrTooLarge, e.Parameters(), len(g.Combinations), maxWork)
	}
	for z := range g.Combinations {
		point := g.Complete(g.Point(make([]float64, len(g.Dims))), z)
		m.inputs = append(m.inputs, s.ExactInputs(defined(s, point)))
	}
	all := make([][]split, len(e.Trees))
	for k, t := range e.Trees {
		all[k] = make([]split, len(t))
		for i := range t {
			if n := &t[i]; !n.IsLeaf() && !m.protected(n) {
				all[k][i] = m.split(n)
			}
		}
	}
	for i := range s.Features {
		for v := range m.changes[i] {
			m.firsts[i] = append(m.firsts[i], v)
		}
		slices.Sort(m.firsts[i])
		m.offset = append(m.offset, m.cuts)
		m.cuts += len(m.firsts[i])
		for range m.firsts[i] {
			m.featureOf = append(m.featureOf, int32(i))
		}
	}
	for k, t := range e.Trees {
		m.splits = all[k]
		for i := range t {
			if n := &t[i]; !n.IsLeaf() && !m.protected(n) {
				for _, v := range m.splits[i].firsts {
					m.splits[i].places = append(m.splits[i].places, int32(m.Place(m.sources[n.Input].feature, v))-1)
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

// defined moves a point's features into their domains, which tables need.
func defined(s *space.Space, point []float64) []float64 {
	for i := range s.Features {
		if f := &s.Features[i]; !f.IsProtected() {
			point[i] = min(max(point[i], f.Lo), f.Hi)
		}
	}
	return point
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
func (m *maker) split(n *trees.Node) split {
	from := m.sources[n.Input]
	f := &m.grid.Space.Features[from.feature]
	out := split{left: goesLeft(n, from.Input, f, f.Lo)}
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
			if now := n.GoesLeft(new(big.Rat).SetFloat64(t)); now != before {
				before = now
				change(f.Lo + float64(k))
			}
		}
	} else {
		var list []float64
		n.Borders(func(border float64) {
			key := test{n.Input, border, n.Closed}
			v, known := m.tests[key]
			if !known {
				one := trees.Node{Input: n.Input, Value: border, Closed: n.Closed}
				v = first(f, from.Input, &one)
				m.tests[key] = v
			}
			if !math.IsNaN(v) {
				list = append(list, v)
			}
		})
		slices.Sort(list)
		for _, v := range list {
			change(v)
		}
	}
	for _, v := range out.firsts {
		m.changes[from.feature][v] = true
	}
	return out
}

// exactly returns the input that a feature's value feeds.
func exactly(in *space.Input, f *space.Feature, v float64) *big.Rat {
	if in.Table != nil {
		return new(big.Rat).SetFloat64(in.Table[int(v-f.Lo)])
	}
	x := new(big.Rat).SetFloat64(v)
	if in.Scale == 1 && in.Offset == 0 {
		return x
	}
	x.Mul(x, new(big.Rat).SetFloat64(in.Scale))
	return x.Add(x, new(big.Rat).SetFloat64(in.Offset))
}

// goesLeft reports whether a feature's value goes left: by floating point if that is
// certain, else exactly.
func goesLeft(n *trees.Node, in *space.Input, f *space.Feature, v float64) bool {
	if in.Table == nil && len(n.More) == 0 {
		y := math.FMA(in.Scale, v, in.Offset)
		if off := 0x1p-50 * (math.Abs(y) + math.SmallestNonzeroFloat64); math.Abs(y-n.Value) > off {
			return y < n.Value
		}
	}
	return n.GoesLeft(exactly(in, f, v))
}

// first returns the least value of the domain that goes another way than the lowest one;
// NaN if there is none.
func first(f *space.Feature, in *space.Input, n *trees.Node) float64 {
	was := goesLeft(n, in, f, f.Lo)
	other := func(v float64) bool { return goesLeft(n, in, f, v) != was }
	if !other(f.Hi) {
		return math.NaN()
	}
	if f.Discrete() {
		return f.Lo + float64(sort.Search(int(f.Hi-f.Lo), func(k int) bool { return other(f.Lo + float64(k)) }))
	}
	lo, hi := ordered(f.Lo), ordered(f.Hi)
	for lo+1 < hi {
		if mid := lo + (hi-lo)/2; other(numbered(mid)) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return numbered(hi)
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
	k := kinds{}
	all := make([]int32, len(m.inputs))
	for z, inputs := range m.inputs {
		left := make([]byte, len(asked))
		way := make(map[int]bool, len(asked))
		for j, i := range asked {
			if t[i].GoesLeft(inputs[t[i].Input]) {
				left[j], way[i] = 1, true
			}
		}
		root, ok := known[string(left)]
		if !ok {
			root = m.write(t, 0, way)
			known[string(left)] = root
		}
		if len(m.nodes) > maxNodes {
			return fmt.Errorf("%w: more than %d nodes for %d protected combinations", ErrTooLarge, maxNodes, len(m.inputs))
		}
		at := slices.Index(k.roots, root)
		if at < 0 {
			at = len(k.roots)
			k.roots = append(k.roots, root)
		}
		k.of, all[z] = append(k.of, int32(at)), root
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
func (m *maker) write(t trees.Tree, i int32, left map[int]bool) int32 {
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
	s := &m.splits[i]
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

// Error bounds the rounding of a sum of leaves, one from each tree.
func (p *Plan) Error() float64 { return p.err }
