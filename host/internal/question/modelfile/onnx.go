package modelfile

import (
	"fmt"
	"io"
	"slices"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// ONNX: a chain of dense layers, as hyfair mitigate writes it and the usual
// exporters write small networks. docs/formats.md lists the operators.
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
			return len(head) > 2 && head[0] == 1<<3 && head[1] > 0 && head[1] < 32 && slices.Contains([]byte{0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42}, head[2])
		},
		read: readONNX,
	})
}

func readONNX(r io.ReaderAt, size int64) (model.Model, string) {
	m := parseONNX(whole(r, size, maxONNX, "an ONNX network"))
	return m.network(), m.producer
}

// network follows the chain from the graph's input to its output.
func (m *onnxModel) network() *relu.Network {
	if m.opset < leastOpset {
		panic(faultf("operators of version %d; versions from %d on are read", m.opset, leastOpset))
	}
	at := m.input()
	c := &onnxChain{model: m, left: maxParameters}
	for range m.nodes {
		if at == m.outputs[0] {
			break
		}
		node := m.consumer(at)
		c.follow(node, at)
		at = node.outputs[0]
	}
	if at != m.outputs[0] {
		panic(faultf("no chain of nodes leads from the input to the output %q", m.outputs[0]))
	}
	return c.finish()
}

// input checks that there is one output, and one input beside the constants, and
// gives the latter.
func (m *onnxModel) input() string {
	var inputs []string
	for _, name := range m.inputs { // old files list constants among the inputs
		if _, constant := m.tensors[name]; !constant {
			inputs = append(inputs, name)
		}
	}
	if len(inputs) != 1 || len(m.outputs) != 1 {
		panic(faultf("the graph has %d inputs and %d outputs; networks with one of each are read", len(inputs), len(m.outputs)))
	}
	return inputs[0]
}

// consumer is the only node that takes the named value.
func (m *onnxModel) consumer(value string) *onnxNode {
	var found *onnxNode
	for i := range m.nodes {
		if !slices.Contains(m.nodes[i].inputs, value) {
			continue
		}
		if found != nil {
			panic(faultf("%q goes to several nodes, %q and %q; chains of layers are read", value, found.name, m.nodes[i].name))
		}
		found = &m.nodes[i]
	}
	if found == nil {
		panic(faultf("no node takes %q", value))
	}
	if len(found.outputs) != 1 {
		panic(faultf("node %q (%.40s) has %d outputs; one is expected", found.name, found.op, len(found.outputs)))
	}
	return found
}

// onnxChain is the network as far as nodes were followed.
type onnxChain struct {
	model     *onnxModel
	layers    []relu.Layer
	biased    bool // the last layer has its bias
	head      relu.Head
	precision int
	left      int // numbers that may still be read
}

// follow takes one node in, which takes the value at.
func (c *onnxChain) follow(node *onnxNode, at string) {
	defer about(fmt.Sprintf("node %q (%.40s)", node.name, node.op))
	if c.head != 0 && node.op != "Cast" && node.op != "Identity" {
		panic(faultf("follows the output's activation"))
	}
	var last *relu.Layer
	if len(c.layers) > 0 {
		last = &c.layers[len(c.layers)-1]
	}
	switch node.op {
	case "Identity":
	case "Cast": // of values between layers, whose arithmetic is not the file's business
		if to := node.ints["to"]; to != onnxFloat && to != onnxDouble {
			panic(faultf("to numbers of type %d; floats (1) and doubles (11) are read", to))
		}
	case "Gemm", "MatMul":
		c.dense(node, at)
	case "Add":
		c.add(node, at, last)
	case "Relu":
		if last == nil || last.ReLU {
			panic(faultf("follows no dense layer"))
		}
		last.ReLU = true
	case "Sigmoid":
		c.head = relu.HeadSigmoid
	case "Softmax":
		c.head = relu.HeadSoftmax
		if axis, given := node.ints["axis"]; given && axis != 1 && axis != -1 {
			panic(faultf("axis %d; the last one, 1 or −1, is expected", axis))
		}
	default:
		panic(faultf("this operator is not read; Gemm, MatMul, Add, Relu, Sigmoid, Softmax, Cast and Identity are"))
	}
}

// dense is y = x·W + b, or with W transposed.
func (c *onnxChain) dense(node *onnxNode, at string) {
	if len(node.inputs) < 2 || len(node.inputs) > 3 || node.inputs[0] != at || node.op == "MatMul" && len(node.inputs) != 2 {
		panic(faultf("inputs other than a value, weights and a bias"))
	}
	transposed := false
	if node.op == "Gemm" {
		for _, name := range []string{"alpha", "beta"} {
			if v, given := node.floats[name]; given && v != 1 {
				panic(faultf("%s is %v; 1 is expected", name, v))
			}
		}
		if node.ints["transA"] != 0 {
			panic(faultf("transA is not read"))
		}
		transposed = node.ints["transB"] != 0
	}
	t := c.tensor(node.inputs[1], 2)
	l := relu.Layer{Name: node.name, In: t.dims[0], Out: t.dims[1], Weights: t.values}
	if transposed {
		l.In, l.Out = l.Out, l.In
	} else {
		l.Weights = transpose(t.values, l.In, l.Out)
	}
	c.layers, c.biased = append(c.layers, l), false
	last := &c.layers[len(c.layers)-1]
	if len(node.inputs) == 3 && node.inputs[2] != "" {
		c.bias(node.inputs[2], last)
	} else {
		last.Bias = make([]float64, l.Out)
	}
}

// add is the bias of a MatMul before it.
func (c *onnxChain) add(node *onnxNode, at string, last *relu.Layer) {
	if len(node.inputs) != 2 || last == nil || last.ReLU || c.biased {
		panic(faultf("adds to something other than a dense layer without a bias"))
	}
	name := node.inputs[0]
	if name == at {
		name = node.inputs[1]
	}
	c.bias(name, last)
}

func (c *onnxChain) bias(name string, to *relu.Layer) {
	t := c.tensor(name, 1)
	if len(t.values) != to.Out {
		panic(faultf("a bias of %d numbers for %d units", len(t.values), to.Out))
	}
	to.Bias, c.biased = t.values, true
}

// finish puts the network together.
func (c *onnxChain) finish() *relu.Network {
	if len(c.layers) == 0 {
		panic(faultf("the graph has no dense layer"))
	}
	if c.head == 0 {
		c.head = relu.HeadLinear
	}
	return &relu.Network{Layers: c.layers, Head: c.head, Precision: c.precision}
}
