package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/keras/hdf5"
	"github.com/hyfair/hyfair/internal/tier"
)

// sample is a file with every structure that the writer knows.
func sample() ([]byte, map[string]int64) {
	return h5File(&h5Group{
		Continued: true,
		Attributes: []h5Attribute{
			{Name: "config", Values: []string{"{}"}, Scalar: true},
			{Name: "names", Values: []string{"a", "b"}, Fixed: true},
		},
		Members: map[string]h5Object{
			"empty_1": &h5Group{},
			"empty_2": &h5Group{},
			"flat":    &h5Dataset{Shape: []uint64{2, 3}, Data: []float64{1, 2, 3, 4, 5, 6}, Bits: 32},
			"chunks":  &h5Dataset{Shape: []uint64{5, 3}, Data: make([]float64, 15), Chunk: []uint64{2, 2}, Filters: []uint16{2, 1}},
			"group": &h5Group{Members: map[string]h5Object{
				"inner": &h5Group{Attributes: []h5Attribute{{Name: "x", Values: []string{"y"}}}},
			}},
		},
	})
}

// readAll reads all that a file has and returns the first error. It is what a
// hostile file is put through.
func readAll(file []byte) error { return fault.Try(func() { readGroup(hdf5.Open(file)) }) }

func readGroup(g *hdf5.Group) {
	for _, name := range []string{"config", "names", "x", "model_config", "layer_names", "weight_names"} {
		g.Strings(name)
	}
	for _, name := range g.Names() {
		set, err := tried(func() *hdf5.Dataset { return g.Dataset(name) })
		if err == nil {
			set.Floats()
			continue
		}
		inner, groupErr := tried(func() *hdf5.Group { return g.Group(name) })
		if groupErr != nil {
			fault.Check(errors.Join(err, groupErr))
		}
		readGroup(inner)
	}
}

func TestHostileFiles(t *testing.T) {
	if file, _ := sample(); readAll(file) != nil {
		t.Fatal(readAll(file))
	}
	put := func(mark string, offset int64, value uint64) func([]byte, map[string]int64) {
		return func(b []byte, at map[string]int64) { binary.LittleEndian.PutUint64(b[at[mark]+offset:], value) }
	}
	same := func(mark, target string) func([]byte, map[string]int64) {
		return func(b []byte, at map[string]int64) { binary.LittleEndian.PutUint64(b[at[mark]:], uint64(at[target])) }
	}
	for _, c := range []struct {
		name  string
		spoil func(b []byte, at map[string]int64)
		kind  error
		want  string
	}{
		{"group inside itself", same("/group member inner", "/group header"), hdf5.ErrCorrupt, "its own ancestor"},
		{"root inside a group", same("/group member inner", "/ header"), hdf5.ErrCorrupt, "its own ancestor"},
		{"tree node below itself", same("/ child", "/ tree"), hdf5.ErrCorrupt, "cycle"},
		{"chunk tree below itself", same("/chunks child", "/chunks tree"), hdf5.ErrCorrupt, "cycle"},
		{"tree of the wrong type", same("/group child", "/chunks tree"), hdf5.ErrCorrupt, "symbol table node: got the signature"},
		{"header continued in itself", func(b []byte, at map[string]int64) {
			binary.LittleEndian.PutUint64(b[at["/ continuation"]:], uint64(at["/ header"]+16))
		}, hdf5.ErrCorrupt, "cycle"},
		{"continuation outside", put("/ continuation", 0, 1<<40), hdf5.ErrCorrupt, "outside the file"},
		{"continuation too long", put("/ continuation", 8, 1<<60), hdf5.ErrCorrupt, "claims"},
		{"offsets of 4 bytes", func(b []byte, _ map[string]int64) { b[13] = 4 }, hdf5.ErrUnsupported, "offsets of 4"},
		{"root outside", put("root", 0, 1<<62), hdf5.ErrCorrupt, "outside the file"},
		{"root undefined", put("root", 0, 1<<64-1), hdf5.ErrCorrupt, "without a header"},
		{"heap of 2^60 bytes", put("/ heap", 8, 1<<60), hdf5.ErrCorrupt, "claims"},
		{"heap elsewhere", put("/ heap", 24, 1<<63), hdf5.ErrCorrupt, "outside the file"},
		{"ten million rows", put("/flat shape", 0, 10_000_000), hdf5.ErrCorrupt, "bytes of data, want 120000000 for shape"},
		{"ten million rows of chunks", put("/chunks shape", 0, 10_000_000), hdf5.ErrCorrupt, "chunks were written"},
		{"2^40 rows", put("/flat shape", 0, 1<<40), hdf5.ErrUnsupported, "more than"},
		{"2^63 × 2^63", func(b []byte, at map[string]int64) {
			binary.LittleEndian.PutUint64(b[at["/flat shape"]:], 1<<63)
			binary.LittleEndian.PutUint64(b[at["/flat shape"]+8:], 1<<63)
		}, hdf5.ErrUnsupported, "more than"},
		{"data outside", put("/flat layout", 2, 1<<40), hdf5.ErrCorrupt, "outside the file"},
		{"data never written", put("/flat layout", 2, 1<<64-1), hdf5.ErrCorrupt, "never written"},
		{"chunk of 2^32 rows", func(b []byte, at map[string]int64) {
			binary.LittleEndian.PutUint32(b[at["/chunks layout"]+11:], 1<<32-1)
		}, hdf5.ErrUnsupported, "a chunk of shape"},
		{"chunk of no rows", func(b []byte, at map[string]int64) {
			binary.LittleEndian.PutUint32(b[at["/chunks layout"]+11:], 0)
		}, hdf5.ErrCorrupt, "chunk of shape"},
		{"chunk data that is no stream", func(b []byte, at map[string]int64) {
			b[at["/chunks data"]] ^= 0xff
		}, hdf5.ErrCorrupt, "deflate"},
		{"string outside", put("/ attribute config", 4, 1<<40), hdf5.ErrCorrupt, "outside the file"},
		{"string of 4 GiB", func(b []byte, at map[string]int64) {
			binary.LittleEndian.PutUint32(b[at["/ attribute config"]:], 1<<32-1)
		}, hdf5.ErrCorrupt, `attribute "config"`},
		{"string of no object", func(b []byte, at map[string]int64) {
			binary.LittleEndian.PutUint32(b[at["/ attribute config"]+12:], 77)
		}, hdf5.ErrCorrupt, "no object 77"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, at := sample()
			c.spoil(file, at)
			err := readAll(file)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want %v with %q", err, c.kind, c.want)
			}
		})
	}
}

