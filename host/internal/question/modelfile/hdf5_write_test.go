package modelfile

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// The rest of this file, and hdf5_write_dataset_test.go, write small HDF5 files. They know
// the old form of the format only (superblock 0, object headers 1, symbol tables), and tell
// where each structure went, so that a test can spoil exactly one field.

// h5Object is a *h5Group or a *h5Dataset.
type h5Object interface {
	write(w *h5writer, path string) (header int64)
}

// h5Group is a group with attributes of strings.
type h5Group struct {
	Attributes []h5Attribute
	Members    map[string]h5Object
	// Continued puts the attributes in a continuation block.
	Continued bool
}

// h5Attribute is a list of strings, or one string where Scalar is set.
type h5Attribute struct {
	Name   string
	Values []string
	Scalar bool
	// Fixed stores strings of one fixed length instead of references into a global heap.
	Fixed bool
}

// h5Dataset is a data set of float64 numbers, float32 ones where Bits is 32.
type h5Dataset struct {
	Shape []uint64
	// Data may be shorter than Shape says: the header then lies.
	Data []float64
	Bits int
	Big  bool // big-endian
	// Chunk is the extent of a chunk; nil stores in one piece.
	Chunk []uint64
	// Filters are 1 (deflate), 2 (shuffle); the message may list others, which are not applied.
	Filters []uint16
}

// h5File writes a file with the given root and returns its bytes and the offsets
// of structures and fields: "<path> header", "<path> tree", "<path> child"
// (the first child pointer in the root of the B-tree), "<path> node" (the first
// symbol table node), "<path> heap", "<path> layout", "<path> shape" (the
// first dimension), "<path> data", "<path> member <name>" (the pointer to a
// member's header), "<path> continuation" (its address field),
// "<path> attribute <name>" (where its data is).
func h5File(root *h5Group) ([]byte, map[string]int64) {
	w := &h5writer{marks: make(map[string]int64)}
	w.b = append(w.b, "\x89HDF\r\n\x1a\n"...)
	w.bytes(0, 0, 0, 0, 0, 8, 8, 0)
	w.u16(4)
	w.u16(16)
	w.u32(0)
	w.u64(0)
	w.u64(undefined)
	end := len(w.b)
	w.u64(0)
	w.u64(undefined)
	w.u64(0)
	w.marks["root"] = int64(len(w.b))
	w.u64(0)
	w.zeros(24) // no cache
	header := root.write(w, "/")
	w.patch(int64(end), int64(len(w.b)))
	w.patch(w.marks["root"], header)
	return w.b, w.marks
}

const (
	undefined = math.MaxUint64
	fanOut    = 2 // entries of a tree node and of a symbol table node
)

type h5writer struct {
	b     []byte
	marks map[string]int64
}

