package modelfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Numbers of ONNX's fields and enumerations (onnx.proto3) that models use.
const (
	irVersion, opsetVersion = 8, 13

	modelIR, modelProducer, modelGraph, modelOpset, modelFunction          = 1, 2, 7, 8, 25
	opsetDomain, opsetNumber                                               = 1, 2
	graphNode, graphName, graphConst, graphInput, graphOutput, graphSparse = 1, 2, 5, 11, 12, 15
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute, nodeDomain     = 1, 2, 3, 4, 5, 7
	attributeName, attributeFloat, attributeInt, attributeText             = 1, 2, 3, 4
	attributeTensor, attributeFloats, attributeInts, attributeTexts        = 5, 7, 8, 9
	attributeType                                                          = 20
	tensorDims, tensorType, tensorName                                     = 1, 2, 8
	tensorFloats, tensorInt32s, tensorTexts, tensorInt64s                  = 4, 5, 6, 7
	tensorRaw, tensorDoubles, tensorPlace, tensorElsewhere                 = 9, 10, 13, 14
	entryKey, entryValue                                                   = 1, 2
	valueName, valueType                                                   = 1, 2
	typeTensor, typeSequence, tensorElement, tensorShape                   = 1, 4, 1, 2
	shapeDim, dimValue, dimName                                            = 1, 1, 2
	kindInt                                                                = 2

	onnxFloat, onnxInt32, onnxInt64, onnxText, onnxBool, onnxHalf, onnxDouble, onnxBrain = 1, 6, 7, 8, 9, 10, 11, 16
)

// onnxModel is the part of a file that is used.
type onnxModel struct {
	folder          string // folder of files with further numbers
	producer        string
	opset           uint64
	nodes           []onnxNode
	tensors         map[string]fields
	inputs, outputs []onnxPort
	beside          []besideFile // the other files that were read
}

// onnxPort is an input or an output of the graph.
type onnxPort struct {
	name    string
	element uint64 // of a tensor; 0 if not stated, or for a sequence
	maps    bool   // a sequence, as ZipMap makes
	dims    []int  // −1: any number; nil if not stated
}

type onnxNode struct {
	name, op, domain string
	inputs, outputs  []string
	attributes       map[string][]byte
}

// Bounds on a message: the nodes of a graph, and all fields; a file may have hundreds of
// millions of them.
const (
	maxNodes  = 4096
	maxFields = 1 << 16
	maxRank   = 8
)

var errBroken = errors.New("the file is not an ONNX model, or is cut off")

// fields are those of a protobuf message.
type fields map[protowire.Number][]field

// field is a number, or the bytes of a text or a message.
type field struct {
	v uint64
	b []byte
}

// number is the value of a field, 0 if absent.
func (f fields) number(of protowire.Number) uint64 {
	if all := f[of]; len(all) > 0 {
		return all[len(all)-1].v
	}
	return 0
}

// text is the text of a field, "" if absent.
func (f fields) text(of protowire.Number) string {
	if all := f[of]; len(all) > 0 {
		return string(all[len(all)-1].b)
	}
	return ""
}

// texts are those of a repeated field.
func (f fields) texts(of protowire.Number) []string {
	var out []string
	for _, one := range f[of] {
		out = append(out, string(one.b))
	}
	return out
}

// scan passes the fields of a message to take, one by one.
func scan(message []byte, take func(number protowire.Number, f field)) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
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
		default: // groups, which are not in the format
			panic(fault{errBroken})
		}
		if n < 0 {
			panic(fault{errBroken})
		}
		message = message[n:]
		take(number, f)
	}
}

func parseFields(message []byte) fields {
	out := fields{}
	count := 0
	scan(message, func(number protowire.Number, f field) {
		if count++; count > maxFields {
			panic(fault{errBroken})
		}
		out[number] = append(out[number], f)
	})
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

// standard reports whether the domain is ONNX's own.
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
	f.each(graphInput, func(value fields) {
		port := portOf(value)
		if _, constant := m.tensors[port.name]; !constant { // old files list constants among the inputs
			m.inputs = append(m.inputs, port)
		}
	})
	f.each(graphOutput, func(value fields) { m.outputs = append(m.outputs, portOf(value)) })
}

