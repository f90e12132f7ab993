package modelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// onnxModel is what a file says, as far as it is needed; fields that are not are
// skipped. Numbers are those of onnx.proto3.
type onnxModel struct {
	producer        string
	opset           uint64
	nodes           []onnxNode
	tensors         map[string][]byte // undecoded
	inputs, outputs []string
}

type onnxNode struct {
	name, op        string
	inputs, outputs []string
	ints            map[string]int64
	floats          map[string]float32
}

// maxNodes bounds the nodes of a graph: a chain's consumers are looked for one
// by one.
const maxNodes = 4096

var errBroken = errors.New("the file is no ONNX model, or is cut off")

// protoFields calls f with each field of a message. Numbers come as v, the rest
// as the bytes b.
func protoFields(message []byte, f func(number protowire.Number, v uint64, b []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errBroken
		}
		message = message[n:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var small uint32
			small, n = protowire.ConsumeFixed32(message)
			v = uint64(small)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(message)
		default: // groups, which the format does not have
			return errBroken
		}
		if n < 0 {
			return errBroken
		}
		message = message[n:]
		if err := f(number, v, b); err != nil {
			return err
		}
	}
	return nil
}

func parseONNX(text []byte) (*onnxModel, error) {
	m := &onnxModel{tensors: map[string][]byte{}}
	graphs := 0
	err := protoFields(text, func(number protowire.Number, _ uint64, b []byte) error {
		switch number {
		case 2:
			m.producer = string(b[:min(len(b), 100)])
		case 7:
			graphs++
			return protoFields(b, m.graph)
		case 8:
			return m.operators(b)
		}
		return nil
	})
	if err == nil && graphs != 1 {
		err = fmt.Errorf("%w: %d graphs", errBroken, graphs)
	}
	return m, err
}

// operators reads the version of the standard operators.
func (m *onnxModel) operators(b []byte) error {
	domain, version := "", uint64(0)
	err := protoFields(b, func(number protowire.Number, v uint64, b []byte) error {
		switch number {
		case 1:
			domain = string(b)
		case 2:
			version = v
		}
		return nil
	})
	if domain == "" || domain == "ai.onnx" {
		m.opset = version
	}
	return err
}

func (m *onnxModel) graph(number protowire.Number, _ uint64, b []byte) error {
	switch number {
	case 1:
		if len(m.nodes) == maxNodes {
			return fmt.Errorf("more than %d nodes", maxNodes)
		}
		n, err := parseONNXNode(b)
		m.nodes = append(m.nodes, n)
		return err
	case 5:
		name, err := protoText(b, 8)
		if _, twice := m.tensors[name]; twice && err == nil {
			err = fmt.Errorf("two constants are named %q", name)
		}
		m.tensors[name] = b
		return err
	case 11, 12:
		name, err := protoText(b, 1)
		if number == 11 {
			m.inputs = append(m.inputs, name)
		} else {
			m.outputs = append(m.outputs, name)
		}
		return err
	case 15:
		return errors.New("sparse constants are not read")
	}
	return nil
}

// protoText is a field of a message.
func protoText(message []byte, field protowire.Number) (text string, err error) {
	err = protoFields(message, func(number protowire.Number, _ uint64, b []byte) error {
		if number == field {
			text = string(b)
		}
		return nil
	})
	return text, err
}

func parseONNXNode(message []byte) (onnxNode, error) {
	n := onnxNode{ints: map[string]int64{}, floats: map[string]float32{}}
	err := protoFields(message, func(number protowire.Number, _ uint64, b []byte) error {
		switch number {
		case 1:
			n.inputs = append(n.inputs, string(b))
		case 2:
			n.outputs = append(n.outputs, string(b))
		case 3:
			n.name = string(b)
		case 4:
			n.op = string(b)
		case 5:
			return n.attribute(b)
		case 7:
			if domain := string(b); domain != "" && domain != "ai.onnx" {
				return fmt.Errorf("operators of %.40q are not read", domain)
			}
		}
		return nil
	})
	return n, err
}

func (n *onnxNode) attribute(message []byte) error {
	name, err := protoText(message, 1)
	if err != nil {
		return err
	}
	return protoFields(message, func(number protowire.Number, v uint64, _ []byte) error {
		switch number {
		case 2:
			n.floats[name] = math.Float32frombits(uint32(v))
		case 3:
			n.ints[name] = int64(v)
		}
		return nil
	})
}

// Element types of tensors.
const (
	onnxFloat  = 1
	onnxDouble = 11
)

// onnxTensor is a constant.
type onnxTensor struct {
	dims   []int
	values []float64
}

// tensor decodes the named constant, which is to have rank dimensions. A vector
// may be written as a matrix of one row.
func (c *onnxChain) tensor(name string, rank int) (*onnxTensor, error) {
	message, ok := c.model.tensors[name]
	if !ok {
		return nil, fmt.Errorf("%q is not a constant of the file", name)
	}
	t, element, data, err := parseONNXTensor(message)
	if err != nil {
		return nil, fmt.Errorf("constant %q: %w", name, err)
	}
	if rank == 1 && len(t.dims) == 2 && t.dims[0] == 1 {
		t.dims = t.dims[1:]
	}
	if len(t.dims) != rank {
		return nil, fmt.Errorf("constant %q has %d dimensions; %d are expected", name, len(t.dims), rank)
	}
	width, precision := 4, 32
	if element == onnxDouble {
		width, precision = 8, 64
	}
	if c.precision != 0 && c.precision != precision {
		return nil, fmt.Errorf("constant %q has %d bits a number, others %d", name, precision, c.precision)
	}
	c.precision = precision
	count := 1
	for _, d := range t.dims {
		count *= d // at most MaxUnits²
	}
	if count > c.left {
		return nil, fmt.Errorf("more than %d weights and biases", maxParameters)
	}
	if len(data) != count*width {
		return nil, fmt.Errorf("constant %q has %d bytes of numbers for %v", name, len(data), t.dims)
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
	return t, nil
}

// parseONNXTensor gives shape, type of the numbers, and their bytes, low ones
// first, in whichever of its three fields the file has them.
func parseONNXTensor(message []byte) (*onnxTensor, uint64, []byte, error) {
	t := &onnxTensor{}
	var element uint64
	var data []byte
	dim := func(v uint64) error {
		if v < 1 || v > relu.MaxUnits || len(t.dims) == 2 {
			return errors.New("more than two dimensions, or one that is too large")
		}
		t.dims = append(t.dims, int(v))
		return nil
	}
	err := protoFields(message, func(number protowire.Number, v uint64, b []byte) error {
		switch number {
		case 1:
			if b == nil {
				return dim(v)
			}
			for len(b) > 0 { // packed
				v, n := protowire.ConsumeVarint(b)
				if n < 0 {
					return errBroken
				}
				if err := dim(v); err != nil {
					return err
				}
				b = b[n:]
			}
		case 2:
			element = v
		case 4, 9, 10:
			if b == nil || data != nil {
				return errors.New("its numbers are not in one piece")
			}
			data = b
		case 13:
			return errors.New("its numbers are in another file, which is not read: save the model in one file")
		}
		return nil
	})
	if err == nil && element != onnxFloat && element != onnxDouble {
		err = fmt.Errorf("numbers of type %d; floats (1) and doubles (11) are read", element)
	}
	return t, element, data, err
}
