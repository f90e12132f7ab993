package modelfile

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// maxTrees bounds a file of trees.
const maxTrees = 64 << 20

// ofTrees refuses a choice that does not apply to a single score.
func (c Choice) ofTrees() {
	if c.Class != nil && *c.Class != 1 {
		panic(faultf("class: %d; of trees the score is that of class 1: leave class: out", *c.Class))
	}
}

// loadedTrees is an ensemble of a file with one output. names are the inputs' names from the
// file, unless the library generated them.
func (c Choice) loadedTrees(e *trees.Ensemble, producer string, names []string, codes map[int]Codes) loaded {
	if c.Output != "" {
		panic(faultf("output: %s names an output of an ONNX file; this file has one output: leave it out", c.Output))
	}
	c.ofTrees()
	if len(names) == 0 || len(names) != e.Columns || names[0] == "Column_0" {
		names = nil
	}
	return loaded{model: e, linear: e.Output == fairness.LinkLinear, producer: producer, inputs: names, codes: codes}
}

// grown is a tree as stored in files: nodes in any order, children by number.
type grown struct {
	nodes int
	// node returns node i, with its children by number.
	node func(i int) trees.Node
}

// tree is the grown tree with the root first and children after their parents. Unreachable
// nodes are dropped.
func (g grown) tree(left int) trees.Tree {
	if g.nodes < 1 {
		panic(faultf("no nodes"))
	}
	type waiting struct{ node, parent int }
	var out trees.Tree
	seen := make([]bool, g.nodes)
	stack := []waiting{{0, -1}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case top.node < 0 || top.node >= g.nodes:
			panic(faultf("node %d of %d", top.node, g.nodes))
		case seen[top.node]:
			panic(faultf("node %d is the child of two nodes", top.node))
		case len(out) == left:
			panic(faultf("more than %d nodes", trees.MaxNodes))
		}
		seen[top.node] = true
		n := g.node(top.node)
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

// all converts grown trees.
func all(list []grown) []trees.Tree {
	left := trees.MaxNodes
	out := make([]trees.Tree, 0, len(list))
	for k, g := range list {
		func() {
			defer about(fmt.Sprintf("tree %d", k))
			t := g.tree(left)
			left -= len(t)
			out = append(out, t)
		}()
	}
	return out
}

// among makes n a comparison that goes left outside the categories. Categories are
// increasing integers, and inputs are truncated to integers. border is the least input of a
// category.
func among(n *trees.Node, categories []int, border func(category int) float64) {
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
