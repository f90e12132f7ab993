package hdf5

import "bytes"

// readLocalHeap returns a cursor on a local heap's data: the names of a group's members.
func (f *file) readLocalHeap(address int64) *cursor {
	c := f.signed(address, 8+3*sizeOfAddress, "HEAP", "local heap")
	if v := c.u8(); v != 0 {
		panic(unsupported(address, "local heap version %d is", v))
	}
	c.skip(3)
	size := c.length()
	c.length() // free list
	return f.structure(c.address(), size, "local heap data")
}

// nameAt returns the NUL-terminated name at an offset into a local heap.
func nameAt(heap *cursor, offset int64) string {
	if offset < 0 || offset >= int64(len(heap.b)) {
		panic(corrupt(heap.at, "member name at %d of a heap of %d bytes", offset, len(heap.b)))
	}
	name, _, ended := bytes.Cut(heap.b[offset:], []byte{0})
	if !ended {
		panic(corrupt(heap.at+offset, "member name without an end"))
	}
	return string(name)
}

// globalHeap is one collection of variable-length values, by their index.
type globalHeap map[uint32]*cursor

// readGlobalHeap reads the collection at address, once per file.
func (f *file) readGlobalHeap(address int64) globalHeap {
	if h := f.heaps[address]; h != nil {
		return h
	}
	const start = 8 + sizeOfAddress
	c := f.signed(address, start, "GCOL", "global heap")
	if v := c.u8(); v != 1 {
		panic(unsupported(address, "global heap version %d is", v))
	}
	c.skip(3)
	size := c.length()
	if size < start {
		panic(corrupt(address, "global heap of %d bytes, want at least %d", size, start))
	}
	c = f.structure(address, size, "global heap")
	c.skip(start)
	h := globalHeap{}
	for c.left() >= 8+sizeOfAddress {
		index := c.u16()
		c.skip(6) // reference count, reserved
		n := c.length()
		if index == 0 {
			break // free space, up to the end
		}
		if n > uint64(c.left()) {
			panic(corrupt(c.offset(), "global heap object claims %d bytes, but the heap has %d left", n, c.left()))
		}
		h[uint32(index)] = c.sub(int(n), "global heap object")
		c.align()
	}
	f.heaps[address] = h
	return h
}
