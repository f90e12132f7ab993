package hdf5

const signature = "\x89HDF\r\n\x1a\n"

// IsHDF5 reports whether a file that begins with head is an HDF5 file.
func IsHDF5(head []byte) bool {
	return len(head) >= len(signature) && string(head[:len(signature)]) == signature
}

// readSuperblock fills in the sizes, the end of file and the root group's
// header ("Disk Format: Level 0A").
func (f *File) readSuperblock() error {
	const what = "superblock"
	c, err := f.structure(0, uint64(min(f.limit, 128)), what)
	if err != nil {
		return err
	}
	if !IsHDF5(c.take(len(signature))) {
		return corrupt(0, "not an HDF5 file: the signature is missing (a file with a user block before it is not read)")
	}
	version := c.u8()
	switch version {
	case 0, 1:
		err = f.superblock0(c, version)
	case 2, 3:
		err = f.superblock2(c)
	default:
		err = unsupported(8, "superblock version %d is", version)
	}
	if err == nil {
		err = c.err()
	}
	return err
}

func (f *File) superblock0(c *cursor, version uint8) error {
	c.skip(4) // versions of free space, root entry, and shared header; reserved
	if err := f.sizes(c); err != nil {
		return err
	}
	c.skip(1 + 2 + 2 + 4) // reserved, leaf and internal K, consistency flags
	if version == 1 {
		c.skip(4) // K of chunk trees, reserved
	}
	base := c.address()
	c.address() // free space
	end := c.address()
	c.address() // driver information
	if err := f.bounds(c, base, end); err != nil {
		return err
	}
	c.address() // name of the root entry
	f.rootHeader = c.address()
	return nil
}

func (f *File) superblock2(c *cursor) error {
	if err := f.sizes(c); err != nil {
		return err
	}
	c.skip(1) // consistency flags
	base := c.address()
	c.address() // extension
	end := c.address()
	f.rootHeader = c.address()
	sum := c.b[:c.pos]
	if stored := c.u32(); !c.short && stored != lookup3(sum) {
		return corrupt(0, "superblock checksum %#x does not match its content", stored)
	}
	return f.bounds(c, base, end)
}

func (f *File) sizes(c *cursor) error {
	o, l := int(c.u8()), int(c.u8())
	if err := c.err(); err != nil {
		return err
	}
	if o != 4 && o != 8 || l != 4 && l != 8 {
		return unsupported(c.at, "superblock with offsets of %d and lengths of %d bytes is", o, l)
	}
	f.offsetSize, f.lengthSize = o, l
	c.offsetSize, c.lengthSize = o, l
	return nil
}

// bounds checks base address and end of file; what follows the end is not part
// of the file and is never looked at.
func (f *File) bounds(c *cursor, base, end int64) error {
	if err := c.err(); err != nil {
		return err
	}
	if base != 0 {
		return unsupported(c.at, "superblock with base address %d is", base)
	}
	if end == undefined || end > f.limit {
		return corrupt(c.at, "the file is truncated: it should have %d bytes and has %d", end, f.limit)
	}
	f.limit = end
	return nil
}
