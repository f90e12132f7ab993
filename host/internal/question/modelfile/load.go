// Package modelfile reads and writes trained networks: Keras .h5 files (read only),
// ONNX, and the project's own JSON. A format is one file here, which puts itself on
// the list of formats. docs/formats.md says what is read of each.
//
// Files are taken as hostile: what they can make the program allocate is
// bounded, and every fault is an error that names its place.
package modelfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
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
	// read panics with a fault.
	read func(f source) loaded
}

// source is a file that is read: size bytes, in a folder ("": none), with what is asked of it.
type source struct {
	io.ReaderAt
	size   int64
	folder string
	choice Choice
}

// loaded is what a file holds.
type loaded struct {
	model model.Model
	// producer is what wrote the file, where it says so.
	producer string
	// linear: the file ends in logits, of which a study says that they are.
	linear bool
	// oneOfMany: the model's logit tells whether a class wins over others, and is
	// not that of a probability.
	oneOfMany bool
	// shareOfMany: the model's score is the share of one class of three or more.
	shareOfMany bool
	// classes is how many there are, where each can be asked about in oneOfMany's way; else 0.
	classes int
	// inputs are the names of the inputs, where they are worth telling.
	inputs []string
	// codes are the inputs that take the codes of categories.
	codes map[int]Codes
	// fills are the numbers that stand in for missing ones, by input.
	fills map[int]float64
	// vocabularies are those of encoders.
	vocabularies []Vocabulary
	// beside are the files in the folder that are part of the model, with what was read.
	beside []besideFile
}

// Choice says what of a file is asked about. The zero value is what it has one of.
type Choice struct {
	// Output is the name of an output, of a file that has several.
	Output string
	// Class is the class whose probability the score is; nil: that of 1, of two.
	Class *int
	// Raw: the means and ranges of a .nnet file are not applied.
	Raw bool
	// Missing is the input that trees take for a missing value besides NaN, XGBoost's missing=, which its files do
	// not hold; nil: none.
	Missing *float64
}

// formats are all that is read. Each recognises its own files only, so their
// order does not matter.
var formats []format

// Extensions are those of the files of all formats, in lower case, with the dot.
func Extensions() []string {
	var all []string
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
	// InputNames are the names of the inputs, of a file with several or with categories, or of trees.
	InputNames []string `json:"input_names,omitempty"`
	// SHA256 is the hash, in hexadecimal, of the file, and of the files beside it that
	// are part of it. Files names all of them.
	SHA256 string   `json:"-"`
	Files  []string `json:"-"`
	// Linear: the file ends in what a study is to call logits. OneOfMany: in several
	// classes, so that whether one of them wins is all that can be asked.
	Linear    bool `json:"-"`
	OneOfMany bool `json:"-"`
	// ShareOfMany: the score is the share of one class of three or more, so that a yes, a share
	// above ½, is more than that this class wins.
	ShareOfMany bool `json:"-"`
	// Fills are what the model puts in place of a missing number, by input from 0; nil where it does not.
	Fills map[int]float64 `json:"-"`
	// Codes are the categories of the inputs, by input from 0, that take the code of one; nil where none
	// does, or the format does not say.
	Codes map[int]Codes `json:"-"`
	// Classes is how many classes there are of which one wins, OneOfMany, by the largest of
	// as many outputs; else 0.
	Classes int `json:"-"`
	// Vocabularies are those of encoders that refuse what they do not know, as a OneHotEncoder with
	// handle_unknown="error" does.
	Vocabularies []Vocabulary `json:"-"`
	Summary
}

// Vocabulary is all categories that the file's encoder of a column knows, each with an input, from First on.
type Vocabulary struct {
	Name       string
	First      int
	Categories []string
}

// of is a network that a file of another format than ONNX holds, asked as the choice says.
func (c Choice) of(n *relu.Network) loaded {
	if c.Output != "" {
		panic(faultf("output: %s names an output of an ONNX file; this file has one output: leave it out", c.Output))
	}
	out := loaded{model: n, linear: n.Head == relu.HeadLinear}
	if last := &n.Layers[len(n.Layers)-1]; out.linear && last.Out == 2 { // the logits of a softmax
		n.Head = relu.HeadSoftmax
	}
	switch {
	case c.Class == nil:
	case n.Head == relu.HeadLinear:
		panic(faultf("one linear unit, which tells no classes: leave class: out"))
	case classOf(c.Class, 2) == 0:
		last := &n.Layers[len(n.Layers)-1]
		if n.Head == relu.HeadSoftmax { // the other one's probability: rows and biases swapped
			last.Weights = slices.Concat(last.Row(1), last.Row(0))
			last.Bias = []float64{last.Bias[1], last.Bias[0]}
			break
		}
		last.Weights, last.Bias = negative(last.Weights), negative(last.Bias)
	}
	return out
}

// Read reads the model in the file at path and validates it. The format is told by
// content. Errors name the file.
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
	return read(source{file, stat.Size(), filepath.Dir(path), choice}, path)
}

// isSavedModel recognises saved_model.pb: version 1 of its schema, then a message where ONNX has a name.
func isSavedModel(head []byte) bool {
	rest, ok := bytes.CutPrefix(head, []byte{1 << 3, 1, 2<<3 | 2})
	if _, n := protowire.ConsumeVarint(rest); ok && n > 0 && n < len(rest) {
		return rest[n] == 1<<3|2
	}
	return false
}