func portOf(value fields) onnxPort {
	port := onnxPort{name: value.text(valueName)}
	value.each(valueType, func(kind fields) {
		port.maps = len(kind[typeSequence]) > 0
		kind.each(typeTensor, func(tensor fields) {
			port.element = tensor.number(tensorElement)
			tensor.each(tensorShape, func(shape fields) {
				port.dims = []int{}
				shape.each(shapeDim, func(dim fields) {
					n := -1
					if size := dim.number(dimValue); len(dim[dimValue]) > 0 {
						n = int(min(size, math.MaxInt32))
					}
					if port.dims = append(port.dims, n); len(port.dims) > maxRank {
						panic(faultf("%q has more than %d dimensions", port.name, maxRank))
					}
				})
			})
		})
	})
	return port
}

func (m *onnxModel) node(f fields) {
	n := onnxNode{
		name: f.text(nodeName), op: f.text(nodeOp), domain: f.text(nodeDomain), inputs: f.texts(nodeInput), outputs: f.texts(nodeOutput),
		attributes: map[string][]byte{},
	}
	for _, a := range f[nodeAttribute] {
		name := ""
		scan(a.b, func(number protowire.Number, f field) {
			if number == attributeName {
				name = string(f.b)
			}
		})
		n.attributes[name] = a.b
	}
	m.nodes = append(m.nodes, n)
}

// has reports whether the attribute is present.
func (n *onnxNode) has(name string) bool { return n.attributes[name] != nil }

// integer is an integer attribute.
func (n *onnxNode) integer(name string, otherwise int64) int64 {
	scan(n.attributes[name], func(number protowire.Number, f field) {
		if number == attributeInt {
			otherwise = int64(f.v)
		}
	})
	return otherwise
}

// float is a float attribute.
func (n *onnxNode) float(name string, otherwise float64) float64 {
	scan(n.attributes[name], func(number protowire.Number, f field) {
		if number == attributeFloat {
			otherwise = float64(math.Float32frombits(uint32(f.v)))
		}
	})
	return otherwise
}

// text is a text attribute.
func (n *onnxNode) text(name, otherwise string) string {
	scan(n.attributes[name], func(number protowire.Number, f field) {
		if number == attributeText {
			otherwise = string(f.b)
		}
	})
	return otherwise
}

// texts is an attribute with a list of texts.
func (n *onnxNode) texts(name string) (out []string) {
	scan(n.attributes[name], func(number protowire.Number, f field) {
		if number == attributeTexts {
			out = append(out, string(f.b))
		}
	})
	return out
}

// numbers is an attribute with a list of floats or integers, packed or not.
func (n *onnxNode) numbers(name string) (out []float64) {
	scan(n.attributes[name], func(number protowire.Number, f field) {
		switch {
		case number == attributeFloats && f.b == nil:
			out = append(out, float64(math.Float32frombits(uint32(f.v))))
		case number == attributeFloats:
			out = append(out, floats32(f.b)...)
		case number == attributeInts && f.b == nil:
			out = append(out, float64(int64(f.v)))
		case number == attributeInts:
			out = append(out, varints(f.b)...)
		}
	})
	return out
}

func floats32(b []byte) []float64 {
	out := make([]float64, len(b)/4)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

func floats64(b []byte) []float64 {
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

func varints(b []byte) (out []float64) {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			panic(fault{errBroken})
		}
		out, b = append(out, float64(int64(v))), b[n:]
	}
	return out
}

// onnxTensor is a constant: numbers or texts.
type onnxTensor struct {
	dims    []int
	element uint64
	numbers []float64
	texts   []string
}

// count is the number of entries for these dims.
func count(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= max(d, 1) // bounded where the dims are made
	}
	return n
}

