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

// TestArrowsPointOneWay holds the imports of the whole tree against the rule
// plugins → sdk ← host, internal shared by all three, and plugins never import a
// sibling.
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

// floors are the rooms of the host from below: each imports what stands on lower
// floors, and what is in the same room.
var floors = map[string]int{
	"system": 0, "statistics": 0, "view": 1, "record": 1, "plugin": 1, "session": 2, "question": 2, "answer": 3, "experiment": 4, "cli": 5,
}

// down reports that an import between rooms of the host points down.
func down(t *testing.T, from, to string) bool {
	room := func(path string) (string, int) {
		inner, ok := strings.CutPrefix(path, "host/internal/")
		if !ok {
			return "", -1
		}
		name, _, _ := strings.Cut(inner, "/")
		floor, known := floors[name]
		if !known && name != "crosscheck" {
			t.Errorf("%s is in no room that this test knows", path)
		}
		return name, floor
	}
	here, above := room(from)
	there, below := room(to)
	return here == there || above < 0 || below < above
}
