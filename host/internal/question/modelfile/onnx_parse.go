package modelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Numbers of ONNX's fields and enumerations (onnx.proto3, IR version 8), as far
// as networks need them.
const (
	irVersion, opsetVersion = 8, 13

	modelIR, modelProducer, modelGraph, modelOpset                         = 1, 2, 7, 8
	opsetDomain, opsetNumber                                               = 1, 2
	graphNode, graphName, graphConst, graphInput, graphOutput, graphSparse = 1, 2, 5, 11, 12, 15
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain     = 1, 2, 3, 4, 5, 7
	attributeName, attributeFloat, attributeInt, attributeType             = 1, 2, 3, 20
	tensorDims, tensorType, tensorName                                     = 1, 2, 8
	tensorFloats, tensorRaw, tensorDoubles, tensorElsewhere                = 4, 9, 10, 13
	valueName, valueType                                                   = 1, 2
	typeTensor, tensorElement, tensorShape                                 = 1, 1, 2
	shapeDim, dimValue, dimName                                            = 1, 1, 2
	kindInt                                                                = 2
	onnxFloat, onnxDouble                                                  = 1, 11
)

// onnxModel is what a file says, as far as it is needed.
type onnxModel struct {
	producer        string
	opset           uint64
	nodes           []onnxNode
	tensors         map[string]fields
	inputs, outputs []string
}

type onnxNode struct {
	name, op        string
	inputs, outputs []string
	ints            map[string]int64
	floats          map[string]float32
}

// Bounds on a message: the nodes of a graph, a chain's consumers being looked for
// one by one, and all fields, of which the file may have hundreds of millions.
const (
	maxNodes  = 4096
	maxFields = 1 << 16
)

var errBroken = errors.New("the file is not an ONNX model, or is cut off")

// fields are those of a protobuf message.
type fields map[protowire.Number][]field

// field is a number, or the bytes of a text or a message.
type field struct {
	v uint64
	b []byte
}

// number is the value of a field that is there once, else 0.
func (f fields) number(of protowire.Number) uint64 {
	if all := f[of]; len(all) > 0 {
		return all[len(all)-1].v
	}
	return 0
}

// text is likewise the text of a field.
func (f fields) text(of protowire.Number) string {
	if all := f[of]; len(all) > 0 {
		return string(all[len(all)-1].b)
	}
	return ""
}

// texts are those of a field that is repeated.
func (f fields) texts(of protowire.Number) []string {
	var out []string
	for _, one := range f[of] {
		out = append(out, string(one.b))
	}
	return out
}

func parseFields(message []byte) fields {
	out := fields{}
	for count := 0; len(message) > 0; count++ {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 || count == maxFields {
			panic(fault{errBroken})
		}
		message = message[n:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.v, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var small uint32
			small, n = protowire.ConsumeFixed32(message)
			f.v = uint64(small)
		case protowire.Fixed64Type:
			f.v, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			f.b, n = protowire.ConsumeBytes(message)
		default: // groups, which the format does not have
			panic(fault{errBroken})
		}
		if n < 0 {
			panic(fault{errBroken})
		}
		message = message[n:]
		out[number] = append(out[number], f)
	}
	return out
}

// each parses the messages of a repeated field.
func (f fields) each(of protowire.Number, take func(fields)) {
	for _, one := range f[of] {
		take(parseFields(one.b))
	}
}

func parseONNX(text []byte) *onnxModel {
	file := parseFields(text)
	m := &onnxModel{tensors: map[string]fields{}, producer: file.text(modelProducer)}
	m.producer = m.producer[:min(len(m.producer), 100)]
	file.each(modelOpset, func(f fields) {
		if standard(f.text(opsetDomain)) {
			m.opset = f.number(opsetNumber)
		}
	})
	if graphs := len(file[modelGraph]); graphs != 1 {
		panic(faultf("%w: %d graphs", errBroken, graphs))
	}
	file.each(modelGraph, m.graph)
	return m
}

// standard reports that operators are ONNX's own.
func standard(domain string) bool { return domain == "" || domain == "ai.onnx" }

