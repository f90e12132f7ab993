package onnx

import (
	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx/pb"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// TreeEnsemble, the operator of ai.onnx.ml 5, has separate lists of comparisons and of leaves. The
// trees are given by the indices of their roots.

// tensorOf returns the values of a tensor attribute, one per comparison or leaf.
func (o *ensemble) tensorOf(name string, element int32) []float64 {
	defer fault.About(name)
	p := o.attributes[name].GetT()
	if p == nil {
		panic(fault.New("the attribute is missing"))
	}
	switch have := p.GetDataType(); {
	case p.GetDataLocation() == pb.TensorProto_EXTERNAL:
		panic(fault.New("its numbers are in another file: save the model in one file"))
	case have == typeDouble:
		panic(fault.New("numbers in double precision are not supported: export a model of floats (FloatTensorType)"))
	case have != element:
		panic(fault.New("got numbers of type %d, want type %d", have, element))
	case have == typeByte:
		*p.DataType = typeBool // stored in the same way
	}
	return (&model{}).tensor(p, trees.MaxNodes).numbers
}

// trees5 returns the ensemble's trees, and the link from their sum to a score.
func (o *ensemble) trees5() (link fairness.Link, list []forest.Tree) {
	modes, borders, weights := o.tensorOf("nodes_modes", typeByte), o.tensorOf("nodes_splits", typeFloat), o.tensorOf("leaf_weights", typeFloat)
	inputs, targets, missing := o.ints("nodes_featureids"), o.ints("leaf_targetids"), o.ints("nodes_missing_value_tracks_true")
	children := [2][]int64{o.ints("nodes_truenodeids"), o.ints("nodes_falsenodeids")}
	ends := [2][]int64{o.ints("nodes_trueleafs"), o.ints("nodes_falseleafs")}
	count := len(inputs)
	forest.Entries(count, map[string]int{
		"nodes_modes": len(modes), "nodes_splits": len(borders), "nodes_truenodeids": len(children[0]), "nodes_falsenodeids": len(children[1]),
		"nodes_trueleafs": len(ends[0]), "nodes_falseleafs": len(ends[1]),
	})
	if len(targets) != len(weights) {
		panic(fault.New("leaf_targetids: got %d entries, want %d: one per leaf", len(targets), len(weights)))
	}
	var of [2]float64 // the factor of a leaf's weight, per target
	link, of = o.link5()
	for i, t := range targets {
		if t < 0 || t > 1 || of[t] == 0 {
			panic(fault.New("leaf_targetids: got %d, want a model of one score: train one class against the rest", t))
		}
		weights[i] *= of[t]
	}
	seen := make([]bool, count)
	for _, root := range o.ints("tree_roots") {
		// members are the tree's comparisons and its leaves, a leaf at index i as −1−i.
		var members []int
		var places [][2]int // the children's indices in members
		add := func(at int64, leaf bool) int {
			switch {
			case leaf && (at < 0 || at >= int64(len(weights))):
				panic(fault.New("there is no leaf %d; the file has leaves 0 to %d", at, len(weights)-1))
			case leaf:
				at = -1 - at
			case at < 0 || at >= int64(count):
				panic(fault.New("there is no node %d; the file has nodes 0 to %d", at, count-1))
			case seen[at]:
				panic(fault.New("node %d is reached twice, want trees: each node the child of one node, or one root", at))
			default:
				seen[at] = true
			}
			members = append(members, int(at))
			return len(members) - 1
		}
		add(root, false)
		for k := 0; k < len(members); k++ {
			var to [2]int
			if i := members[k]; i >= 0 {
				for side := range to {
					to[side] = add(children[side][i], ends[side][i] != 0)
				}
			}
			places = append(places, to)
		}
		list = append(list, forest.Tree{Nodes: len(members), Node: func(at int) trees.Node {
			i := members[at]
			if i < 0 {
				return trees.Leaf(weights[-1-i])
			}
			return o.branch(int64(i), inputs[i], int32(places[at][0]), int32(places[at][1]), i < len(missing) && missing[i] != 0, int(modes[i]), float32(borders[i]))
		}})
	}
	return link, list
}

// link5 returns the link from the sum to a score, and the factor of a leaf's weight per target: 0
// for a target that the model does not have.
func (o *ensemble) link5() (link fairness.Link, of [2]float64) {
	const none, softmax, logistic, sum = 0, 1, 2, 1
	targets, transform := o.integer("n_targets", 1), o.integer("post_transform", none)
	if by := o.integer("aggregate_function", sum); by != sum {
		panic(fault.New("aggregate_function: got %d, want SUM (1)", by))
	}
	switch {
	case targets == 1 && transform == none:
		return fairness.LinkLinear, [2]float64{1, 0}
	case targets == 1 && transform == logistic:
		return fairness.LinkSigmoid, [2]float64{1, 0}
	case targets == 2 && transform == softmax:
		return fairness.LinkSigmoid, [2]float64{-1, 1}
	}
	panic(fault.New("got %d targets with post_transform %d, want one with NONE (0) or LOGISTIC (2), or two with SOFTMAX (1)", targets, transform))
}
