package modelfile

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// readFrom reads a file held in memory, under a name.
func readFrom(file []byte, path string, choice Choice) (model.Model, Info, error) {
	return read(bytes.NewReader(file), int64(len(file)), path, "", choice)
}

// readBytes reads a file held in memory.
func readBytes(file []byte) (*relu.Network, Info, error) {
	m, info, err := readFrom(file, "memory.h5", Choice{})
	n, _ := m.(*relu.Network)
	return n, info, err
}

// readAny reads a file of a model of any family.
func readAny(file []byte) (model.Model, error) {
	m, _, err := readFrom(file, "memory", Choice{})
	return m, err
}

// kerasFile writes a network with the given architecture and one group for
// each layer of weights.
func kerasFile(config string, layers map[string]map[string]*h5Dataset) []byte {
	weights := &h5Group{Members: map[string]h5Object{}}
	var names []string
	for layer, sets := range layers {
		names = append(names, layer)
		inner := &h5Group{Members: map[string]h5Object{}}
		var weightNames []string
		for name, set := range sets {
			inner.Members[name] = set
			weightNames = append(weightNames, layer+"/"+name)
		}
		slices.Sort(weightNames) // Keras lists the kernel first
		slices.Reverse(weightNames)
		weights.Members[layer] = &h5Group{
			Members:    map[string]h5Object{layer: inner},
			Attributes: []h5Attribute{{Name: "weight_names", Values: weightNames, Fixed: true}},
		}
	}
	slices.Sort(names)
	weights.Attributes = []h5Attribute{{Name: "layer_names", Values: names, Fixed: true}}
	file, _ := h5File(&h5Group{
		Attributes: []h5Attribute{{Name: "model_config", Values: []string{config}, Scalar: true}},
		Members:    map[string]h5Object{"model_weights": weights},
	})
	return file
}

// dense is the weights of a dense layer whose kernel counts up from 1 in
// Keras's order and whose biases count down from −1.
func dense(inputs, units uint64) map[string]*h5Dataset {
	kernel := &h5Dataset{Shape: []uint64{inputs, units}, Bits: 32}
	for i := range inputs * units {
		kernel.Data = append(kernel.Data, float64(i+1))
	}
	bias := &h5Dataset{Shape: []uint64{units}, Bits: 32}
	for i := range units {
		bias.Data = append(bias.Data, -float64(i+1))
	}
	return map[string]*h5Dataset{"kernel:0": kernel, "bias:0": bias}
}

func sequential(layers ...string) string {
	return fmt.Sprintf(`{"class_name": "Sequential", "config": {"name": "s", "layers": [%s]}}`, strings.Join(layers, ", "))
}

func layer(class, name, more string) string {
	if more != "" {
		more = ", " + more
	}
	return fmt.Sprintf(`{"class_name": %q, "config": {"name": %q%s}}`, class, name, more)
}

var twoLayers = map[string]map[string]*h5Dataset{"a": dense(2, 3), "b": dense(3, 1)}

