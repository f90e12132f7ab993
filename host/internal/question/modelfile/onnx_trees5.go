package modelfile

import (
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// TreeEnsemble, the operator of ai.onnx.ml 5: comparisons and leaves are separate lists,
// and the indices of their roots identify the trees.

const onnxBytes = 2 // the type of a tensor of bytes

// numbers are the values of a tensor attribute, one for each comparison or leaf.
func (o *onnxTrees) numbers(name string, element uint64) []float64 {
	defer about(name)
	message, is := o.tensors[name]
	if !is {
		panic(faultf("is missing"))
	}
	f := parseFields(message)
	switch have := f.number(tensorType); {
	case f.number(tensorElsewhere) != 0:
		panic(faultf("its numbers are in a file beside the model; save the model in one file"))
	case have == onnxDouble:
		panic(faultf("numbers in double precision are not read; export a model of floats (FloatTensorType)"))
	case have != element:
		panic(faultf("numbers of type %d; type %d is read", have, element))
	case have == onnxBytes:
		f[tensorType] = []field{{v: onnxBool}} // stored like these
	}
	return (&onnxModel{}).tensor(f, trees.MaxNodes).numbers
}

// one is an integer attribute.
func (o *onnxTrees) one(name string, otherwise int64) int64 {
	if v := o.ints[name]; len(v) == 1 {
		return v[0]
	}
	return otherwise
}

func (o *onnxTrees) ensemble5(width int) *trees.Ensemble {
	modes, borders, weights := o.numbers("nodes_modes", onnxBytes), o.numbers("nodes_splits", onnxFloat), o.numbers("leaf_weights", onnxFloat)
	inputs, targets, missing := o.ints["nodes_featureids"], o.ints["leaf_targetids"], o.ints["nodes_missing_value_tracks_true"]
	children := [2][]int64{o.ints["nodes_truenodeids"], o.ints["nodes_falsenodeids"]}
	ends := [2][]int64{o.ints["nodes_trueleafs"], o.ints["nodes_falseleafs"]}
	count := len(inputs)
	for name, have := range map[string]int{
		"nodes_modes": len(modes), "nodes_splits": len(borders), "nodes_truenodeids": len(children[0]), "nodes_falsenodeids": len(children[1]),
		"nodes_trueleafs": len(ends[0]), "nodes_falseleafs": len(ends[1]),
	} {
		if have != count {
			panic(faultf("%s: %d entries for %d nodes", name, have, count))
		}
	}
	if len(targets) != len(weights) {
		panic(faultf("leaf_targetids: %d entries for %d leaves", len(targets), len(weights)))
	}
	out := &trees.Ensemble{Columns: width}
	var of [2]float64 // the factor of a leaf's weight for each target
	out.Output, of = o.link5()
	for i, t := range targets {
		if t < 0 || t > 1 || of[t] == 0 {
			panic(faultf("leaf_targetids: %d; models of one score are read: train one class against the rest", t))
		}
		weights[i] *= of[t]
	}
	seen := make([]bool, count)
	var list []grown
	for _, root := range o.ints["tree_roots"] {
		// members are the tree's comparisons and its leaves, a leaf at index i as −1−i.
		var members []int
		var places [][2]int // of children among members
		add := func(at int64, leaf bool) int {
			switch {
			case leaf && (at < 0 || at >= int64(len(weights))):
				panic(faultf("leaf %d of %d", at, len(weights)))
			case leaf:
				at = -1 - at
			case at < 0 || at >= int64(count):
				panic(faultf("node %d of %d", at, count))
			case seen[at]:
				panic(faultf("node %d has two parents", at))
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
		list = append(list, grown{nodes: len(members), node: func(at int) trees.Node {
			i := members[at]
			if i < 0 {
				return trees.Leaf(weights[-1-i])
			}
			if inputs[i] < 0 || inputs[i] >= trees.MaxInputs || width > 0 && int(inputs[i]) >= width {
				panic(faultf("node %d compares input %d of %d", i, inputs[i], width))
			}
			if width == 0 {
				out.Columns = max(out.Columns, int(inputs[i])+1)
			}
			n := trees.Node{Input: int32(inputs[i]), Left: int32(places[at][0]), Right: int32(places[at][1]), Missing: i < len(missing) && missing[i] != 0}
			compare(&n, int(modes[i]), float32(borders[i]))
			return n
		}})
	}
	if len(list) == 0 {
		panic(faultf("the trees have no nodes"))
	}
	out.Trees = all(list)
	return out
}

// link5 says how the sum becomes a score, and the factor of a leaf's weight for each
// target: 0 without that target.
func (o *onnxTrees) link5() (link fairness.Link, of [2]float64) {
	const none, softmax, logistic, sum = 0, 1, 2, 1
	targets, transform := o.one("n_targets", 1), o.one("post_transform", none)
	if by := o.one("aggregate_function", sum); by != sum {
		panic(faultf("aggregate_function: %d; sums of trees (1) are read", by))
	}
	switch {
	case targets == 1 && transform == none:
		return fairness.LinkLinear, [2]float64{1, 0}
	case targets == 1 && transform == logistic:
		return fairness.LinkSigmoid, [2]float64{1, 0}
	case targets == 2 && transform == softmax:
		return fairness.LinkSigmoid, [2]float64{-1, 1}
	}
	panic(faultf("%d targets with post_transform %d; one with NONE (0) or LOGISTIC (2) is read, and two with SOFTMAX (1)", targets, transform))
}
