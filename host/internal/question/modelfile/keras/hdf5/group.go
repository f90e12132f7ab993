package hdf5

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
)

// maxDepth is the maximum depth of a group below the root.
const maxDepth = 64

// Group is a group of the file with its attributes.
type Group struct {
	file      *file
	path      string
	header    *header
	ancestors []int64 // header addresses, from the root to this group
	members   map[string]member
}

// member is a link to an object, or the name of a link kind that is not followed.
type member struct {
	address int64
	refused string
}

// Path is the absolute path of the group; "/" for the root.
func (g *Group) Path() string { return g.path }

// Names lists the members in order of their names.
func (g *Group) Names() []string { return slices.Sorted(maps.Keys(g.members)) }

// Has reports whether the group has a member of that name.
func (g *Group) Has(name string) bool {
	_, ok := g.members[name]
	return ok
}

// Group opens the group at a path below g.
func (g *Group) Group(below string) *Group {
	for _, name := range strings.FieldsFunc(below, func(r rune) bool { return r == '/' }) {
		address, full := g.lookup(name)
		g = g.file.openGroup(full, address, g.ancestors)
	}
	return g
}

// Dataset opens the data set at a path below g. Only Floats reads its data.
func (g *Group) Dataset(below string) *Dataset {
	parents, name := path.Split(strings.TrimRight(below, "/"))
	if name == "" {
		fault.Check(&Error{Path: g.path, Offset: g.header.address, What: "a data set's name is empty", kind: ErrNotFound})
	}
	g = g.Group(parents)
	address, full := g.lookup(name)
	return g.file.openDataset(full, address)
}

func (g *Group) lookup(name string) (address int64, full string) {
	full = strings.TrimSuffix(g.path, "/") + "/" + name
	m, ok := g.members[name]
	if !ok {
		what := fmt.Sprintf("no member %q among %d: %.200q", name, len(g.members), g.Names())
		fault.Check(&Error{Path: g.path, Offset: g.header.address, What: what, kind: ErrNotFound})
	}
	if m.refused != "" {
		defer located(full, "")
		panic(unsupported(g.header.address, "%s is", m.refused))
	}
	return m.address, full
}

func (f *file) openGroup(path string, address int64, above []int64) *Group {
	defer located(path, "")
	if slices.Contains(above, address) {
		panic(corrupt(address, "the group is its own ancestor: a cycle"))
	}
	if len(above) >= maxDepth {
		panic(unsupported(address, "a group more than %d levels deep is", maxDepth))
	}
	g := &Group{
		file: f, path: path, header: f.readHeader(address),
		ancestors: append(slices.Clone(above), address),
		members:   make(map[string]member),
	}
	g.readMembers()
	return g
}

// readMembers reads a group's links, from a symbol table or from its header.
func (g *Group) readMembers() {
	if table := g.header.find(msgSymbolTable, "symbol table"); table != nil {
		tree, heap := table.address(), table.address()
		names := g.file.readLocalHeap(heap)
		g.file.walkTree(tree, treeOfGroup, sizeOfAddress, func(_ *cursor, node int64) {
			g.readSymbols(node, names)
		})
		return
	}
	info := g.header.find(msgLinkInfo, "link info")
	if info == nil {
		panic(corrupt(g.header.address, "not a group: it has neither a symbol table nor links"))
	}
	refuseDense(info, 8, "link")
	for _, m := range g.header.messages {
		if m.kind == msgLink {
			g.readLink(&m.body)
		}
	}
}

// refuseDense refuses an object whose links or attributes are in a fractal heap. c is a link info
// or attribute info message; order is the size in bytes of its maximum creation index.
func refuseDense(c *cursor, order int, what string) {
	c.skip(1)
	if flags := c.u8(); flags&1 != 0 {
		c.skip(order)
	}
	if heap := c.address(); heap != undefined {
		panic(unsupported(c.at, "dense %s storage (a fractal heap) is", what))
	}
}

func (g *Group) add(at int64, name string, m member) {
	if name == "" || strings.Contains(name, "/") {
		panic(corrupt(at, "member with the invalid name %q", name))
	}
	if g.Has(name) {
		panic(corrupt(at, "two members with the name %q", name))
	}
	g.members[name] = m
}

// readLink reads a link message of version 1.
func (g *Group) readLink(c *cursor) {
	c.what = "link"
	version, flags := c.u8(), c.u8()
	var kind uint8 // 0: hard
	if flags&0x08 != 0 {
		kind = c.u8()
	}
	if flags&0x04 != 0 {
		c.skip(8) // creation order
	}
	if flags&0x10 != 0 {
		c.skip(1) // character set
	}
	n := c.uint(1 << (flags & 3))
	name := string(c.take(int(min(n, maxStructure))))
	var m member
	switch kind {
	case 0:
		m.address = c.address()
	case 1:
		m.refused = "a soft link"
	case 64:
		m.refused = "an external link"
	default:
		m.refused = fmt.Sprintf("a link of type %d", kind)
	}
	if version != 1 {
		panic(unsupported(c.at, "link version %d is", version))
	}
	g.add(c.at, name, m)
}

// readSymbols reads a symbol table node, which is a leaf of the B-tree of a group.
func (g *Group) readSymbols(address int64, names *cursor) {
	const what = "symbol table node"
	c := g.file.signed(address, 8, "SNOD", what)
	if v := c.u8(); v != 1 {
		panic(unsupported(address, "symbol table node version %d is", v))
	}
	c.skip(1)
	count := uint64(c.u16())
	c = g.file.structure(address, 8+count*(2*sizeOfAddress+8+16), what)
	c.skip(8)
	for range count {
		at := c.offset()
		offset, m := c.address(), member{address: c.address()}
		if cached := c.u32(); cached == 2 {
			m.refused = "a soft link"
		}
		c.skip(4 + 16)
		g.add(at, nameAt(names, offset), m)
	}
}
