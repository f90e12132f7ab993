package modelfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// Trees in ONNX: one TreeEnsembleClassifier or TreeEnsembleRegressor of ai.onnx.ml, as skl2onnx and onnxmltools write them,
// or one TreeEnsemble of its version 5. Nodes before it may only pass the inputs on, nodes after it its outputs: other
// models are refused.

// onnxTrees is a node of trees and the parts of the graph that affect it.
type onnxTrees struct {
	op, name string
	label    string // the first output
	inputs   []string
	ints     map[string][]int64
	floats   map[string][]float32
	texts    map[string][]string
	text     map[string]string
	tensors  map[string][]byte // undecoded tensor attributes
}

func (o *onnxTrees) read(node []byte) {
	o.ints, o.floats, o.texts = map[string][]int64{}, map[string][]float32{}, map[string][]string{}
	o.text, o.tensors = map[string]string{}, map[string][]byte{}
	scan(node, func(number protowire.Number, f field) {
		b := f.b
		switch number {
		case nodeInput:
			o.inputs = append(o.inputs, string(b))
		case nodeName:
			o.name = string(b)
		case nodeOutput:
			if o.label == "" {
				o.label = string(b)
			}
		case nodeAttribute:
			o.attribute(b)
		}
	})
}

func (o *onnxTrees) attribute(message []byte) {
	name := ""
	var ints []int64
	var floats []float32
	var texts []string
	scan(message, func(number protowire.Number, f field) {
		v, b := f.v, f.b
		switch number {
		case attributeName:
			name = string(b)
		case attributeInt:
			ints = append(ints, int64(v))
		case attributeText:
			o.text[name] = string(b)
		case attributeTensor:
			o.tensors[name] = b
		case attributeFloats:
			if f.b == nil {
				floats = append(floats, math.Float32frombits(uint32(v)))
			}
			floats = slices.Grow(floats, len(b)/4)
			for len(b) > 0 {
				bits, n := protowire.ConsumeFixed32(b)
				if n < 0 {
					panic(fault{errBroken})
				}
				floats, b = append(floats, math.Float32frombits(bits)), b[n:]
			}
		case attributeInts:
			if f.b == nil {
				ints = append(ints, int64(v))
			}
			for len(b) > 0 {
				one, n := protowire.ConsumeVarint(b)
				if n < 0 {
					panic(fault{errBroken})
				}
				ints, b = append(ints, int64(one)), b[n:]
			}
		case attributeTexts:
			texts = append(texts, string(b))
		}
	})
	o.ints[name], o.floats[name], o.texts[name] = ints, floats, texts
}

// onnxStep is any other node.
type onnxStep struct {
	op, name        string
	inputs, outputs []string
	to              int64 // the target type of a Cast
}

// isOne reports whether the constant is the float 1, by which onnxmltools multiplies
// probabilities.
func isOne(tensor []byte) (name string, is bool) {
	var element uint64
	var raw []byte
	scan(tensor, func(number protowire.Number, f field) {
		switch number {
		case tensorName:
			name = string(f.b)
		case tensorType:
			element = f.v
		case tensorRaw:
			raw = append(raw, f.b[:min(len(f.b), 8)]...)
		case tensorFloats:
			if f.b == nil {
				raw = protowire.AppendFixed32(raw, uint32(f.v))
			}
			raw = append(raw, f.b[:min(len(f.b), 8)]...)
		}
	})
	return name, element == onnxFloat && len(raw) == 4 && floats32(raw)[0] == 1
}

// timesOne turns a product with one of the constants into an Identity.
func (s *onnxStep) timesOne(ones map[string]bool) {
	if s.op != "Mul" || len(s.inputs) != 2 {
		return
	}
	for i, name := range s.inputs {
		if ones[name] && !ones[s.inputs[1-i]] {
			s.op, s.inputs = "Identity", s.inputs[1-i:2-i]
			return
		}
	}
}

// handsOn reports whether the node computes nothing.
func (s *onnxStep) handsOn() bool {
	return (s.op == "Cast" || s.op == "Identity" || s.op == "ZipMap") && len(s.inputs) == 1
}