// folderOf says what a folder is that a library saves a model as; "" of others.
func folderOf(path string) string {
	for _, kind := range []struct{ file, what string }{
		{"saved_model.pb", savedModel},
		{"MLmodel", "a folder of MLflow: name the model's file in it, saved in a format that is read (docs/formats.md)"},
	} {
		if stat, err := os.Stat(filepath.Join(path, kind.file)); err == nil && stat.Mode().IsRegular() {
			return kind.what
		}
	}
	return ""
}

// besideFile is a file beside the model's, as it was read.
type besideFile struct {
	name string
	text []byte
}

// maxFile bounds a model file.
const maxFile = 1 << 30

// read finds the format of a file and reads it, once: what is hashed is what was parsed.
func read(f source, path string) (_ model.Model, _ Info, err error) {
	defer caught(&err)
	format := choose(whole(f, min(f.size, 64), 64, ""), strings.ToLower(filepath.Ext(path)))
	if f.choice.Raw && format.name != "nnet" {
		panic(faultf("normalize: is for .nnet files, whose means and ranges some programs leave aside; leave it out"))
	}
	text := whole(f, f.size, maxFile, "a model file")
	f.ReaderAt = bytes.NewReader(text)
	out := format.read(f)
	if v := f.choice.Missing; v != nil {
		e, ok := out.model.(*trees.Ensemble)
		if !ok {
			panic(faultf("missing: %v is an input that trees send where missing values go, and this file has no trees: leave it out", *v))
		}
		out.model = e.Absent(float32(*v))
	}
	check(out.model.Validate())
	info := Info{
		Path: path, Format: format.name, Producer: out.producer, Bytes: f.size, InputNames: out.inputs, Files: []string{path}, SHA256: sum(text),
		Linear: out.linear, OneOfMany: out.oneOfMany, ShareOfMany: out.shareOfMany, Classes: out.classes, Fills: out.fills, Codes: out.codes, Vocabularies: out.vocabularies, Summary: Summarise(out.model),
	}
	if len(out.beside) > 0 {
		sums := info.SHA256
		for _, f := range out.beside {
			info.Files = append(info.Files, filepath.Join(filepath.Dir(path), f.name))
			sums += sum(f.text)
		}
		info.SHA256 = sum([]byte(sums))
	}
	return out.model, info, nil
}

// sum is the SHA-256 of a text, in hexadecimal.
func sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// Is reports that the file looks like a model of one of the formats.
func Is(path string) bool {
	file, _, err := files.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(file, head)
	return slices.ContainsFunc(formats, func(f format) bool { return f.is(head[:n], strings.ToLower(filepath.Ext(path))) })
}

func choose(head []byte, extension string) format {
	for _, f := range formats {
		if f.is(head, extension) {
			return f
		}
	}
	panic(faultf("%s", stranger(head)))
}

// stranger says what a file of none of the formats is, and what to do about it.
func stranger(head []byte) string {
	starts := func(with ...string) bool {
		return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(string(head), w) })
	}
	switch {
	case len(head) == 0:
		return "the file is empty"
	case isSavedModel(head):
		return savedModel
	case starts("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19"):
		return pytorchFile
	case starts("\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05", "ccopy_reg\n", "csklearn.", "clightgbm.", "cxgboost."):
		return "a pickle (of joblib or pickle), which runs code when it is opened and so is not read: run the script that hyfair export-helper sklearn prints, or export with skl2onnx.to_onnx"
	case starts("x\x9c", "x\x01", "x\x5e", "x\xda", "\x1f\x8b", "BZh", "\xfd7zXZ"):
		return "a compressed file: unpack it; if joblib wrote it, it is a pickle, which is not read: run the script that hyfair export-helper sklearn prints"
	case starts("CBM1"):
		return catBoost
	case starts("binf", "booster[0]:", "0:["):
		return "an XGBoost file of another kind than is read: save the model with model.save_model(\"model.json\")"
	case starts("<?xml", "<PMML"):
		return "XML, as PMML is, which is not read: export the model as ONNX"
	case len(head) > 9 && head[8] == '{' && head[7] == 0 && head[6] == 0:
		return "a safetensors file, which holds weights without the layers between them: " + pytorchFile[strings.Index(pytorchFile, "export"):]
	case len(head) >= 8 && string(head[4:8]) == "TFL3":
		return "a TensorFlow Lite model, which is not read: save the Keras model that it was made from, with model.save(\"model.keras\")"
	}
	return "neither HDF5 nor JSON nor ONNX; hyfair reads ONNX (PyTorch, scikit-learn and others), XGBoost .json and .ubj, LightGBM .txt, Keras .keras and .h5 files, .nnet, and its own .json format (docs/formats.md)"
}

// savedModel refuses what TensorFlow writes, a folder with saved_model.pb in it.
const savedModel = "a SavedModel of TensorFlow, which is not read: save the Keras model that it was made from, with model.save(\"model.keras\")"

const pytorchFile = "a PyTorch file, which holds Python objects and is not read: export the model with torch.onnx.export(model.eval(), x, \"model.onnx\")"

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
