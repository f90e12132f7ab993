package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
)

// maxExtends bounds a chain of studies that extend one another.
const maxExtends = 8

// readStudy reads the study file at path with all it extends, and the hash of
// what was read: that of the file, or with extends, of the files' hashes in
// the order in which they were read.
func readStudy(path string) (root *node, hash string, err error) {
	var chain []*node
	var hashes [][]byte
	var seen []string
	for {
		sum := sha256.New()
		n, err := readFile(path, path, sum)
		if err != nil {
			return nil, "", err
		}
		chain = append(chain, n)
		hashes = append(hashes, sum.Sum(nil))
		if n.kind != mappingNode {
			return nil, "", &Fault{n.at.file, n.at.line, n.at.column, "a study is a mapping of keys such as model and features, not " + n.kind.String()}
		}
		seen = append(seen, filepath.Clean(path))
		base := n.get("extends")
		if base == nil {
			break
		}
		at := func(format string, args ...any) error {
			return &Fault{base.at.file, base.at.line, base.at.column, "extends: " + fmt.Sprintf(format, args...)}
		}
		if base.kind != scalarNode {
			return nil, "", at("want the path of one study file, not %s", base.kind)
		}
		if path, err = studyFile(relativeTo(path, base.text)); err != nil {
			return nil, "", at("%v", err)
		}
		if slices.Contains(seen, filepath.Clean(path)) {
			return nil, "", at("%s extends itself", path)
		}
		if len(chain) == maxExtends {
			return nil, "", at("a chain of more than %d studies", maxExtends)
		}
	}
	root = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		root = merge(ownBusiness(root), chain[i])
	}
	if len(hashes) == 1 {
		return root, hex.EncodeToString(hashes[0]), nil
	}
	sum := sha256.New()
	for _, h := range hashes {
		sum.Write(h)
	}
	return root, hex.EncodeToString(sum.Sum(nil)), nil
}

// ownBusiness leaves out what a study that extends root does not inherit.
func ownBusiness(root *node) *node {
	out := *root
	out.entries = slices.DeleteFunc(slices.Clone(root.entries), func(e entry) bool {
		return slices.Contains([]string{"extends", "name", "summary"}, e.key.text)
	})
	return &out
}

// merge lays over on base: mappings are merged key by key, base's keys first
// and in base's order; null takes a key of base away; anything else replaces.
func merge(base, over *node) *node {
	if base.kind != mappingNode || over.kind != mappingNode {
		return over
	}
	own := make(map[string]entry, len(over.entries))
	for _, e := range over.entries {
		own[e.key.text] = e
	}
	out := *over
	out.entries = nil
	for _, b := range base.entries {
		e, changed := own[b.key.text]
		delete(own, b.key.text)
		switch {
		case !changed:
			out.entries = append(out.entries, b)
		case e.value.kind != nullNode:
			out.entries = append(out.entries, entry{e.key, merge(b.value, e.value)})
		}
	}
	for _, e := range over.entries {
		if _, new := own[e.key.text]; new {
			out.entries = append(out.entries, e)
		}
	}
	return &out
}
