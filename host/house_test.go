package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/hyfair/hyfair/"

// TestArrowsPointOneWay checks the imports of the entire tree: plugins → sdk ← host, all three
// may import internal, and no plugin imports another.
func TestArrowsPointOneWay(t *testing.T) {
	root := ".."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			target := strings.Trim(spec.Path.Value, `"`)
			inner, ours := strings.CutPrefix(target, module)
			if ours && (!allowed(filepath.ToSlash(rel), inner) || !strings.HasSuffix(rel, "_test.go") && !down(t, filepath.ToSlash(rel), inner)) {
				t.Errorf("%s imports %s", rel, target)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("only %d Go files seen: the walk does not cover the tree", files)
	}
}

func allowed(from, to string) bool {
	if strings.HasPrefix(to, "sdk") || strings.HasPrefix(to, "internal/") {
		return true
	}
	switch room := strings.SplitN(from, "/", 3); room[0] {
	case "host":
		return strings.HasPrefix(to, "host/")
	case "plugins":
		return strings.HasPrefix(to, "plugins/"+room[1]+"/")
	}
	return false
}

// floors are the layers of the host, lowest first: a package may import lower layers and its own
// group.
var floors = map[string]int{
	"system": 0, "statistics": 0, "view": 1, "record": 1, "plugin": 1, "session": 2, "question": 2, "answer": 3, "experiment": 4, "cli": 5,
}

// down reports whether an import within the host points to a lower layer.
func down(t *testing.T, from, to string) bool {
	room := func(path string) (string, int) {
		inner, ok := strings.CutPrefix(path, "host/internal/")
		if !ok {
			return "", -1
		}
		name, _, _ := strings.Cut(inner, "/")
		floor, known := floors[name]
		if !known && name != "crosscheck" {
			t.Errorf("%s is in no group of floors: add it there", path)
		}
		return name, floor
	}
	here, above := room(from)
	there, below := room(to)
	return here == there || above < 0 || below < above
}
