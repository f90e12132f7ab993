package hdf5

// maxLooseChunk is the size in bytes up to which a chunk may exceed its data
// set: h5py's own choice is at most 1 MiB.
const maxLooseChunk = 4 << 20

// chunk is one entry of a chunk tree: where a piece of the data set is stored.
type chunk struct {
	address int64
	size    uint32   // stored, after the filters
	mask    uint32   // bit i: filter i was left out
	start   []uint64 // of its first element in the data set
}

// readChunks lists the chunks, checks that they tile the data set, and only
// then makes room for the numbers.
func (d *Dataset) readChunks() ([]float64, error) {
	if d.layout.address == undefined {
		return nil, corrupt(d.address, "the data set was never written")
	}
	chunks, err := d.listChunks()
	if err != nil {
		return nil, err
	}
	elements, _ := product(d.layout.chunk, MaxElements)
	size := elements * uint64(d.dtype.size)
	// Without this, a header alone could ask for any amount of memory.
	for _, c := range chunks {
		if err := d.justified(c, size); err != nil {
			return nil, err
		}
	}
	values := make([]float64, d.space.elements)
	for _, c := range chunks {
		stored, err := d.file.data(c.address, uint64(c.size), "chunk")
		if err != nil {
			return nil, err
		}
		raw, err := unfilter(d.filters, c, stored, size)
		if err != nil {
			return nil, err
		}
		d.scatter(values, c.start, raw)
	}
	return values, nil
}

// justified checks that what is stored of a chunk can give its full size.
func (d *Dataset) justified(c chunk, size uint64) error {
	if err := d.file.check(c.address, uint64(c.size), "chunk"); err != nil {
		return err
	}
	most := uint64(c.size)
	for i, f := range d.filters {
		if f.id == filterDeflate && c.mask>>i&1 == 0 {
			most = most*maxExpansion + maxExpansion
		}
	}
	if size > most {
		return corrupt(c.address, "chunk of %d bytes cannot hold the %d that its shape %v takes", c.size, size, d.layout.chunk)
	}
	return nil
}

// listChunks reads the chunk tree. Each place of the grid must be there once:
// parts that were never written are not filled in, since no saved network has any.
func (d *Dataset) listChunks() ([]chunk, error) {
	grid := make([]uint64, len(d.space.dims))
	for i, n := range d.space.dims {
		grid[i] = (n-1)/d.layout.chunk[i] + 1 // n > 0: an empty data set never comes here
	}
	want, ok := product(grid, MaxElements)
	if !ok {
		return nil, corrupt(d.address, "shape %v in chunks of %v", d.space.dims, d.layout.chunk)
	}
	var chunks []chunk
	seen := map[uint64]bool{}
	keySize := 8 + 8*(len(grid)+1)
	err := d.file.walkTree(d.layout.address, treeOfChunks, keySize, func(key *cursor, child int64) error {
		c := chunk{address: child, size: key.u32(), mask: key.u32()}
		var place uint64
		for i, n := range grid {
			at := key.uint(8)
			if at%d.layout.chunk[i] != 0 || at >= d.space.dims[i] {
				return corrupt(key.at, "chunk at %d of dimension %d, which has %d in steps of %d", at, i, d.space.dims[i], d.layout.chunk[i])
			}
			c.start = append(c.start, at)
			place = place*n + at/d.layout.chunk[i]
		}
		if seen[place] {
			return corrupt(key.at, "two chunks at %v", c.start)
		}
		seen[place] = true
		chunks = append(chunks, c)
		return key.err()
	})
	if err != nil {
		return nil, err
	}
	if uint64(len(chunks)) != want {
		return nil, corrupt(d.layout.address, "%d of %d chunks were written", len(chunks), want)
	}
	return chunks, nil
}

// scatter copies the part of a chunk that lies inside the data set to its
// place, one run along the last dimension after the other.
func (d *Dataset) scatter(values []float64, start []uint64, raw []byte) {
	dims, extent := d.space.dims, d.layout.chunk
	last := len(dims) - 1
	run := min(extent[last], dims[last]-start[last])
	index := make([]uint64, last) // within the chunk, all dimensions but the last
	for {
		var from, to uint64
		for i, n := range index {
			from = from*extent[i] + n
			to = to*dims[i] + start[i] + n
		}
		from *= extent[last]
		to = to*dims[last] + start[last]
		for k := range run {
			values[to+k] = d.dtype.float(raw[(from+k)*uint64(d.dtype.size):])
		}
		i := last - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < min(extent[i], dims[i]-start[i]) {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return
		}
	}
}
