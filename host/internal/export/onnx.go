package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/sdk/network"
)

// Numbers of ONNX's fields and enumerations (onnx.proto3, IR version 8), as far
// as a chain of Gemm and Relu needs them.
const (
	irVersion, opsetVersion = 8, 13

	modelIR, modelProducer, modelGraph, modelOpset            = 1, 2, 7, 8
	opsetNumber                                               = 2
	graphNode, graphName, graphConst, graphInput, graphOutput = 1, 2, 5, 11, 12
	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute    = 1, 2, 3, 4, 5
	attributeName, attributeInt, attributeType                = 1, 3, 20
	tensorDims, tensorType, tensorName, tensorRaw             = 1, 2, 8, 9
	valueName, valueType                                      = 1, 2
	typeTensor, tensorElement, tensorShape                    = 1, 1, 2
	shapeDim, dimValue                                        = 1, 1
	kindInt                                                   = 2
	elementFloat, elementDouble                               = 1, 11
)

// writeONNX writes a chain of dense layers: for each a Gemm (y = x·Wᵀ + b) and,
// where it has one, a Relu. The input X and the output Y are of shape [1, n].
func writeONNX(w io.Writer, layers []network.Layer, double bool) error {
	element := uint64(elementFloat)
	if double {
		element = elementDouble
	}
	var graph message
	from := "X"
	for k := range layers {
		l := &layers[k]
		weights, bias, sum := fmt.Sprintf("W%d", k+1), fmt.Sprintf("b%d", k+1), fmt.Sprintf("sum%d", k+1)
		if k == len(layers)-1 && !l.ReLU {
			sum = "Y"
		}
		graph.bytes(graphNode, node("Gemm", sum, from, weights, bias))
		from = sum
		if l.ReLU {
			from = fmt.Sprintf("relu%d", k+1)
			if k == len(layers)-1 {
				from = "Y"
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
	graph.bytes(graphInput, value("X", element, layers[0].In))
	graph.bytes(graphOutput, value("Y", element, layers[len(layers)-1].Out))

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
		var transposed message
		transposed.bytes(attributeName, message("transB"))
		transposed.varint(attributeInt, 1)
		transposed.varint(attributeType, kindInt)
		m.bytes(nodeAttribute, transposed)
	}
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
		if element == elementDouble {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	m.bytes(tensorRaw, raw)
	return m
}

func value(name string, element uint64, width int) message {
	var shape message
	for _, n := range []int{1, width} {
		var dim message
		dim.varint(dimValue, uint64(n))
		shape.bytes(shapeDim, dim)
	}
	var inner, kind, out message
	inner.varint(tensorElement, element)
	inner.bytes(tensorShape, shape)
	kind.bytes(typeTensor, inner)
	out.bytes(valueName, message(name))
	out.bytes(valueType, kind)
	return out
}
