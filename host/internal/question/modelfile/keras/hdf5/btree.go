package hdf5

// Types of version 1 B-trees.
const (
	treeOfGroup  = 0
	treeOfChunks = 1
)

// walkTree visits the entries of a version 1 B-tree from left to right, and passes each child's
// preceding key and address to leaf. The walk ends: levels must fall by one from node to child,
// and no node may occur twice.
func (f *file) walkTree(root int64, kind uint8, keySize int, leaf func(key *cursor, child int64)) {
	seen := map[int64]bool{}
	var walk func(address int64, level int)
	walk = func(address int64, level int) {
		if seen[address] {
			panic(corrupt(address, "B-tree node reached twice: a cycle, or two parents"))
		}
		seen[address] = true
		const start = 8 + 2*sizeOfAddress
		c := f.signed(address, start, "TREE", "B-tree node")
		if k := c.u8(); k != kind {
			panic(corrupt(address, "B-tree has type %d, want %d", k, kind))
		}
		at := int(c.u8())
		if level >= 0 && at != level {
			panic(corrupt(address, "B-tree node has level %d, want %d", at, level))
		}
		count := int(c.u16())
		c = f.structure(address, uint64(start+count*(keySize+sizeOfAddress)+keySize), "B-tree node")
		c.skip(start)
		for range count {
			key, child := c.sub(keySize, "B-tree key"), c.address()
			if at > 0 {
				walk(child, at-1)
			} else {
				leaf(key, child)
			}
		}
	}
	walk(root, -1)
}
