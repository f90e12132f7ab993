// Package modelfile reads and writes trained networks: Keras .h5 files (read only),
// ONNX, and the project's own JSON. A format is one file here, which puts itself on
// the list of formats. docs/formats.md says what is read of each.
//
// Files are taken as hostile: what they can make the program allocate is
// bounded, and every fault is an error that names its place.
package modelfile

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/model"
)

// maxParameters bounds the weights and biases of one network.
const maxParameters = 64 << 20

// format is one kind of model file.
type format struct {
	name string
	// extensions are those of its files, in lower case, with the dot.
	extensions []string
	// is recognises a file by its first bytes (up to 64) or its extension
	// (lower case, with the dot).
	is func(head []byte, extension string) bool
	// read gives the network and the program that wrote it, where the file says so. It
	// panics with a fault.
	read func(r io.ReaderAt, size int64) (n model.Model, producer string)
}

// formats are all that is read. Each recognises its own files only, so their
// order does not matter.
var formats []format

// Extensions are those of the files of all formats, in lower case, with the dot, and
// .keras, of files that Read says what to do about.
func Extensions() []string {
	all := []string{".keras"}
	for _, f := range formats {
		all = append(all, f.extensions...)
	}
	return all
}

// Info says where a network came from and what it looks like.
type Info struct {
	// Path is the file as it was given.
	Path string `json:"path"`
	// Format is the name of the file's format: "keras-h5", "onnx" or "hyfair-network".
	Format string `json:"format"`
	// Producer is what wrote the file, as far as it says; may be empty.
	Producer string `json:"producer,omitempty"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	Summary
}

// Read reads the network in the file at path and validates it. The format is
// told by content. Errors name the file.
func Read(path string) (model.Model, Info, error) {
	n, info, err := open(path)
	if err != nil {
		return nil, Info{}, fmt.Errorf("model %s: %w", path, err)
	}
	return n, info, nil
}

func open(path string) (model.Model, Info, error) {
	file, stat, err := files.Open(path)
	if err != nil {
		return nil, Info{}, files.Reason(err)
	}
	defer file.Close()
	return read(file, stat.Size(), path)
}

// read finds the format of the size bytes behind r and reads them.
func read(r io.ReaderAt, size int64, path string) (_ model.Model, _ Info, err error) {
	defer caught(&err)
	head := whole(r, min(size, 64), 64, "")
	f := choose(head, strings.ToLower(filepath.Ext(path)))
	n, producer := f.read(r, size)
	check(n.Validate())
	return n, Info{Path: path, Format: f.name, Producer: producer, Bytes: size, Summary: Summarise(n)}, nil
}

func choose(head []byte, extension string) format {
	for _, f := range formats {
		if f.is(head, extension) {
			return f
		}
	}
	const known = "hyfair reads Keras .h5 files, chains of dense layers in ONNX, and its own .json format (docs/formats.md)"
	switch {
	case len(head) == 0:
		panic(faultf("the file is empty"))
	case strings.HasPrefix(string(head), "PK\x03\x04"):
		panic(faultf("a zip archive, as Keras 3 writes with .keras; %s: save the network with model.save(\"network.h5\")", known))
	}
	panic(faultf("neither HDF5 nor JSON nor ONNX; %s", known))
}

// whole reads all size bytes behind r, of what may have most of them.
func whole(r io.ReaderAt, size, most int64, what string) []byte {
	if size > most {
		panic(faultf("%s of %d bytes; at most %d are read", what, size, most))
	}
	text := make([]byte, size)
	if n, err := r.ReadAt(text, 0); n < len(text) {
		panic(fault{err})
	}
	return text
}

// fault is an error in a file. Functions within a reader panic with it as soon as
// they meet one; those that return an error defer caught.
type fault struct{ error }

func faultf(format string, args ...any) fault { return fault{fmt.Errorf(format, args...)} }

// check takes an error of another package for a fault.
func check(err error) {
	if err != nil {
		panic(fault{err})
	}
}

// about puts words before the fault that something below panicked with.
func about(words string) {
	switch f := recover().(type) {
	case nil:
	case fault:
		panic(faultf("%s: %w", words, f.error))
	default:
		panic(f)
	}
}

// caught makes the fault that something below panicked with the caller's error.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}
