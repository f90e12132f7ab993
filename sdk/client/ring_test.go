package client

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A ring holds the end of all that was written, however it came in.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 20).Draw(t, "size")
		r := newRing(size)
		var all []byte
		for _, piece := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 50)).Draw(t, "pieces") {
			n, err := r.Write(piece)
			if n != len(piece) || err != nil {
				t.Fatalf("wrote %d of %d: %v", n, len(piece), err)
			}
			all = append(all, piece...)
		}
		if want := string(all[max(0, len(all)-size):]); r.String() != want {
			t.Fatalf("%q; want %q", r.String(), want)
		}
	})
}

func TestTail(t *testing.T) {
	if got := tail(" a\nb \n", 100); got != "a\nb" {
		t.Errorf("%q", got)
	}
	if got := tail("first\nsecond\nthird\n", 10); got != "… third" {
		t.Errorf("%q", got)
	}
	if got := tail(strings.Repeat("ü", 50), 11); !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}
