package hdf5

import (
	"bytes"
)

// localHeap holds the names of a group's members.
type localHeap struct {
	at   int64
	data []byte
}

func (f *File) readLocalHeap(address int64) (*localHeap, error) {
	n := uint64(8 + 2*f.lengthSize + f.offsetSize)
	c, err := f.signed(address, n, "HEAP", "local heap")
	if err != nil {
		return nil, err
	}
	if v := c.u8(); v != 0 {
		return nil, unsupported(address, "local heap version %d is", v)
	}
	c.skip(3)
	size := c.length()
	c.length() // free list
	data, err := f.structure(c.address(), size, "local heap data")
	if err != nil {
		return nil, err
	}
	return &localHeap{at: data.at, data: data.b}, nil
}

// name is the NUL-terminated name at an offset into the heap.
func (h *localHeap) name(offset int64) (string, error) {
	if offset < 0 || offset >= int64(len(h.data)) {
		return "", corrupt(h.at, "member name at %d of a heap of %d bytes", offset, len(h.data))
	}
	b := h.data[offset:]
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return "", corrupt(h.at+offset, "member name without an end")
	}
	return string(b[:end]), nil
}

// globalHeap is one collection of variable-length values.
type globalHeap struct {
	objects map[uint32]heapObject
}

type heapObject struct {
	at   int64
	data []byte
}

// readGlobalHeap reads the collection at address, once for each file.
func (f *File) readGlobalHeap(address int64) (*globalHeap, error) {
	if h := f.heaps[address]; h != nil {
		return h, nil
	}
	start := uint64(8 + f.lengthSize)
	c, err := f.signed(address, start, "GCOL", "global heap")
	if err != nil {
		return nil, err
	}
	if v := c.u8(); v != 1 {
		return nil, unsupported(address, "global heap version %d is", v)
	}
	c.skip(3)
	size := c.length()
	if size < start {
		return nil, corrupt(address, "global heap of %d bytes", size)
	}
	if c, err = f.structure(address, size, "global heap"); err != nil {
		return nil, err
	}
	c.skip(int(start))
	h := &globalHeap{objects: make(map[uint32]heapObject)}
	for c.left() >= 8+f.lengthSize {
		index := c.u16()
		c.skip(6) // reference count, reserved
		n := c.length()
		if index == 0 {
			break // free space, up to the end
		}
		if n > uint64(c.left()) {
			return nil, corrupt(c.offset(), "global heap object of %d bytes in %d", n, c.left())
		}
		at := c.offset()
		h.objects[uint32(index)] = heapObject{at: at, data: c.take(int(n))}
		c.align()
	}
	f.heaps[address] = h
	return h, nil
}
