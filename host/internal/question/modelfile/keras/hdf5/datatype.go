package hdf5

import (
	"encoding/binary"
	"fmt"
	"math"
)

// kind is a supported type of elements.
type kind uint8

const (
	kindFloat       kind = iota + 1 // IEEE, 4 or 8 bytes
	kindFixedString                 // size bytes each
	kindVarString                   // length, heap address, index
)

// datatype is the type of one element; order is set for floats.
type datatype struct {
	kind  kind
	size  int // bytes an element takes in the file
	order binary.ByteOrder
	pad   uint8 // of fixed strings: 0 NUL-terminated, 1 NUL-padded, 2 space-padded
}

var classNames = []string{
	"integer", "floating-point", "time", "string", "bit field", "opaque",
	"compound", "reference", "enumeration", "variable-length", "array",
}

// parseDatatype reads a datatype message (versions 1 to 3), and refuses by name all types but
// floats and strings.
func parseDatatype(c *cursor) datatype {
	first := c.u8()
	class, version := int(first&0x0f), first>>4
	bits := c.take(3)
	size := c.u32()
	if version < 1 || version > 3 {
		panic(unsupported(c.at, "datatype version %d is", version))
	}
	switch {
	case class == 1:
		return parseFloat(c, bits, size)
	case class == 3:
		if size == 0 || size > maxStructure {
			panic(corrupt(c.at, "string type of %d bytes, want 1 to %d", size, maxStructure))
		}
		return datatype{kind: kindFixedString, size: int(size), pad: bits[0] & 0x0f}
	case class == 9 && bits[0]&0x0f == 1:
		if size != 4+sizeOfAddress+4 {
			panic(corrupt(c.at, "variable-length string type of %d bytes, want %d", size, 4+sizeOfAddress+4))
		}
		return datatype{kind: kindVarString, size: int(size)}
	}
	name := fmt.Sprintf("class %d", class)
	if class < len(classNames) {
		name = classNames[class]
	}
	panic(unsupported(c.at, "the %s type of %d bytes (floats and strings are read) is", name, size))
}

// ieee holds the layout of the standard floats, by size in bytes: sign, exponent position and
// size, mantissa position and size, exponent bias.
var ieee = map[uint32][6]uint32{
	4: {31, 23, 8, 0, 23, 127},
	8: {63, 52, 11, 0, 52, 1023},
}

func parseFloat(c *cursor, bits []byte, size uint32) datatype {
	offset, precision := c.u16(), uint32(c.u16())
	layout := [6]uint32{uint32(bits[1]), uint32(c.u8()), uint32(c.u8()), uint32(c.u8()), uint32(c.u8()), c.u32()}
	standard, known := ieee[size]
	if !known || offset != 0 || precision != 8*size || layout != standard || bits[0]&0x30 != 0x20 {
		panic(unsupported(c.at, "a floating-point type of %d bits other than IEEE float32 and float64 is", 8*uint64(size)))
	}
	t := datatype{kind: kindFloat, size: int(size)}
	switch bits[0] & 0x41 {
	case 0x00:
		t.order = binary.LittleEndian
	case 0x01:
		t.order = binary.BigEndian
	default:
		panic(unsupported(c.at, "the VAX byte order is"))
	}
	return t
}

// float decodes one element.
func (t *datatype) float(b []byte) float64 {
	if t.size == 4 {
		return float64(math.Float32frombits(t.order.Uint32(b)))
	}
	return math.Float64frombits(t.order.Uint64(b))
}