// treesOfONNX reads the file's trees; ok is false without trees. oneOf: the share is that
// of one class of several.
func treesOfONNX(file []byte, choice Choice) (out *trees.Ensemble, oneOf, ok bool) {
	var nodes []onnxTrees
	var steps []onnxStep
	var outputs []string
	columns := map[string]onnxColumns{} // by input of the graph
	ones := map[string]bool{}           // constants
	scan(file, func(number protowire.Number, f field) {
		graph := f.b
		if number != modelGraph {
			return
		}
		scan(graph, func(number protowire.Number, f field) {
			b := f.b
			switch number {
			case graphInput:
				name, in := columnsOf(b)
				columns[name] = in
			case graphConst:
				if name, is := isOne(b); is {
					ones[name] = true
				}
			case graphOutput:
				name, _ := columnsOf(b)
				outputs = append(outputs, name)
			case graphNode:
				s := stepOf(b)
				if strings.HasPrefix(s.op, "TreeEnsemble") {
					n := onnxTrees{op: s.op}
					n.read(b)
					nodes = append(nodes, n)
				} else if len(steps) < maxNodes+1 {
					steps = append(steps, s)
				}
			}
		})
	})
	switch {
	case len(nodes) == 0:
		return nil, false, false
	case len(nodes) > 1:
		panic(faultf("%d nodes of trees; models of one are read: export the trees alone, without what calibrates, stacks, boosts or averages several models", len(nodes)))
	case len(steps) > maxNodes:
		panic(faultf("more than %d nodes", maxNodes))
	}
	for i := range steps {
		steps[i].timesOne(ones)
	}
	n := &nodes[0]
	makers := map[string]*onnxStep{}
	for i := range steps {
		for _, name := range steps[i].outputs {
			makers[name] = &steps[i]
		}
	}
	// source is the origin of a value that is passed on, and the nodes on the way.
	source := func(at string) (string, []*onnxStep) {
		var way []*onnxStep
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
		if !slices.Contains(outputs, name) {
			panic(faultf("output: no output %.40q; the model has %s", name, quoted(outputs)))
		}
		if from, _ := source(name); from == n.label && n.op == "TreeEnsembleClassifier" {
			panic(faultf("output %q is the predicted class; give the output with the probabilities, or leave output: out", name))
		}
	}
	defer about(fmt.Sprintf("node %q (%.40s)", n.name, n.op))
	if len(n.inputs) != 1 {
		panic(faultf("%d inputs; one is expected", len(n.inputs)))
	}
	at, way := source(n.inputs[0])
	if before := makers[at]; before != nil {
		panic(faultf("reads what node %q (%.40s) makes, and trees are read alone: %s", before.name, before.op, stepsApart))
	}
	in, is := columns[at]
	if !is {
		panic(faultf("reads %q, which is no input of the graph", at))
	}
	single := in.element != onnxDouble
	for _, s := range way {
		if s.op == "Cast" && s.to != onnxFloat {
			panic(faultf("node %q casts its inputs to type %d; trees of floats are read: export with FloatTensorType", s.name, s.to))
		}
		single = single || s.op == "Cast"
	}
	if !single {
		panic(faultf("inputs in double precision are not read; export a model of floats (FloatTensorType)"))
	}
	for i := range steps {
		if s := &steps[i]; !s.handsOn() {
			panic(faultf("node %q (%.40s) computes with what the trees give, so that its score is another than theirs; export the trees alone, without what calibrates, stacks or averages them", s.name, s.op))
		}
	}
	labels := len(n.texts["classlabels_strings"]) + len(n.ints["classlabels_int64s"])
	if oneOf = n.op == "TreeEnsembleClassifier" && labels > 2; !oneOf {
		choice.ofTrees()
		return n.ensemble(in.width, nil), false, true
	}
	return n.ensemble(in.width, n.chosen(choice.Class, labels)), true, true
}

// chosen is the requested class of more than two.
func (o *onnxTrees) chosen(class *int, labels int) *int {
	if by := o.text["post_transform"]; by != "" && by != "NONE" {
		panic(faultf("post_transform: %.40q of %d classes, whose scores are no sums of trees, as the shares of forests are: train one class against the rest", by, labels))
	}
	if class == nil {
		names := slices.Clone(o.texts["classlabels_strings"])
		for _, v := range o.ints["classlabels_int64s"] {
			names = append(names, fmt.Sprint(v))
		}
		panic(faultf("the model tells %d classes (%.200s): name the one to ask about, counted from 0, in the study, model: {file: …, class: 1}", labels, strings.Join(names, ", ")))
	}
	of := classOf(class, labels)
	return &of
}

func stepOf(node []byte) (s onnxStep) {
	scan(node, func(number protowire.Number, f field) {
		b := f.b
		switch number {
		case nodeOp:
			s.op = string(b)
		case nodeName:
			s.name = string(b)
		case nodeInput:
			s.inputs = append(s.inputs, string(b))
		case nodeOutput:
			s.outputs = append(s.outputs, string(b))
		case nodeAttribute:
			if s.op != "" && s.op != "Cast" {
				return
			}
			name := ""
			scan(b, func(number protowire.Number, f field) {
				v, b := f.v, f.b
				switch {
				case number == attributeName:
					name = string(b)
				case number == attributeInt && name == "to":
					s.to = int64(v)
				}
			})
		}
	})
	return s
}

