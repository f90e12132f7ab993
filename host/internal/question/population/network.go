package population

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/space"
)

// MostStates is the maximum number of cells of a node on which others depend.
const MostStates = 64

// unitSum is how far probabilities may add up from 1; they are then divided by their sum.
const unitSum = 1e-3

// network is a Bayesian network in which each node depends on at most one other (Chow and Liu 1968). Masses are sums of
// messages from the leaves to the roots (Pearl 1988).
type network struct {
	nodes []node // each after the node that it depends on
	// below is the share of each state's people who are in the region, by node, with all nodes that depend on it.
	below  [][]float64
	lo, hi float64 // enclose the mass of the region
	error  float64 // relative error of a sum of messages
}

// node is the distribution of one feature.
type node struct {
	feature
	// protected: the node is of a feature that individuals of the question do not have. Its states are summed out.
	protected bool
	given     int                // a node; −1: a root
	states    [][]space.Interval // the parts of the cells in the region; within a state all values are equally likely
	like      []float64          // by state: the share of the cell in the region, or a density
	table     [][]float64        // probabilities of the states, by the state of given; one row for a root
}

// networked reads a network. Features without a node are independent, as in the rows, or uniform if there are too few rows.
func networked(ctx context.Context, path string, s *space.Space, rows [][]float64, seed int64) (*Population, error) {
	text, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	root, err := yamlfile.Parse(text, path, "a network")
	if err != nil {
		return nil, err
	}
	r := &networkReader{space: s}
	t := r.network(root)
	if err := r.Err(); err != nil {
		return nil, err
	}
	p, kept, others := rest(s, rows, seed)
	p.about = fmt.Sprintf("a tree-shaped network of %s, %s", english.Plural(len(t.nodes), "feature", ""), filepath.Base(path))
	known := len(t.nodes)
	for n, f := range p.features {
		if slices.ContainsFunc(t.nodes[:known], func(of node) bool { return of.index == f.index }) {
			continue
		}
		own := node{feature: f, given: -1, table: [][]float64{p.classes[0].shares[n]}}
		for _, iv := range f.cells {
			own.states, own.like = append(own.states, []space.Interval{iv}), append(own.like, 1)
		}
		t.nodes = append(t.nodes, own)
	}
	if len(t.nodes) > known {
		p.about += ", " + others
	}
	t.lo, t.hi = 1, 1
	t.below, _ = t.up(s.Whole().Box)
	t.error = 0x1p-51 * 8
	for n := range t.nodes {
		t.error += 0x1p-51 * float64(8+2*len(t.nodes[n].states))
		for _, of := range t.nodes[n].states {
			t.error += 0x1p-51 * float64(2*len(of))
		}
	}
	alone := *p
	p.network, p.features, p.classes = t, nil, nil
	return p, t.fits(ctx, p, &alone, kept[:p.Held])
}

// fits sets the likelihoods of rows held back. alone is the population of independent features.
func (t *network) fits(ctx context.Context, p, alone *Population, held [][]float64) error {
	sum, possible := 0.0, [][]float64(nil)
	for _, x := range held {
		if ctx.Err() != nil {
			return fmt.Errorf("the time did not suffice to compare the network with %d rows held back: give more time (%w)", len(held), ctx.Err())
		}
		box := p.space.Whole().Box
		for _, i := range p.space.Free() {
			box[i] = space.Interval{Lo: x[i], Hi: x[i]}
		}
		if _, density := t.restrict(box).up(box); density > 0 {
			sum += math.Log(density)
			possible = append(possible, x)
		}
	}
	p.Fitted, p.Impossible = sum/float64(max(1, len(possible))), len(held)-len(possible)
	p.Alone = alone.likelihood(alone.coded(possible))
	return nil
}

// networkReader reads the nodes of a network.
type networkReader struct {
	yamlfile.Reader
	space *space.Space
	names map[string]int // nodes by name
	// By node: its place, its keys given and probabilities, and its cells as written.
	places, givens, rows []*yamlfile.Node
	cells                [][]string
	out                  network
}

// network reads the file. The result is valid only if no fault was added.
func (r *networkReader) network(root *yamlfile.Node) *network {
	if !r.Mapping(root, "nodes") {
		return nil
	}
	nodes := root.Get("nodes")
	if nodes == nil {
		r.Fault(root, "needs nodes:, which maps features to their probabilities")
		return nil
	}
	if !r.Kind(nodes, yamlfile.Mapping) {
		return nil
	}
	r.names = map[string]int{}
	for _, e := range nodes.Entries {
		i, ok := r.space.Index(e.Key.Text)
		if !ok {
			r.FaultAt(nodes, e, "no feature %q; %s", e.Key.Text, yamlfile.Suggest(e.Key.Text, r.space.Names()))
			continue
		}
		if r.Mapping(e.Value, "given", "cells", "probabilities") {
			r.names[e.Key.Text] = len(r.out.nodes)
			r.node(e.Value, i)
		}
	}
	if r.Err() != nil {
		return nil
	}
	for n := range r.out.nodes {
		r.given(n)
	}
	for n := range r.out.nodes {
		r.probabilities(n)
	}
	if r.Err() != nil || !r.sort() {
		return nil
	}
	return &r.out
}

