package hdf5

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxDepth bounds how deep below the root an object may lie.
const maxDepth = 64

// Group is a group of the file with its attributes.
type Group struct {
	file      *File
	path      string
	header    *header
	ancestors []int64 // header addresses, from the root to this group
	members   map[string]member
}

// member is a link to an object, or the name of a kind of link that is not followed.
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
func (g *Group) Group(path string) (*Group, error) {
	parts := splitPath(path)
	for _, name := range parts {
		address, full, err := g.lookup(name)
		if err != nil {
			return nil, err
		}
		if g, err = g.file.openGroup(full, address, g.ancestors); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Dataset opens the data set at a path below g; its data stays in the file
// until Floats is called.
func (g *Group) Dataset(path string) (*Dataset, error) {
	parts := splitPath(path)
	if len(parts) == 0 {
		return nil, &Error{Path: g.path, Offset: g.header.address, What: "a data set's name is empty", kind: ErrNotFound}
	}
	last := len(parts) - 1
	g, err := g.Group(strings.Join(parts[:last], "/"))
	if err != nil {
		return nil, err
	}
	address, full, err := g.lookup(parts[last])
	if err != nil {
		return nil, err
	}
	d, err := g.file.openDataset(full, address)
	return d, within(full, err)
}

func (g *Group) lookup(name string) (address int64, full string, err error) {
	full = strings.TrimSuffix(g.path, "/") + "/" + name
	m, ok := g.members[name]
	if !ok {
		what := fmt.Sprintf("no member %q; there are %d: %.200q", name, len(g.members), g.Names())
		return 0, full, &Error{Path: g.path, Offset: g.header.address, What: what, kind: ErrNotFound}
	}
	if m.refused != "" {
		return 0, full, within(full, unsupported(g.header.address, "%s is", m.refused))
	}
	return m.address, full, nil
}

func (f *File) openGroup(path string, address int64, above []int64) (*Group, error) {
	if slices.Contains(above, address) {
		return nil, within(path, corrupt(address, "the group is its own ancestor: a cycle"))
	}
	if len(above) >= maxDepth {
		return nil, within(path, unsupported(address, "a group more than %d levels deep is", maxDepth))
	}
	h, err := f.readHeader(address)
	if err != nil {
		return nil, within(path, err)
	}
	g := &Group{
		file: f, path: path, header: h,
		ancestors: append(slices.Clone(above), address),
		members:   make(map[string]member),
	}
	return g, within(path, g.readMembers())
}

// readMembers lists the links, which a group has in a symbol table or in its header.
func (g *Group) readMembers() error {
	table, err := g.header.find(msgSymbolTable, "symbol table")
	if err != nil {
		return err
	}
	if table != nil {
		tree, heap := table.address(), table.address()
		if err := table.err(); err != nil {
			return err
		}
		return g.readSymbols(tree, heap)
	}
	info, err := g.header.find(msgLinkInfo, "link info")
	if err != nil {
		return err
	}
	if info == nil {
		return corrupt(g.header.address, "not a group: it has neither a symbol table nor links")
	}
	if err := refuseDenseLinks(info); err != nil {
		return err
	}
	for _, m := range g.header.messages {
		if m.kind != msgLink {
			continue
		}
		body := *m.body
		if err := g.addLink(&body); err != nil {
			return err
		}
	}
	return nil
}

func (g *Group) add(at int64, name string, m member) error {
	if name == "" || strings.Contains(name, "/") {
		return corrupt(at, "member with the name %q", name)
	}
	if g.Has(name) {
		return corrupt(at, "two members with the name %q", name)
	}
	g.members[name] = m
	return nil
}

// refuseDenseLinks refuses a group whose links are in a fractal heap.
func refuseDenseLinks(c *cursor) error {
	c.skip(1)
	if flags := c.u8(); flags&1 != 0 {
		c.skip(8) // largest creation order
	}
	heap := c.address()
	if err := c.err(); err != nil {
		return err
	}
	if heap != undefined {
		return unsupported(c.at, "dense link storage (a fractal heap) is")
	}
	return nil
}

// addLink reads a link message of version 1.
func (g *Group) addLink(c *cursor) error {
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
	if err := c.err(); err != nil {
		return err
	}
	if version != 1 {
		return unsupported(c.at, "link version %d is", version)
	}
	return g.add(c.at, name, m)
}

// readSymbols walks the B-tree of a group; each leaf is a symbol table node.
func (g *Group) readSymbols(tree, heap int64) error {
	names, err := g.file.readLocalHeap(heap)
	if err != nil {
		return err
	}
	keySize := g.file.lengthSize
	return g.file.walkTree(tree, treeOfGroup, keySize, func(_ *cursor, node int64) error {
		return g.readSymbolNode(node, names)
	})
}

func (g *Group) readSymbolNode(address int64, names *localHeap) error {
	const what = "symbol table node"
	c, err := g.file.signed(address, 8, "SNOD", what)
	if err != nil {
		return err
	}
	if v := c.u8(); v != 1 {
		return unsupported(address, "symbol table node version %d is", v)
	}
	c.skip(1)
	count := uint64(c.u16())
	entry := uint64(2*g.file.offsetSize + 8 + 16)
	if c, err = g.file.structure(address, 8+count*entry, what); err != nil {
		return err
	}
	c.skip(8)
	for range count {
		at := c.offset()
		offset, m := c.address(), member{address: c.address()}
		if cached := c.u32(); cached == 2 {
			m.refused = "a soft link"
		}
		c.skip(4 + 16)
		if err := c.err(); err != nil {
			return err
		}
		name, err := names.name(offset)
		if err != nil {
			return err
		}
		if err := g.add(at, name, m); err != nil {
			return err
		}
	}
	return nil
}
