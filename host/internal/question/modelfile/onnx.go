package modelfile

import (
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// ONNX: what comes to a network of dense layers, as hyfair mitigate writes it, and
// PyTorch's exporters, skl2onnx and others. docs/formats.md lists the operators.
const (
	onnxFormat = "onnx"
	// maxONNX bounds a file that is held in memory while it is read.
	maxONNX = 256 << 20
	// Operators mean what they mean here from opset 7 on.
	leastOpset = 7
)

func init() {
	formats = append(formats, format{
		name: onnxFormat, extensions: []string{".onnx"},
		// The field ir_version comes first, a small number, then one of the others.
		is: func(head []byte, _ string) bool {
			return !isSavedModel(head) && len(head) > 2 && head[0] == 1<<3 && head[1] > 0 && head[1] < 32 && slices.Contains([]byte{0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42}, head[2])
		},
		read: readONNX,
	})
}

func readONNX(f source) loaded {
	file := whole(f, f.size, maxONNX, "an ONNX model")
	if e, oneOf, ok := treesOfONNX(file, f.choice); ok {
		return loaded{model: e, linear: e.Output == fairness.LinkLinear, shareOfMany: oneOf, producer: "ONNX"}
	}
	m := parseONNX(file)
	m.folder = f.folder
	if m.opset < leastOpset && m.opset > 0 {
		panic(faultf("operators of version %d; versions from %d on are read", m.opset, leastOpset))
	}
	output := m.outputOf(f.choice.Output)
	g := newONNXGraph(m)
	v := g.value(output)
	defer about(fmt.Sprintf("output %q", output))
	out := g.finish(v, f.choice.Class)
	out.producer, out.beside = m.producer, m.beside
	return out
}

// finish makes a network of an output.
func (g *onnxGraph) finish(v *onnxValue, class *int) loaded {
	if v.cut != "" {
		panic(faultf("%s", v.steps()))
	}
	if v.labels {
		panic(faultf("this is the predicted class; give the output with the probabilities, which %s", quoted(g.others())))
	}
	out := loaded{}
	var last form
	var head relu.Head
	switch {
	case v.scores != nil:
		last, head = g.probability(chosenScore(v.scores, class))
		if out.oneOfMany = len(chosenScore(v.scores, class).logits.rows) > 2; out.oneOfMany && wholeOf(v.scores) {
			out.classes = len(v.scores)
		}
	default:
		last = g.numbers(v)
		out.linear = true
		switch n := len(last.rows); {
		case n == 1 && class == nil:
			head = relu.HeadLinear
		case n == 1:
			panic(faultf("one linear unit, which tells no classes: leave class: out"))
		case n == 2 && last.mirrored():
			panic(faultf("two raw scores of which one is the other's negative: export without options={\"raw_scores\": True}"))
		default:
			which := classOf(class, n)
			if out.oneOfMany = n > 2; out.oneOfMany {
				out.classes = n
			}
			last, head = g.probability(score{logits: last, class: which})
		}
	}
	precision := 32
	if g.double {
		precision = 64
	}
	names, fills, place := g.inputOrder()
	out.fills, out.vocabularies = fills, g.vocabularies()
	if len(names) == 0 {
		panic(faultf("it does not depend on the inputs"))
	}
	if !slices.IsSorted(place) {
		g.reorder(&last, place)
	}
	if len(g.columns) > 1 || slices.ContainsFunc(names, func(name string) bool { return !g.columnless(name) }) {
		out.inputs = names
	}
	out.model = g.network(last, head, precision)
	return out
}

// columnless reports the name of a number among others in one input, which says
// nothing that its place does not.
func (g *onnxGraph) columnless(name string) bool {
	for _, in := range g.columns {
		for k := range in.columns {
			if in.columns[k].name == name {
				return true
			}
		}
	}
	return false
}

// others are the outputs that may be meant instead.
func (m *onnxModel) others() (out []string) {
	for _, port := range m.outputs {
		if port.maps || port.element == onnxFloat || port.element == onnxDouble {
			out = append(out, port.name)
		}
	}
	return out
}

func (f *form) mirrored() bool { return same1(&f.rows[0], &f.rows[1], -1) }

// classOf is the class that is asked for of n; of two, 1 where none is.
func classOf(class *int, n int) int {
	switch {
	case class == nil && n > 2:
		panic(faultf("the model tells %d classes: name the one to ask about in the study, model: {file: …, class: 1}, and to hyfair init with --class 1", n))
	case class == nil:
		return 1
	case *class < 0 || *class >= n:
		panic(faultf("no class %d; the model tells %d, counted from 0", *class, n))
	}
	return *class
}

// chosenScore is the probability of the class that is asked for.
func chosenScore(all []score, class *int) score {
	if len(all) > 1 {
		if class == nil && !wholeOf(all) && len(all) == 2 {
			panic(faultf("two probabilities that are not of two classes of one question: name one in the study, model: {file: …, class: 1}"))
		}
		return all[classOf(class, len(all))]
	}
	s := all[0]
	if classOf(class, 2) == 0 {
		if len(s.logits.rows) > 2 {
			panic(faultf("one class of %d: leave class: out", len(s.logits.rows)))
		}
		s.class = 1 - s.class
	}
	return s
}

// probability is a score as the last layer of a network.
func (g *onnxGraph) probability(s score) (form, relu.Head) {
	f := s.logits
	switch {
	case len(f.rows) == 1 && s.class == 1:
		return f, relu.HeadSigmoid
	case len(f.rows) == 1:
		return form{stage: f.stage, name: f.name, rows: []row{g.times(f.rows[0], -1, 0)}}, relu.HeadSigmoid
	case len(f.rows) == 2 && s.class == 1:
		return f, relu.HeadSoftmax
	case len(f.rows) == 2:
		return form{stage: f.stage, name: f.name, rows: []row{f.rows[1], f.rows[0]}}, relu.HeadSoftmax
	}
	// Of several classes: whether its logit is the largest.
	rest := form{stage: f.stage, name: f.name, rows: slices.Delete(slices.Clone(f.rows), s.class, s.class+1)}
	for len(rest.rows) > 1 {
		half := len(rest.rows) / 2
		part := func(from, to int) form { return form{stage: rest.stage, name: f.name, rows: rest.rows[from:to]} }
		a, b, odd := part(0, half), part(half, 2*half), part(2*half, len(rest.rows))
		most := g.most(a, b)
		g.meet(&most, &odd)
		rest = form{stage: most.stage, name: f.name, rows: slices.Concat(most.rows, odd.rows)}
	}
	own := form{stage: f.stage, name: f.name, rows: f.rows[s.class : s.class+1]}
	g.meet(&rest, &own)
	return form{stage: own.stage, name: f.name, rows: []row{rest.rows[0], own.rows[0]}}, relu.HeadSoftmax
}