// onnxColumns is the last dimension of an input, 0 if open, and the type of its numbers.
type onnxColumns struct {
	width   int
	element uint64
}

func columnsOf(value []byte) (name string, out onnxColumns) {
	scan(value, func(number protowire.Number, f field) {
		b := f.b
		switch number {
		case valueName:
			name = string(b)
		case valueType:
			scan(b, func(number protowire.Number, f field) {
				b := f.b
				if number != typeTensor {
					return
				}
				scan(b, func(number protowire.Number, f field) {
					v, b := f.v, f.b
					switch number {
					case tensorElement:
						out.element = v
					case tensorShape:
						scan(b, func(number protowire.Number, f field) {
							b := f.b
							out.width = 0
							scan(b, func(number protowire.Number, f field) {
								v := f.v
								if number == dimValue && v <= trees.MaxInputs {
									out.width = int(v)
								}
							})
						})
					}
				})
			})
		}
	})
	return name, out
}

// ensemble makes the model. width is the number of inputs, 0 if the file does not say;
// class is the class whose share is the score, nil with at most two.
func (o *onnxTrees) ensemble(width int, class *int) *trees.Ensemble {
	if o.op == "TreeEnsemble" {
		return o.ensemble5(width)
	}
	for name := range o.tensors {
		panic(faultf("%s: numbers in double precision are not read; export a model of floats (FloatTensorType)", name))
	}
	kind, classifier := "target", o.op == "TreeEnsembleClassifier"
	if classifier {
		kind = "class"
	}
	treeIDs, nodeIDs, inputs := o.ints["nodes_treeids"], o.ints["nodes_nodeids"], o.ints["nodes_featureids"]
	yes, no, modes, values := o.ints["nodes_truenodeids"], o.ints["nodes_falsenodeids"], o.texts["nodes_modes"], o.floats["nodes_values"]
	missing := o.ints["nodes_missing_value_tracks_true"]
	count := len(treeIDs)
	if count == 0 {
		panic(faultf("the trees have no nodes"))
	}
	if count > trees.MaxNodes {
		panic(faultf("more than %d nodes", trees.MaxNodes))
	}
	for name, have := range map[string]int{
		"nodes_nodeids": len(nodeIDs), "nodes_featureids": len(inputs), "nodes_truenodeids": len(yes), "nodes_falsenodeids": len(no), "nodes_modes": len(modes), "nodes_values": len(values),
	} {
		if have != count {
			panic(faultf("%s: %d entries for %d nodes", name, have, count))
		}
	}
	type key struct{ tree, node int64 }
	place := make(map[key]int, count)
	var order []int64 // of trees
	members := map[int64][]int{}
	for i := range count {
		k := key{treeIDs[i], nodeIDs[i]}
		if _, twice := place[k]; twice {
			panic(faultf("node %d of tree %d is there twice", k.node, k.tree))
		}
		if members[k.tree] == nil {
			order = append(order, k.tree)
		}
		place[k] = len(members[k.tree])
		members[k.tree] = append(members[k.tree], i)
	}
	weights := o.weights(kind, func(tree, node int64) (int, bool) {
		at, ok := place[key{tree, node}]
		if !ok {
			return 0, false
		}
		return members[tree][at], true
	}, count, class)
	out := &trees.Ensemble{Columns: width}
	var leaf func(i int) float64
	if class != nil {
		out.Output, out.Base, leaf = o.share(*class, weights[1])
	} else {
		out.Output, out.Base, leaf = o.link(classifier, weights)
	}
	var list []grown
	for _, tree := range order {
		of := members[tree]
		list = append(list, grown{nodes: len(of), node: func(at int) trees.Node {
			i := of[at]
			if modes[i] == "LEAF" {
				return trees.Leaf(leaf(i))
			}
			if inputs[i] < 0 || inputs[i] >= trees.MaxInputs || width > 0 && int(inputs[i]) >= width {
				panic(faultf("node %d compares input %d of %d", nodeIDs[i], inputs[i], width))
			}
			if width == 0 {
				out.Columns = max(out.Columns, int(inputs[i])+1)
			}
			child := func(id int64) int32 {
				c, ok := place[key{tree, id}]
				if !ok {
					panic(faultf("node %d has the child %d, which is not there", nodeIDs[i], id))
				}
				return int32(c)
			}
			n := trees.Node{Input: int32(inputs[i]), Left: child(yes[i]), Right: child(no[i]), Missing: i < len(missing) && missing[i] != 0}
			compare(&n, slices.Index(branches, modes[i]), values[i])
			return n
		}})
	}
	out.Trees = all(list)
	return out
}

// branches are the supported comparisons, as numbered by ai.onnx.ml 5.
var branches = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"}

