package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Identifiers of the supported filters, from the specification.
const (
	filterDeflate    = 1
	filterShuffle    = 2
	filterFletcher32 = 3
)

// maxExpansion is the most that deflate can expand its input (RFC 1951: 258
// bytes from two bits).
const maxExpansion = 1032

var filterNames = map[uint16]string{
	4: "szip", 5: "n-bit", 6: "scale-offset", 32000: "LZF", 32001: "Blosc", 32004: "LZ4", 32008: "bitshuffle", 32015: "Zstandard",
}

// filter is a filter that was applied to each chunk before it was written.
type filter struct {
	id      uint16
	element int // shuffle: bytes per element
}

// parseFilters reads a filter pipeline message of version 1 or 2. Each filter
// may occur once.
func parseFilters(c *cursor) (filters []filter) {
	version, count := c.u8(), c.u8()
	switch version {
	case 1:
		c.skip(6)
	case 2:
	default:
		panic(unsupported(c.at, "filter pipeline version %d is", version))
	}
	for range count {
		f := filter{id: c.u16()}
		nameSize := 0
		if version == 1 || f.id >= 256 {
			nameSize = int(c.u16())
		}
		c.skip(2) // flags
		values := int(c.u16())
		name := cutNUL(c.take(nameSize))
		params := c.sub(4*values, "filter parameters")
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		switch f.id {
		case filterDeflate, filterFletcher32:
		case filterShuffle:
			if values > 0 {
				f.element = int(params.u32())
			}
			if f.element == 0 {
				panic(corrupt(params.at, "shuffle filter without an element size"))
			}
		default:
			known := filterNames[f.id]
			if known == "" {
				known = fmt.Sprintf("%q", name)
			}
			panic(unsupported(c.at, "filter %d (%s) is", f.id, known))
		}
		if slices.ContainsFunc(filters, func(g filter) bool { return g.id == f.id }) {
			panic(unsupported(c.at, "filter %d applied twice is", f.id))
		}
		filters = append(filters, f)
	}
	return filters
}

// unfilter undoes the filters of one chunk, the last first, and checks that the result has size
// bytes.
func unfilter(filters []filter, c chunk, b []byte, size uint64) []byte {
	for i, f := range slices.Backward(filters) {
		if c.mask>>i&1 == 1 {
			continue
		}
		var err error
		switch f.id {
		case filterDeflate:
			b, err = inflate(b, size+4) // fletcher32 may have added a checksum before
		case filterShuffle:
			b = unshuffle(b, f.element)
		case filterFletcher32:
			b, err = stripFletcher32(b)
		}
		if err != nil {
			panic(corrupt(c.address, "chunk at %v: %v", c.start, err))
		}
	}
	if uint64(len(b)) != size {
		panic(corrupt(c.address, "chunk at %v has %d bytes, want %d for its shape", c.start, len(b), size))
	}
	return b
}

// inflate decompresses a zlib stream of at most limit bytes.
func inflate(b []byte, limit uint64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	if uint64(len(out)) > limit {
		return nil, fmt.Errorf("deflate: more than %d bytes", limit)
	}
	return out, nil
}

// unshuffle undoes shuffle, which stores all first bytes of the elements, all second bytes, and so
// on, followed by the unchanged rest that does not fill an element.
func unshuffle(b []byte, element int) []byte {
	n := len(b) / element
	if element == 1 || n <= 1 {
		return b
	}
	out := make([]byte, len(b))
	for j := range element {
		for i := range n {
			out[i*element+j] = b[j*n+i]
		}
	}
	copy(out[n*element:], b[n*element:])
	return out
}

// stripFletcher32 verifies and removes the checksum at the end of a chunk.
func stripFletcher32(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, fmt.Errorf("fletcher32: %d bytes are too few", len(b))
	}
	body := b[:len(b)-4]
	stored := binary.LittleEndian.Uint32(b[len(body):])
	if sum := fletcher32(body); stored>>16%65535 != sum>>16 || stored&0xffff%65535 != sum&0xffff {
		return nil, fmt.Errorf("fletcher32: checksum %#x stored, %#x computed", stored, sum)
	}
	return body, nil
}

// fletcher32 sums the bytes as big-endian 16-bit words modulo 65535. HDF5 writes 65535 for a
// remainder of 0 unless all words are 0.
func fletcher32(b []byte) uint32 {
	var low, high uint32
	for len(b) > 0 {
		word := uint32(b[0]) << 8
		if len(b) > 1 {
			word |= uint32(b[1])
		}
		low = (low + word) % 65535
		high = (high + low) % 65535
		b = b[min(2, len(b)):]
	}
	return high<<16 | low
}
