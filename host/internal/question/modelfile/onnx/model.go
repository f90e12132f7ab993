package onnx

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx/pb"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
)

// Types of elements, from TensorProto.DataType.
const typeFloat, typeByte, typeInt32, typeInt64, typeText, typeBool, typeHalf, typeDouble, typeBrain = 1, 2, 6, 7, 8, 9, 10, 11, 16

// Maximum numbers per file: of nodes of its graph, of dimensions of a value, of messages within the file, each of
// which takes some hundred bytes of memory, and of numbers of a shape or a slice.
const (
	maxNodes    = 4096
	maxRank     = 8
	maxMessages = 1 << 20
	maxSettings = 1 << 20
)

var errBroken = fmt.Errorf("the file is not an ONNX model, is cut off, or has more than %d messages, the maximum", maxMessages)

// model is the part of a file that is used.
type model struct {
	folder          string // folder of files with further numbers
	producer        string
	opset           int64
	nodes           []node
	tensors         map[string]*pb.TensorProto
	inputs, outputs []port
	beside          []reader.Beside // other files of the model
}

// port is an input or an output of the graph.
type port struct {
	name    string
	element int32 // type of a tensor's elements; 0 if not stated, or for a sequence
	maps    bool  // a sequence, as ZipMap makes
	dims    []int // −1: any number; nil if not stated
}

// node is a node of the graph.
type node struct {
	name, op, domain string
	inputs, outputs  []string
	attributes       map[string]*pb.AttributeProto
}

// parse decodes a file.
func parse(text []byte) *pb.ModelProto {
	file := &pb.ModelProto{}
	counted(text, file.ProtoReflect().Descriptor(), maxMessages)
	if (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, file) != nil {
		panic(fault.New("%w", errBroken))
	}
	if file.Graph == nil {
		panic(fault.New("the file is not an ONNX model: it has no graph"))
	}
	return file
}

// counted counts the messages in a text, before they are allocated. It returns how many more the
// limit allows, and refuses a file that exceeds the limit.
func counted(text []byte, of protoreflect.MessageDescriptor, left int) int {
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeField(text)
		if n < 0 || left < 0 {
			panic(fault.New("%w", errBroken))
		}
		if f := of.Fields().ByNumber(number); f != nil && f.Message() != nil && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(text)
			inner, _ := protowire.ConsumeBytes(text[tag:])
			left = counted(inner, f.Message(), left-1)
		}
		text = text[n:]
	}
	return left
}

func newModel(file *pb.ModelProto, folder string) *model {
	graph := file.Graph
	m := &model{folder: folder, tensors: map[string]*pb.TensorProto{}, producer: file.GetProducerName()}
	m.producer = m.producer[:min(len(m.producer), 100)]
	for _, set := range file.OpsetImport {
		if standard(set.GetDomain()) {
			m.opset = set.GetVersion()
		}
	}
	if len(graph.SparseInitializer) > 0 {
		panic(fault.New("sparse constants are not supported"))
	}
	if len(graph.Node) > maxNodes {
		panic(fault.New("the graph has more than %d nodes, the maximum", maxNodes))
	}
	for _, n := range graph.Node {
		m.nodes = append(m.nodes, newNode(n))
	}
	for _, t := range graph.Initializer {
		if m.tensors[t.GetName()] != nil {
			panic(fault.New("two constants are named %q", t.GetName()))
		}
		m.tensors[t.GetName()] = t
	}
	for _, v := range graph.Input {
		if m.tensors[v.GetName()] == nil { // old files list constants among the inputs
			m.inputs = append(m.inputs, portOf(v))
		}
	}
	for _, v := range graph.Output {
		m.outputs = append(m.outputs, portOf(v))
	}
	return m
}

// standard reports whether the domain is ONNX's own.
func standard(domain string) bool { return domain == "" || domain == "ai.onnx" }

func portOf(v *pb.ValueInfoProto) port {
	kind := v.GetType().GetTensorType()
	p := port{name: v.GetName(), maps: v.GetType().GetSequenceType() != nil, element: kind.GetElemType()}
	if len(kind.GetShape().GetDim()) > maxRank {
		panic(fault.New("%q has more than %d dimensions, the maximum", p.name, maxRank))
	}
	if kind.GetShape() != nil {
		p.dims = []int{}
	}
	for _, dim := range kind.GetShape().GetDim() {
		n := -1
		if size, ok := dim.Value.(*pb.TensorShapeProto_Dimension_DimValue); ok {
			n = int(min(uint64(size.DimValue), math.MaxInt32))
		}
		p.dims = append(p.dims, n)
	}
	return p
}

func newNode(p *pb.NodeProto) node {
	n := node{name: p.GetName(), op: p.GetOpType(), domain: p.GetDomain(), inputs: p.Input, outputs: p.Output, attributes: map[string]*pb.AttributeProto{}}
	for _, a := range p.Attribute {
		n.attributes[a.GetName()] = a
	}
	return n
}

// title names the node in messages.
func (n *node) title() string {
	if n.name == "" && len(n.outputs) > 0 {
		return fmt.Sprintf("node of %q (%.40s)", n.outputs[0], n.op)
	}
	return fmt.Sprintf("node %q (%.40s)", n.name, n.op)
}

// has reports whether the attribute is present.
func (n *node) has(name string) bool { return n.attributes[name] != nil }

// integer returns the value of an integer attribute, or the given default if the node lacks it.
func (n *node) integer(name string, otherwise int64) int64 {
	if a := n.attributes[name]; a != nil && a.I != nil {
		return *a.I
	}
	return otherwise
}

// float returns the value of a float attribute, or the given default if the node lacks it.
func (n *node) float(name string, otherwise float64) float64 {
	if a := n.attributes[name]; a != nil && a.F != nil {
		return float64(*a.F)
	}
	return otherwise
}

// text returns the value of a text attribute, or the given default if the node lacks it.
func (n *node) text(name, otherwise string) string {
	if a := n.attributes[name]; a != nil && a.S != nil {
		return *a.S
	}
	return otherwise
}

// texts, ints and floats return the values of an attribute that is a list; nil if the node lacks
// it.
func (n *node) texts(name string) []string   { return n.attributes[name].GetStrings() }
func (n *node) ints(name string) []int64     { return n.attributes[name].GetInts() }
func (n *node) floats(name string) []float32 { return n.attributes[name].GetFloats() }

// numbers returns the values of an attribute that is a list of floats or of integers; empty if the
// node lacks it.
func (n *node) numbers(name string) []float64 {
	return append(numbers(nil, n.floats(name)), numbers(nil, n.ints(name))...)
}
