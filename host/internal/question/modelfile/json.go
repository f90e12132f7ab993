package modelfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// The project's own format, described in docs/formats.md.
const (
	jsonFormat  = "hyfair-network"
	jsonVersion = 1
	// maxJSON bounds a file that is held in memory while it is read.
	maxJSON = 64 << 20
)

func init() {
	formats = append(formats, format{
		name: jsonFormat, extensions: []string{".json"},
		is: func(head []byte, extension string) bool {
			is := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")) || extension == ".json" && len(head) > 0
			return is && !bytes.Contains(head, []byte("learner")) // which is XGBoost's
		},
		read: readJSON,
	})
}

func readJSON(f source) loaded {
	text := whole(f, f.size, maxJSON, "a JSON network")
	if is := foreignJSON(text); is != "" {
		panic(faultf("%s", is))
	}
	return f.choice.of(parseJSON(text))
}

const catBoost = "a CatBoost model, of which the ONNX file is read: model.save_model(\"model.onnx\", format=\"onnx\"), which CatBoost writes where no feature is categorical"

// foreignJSON says what a JSON file of another library is, and what to do about it; "" of others.
func foreignJSON(text []byte) string {
	has := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return !bytes.Contains(text, []byte(`"`+key+`"`)) })
	}
	switch {
	case has(jsonFormat):
		return ""
	case has("oblivious_trees") || has("features_info", "model_info"):
		return catBoost
	case has("tree_info", "tree_structure"):
		return "a dump of a LightGBM model, of which the text file is read: booster.save_model(\"model.txt\")"
	case has("nodeid", "leaf") || has("nodeid", "split_condition"):
		return "a dump of an XGBoost model, which lacks its objective: save the model itself, model.save_model(\"model.json\")"
	case has("modelTopology"):
		return "a TensorFlow.js model, which is not read: save the Keras model that it was made from, with model.save(\"model.keras\")"
	case has("class_name", "config") && has("layers"):
		return "the architecture of a Keras model without its weights: save both, with model.save(\"model.keras\")"
	}
	return ""
}

// parseJSON reads a network of the project's own format. Errors give the line
// and the field; a field that is unknown, missing or there twice is one.
func parseJSON(text []byte) *relu.Network {
	s := newScanner(text, 0, text)
	n := &relu.Network{}
	var layers []byte
	var layersAt int64
	s.object("network", map[string]func(field string){
		"format": func(field string) { s.oneOf(field, map[string]func(){jsonFormat: func() {}}) },
		"version": func(field string) {
			if v := s.integer(field, 0, 1<<30); v != jsonVersion {
				panic(s.fault(field, "version %d; this program reads version %d", v, jsonVersion))
			}
		},
		"precision": func(field string) {
			if n.Precision = s.integer(field, 32, 64); n.Precision != 32 && n.Precision != 64 {
				panic(s.fault(field, "%d bits; 32 or 64 expected", n.Precision))
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
	})
	s.end()
	n.Layers = parseLayersJSON(newScanner(layers, layersAt, text), n.Precision)
	if len(n.Layers) == 0 {
		panic(faultf("layers: a network has at least one"))
	}
	return n
}

func parseLayersJSON(s *scanner, precision int) (layers []relu.Layer) {
	left := maxParameters
	s.array("layers", func(field string, i int) {
		l := parseLayerJSON(s, field, precision, left)
		if i > 0 && l.In != layers[i-1].Out {
			panic(s.fault(field+".inputs", "%d, the layer before has %d units", l.In, layers[i-1].Out))
		}
		left -= len(l.Weights) + len(l.Bias)
		layers = append(layers, l)
	})
	return layers
}

func parseLayerJSON(s *scanner, field string, precision, budget int) (l relu.Layer) {
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
				l.Weights = s.floats(l.Weights, field, precision, budget)
				widths = append(widths, len(l.Weights)-before)
			})
		},
		"bias": func(field string) { l.Bias = s.floats(l.Bias, field, precision, budget) },
	})
	if len(widths) != l.Out {
		panic(s.fault(field+".weights", "%d rows for %d units", len(widths), l.Out))
	}
	for j, n := range widths {
		if n != l.In {
			panic(s.fault(fmt.Sprintf("%s.weights[%d]", field, j), "%d weights for %d inputs", n, l.In))
		}
	}
	if len(l.Bias) != l.Out {
		panic(s.fault(field+".bias", "%d biases for %d units", len(l.Bias), l.Out))
	}
	return l
}

// WriteJSON writes n in the project's own format, which Model reads back to
// the very same numbers: each is written as the shortest decimal that rounds
// to it at the network's precision. n is validated first; a network of
// precision 32 whose weights are not float32 values is refused.
func WriteJSON(w io.Writer, n *relu.Network) error {
	if err := n.Validate(); err != nil {
		return err
	}
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "{\n  \"format\": %q,\n  \"version\": %d,\n  \"precision\": %d,\n  \"head\": %q,\n  \"layers\": [",
		jsonFormat, jsonVersion, n.Precision, n.Head)
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

// writeLayerJSON writes one layer, a neuron a line, emptying b into w after each.
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
