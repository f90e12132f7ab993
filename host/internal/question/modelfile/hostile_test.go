package modelfile

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/internal/tier"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// mustBeSound reads a file, also one of several classes: it must give an error, or a model
// that passes Validate.
func mustBeSound(t testing.TB, file []byte) (ok bool) {
	t.Helper()
	one := 1
	for _, class := range []*int{nil, &one} {
		n, _, err := readFrom(file, "memory", Choice{Class: class})
		if err != nil {
			continue
		}
		if ok = true; n.Validate() != nil {
			t.Errorf("an unsound model was given without error: %v", n.Validate())
		}
	}
	return ok
}

// Every prefix of a real file without all weights is refused, even with the length in the
// superblock corrected.
func TestTruncatedKeras(t *testing.T) {
	tier.NeedUsual(t)
	for _, name := range []string{"sequential.h5", "latest.h5"} {
		file := fixture(t, name)
		for n := 0; n < len(file); n += tier.Count(5, 1) {
			if mustBeSound(t, file[:n]) {
				t.Errorf("%s: the first %d of %d bytes make a network", name, n, len(file))
			}
		}
	}
	file := fixture(t, "sequential.h5")
	for n := 96; n < len(file); n += tier.Count(5, 1) {
		cut := bytes.Clone(file[:n])
		binary.LittleEndian.PutUint64(cut[40:], uint64(n))
		mustBeSound(t, cut) // training state at the end is optional
	}
}

// One wrong byte anywhere gives an error or a sound network.
func TestCorruptedKeras(t *testing.T) {
	tier.NeedUsual(t)
	for name, step := range map[string]int{"sequential.h5": 7, "latest.h5": 1, "functional.h5": 7} {
		file := fixture(t, name)
		refused := 0
		for i := 0; i < len(file); i += tier.Count(5, 1) * step {
			for _, flip := range []byte{0x01, 0xff} {
				file[i] ^= flip
				if !mustBeSound(t, file) {
					refused++
				}
				file[i] ^= flip
			}
		}
		if refused == 0 {
			t.Errorf("%s: no wrong byte was noticed", name)
		}
	}
}

// An architecture and headers of ten million rows over a file of a few KiB.
func TestKerasMemory(t *testing.T) {
	const rows = 10_000_000
	set := func(chunk []uint64) map[string]map[string]*h5Dataset {
		return map[string]map[string]*h5Dataset{"a": {
			"kernel:0": {Shape: []uint64{rows, 4}, Data: make([]float64, 8), Bits: 32, Chunk: chunk, Filters: filtersFor(chunk)},
			"bias:0":   {Shape: []uint64{4}, Data: make([]float64, 4), Bits: 32},
		}}
	}
	wide := sequential(layer("Dense", "a", `"units": 4, "batch_input_shape": [null, 10000000]`))
	open := sequential(layer("Dense", "a", `"units": 4`))
	for name, file := range map[string][]byte{
		"contiguous":              kerasFile(open, set(nil)),
		"chunked":                 kerasFile(open, set([]uint64{2, 4})),
		"stated by the config":    kerasFile(wide, set(nil)),
		"65536 units, no weights": kerasFile(sequential(layer("Dense", "a", `"units": 65536`)), widest()),
	} {
		t.Run(name, func(t *testing.T) {
			refusedWithin(t, 64, len(file), func() error { _, _, err := readBytes(file); return err })
		})
	}
}

func filtersFor(chunk []uint64) []uint16 {
	if chunk == nil {
		return nil
	}
	return []uint16{2, 1}
}

// widest claims the widest layer allowed, with a few bytes of data.
func widest() map[string]map[string]*h5Dataset {
	return map[string]map[string]*h5Dataset{"a": {
		"kernel:0": {Shape: []uint64{512, 65536}, Data: make([]float64, 8), Bits: 32, Chunk: []uint64{512, 1}, Filters: []uint16{1}},
		"bias:0":   {Shape: []uint64{65536}, Data: make([]float64, 4), Bits: 32},
	}}
}

// FuzzKeras reads a file as a Keras network: an error, or a sound network that survives
// writing and reading.
func FuzzKeras(f *testing.F) {
	f.Add(fixture(f, "latest.h5")) // the others of Keras are four times as large
	f.Add(kerasFile(sequential(layer("Dense", "a", `"units": 3, "activation": "relu"`), layer("Dense", "b", `"units": 1`)), twoLayers))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) == 0 || file[0] == '{' {
			return // FuzzJSON's
		}
		roundTrip(t, file)
	})
}

// FuzzConfig combines any architecture with sound weights.
func FuzzConfig(f *testing.F) {
	f.Add(sequential(layer("Dense", "a", `"units": 3, "activation": "relu"`), layer("Dropout", "d", ""), layer("Dense", "b", `"units": 1, "activation": "sigmoid"`)))
	f.Add(`{"class_name": "Functional", "config": {"layers": [
		{"class_name": "InputLayer", "name": "i", "config": {"batch_input_shape": [null, 2]}, "inbound_nodes": []},
		{"class_name": "Dense", "name": "a", "config": {"units": 3, "activation": {"class_name": "ReLU", "config": {}}}, "inbound_nodes": [[["i", 0, 0, {}]]]},
		{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": [[["a", 0, 0, {}]]]}],
		"input_layers": [["i", 0, 0]], "output_layers": [["b", 0, 0]]}}`)
	f.Fuzz(func(t *testing.T, config string) { roundTrip(t, kerasFile(config, twoLayers)) })
}

// FuzzJSON does the same for the project's own format.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(smallJSON))
	for _, name := range []string{"functional.json", "deep.json"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 || text[0] != '{' {
			return
		}
		roundTrip(t, text)
	})
}

func roundTrip(t *testing.T, file []byte) {
	n, _, err := readBytes(file)
	if err != nil || n == nil { // or trees
		return
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, n); err != nil {
		t.Fatalf("a network that was read cannot be written: %v", err)
	}
	again, _, err := readBytes(b.Bytes())
	if err != nil {
		t.Fatalf("a network that was written cannot be read: %v", err)
	}
	for i := range n.Layers {
		n.Layers[i].Name = again.Layers[i].Name // JSON replaces names that are not UTF-8
	}
	if diff := cmp.Diff(n, again); diff != "" {
		t.Error(diff)
	}
}

// refusedWithin checks that a file of size bytes is refused within the given MiB of memory,
// and returns the error.
func refusedWithin(t *testing.T, mebibytes uint64, size int, read func() error) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := read()
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("no error")
	}
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used >= mebibytes {
		t.Errorf("%d MiB allocated for a file of %d bytes (%v)", used, size, err)
	}
	return err
}
