package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// attribute is a parsed attribute message; raw is its data in the file's form.
type attribute struct {
	name  string
	dtype *cursor
	space *cursor
	raw   *cursor
}

// Strings reads an attribute that holds strings. ok is false where the group
// has no attribute of that name. A scalar gives one string.
func (g *Group) Strings(name string) (values []string, ok bool, err error) {
	values, ok, err = g.strings(name)
	return values, ok, within(g.path, err)
}

// String reads an attribute that holds one string.
func (g *Group) String(name string) (value string, ok bool, err error) {
	values, ok, err := g.Strings(name)
	if err != nil || !ok {
		return "", ok, err
	}
	if len(values) != 1 {
		return "", true, within(g.path, corrupt(g.header.address, "attribute %q holds %d strings, not one", name, len(values)))
	}
	return values[0], true, nil
}

func (g *Group) strings(name string) ([]string, bool, error) {
	var found *attribute
	for _, m := range g.header.messages {
		if m.kind != msgAttribute {
			continue
		}
		if m.flags&flagShared != 0 {
			return nil, false, unsupported(m.body.at, "a shared attribute message is")
		}
		body := *m.body
		a, err := parseAttribute(&body)
		if err != nil {
			return nil, false, err
		}
		if a.name == name {
			found = a
			break
		}
	}
	if found == nil {
		return nil, false, g.denseAttributes()
	}
	values, err := g.file.attributeStrings(found)
	if err != nil {
		return nil, true, aboutAttribute(name, err)
	}
	return values, true, nil
}

func aboutAttribute(name string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.What = fmt.Sprintf("attribute %q: %s", name, e.What)
	}
	return err
}

// denseAttributes refuses a group that keeps attributes outside its header,
// where one that was asked for may be.
func (g *Group) denseAttributes() error {
	c, err := g.header.find(msgAttributeInfo, "attribute info")
	if err != nil || c == nil {
		return err
	}
	c.skip(1)
	if flags := c.u8(); flags&1 != 0 {
		c.skip(2) // largest creation order
	}
	heap := c.address()
	if err := c.err(); err != nil {
		return err
	}
	if heap != undefined {
		return unsupported(c.at, "dense attribute storage (a fractal heap) is")
	}
	return nil
}

// parseAttribute splits an attribute message of version 1, 2 or 3 into its parts.
func parseAttribute(c *cursor) (*attribute, error) {
	c.what = "attribute"
	version, flags := c.u8(), c.u8()
	nameSize, typeSize, spaceSize := int(c.u16()), int(c.u16()), int(c.u16())
	if err := c.err(); err != nil {
		return nil, err
	}
	align := func() {}
	switch version {
	case 1:
		flags = 0 // reserved in version 1
		align = c.align
	case 2:
	case 3:
		c.skip(1) // character set of the name
	default:
		return nil, unsupported(c.at, "attribute version %d is", version)
	}
	name := c.take(nameSize)
	align()
	dtype := c.sub(typeSize, "attribute datatype")
	align()
	space := c.sub(spaceSize, "attribute dataspace")
	align()
	if err := c.err(); err != nil {
		return nil, err
	}
	a := &attribute{name: string(cutNUL(name)), dtype: dtype, space: space}
	if flags&3 != 0 {
		return nil, aboutAttribute(a.name, unsupported(c.at, "a shared datatype or dataspace is"))
	}
	a.raw = c.sub(c.left(), "attribute data")
	return a, nil
}

func (f *File) attributeStrings(a *attribute) ([]string, error) {
	t, err := parseDatatype(a.dtype)
	if err != nil {
		return nil, err
	}
	space, err := parseDataspace(a.space)
	if err != nil {
		return nil, err
	}
	if t.kind == kindFloat {
		return nil, unsupported(a.dtype.at, "a floating-point attribute where strings are expected is")
	}
	if need := space.elements * uint64(t.size); need > uint64(a.raw.left()) {
		return nil, corrupt(a.raw.at, "%d strings of %d bytes in %d bytes", space.elements, t.size, a.raw.left())
	}
	values := make([]string, 0, space.elements)
	for range space.elements {
		var b []byte
		if t.kind == kindFixedString {
			b = trimFixed(a.raw.take(t.size), t.pad)
		} else if b, err = f.varString(a.raw); err != nil {
			return nil, err
		}
		values = append(values, string(b))
	}
	return values, nil
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
func (f *File) varString(c *cursor) ([]byte, error) {
	at := c.offset()
	length, address, index := c.u32(), c.address(), c.u32()
	if err := c.err(); err != nil {
		return nil, err
	}
	if length == 0 {
		return nil, nil
	}
	// The same value may be referred to any number of times.
	if err := f.charge(at, int64(length)); err != nil {
		return nil, err
	}
	h, err := f.readGlobalHeap(address)
	if err != nil {
		return nil, err
	}
	o, ok := h.objects[index]
	if !ok {
		return nil, corrupt(at, "global heap at %#x has no object %d", address, index)
	}
	if int64(length) > int64(len(o.data)) {
		return nil, corrupt(o.at, "string of %d bytes in a heap object of %d", length, len(o.data))
	}
	return cutNUL(o.data[:length]), nil
}

func cutNUL(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte{0})
	return b
}

// splitPath cuts a path like "dense/kernel:0" at its slashes.
func splitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
