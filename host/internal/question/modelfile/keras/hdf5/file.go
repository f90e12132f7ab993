package hdf5

const (
	// MaxElements bounds the numbers read from all data sets of one file together.
	MaxElements = 64 << 20

	// maxStructure is the maximum size in bytes of a structure that is not data (header, heap,
	// tree node). No saved network has a larger one.
	maxStructure = 64 << 20

	// All reading of one file is limited to readFactor times its size, plus readSlack bytes: a
	// valid file needs each byte a few times at most.
	readFactor = 16
	readSlack  = 1 << 20
)

// file is an open HDF5 file.
type file struct {
	b     []byte
	limit int64 // the end of the file according to its superblock, at most its size

	readLeft     int64
	elementsLeft uint64
	heaps        map[int64]globalHeap
}

// Open returns the root group of an HDF5 file. The groups and data sets of a file are not safe for
// concurrent use.
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

// check refuses a range that is not inside the file. n comes from the file and is not trusted.
func (f *file) check(offset int64, n uint64, what string) {
	if offset < 0 || offset > f.limit {
		panic(corrupt(offset, "%s lies outside the file of %d bytes", what, f.limit))
	}
	if n > uint64(f.limit-offset) {
		panic(corrupt(offset, "%s claims %d bytes, but the file has %d from here on", what, n, f.limit-offset))
	}
}

// charge subtracts n bytes from the limit of reading.
func (f *file) charge(offset, n int64) {
	if n > f.readLeft {
		panic(corrupt(offset, "the file's structures overlap: they have far more bytes together than the file's %d", f.limit))
	}
	f.readLeft -= n
}

// data returns n bytes of the file, which alias it. The last argument names them in messages.
func (f *file) data(offset int64, n uint64, what string) []byte {
	f.check(offset, n, what)
	f.charge(offset, int64(n))
	return f.b[offset:][:n:n]
}

// structure returns a cursor on a structure of n bytes that is not data.
func (f *file) structure(offset int64, n uint64, what string) *cursor {
	if n > maxStructure {
		f.check(offset, n, what)
		panic(unsupported(offset, "%s of %d bytes (at most %d are read) is", what, n, maxStructure))
	}
	return &cursor{b: f.data(offset, n, what), at: offset, what: what}
}

// signed is structure for a structure that begins with a four-letter signature, which it checks
// and skips.
func (f *file) signed(offset int64, n uint64, signature, what string) *cursor {
	c := f.structure(offset, n, what)
	if got := c.take(4); string(got) != signature {
		panic(corrupt(offset, "%s: got the signature %q, want %q", what, got, signature))
	}
	return c
}
