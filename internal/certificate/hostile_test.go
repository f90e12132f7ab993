package certificate_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestBrokenFiles cuts a file at every place and changes every byte. The result is an
// error that names the line, or a valid certificate, never a panic.
func TestBrokenFiles(t *testing.T) {
	tier.NeedUsual(t)
	if tier.Long() {
		broken(t, write(t, forest(), peoplesLeaves()[1:]))
	}
	text := write(t, people(), caseLeaves())
	broken(t, text)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 10, 60, b.Len() - 20, b.Len() - 1} {
		r, err := certificate.NewReader(bytes.NewReader(b.Bytes()[:n]))
		if err == nil {
			_, err = read(r)
		}
		if err == nil {
			t.Errorf("a compressed file cut after %d bytes is read", n)
		}
	}
}

// broken returns cut and changed copies of a text.
func broken(t *testing.T, text []byte) {
	t.Helper()
	for n := range len(text) - 1 { // without its last byte, a line end, it counts as cut short
		r, err := certificate.NewReader(bytes.NewReader(text[:n]))
		if err == nil {
			_, err = read(r)
		}
		if err == nil || !strings.Contains(err.Error(), "line ") {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
	for n := range text {
		for _, c := range []byte("\x00\"{}[],:-1e.\n \\") {
			changed := bytes.Clone(text)
			changed[n] = c
			if r, err := certificate.NewReader(bytes.NewReader(changed)); err == nil {
				if err := r.Statement().Validate(); err != nil {
					t.Fatalf("byte %d as %q: %v", n, c, err)
				}
				_, _ = read(r)
			}
		}
	}
}

// endless returns the same byte forever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestLongLines: a line without end is an error and does not exhaust the memory.
func TestLongLines(t *testing.T) {
	if _, err := certificate.NewReader(io.MultiReader(strings.NewReader("{"), endless(' '))); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%v", err)
	}
}

// FuzzReader reads any file: the result is an error, or a certificate that can be
// written.
func FuzzReader(f *testing.F) {
	text := write(f, people(), caseLeaves())
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add(write(f, forest(), peoplesLeaves()[1:]))
	f.Add([]byte("{\"format\":\"hyfair-certificate\",\"version\":1}\n"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := certificate.NewReader(bytes.NewReader(text))
		if err != nil {
			return
		}
		leaves, err := read(r)
		if err != nil {
			return
		}
		write(t, *r.Statement(), leaves)
	})
}
