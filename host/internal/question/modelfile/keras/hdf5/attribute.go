package hdf5

import (
	"bytes"
	"fmt"
)

// attribute is a parsed attribute message; raw is its data in the file's form.
type attribute struct {
	name              string
	dtype, space, raw *cursor
}

// Strings reads an attribute that holds strings; a scalar is read as one string. ok is false if
// the group has no attribute of that name.
func (g *Group) Strings(name string) (values []string, ok bool) {
	defer located(g.path, "")
	for _, m := range g.header.messages {
		if m.kind != msgAttribute {
			continue
		}
		if m.flags&flagShared != 0 {
			panic(unsupported(m.body.at, "a shared attribute message is"))
		}
		if a := parseAttribute(&m.body); a.name == name {
			return g.attributeStrings(a), true
		}
	}
	// The attribute may be stored outside the header.
	if info := g.header.find(msgAttributeInfo, "attribute info"); info != nil {
		refuseDense(info, 2, "attribute")
	}
	return nil, false
}

// String reads an attribute that holds one string.
func (g *Group) String(name string) (value string, ok bool) {
	defer located(g.path, "")
	values, ok := g.Strings(name)
	if !ok {
		return "", false
	}
	if len(values) != 1 {
		panic(corrupt(g.header.address, "attribute %q holds %d strings, want one", name, len(values)))
	}
	return values[0], true
}

// parseAttribute splits an attribute message of version 1, 2 or 3 into its parts.
func parseAttribute(c *cursor) attribute {
	c.what = "attribute"
	version, flags := c.u8(), c.u8()
	nameSize, typeSize, spaceSize := int(c.u16()), int(c.u16()), int(c.u16())
	align := func() {}
	switch version {
	case 1:
		flags = 0 // reserved in version 1
		align = c.align
	case 2:
	case 3:
		c.skip(1) // character set of the name
	default:
		panic(unsupported(c.at, "attribute version %d is", version))
	}
	a := attribute{name: string(cutNUL(c.take(nameSize)))}
	align()
	a.dtype = c.sub(typeSize, "attribute datatype")
	align()
	a.space = c.sub(spaceSize, "attribute dataspace")
	align()
	if flags&3 != 0 {
		panic(unsupported(c.at, "attribute %q: a shared datatype or dataspace is", a.name))
	}
	a.raw = c.sub(c.left(), "attribute data")
	return a
}

func (g *Group) attributeStrings(a attribute) []string {
	defer located(g.path, fmt.Sprintf("attribute %q: ", a.name))
	t := parseDatatype(a.dtype)
	space := parseDataspace(a.space)
	if t.kind == kindFloat {
		panic(unsupported(a.dtype.at, "a floating-point attribute where strings are expected is"))
	}
	if need := space.elements * uint64(t.size); need > uint64(a.raw.left()) {
		panic(corrupt(a.raw.at, "%d strings of %d bytes do not fit into %d bytes", space.elements, t.size, a.raw.left()))
	}
	values := make([]string, space.elements)
	for i := range values {
		if t.kind == kindFixedString {
			values[i] = string(trimFixed(a.raw.take(t.size), t.pad))
		} else {
			values[i] = string(g.file.varString(a.raw))
		}
	}
	return values
}

// trimFixed removes the padding of a fixed-length string.
func trimFixed(b []byte, pad uint8) []byte {
	if pad == 2 {
		return bytes.TrimRight(b, " ")
	}
	if pad == 1 { // NUL-padded: only the tail is padding
		return bytes.TrimRight(b, "\x00")
	}
	return cutNUL(b)
}

// varString follows one variable-length reference into the global heap.
func (f *file) varString(c *cursor) []byte {
	at := c.offset()
	length, address, index := c.u32(), c.address(), c.u32()
	if length == 0 {
		return nil
	}
	// A file may refer to one value any number of times, so each reference is charged.
	f.charge(at, int64(length))
	o := f.readGlobalHeap(address)[index]
	if o == nil {
		panic(corrupt(at, "global heap at %#x has no object %d", address, index))
	}
	if int64(length) > int64(len(o.b)) {
		panic(corrupt(o.at, "a string of %d bytes does not fit into its heap object of %d", length, len(o.b)))
	}
	return cutNUL(o.b[:length])
}

func cutNUL(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte{0})
	return b
}
