package modelfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// WriteONNXLayers writes a chain of dense layers: for each a Gemm (y = x·Wᵀ + b) and,
// where it has one, a Relu. The input X and the output Y are of shape [1, n].
func WriteONNXLayers(w io.Writer, layers []relu.Layer, double bool) error {
	element := elementOf(double)
	graph := chain(layers, element, "X", "Y")
	graph.bytes(graphInput, value("X", element, one, layers[0].In))
	graph.bytes(graphOutput, value("Y", element, one, layers[len(layers)-1].Out))
	return writeGraph(w, graph)
}

// WriteONNX writes, as ONNX, a network as deployments use it: an input "X" of
// shape [N, network inputs] for any N, and an output "scores" of shape [N, 1],
// probabilities, both float32 or float64 as the network's precision says. Weights
// are exactly the network's own, and the arithmetic in between is float64
// whatever the precision: in float32 scores would be off by 1e-5 and more where
// logits are sums of large terms. Read reads the file back. Networks with
// two softmax units are refused, for which train.OneLogit has one with the same
// scores, and so are those with a linear output, which is not a probability.
func WriteONNX(w io.Writer, n *relu.Network) error {
	if err := n.Validate(); err != nil {
		return err
	}
	if n.Head != relu.HeadSigmoid {
		return fmt.Errorf("the network has %d output units (%s); scores are written of networks with one sigmoid unit", n.Layers[len(n.Layers)-1].Out, n.Head)
	}
	var graph message
	if n.Precision == 64 {
		graph = chain(n.Layers, onnxDouble, "X", "logits")
		graph.bytes(graphNode, node("Sigmoid", "scores", "logits"))
	} else {
		graph.bytes(graphNode, cast("X64", "X", onnxDouble))
		graph = append(graph, chain(n.Layers, onnxDouble, "X64", "logits")...)
		graph.bytes(graphNode, node("Sigmoid", "scores64", "logits"))
		graph.bytes(graphNode, cast("scores", "scores64", onnxFloat))
	}
	element := elementOf(n.Precision == 64)
	graph.bytes(graphInput, value("X", element, many, n.Inputs()))
	graph.bytes(graphOutput, value("scores", element, many, 1))
	return writeGraph(w, graph)
}

func elementOf(double bool) uint64 {
	if double {
		return onnxDouble
	}
	return onnxFloat
}

// chain is a graph of dense layers from one value to another.
func chain(layers []relu.Layer, element uint64, from, output string) message {
	var graph message
	for k := range layers {
		l := &layers[k]
		weights, bias, sum := fmt.Sprintf("W%d", k+1), fmt.Sprintf("b%d", k+1), fmt.Sprintf("sum%d", k+1)
		if k == len(layers)-1 && !l.ReLU {
			sum = output
		}
		graph.bytes(graphNode, node("Gemm", sum, from, weights, bias))
		from = sum
		if l.ReLU {
			from = fmt.Sprintf("relu%d", k+1)
			if k == len(layers)-1 {
				from = output
			}
			graph.bytes(graphNode, node("Relu", from, sum))
		}
	}
	graph.bytes(graphName, message("hyfair"))
	for k := range layers {
		l := &layers[k]
		graph.bytes(graphConst, tensor(fmt.Sprintf("W%d", k+1), element, l.Weights, l.Out, l.In))
		graph.bytes(graphConst, tensor(fmt.Sprintf("b%d", k+1), element, l.Bias, l.Out))
	}
	return graph
}

// writeGraph wraps a graph up.
func writeGraph(w io.Writer, graph message) error {
	var opset, model message
	opset.varint(opsetNumber, opsetVersion)
	model.varint(modelIR, irVersion)
	model.bytes(modelProducer, message("hyfair"))
	model.bytes(modelGraph, graph)
	model.bytes(modelOpset, opset)
	_, err := w.Write(model)
	return err
}

// message is a protobuf message as it grows.
type message []byte

func (m *message) varint(field protowire.Number, v uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), v)
}

func (m *message) bytes(field protowire.Number, v message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), v)
}

func node(op, output string, inputs ...string) message {
	var m message
	for _, in := range inputs {
		m.bytes(nodeInput, message(in))
	}
	m.bytes(nodeOutput, message(output))
	m.bytes(nodeName, message(op+" "+output))
	m.bytes(nodeOp, message(op))
	if op == "Gemm" {
		m.bytes(nodeAttribute, integer("transB", 1))
	}
	return m
}

// cast is a node that changes the type of numbers.
func cast(output, input string, element uint64) message {
	m := node("Cast", output, input)
	m.bytes(nodeAttribute, integer("to", element))
	return m
}

// integer is an attribute.
func integer(name string, v uint64) message {
	var m message
	m.bytes(attributeName, message(name))
	m.varint(attributeInt, v)
	m.varint(attributeType, kindInt)
	return m
}

func tensor(name string, element uint64, values []float64, dims ...int) message {
	var m, raw message
	for _, d := range dims {
		m.varint(tensorDims, uint64(d))
	}
	m.varint(tensorType, element)
	m.bytes(tensorName, message(name))
	for _, v := range values {
		if element == onnxDouble {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	m.bytes(tensorRaw, raw)
	return m
}

// one and many are numbers of rows that a tensor has.
const (
	one  = "1"
	many = "N"
)

func value(name string, element uint64, rows string, width int) message {
	var shape, first, second message
	if rows == one {
		first.varint(dimValue, 1)
	} else {
		first.bytes(dimName, message(rows))
	}
	second.varint(dimValue, uint64(width))
	shape.bytes(shapeDim, first)
	shape.bytes(shapeDim, second)
	var inner, kind, out message
	inner.varint(tensorElement, element)
	inner.bytes(tensorShape, shape)
	kind.bytes(typeTensor, inner)
	out.bytes(valueName, message(name))
	out.bytes(valueType, kind)
	return out
}
