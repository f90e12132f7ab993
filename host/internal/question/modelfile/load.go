// Package modelfile reads and writes models of all formats: it opens a file, finds its format, and hashes the bytes that
// the format's reader gets. The readers are onnx, keras and trees, and of hyfair's own JSON and .nnet files here;
// docs/reference/formats.md lists the supported parts of each. What they share: reader, what a reader gets and gives; layers and
// forest, which make models of what they find; fault, how they refuse.
//
// Files are untrusted: their allocations are bounded, and every fault is an error that
// names its place.
package modelfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/keras"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/trees"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/model"
	ensembles "github.com/hyfair/hyfair/sdk/model/trees"
)

// formats lists all readable formats. Each recognises only its own files, so the order does
// not matter.
var formats = []reader.Format{jsonFormat, keras.H5, keras.Archive, trees.LightGBM, nnetFormat, onnx.Format, trees.XGBoostJSON, trees.XGBoostUBJSON}

// Extensions lists those of all formats, in lower case, with the dot.
func Extensions() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Extensions...)
	}
	return all
}

// Choice selects what is asked about a file.
type Choice = reader.Choice

// Codes are the categories whose codes an input takes.
type Codes = reader.Codes

// Vocabulary holds all categories that the file's encoder of a column knows.
type Vocabulary = reader.Vocabulary

// Info describes a model and its origin.
type Info struct {
	// Path is the file as given.
	Path string `json:"path"`
	// Format is the name of the file's format: "keras-h5", "onnx" or "hyfair-network".
	Format string `json:"format"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// SHA256 is the hexadecimal hash of the file and of the files beside it that belong to
	// the model. Files names all of them.
	SHA256 string   `json:"-"`
	Files  []string `json:"-"`
	// Facts are what the file says of its model.
	reader.Facts
	Summary
}

// Read reads and validates the model in the file at path. Content determines the format.
// Errors name the file.
func Read(path string, choice Choice) (model.Model, Info, error) {
	n, info, err := open(path, choice)
	if err != nil {
		return nil, Info{}, fmt.Errorf("model %s: %w", view.OneLine(path), err)
	}
	return n, info, nil
}

func open(path string, choice Choice) (model.Model, Info, error) {
	file, stat, err := files.Open(path)
	if err != nil {
		if what := folderOf(path); what != "" {
			return nil, Info{}, errors.New(what)
		}
		return nil, Info{}, files.Reason(err)
	}
	defer file.Close()
	return read(file, stat.Size(), path, filepath.Dir(path), choice)
}

// read reads a file of size bytes once, from its first byte to its last: what is parsed is what is hashed. folder has
// the files beside it.
func read(r io.Reader, size int64, path, folder string, choice Choice) (_ model.Model, _ Info, err error) {
	defer fault.Caught(&err)
	head := reader.Whole(r, min(size, maxHead))
	format := choose(head, strings.ToLower(filepath.Ext(path)))
	if choice.Raw && format.Name != nnetFormat.Name {
		panic(fault.New("normalize: applies to .nnet files only, whose means and ranges some programs ignore; leave it out"))
	}
	reader.Limit(size, reader.MaxFile, "a model file")
	reader.Limit(size, format.Max, format.What)
	text := reader.Whole(io.MultiReader(bytes.NewReader(head), r), size)
	info := Info{Path: path, Format: format.Name, Bytes: size, Files: []string{path}, SHA256: sum(text)}
	out := format.Read(reader.File{Text: text, Folder: folder, Choice: choice})
	if v := choice.Missing; v != nil {
		e, ok := out.Model.(*ensembles.Ensemble)
		if !ok {
			panic(fault.New("missing: %v is an input that trees send where missing values go, and this file has no trees: leave it out", *v))
		}
		out.Model = e.Absent(float32(*v))
	}
	fault.Check(out.Validate())
	info.Facts, info.Summary = out.Facts, Summarise(out.Model)
	if len(out.Beside) > 0 {
		for _, f := range out.Beside {
			info.Files = append(info.Files, filepath.Join(filepath.Dir(path), f.Name))
			info.SHA256 += sum(f.Text)
		}
		info.SHA256 = sum([]byte(info.SHA256))
	}
	return out.Model, info, nil
}

// maxHead is how many bytes tell the format.
const maxHead = 64

// sum is the SHA-256 of a text, in hexadecimal.
func sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// Is reports whether the file looks like a model of one of the formats.
func Is(path string) bool {
	file, _, err := files.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, maxHead)
	n, _ := io.ReadFull(file, head)
	return slices.ContainsFunc(formats, func(f reader.Format) bool { return f.Is(head[:n], strings.ToLower(filepath.Ext(path))) })
}

func choose(head []byte, extension string) reader.Format {
	for _, f := range formats {
		if f.Is(head, extension) {
			return f
		}
	}
	panic(fault.New("%s", stranger(head)))
}
