package modelfile

import (
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Summary describes a network for people: what `hyfair inspect` prints. Its
// JSON names are part of that command's output.
type Summary struct {
	// Inputs is the number of network inputs.
	Inputs int `json:"inputs"`
	// Layers are the dense layers from the inputs to the outputs.
	Layers []LayerSummary `json:"layers"`
	// Parameters counts weights and biases.
	Parameters int `json:"parameters"`
	// Neurons counts the ReLU neurons.
	Neurons int `json:"neurons"`
	// Head is "sigmoid", "softmax" or "linear".
	Head string `json:"head"`
	// Precision is the width of the stored weights in bits: 32 or 64.
	Precision int `json:"precision"`
}

// LayerSummary describes one dense layer.
type LayerSummary struct {
	Name string `json:"name"`
	// Inputs and Units are the layer's shape.
	Inputs int `json:"inputs"`
	Units  int `json:"units"`
	// Activation is "relu" or "linear"; for the last layer it is the head.
	Activation string `json:"activation"`
	// Parameters counts the layer's weights and biases.
	Parameters int `json:"parameters"`
}

// Summarise describes n, which must have passed Validate.
func Summarise(n *relu.Network) Summary {
	s := Summary{
		Inputs: n.Inputs(), Parameters: n.Parameters(), Neurons: n.Neurons(),
		Head: n.Head.String(), Precision: n.Precision,
	}
	for i := range n.Layers {
		l := &n.Layers[i]
		activation := activationName(l.ReLU)
		if i == len(n.Layers)-1 {
			activation = s.Head
		}
		s.Layers = append(s.Layers, LayerSummary{
			Name: l.Name, Inputs: l.In, Units: l.Out, Activation: activation,
			Parameters: len(l.Weights) + len(l.Bias),
		})
	}
	return s
}

func activationName(relu bool) string {
	if relu {
		return "relu"
	}
	return "linear"
}
