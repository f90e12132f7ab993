package modelfile

import (
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Summary describes a model for `hyfair inspect`; its JSON names are part of that command's
// output.
type Summary struct {
	// Family is the model's family, for models other than networks of ReLU layers.
	Family string `json:"family,omitempty"`
	// Size describes the model's size in words, for such models.
	Size string `json:"size,omitempty"`
	// Inputs is the number of the model's inputs.
	Inputs int `json:"inputs"`
	// A network's dense layers from the inputs to the outputs; null for other models.
	Layers []LayerSummary `json:"layers"`
	// Parameters counts weights and biases.
	Parameters int `json:"parameters"`
	// Neurons counts the ReLU neurons.
	Neurons int `json:"neurons"`
	// Head is "sigmoid", "softmax" or "linear".
	Head string `json:"head"`
	// Precision is the width of the stored weights in bits: 32 or 64; 0 for other models.
	Precision int `json:"precision"`
}

// LayerSummary describes one dense layer.
type LayerSummary struct {
	// The layer's name.
	Name string `json:"name"`
	// The number of the layer's inputs.
	Inputs int `json:"inputs"`
	// The number of the layer's units.
	Units int `json:"units"`
	// The activation: relu or linear; for the last layer the head.
	Activation string `json:"activation"`
	// The number of the layer's weights and biases.
	Parameters int `json:"parameters"`
}

// Summarise describes m, which must have passed Validate.
func Summarise(m model.Model) Summary {
	s := Summary{Inputs: m.Inputs(), Parameters: m.Parameters(), Head: m.Link().String()}
	n, ok := m.(*relu.Network)
	if !ok {
		s.Family = m.Family()
		if sized, ok := m.(model.Sized); ok {
			s.Size = sized.Size()
		}
		return s
	}
	s.Neurons, s.Head, s.Precision = n.Neurons(), n.Head.String(), n.Precision
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
