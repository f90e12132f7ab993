package people

import (
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// flat reads a table of a flatbuffer by the numbers of its fields. It panics where the table leaves the buffer.
type flat struct{ flatbuffers.Table }

// flatRoot returns the table that a buffer holds.
func flatRoot(b []byte) flat {
	return flat{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}}
}

// slot returns the place of a field in the layout of its table.
func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

// at returns the offset of a field in the table; 0: it has its default.
func (t flat) at(field int) flatbuffers.UOffsetT { return flatbuffers.UOffsetT(t.Offset(slot(field))) }

func (t flat) byte(field int) byte { return t.GetByteSlot(slot(field), 0) }

func (t flat) int64(field int) int64 { return t.GetInt64Slot(slot(field), 0) }

func (t flat) table(field int) (out flat, ok bool) {
	at := t.at(field)
	if at == 0 {
		return flat{}, false
	}
	return flat{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + at)}}, true
}

// vector returns the number of elements of a list and the place of the first. It panics if they leave the buffer.
func (t flat) vector(field, size int) (n int, start flatbuffers.UOffsetT) {
	at := t.at(field)
	if at == 0 {
		return 0, 0
	}
	n, start = t.VectorLen(at), t.Vector(at)
	if int64(n)*int64(size) > int64(len(t.Bytes))-int64(start) {
		panic(fmt.Sprintf("a list claims %d elements in a description of %d bytes", n, len(t.Bytes)))
	}
	return n, start
}

// element returns a table of a list.
func (t flat) element(start flatbuffers.UOffsetT, i int) flat {
	return flat{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}}
}

// text returns a text, whose length it takes from the budget.
func (t flat) text(field int, budget *int) (string, error) {
	n, start := t.vector(field, 1)
	if *budget -= n; *budget < 0 {
		return "", errors.New("the texts of its description overlap")
	}
	return string(t.Bytes[start : int(start)+n]), nil
}
