package modelfile

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

var nnetFormat = reader.Format{
	Name: "nnet", Extensions: []string{".nnet"}, Max: maxText, What: "a .nnet network",
	Is: func(head []byte, extension string) bool {
		return bytes.HasPrefix(head, []byte("//")) || extension == ".nnet" && len(head) > 0
	},
	Read: readNNet,
}

// readNNet reads the text format of Reluplex, which FairQuant also uses: comments that
// begin with //, then numbers separated and ended by commas.
func readNNet(f reader.File) *reader.Model {
	t := &nnetText{left: f.Text}
	for bytes.HasPrefix(t.left, []byte("//")) {
		t.next()
	}
	sizes := t.numbers("the number of layers, inputs and outputs", 4)
	depth, inputs, outputs := int(sizes[0]), int(sizes[1]), int(sizes[2])
	if !(sizes[0] >= 1 && sizes[0] <= maxLayers) {
		panic(fault.New("line %d: got %v layers, want 1 to %d", t.line, sizes[0], maxLayers))
	}
	widths := t.numbers("the widths of the layers", depth+1)
	parameters := 0
	for i, w := range widths {
		if w != math.Trunc(w) || w < 1 || w > relu.MaxUnits {
			panic(fault.New("line %d: a layer of %v units; 1 to %d are supported", t.line, w, relu.MaxUnits))
		}
		if i > 0 {
			parameters += int(w) * (int(widths[i-1]) + 1)
		}
	}
	if parameters > layers.MaxParameters || int(widths[0]) != inputs || int(widths[depth]) != outputs {
		panic(fault.New("line %d: got widths %.80v, want them to begin with the %d inputs, to end with the %d outputs, and to give at most %d parameters", t.line, widths, inputs, outputs, layers.MaxParameters))
	}
	t.next() // an unused flag
	t.numbers("the least inputs", inputs)
	t.numbers("the largest inputs", inputs)
	means, ranges := t.numbers("means", inputs+1), t.numbers("ranges", inputs+1)
	if f.Raw {
		means, ranges = make([]float64, inputs+1), slices.Repeat([]float64{1}, inputs+1)
	}
	if slices.Contains(ranges, 0) {
		panic(fault.New("line %d: got a range of 0, want ranges other than 0", t.line))
	}
	b := layers.New()
	v := b.Select(b.Inputs(inputs)...)
	v = b.Divide(b.Minus(v, means[:inputs]), ranges[:inputs])
	for k := range depth {
		in, units := int(widths[k]), int(widths[k+1])
		var weights, bias []float64
		for range units {
			weights = append(weights, t.numbers("weights", in)...)
		}
		for range units {
			bias = append(bias, t.numbers("a bias", 1)...)
		}
		if v = b.Dense(v, weights, units, bias, "layer "+strconv.Itoa(k+1)); k < depth-1 {
			v = b.ReLU(v)
		}
	}
	if len(bytes.TrimSpace(t.left)) > 0 {
		panic(fault.New("line %d: the file continues after its last layer", t.line+1))
	}
	v = b.Scale(v, ranges[inputs:], means[inputs:])
	if outputs > 2 {
		panic(fault.New("got %d outputs, want one logit or two, one per class: write a network with more classes as ONNX", outputs))
	}
	return f.Network(b.Network(v, relu.HeadLinear, 64))
}

// maxLayers is the maximum number of layers of a .nnet file.
const maxLayers = 4096

// nnetText is a file that is read line by line: the current row and the text after it.
type nnetText struct {
	left, row []byte
	line      int
}

// next moves to the next line.
func (t *nnetText) next() {
	t.row, t.left, _ = bytes.Cut(t.left, []byte("\n"))
	t.line++
}

// numbers reads a line of n numbers.
func (t *nnetText) numbers(what string, n int) []float64 {
	if t.next(); len(t.row) == 0 && len(t.left) == 0 {
		panic(fault.New("line %d: the file ends where %s should be", t.line, what))
	}
	var out []float64
	for text := range bytes.SplitSeq(bytes.TrimRight(t.row, ", \t\r"), []byte(",")) {
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
		if err != nil {
			panic(fault.New("line %d: %.40q among %s is not a number", t.line, text, what))
		}
		if out = append(out, v); len(out) > n {
			break
		}
	}
	if len(out) != n {
		panic(fault.New("line %d: got %d numbers for %s, want %d", t.line, len(out), what, n))
	}
	return out
}
