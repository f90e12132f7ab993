package onnx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx/pb"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// Trees in ONNX: one TreeEnsembleClassifier or TreeEnsembleRegressor of ai.onnx.ml, as skl2onnx and onnxmltools write them,
// or one TreeEnsemble of its version 5. Other nodes may only pass on the inputs or the trees' outputs.

// isOne reports whether the constant is the float 1, by which onnxmltools multiplies
// probabilities.
func isOne(p *pb.TensorProto) bool {
	return p.GetDataType() == typeFloat && len(p.RawData)+4*len(p.FloatData) == 4 && numbers(p.RawData, p.FloatData)[0] == 1
}

// timesOne turns a product with a constant among ones into an Identity.
func (n *node) timesOne(ones map[string]bool) {
	if n.op != "Mul" || len(n.inputs) != 2 {
		return
	}
	for i, name := range n.inputs {
		if ones[name] && !ones[n.inputs[1-i]] {
			n.op, n.inputs = "Identity", n.inputs[1-i:2-i]
			return
		}
	}
}

// handsOn reports whether the node passes its only input on.
func (n *node) handsOn() bool {
	return (n.op == "Cast" || n.op == "Identity" || n.op == "ZipMap") && len(n.inputs) == 1
}

// readTrees reads the graph's trees; nil without trees.
func readTrees(graph *pb.GraphProto, choice reader.Choice) *reader.Model {
	var ensembles, steps []node
	for _, p := range graph.Node {
		if strings.HasPrefix(p.GetOpType(), "TreeEnsemble") {
			ensembles = append(ensembles, newNode(p))
		} else if len(steps) < maxNodes+1 {
			steps = append(steps, newNode(p))
		}
	}
	switch {
	case len(ensembles) == 0:
		return nil
	case len(ensembles) > 1:
		panic(fault.New("got %d nodes of trees, want one: export the trees alone, without calibrating, stacking, boosting or averaging several models", len(ensembles)))
	case len(steps) > maxNodes:
		panic(fault.New("the graph has more than %d nodes, the maximum", maxNodes))
	}
	ones := map[string]bool{} // the constants that are 1
	for _, t := range graph.Initializer {
		if isOne(t) {
			ones[t.GetName()] = true
		}
	}
	n, makers := &ensembles[0], map[string]*node{}
	for i := range steps {
		steps[i].timesOne(ones)
		for _, name := range steps[i].outputs {
			makers[name] = &steps[i]
		}
	}
	// source returns the value that a value passes on, and the nodes on the way.
	source := func(at string) (string, []*node) {
		var way []*node
		for range maxNodes {
			s := makers[at]
			if s == nil || !s.handsOn() {
				break
			}
			at, way = s.inputs[0], append(way, s)
		}
		return at, way
	}
	if name := choice.Output; name != "" {
		var outputs []string
		for _, v := range graph.Output {
			outputs = append(outputs, v.GetName())
		}
		if !slices.Contains(outputs, name) {
			panic(fault.New("output: no output %.40q, want one of %s", name, quoted(outputs)))
		}
		if from, _ := source(name); n.op == "TreeEnsembleClassifier" && len(n.outputs) > 0 && from == n.outputs[0] {
			panic(fault.New("output %q is the predicted class: name the output with the probabilities, or leave out the key output", name))
		}
	}
	defer fault.About(fmt.Sprintf("node %q (%.40s)", n.name, n.op))
	if len(n.inputs) != 1 {
		panic(fault.New("got %d inputs, want one", len(n.inputs)))
	}
	at, way := source(n.inputs[0])
	if before := makers[at]; before != nil {
		panic(fault.New("reads the output of node %q (%.40s), but trees must read the inputs: %s", before.name, before.op, stepsApart))
	}
	k := slices.IndexFunc(graph.Input, func(v *pb.ValueInfoProto) bool { return v.GetName() == at })
	if k < 0 {
		panic(fault.New("reads %q, which is not an input of the graph", at))
	}
	in := portOf(graph.Input[k])
	single := in.element != typeDouble
	for _, s := range way {
		if to := s.integer("to", 0); s.op == "Cast" && to != typeFloat {
			panic(fault.New("node %q casts its inputs to type %d, want floats: export with FloatTensorType", s.name, to))
		}
		single = single || s.op == "Cast"
	}
	if !single {
		panic(fault.New("inputs in double precision are not supported: export a model of floats (FloatTensorType)"))
	}
	for i := range steps {
		if s := &steps[i]; !s.handsOn() {
			panic(fault.New("node %q (%.40s) computes with the trees' output, so the model's score differs from theirs: export the trees alone, without calibrating, stacking or averaging them", s.name, s.op))
		}
	}
	o := &ensemble{node: n}
	if len(in.dims) > 0 && in.dims[len(in.dims)-1] <= trees.MaxInputs {
		o.width = max(0, in.dims[len(in.dims)-1])
	}
	out := &reader.Model{Facts: reader.Facts{Producer: "ONNX"}}
	labels := len(n.texts("classlabels_strings")) + len(n.ints("classlabels_int64s"))
	var class *int
	many := n.op == "TreeEnsembleClassifier" && labels > 2
	if many {
		n.transformed(labels)
	}
	if many && (choice.Any || n.softmax()) {
		of, nodes := &trees.Classes{}, 0
		for k := range min(labels, trees.MaxClasses+1) {
			one := o.read(&k)
			one.Trees = slices.DeleteFunc(one.Trees, idle)
			for _, t := range one.Trees {
				nodes += len(t)
			}
			if nodes > mostOfClasses {
				panic(fault.New("the trees of all classes have more than %d nodes together, the maximum", mostOfClasses))
			}
			of.Sums = append(of.Sums, one)
		}
		forest.OneOfMany(out, of, choice)
		return out
	}
	if out.ShareOfMany = many; out.ShareOfMany {
		class = n.chosen(choice.Class, labels)
	} else {
		forest.OneScore(choice)
	}
	e := o.read(class)
	out.Model, out.Linear = e, e.Output == fairness.LinkLinear
	return out
}

