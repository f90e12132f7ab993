package checker

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheCheckerIsIndependent: from this module the checker and the format use types and
// definitions only, no code that bounds, evaluates fast or searches.
func TestTheCheckerIsIndependent(t *testing.T) {
	allowed := []string{"sdk", "internal/certificate", "sdk/fairness", "internal/named", "sdk/model", "sdk/model/relu", "sdk/model/trees", "sdk/problem", "sdk/space"}
	files := 0
	for _, dir := range []string{".", "../../../../../internal/certificate", "../../../../../sdk/fairness", "../../../../../internal/named", "../../../../../sdk/model", "../../../../../sdk/model/relu", "../../../../../sdk/problem", "../../../../../sdk/space"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			if dir == "." {
				callsNothingOfTrees(t, name)
			}
			for _, spec := range file.Imports {
				of, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "github.com/hyfair/hyfair/")
				if ours && !slices.Contains(allowed, of) {
					t.Errorf("%s imports %s", name, of)
				}
			}
		}
	}
	if files < 20 {
		t.Errorf("only %d files seen", files)
	}
}

// callsNothingOfTrees: the checker has its own comparisons and its own walk to a leaf.
func callsNothingOfTrees(t *testing.T, name string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, ok := call.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains([]string{"GoesLeft", "IsLeaf", "Borders", "Bounds", "Exact", "Logit", "Logit32", "LogitNear", "On", "Rows", "Script", "Rounded"}, of.Sel.Name) {
			t.Errorf("%s calls %s", name, of.Sel.Name)
		}
		return true
	})
}
