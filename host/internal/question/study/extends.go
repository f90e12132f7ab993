package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// maxExtends is the maximum length of a chain of studies that extend one another.
const maxExtends = 8

// readStudy reads the study file at path and the files that it extends. It returns the merged study,
// the hash of the file or, with several files, the hash of their hashes in order, and their names.
func readStudy(path string) (root *yamlfile.Node, hash string, files []string, err error) {
	var chain []*yamlfile.Node
	var hashes [][]byte
	for {
		text, err := yamlfile.Read(path)
		if err != nil {
			return nil, "", nil, err
		}
		n, err := yamlfile.Parse(text, path, "a study")
		if err != nil {
			return nil, "", nil, err
		}
		chain = append(chain, n)
		sum := sha256.Sum256(text)
		hashes = append(hashes, sum[:])
		if n.Kind != yamlfile.Mapping {
			return nil, "", nil, &yamlfile.Fault{Place: n.At, Message: "a study is a mapping of keys such as model and features, not " + n.Kind.String()}
		}
		files = append(files, filepath.Clean(path))
		base := n.Get("extends")
		if base == nil {
			break
		}
		at := func(format string, args ...any) error {
			return &yamlfile.Fault{Place: base.At, Message: "extends: " + fmt.Sprintf(format, args...)}
		}
		if base.Kind != yamlfile.Scalar {
			return nil, "", nil, at("want the path of one study file, not %s", base.Kind)
		}
		if path, err = studyFile(relativeTo(path, base.Text)); err != nil {
			return nil, "", nil, at("%v", err)
		}
		if slices.Contains(files, filepath.Clean(path)) {
			return nil, "", nil, at("%s extends itself", path)
		}
		if len(chain) == maxExtends {
			return nil, "", nil, at("the chain has more than %d studies, the maximum", maxExtends)
		}
	}
	root = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		root = merge(inherited(root), chain[i])
	}
	if len(hashes) > 1 {
		sum := sha256.Sum256(slices.Concat(hashes...))
		return root, hex.EncodeToString(sum[:]), files, nil
	}
	return root, hex.EncodeToString(hashes[0]), files, nil
}

// inherited returns root without the keys that a study which extends it does not inherit.
func inherited(root *yamlfile.Node) *yamlfile.Node {
	out := *root
	out.Entries = slices.DeleteFunc(slices.Clone(root.Entries), func(e yamlfile.Entry) bool {
		return slices.Contains([]string{"extends", "name", "summary"}, e.Key.Text)
	})
	return &out
}

// merge overrides the first mapping with the second. Mappings are merged key by key, the keys of
// base first and in their order; null removes a key of base; anything else replaces base's value.
func merge(base, over *yamlfile.Node) *yamlfile.Node {
	if base.Kind != yamlfile.Mapping || over.Kind != yamlfile.Mapping {
		return over
	}
	own := make(map[string]yamlfile.Entry, len(over.Entries))
	for _, e := range over.Entries {
		own[e.Key.Text] = e
	}
	out := *over
	out.Entries = nil
	for _, b := range base.Entries {
		e, changed := own[b.Key.Text]
		delete(own, b.Key.Text)
		switch {
		case !changed:
			out.Entries = append(out.Entries, b)
		case e.Value.Kind != yamlfile.Null:
			out.Entries = append(out.Entries, yamlfile.Entry{Key: e.Key, Value: merge(b.Value, e.Value)})
		}
	}
	for _, e := range over.Entries {
		if _, new := own[e.Key.Text]; new {
			out.Entries = append(out.Entries, e)
		}
	}
	return &out
}
