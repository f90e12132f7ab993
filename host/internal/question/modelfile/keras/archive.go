package keras

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/keras/hdf5"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
)

const (
	// maxDirectory is the maximum number of bytes read for an archive's directory.
	maxDirectory = 4 << 20
	// maxPacked is the maximum size in bytes of compressed weights; Keras stores them
	// uncompressed.
	maxPacked = 64 << 20
)

// Archive is the format of Keras 3.
var Archive = reader.Format{
	Name: "keras", Extensions: []string{".keras"}, Max: reader.MaxFile, What: "a model file",
	Is:   func(head []byte, _ string) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) },
	Read: readArchive,
}

// readArchive reads a file that Keras 3 writes with model.save("….keras"): a zip archive with the
// architecture in config.json and the weights in model.weights.h5.
func readArchive(f reader.File) *reader.Model {
	whole := bytes.NewReader(f.Text)
	meter := &metered{whole, maxDirectory}
	archive, err := zip.NewReader(meter, whole.Size())
	if err != nil {
		panic(fault.New("a zip archive that cannot be read: %w", err))
	}
	meter.left = whole.Size() + maxDirectory
	members := map[string]*zip.File{}
	for _, m := range archive.File {
		members[m.Name] = m
	}
	config, weights := members["config.json"], members["model.weights.h5"]
	if config == nil || weights == nil {
		panic(fault.New("%s", otherArchive(archive)))
	}
	text := unpacked(config, maxConfig)
	var content []byte
	if size := int64(weights.UncompressedSize64); weights.Method == zip.Store {
		offset, err := weights.DataOffset()
		fault.Check(err)
		if size < 0 || offset < 0 || size > whole.Size()-offset {
			panic(fault.New("model.weights.h5: the archive announces %d bytes at offset %d, but has only %d", size, offset, whole.Size()))
		}
		content = f.Text[offset:][:size]
	} else {
		content = unpacked(weights, maxPacked)
	}
	layers := parseModelConfig(string(text))
	out := f.Network(newNetwork(layers, orderedWeights(hdf5.Open(content), layers)))
	out.Producer = "Keras"
	var version struct {
		Keras string `json:"keras_version"`
	}
	if m := members["metadata.json"]; m != nil && json.Unmarshal(unpacked(m, 1<<16), &version) == nil && version.Keras != "" {
		out.Producer += fmt.Sprintf(" %.40s", version.Keras)
	}
	return out
}

// otherArchive describes an archive that Keras did not write.
func otherArchive(archive *zip.Reader) string {
	for _, m := range archive.File {
		switch base := path.Base(m.Name); {
		case base == "data.pkl" || base == "archive_format":
			return reader.PyTorchFile
		case m.Name == "xl/workbook.xml":
			return "an Excel workbook, not a model: give the data first, as CSV, and then the model's file"
		case strings.HasSuffix(base, ".npy"):
			return "a NumPy archive, which does not say how its arrays make a model: write the model as JSON (docs/reference/formats.md)"
		}
	}
	return "a zip archive without config.json or model.weights.h5, so not from Keras 3: save the model with model.save(\"model.keras\")"
}

// metered is a reader that fails after a number of bytes.
type metered struct {
	io.ReaderAt
	left int64
}

func (m *metered) ReadAt(p []byte, at int64) (int, error) {
	if m.left -= int64(len(p)); m.left < 0 {
		return 0, errors.New("its directory is too large, or its members overlap")
	}
	return m.ReaderAt.ReadAt(p, at)
}

// unpacked decompresses a member of an archive. most is the largest size allowed, in bytes.
func unpacked(m *zip.File, most int64) []byte {
	defer fault.About(m.Name)
	r, err := m.Open()
	fault.Check(err)
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	fault.Check(err)
	if int64(len(text)) > most {
		panic(fault.New("decompressed, it has more than %d bytes, the maximum", most))
	}
	return text
}

// orderedWeights finds the weights of a layer by its rank among the layers of its class: dense,
// dense_1, ….
func orderedWeights(root *hdf5.Group, layers []layer) store {
	var group *hdf5.Group
	for _, name := range []string{"layers", "_layer_checkpoint_dependencies"} {
		if root.Has(name) {
			group = root.Group(name)
		}
	}
	if group == nil {
		panic(fault.New("model.weights.h5 has no layers"))
	}
	places, used := map[int]string{}, map[string]int{}
	for _, l := range declared(layers) {
		name := snake(l.Class)
		places[l.index] = name
		if n := used[name]; n > 0 {
			places[l.index] = fmt.Sprintf("%s_%d", name, n)
		}
		used[name]++
	}
	return func(l *layer) (where string, sets []*hdf5.Dataset) {
		g := group.Group(places[l.index] + "/vars")
		name, ok := l.Name, true
		if fault.Try(func() { name, ok = g.String("name") }) == nil && ok && name != l.Name {
			panic(fault.New("%s holds the weights of the layer %.60q, want those of %.60q", g.Path(), name, l.Name))
		}
		for i := 0; i < 8 && g.Has(fmt.Sprint(i)); i++ {
			err := fault.Try(func() { sets = append(sets, g.Dataset(fmt.Sprint(i))) })
			if err != nil && i >= 2 {
				break // the count of a Normalization, a whole number
			}
			fault.Check(err)
		}
		return g.Path(), sets
	}
}

// snake converts a class's name as Keras does for weights: BatchNormalization to
// batch_normalization, ReLU to re_lu.
func snake(class string) string {
	var out []rune
	letters := []rune(class)
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			out = append(out, '_')
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}
