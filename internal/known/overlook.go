package known

import (
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Overlook changes the question's model, a network or trees, so that it ignores all or some
// of the protected features: entirely, almost, or only in a part of the space.
func Overlook(r *rand.Rand, q *problem.Query) {
	protected := make([]bool, q.Space.Inputs)
	all := r.IntN(3) > 0
	for _, i := range q.Space.Protected() {
		for _, in := range q.Space.Features[i].Inputs {
			protected[in.Index] = all || r.IntN(2) == 0
		}
	}
	switch m := q.Model.(type) {
	case *relu.Network:
		overlookByNetwork(r, m, protected)
		aim(r, q)
	case *trees.Ensemble:
		overlookByTrees(r, m, q.Space, protected)
	}
}

// overlookByNetwork makes the inputs matter little: by weights that are 0 or tiny, by one
// neuron that is mostly inactive, or by neurons that the next layer does not read.
func overlookByNetwork(r *rand.Rand, n *relu.Network, inputs []bool) {
	first := &n.Layers[0]
	kind, only := r.IntN(6), r.IntN(first.Out)
	for j := range first.Out {
		for i := range first.In {
			switch w := &first.Row(j)[i]; {
			case !inputs[i]:
			case kind == 0:
				*w *= 0x1p-30
			case kind == 1:
				*w *= 0x1p-20
			case kind == 2 || j != only:
				*w = 0
			}
		}
	}
	switch {
	case kind == 3 && first.ReLU:
		first.Bias[only] -= 2
	case kind == 4 && len(n.Layers) > 1:
		for j := range n.Layers[1].Out {
			n.Layers[1].Row(j)[only] = 0
		}
	case kind == 5 && n.Head == relu.HeadSoftmax: // both outputs change by the same amount
		last := &n.Layers[len(n.Layers)-1]
		if len(n.Layers) == 1 {
			for i := range inputs {
				if inputs[i] {
					last.Row(1)[i] = last.Row(0)[i]
				}
			}
		} else if len(n.Layers) == 2 {
			last.Row(1)[only] = last.Row(0)[only]
		}
	}
}

// overlookByTrees removes comparisons of the inputs from most trees.
func overlookByTrees(r *rand.Rand, e *trees.Ensemble, s *space.Space, inputs []bool) {
	var others []int32
	for _, i := range s.Free() {
		for _, in := range s.Features[i].Inputs {
			others = append(others, int32(in.Index))
		}
	}
	for k, t := range e.Trees {
		if r.IntN(6) == 0 {
			continue
		}
		for i := range t {
			if n := &t[i]; n.IsLeaf() || !inputs[n.Input] {
				continue
			} else if len(others) > 0 {
				n.Input = others[r.IntN(len(others))]
			} else {
				e.Trees[k] = trees.Tree{trees.Leaf(1)}
			}
		}
	}
}
