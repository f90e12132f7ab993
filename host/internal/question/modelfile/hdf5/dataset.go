package hdf5

// Dataset is a data set of floating-point numbers.
type Dataset struct {
	file    *File
	path    string
	address int64
	dtype   datatype
	space   dataspace
	layout  layout
	filters []filter
}

// Path is the absolute path of the data set.
func (d *Dataset) Path() string { return d.path }

// Shape gives the extent of each dimension, the slowest first; it is empty for a scalar.
func (d *Dataset) Shape() []int {
	shape := make([]int, len(d.space.dims))
	for i, n := range d.space.dims {
		shape[i] = int(n)
	}
	return shape
}

// Bits is the width of the stored numbers: 32 or 64.
func (d *Dataset) Bits() int { return 8 * d.dtype.size }

// Floats reads all the numbers, the last dimension running fastest. NaN and
// infinities are given as they are stored. The numbers count against the
// file's MaxElements each time they are read.
func (d *Dataset) Floats() ([]float64, error) {
	if d.space.elements > uint64(d.file.elementsLeft) {
		return nil, within(d.path, unsupported(d.address, "a file with more than %d numbers in the data sets that are read is", MaxElements))
	}
	d.file.elementsLeft -= int64(d.space.elements)
	if d.space.elements == 0 {
		return nil, nil
	}
	var values []float64
	var err error
	if d.layout.class == layoutChunked {
		values, err = d.readChunks()
	} else {
		values, err = d.readWhole()
	}
	return values, within(d.path, err)
}

func (d *Dataset) bytes() uint64 { return d.space.elements * uint64(d.dtype.size) }

// readWhole reads data stored in one piece.
func (d *Dataset) readWhole() ([]float64, error) {
	raw := d.layout.compact
	if d.layout.class == layoutContiguous {
		if d.layout.address == undefined {
			return nil, corrupt(d.address, "the data set was never written")
		}
		if d.layout.size != d.bytes() {
			return nil, corrupt(d.layout.address, "%d bytes of data for shape %v of %d-bit numbers", d.layout.size, d.space.dims, d.Bits())
		}
		var err error
		if raw, err = d.file.data(d.layout.address, d.bytes(), "data"); err != nil {
			return nil, err
		}
	}
	if uint64(len(raw)) != d.bytes() {
		return nil, corrupt(d.address, "%d bytes of data for shape %v of %d-bit numbers", len(raw), d.space.dims, d.Bits())
	}
	values := make([]float64, d.space.elements)
	for i := range values {
		values[i] = d.dtype.float(raw[i*d.dtype.size:])
	}
	return values, nil
}

// Storage classes of a data layout message.
const (
	layoutCompact    = 0
	layoutContiguous = 1
	layoutChunked    = 2
)

// layout says where the data is.
type layout struct {
	class   uint8
	address int64    // contiguous: the data; chunked: the B-tree
	size    uint64   // contiguous
	compact []byte   // compact
	chunk   []uint64 // chunked: extent of a chunk in each dimension
}

func (f *File) openDataset(path string, address int64) (*Dataset, error) {
	h, err := f.readHeader(address)
	if err != nil {
		return nil, err
	}
	d := &Dataset{file: f, path: path, address: address}
	part := func(kind int, what string, parse func(*cursor) error) {
		if err != nil {
			return
		}
		var c *cursor
		if c, err = h.find(kind, what); err != nil {
			return
		}
		if c == nil {
			err = corrupt(address, "not a data set: it has no %s", what)
			return
		}
		err = parse(c)
	}
	part(msgDatatype, "datatype", func(c *cursor) error {
		t, err := parseDatatype(c)
		if err == nil && t.kind != kindFloat {
			err = unsupported(c.at, "a data set of strings is")
		}
		d.dtype = t
		return err
	})
	part(msgDataspace, "dataspace", func(c *cursor) (err error) {
		d.space, err = parseDataspace(c)
		return err
	})
	part(msgLayout, "data layout", d.parseLayout)
	if err != nil {
		return nil, err
	}
	if c, err := h.find(msgExternalFiles, "external files"); err != nil || c != nil {
		if err == nil {
			err = unsupported(address, "data in external files is")
		}
		return nil, err
	}
	c, err := h.find(msgFilters, "filter pipeline")
	if err != nil {
		return nil, err
	}
	if c != nil {
		if d.layout.class != layoutChunked {
			return nil, corrupt(address, "filters on data that is not chunked")
		}
		d.filters, err = parseFilters(c)
	}
	return d, err
}

func (d *Dataset) parseLayout(c *cursor) error {
	version := c.u8()
	if version != 3 && version != 4 {
		return unsupported(c.at, "data layout version %d (3 is read; h5py's libver=\"latest\" writes newer ones) is", version)
	}
	l := &d.layout
	switch l.class = c.u8(); l.class {
	case layoutCompact:
		l.compact = c.take(int(c.u16()))
	case layoutContiguous:
		l.address, l.size = c.address(), c.length()
	case layoutChunked:
		if version != 3 {
			return unsupported(c.at, "a chunk index of data layout version 4 (h5py's libver=\"latest\") is")
		}
		return d.parseChunking(c)
	default:
		return unsupported(c.at, "data layout class %d is", l.class)
	}
	return c.err()
}

func (d *Dataset) parseChunking(c *cursor) error {
	rank := int(c.u8()) - 1 // the last dimension is the size of an element
	d.layout.address = c.address()
	if rank != len(d.space.dims) || rank < 1 {
		return corrupt(c.at, "chunks of %d dimensions in a data set of %d", rank, len(d.space.dims))
	}
	for range rank {
		d.layout.chunk = append(d.layout.chunk, uint64(c.u32()))
	}
	size := c.u32()
	if err := c.err(); err != nil {
		return err
	}
	if int64(size) != int64(d.dtype.size) {
		return corrupt(c.at, "chunks of %d-byte elements in a data set of %d-byte ones", size, d.dtype.size)
	}
	n, ok := product(d.layout.chunk, MaxElements)
	if n == 0 && ok {
		return corrupt(c.at, "chunk of shape %v", d.layout.chunk)
	}
	// A chunk may be larger than the data set only as far as a growing data set needs it.
	if !ok || n*uint64(d.dtype.size) > max(d.bytes(), maxLooseChunk) {
		return unsupported(c.at, "a chunk of shape %v in a data set of shape %v is", d.layout.chunk, d.space.dims)
	}
	return nil
}