func (w *h5writer) at() int64         { return int64(len(w.b)) }
func (w *h5writer) mark(name string)  { w.marks[name] = w.at() }
func (w *h5writer) bytes(b ...byte)   { w.b = append(w.b, b...) }
func (w *h5writer) zeros(n int)       { w.b = append(w.b, make([]byte, n)...) }
func (w *h5writer) u16(v uint16)      { w.b = binary.LittleEndian.AppendUint16(w.b, v) }
func (w *h5writer) u32(v uint32)      { w.b = binary.LittleEndian.AppendUint32(w.b, v) }
func (w *h5writer) u64(v uint64)      { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
func (w *h5writer) align()            { w.zeros((8 - len(w.b)%8) % 8) }
func (w *h5writer) patch(at, v int64) { binary.LittleEndian.PutUint64(w.b[at:], uint64(v)) }
func pad(b []byte) []byte             { return append(b, make([]byte, (8-len(b)%8)%8)...) }
func le(sizes ...any) []byte          { return appendAll(nil, sizes...) }
func child(path, name string) string  { return strings.TrimSuffix(path, "/") + "/" + name }

func appendAll(b []byte, fields ...any) []byte {
	for _, f := range fields {
		b, _ = binary.Append(b, binary.LittleEndian, f) // every field is of fixed size
	}
	return b
}

// h5message is a header message; marks are offsets into its body.
type h5message struct {
	kind  uint16
	body  []byte
	marks map[string]int
}

// header writes an object header; the message at split and later ones go to a continuation block.
func (w *h5writer) header(path string, messages []h5message, split int) int64 {
	w.align()
	at := w.at()
	w.marks[path+" header"] = at
	first, rest := messages, []h5message(nil)
	count := len(messages)
	if split < len(messages) {
		first, rest = messages[:split], messages[split:]
		count++
	}
	size := 0
	for _, m := range first {
		size += 8 + len(pad(m.body))
	}
	if rest != nil {
		size += 8 + 16
	}
	w.bytes(1, 0)
	w.u16(uint16(count))
	w.u32(1)
	w.u32(uint32(size))
	w.u32(0)
	w.messages(path, first)
	if rest == nil {
		return at
	}
	w.u16(0x10)
	w.u16(16)
	w.u32(0)
	w.mark(path + " continuation")
	to := w.at()
	w.zeros(16)
	start := w.at()
	w.messages(path, rest)
	w.patch(to, start)
	w.patch(to+8, w.at()-start)
	return at
}

func (w *h5writer) messages(path string, messages []h5message) {
	for _, m := range messages {
		body := pad(slices.Clone(m.body))
		w.u16(m.kind)
		w.u16(uint16(len(body)))
		w.u32(0)
		for name, offset := range m.marks {
			w.marks[path+" "+name] = w.at() + int64(offset)
		}
		w.bytes(body...)
	}
}

func dataspace(shape []uint64) []byte {
	return appendAll(le(uint8(1), uint8(len(shape)), make([]byte, 6)), shape)
}

func (g *h5Group) write(w *h5writer, path string) int64 {
	type entry struct {
		name         string
		offset, addr int64
	}
	var entries []entry
	for name := range g.Members {
		entries = append(entries, entry{name: name})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	names := make([]byte, 8)
	for i := range entries {
		e := &entries[i]
		e.addr = g.Members[e.name].write(w, child(path, e.name))
		e.offset = int64(len(names))
		names = pad(append(append(names, e.name...), 0))
	}
	w.align()
	w.mark(path + " heap")
	heap := w.at()
	w.b = appendAll(w.b, []byte("HEAP\x00\x00\x00\x00"), uint64(len(names)), uint64(undefined), w.at()+32, names)
	var nodes []int64
	for part := range slices.Chunk(entries, fanOut) {
		if len(nodes) == 0 {
			w.mark(path + " node")
		}
		nodes = append(nodes, w.at())
		w.b = appendAll(w.b, []byte("SNOD\x01\x00"), uint16(len(part)))
		for _, e := range part {
			w.u64(uint64(e.offset))
			w.mark(path + " member " + e.name)
			w.b = appendAll(w.b, e.addr, make([]byte, 24))
		}
	}
	tree := w.tree(path, 0, nodes, func(int) []byte { return make([]byte, 8) })
	messages := []h5message{{kind: 0x11, body: le(tree, heap)}}
	split := 1
	for _, a := range g.Attributes {
		messages = append(messages, a.message(w))
	}
	if !g.Continued {
		split = len(messages)
	}
	return w.header(path, messages, split)
}

// tree writes a B-tree over the leaves, fanOut children a node, and returns its root.
func (w *h5writer) tree(path string, kind uint8, leaves []int64, key func(i int) []byte) int64 {
	none, level, children := uint64(undefined), uint8(0), leaves
	for {
		var above []int64
		for at := 0; at == 0 || at < len(children); at += fanOut {
			part := children[at:min(at+fanOut, len(children))]
			above = append(above, w.at())
			w.mark(path + " tree") // the last one written is the root
			w.b = appendAll(w.b, []byte("TREE"), kind, level, uint16(len(part)), none, none)
			for i, address := range part {
				w.bytes(key(at + i)...)
				if i == 0 {
					w.mark(path + " child")
				}
				w.b = appendAll(w.b, address)
			}
			w.bytes(key(-1)...)
		}
		if len(above) == 1 {
			return above[0]
		}
		children, level = above, level+1
	}
}

func (a h5Attribute) message(w *h5writer) h5message {
	var shape []uint64
	if !a.Scalar {
		shape = []uint64{uint64(len(a.Values))}
	}
	var dtype, data []byte
	if a.Fixed {
		size := 1
		for _, v := range a.Values {
			size = max(size, len(v))
		}
		dtype = le(uint8(0x13), []byte{1, 0, 0}, uint32(size))
		for _, v := range a.Values {
			data = append(append(data, v...), make([]byte, size-len(v))...)
		}
	} else {
		dtype = le(uint8(0x19), []byte{1, 0, 0}, uint32(16), uint8(0x10), []byte{0, 0, 0}, uint32(1), []byte{0, 0, 8, 0, 0, 0, 0, 0})
		heap := w.globalHeap(a.Values)
		for i, v := range a.Values {
			data = appendAll(data, uint32(len(v)), heap, uint32(i+1))
		}
	}
	space := dataspace(shape)
	name := append([]byte(a.Name), 0)
	body := le(uint8(1), uint8(0), uint16(len(name)), uint16(len(dtype)), uint16(len(space)), pad(name), pad(dtype), pad(space))
	return h5message{kind: 0x0C, body: append(body, data...), marks: map[string]int{"attribute " + a.Name: len(body)}}
}

func (w *h5writer) globalHeap(values []string) int64 {
	w.align()
	var objects []byte
	for i, v := range values {
		objects = pad(appendAll(objects, uint16(i+1), uint16(0), uint32(0), uint64(len(v)), []byte(v)))
	}
	at := w.at()
	w.b = appendAll(w.b, []byte("GCOL\x01\x00\x00\x00"), uint64(16+len(objects)), objects)
	return at
}
