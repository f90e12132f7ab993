package hdf5

import (
	"fmt"
	"io"
	"math/bits"
)

const (
	// MaxElements bounds the numbers read from all data sets of one file together.
	MaxElements = 64 << 20

	// Structures that are not data (headers, heaps, tree nodes) beyond this
	// size do not occur in a saved network.
	maxStructure = 64 << 20

	// All reading of one file is limited to readFactor times its size and
	// readSlack: an honest reader comes by each byte a few times at most.
	readFactor = 16
	readSlack  = 1 << 20
)

// File is an open HDF5 file. It keeps no copy of the file, and it is not safe
// for concurrent use.
type File struct {
	r     io.ReaderAt
	limit int64 // the end of the file as its superblock has it, at most the real size

	offsetSize, lengthSize int
	rootHeader             int64

	readLeft     int64
	elementsLeft int64
	heaps        map[int64]*globalHeap
}

// Open reads the superblock of the HDF5 file behind r, which is size bytes
// long. Closing r is the caller's.
func Open(r io.ReaderAt, size int64) (*File, error) {
	if size < 0 {
		return nil, corrupt(0, "negative file size %d", size)
	}
	hi, budget := bits.Mul64(uint64(size), readFactor)
	if hi != 0 || budget > 1<<62 {
		budget = 1 << 62
	}
	f := &File{
		r: r, limit: size,
		readLeft:     int64(budget) + readSlack,
		elementsLeft: MaxElements,
		heaps:        make(map[int64]*globalHeap),
	}
	if err := f.readSuperblock(); err != nil {
		return nil, err
	}
	return f, nil
}

// Root opens the root group.
func (f *File) Root() (*Group, error) { return f.openGroup("/", f.rootHeader, nil) }

// check refuses a range that is not inside the file. n may be anything, as it
// comes out of the file.
func (f *File) check(offset int64, n uint64, what string) error {
	if offset < 0 || offset > f.limit {
		return corrupt(offset, "%s lies outside the file of %d bytes", what, f.limit)
	}
	if n > uint64(f.limit-offset) {
		return corrupt(offset, "%s claims %d bytes, the file has %d from here", what, n, f.limit-offset)
	}
	return nil
}

// charge takes n bytes off what may still be read of this file.
func (f *File) charge(offset, n int64) error {
	if n > f.readLeft {
		return corrupt(offset, "the file's structures overlap: reading them takes far more than its %d bytes", f.limit)
	}
	f.readLeft -= n
	return nil
}

// data reads n bytes of a data set.
func (f *File) data(offset int64, n uint64, what string) ([]byte, error) {
	if err := f.check(offset, n, what); err != nil {
		return nil, err
	}
	if err := f.charge(offset, int64(n)); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	if got, err := f.r.ReadAt(b, offset); got < len(b) {
		return nil, &Error{Offset: offset, What: fmt.Sprintf("reading %s: %v", what, err), kind: err}
	}
	return b, nil
}

// structure reads n bytes that are not data and returns a cursor on them.
func (f *File) structure(offset int64, n uint64, what string) (*cursor, error) {
	if n > maxStructure {
		if err := f.check(offset, n, what); err != nil {
			return nil, err
		}
		return nil, unsupported(offset, "%s of %d bytes is", what, n)
	}
	b, err := f.data(offset, n, what)
	if err != nil {
		return nil, err
	}
	return &cursor{b: b, at: offset, what: what, offsetSize: f.offsetSize, lengthSize: f.lengthSize}, nil
}

// signed is structure for one that begins with a four-letter signature, which
// is checked and skipped.
func (f *File) signed(offset int64, n uint64, signature, what string) (*cursor, error) {
	c, err := f.structure(offset, n, what)
	if err != nil {
		return nil, err
	}
	if got := c.take(4); string(got) != signature {
		return nil, corrupt(offset, "%s expected, signature %q found, not %q", what, got, signature)
	}
	return c, nil
}
