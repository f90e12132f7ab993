package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const here = "github.com/hyfair/hyfair/plugins/solver-bnb/internal/"

// floors are the packages of the solver, from below: each imports only packages on lower floors, and its own
// subpackages.
var floors = map[string]int{
	"grid": 0, "params": 0, "notion": 1, "relax": 2, "tighten": 3, "goal": 3, "ensemble": 3, "relu": 4, "count": 4, "primal": 5, "bnb": 6,
}

// Limits on the size of functions and types.
const mostLines, mostFields, mostMethods = 60, 15, 20

// TestRooms checks the imports between packages, which point down, and the size of functions and
// types.
func TestRooms(t *testing.T) {
	set, methods, files := token.NewFileSet(), map[string]int{}, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		files++
		room, _, _ := strings.Cut(filepath.ToSlash(path), "/")
		floor, known := floors[room]
		if !known {
			t.Errorf("%s is in no room that this test knows", path)
		}
		for _, spec := range file.Imports {
			if to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), here); ours {
				if there, _, _ := strings.Cut(to, "/"); there != room && floors[there] >= floor {
					t.Errorf("%s imports %s, which is no lower", path, to)
				}
			}
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if n := 1 + set.Position(decl.End()).Line - set.Position(decl.Pos()).Line; n > mostLines {
					t.Errorf("%s: %s has %d lines", path, decl.Name.Name, n)
				}
				if decl.Recv != nil {
					methods[filepath.Dir(path)+"."+receiver(decl.Recv.List[0].Type)]++
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if is, ok := spec.(*ast.TypeSpec); ok {
						if n := fields(is.Type); n > mostFields {
							t.Errorf("%s: %s has %d fields", path, is.Name.Name, n)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods", name, n)
		}
	}
	if files < 40 {
		t.Errorf("only %d files seen", files)
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func fields(e ast.Expr) (n int) {
	if s, ok := e.(*ast.StructType); ok {
		for _, f := range s.Fields.List {
			n += max(1, len(f.Names))
		}
	}
	return n
}