// compare sets n to a comparison, by index in branches; the left child is where it holds.
func compare(n *trees.Node, branch int, value float32) {
	swapped := false
	switch branch {
	case 0:
		n.Value, n.Closed = trees.Rounded(value, true)
	case 1:
		n.Value, n.Closed = trees.Rounded(value, false)
	case 2:
		n.Value, n.Closed = trees.Rounded(value, false)
		swapped = true
	case 3:
		n.Value, n.Closed = trees.Rounded(value, true)
		swapped = true
	default:
		panic(faultf("nodes_modes: comparisons by ≤, <, ≥ and > are read (%s), and no others", strings.Join(branches, ", ")))
	}
	if swapped {
		n.Left, n.Right, n.Missing = n.Right, n.Left, !n.Missing
	}
}

// weights are each node's weights for class or target 0 and 1; for one class of several,
// its own as 1.
func (o *onnxTrees) weights(kind string, at func(tree, node int64) (int, bool), count int, class *int) [2][]float64 {
	ofTrees, ofNodes, ids, list := o.ints[kind+"_treeids"], o.ints[kind+"_nodeids"], o.ints[kind+"_ids"], o.floats[kind+"_weights"]
	if len(ofNodes) != len(ofTrees) || len(ids) != len(ofTrees) || len(list) != len(ofTrees) {
		panic(faultf("%s_weights: lists of different lengths", kind))
	}
	var out [2][]float64
	for k, id := range ids {
		switch {
		case class != nil && id != int64(*class):
			continue
		case class != nil:
			id = 1
		case id != 0 && id != 1:
			panic(faultf("%s_ids: %d; models of one score are read: train one class against the rest", kind, id))
		}
		i, ok := at(ofTrees[k], ofNodes[k])
		if !ok {
			panic(faultf("%s_nodeids: no node %d in tree %d", kind, ofNodes[k], ofTrees[k]))
		}
		if out[id] == nil {
			out[id] = make([]float64, count)
		}
		out[id][i] += float64(list[k])
	}
	return out
}

// link says how the sums become a score, their base, and the addend of the leaf at a node.
func (o *onnxTrees) link(classifier bool, weights [2][]float64) (link fairness.Link, base float64, leaf func(i int) float64) {
	start := o.start
	of := func(k int) func(i int) float64 { return leafOf(weights[k]) }
	transform := o.text["post_transform"]
	if transform == "" {
		transform = "NONE"
	}
	one := 0
	if weights[1] != nil {
		one = 1
	}
	both := weights[0] != nil && weights[1] != nil
	switch {
	case !classifier:
		if both {
			panic(faultf("several targets; models of one are read"))
		}
		if by := o.text["aggregate_function"]; by != "" && by != "SUM" {
			panic(faultf("aggregate_function: %.20q; sums of trees are read", by))
		}
		switch transform {
		case "NONE":
			return fairness.LinkLinear, start(0), of(one)
		case "LOGISTIC":
			return fairness.LinkSigmoid, start(0), of(one)
		}
	case both && (transform == "SOFTMAX"):
		return fairness.LinkSigmoid, start(1) - start(0), func(i int) float64 { return weights[1][i] - weights[0][i] }
	case both && transform == "LOGISTIC" && opposite(o.floats["base_values"], weights): // CatBoost
		return fairness.LinkSigmoid, start(1), of(1)
	case !both && transform == "LOGISTIC":
		return fairness.LinkSigmoid, start(0), of(one)
	case transform == "NONE": // shares of class 1; above ½ is a yes
		return o.share(min(one, max(0, len(o.floats["base_values"])-1)), weights[one])
	}
	if both && transform == "LOGISTIC" {
		panic(faultf("post_transform: LOGISTIC of two classes whose sums are not each other's negatives, so that their scores do not add up to 1, is not read: train with the log loss"))
	}
	panic(faultf("post_transform: %.40q is not read; NONE is, LOGISTIC of one sum, and SOFTMAX of two", transform))
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

// start is the base of the sum for class or target k.
func (o *onnxTrees) start(k int) float64 {
	if all := o.floats["base_values"]; k < len(all) {
		return float64(all[k])
	}
	return 0
}

// leafOf returns the weights of nodes, 0 without one.
func leafOf(weights []float64) func(i int) float64 {
	return func(i int) float64 {
		if weights == nil {
			return 0
		}
		return weights[i]
	}
}

// share is link for the share of class k.
func (o *onnxTrees) share(k int, weights []float64) (link fairness.Link, base float64, leaf func(i int) float64) {
	for _, w := range weights {
		if w < 0 {
			panic(faultf("class_weights: %v is no share of a class", w))
		}
	}
	return fairness.LinkShare, o.start(k) - fairness.Half, leafOf(weights)
}
