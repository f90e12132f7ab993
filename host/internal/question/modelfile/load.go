// Package modelfile reads and writes models of all formats: it opens a file, finds its format, and hashes the bytes
// that it passes to the format's reader. Packages onnx, keras and trees hold readers; those of hyfair's JSON and of
// .nnet files are here. docs/reference/formats.md lists the supported parts of each format. The readers share package
// reader, their input and output; layers and forest, which build models; and fault, their errors.
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

// Extensions lists the extensions of all formats, in lower case, with the dot.
func Extensions() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Extensions...)
	}
	return all
}

// Choice selects the part of a file to read.
type Choice = reader.Choice

// Codes are the categories that an input's values encode.
type Codes = reader.Codes

// Vocabulary holds all categories that the file's encoder of a column knows.
type Vocabulary = reader.Vocabulary

// Info describes a model and its origin.
type Info struct {
	// Path is the file's path, as given.
	Path string `json:"path"`
	// Format is the name of the file's format, such as "keras-h5", "onnx" or "hyfair-network".
	Format string `json:"format"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// SHA256 is the hexadecimal hash of the model's files: this one and those in its folder
	// that belong to it. Files names them all.
	SHA256 string   `json:"-"`
	Files  []string `json:"-"`
	// Facts are the file's statements about its model.
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

// read reads a file of size bytes once, so that the parsed bytes are the hashed ones. folder is the
// file's folder.
func read(r io.Reader, size int64, path, folder string, choice Choice) (_ model.Model, _ Info, err error) {
	defer fault.Caught(&err)
	head := reader.Whole(r, min(size, maxHead))
	format := choose(head, strings.ToLower(filepath.Ext(path)))
	if choice.Raw && format.Name != nnetFormat.Name {
		panic(fault.New("normalize: applies only to .nnet files, whose means and ranges some programs ignore: leave it out"))
	}
	reader.Limit(size, reader.MaxFile, "a model file")
	reader.Limit(size, format.Max, format.What)
	text := reader.Whole(io.MultiReader(bytes.NewReader(head), r), size)
	if format.Of != nil {
		format = format.Of(text)
		reader.Limit(size, format.Max, format.What)
	}
	info := Info{Path: path, Format: format.Name, Bytes: size, Files: []string{path}, SHA256: sum(text)}
	out := format.Read(reader.File{Text: text, Folder: folder, Choice: choice})
	if v := choice.Missing; v != nil {
		switch m := out.Model.(type) {
		case *ensembles.Ensemble:
			out.Model = m.Absent(float32(*v))
		case *ensembles.Classes:
			out.Model = m.Each(func(e *ensembles.Ensemble) *ensembles.Ensemble { return e.Absent(float32(*v)) })
		default:
			panic(fault.New("missing: %v is the input that trees treat as a missing value, but this file has no trees: leave it out", *v))
		}
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

// maxHead is the number of bytes by which formats are recognised.
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
