package hdf5

// Dataset is a data set of floating-point numbers.
type Dataset struct {
	file    *file
	path    string
	address int64
	dtype   datatype
	space   dataspace
	layout  layout
	filters []filter
}

// Path is the absolute path of the data set.
func (d *Dataset) Path() string { return d.path }

// Shape returns the extent of each dimension, the slowest first; empty for a scalar.
func (d *Dataset) Shape() []int {
	shape := make([]int, len(d.space.dims))
	for i, n := range d.space.dims {
		shape[i] = int(n)
	}
	return shape
}

// Bits is the width of the stored numbers: 32 or 64.
func (d *Dataset) Bits() int { return 8 * d.dtype.size }

// Floats reads all numbers, the last dimension varying fastest, including NaN and infinities. The
// numbers count against the file's MaxElements each time they are read.
func (d *Dataset) Floats() []float64 {
	defer located(d.path, "")
	if d.space.elements > d.file.elementsLeft {
		panic(unsupported(d.address, "a file with more than %d numbers in the data sets that are read is", MaxElements))
	}
	d.file.elementsLeft -= d.space.elements
	switch {
	case d.space.elements == 0:
		return nil
	case d.layout.class == layoutChunked:
		return d.readChunks()
	}
	raw := d.readWhole()
	values := make([]float64, d.space.elements)
	for i := range values {
		values[i] = d.dtype.float(raw[i*d.dtype.size:])
	}
	return values
}

// bytes is the size of the data in bytes.
func (d *Dataset) bytes() uint64 { return d.space.elements * uint64(d.dtype.size) }

// readWhole reads data that is not chunked.
func (d *Dataset) readWhole() []byte {
	l, at := d.layout, d.address
	if l.class == layoutContiguous {
		if l.address == undefined {
			panic(corrupt(at, "the data set was never written"))
		}
		at = l.address
	}
	if l.size != d.bytes() {
		panic(corrupt(at, "got %d bytes of data, want %d for shape %v of %d-bit numbers", l.size, d.bytes(), d.space.dims, d.Bits()))
	}
	if l.class == layoutContiguous {
		return d.file.data(at, l.size, "data")
	}
	return l.compact
}

// Storage classes of a data layout message.
const (
	layoutCompact    = 0
	layoutContiguous = 1
	layoutChunked    = 2
)

// layout is the storage of the data.
type layout struct {
	class   uint8
	address int64    // contiguous: the data; chunked: the B-tree
	size    uint64   // compact and contiguous: size in bytes
	compact []byte   // compact: the data
	chunk   []uint64 // chunked: extent of a chunk in each dimension
}

func (f *file) openDataset(path string, address int64) *Dataset {
	defer located(path, "")
	h := f.readHeader(address)
	part := func(kind int, what string) *cursor {
		c := h.find(kind, what)
		if c == nil {
			panic(corrupt(address, "not a data set: it has no %s", what))
		}
		return c
	}
	d := &Dataset{file: f, path: path, address: address}
	c := part(msgDatatype, "datatype")
	if d.dtype = parseDatatype(c); d.dtype.kind != kindFloat {
		panic(unsupported(c.at, "a data set of strings is"))
	}
	d.space = parseDataspace(part(msgDataspace, "dataspace"))
	d.parseLayout(part(msgLayout, "data layout"))
	if h.find(msgExternalFiles, "external files") != nil {
		panic(unsupported(address, "data in external files is"))
	}
	if c := h.find(msgFilters, "filter pipeline"); c != nil {
		if d.layout.class != layoutChunked {
			panic(corrupt(address, "filters on data that is not chunked"))
		}
		d.filters = parseFilters(c)
	}
	return d
}

func (d *Dataset) parseLayout(c *cursor) {
	version := c.u8()
	if version != 3 && version != 4 {
		panic(unsupported(c.at, "data layout version %d (3 and 4 are read; h5py's libver=\"latest\" writes newer ones) is", version))
	}
	l := &d.layout
	switch l.class = c.u8(); l.class {
	case layoutCompact:
		l.size = uint64(c.u16())
		l.compact = c.take(int(l.size))
	case layoutContiguous:
		l.address, l.size = c.address(), c.length()
	case layoutChunked:
		if version != 3 {
			panic(unsupported(c.at, "a chunk index of data layout version 4 (h5py's libver=\"latest\") is"))
		}
		d.parseChunking(c)
	default:
		panic(unsupported(c.at, "data layout class %d is", l.class))
	}
}

func (d *Dataset) parseChunking(c *cursor) {
	rank := int(c.u8()) - 1 // the last dimension is the size of an element
	d.layout.address = c.address()
	if rank != len(d.space.dims) || rank < 1 {
		panic(corrupt(c.at, "chunks have %d dimensions, the data set %d: want the same number, at least 1", rank, len(d.space.dims)))
	}
	for range rank {
		d.layout.chunk = append(d.layout.chunk, uint64(c.u32()))
	}
	if size := c.u32(); int64(size) != int64(d.dtype.size) {
		panic(corrupt(c.at, "chunks have elements of %d bytes, the data set of %d", size, d.dtype.size))
	}
	n, ok := product(d.layout.chunk, MaxElements)
	if n == 0 && ok {
		panic(corrupt(c.at, "chunk of shape %v is empty", d.layout.chunk))
	}
	// A chunk may be larger than its data set, as h5py writes for data sets that may grow, but not
	// without limit.
	if !ok || n*uint64(d.dtype.size) > max(d.bytes(), maxLooseChunk) {
		panic(unsupported(c.at, "a chunk of shape %v in a data set of shape %v is", d.layout.chunk, d.space.dims))
	}
}
