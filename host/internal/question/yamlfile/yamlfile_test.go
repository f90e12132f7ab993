package yamlfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type shape struct {
	Name string                       `yaml:"name"`
	List []map[string]string          `yaml:"list"`
	Grid map[string][]string          `yaml:"grid"`
	Deep map[string]map[string]string `yaml:"deep"`
}

const text = "name: x\nlist:\n  - b: 1\n    a: 2\n  - {c: 3}\ngrid:\n  z: [1]\n  a: [0.5, on]\ndeep: {k: {l: m}}\n"

func decoded(t *testing.T, text string) (*Reader, shape) {
	t.Helper()
	var s shape
	r, err := Decode(text, "f.yaml", "a test", &s)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

// Keys come in the file's order, and values as they are written.
func TestKeys(t *testing.T) {
	r, s := decoded(t, text)
	for place, want := range map[string][]string{"$.grid": {"z", "a"}, "$.list[0]": {"b", "a"}, "$.list[1]": {"c"}, "$.name": nil, "$.absent": nil} {
		if d := cmp.Diff(want, r.Keys(place)); d != "" {
			t.Errorf("%s: %s", place, d)
		}
	}
	if d := cmp.Diff([]string{"0.5", "on"}, s.Grid["a"]); d != "" {
		t.Error(d)
	}
}

// A place is found, or the nearest one around it.
func TestAt(t *testing.T) {
	r, _ := decoded(t, text)
	for place, want := range map[string]string{
		"$.name": "f.yaml:1:7", "$.list[0]": "f.yaml:3:5", "$.list[0].a": "f.yaml:4:8", "$.list[0].x": "f.yaml:3:5", "$.list[1]": "f.yaml:5:5",
		"$.grid.a": "f.yaml:8:6", "$.deep.k.l": "f.yaml:9:15", "$.nothing": "f.yaml:1:1",
	} {
		if got := r.At(place); got != want {
			t.Errorf("%s is at %s, want %s", place, got, want)
		}
	}
	if r.Err() != nil {
		t.Error(r.Err())
	}
	r.Fault("$.grid.a", "is %s", "odd")
	r.Integer("$.name", "x", 1, 5)
	if v := r.Integer("$.name", "4", 1, 5); v != 4 {
		t.Error(v)
	}
	want := "f.yaml:8:6: grid.a: is odd\nf.yaml:1:7: name: \"x\" is no whole number from 1 to 5"
	if err := r.Err(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"small": {text, ""}, "large": {strings.Repeat("#\n", 1<<16), "64 KiB"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if c.want == "" && (err != nil || got != c.text) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
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