// mostOfClasses is the largest number of nodes of the sums of all classes, each of which has the trees that add to it.
const mostOfClasses = 4 * trees.MaxNodes

// idle reports whether a tree adds nothing to a sum.
func idle(t trees.Tree) bool {
	return !slices.ContainsFunc(t, func(n trees.Node) bool { return n.IsLeaf() && n.Value != 0 })
}

// transformed refuses a transform of the sums of several classes by which another class than that of the largest sum may win.
func (n *node) transformed(labels int) {
	if by := n.text("post_transform", ""); by != "" && by != "NONE" && !n.softmax() {
		panic(fault.New("post_transform: %.40q of %d classes, want SOFTMAX or NONE", by, labels))
	}
}

// softmax reports whether the sums of a classifier are logits of classes, and not shares.
func (n *node) softmax() bool { return n.text("post_transform", "") == "SOFTMAX" }

// chosen returns the requested class of a model with more than two.
func (n *node) chosen(class *int, labels int) *int {
	if class == nil {
		names := slices.Clone(n.texts("classlabels_strings"))
		for _, v := range n.ints("classlabels_int64s") {
			names = append(names, fmt.Sprint(v))
		}
		panic(fault.New("the model has %d classes (%.200s): name one, counted from 0, in the study, as in model: {file: …, class: 1}", labels, strings.Join(names, ", ")))
	}
	of := reader.ClassOf(class, labels)
	return &of
}

// ensemble is a node of trees that is being read.
type ensemble struct {
	*node
	width   int // the number of inputs; 0 if the file does not state it
	columns int // 1 + the largest index of a compared input
}

// branch returns node i, a comparison of an input; kind is the comparison's index in branches, left and right are the
// children's numbers.
func (o *ensemble) branch(i, input int64, left, right int32, missing bool, kind int, value float32) trees.Node {
	if input < 0 || input >= trees.MaxInputs || o.width > 0 && int(input) >= o.width {
		panic(fault.New("node %d compares input %d, want 0 to %d", i, input, cmp.Or(o.width, trees.MaxInputs)-1))
	}
	o.columns = max(o.columns, int(input)+1)
	n := trees.Node{Input: int32(input), Left: left, Right: right, Missing: missing}
	compare(&n, kind, value)
	return n
}

