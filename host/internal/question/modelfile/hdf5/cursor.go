package hdf5

import (
	"encoding/binary"
)

// undefined is the address that stands for "nothing is stored".
const undefined = int64(-1)

// cursor reads little-endian fields one after the other. Running over the end
// is remembered, and zeros are given from there on, so that a caller may read
// all the fields of a structure and ask for the error once.
type cursor struct {
	b    []byte
	pos  int
	at   int64  // where b[0] stands in the file
	what string // what is being read, for messages

	offsetSize, lengthSize int
	short                  bool
}

// err is the error of having run over the end.
func (c *cursor) err() error {
	if !c.short {
		return nil
	}
	return corrupt(c.at, "%s is cut short: %d bytes are too few", c.what, len(c.b))
}

func (c *cursor) left() int { return len(c.b) - c.pos }

// offset is the file offset of the next field.
func (c *cursor) offset() int64 { return c.at + int64(c.pos) }

// take gives the next n bytes, which alias the structure, or nil.
func (c *cursor) take(n int) []byte {
	if c.short || n < 0 || n > c.left() {
		c.short = true
		return nil
	}
	b := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) skip(n int) { c.take(n) }

// align skips to the next multiple of eight within the structure, or to its end.
func (c *cursor) align() { c.skip(min((8-c.pos%8)%8, c.left())) }

// sub is a cursor on the next n bytes.
func (c *cursor) sub(n int, what string) *cursor {
	at := c.offset()
	b := c.take(n)
	return &cursor{b: b, at: at, what: what, offsetSize: c.offsetSize, lengthSize: c.lengthSize, short: c.short}
}

// uint reads n bytes, 1, 2, 4 or 8.
func (c *cursor) uint(n int) uint64 {
	b := c.take(n)
	if b == nil {
		return 0
	}
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

func (c *cursor) u8() uint8   { return uint8(c.uint(1)) }
func (c *cursor) u16() uint16 { return uint16(c.uint(2)) }
func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }

// length reads a field of the file's size of lengths.
func (c *cursor) length() uint64 { return c.uint(c.lengthSize) }

// address reads a field of the file's size of offsets. All ones is undefined;
// anything that does not fit an int64 becomes undefined too, since no file
// reaches there.
func (c *cursor) address() int64 {
	v := c.uint(c.offsetSize)
	if c.offsetSize < 8 && v == 1<<(8*c.offsetSize)-1 || v >= 1<<63 {
		return undefined
	}
	return int64(v)
}
