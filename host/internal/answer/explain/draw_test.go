package explain

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/view"
)

// drawn is a tree of three leaves over the shop.
func drawn(t *testing.T) *TreeJSON {
	t.Helper()
	s := shop()
	s.Features[1].Categories = []string{"baker", "clerk <junior> & \"son\"", "cook", "none"}
	var points [][]float64
	var high []bool
	all, _ := lattice(s)
	for _, x := range all {
		points, high = append(points, x), append(high, shopK(x) > 3)
	}
	tree, err := Grow(s, points, high, Growth{Depth: 3, Leaf: 5}).JSON(s)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

var updateDrawings = flag.Bool("update-explain", false, "write the golden drawings again")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateDrawings {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-update-explain writes it again):\n%s", path, d)
	}
}

func TestTreeAsText(t *testing.T) {
	var out bytes.Buffer
	if err := view.Of(&view.Tree{Root: drawn(t).View()}).Write(&out, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "tree.txt", out.Bytes())
}

// The drawing is well-formed with any names.
func TestTreeAsSVG(t *testing.T) {
	var out bytes.Buffer
	if err := (&view.Tree{Title: "loan <1> & more", Root: drawn(t).View()}).Write(&out, view.SVG); err != nil {
		t.Fatal(err)
	}
	golden(t, "tree.svg", out.Bytes())
	for d := xml.NewDecoder(&out); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
