package hdf5

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

// file is an open HDF5 file.
type file struct {
	b     []byte
	limit int64 // the end of the file as its superblock has it, at most the real size

	readLeft     int64
	elementsLeft uint64
	heaps        map[int64]globalHeap
}

// Open gives the root group of an HDF5 file. What is read of
// one file is not safe for concurrent use.
func Open(b []byte) *Group {
	defer located("", "")
	size := int64(len(b))
	f := &file{
		b: b, limit: size,
		readLeft:     size*readFactor + readSlack,
		elementsLeft: MaxElements,
		heaps:        make(map[int64]globalHeap),
	}
	return f.openGroup("/", f.readSuperblock(), nil)
}

// check refuses a range that is not inside the file. n may be anything, as it
// comes out of the file.
func (f *file) check(offset int64, n uint64, what string) {
	if offset < 0 || offset > f.limit {
		panic(corrupt(offset, "%s lies outside the file of %d bytes", what, f.limit))
	}
	if n > uint64(f.limit-offset) {
		panic(corrupt(offset, "%s claims %d bytes, the file has %d from here", what, n, f.limit-offset))
	}
}

// charge takes n bytes off what may still be read of this file.
func (f *file) charge(offset, n int64) {
	if n > f.readLeft {
		panic(corrupt(offset, "the file's structures overlap: reading them takes far more than its %d bytes", f.limit))
	}
	f.readLeft -= n
}

// data gives n bytes of a data set.
func (f *file) data(offset int64, n uint64, what string) []byte {
	f.check(offset, n, what)
	f.charge(offset, int64(n))
	return f.b[offset:][:n:n]
}

// structure is a cursor on n bytes that are not data.
func (f *file) structure(offset int64, n uint64, what string) *cursor {
	if n > maxStructure {
		f.check(offset, n, what)
		panic(unsupported(offset, "%s of %d bytes is", what, n))
	}
	return &cursor{b: f.data(offset, n, what), at: offset, what: what}
}

// signed is structure for one that begins with a four-letter signature, which
// is checked and skipped.
func (f *file) signed(offset int64, n uint64, signature, what string) *cursor {
	c := f.structure(offset, n, what)
	if got := c.take(4); string(got) != signature {
		panic(corrupt(offset, "%s expected, signature %q found, not %q", what, got, signature))
	}
	return c
}
