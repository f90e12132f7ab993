// Package modelfile reads and writes trained networks: Keras .h5 files (read only), ONNX,
// and the project's own JSON. Each format is one file here, which registers itself in
// formats. docs/formats.md lists the supported parts of each.
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
	// extensions are the format's, in lower case, with the dot.
	extensions []string
	// is recognises a file by its first bytes (up to 64) or its extension
	// (lower case, with the dot).
	is func(head []byte, extension string) bool
	// read panics with a fault on an invalid file.
	read func(f source) loaded
}

// source is a file to read: size bytes, in a folder ("": none), and the question about it.
type source struct {
	io.ReaderAt
	size   int64
	folder string
	choice Choice
}

// loaded is the content of a file.
type loaded struct {
	model model.Model
	// producer is the program that wrote the file, if named.
	producer string
	// linear: the file ends in numbers; a study must say whether they are logits.
	linear bool
	// oneOfMany: the logit says whether a class wins over all others; it is not the logit
	// of a probability.
	oneOfMany bool
	// shareOfMany: the model's score is the share of one class of three or more.
	shareOfMany bool
	// classes is the number of classes, if each can be asked about as with oneOfMany; else 0.
	classes int
	// inputs are the names of the inputs, if worth reporting.
	inputs []string
	// codes are the inputs that take codes of categories.
	codes map[int]Codes
	// fills are the substitutes for missing numbers, by input.
	fills map[int]float64
	// vocabularies are those of the file's encoders.
	vocabularies []Vocabulary
	// beside are the other files of the model in the folder, with their content.
	beside []besideFile
}

// Choice selects what is asked about a file. The zero value suits a file with one output
// and no choice.
type Choice struct {
	// Output is the name of an output, for a file with several.
	Output string
	// Class is the class whose probability is the score; nil: class 1 of two.
	Class *int
	// Raw: the means and ranges of a .nnet file are not applied.
	Raw bool
	// Missing is a further value that trees treat as missing besides NaN: XGBoost's missing=, which its files do
	// not hold; nil: none.
	Missing *float64
}

// formats lists all readable formats. Each recognises only its own files, so the order does
// not matter.
var formats []format

// Extensions lists those of all formats, in lower case, with the dot.
func Extensions() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.extensions...)
	}
	return all
}

// Info describes a network and its origin.
type Info struct {
	// Path is the file as given.
	Path string `json:"path"`
	// Format is the name of the file's format: "keras-h5", "onnx" or "hyfair-network".
	Format string `json:"format"`
	// Producer is the program that wrote the file; empty if not named.
	Producer string `json:"producer,omitempty"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// InputNames are the names of the inputs, for a file with several inputs or categories, and for
	// trees.
	InputNames []string `json:"input_names,omitempty"`
	// SHA256 is the hexadecimal hash of the file and of the files beside it that belong to
	// the model. Files names all of them.
	SHA256 string   `json:"-"`
	Files  []string `json:"-"`
	// Linear: the file ends in numbers that a study must call logits. OneOfMany: the only
	// question is whether one of several classes wins.
	Linear    bool `json:"-"`
	OneOfMany bool `json:"-"`
	// ShareOfMany: the score is the share of one class of three or more. A share above ½, a
	// yes, is more than that this class wins.
	ShareOfMany bool `json:"-"`
	// Fills are the model's substitutes for a missing number, by input from 0; nil if there are
	// none.
	Fills map[int]float64 `json:"-"`
	// Codes are the categories of inputs that take codes, by input from 0; nil if no input does, or
	// the format does not say.
	Codes map[int]Codes `json:"-"`
	// Classes is the number of classes of which one wins (OneOfMany) by the largest output;
	// else 0.
	Classes int `json:"-"`
	// Vocabularies are those of encoders that refuse unknown categories, such as a OneHotEncoder
	// with handle_unknown="error".
	Vocabularies []Vocabulary `json:"-"`
	Summary
}

// Vocabulary holds all categories that the file's encoder of a column knows; each has an input, from First
// on.
type Vocabulary struct {
	Name       string
	First      int
	Categories []string
}

// of is a network from a non-ONNX file, with the choice applied.
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
		if n.Head == relu.HeadSoftmax { // the other probability: rows and biases swapped
			last.Weights = slices.Concat(last.Row(1), last.Row(0))
			last.Bias = []float64{last.Bias[1], last.Bias[0]}
			break
		}
		last.Weights, last.Bias = negative(last.Weights), negative(last.Bias)
	}
	return out
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

// folderOf describes a folder that a library saves a model as; "" for others.
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

// read finds the format of a file and reads it once: the hash is of the parsed bytes.
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

// Is reports whether the file looks like a model of one of the formats.
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

// stranger describes a file of none of the formats, and what to do about it.
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

// savedModel refuses a TensorFlow folder with saved_model.pb in it.
const savedModel = "a SavedModel of TensorFlow, which is not read: save the Keras model that it was made from, with model.save(\"model.keras\")"

const pytorchFile = "a PyTorch file, which holds Python objects and is not read: export the model with torch.onnx.export(model.eval(), x, \"model.onnx\")"

// whole reads all size bytes of r, at most most.
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

// fault is an error in a file. Functions within a reader panic with it on discovery; those
// that return an error defer caught.
type fault struct{ error }

func faultf(format string, args ...any) fault { return fault{fmt.Errorf(format, args...)} }

// check turns an error of another package into a fault.
func check(err error) {
	if err != nil {
		panic(fault{err})
	}
}

// about prefixes the fault of a panic below with words.
func about(words string) {
	switch f := recover().(type) {
	case nil:
	case fault:
		panic(faultf("%s: %w", words, f.error))
	default:
		panic(f)
	}
}

// caught turns the fault of a panic below into the caller's error.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}
