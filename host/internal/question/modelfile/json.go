package modelfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/trees"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// The project's own formats, described in docs/reference/formats.md.
const (
	jsonName = "hyfair-network"
	// jsonVersion is the version of both formats, of networks and of trees.
	jsonVersion = 1
	// maxText bounds a file of a network, of JSON or of .nnet, in bytes.
	maxText = 64 << 20
)

// jsonFormat recognises all files of JSON except XGBoost's; the text decides which format it is.
var jsonFormat = reader.Format{
	Name: jsonName, Extensions: []string{".json"}, Max: treesFormat.Max, What: "a JSON file",
	Is: func(head []byte, extension string) bool {
		is := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) || extension == ".json" && len(head) > 0
		return is && !trees.XGBoostJSON.Is(head, extension) && !trees.XGBoostUBJSON.Is(head, extension)
	},
	Of: func(text []byte) reader.Format {
		switch {
		case ofTrees.Match(text):
			return treesFormat
		case trees.IsCatBoost(text):
			return trees.CatBoostJSON
		}
		return networkFormat
	},
}

var networkFormat = reader.Format{
	Name: jsonName, Max: maxText, What: "a JSON network",
	Read: func(f reader.File) *reader.Model {
		if is := foreignJSON(f.Text); is != "" {
			panic(fault.New("%s", is))
		}
		return f.Network(parseJSON(f.Text))
	},
}

// header adds the fields that both formats begin with.
func (s *scanner) header(name string, fields map[string]func(field string)) map[string]func(field string) {
	fields["format"] = func(field string) {
		if got := s.text(field); got != name {
			panic(s.fault(field, "got %.40q, want %s or %s", got, jsonName, treesName))
		}
	}
	fields["version"] = func(field string) {
		if v := s.integer(field, 0, 1<<30); v != jsonVersion {
			panic(s.fault(field, "got version %d, want %d", v, jsonVersion))
		}
	}
	return fields
}

// parseJSON reads a network of the project's own format. Errors give the line and the field; an
// unknown, missing or repeated field is an error.
func parseJSON(text []byte) *relu.Network {
	s := newScanner(text, 0, text)
	n := &relu.Network{}
	var layers []byte
	var layersAt int64
	s.object(whole, s.header(jsonName, map[string]func(field string){
		"precision": func(field string) {
			if n.Precision = s.integer(field, 32, 64); n.Precision != 32 && n.Precision != 64 {
				panic(s.fault(field, "got %d bits, want 32 or 64", n.Precision))
			}
		},
		"head": func(field string) {
			s.oneOf(field, map[string]func(){
				"sigmoid": func() { n.Head = relu.HeadSigmoid },
				"softmax": func() { n.Head = relu.HeadSoftmax },
				"linear":  func() { n.Head = relu.HeadLinear },
			})
		},
		// The numbers can be read only once the precision is known, and fields may come in any order.
		"layers": func(field string) { layers, layersAt = s.raw(field) },
	}))
	s.end()
	n.Layers = parseLayersJSON(newScanner(layers, layersAt, text), n.Precision)
	if len(n.Layers) == 0 {
		panic(fault.New("layers: the list is empty, want at least one layer"))
	}
	return n
}

func parseLayersJSON(s *scanner, precision int) (out []relu.Layer) {
	left := layers.MaxParameters
	s.array("layers", func(field string, i int) {
		l := parseLayerJSON(s, field, precision, left)
		if i > 0 && l.In != out[i-1].Out {
			panic(s.fault(field+".inputs", "got %d, want %d: the units of the previous layer", l.In, out[i-1].Out))
		}
		left -= len(l.Weights) + len(l.Bias)
		out = append(out, l)
	})
	return out
}

func parseLayerJSON(s *scanner, field string, precision, budget int) (l relu.Layer) {
	number := float(precision)
	tooMany := fmt.Sprintf("the network has more than %d weights and biases, the maximum", layers.MaxParameters)
	// Rows are checked against the shape at the end, as fields may come in any order.
	var widths []int
	s.object(field, map[string]func(string){
		"name":   func(field string) { l.Name = s.text(field) },
		"inputs": func(field string) { l.In = s.integer(field, 1, relu.MaxUnits) },
		"units":  func(field string) { l.Out = s.integer(field, 1, relu.MaxUnits) },
		"activation": func(field string) {
			s.oneOf(field, map[string]func(){"relu": func() { l.ReLU = true }, "linear": func() {}})
		},
		"weights": func(field string) {
			s.array(field, func(field string, _ int) {
				before := len(l.Weights)
				l.Weights = list(s, l.Weights, field, budget, tooMany, number)
				widths = append(widths, len(l.Weights)-before)
			})
		},
		"bias": func(field string) { l.Bias = list(s, l.Bias, field, budget, tooMany, number) },
	})
	if len(widths) != l.Out {
		panic(s.fault(field+".weights", "got %d rows, want %d: one per unit", len(widths), l.Out))
	}
	for j, n := range widths {
		if n != l.In {
			panic(s.fault(fmt.Sprintf("%s.weights[%d]", field, j), "got %d weights, want %d: one per input", n, l.In))
		}
	}
	if len(l.Bias) != l.Out {
		panic(s.fault(field+".bias", "got %d biases, want %d: one per unit", len(l.Bias), l.Out))
	}
	return l
}

// WriteJSON writes n in the project's own format. Reading it back gives exactly the same numbers:
// each is written as the shortest decimal that rounds to it at the network's precision. WriteJSON
// validates n first, and refuses a network of precision 32 whose weights are not float32 values.
func WriteJSON(w io.Writer, n *relu.Network) error {
	if err := n.Validate(); err != nil {
		return err
	}
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "{\n  \"format\": %q,\n  \"version\": %d,\n  \"precision\": %d,\n  \"head\": %q,\n  \"layers\": [",
		jsonName, jsonVersion, n.Precision, n.Head)
	for i := range n.Layers {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeLayerJSON(w, b, &n.Layers[i], n.Precision); err != nil {
			return fmt.Errorf("layer %d (%s): %w", i, n.Layers[i].Name, err)
		}
	}
	b.WriteString("\n  ]\n}\n")
	_, err := b.WriteTo(w)
	return err
}

// writeLayerJSON writes one layer with one neuron per line, and flushes b to w after each line.
func writeLayerJSON(w io.Writer, b *bytes.Buffer, l *relu.Layer, precision int) error {
	name, err := json.Marshal(l.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n    {\n      \"name\": %s,\n      \"inputs\": %d,\n      \"units\": %d,\n      \"activation\": %q,\n      \"weights\": [",
		name, l.In, l.Out, activationName(l.ReLU))
	for j := range l.Out {
		if j > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n        ")
		if err := writeFloats(b, l.Row(j), precision); err != nil {
			return fmt.Errorf("weights of neuron %d: %w", j, err)
		}
		if _, err := b.WriteTo(w); err != nil {
			return err
		}
	}
	b.WriteString("\n      ],\n      \"bias\": ")
	if err := writeFloats(b, l.Bias, precision); err != nil {
		return fmt.Errorf("bias: %w", err)
	}
	b.WriteString("\n    }")
	return nil
}