// read makes the model; class is the class whose share is the score, nil with at most two classes.
func (o *ensemble) read(class *int) *trees.Ensemble {
	out := &trees.Ensemble{}
	var list []forest.Tree
	if o.op == "TreeEnsemble" {
		out.Output, list = o.trees5()
	} else {
		out.Output, out.Base, list = o.trees(class)
	}
	if len(list) == 0 {
		panic(fault.New("the trees have no nodes"))
	}
	out.Trees = forest.All(len(list), func(k int) forest.Tree { return list[k] })
	out.Columns = cmp.Or(o.width, o.columns) // known once all nodes are read
	return out
}

// trees returns the trees of a classifier or a regressor, the link from their sum to a score, and the sum's base.
func (o *ensemble) trees(class *int) (link fairness.Link, base float64, list []forest.Tree) {
	for name, a := range o.attributes {
		if a.T != nil {
			panic(fault.New("%s: numbers in double precision are not supported: export a model of floats (FloatTensorType)", name))
		}
	}
	kind, classifier := "target", o.op == "TreeEnsembleClassifier"
	if classifier {
		kind = "class"
	}
	treeIDs, nodeIDs, inputs := o.ints("nodes_treeids"), o.ints("nodes_nodeids"), o.ints("nodes_featureids")
	yes, no, modes, values := o.ints("nodes_truenodeids"), o.ints("nodes_falsenodeids"), o.texts("nodes_modes"), o.floats("nodes_values")
	missing := o.ints("nodes_missing_value_tracks_true")
	count := len(treeIDs)
	if count == 0 {
		panic(fault.New("the trees have no nodes"))
	}
	if count > trees.MaxNodes {
		panic(fault.New("the trees have more than %d nodes together, the maximum", trees.MaxNodes))
	}
	forest.Entries(count, map[string]int{
		"nodes_nodeids": len(nodeIDs), "nodes_featureids": len(inputs), "nodes_truenodeids": len(yes), "nodes_falsenodeids": len(no), "nodes_modes": len(modes), "nodes_values": len(values),
	})
	type key struct{ tree, node int64 }
	type position struct{ entry, member int } // index among all nodes and among the tree's
	place := make(map[key]position, count)
	var order []int64 // of trees
	members := map[int64][]int{}
	for i := range count {
		k := key{treeIDs[i], nodeIDs[i]}
		if _, twice := place[k]; twice {
			panic(fault.New("tree %[2]d lists node %[1]d twice", k.node, k.tree))
		}
		if members[k.tree] == nil {
			order = append(order, k.tree)
		}
		place[k] = position{i, len(members[k.tree])}
		members[k.tree] = append(members[k.tree], i)
	}
	weights := o.weights(kind, func(tree, node int64) (int, bool) {
		at, ok := place[key{tree, node}]
		return at.entry, ok
	}, count, class)
	var leaves []float64
	if class != nil && o.softmax() {
		link, base, leaves = fairness.LinkLinear, o.start(*class), weights[1]
	} else if class != nil {
		link, base, leaves = o.share(*class, weights[1])
	} else {
		link, base, leaves = o.link(classifier, weights)
	}
	if leaves == nil {
		leaves = make([]float64, count)
	}
	for _, tree := range order {
		of := members[tree]
		list = append(list, forest.Tree{Nodes: len(of), Node: func(at int) trees.Node {
			i := of[at]
			if modes[i] == "LEAF" {
				return trees.Leaf(leaves[i])
			}
			child := func(id int64) int32 {
				c, ok := place[key{tree, id}]
				if !ok {
					panic(fault.New("node %d has the child %d, which does not exist", nodeIDs[i], id))
				}
				return int32(c.member)
			}
			return o.branch(nodeIDs[i], inputs[i], child(yes[i]), child(no[i]), i < len(missing) && missing[i] != 0, slices.Index(branches, modes[i]), values[i])
		}})
	}
	return link, base, list
}

// branches are the supported comparisons, as numbered by ai.onnx.ml 5.
var branches = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"}

// compare sets n to the comparison with an index in branches; the left child is taken if it holds.
func compare(n *trees.Node, branch int, value float32) {
	if branch < 0 || branch >= len(branches) {
		panic(fault.New("nodes_modes: unsupported comparison, want one of %s", strings.Join(branches, ", ")))
	}
	n.Value, n.Closed = trees.Rounded(value, branch == 0 || branch == 3)
	if branch >= 2 { // ≥ and >: the complement of < and ≤
		n.Left, n.Right, n.Missing = n.Right, n.Left, !n.Missing
	}
}

