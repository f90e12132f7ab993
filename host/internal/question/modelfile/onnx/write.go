package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx/pb"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Versions in written files.
const irVersion, opsetVersion = 8, 13

// fieldGraph is the number of the graph in ModelProto.
const fieldGraph = 7

// WriteLayers writes a chain of dense layers: for each a Gemm (y = x·Wᵀ + b) and, if it has ReLUs,
// a Relu. The input X and the output Y have the shape [1, n].
func WriteLayers(w io.Writer, layers []relu.Layer, double bool) error {
	graph, element := &pb.GraphProto{}, elementOf(double)
	chain(graph, layers, element, "X", "Y")
	one := &pb.TensorShapeProto_Dimension{Value: &pb.TensorShapeProto_Dimension_DimValue{DimValue: 1}}
	return writeGraph(w, graph, ends(element, one, layers[0].In, "Y", layers[len(layers)-1].Out))
}

// Write writes a network as ONNX, for deployment. The input "X" has the shape [N, network inputs]
// for any N, and the output "scores", probabilities, the shape [N, 1]; both have the network's
// precision, float32 or float64. The weights are exactly the network's, and the arithmetic is
// float64 in either case: float32 would change scores by 1e-5 and more if logits are sums of large
// terms. Write refuses a network with two softmax units, which train.OneLogit converts to one with
// the same scores, and one with a linear output, which is not a probability.
func Write(w io.Writer, n *relu.Network) error {
	if err := n.Validate(); err != nil {
		return err
	}
	if n.Head != relu.HeadSigmoid {
		return fmt.Errorf("the network has %d output units (%s), want one sigmoid unit to write scores", n.Layers[len(n.Layers)-1].Out, n.Head)
	}
	graph, element := &pb.GraphProto{}, elementOf(n.Precision == 64)
	many := &pb.TensorShapeProto_Dimension{Value: &pb.TensorShapeProto_Dimension_DimParam{DimParam: "N"}}
	end := ends(element, many, n.Inputs(), "scores", 1)
	if element == typeDouble {
		chain(graph, n.Layers, typeDouble, "X", "logits")
		add(end, "Sigmoid", "scores", "logits")
	} else {
		add(graph, "Cast", "X64", "X").Attribute = integer("to", typeDouble)
		chain(graph, n.Layers, typeDouble, "X64", "logits")
		add(end, "Sigmoid", "scores64", "logits")
		add(end, "Cast", "scores", "scores64").Attribute = integer("to", typeFloat)
	}
	return writeGraph(w, graph, end)
}

func elementOf(double bool) int32 {
	if double {
		return typeDouble
	}
	return typeFloat
}

// chain adds dense layers from one value to another.
func chain(graph *pb.GraphProto, layers []relu.Layer, element int32, from, output string) {
	graph.Name = proto.String("hyfair")
	for k := range layers {
		l := &layers[k]
		weights, bias, sum := fmt.Sprintf("W%d", k+1), fmt.Sprintf("b%d", k+1), fmt.Sprintf("sum%d", k+1)
		last := k == len(layers)-1
		if last && !l.ReLU {
			sum = output
		}
		add(graph, "Gemm", sum, from, weights, bias).Attribute = integer("transB", 1)
		if from = sum; l.ReLU {
			if from = fmt.Sprintf("relu%d", k+1); last {
				from = output
			}
			add(graph, "Relu", from, sum)
		}
		graph.Initializer = append(graph.Initializer, constant(weights, element, l.Weights, int64(l.Out), int64(l.In)), constant(bias, element, l.Bias, int64(l.Out)))
	}
}

// writeGraph writes a file whose graph consists of the parts, in order.
func writeGraph(w io.Writer, parts ...*pb.GraphProto) error {
	var err error
	put := func(to []byte, m proto.Message) []byte {
		out, failed := proto.MarshalOptions{}.MarshalAppend(to, m)
		err = errors.Join(err, failed)
		return out
	}
	var graph []byte
	for _, part := range parts {
		graph = put(graph, part)
	}
	file := put(nil, &pb.ModelProto{IrVersion: proto.Int64(irVersion), ProducerName: proto.String("hyfair")})
	file = protowire.AppendBytes(protowire.AppendTag(file, fieldGraph, protowire.BytesType), graph)
	file = put(file, &pb.ModelProto{OpsetImport: []*pb.OperatorSetIdProto{{Version: proto.Int64(opsetVersion)}}})
	if err == nil {
		_, err = w.Write(file)
	}
	return err
}

// add appends a node, named after its operator and its only output.
func add(graph *pb.GraphProto, op, output string, inputs ...string) *pb.NodeProto {
	n := &pb.NodeProto{Input: inputs, Output: []string{output}, Name: proto.String(op + " " + output), OpType: proto.String(op)}
	graph.Node = append(graph.Node, n)
	return n
}

// integer returns the attributes of a node with a single integer attribute.
func integer(name string, v int64) []*pb.AttributeProto {
	return []*pb.AttributeProto{{Name: proto.String(name), I: proto.Int64(v), Type: pb.AttributeProto_INT.Enum()}}
}

func constant(name string, element int32, values []float64, dims ...int64) *pb.TensorProto {
	var raw []byte
	for _, v := range values {
		if element == typeDouble {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	return &pb.TensorProto{Dims: dims, DataType: proto.Int32(element), Name: proto.String(name), RawData: raw}
}

// ends declares the graph's input X and its output, with their numbers of rows and columns.
func ends(element int32, rows *pb.TensorShapeProto_Dimension, inputs int, output string, outputs int) *pb.GraphProto {
	info := func(name string, width int) []*pb.ValueInfoProto {
		columns := &pb.TensorShapeProto_Dimension{Value: &pb.TensorShapeProto_Dimension_DimValue{DimValue: int64(width)}}
		tensor := &pb.TypeProto_Tensor{ElemType: proto.Int32(element), Shape: &pb.TensorShapeProto{Dim: []*pb.TensorShapeProto_Dimension{rows, columns}}}
		return []*pb.ValueInfoProto{{Name: proto.String(name), Type: &pb.TypeProto{Value: &pb.TypeProto_TensorType{TensorType: tensor}}}}
	}
	return &pb.GraphProto{Input: info("X", inputs), Output: info(output, outputs)}
}
