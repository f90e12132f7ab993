package trees

import (
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

var _ model.Joining = (*Ensemble)(nil)

// Join implements model.Joining: every tree first compares the switch, and is 0 if the switch selects
// the other ensemble.
func (e *Ensemble) Join(other model.Model, _ float64) (model.Model, error) {
	o, ok := other.(*Ensemble)
	if !ok {
		return nil, fmt.Errorf("a model of the family %s cannot be joined with one of %s", other.Family(), Family)
	}
	out := &Ensemble{Columns: e.Columns + o.Columns + 1, Output: e.Output}
	if o.Output != e.Output || e.Output == fairness.LinkShare { // the leaves of both may add up to more than 1
		out.Output = fairness.LinkLinear
	}
	at := int32(out.Columns - 1)
	out.Trees = append(out.Trees, Tree{{Input: at, Left: 1, Right: 2, Value: 0.5}, Leaf(e.Base), Leaf(o.Base)})
	for _, t := range e.Trees {
		behind := behind(t, 1, 0)
		root := Node{Input: at, Left: 1, Right: int32(len(t) + 1), Value: 0.5}
		out.Trees = append(out.Trees, slices.Concat(Tree{root}, behind, Tree{Leaf(0)}))
	}
	for _, t := range o.Trees {
		root := Node{Input: at, Left: 1, Right: 2, Value: 0.5}
		out.Trees = append(out.Trees, slices.Concat(Tree{root, Leaf(0)}, behind(t, 2, int32(e.Columns))))
	}
	return out, out.Validate()
}

// Switched implements model.Joining. An additional tree tests the switch.
func (e *Ensemble) Switched(most float64) (model.Model, error) {
	out := &Ensemble{Columns: e.Columns + 1, Output: e.Output, Base: e.Base}
	if e.Output == fairness.LinkShare {
		out.Output = fairness.LinkLinear
	}
	switched := Tree{{Input: int32(e.Columns), Left: 1, Right: 2, Value: 0.5}, Leaf(-model.PowerAbove(most)), Leaf(0)}
	out.Trees = append(slices.Clone(e.Trees), switched)
	return out, out.Validate()
}

// behind returns a copy of t for a longer list of nodes and of inputs: it adds places to the indices
// of children, and columns to those of inputs.
func behind(t Tree, places, columns int32) Tree {
	out := slices.Clone(t)
	for i := range out {
		if n := &out[i]; !n.IsLeaf() {
			n.Input, n.Left, n.Right = n.Input+columns, n.Left+places, n.Right+places
		}
	}
	return out
}