// weights returns each node's weights for class or target 0 and 1. If class is not nil, it returns
// that class's weights as those of 1.
func (o *ensemble) weights(kind string, at func(tree, node int64) (int, bool), count int, class *int) [2][]float64 {
	ofTrees, ofNodes, ids, list := o.ints(kind+"_treeids"), o.ints(kind+"_nodeids"), o.ints(kind+"_ids"), o.floats(kind+"_weights")
	if len(ofNodes) != len(ofTrees) || len(ids) != len(ofTrees) || len(list) != len(ofTrees) {
		panic(fault.New("%[1]s_treeids, %[1]s_nodeids, %[1]s_ids and %[1]s_weights: got %[2]d, %[3]d, %[4]d and %[5]d entries, want equal numbers", kind, len(ofTrees), len(ofNodes), len(ids), len(list)))
	}
	var out [2][]float64
	for k, id := range ids {
		switch {
		case class != nil && id != int64(*class):
			continue
		case class != nil:
			id = 1
		case id != 0 && id != 1:
			panic(fault.New("%s_ids: got %d, want 0 or 1 for a model of one score: train one class against the rest", kind, id))
		}
		i, ok := at(ofTrees[k], ofNodes[k])
		if !ok {
			panic(fault.New("%s_nodeids: no node %d in tree %d", kind, ofNodes[k], ofTrees[k]))
		}
		if out[id] == nil {
			out[id] = make([]float64, count)
		}
		out[id][i] += float64(list[k])
	}
	return out
}

// link returns the link from the sums to a score, the sums' base, and the leaves' values by node; nil: all 0.
func (o *ensemble) link(classifier bool, weights [2][]float64) (link fairness.Link, base float64, leaves []float64) {
	start := o.start
	transform := cmp.Or(o.text("post_transform", ""), "NONE")
	one := 0
	if weights[1] != nil {
		one = 1
	}
	both := weights[0] != nil && weights[1] != nil
	switch {
	case !classifier:
		if both {
			panic(fault.New("the model has several targets, want one: train one model per target"))
		}
		if by := o.text("aggregate_function", ""); by != "" && by != "SUM" {
			panic(fault.New("aggregate_function: got %.20q, want SUM", by))
		}
		switch transform {
		case "NONE":
			return fairness.LinkLinear, start(0), weights[one]
		case "LOGISTIC":
			return fairness.LinkSigmoid, start(0), weights[one]
		}
	case both && transform == "SOFTMAX":
		for i, w := range weights[0] {
			weights[1][i] -= w
		}
		return fairness.LinkSigmoid, start(1) - start(0), weights[1]
	case both && transform == "LOGISTIC" && opposite(o.floats("base_values"), weights): // CatBoost
		return fairness.LinkSigmoid, start(1), weights[1]
	case !both && transform == "LOGISTIC":
		return fairness.LinkSigmoid, start(0), weights[one]
	case transform == "NONE": // shares of class 1; a positive decision is above ½
		return o.share(min(one, max(0, len(o.floats("base_values"))-1)), weights[one])
	}
	if both && transform == "LOGISTIC" {
		panic(fault.New("post_transform: LOGISTIC of two classes whose sums are not negatives of each other, so that their scores do not add up to 1, is not supported: train with the log loss"))
	}
	panic(fault.New("post_transform: got %.40q, want NONE, LOGISTIC of one sum, or SOFTMAX of two", transform))
}

// opposite reports whether the weights and bases of class 0 are the negatives of those of class 1.
func opposite(bases []float32, weights [2][]float64) bool {
	if len(bases) == 2 && bases[0] != -bases[1] || len(bases) == 1 && bases[0] != 0 {
		return false
	}
	for i, w := range weights[1] {
		if weights[0][i] != -w {
			return false
		}
	}
	return true
}

// start returns the base of the sum for class or target k.
func (o *ensemble) start(k int) float64 {
	if all := o.floats("base_values"); k < len(all) {
		return float64(all[k])
	}
	return 0
}

// share returns the results of link for the share of class k.
func (o *ensemble) share(k int, weights []float64) (link fairness.Link, base float64, leaves []float64) {
	for _, w := range weights {
		if w < 0 {
			panic(fault.New("class_weights: %v is not the share of a class, want a number of at least 0", w))
		}
	}
	return fairness.LinkShare, o.start(k) - fairness.Half, weights
}
