package onnx

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx/pb"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/host/internal/system/files"
)

// tensor is a constant: numbers or texts.
type tensor struct {
	dims    []int
	element int32
	numbers []float64
	texts   []string
}

// count is the number of entries for these dims.
func count(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= max(d, 1) // cannot overflow: the creators of dims bound the product
	}
	return n
}

// numbers decodes raw bytes, least significant first, and appends the numbers of a second list. Converting integers to
// floats is exact in all uses.
func numbers[T float32 | float64 | int32 | int64 | uint8](raw []byte, more []T) []float64 {
	size := binary.Size(T(0))
	out := make([]float64, 0, len(raw)/size+len(more))
	for block := make([]T, 256); len(raw) >= size; {
		block = block[:min(len(block), len(raw)/size)]
		n, _ := binary.Decode(raw, binary.LittleEndian, block)
		for _, v := range block {
			out = append(out, float64(v))
		}
		raw = raw[n:]
	}
	for _, v := range more {
		out = append(out, float64(v))
	}
	return out
}

// tensor decodes a constant. most is the largest number of entries allowed.
func (m *model) tensor(p *pb.TensorProto, most int) *tensor {
	t := &tensor{element: p.GetDataType()}
	size := 1
	for _, d := range p.GetDims() {
		if d < 0 || d > int64(most) || len(t.dims) == maxRank {
			panic(fault.New("it has more than %d dimensions, or one outside 0 to %d", maxRank, most))
		}
		t.dims = append(t.dims, int(d))
		if size *= int(d); size > most {
			panic(fault.New("it has more than %d numbers, the most that the file may still have", most))
		}
	}
	raw := p.GetRawData()
	if p.GetDataLocation() == pb.TensorProto_EXTERNAL {
		raw = m.elsewhere(p, size)
	}
	switch t.element {
	case typeFloat:
		t.numbers = numbers(raw, p.FloatData)
	case typeDouble:
		t.numbers = numbers(raw, p.DoubleData)
	case typeInt64:
		t.numbers = numbers(raw, p.Int64Data)
	case typeInt32:
		t.numbers = numbers(raw, p.Int32Data)
	case typeBool:
		t.numbers = append(numbers[uint8](raw, nil), numbers(nil, p.Int32Data)...)
	case typeText:
		t.texts = p.StringData
	default:
		panic(fault.New("got numbers of type %d%s, want floats (1) or doubles (11): convert the model to float32", t.element, sixteen(t.element)))
	}
	if have := len(t.numbers) + len(t.texts); have != size || len(raw) > 8*size {
		panic(fault.New("got %d numbers (%d bytes), want %d for the shape %v", have, len(raw), size, t.dims))
	}
	return t
}

// elsewhere reads the numbers of a constant that are in another file of the model's folder.
func (m *model) elsewhere(p *pb.TensorProto, size int) []byte {
	place := map[string]string{}
	for _, entry := range p.ExternalData {
		place[entry.GetKey()] = entry.GetValue()
	}
	name := place["location"]
	if !filepath.IsLocal(name) || m.folder == "" {
		panic(fault.New("its numbers are in the file %q, which is not in the model's folder: save the model in one file, with onnx.save(model, \"model.onnx\")", name))
	}
	file := m.readBeside(name)
	have := int64(len(file))
	offset, err := strconv.ParseInt(cmp.Or(place["offset"], "0"), 10, 64)
	fault.Check(err)
	length, err := strconv.ParseInt(cmp.Or(place["length"], fmt.Sprint(have-offset)), 10, 64)
	fault.Check(err)
	if offset < 0 || length < 0 || length > 8*int64(size) || offset > have-length {
		panic(fault.New("its %[5]d numbers are bytes %[1]d to %[2]d of the file %[3]q, which has %[4]d bytes; want at most 8 bytes per number, inside the file", offset, offset+length, name, have, size))
	}
	return file[offset:][:length]
}

// readBeside returns the content of another file of the model's folder. Each file is read once.
func (m *model) readBeside(name string) []byte {
	for _, f := range m.beside {
		if f.Name == name {
			return f.Text
		}
	}
	file, stat, err := files.Within(m.folder, name)
	if err != nil {
		panic(fault.New("its numbers are in the file %q, which is not next to the model: %w", name, files.Reason(err)))
	}
	if file == nil {
		panic(fault.New("its numbers are in %q, which is not a file", name))
	}
	defer file.Close()
	reader.Limit(stat.Size(), reader.MaxFile, fmt.Sprintf("the file %q", name))
	text := reader.Whole(file, stat.Size())
	m.beside = append(m.beside, reader.Beside{Name: name, Text: text})
	return text
}

// sixteen names a 16-bit element type; "" for others.
func sixteen(element int32) string {
	if element == typeHalf || element == typeBrain {
		return " (of 16 bits, so scores differ from those of the weights)"
	}
	return ""
}
