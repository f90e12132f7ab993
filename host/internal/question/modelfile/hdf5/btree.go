package hdf5

// What a version 1 B-tree indexes.
const (
	treeOfGroup  = 0
	treeOfChunks = 1
)

// walkTree visits the entries of a version 1 B-tree from left to right, giving
// the key before each child and the child's address. Levels must fall by one
// from node to child and no node may occur twice, so the walk ends.
func (f *File) walkTree(root int64, kind uint8, keySize int, leaf func(key *cursor, child int64) error) error {
	seen := map[int64]bool{}
	var walk func(address int64, level int) error
	walk = func(address int64, level int) error {
		if seen[address] {
			return corrupt(address, "B-tree node reached twice: a cycle")
		}
		seen[address] = true
		start := uint64(8 + 2*f.offsetSize)
		c, err := f.signed(address, start, "TREE", "B-tree node")
		if err != nil {
			return err
		}
		if k := c.u8(); k != kind {
			return corrupt(address, "B-tree of type %d where %d is expected", k, kind)
		}
		at := int(c.u8())
		if level >= 0 && at != level {
			return corrupt(address, "B-tree node of level %d where %d is expected", at, level)
		}
		count := uint64(c.u16())
		size := start + count*uint64(keySize+f.offsetSize) + uint64(keySize)
		if c, err = f.structure(address, size, "B-tree node"); err != nil {
			return err
		}
		c.skip(int(start))
		for range count {
			key := c.sub(keySize, "B-tree key")
			child := c.address()
			if err := c.err(); err != nil {
				return err
			}
			if at > 0 {
				err = walk(child, at-1)
			} else {
				err = leaf(key, child)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root, -1)
}
