// Package forest turns the trees of a model file into an ensemble.
package forest

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// OneScore refuses a choice that does not apply to a single score.
func OneScore(c reader.Choice) {
	if c.Class != nil && *c.Class != 1 {
		panic(fault.New("class: %d; the score of these trees is that of class 1: leave out the key class", *c.Class))
	}
}

// OneOfMany makes m a model of several classes, about the chosen one.
func OneOfMany(m *reader.Model, of *trees.Classes, c reader.Choice) {
	of.Class = reader.ClassOf(c.Class, len(of.Sums))
	m.Model, m.OneOfMany, m.Classes = of, true, len(of.Sums)
}

// Entries checks the lengths of lists with one entry per node.
func Entries(nodes int, lists map[string]int) {
	for name, have := range lists {
		if have != nodes {
			panic(fault.New("%s: got %d entries, want %d: one per node", name, have, nodes))
		}
	}
}

// Tree is a tree as stored in files: nodes in any order, children by number.
type Tree struct {
	Nodes int
	// Node returns node i, with its children by number.
	Node func(i int) trees.Node
}

// tree returns the tree with the root first and children after their parents, without unreachable
// nodes. left is the largest number of nodes allowed.
func (g Tree) tree(left int) trees.Tree {
	if g.Nodes < 1 {
		panic(fault.New("the tree has no nodes"))
	}
	type waiting struct{ node, parent int }
	var out trees.Tree
	seen := make([]bool, g.Nodes)
	stack := []waiting{{0, -1}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case top.node < 0 || top.node >= g.Nodes:
			panic(fault.New("there is no node %d; the tree has nodes 0 to %d", top.node, g.Nodes-1))
		case seen[top.node]:
			panic(fault.New("node %d is reached twice, want a tree: one parent per node, none for node 0, the root", top.node))
		case len(out) == left:
			panic(fault.New("the trees have more than %d nodes together, the maximum", trees.MaxNodes))
		}
		seen[top.node] = true
		n := g.Node(top.node)
		at := int32(len(out))
		if top.parent >= 0 {
			if p := &out[top.parent]; p.Left < 0 {
				p.Left = at
			} else {
				p.Right = at
			}
		}
		if !n.IsLeaf() {
			stack = append(stack, waiting{int(n.Right), int(at)}, waiting{int(n.Left), int(at)})
			n.Left = -1
		}
		out = append(out, n)
	}
	return out
}

// All converts n trees, in order.
func All(n int, of func(k int) Tree) []trees.Tree {
	left := trees.MaxNodes
	out := make([]trees.Tree, n)
	for k := range out {
		func() {
			defer fault.About(fmt.Sprintf("tree %d", k))
			out[k] = of(k).tree(left)
			left -= len(out[k])
		}()
	}
	return out
}

// Divide divides the trees of an ensemble among classes; of returns the class of tree k.
func Divide(e *trees.Ensemble, classes int, of func(k int) int) *trees.Classes {
	out := &trees.Classes{}
	for range classes {
		out.Sums = append(out.Sums, &trees.Ensemble{Columns: e.Columns, Output: e.Output, Base: e.Base})
	}
	for k, t := range e.Trees {
		class := of(k)
		if class < 0 || class >= classes {
			panic(fault.New("tree %d is of class %d, want 0 to %d", k, class, classes-1))
		}
		out.Sums[class].Trees = append(out.Sums[class].Trees, t)
	}
	return out
}

// Among turns n into a comparison that goes left outside the categories. Categories are increasing
// integers, and inputs are truncated to integers. border returns the least input of a category.
func Among(n *trees.Node, categories []int, border func(category int) float64) {
	var borders []float64
	for i, c := range categories {
		if i == 0 || categories[i-1] != c-1 {
			borders = append(borders, border(c))
		}
		if i == len(categories)-1 || categories[i+1] != c+1 {
			borders = append(borders, border(c+1))
		}
	}
	n.Value, n.More = math.MaxFloat64, nil
	if len(borders) > 0 {
		n.Value, n.More = borders[0], borders[1:]
	}
	n.Closed = false
}
