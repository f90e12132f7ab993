package yamlfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = "name: x\nlist: &l\n  - b: 1\n    a: '2'\n  - {c: 3}\ngrid:\n  z: [1]\n  a: [0.5, on]\n  <<: {a: 7, y: *l}\nnone: ~\n"

func parsed(t *testing.T, text string) *Node {
	t.Helper()
	root, err := Parse([]byte(text), "f.yaml", "a test")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Nodes are found with their places, keys come in the file's order, values are as
// they are written, aliases and merge keys are expanded.
func TestNodes(t *testing.T) {
	root := parsed(t, text)
	grid, list := root.Get("grid"), root.Get("list")
	var keys []string
	for _, e := range grid.Entries {
		keys = append(keys, e.Key.Text)
	}
	if d := cmp.Diff([]string{"z", "a", "y"}, keys); d != "" {
		t.Error(d)
	}
	var r Reader
	if texts, ok := r.Texts(grid.Get("a")); !ok || !cmp.Equal(texts, []string{"0.5", "on"}) {
		t.Error(texts)
	}
	for path, n := range map[string]*Node{
		"f.yaml:1:7 name x": root.Get("name"), "f.yaml:3:5 list[0] ": list.Items[0], "f.yaml:4:8 list[0].a 2": list.Items[0].Get("a"),
		"f.yaml:3:5 list[0].x ": list.Items[0].Want("x"), "f.yaml:5:6 list[1] ": list.List()[1], "f.yaml:8:7 grid.a[0] 0.5": grid.Get("a").Items[0],
		"f.yaml:1:1 none ": root.Want("none"), "f.yaml:3:8 grid.y[0].b 1": grid.Get("y").Items[0].Get("b"),
	} {
		if got := n.At.String() + " " + n.Path + " " + n.Text; got != path {
			t.Errorf("%s, want %s", got, path)
		}
	}
	if root.Get("none") != nil || root.Get("absent") != nil || root.Want("none").List() != nil || len(root.Get("name").List()) != 1 {
		t.Error("what is not there is found")
	}
}

// Mistakes are collected, in the order of their places, each once; what is not
// there is none.
func TestFaults(t *testing.T) {
	root := parsed(t, text)
	var r Reader
	r.Text(root.Get("absent"))
	if v, ok := r.Integer(root.Get("list").Items[0].Get("b"), 1, 5); !ok || v != 1 || r.Err() != nil {
		t.Error(v, r.Err())
	}
	for range 2 {
		r.Integer(root.Get("list").Items[0].Get("a"), 1, 5)
		r.Integer(root.Get("list").Items[1].Get("c"), 4, 5)
		r.Mapping(root, "name", "list", "grad")
		r.Boolean(root.Get("grid"))
	}
	want := `f.yaml:4:8: list[0].a: "2" is not a number
f.yaml:5:9: list[1].c: 3 is not a whole number from 4 to 5
f.yaml:6:1: unknown key "grid"; did you mean "grad"? allowed: name, list, grad
f.yaml:7:3: grid: want a single value, this is a mapping
f.yaml:10:1: unknown key "none"; allowed: name, list, grad`
	if err := r.Err(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"small": {text, ""}, "large": {strings.Repeat("#\n", 1<<19+1), "1024 KiB"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err == nil {
			_, err = Parse(got, path, "a test")
		}
		if c.want == "" && (err != nil || string(got) != c.text) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Error(err)
	}
	if !HasKey(filepath.Join(dir, "small"), "grid") || HasKey(filepath.Join(dir, "small"), "z") || HasKey(filepath.Join(dir, "absent"), "grid") {
		t.Error("keys are not told")
	}
}
