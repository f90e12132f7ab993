package hdf5

import "slices"

// maxLooseChunk is the maximum size in bytes of a chunk that is larger than its data set. h5py
// chooses chunks of at most 1 MiB.
const maxLooseChunk = 4 << 20

// chunk is one entry of a chunk tree: the place in the file of a part of the data set.
type chunk struct {
	address int64
	size    uint32   // in the file, after the filters
	mask    uint32   // bit i: filter i was not applied
	start   []uint64 // indices of its first element in the data set
}

// readChunks lists the chunks, checks that they tile the data set, and only then allocates the
// numbers.
func (d *Dataset) readChunks() []float64 {
	if d.layout.address == undefined {
		panic(corrupt(d.address, "the data set was never written"))
	}
	chunks := d.listChunks()
	elements, _ := product(d.layout.chunk, MaxElements)
	size := elements * uint64(d.dtype.size)
	// Otherwise a header alone could request any amount of memory.
	for _, c := range chunks {
		d.justify(c, size)
	}
	values := make([]float64, d.space.elements)
	for _, c := range chunks {
		stored := d.file.data(c.address, uint64(c.size), "chunk")
		d.scatter(values, c.start, unfilter(d.filters, c, stored, size))
	}
	return values
}

// justify checks that a chunk's bytes in the file can expand to its full size.
func (d *Dataset) justify(c chunk, size uint64) {
	d.file.check(c.address, uint64(c.size), "chunk")
	most := uint64(c.size)
	for i, f := range d.filters {
		if f.id == filterDeflate && c.mask>>i&1 == 0 {
			most = most*maxExpansion + maxExpansion
		}
	}
	if size > most {
		panic(corrupt(c.address, "chunk of %d bytes cannot expand to the %d of its shape %v", c.size, size, d.layout.chunk))
	}
}

// listChunks reads the chunk tree. Each place of the grid must occur exactly once: no saved
// network has unwritten chunks, so they are errors.
func (d *Dataset) listChunks() (chunks []chunk) {
	grid := make([]uint64, len(d.space.dims))
	for i, n := range d.space.dims {
		grid[i] = (n-1)/d.layout.chunk[i] + 1 // n > 0: an empty data set never comes here
	}
	want, ok := product(grid, MaxElements)
	if !ok {
		panic(corrupt(d.address, "shape %v has more than %d chunks of shape %v", d.space.dims, MaxElements, d.layout.chunk))
	}
	seen := map[uint64]bool{}
	keySize := 8 + 8*(len(grid)+1)
	d.file.walkTree(d.layout.address, treeOfChunks, keySize, func(key *cursor, child int64) {
		c := chunk{address: child, size: key.u32(), mask: key.u32()}
		var place uint64
		for i, n := range grid {
			at := key.uint(8)
			if at%d.layout.chunk[i] != 0 || at >= d.space.dims[i] {
				panic(corrupt(key.at, "chunk at index %d of dimension %d, want a multiple of %[4]d below %[3]d", at, i, d.space.dims[i], d.layout.chunk[i]))
			}
			c.start = append(c.start, at)
			place = place*n + at/d.layout.chunk[i]
		}
		if seen[place] {
			panic(corrupt(key.at, "two chunks at %v", c.start))
		}
		seen[place] = true
		chunks = append(chunks, c)
	})
	if uint64(len(chunks)) != want {
		panic(corrupt(d.layout.address, "%d of %d chunks were written", len(chunks), want))
	}
	return chunks
}

// scatter copies the elements of a chunk that lie inside the data set to their place.
func (d *Dataset) scatter(values []float64, start []uint64, raw []byte) {
	for from := uint64(0); len(raw) > 0; from++ {
		to, stride, rest, inside := uint64(0), uint64(1), from, true
		for i, n := range slices.Backward(d.layout.chunk) {
			at := start[i] + rest%n
			inside = inside && at < d.space.dims[i]
			to += at * stride
			rest, stride = rest/n, stride*d.space.dims[i]
		}
		if inside {
			values[to] = d.dtype.float(raw)
		}
		raw = raw[d.dtype.size:]
	}
}
