package modelfile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
)

func (d *h5Dataset) write(w *h5writer, path string) int64 {
	size := uint32(8)
	dtype := le(uint8(0x11), []byte{0x20, 63, 0}, size, uint16(0), uint16(64), []byte{52, 11, 0, 52}, uint32(1023))
	if d.Bits == 32 {
		size = 4
		dtype = le(uint8(0x11), []byte{0x20, 31, 0}, size, uint16(0), uint16(32), []byte{23, 8, 0, 23}, uint32(127))
	}
	if d.Big {
		dtype[1] |= 1
	}
	messages := []h5message{
		{kind: 0x01, body: dataspace(d.Shape), marks: map[string]int{"shape": 8}},
		{kind: 0x03, body: dtype},
	}
	var layout []byte
	if d.Chunk == nil {
		w.align()
		w.mark(path + " data")
		layout = le(uint8(3), uint8(1), w.at())
		raw := d.encode(d.Data)
		w.bytes(raw...)
		layout = appendAll(layout, product(d.Shape)*uint64(size))
	} else {
		layout = le(uint8(3), uint8(2), uint8(len(d.Shape)+1), d.chunks(w, path))
		for _, n := range d.Chunk {
			layout = appendAll(layout, uint32(n))
		}
		layout = appendAll(layout, size)
	}
	messages = append(messages, h5message{kind: 0x08, body: layout, marks: map[string]int{"layout": 0}})
	if d.Filters != nil {
		body := le(uint8(1), uint8(len(d.Filters)), make([]byte, 6))
		for _, id := range d.Filters {
			body = appendAll(body, id, uint16(0), uint16(0), uint16(2), size, uint32(0))
		}
		messages = append(messages, h5message{kind: 0x0B, body: body})
	}
	return w.header(path, messages, len(messages))
}

// chunks writes the chunks of a one- or two-dimensional data set and their tree.
func (d *h5Dataset) chunks(w *h5writer, path string) int64 {
	shape, extent := d.Shape, d.Chunk
	if len(shape) == 1 {
		shape, extent = []uint64{1, shape[0]}, []uint64{1, extent[0]}
	}
	size := 8
	if d.Bits == 32 {
		size = 4
	}
	var addresses []int64
	var keys [][]byte
	w.mark(path + " data")
	for r := uint64(0); r < shape[0]; r += extent[0] {
		for c := uint64(0); c < shape[1]; c += extent[1] {
			if r*shape[1]+c >= uint64(len(d.Data)) {
				continue // Data is shorter than Shape: never written
			}
			stored := filtered(d.encode(d.cut(shape, extent, r, c)), d.Filters, size)
			key := le(uint32(len(stored)), uint32(0))
			if len(d.Shape) == 2 {
				key = appendAll(key, r)
			}
			keys = append(keys, appendAll(key, c, uint64(0)))
			addresses = append(addresses, w.at())
			w.bytes(stored...)
		}
	}
	blank := make([]byte, 8+8*(len(d.Shape)+1))
	return w.tree(path, 1, addresses, func(i int) []byte {
		if i < 0 || i >= len(keys) {
			return blank
		}
		return keys[i]
	})
}

// cut is the chunk at (r, c), filled up with 99s where it reaches over the edge.
func (d *h5Dataset) cut(shape, extent []uint64, r, c uint64) []float64 {
	var part []float64
	for i := r; i < r+extent[0]; i++ {
		for j := c; j < c+extent[1]; j++ {
			v := 99.0
			if at := i*shape[1] + j; i < shape[0] && j < shape[1] && at < uint64(len(d.Data)) {
				v = d.Data[at]
			}
			part = append(part, v)
		}
	}
	return part
}

func (d *h5Dataset) encode(values []float64) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	if d.Big {
		order = binary.BigEndian
	}
	var b []byte
	for _, v := range values {
		if d.Bits == 32 {
			b = order.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = order.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

func filtered(b []byte, filters []uint16, size int) []byte {
	for _, id := range filters {
		switch id {
		case 1:
			var out bytes.Buffer
			z := zlib.NewWriter(&out)
			z.Write(b) // a bytes.Buffer takes everything
			z.Close()
			b = out.Bytes()
		case 2:
			out := make([]byte, 0, len(b))
			whole := len(b) / size * size
			for k := range size {
				for i := k; i < whole; i += size {
					out = append(out, b[i])
				}
			}
			out = append(out, b[whole:]...)
			b = out
		}
	}
	return b
}

func product(shape []uint64) uint64 {
	n := uint64(1)
	for _, s := range shape {
		n *= s
	}
	return n
}