func TestKerasArchitectures(t *testing.T) {
	a, b := layer("Dense", "a", `"units": 3, "activation": "relu"`), layer("Dense", "b", `"units": 1, "activation": "sigmoid"`)
	want := &relu.Network{Precision: 32, Head: relu.HeadSigmoid, Layers: []relu.Layer{
		// Keras's kernel is [[1 2 3] [4 5 6]], inputs × units.
		{Name: "a", In: 2, Out: 3, Weights: []float64{1, 4, 2, 5, 3, 6}, Bias: []float64{-1, -2, -3}, ReLU: true},
		{Name: "b", In: 3, Out: 1, Weights: []float64{1, 2, 3}, Bias: []float64{-1}},
	}}
	linearA, linearB := layer("Dense", "a", `"units": 3`), layer("Dense", "b", `"units": 1, "activation": null`)
	functional := `{"class_name": "Model", "config": {"name": "m", "layers": [
		{"class_name": "Dense", "name": "b", "config": {"name": "b", "units": 1, "activation": "sigmoid"}, "inbound_nodes": %s},
		{"class_name": "InputLayer", "name": "i", "config": {"name": "i", "batch_input_shape": [null, 2]}, "inbound_nodes": []},
		{"class_name": "Dense", "name": "a", "config": {"name": "a", "units": 3, "activation": "relu"}, "inbound_nodes": [[["i", 0, 0, {}]]]}],
		"input_layers": %s, "output_layers": [["b", 0, 0]]}}`
	for name, config := range map[string]string{
		"sequential":        sequential(a, b),
		"a list of layers":  `{"class_name": "Sequential", "config": [` + a + ", " + b + "]}",
		"identities":        sequential(layer("InputLayer", "i", `"batch_input_shape": [null, 2]`), layer("Flatten", "f", ""), a, layer("Dropout", "d", `"rate": 0.5`), b),
		"activation layers": sequential(linearA, layer("Activation", "r", `"activation": "relu"`), linearB, layer("Activation", "s", `"activation": "sigmoid"`)),
		"relu layer":        sequential(linearA, layer("ReLU", "r", `"max_value": null, "negative_slope": 0.0, "threshold": {"class_name": "__ndarray__", "value": 0}`), b),
		"activation class":  sequential(layer("Dense", "a", `"units": 3, "activation": {"class_name": "ReLU", "config": {"name": "r"}}`), b),
		"relu twice":        sequential(a, layer("ReLU", "r", ""), b),
		"functional":        fmt.Sprintf(functional, `[[["a", 0, 0, {}]]]`, `[["i", 0, 0]]`),
		"flat input list":   fmt.Sprintf(functional, `[[["a", 0, 0, {}]]]`, `["i", 0, 0]`),
	} {
		t.Run(name, func(t *testing.T) {
			n, _, err := readBytes(kerasFile(config, twoLayers))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, n); diff != "" {
				t.Errorf("network differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKerasRefused(t *testing.T) {
	a, b := layer("Dense", "a", `"units": 3, "activation": "relu"`), layer("Dense", "b", `"units": 1, "activation": "sigmoid"`)
	functional := func(more, output string) string {
		return `{"class_name": "Functional", "config": {"layers": [
			{"class_name": "InputLayer", "name": "i", "config": {}, "inbound_nodes": []},
			{"class_name": "Dense", "name": "a", "config": {"units": 3}, "inbound_nodes": [[["i", 0, 0, {}]]]}, ` + more + `],
			"input_layers": [["i", 0, 0]], "output_layers": ` + output + `}}`
	}
	for name, c := range map[string]struct{ config, want string }{
		"layer class":           {sequential(a, layer("Dropout", "d", ""), layer("Dropout", "e", ""), layer("Conv2D", "conv2d_1", `"filters": 8`)), "layer 3 (conv2d_1): Conv2D is not supported; hyfair reads Activation, "},
		"network class":         {`{"class_name": "MyModel", "config": {}}`, `"MyModel" network is not supported`},
		"hidden activation":     {sequential(layer("Dense", "a", `"units": 3, "activation": "tanh"`), b), `layer 0 (a): activation "tanh" is not supported`},
		"relu with a threshold": {sequential(a, layer("ReLU", "r", `"threshold": 1`), b), "layer 1 (r): a ReLU with a threshold"},
		"relu on any inputs":    {sequential(layer("ReLU", "r", ""), a, b), "layer 0 (r): relu is applied to the inputs, but the file does not state their number"},
		"no layer that feeds":   {functional(`{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": []}`, `[["b", 0, 0]]`), "layer 2 (b): the layer has no input"},
		"softmax axis":          {sequential(a, layer("Softmax", "x", `"axis": 0`)), "layer 1 (x): a Softmax over axis 0"},
		"hidden sigmoid":        {sequential(layer("Dense", "a", `"units": 3, "activation": "sigmoid"`), b), "layer 1 (b): follows the sigmoid"},
		"two heads":             {sequential(a, b, layer("Softmax", "x", "")), "layer 2 (x): softmax after the sigmoid"},
		"three softmax units":   {sequential(layer("Dense", "a", `"units": 3, "activation": "softmax"`)), "3 output units with a softmax head"},
		"three sigmoid units":   {sequential(layer("Dense", "a", `"units": 3, "activation": "sigmoid"`)), "3 output units with a sigmoid head"},
		"three linear units":    {sequential(layer("Dense", "a", `"units": 3`)), "3 output units with a linear head"},
		"no layers":             {sequential(), "no layers"},
		"no dense layer":        {sequential(layer("Dropout", "d", "")), "no Dense layer"},
		"pictures":              {sequential(layer("InputLayer", "i", `"batch_input_shape": [null, 4, 4]`), layer("Flatten", "f", ""), a, b), "layer 0 (i): inputs of 2 dimensions"},
		"other inputs":          {sequential(layer("InputLayer", "i", `"batch_input_shape": [null, 7]`), a, b), "want [7 3] for the architecture"},
		"other units":           {sequential(layer("Dense", "a", `"units": 4`), b), "want [2 4] for the architecture"},
		"wide as ten million":   {sequential(layer("Dense", "a", `"units": 10000000`), b), "layer 0 (a): units: missing or out of range, want a whole number from 1 to 65536"},
		"layer not in the file": {sequential(a, layer("Dense", "c", `"units": 1`)), `layer 1 (c): no weights`},
		"bias not used":         {sequential(layer("Dense", "a", `"units": 3, "use_bias": false`), b), "layer 0 (a): /model_weights/a has 2 weights"},
		"no JSON":               {`{"class_name": `, "model_config: unexpected end"},
		"wrong type":            {sequential(layer("Dense", "a", `"units": "3"`)), "layer 0 (a): config: json: cannot unmarshal"},
		"branches":              {functional(`{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": [[["i", 0, 0, {}]]]}`, `[["b", 0, 0]]`), "1 of the 3 layers do not lead to the output"},
		"two tensors into one":  {functional(`{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": [[["i", 0, 0, {}], ["a", 0, 0, {}]]]}`, `[["b", 0, 0]]`), "got 2 inputs, want one"},
		"two outputs":           {functional(`{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": [[["a", 0, 0, {}]]]}`, `[["a", 0, 0], ["b", 0, 0]]`), "output_layers: got 2 tensors"},
		"a shared layer":        {functional(`{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": [[["a", 0, 0, {}]], [["a", 0, 0, {}]]]}`, `[["b", 0, 0]]`), "used 2 times"},
		"a loop":                {functional(`{"class_name": "Dense", "name": "b", "config": {"units": 1}, "inbound_nodes": [[["b", 0, 0, {}]]]}`, `[["b", 0, 0]]`), "depends on its own output"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readBytes(kerasFile(c.config, twoLayers))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %q", err, c.want)
			}
		})
	}
}

func TestKerasWeightFaults(t *testing.T) {
	config := sequential(layer("Dense", "a", `"units": 3`), layer("Dense", "b", `"units": 1`))
	for name, c := range map[string]struct {
		set  string
		with *h5Dataset
		want string
	}{
		"NaN weight":       {"kernel:0", &h5Dataset{Shape: []uint64{2, 3}, Data: []float64{1, 2, 3, 4, math.NaN(), 6}}, "layer 0 (a): weight of neuron 1 from input 1 is NaN"},
		"infinite weight":  {"kernel:0", &h5Dataset{Shape: []uint64{2, 3}, Data: []float64{math.Inf(-1), 2, 3, 4, 5, 6}, Bits: 32}, "layer 0 (a): weight of neuron 0 from input 0 is -Inf"},
		"NaN bias":         {"bias:0", &h5Dataset{Shape: []uint64{3}, Data: []float64{1, 2, math.NaN()}}, "layer 0 (a): bias of neuron 2 is NaN"},
		"short bias":       {"bias:0", &h5Dataset{Shape: []uint64{2}, Data: []float64{1, 2}}, "layer 0 (a): bias /model_weights/a/a/bias:0 has shape [2]"},
		"bias as a matrix": {"bias:0", &h5Dataset{Shape: []uint64{3, 1}, Data: []float64{1, 2, 3}}, "of shape [3 1] is neither"},
		"many rows":        {"kernel:0", &h5Dataset{Shape: []uint64{10_000_000, 3}, Data: []float64{1}}, "10000000 inputs; 1 to 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			layers := map[string]map[string]*h5Dataset{"a": dense(2, 3), "b": dense(3, 1)}
			layers["a"][c.set] = c.with
			_, _, err := readBytes(kerasFile(config, layers))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %q", err, c.want)
			}
		})
	}
}