// node reads the cells of a node.
func (r *networkReader) node(n *yamlfile.Node, i int) {
	f := &r.space.Features[i]
	out, texts := node{feature: feature{index: i, discrete: f.Discrete()}, protected: f.IsProtected(), given: -1}, []string(nil)
	if cells := n.Get("cells"); cells != nil {
		texts, _ = r.Texts(cells)
		for k, text := range texts {
			of, err := valuesOf(f, text)
			if err != nil {
				r.Fault(cells.List()[k], "%v", err)
				return
			}
			out.states = append(out.states, of)
		}
	} else if f.Discrete() && f.Hi-f.Lo < MostStates {
		for v := f.Lo; v <= f.Hi; v++ {
			texts, out.states = append(texts, f.Label(v)), append(out.states, []space.Interval{{Lo: v, Hi: v}})
		}
	}
	if len(out.states) == 0 {
		r.Fault(n, "needs cells:, a list of values and ranges, because %s has no list of at most %d values", f.Name, MostStates)
		return
	}
	out.like = slices.Repeat([]float64{1}, len(out.states))
	r.disjoint(n.Want("cells"), &out, texts)
	r.out.nodes, r.cells = append(r.out.nodes, out), append(r.cells, texts)
	r.places, r.givens, r.rows = append(r.places, n), append(r.givens, n.Get("given")), append(r.rows, n.Get("probabilities"))
}

// disjoint reports cells that overlap. Of two ranges of real numbers with a common end, the lower one keeps it.
func (r *networkReader) disjoint(at *yamlfile.Node, n *node, texts []string) {
	type piece struct {
		*space.Interval
		state int
	}
	var all []piece
	for s := range n.states {
		for k := range n.states[s] {
			all = append(all, piece{&n.states[s][k], s})
		}
	}
	slices.SortFunc(all, func(a, b piece) int {
		return slices.Compare([]float64{a.Lo, a.Hi}, []float64{b.Lo, b.Hi})
	})
	for k := 1; k < len(all); k++ {
		a, b := all[k-1], all[k]
		if !n.discrete && b.Lo == a.Hi && b.Lo < b.Hi {
			b.Lo = math.Nextafter(b.Lo, b.Hi)
		}
		if b.Lo <= a.Hi {
			r.Fault(at, "the cells %s and %s overlap: make them disjoint", texts[a.state], texts[b.state])
			return
		}
	}
}

// given reads the node on which another depends.
func (r *networkReader) given(n int) {
	if r.givens[n] == nil {
		return
	}
	name, ok := r.Name(r.givens[n])
	at, known := r.names[name]
	switch {
	case !ok:
	case !known:
		r.Fault(r.givens[n], "no node %q; %s", name, yamlfile.Suggest(name, r.space.Names()))
	case len(r.cells[at]) > MostStates:
		r.Fault(r.givens[n], "%s has %d cells, want at most %d where another node depends on it: join some, such as 18..27", name, len(r.cells[at]), MostStates)
	default:
		r.out.nodes[n].given = at
	}
}

// probabilities reads the table of a node.
func (r *networkReader) probabilities(n int) {
	of, rows := &r.out.nodes[n], r.rows[n]
	switch {
	case rows == nil:
		r.Fault(r.places[n], "needs probabilities:, one for each of its %d cells", len(of.states))
	case of.given < 0 && r.givens[n] == nil:
		of.table = [][]float64{r.shares(rows, len(of.states))}
	case of.given >= 0 && r.Mapping(rows, r.cells[of.given]...):
		for _, cell := range r.cells[of.given] {
			row := rows.Get(cell)
			if row == nil {
				r.Fault(rows, "needs %s:, the probabilities given this cell of %s", cell, r.givens[n].Text)
				return
			}
			of.table = append(of.table, r.shares(row, len(of.states)))
		}
	}
}

