// Package onnx reads and writes ONNX models that are equivalent to a network of dense layers or to trees, as written by
// hyfair mitigate, PyTorch's exporters, skl2onnx and others. docs/reference/formats.md lists the operators.
package onnx

import (
	"bytes"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// leastOpset is the first version of the operators that is supported.
const leastOpset = 7

// Format describes .onnx files.
var Format = reader.Format{
	Name: "onnx", Extensions: []string{".onnx"}, Max: 256 << 20, What: "an ONNX model",
	// The first field is ir_version, a small number, followed by the tag of another field.
	Is: func(head []byte, _ string) bool {
		return !IsSavedModel(head) && len(head) > 2 && head[0] == 1<<3 && head[1] > 0 && head[1] < 32 && slices.Contains([]byte{0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42}, head[2])
	},
	Read: read,
}

// IsSavedModel recognises TensorFlow's saved_model.pb: version 1 of its schema, then a message where ONNX has a name.
func IsSavedModel(head []byte) bool {
	rest, ok := bytes.CutPrefix(head, []byte{1 << 3, 1, 2<<3 | 2})
	if _, n := protowire.ConsumeVarint(rest); ok && n > 0 && n < len(rest) {
		return rest[n] == 1<<3|2
	}
	return false
}

func read(f reader.File) *reader.Model {
	file := parse(f.Text)
	if out := readTrees(file.Graph, f.Choice); out != nil {
		return out
	}
	m := newModel(file, f.Folder)
	if m.opset < leastOpset && m.opset > 0 {
		panic(fault.New("got operators of version %d, want at least %d: export the model with a newer opset", m.opset, leastOpset))
	}
	output := m.outputOf(f.Output)
	g := newGraph(m)
	v := g.value(output)
	defer fault.About(fmt.Sprintf("output %q", output))
	out := g.finish(v, f.Class)
	out.Producer, out.Beside = m.producer, m.beside
	return out
}

// finish makes a network of an output.
func (g *graph) finish(v *value, class *int) *reader.Model {
	if v.cut != "" {
		panic(fault.New("%s", v.steps()))
	}
	if v.labels {
		panic(fault.New("this is the predicted class: name the output with the probabilities, one of %s", quoted(g.others())))
	}
	out := &reader.Model{}
	var last layers.Form
	var head relu.Head
	switch {
	case v.scores != nil:
		s := chosenScore(v.scores, class)
		last, head = g.probability(s)
		if out.OneOfMany = s.logits.Len() > 2; out.OneOfMany && wholeOf(v.scores) {
			out.Classes = len(v.scores)
		}
	default:
		last = g.numbers(v)
		out.Linear = true
		switch n := last.Len(); {
		case n == 1 && class == nil:
			head = relu.HeadLinear
		case n == 1:
			panic(fault.New("the output is a single linear unit without classes: leave out the key class"))
		case n == 2 && last.Part(0, 1).Is(last.Part(1, 2), -1):
			panic(fault.New("the output is two raw scores, one the negative of the other: export without options={\"raw_scores\": True}"))
		default:
			which := reader.ClassOf(class, n)
			if out.OneOfMany = n > 2; out.OneOfMany {
				out.Classes = n
			}
			last, head = g.probability(score{logits: &last, class: which})
		}
	}
	precision := 32
	if g.double {
		precision = 64
	}
	place := g.inputOrder(&out.Facts)
	if len(place) == 0 {
		panic(fault.New("the output does not depend on the inputs"))
	}
	if !slices.IsSorted(place) {
		g.Reorder(&last, place)
	}
	if len(g.columns) == 1 && !slices.ContainsFunc(out.InputNames, func(name string) bool { return !g.columnless(name) }) {
		out.InputNames = nil
	}
	out.Model = g.Network(last, head, precision)
	return out
}

// columnless reports whether a name is that of a numeric column, which says no more than its place.
func (g *graph) columnless(name string) bool {
	for _, in := range g.columns {
		for k := range in.columns {
			if in.columns[k].name == name {
				return true
			}
		}
	}
	return false
}

// others lists the outputs that may hold scores.
func (m *model) others() (out []string) {
	for _, port := range m.outputs {
		if port.maps || port.element == typeFloat || port.element == typeDouble {
			out = append(out, port.name)
		}
	}
	return out
}

// chosenScore returns the probability of the requested class.
func chosenScore(all []score, class *int) score {
	if len(all) > 1 {
		if class == nil && !wholeOf(all) && len(all) == 2 {
			panic(fault.New("the two probabilities do not add up to 1, so they answer different questions: name one in the study, as in model: {file: …, class: 1}"))
		}
		return all[reader.ClassOf(class, len(all))]
	}
	s := all[0]
	if reader.ClassOf(class, 2) == 0 {
		if s.logits.Len() > 2 {
			panic(fault.New("the output is the probability of one class among %d: leave out the key class", s.logits.Len()))
		}
		s.class = 1 - s.class
	}
	return s
}

// probability returns the last layer and the head of a network that computes a score.
func (g *graph) probability(s score) (layers.Form, relu.Head) {
	f := *s.logits
	switch {
	case f.Len() == 1 && s.class == 1:
		return f, relu.HeadSigmoid
	case f.Len() == 1:
		return g.Negate(f), relu.HeadSigmoid
	case f.Len() == 2 && s.class == 1:
		return f, relu.HeadSoftmax
	case f.Len() == 2:
		return g.Pick(f, []int{1, 0}), relu.HeadSoftmax
	}
	// With several classes, the class's logit against the largest of the others.
	rest := g.Pick(f, slices.Delete(every([]int{f.Len()}), s.class, s.class+1))
	for rest.Len() > 1 {
		half := rest.Len() / 2
		most, odd := g.Most(rest.Part(0, half), rest.Part(half, 2*half)), rest.Part(2*half, rest.Len())
		rest = g.Join(&most, &odd)
	}
	own := f.Part(s.class, s.class+1)
	return g.Join(&rest, &own), relu.HeadSoftmax
}
