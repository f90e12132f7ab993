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
// plugins → sdk ← host, and plugins never import a sibling.
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
			if inner, ours := strings.CutPrefix(target, module); ours && !allowed(filepath.ToSlash(rel), inner) {
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
	if strings.HasPrefix(to, "sdk") {
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