// Files that claim much and hold little must not cost memory.
func TestHostileMemory(t *testing.T) {
	const rows = 10_000_000
	manyTimes := func() []byte {
		file, at := h5File(&h5Group{Attributes: []h5Attribute{
			{Name: "names", Values: append([]string{strings.Repeat("x", 1<<20)}, make([]string, 3000)...)},
		}})
		first := file[at["/ attribute names"]:]
		for i := 1; i <= 3000; i++ { // each a reference to the same MiB
			copy(first[16*i:], first[:16])
		}
		return file
	}
	one := func(d *h5Dataset) []byte {
		file, _ := h5File(&h5Group{Members: map[string]h5Object{"d": d}})
		return file
	}
	data := make([]float64, 32)
	for name, file := range map[string][]byte{
		"contiguous":         one(&h5Dataset{Shape: []uint64{rows, 5}, Data: data}),
		"chunks not written": one(&h5Dataset{Shape: []uint64{rows, 5}, Data: data, Chunk: []uint64{32, 5}, Filters: []uint16{1}}),
		"one huge chunk":     hugeChunk(rows),
		"string many times":  manyTimes(),
	} {
		t.Run(name, func(t *testing.T) {
			refusedWithin(t, 64, len(file), func() error { return readAll(file) })
		})
	}
}

// hugeChunk claims one chunk of the given rows over the stored bytes of a small one.
func hugeChunk(rows uint32) []byte {
	file, at := h5File(&h5Group{Members: map[string]h5Object{
		"d": &h5Dataset{Shape: []uint64{8, 5}, Data: make([]float64, 40), Chunk: []uint64{8, 5}, Filters: []uint16{1}},
	}})
	binary.LittleEndian.PutUint64(file[at["/d shape"]:], uint64(rows))
	binary.LittleEndian.PutUint32(file[at["/d layout"]+11:], rows)
	return file
}

func TestFiltersRefusedByName(t *testing.T) {
	for id, want := range map[uint16]string{4: "szip", 5: "n-bit", 32000: "LZF", 500: "filter 500"} {
		file, _ := h5File(&h5Group{Members: map[string]h5Object{
			"d": &h5Dataset{Shape: []uint64{2}, Data: []float64{1, 2}, Chunk: []uint64{2}, Filters: []uint16{id}},
		}})
		err := readAll(file)
		if !errors.Is(err, hdf5.ErrUnsupported) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/d,") {
			t.Errorf("filter %d: error %v", id, err)
		}
	}
}

// Every prefix of a file is an error; the second form also mends the length
// that the superblock states, so that reading gets further.
func TestTruncated(t *testing.T) {
	file, _ := sample()
	for n := range file {
		if err := readAll(file[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were read without error", n, len(file))
		}
		if n < 96 {
			continue
		}
		cut := bytes.Clone(file[:n])
		binary.LittleEndian.PutUint64(cut[40:], uint64(n))
		_ = readAll(cut) // the tail may be padding; what counts is that it returns
	}
}

// One wrong byte anywhere is an error or changes a value, never a panic.
func TestCorrupted(t *testing.T) {
	file, _ := sample()
	for i := 0; i < len(file); i += tier.Count(3, 1) {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			file[i] ^= flip
			_ = readAll(file)
			file[i] ^= flip
		}
	}
	if err := readAll(file); err != nil {
		t.Fatal(err)
	}
}

// FuzzHDF5 reads all of a file; the only thing that matters is that it returns.
func FuzzHDF5(f *testing.F) {
	file, at := sample()
	f.Add(file)
	binary.LittleEndian.PutUint64(file[at["/ child"]:], uint64(at["/ tree"]))
	f.Add(bytes.Clone(file))
	f.Add(hugeChunk(1 << 20))
	f.Add(fixture(f, "latest.h5")) // version 2 headers
	for _, d := range []*h5Dataset{
		{Shape: []uint64{3}, Data: []float64{1, 2, 3}, Bits: 32, Chunk: []uint64{3}, Filters: []uint16{32000}}, // LZF
		{Shape: []uint64{3}, Data: []float64{1, 2, 3}, Bits: 64, Big: true},
		{Shape: []uint64{3, 2}, Data: make([]float64, 6), Chunk: []uint64{2, 2}, Filters: []uint16{1}},
	} {
		file, _ := h5File(&h5Group{Members: map[string]h5Object{"d": d}})
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) { _ = readAll(file) })
}
