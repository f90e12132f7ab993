package modelfile

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// archive packs members, in order of name and content.
func archive(method uint16, members ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		m, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err == nil {
			_, err = io.WriteString(m, members[i+1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// member is the content of one of a fixture's.
func member(t testing.TB, file, name string) string {
	t.Helper()
	content := fixture(t, "models/"+file)
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKerasArchivePacked: compressed members make the same network.
func TestKerasArchivePacked(t *testing.T) {
	want, info, err := readBytes(fixture(t, "models/batch-norm.keras"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Format != "keras" || !strings.HasPrefix(info.Producer, "Keras 3.") || info.Precision != 64 {
		t.Errorf("format %q by %q, %d bits", info.Format, info.Producer, info.Precision)
	}
	config, weights := member(t, "batch-norm.keras", "config.json"), member(t, "batch-norm.keras", "model.weights.h5")
	got, _, err := readBytes(archive(zip.Deflate, "model.weights.h5", weights, "config.json", config))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestKerasArchiveRefused(t *testing.T) {
	config, weights := member(t, "batch-norm.keras", "config.json"), member(t, "batch-norm.keras", "model.weights.h5")
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"no Keras":        {archive(zip.Store, "a.txt", "a"), "so not from Keras 3: save the model with model.save(\"model.keras\")"},
		"PyTorch":         {archive(zip.Store, "model/data.pkl", "a", "model/data/0", "b"), "a PyTorch file, which holds Python objects and is not supported"},
		"NumPy":           {archive(zip.Store, "w.npy", "a"), "a NumPy archive"},
		"other weights":   {archive(zip.Store, "config.json", strings.Replace(config, "batch_normalization", "batch_normalisation", 1), "model.weights.h5", weights), "holds the weights of the layer"},
		"no weights":      {archive(zip.Store, "config.json", strings.Replace(config, `"Dense"`, `"PReLU"`, 1), "model.weights.h5", weights), "p_re_lu"},
		"no HDF5":         {archive(zip.Store, "config.json", config, "model.weights.h5", "text"), "HDF5"},
		"cut off":         {archive(zip.Store, "config.json", config, "model.weights.h5", weights)[:2000], "a zip archive that cannot be read"},
		"config too long": {archive(zip.Deflate, "config.json", strings.Repeat(" ", 2<<20), "model.weights.h5", weights), "config.json: decompressed, it has more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			n, _, err := readBytes(c.file)
			if n != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("network %v, error %v; want %q", n, err, c.want)
			}
		})
	}
}

// TestKerasArchiveMemory: an archive that unpacks to a hundred times the bound, and one
// with a hundred thousand members.
func TestKerasArchiveMemory(t *testing.T) {
	var bomb bytes.Buffer
	w := zip.NewWriter(&bomb)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestSpeed) })
	config, err := w.Create("config.json")
	if err == nil {
		_, err = io.WriteString(config, "{}")
	}
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	m, err := w.Create("model.weights.h5")
	for range 2 * 64 {
		if err == nil {
			_, err = m.Write(zeros)
		}
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	var names []string
	for range 100_000 {
		names = append(names, "n", "")
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a bomb":       {bomb.Bytes(), "model.weights.h5: decompressed, it has more than 67108864 bytes"},
		"many members": {archive(zip.Store, names...), "its directory is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			err := refusedWithin(t, 512, len(c.file), func() error { _, _, err := readBytes(c.file); return err })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// smallArchive are the members of an archive as Keras 3 writes it, with two dense layers between which an
// architecture may put a BatchNormalization and a Normalization.
func smallArchive() (config, weights string) {
	member := func(sets ...*h5Dataset) *h5Group {
		vars := &h5Group{Members: map[string]h5Object{}}
		for i, set := range sets {
			vars.Members[fmt.Sprint(i)] = set
		}
		return &h5Group{Members: map[string]h5Object{"vars": vars}}
	}
	row := func(values ...float64) *h5Dataset {
		return &h5Dataset{Shape: []uint64{uint64(len(values))}, Data: values, Bits: 32}
	}
	a, b := dense(2, 3), dense(3, 1)
	file, _ := h5File(&h5Group{Members: map[string]h5Object{"layers": &h5Group{Members: map[string]h5Object{
		"dense": member(a["kernel:0"], a["bias:0"]), "dense_1": member(b["kernel:0"], b["bias:0"]),
		"normalization": member(row(1, 2), row(4, 1)), "batch_normalization": member(row(1, 2, 3), row(0, 1, 0), row(1, 0, 1), row(2, 1, 4)),
	}}}})
	return sequential(layer("InputLayer", "i", `"batch_shape": [null, 2]`), layer("Normalization", "n", `"axis": [-1]`), layer("Dense", "a", `"units": 3, "activation": "relu"`),
		layer("BatchNormalization", "c", `"axis": -1, "epsilon": 0.001`), layer("Dense", "b", `"units": 1, "activation": "sigmoid"`)), string(file)
}

// TestSmallArchive: the seed of the fuzz target is read.
func TestSmallArchive(t *testing.T) {
	config, weights := smallArchive()
	if n, _, err := readBytes(archive(zip.Store, "config.json", config, "model.weights.h5", weights)); err != nil || n.Inputs() != 2 {
		t.Error(err)
	}
}

// FuzzKerasArchive: any architecture over sound weights, and any archive. The seeds are small: TestModels reads what
// Keras wrote, which takes ten times as long.
func FuzzKerasArchive(f *testing.F) {
	config, weights := smallArchive()
	f.Add(config, []byte(nil))
	f.Add("", archive(zip.Store, "config.json", config, "model.weights.h5", weights))
	f.Add("", archive(zip.Deflate, "config.json", config, "model.weights.h5", weights))
	f.Fuzz(func(t *testing.T, config string, whole []byte) {
		if bytes.HasPrefix(whole, []byte("PK\x03\x04")) {
			roundTrip(t, whole)
			return
		}
		roundTrip(t, archive(zip.Store, "config.json", config, "model.weights.h5", weights))
	})
}
