// Package reader defines the input and output of the readers of all formats of model files.
package reader

import (
	"io"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// MaxFile is the maximum size in bytes of each file of a model.
const MaxFile = 1 << 30

// Format is one kind of model file.
type Format struct {
	Name string
	// Extensions are the file extensions of the format, in lower case, with the dot.
	Extensions []string
	// Is recognises a file by its first bytes (up to 64) or its extension
	// (lower case, with the dot).
	Is func(head []byte, extension string) bool
	// Max is the maximum size of the file, in bytes; What names it in the error.
	Max  int64
	What string
	// Of, if not nil, returns the format of a file that its first bytes leave open.
	Of func(text []byte) Format
	// Read panics with a fault on an invalid file.
	Read func(f File) *Model
}

// File is the content of a file, its folder ("": none), and the choice of what to read.
type File struct {
	Text   []byte
	Folder string
	Choice
}

// Model is a model that was read.
type Model struct {
	model.Model
	Facts
	// Beside are the other files of the model, from the same folder.
	Beside []Beside
}

// Beside is another file of a model: its name and content.
type Beside struct {
	Name string
	Text []byte
}

// Facts are a file's statements about its model, apart from the numbers.
type Facts struct {
	// Producer is the program that wrote the file; empty if not named.
	Producer string `json:"producer,omitempty"`
	// InputNames are the names of the inputs, for a file with several inputs or categories, and for
	// trees.
	InputNames []string `json:"input_names,omitempty"`
	// Linear: the output is a number, not a probability; the study says whether it is a logit.
	// OneOfMany: the score tells only whether one of several classes wins.
	Linear    bool `json:"-"`
	OneOfMany bool `json:"-"`
	// ShareOfMany: the score is the share of one class among three or more. A positive decision
	// needs a share above ½; a class may win with less.
	ShareOfMany bool `json:"-"`
	// Fills are the model's substitutes for a missing number, by input from 0; nil if there are
	// none.
	Fills map[int]float64 `json:"-"`
	// Codes are the categories of inputs that take codes, by input from 0; nil if no input does, or
	// the format does not state it.
	Codes map[int]Codes `json:"-"`
	// Classes is the number of classes if OneOfMany and the class with the largest output wins;
	// otherwise 0.
	Classes int `json:"-"`
	// Vocabularies are the categories of encoders that refuse others, such as a OneHotEncoder with
	// handle_unknown="error".
	Vocabularies []Vocabulary `json:"-"`
}

// Codes are the categories that an input's values encode, as far as the file holds them.
type Codes struct {
	// Lists are candidates for the input's list of categories, in the order of their codes, from
	// 0, as Python prints them. One list if the file is unambiguous; empty if it holds no list.
	Lists [][]string
	// Number: the input may also be a plain number; the file does not state which.
	Number bool
}

// Vocabulary holds all categories that the file's encoder of a column knows; each has an input, the
// first of which is First.
type Vocabulary struct {
	Name       string
	First      int
	Categories []string
}

// Choice selects the part of a file to read. The zero value suits a file with one output and
// nothing to choose.
type Choice struct {
	// Output is the name of an output, for a file with several.
	Output string
	// Class is the class whose probability is the score; nil: class 1 of two.
	Class *int
	// Any: the study asks about any of several classes, of which Class is the first.
	Any bool
	// Raw: the means and ranges of a .nnet file are not applied.
	Raw bool
	// Missing is a value that trees treat as missing besides NaN: XGBoost's missing=, which its files do not
	// hold; nil: none.
	Missing *float64
}

// OnlyOutput refuses the name of an output, for files that have one output.
func (c Choice) OnlyOutput() {
	if c.Output != "" {
		panic(fault.New("output: %s names an output of an ONNX file; this file has one output: leave out the key output", c.Output))
	}
}

// Network applies the choice to the network of a file with one output.
func (c Choice) Network(n *relu.Network) *Model {
	c.OnlyOutput()
	out := &Model{Model: n, Facts: Facts{Linear: n.Head == relu.HeadLinear}}
	last := &n.Layers[len(n.Layers)-1]
	if out.Linear && last.Out == 2 { // the logits of a softmax
		n.Head = relu.HeadSoftmax
	}
	switch {
	case c.Class == nil:
	case n.Head == relu.HeadLinear:
		panic(fault.New("the output is a single linear unit without classes: leave out the key class"))
	case ClassOf(c.Class, 2) == 1:
	case n.Head == relu.HeadSoftmax: // the other probability: rows and biases swapped
		last.Weights = slices.Concat(last.Row(1), last.Row(0))
		last.Bias = []float64{last.Bias[1], last.Bias[0]}
	default:
		last.Weights, last.Bias = layers.Negative(last.Weights), layers.Negative(last.Bias)
	}
	return out
}

// ClassOf returns the requested class of n; without a request, class 1 of two.
func ClassOf(class *int, n int) int {
	switch {
	case class == nil && n > 2:
		panic(fault.New("the model has %d classes: name one in the study, as in model: {file: …, class: 1}, or with --class 1 of hyfair init", n))
	case class == nil:
		return 1
	case *class < 0 || *class >= n:
		panic(fault.New("class: got %d, want one of the model's %d classes, counted from 0", *class, n))
	}
	return *class
}

// PyTorchFile is the error for a file of torch.save.
const PyTorchFile = "a PyTorch file, which holds Python objects and is not supported: export the model with torch.onnx.export(model.eval(), x, \"model.onnx\")"

// Limit refuses a file whose size in bytes exceeds the limit. The last argument names the file in
// the error.
func Limit(size, most int64, what string) {
	if size > most {
		panic(fault.New("%s of %d bytes is too large: at most %d are supported", what, size, most))
	}
}

// Whole reads the next size bytes of r.
func Whole(r io.Reader, size int64) []byte {
	text := make([]byte, size)
	_, err := io.ReadFull(r, text)
	fault.Check(err)
	return text
}