// shares reads probabilities that add up to 1.
func (r *networkReader) shares(n *yamlfile.Node, want int) (out []float64) {
	if n.Kind != yamlfile.Sequence || len(n.Items) != want {
		r.Fault(n, "want a list of %s, one for each cell", english.Plural(want, "probability", "probabilities"))
		return nil
	}
	sum := 0.0
	for _, item := range n.Items {
		v, ok := r.Number(item)
		if ok && !(v >= 0 && v <= 1+unitSum) {
			r.Fault(item, "got %s, want a probability from 0 to 1", item.Text)
		}
		out, sum = append(out, v), sum+v
	}
	if r.Err() == nil && math.Abs(sum-1) > unitSum {
		r.Fault(n, "the probabilities add up to %.6g, want 1", sum)
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// sort puts each node after the one that it depends on; false if nodes depend on each other in a circle.
func (r *networkReader) sort() bool {
	var order []int // nodes, by new place
	places := slices.Repeat([]int{-1}, len(r.out.nodes))
	for len(order) < len(places) {
		before := len(order)
		for n := range r.out.nodes {
			if given := r.out.nodes[n].given; places[n] < 0 && (given < 0 || places[given] >= 0) {
				places[n] = len(order)
				order = append(order, n)
			}
		}
		if len(order) == before {
			n := slices.Index(places, -1)
			r.Fault(r.places[n], "depends on itself, by way of the nodes that it is given: a network must be a tree")
			return false
		}
	}
	var sorted []node
	for _, n := range order {
		of := r.out.nodes[n]
		if of.given >= 0 {
			of.given = places[of.given]
		}
		sorted = append(sorted, of)
	}
	r.out.nodes = sorted
	return true
}

// sizes adds up the sizes of the parts of a state in an interval. The size of a single real number is 0.
func (n *node) sizes(state int, side space.Interval) (sum float64) {
	for _, iv := range n.states[state] {
		sum += n.size(iv.Intersect(side))
	}
	return sum
}

var everywhere = space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}

// share returns the share of a state's people who are within a side of a box.
func (n *node) share(state int, side space.Interval) float64 {
	meets := slices.ContainsFunc(n.states[state], func(iv space.Interval) bool { return !iv.Intersect(side).Empty() })
	if whole := n.sizes(state, everywhere); meets && whole > 0 {
		return n.sizes(state, side) / whole * n.like[state]
	} else if meets {
		return n.like[state]
	}
	return 0
}

// up returns, by node and state, the share of people who are within a box in this node and all that depend on it, and the
// product over the roots.
func (t *network) up(box space.Box) (below [][]float64, all float64) {
	below, all = make([][]float64, len(t.nodes)), 1
	for n := range t.nodes {
		of := &t.nodes[n]
		below[n] = make([]float64, len(of.states))
		for s := range of.states {
			if below[n][s] = 1; !of.protected {
				below[n][s] = of.share(s, box[of.index])
			}
		}
	}
	for n := len(t.nodes) - 1; n >= 0; n-- {
		for r, row := range t.nodes[n].table {
			sum := 0.0
			for s, p := range row {
				sum += p * below[n][s]
			}
			if given := t.nodes[n].given; given >= 0 {
				below[given][r] *= sum
			} else {
				all *= sum
			}
		}
	}
	return below, all
}

// restrict returns the network within a box. If the box fixes a real feature to a number, the density of the number's
// cell replaces the mass.
func (t *network) restrict(box space.Box) *network {
	out := *t
	out.nodes = slices.Clone(t.nodes)
	for n := range out.nodes {
		of := &out.nodes[n]
		if of.protected {
			continue
		}
		states, like := make([][]space.Interval, len(of.states)), make([]float64, len(of.states))
		side := box[of.index]
		for s := range of.states {
			for _, iv := range of.states[s] {
				if common := iv.Intersect(side); !common.Empty() {
					states[s] = append(states[s], common)
				}
			}
			if whole := of.sizes(s, everywhere); states[s] != nil && whole > 0 && !of.discrete && side.Lo == side.Hi {
				like[s] = of.like[s] / whole
			} else {
				like[s] = of.share(s, side)
			}
		}
		of.states, of.like = states, like
	}
	return &out
}

// within is Population.Within.
func (t *network) within(box space.Box) *network {
	out := t.restrict(box)
	below, all := out.up(box)
	if !(all > underflow) {
		return nil
	}
	out.error *= 2
	out.below, out.lo, out.hi = below, all*(1-out.error), all*(1+out.error)
	return out
}

// mass is Population.Mass.
func (t *network) mass(box space.Box) (lo, hi float64) {
	_, all := t.up(box)
	less := 1 - t.error
	return max(0, all*less-underflow) / t.hi * less, (all*(1+t.error) + underflow) / t.lo * (1 + t.error)
}

// draw sets the features of x that are not protected.
func (t *network) draw(rng *rand.Rand, x []float64) {
	drew := make([]int, len(t.nodes))
	for n := range t.nodes {
		of, row := &t.nodes[n], 0
		if of.given >= 0 {
			row = drew[of.given]
		}
		weights, sum := slices.Clone(of.table[row]), 0.0
		for s := range weights {
			weights[s] *= t.below[n][s]
			sum += weights[s]
		}
		for s := range weights {
			weights[s] /= sum
		}
		if drew[n] = drawn(weights, rng); of.protected {
			continue
		}
		state := of.states[drew[n]]
		sizes, whole := make([]float64, len(state)), of.sizes(drew[n], everywhere)
		for k, iv := range state {
			sizes[k] = of.size(iv) / whole
		}
		x[of.index] = of.value(state[drawn(sizes, rng)], rng)
	}
}
