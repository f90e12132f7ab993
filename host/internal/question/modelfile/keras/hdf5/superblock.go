package hdf5

const signature = "\x89HDF\r\n\x1a\n"

// IsHDF5 reports whether a file that begins with head is an HDF5 file.
func IsHDF5(head []byte) bool {
	return len(head) >= len(signature) && string(head[:len(signature)]) == signature
}

// readSuperblock sets the end of the file and returns the address of the root group's header
// ("Disk Format: Level 0A").
func (f *file) readSuperblock() (root int64) {
	c := f.structure(0, uint64(min(f.limit, 128)), "superblock")
	if !IsHDF5(c.b) {
		panic(corrupt(0, "not an HDF5 file: the signature is missing at its start (files with a user block are not supported)"))
	}
	c.skip(len(signature))
	switch version := c.u8(); version {
	case 0, 1:
		c.skip(4) // versions of free space, root entry, and shared header; reserved
		sizes(c)
		c.skip(1 + 2 + 2 + 4) // reserved, leaf and internal K, consistency flags
		if version == 1 {
			c.skip(4) // K of chunk trees, reserved
		}
		base := c.address()
		c.address() // free space
		end := c.address()
		c.address() // driver information
		f.bounds(base, end)
		c.address() // name of the root entry
		root = c.address()
	case 2, 3:
		sizes(c)
		c.skip(1) // consistency flags
		base := c.address()
		c.address() // extension
		end := c.address()
		root = c.address()
		sum := c.b[:c.pos]
		if stored := c.u32(); stored != lookup3(sum) {
			panic(corrupt(0, "superblock checksum %#x does not match its content", stored))
		}
		f.bounds(base, end)
	default:
		panic(unsupported(8, "superblock version %d is", version))
	}
	return root
}

// sizes refuses offsets or lengths that do not have sizeOfAddress bytes.
func sizes(c *cursor) {
	if o, l := c.u8(), c.u8(); o != sizeOfAddress || l != sizeOfAddress {
		panic(unsupported(c.at, "superblock with offsets of %d and lengths of %d bytes is", o, l))
	}
}

// bounds checks base address and end of file. Bytes after the end are never read.
func (f *file) bounds(base, end int64) {
	if base != 0 {
		panic(unsupported(0, "superblock with base address %d is", base))
	}
	if end == undefined || end > f.limit {
		panic(corrupt(0, "the file has %[2]d bytes, but its superblock puts its end at %[1]d (-1: undefined): it is truncated or corrupt", end, f.limit))
	}
	f.limit = end
}
