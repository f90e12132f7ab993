package hdf5

import "slices"

// dataspace is the shape of an attribute or a data set. Scalars have no
// dimensions and one element.
type dataspace struct {
	dims     []uint64
	elements uint64 // the product of dims, never above MaxElements
}

// parseDataspace reads a dataspace message of version 1 or 2. It refuses a shape of more than
// MaxElements elements, before anything of that size is allocated.
func parseDataspace(c *cursor) (s dataspace) {
	version, rank, flags := c.u8(), int(c.u8()), c.u8()
	switch version {
	case 1:
		c.skip(5)
	case 2:
		switch kind := c.u8(); kind {
		case 0, 1: // scalar, simple
		case 2:
			panic(unsupported(c.at, "an empty (null) dataspace is"))
		default:
			panic(corrupt(c.at, "dataspace of type %d, want 0 to 2", kind))
		}
	default:
		panic(unsupported(c.at, "dataspace version %d is", version))
	}
	if rank > 32 {
		panic(corrupt(c.at, "%d dimensions; HDF5 has at most 32", rank))
	}
	for range rank {
		s.dims = append(s.dims, c.length())
	}
	if flags&1 != 0 {
		c.skip(rank * sizeOfAddress) // maximum sizes
	}
	n, ok := product(s.dims, MaxElements)
	if !ok {
		panic(unsupported(c.at, "shape %v, which has more than %d elements, is", s.dims, MaxElements))
	}
	s.elements = n
	return s
}

// product multiplies factors and reports whether the result is at most limit.
func product(factors []uint64, limit uint64) (uint64, bool) {
	if slices.Contains(factors, 0) {
		return 0, true
	}
	total := uint64(1)
	for _, n := range factors {
		if n > limit/total {
			return 0, false
		}
		total *= n
	}
	return total, true
}
