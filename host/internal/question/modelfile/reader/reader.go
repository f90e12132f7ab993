// Package reader has what the readers of all formats of model files get and give.
package reader

import (
	"io"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// MaxFile bounds a file of any format, and one beside it, in bytes.
const MaxFile = 1 << 30

// Format is one kind of model file.
type Format struct {
	Name string
	// Extensions are the file extensions of the format, in lower case, with the dot.
	Extensions []string
	// Is recognises a file by its first bytes (up to 64) or its extension
	// (lower case, with the dot).
	Is func(head []byte, extension string) bool
	// Max bounds the file, in bytes; What is its name in the refusal.
	Max  int64
	What string
	// Read panics with a fault on an invalid file.
	Read func(f File) *Model
}

// File is the content of a file, its folder ("": none), and the question about it.
type File struct {
	Text   []byte
	Folder string
	Choice
}

// Model is a model as it was read.
type Model struct {
	model.Model
	Facts
	// Beside are the other files of the model in the folder.
	Beside []Beside
}

// Beside is a file beside the model's, as it was read.
type Beside struct {
	Name string
	Text []byte
}

// Facts are what a file says of its model, apart from the numbers.
type Facts struct {
	// Producer is the program that wrote the file; empty if not named.
	Producer string `json:"producer,omitempty"`
	// InputNames are the names of the inputs, for a file with several inputs or categories, and for
	// trees.
	InputNames []string `json:"input_names,omitempty"`
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
}

// Codes are the categories whose codes an input takes, as far as the file holds them.
type Codes struct {
	// Lists are the candidate lists: categories in the order of their codes, from 0, as Python
	// prints them. One list if the file is unambiguous; empty if it holds no list.
	Lists [][]string
	// Number: the input may also take a plain number; the file does not say.
	Number bool
}

// Vocabulary holds all categories that the file's encoder of a column knows; each has an input, from First
// on.
type Vocabulary struct {
	Name       string
	First      int
	Categories []string
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

// OnlyOutput refuses the name of an output, for files that have one output.
func (c Choice) OnlyOutput() {
	if c.Output != "" {
		panic(fault.New("output: %s names an output of an ONNX file; this file has one output: leave it out", c.Output))
	}
}

// Network is a network of a file with one output, with the choice applied.
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
		panic(fault.New("one linear unit, which tells no classes: leave class: out"))
	case ClassOf(c.Class, 2) == 1:
	case n.Head == relu.HeadSoftmax: // the other probability: rows and biases swapped
		last.Weights = slices.Concat(last.Row(1), last.Row(0))
		last.Bias = []float64{last.Bias[1], last.Bias[0]}
	default:
		last.Weights, last.Bias = layers.Negative(last.Weights), layers.Negative(last.Bias)
	}
	return out
}

// ClassOf is the requested class of n; of two, 1 without a request.
func ClassOf(class *int, n int) int {
	switch {
	case class == nil && n > 2:
		panic(fault.New("the model tells %d classes: name the one to ask about in the study, model: {file: …, class: 1}, and to hyfair init with --class 1", n))
	case class == nil:
		return 1
	case *class < 0 || *class >= n:
		panic(fault.New("no class %d; the model tells %d, counted from 0", *class, n))
	}
	return *class
}

// PyTorchFile refuses what torch.save writes.
const PyTorchFile = "a PyTorch file, which holds Python objects and is not read: export the model with torch.onnx.export(model.eval(), x, \"model.onnx\")"

// Limit refuses a size above most; what is of that size.
func Limit(size, most int64, what string) {
	if size > most {
		panic(fault.New("%s of %d bytes; at most %d are read", what, size, most))
	}
}

// Whole reads the next size bytes of r.
func Whole(r io.Reader, size int64) []byte {
	text := make([]byte, size)
	_, err := io.ReadFull(r, text)
	fault.Check(err)
	return text
}