func (m *onnxModel) graph(f fields) {
	if len(f[graphSparse]) > 0 {
		panic(faultf("sparse constants are not read"))
	}
	if len(f[graphNode]) > maxNodes {
		panic(faultf("more than %d nodes", maxNodes))
	}
	f.each(graphNode, m.node)
	f.each(graphConst, func(tensor fields) {
		name := tensor.text(tensorName)
		if _, twice := m.tensors[name]; twice {
			panic(faultf("two constants are named %q", name))
		}
		m.tensors[name] = tensor
	})
	f.each(graphInput, func(value fields) { m.inputs = append(m.inputs, value.text(valueName)) })
	f.each(graphOutput, func(value fields) { m.outputs = append(m.outputs, value.text(valueName)) })
}

func (m *onnxModel) node(f fields) {
	if domain := f.text(nodeDomain); !standard(domain) {
		panic(faultf("operators of %.40q are not read", domain))
	}
	n := onnxNode{
		name: f.text(nodeName), op: f.text(nodeOp), inputs: f.texts(nodeInput), outputs: f.texts(nodeOutput),
		ints: map[string]int64{}, floats: map[string]float32{},
	}
	f.each(nodeAttribute, func(a fields) {
		name := a.text(attributeName)
		if len(a[attributeFloat]) > 0 {
			n.floats[name] = math.Float32frombits(uint32(a.number(attributeFloat)))
		}
		if len(a[attributeInt]) > 0 {
			n.ints[name] = int64(a.number(attributeInt))
		}
	})
	m.nodes = append(m.nodes, n)
}

// onnxTensor is a constant.
type onnxTensor struct {
	dims   []int
	values []float64
}

// tensor decodes the named constant, which is to have rank dimensions. A vector
// may be written as a matrix of one row.
func (c *onnxChain) tensor(name string, rank int) *onnxTensor {
	message, ok := c.model.tensors[name]
	if !ok {
		panic(faultf("%q is not a constant of the file", name))
	}
	t, element, data := parseONNXTensor(name, message)
	if rank == 1 && len(t.dims) == 2 && t.dims[0] == 1 {
		t.dims = t.dims[1:]
	}
	if len(t.dims) != rank {
		panic(faultf("constant %q has %d dimensions; %d are expected", name, len(t.dims), rank))
	}
	width, precision := 4, 32
	if element == onnxDouble {
		width, precision = 8, 64
	}
	if c.precision != 0 && c.precision != precision {
		panic(faultf("constant %q has %d bits a number, others %d", name, precision, c.precision))
	}
	c.precision = precision
	count := 1
	for _, d := range t.dims {
		count *= d // at most MaxUnits²
	}
	if count > c.left {
		panic(faultf("more than %d weights and biases", maxParameters))
	}
	if len(data) != count*width {
		panic(faultf("constant %q has %d bytes of numbers for %v", name, len(data), t.dims))
	}
	c.left -= count
	t.values = make([]float64, count)
	for i := range t.values {
		if width == 8 {
			t.values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
		} else {
			t.values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		}
	}
	return t
}

// parseONNXTensor gives shape, type of the numbers, and their bytes, low ones
// first, in whichever of its three fields the file has them.
func parseONNXTensor(name string, f fields) (t *onnxTensor, element uint64, data []byte) {
	defer about(fmt.Sprintf("constant %q", name))
	if len(f[tensorElsewhere]) > 0 {
		panic(faultf("its numbers are in another file, which is not read: save the model in one file"))
	}
	t = &onnxTensor{}
	for _, one := range f[tensorDims] {
		dims := []uint64{one.v}
		if one.b != nil { // packed
			dims = nil
		}
		for b := one.b; len(b) > 0 && len(dims) <= 2; {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				panic(fault{errBroken})
			}
			dims, b = append(dims, v), b[n:]
		}
		for _, v := range dims {
			if v < 1 || v > relu.MaxUnits || len(t.dims) == 2 {
				panic(faultf("more than two dimensions, or one that is too large"))
			}
			t.dims = append(t.dims, int(v))
		}
	}
	for _, one := range slices.Concat(f[tensorFloats], f[tensorRaw], f[tensorDoubles]) {
		if one.b == nil || data != nil {
			panic(faultf("its numbers are not in one piece"))
		}
		data = one.b
	}
	if element = f.number(tensorType); element != onnxFloat && element != onnxDouble {
		panic(faultf("numbers of type %d; floats (1) and doubles (11) are read", element))
	}
	return t, element, data
}
