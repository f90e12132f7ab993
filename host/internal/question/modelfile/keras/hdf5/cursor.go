package hdf5

import "encoding/binary"

// undefined is the address that means that nothing is stored.
const undefined = int64(-1)

// sizeOfAddress is the size of every offset and length in a file, in bytes. Other sizes,
// which the format allows, are refused.
const sizeOfAddress = 8

// cursor reads the little-endian fields of a structure one after the other. Reading beyond the
// end is a fault.
type cursor struct {
	b    []byte
	pos  int
	at   int64  // offset of b[0] in the file
	what string // name of the structure, for messages
}

func (c *cursor) left() int { return len(c.b) - c.pos }

// offset is the file offset of the next field.
func (c *cursor) offset() int64 { return c.at + int64(c.pos) }

// take returns the next n bytes, which alias the structure.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > c.left() {
		panic(corrupt(c.at, "%s is cut short: it has %d bytes, want at least %d", c.what, len(c.b), c.pos+n))
	}
	b := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) skip(n int) { c.take(n) }

// align skips to the next multiple of eight within the structure, or to its end.
func (c *cursor) align() { c.skip(min((8-c.pos%8)%8, c.left())) }

// sub returns a cursor on the next n bytes.
func (c *cursor) sub(n int, what string) *cursor {
	at := c.offset()
	return &cursor{b: c.take(n), at: at, what: what}
}

// uint reads a number of n bytes: 1, 2, 4 or 8.
func (c *cursor) uint(n int) uint64 {
	var wide [8]byte
	copy(wide[:], c.take(n))
	return binary.LittleEndian.Uint64(wide[:])
}

func (c *cursor) u8() uint8   { return uint8(c.uint(1)) }
func (c *cursor) u16() uint16 { return uint16(c.uint(2)) }
func (c *cursor) u32() uint32 { return uint32(c.uint(4)) }

// length reads a length.
func (c *cursor) length() uint64 { return c.uint(sizeOfAddress) }

// address reads an offset into the file. All ones means undefined, and so does anything that does
// not fit an int64, since no file is that large.
func (c *cursor) address() int64 { return max(int64(c.uint(sizeOfAddress)), undefined) }