// tensor decodes a constant of at most the given number of entries. Integers are stored as
// floats, which is exact for every use.
func (m *onnxModel) tensor(f fields, most int) *onnxTensor {
	t := &onnxTensor{element: f.number(tensorType)}
	size := 1
	for _, one := range f[tensorDims] {
		dims := []float64{float64(int64(one.v))}
		if one.b != nil { // packed
			dims = varints(one.b[:min(len(one.b), 10*maxRank)])
		}
		for _, d := range dims {
			if d < 0 || d > float64(most) || len(t.dims) == maxRank {
				panic(faultf("more than %d dimensions, or one that is too large", maxRank))
			}
			t.dims = append(t.dims, int(d))
			if size *= int(d); size > most {
				panic(faultf("more than %d numbers in constants", most))
			}
		}
	}
	var raw []byte
	if all := f[tensorRaw]; len(all) > 0 {
		raw = all[len(all)-1].b
	}
	if f.number(tensorElsewhere) != 0 {
		raw = m.elsewhere(f, size)
	}
	switch t.element {
	case onnxFloat:
		t.numbers = append(floats32(raw), joined(f, tensorFloats, 4, floats32)...)
	case onnxDouble:
		t.numbers = append(floats64(raw), joined(f, tensorDoubles, 8, floats64)...)
	case onnxInt64:
		for i := 0; i+8 <= len(raw); i += 8 {
			t.numbers = append(t.numbers, float64(int64(binary.LittleEndian.Uint64(raw[i:]))))
		}
		t.numbers = append(t.numbers, joined(f, tensorInt64s, 0, varints)...)
	case onnxInt32, onnxBool:
		for i := 0; t.element == onnxInt32 && i+4 <= len(raw); i += 4 {
			t.numbers = append(t.numbers, float64(int32(binary.LittleEndian.Uint32(raw[i:]))))
		}
		for i := 0; t.element == onnxBool && i < len(raw); i++ {
			t.numbers = append(t.numbers, float64(raw[i]))
		}
		t.numbers = append(t.numbers, joined(f, tensorInt32s, 0, varints)...)
	case onnxText:
		t.texts = f.texts(tensorTexts)
	default:
		panic(faultf("numbers of type %d%s; floats (1) and doubles (11) are read: convert the model to float32", t.element, sixteen(t.element)))
	}
	if have := len(t.numbers) + len(t.texts); have != size || len(raw) > 8*size {
		panic(faultf("%d numbers (%d bytes) for the shape %v", have, len(raw), t.dims))
	}
	return t
}

// joined are numbers of a packed field, or of a repeated one with width bytes each.
func joined(f fields, of protowire.Number, width int, read func([]byte) []float64) (out []float64) {
	for _, one := range f[of] {
		switch {
		case one.b != nil:
			out = append(out, read(one.b)...)
		case width == 4:
			out = append(out, float64(math.Float32frombits(uint32(one.v))))
		case width == 8:
			out = append(out, math.Float64frombits(one.v))
		default:
			out = append(out, float64(int64(one.v)))
		}
	}
	return out
}

// elsewhere reads numbers of a constant in a file beside the model's.
func (m *onnxModel) elsewhere(f fields, size int) []byte {
	place := map[string]string{}
	f.each(tensorPlace, func(entry fields) { place[entry.text(entryKey)] = entry.text(entryValue) })
	name := place["location"]
	if !filepath.IsLocal(name) || m.folder == "" {
		panic(faultf("its numbers are in the file %q, which does not lie in the model's folder: save the model in one file, with onnx.save(model, \"model.onnx\")", name))
	}
	file := m.readBeside(name)
	have := int64(len(file))
	offset, err := strconv.ParseInt(cmp.Or(place["offset"], "0"), 10, 64)
	check(err)
	length, err := strconv.ParseInt(cmp.Or(place["length"], fmt.Sprint(have-offset)), 10, 64)
	check(err)
	if offset < 0 || length < 0 || length > 8*int64(size) || offset > have-length {
		panic(faultf("bytes %d to %d of the file %q, which has %d, for %d numbers", offset, offset+length, name, have, size))
	}
	return file[offset:][:length]
}

// readBeside is the content of a file beside the model's; each is read once.
func (m *onnxModel) readBeside(name string) []byte {
	for _, f := range m.beside {
		if f.name == name {
			return f.text
		}
	}
	file, stat, err := files.Within(m.folder, name)
	if err != nil {
		panic(faultf("its numbers are in the file %q, which is not beside the model: %w", name, files.Reason(err)))
	}
	if file == nil {
		panic(faultf("its numbers are in %q, which is no file", name))
	}
	defer file.Close()
	text := whole(file, stat.Size(), maxFile, fmt.Sprintf("the file %q", name))
	m.beside = append(m.beside, besideFile{name, text})
	return text
}

// sixteen names a 16-bit element type; "" for others.
func sixteen(element uint64) string {
	if element == onnxHalf || element == onnxBrain {
		return " (of 16 bits, with which scores are others than those of the weights)"
	}
	return ""
}
