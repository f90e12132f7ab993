package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxConfig bounds the architecture's JSON; a layer takes less than a KiB.
const maxConfig = 1 << 20

// kerasLayer is one entry of the architecture, in the order of evaluation.
type kerasLayer struct {
	Class   string          `json:"class_name"`
	Name    string          `json:"name"` // of functional networks; else in the configuration
	Config  json.RawMessage `json:"config"`
	Inbound json.RawMessage `json:"inbound_nodes"`

	config *layerConfig
}

// layerConfig is what matters of a layer's configuration; fields that a class
// does not have stay zero. Initialisers, regularisers and constraints belong
// to training.
type layerConfig struct {
	Units         *int            `json:"units"`
	UseBias       *bool           `json:"use_bias"`
	Activation    json.RawMessage `json:"activation"`
	InputShape    []*int          `json:"batch_input_shape"`
	InputShapeNew []*int          `json:"batch_shape"`
	Axis          json.RawMessage `json:"axis"`
	MaxValue      *float64        `json:"max_value"`
	NegativeSlope any             `json:"negative_slope"`
	Threshold     any             `json:"threshold"`
}

// parseModelConfig reads the JSON of model_config and gives the layers in the
// order in which they are evaluated.
func parseModelConfig(text string) ([]kerasLayer, error) {
	if len(text) > maxConfig {
		return nil, fmt.Errorf("model_config of %d bytes; at most %d are read", len(text), maxConfig)
	}
	var top struct {
		Class  string          `json:"class_name"`
		Config json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal([]byte(text), &top); err != nil {
		return nil, fmt.Errorf("model_config: %w", err)
	}
	var layers []kerasLayer
	var err error
	switch top.Class {
	case "Sequential":
		layers, err = sequentialLayers(top.Config)
	case "Functional", "Model":
		layers, err = functionalLayers(top.Config)
	default:
		return nil, fmt.Errorf("model_config: a %q network is not supported; hyfair reads Sequential and Functional ones", top.Class)
	}
	if err != nil {
		return nil, err
	}
	if len(layers) == 0 {
		return nil, errors.New("model_config: the network has no layers")
	}
	return layers, nil
}

func sequentialLayers(config json.RawMessage) ([]kerasLayer, error) {
	var layers []kerasLayer
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(config), []byte("[")) { // up to Keras 2.2.2
		err = json.Unmarshal(config, &layers)
	} else {
		var named struct {
			Layers []kerasLayer `json:"layers"`
		}
		err = json.Unmarshal(config, &named)
		layers = named.Layers
	}
	if err != nil {
		return nil, fmt.Errorf("model_config: %w", err)
	}
	return layers, parseLayers(layers)
}

// parseLayers reads the layers' configurations and refuses a class that is
// not read by its name.
func parseLayers(layers []kerasLayer) error {
	for i := range layers {
		l := &layers[i]
		if l.Name == "" {
			l.Name = layerName(l.Config)
		}
		if !readsClass(l.Class) {
			return fmt.Errorf("layer %d (%s): %s is not supported; hyfair reads %s", i, l.Name, l.Class, readClasses)
		}
		l.config = new(layerConfig)
		if err := json.Unmarshal(l.Config, l.config); err != nil {
			return fmt.Errorf("layer %d (%s): config: %w", i, l.Name, err)
		}
	}
	return nil
}

// layerName reads the name out of a layer's configuration of any class.
func layerName(config json.RawMessage) string {
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(config, &named) != nil {
		return ""
	}
	return named.Name
}

// functionalLayers orders the layers of a functional network from its input to
// its output, and refuses one that is not a single chain.
func functionalLayers(config json.RawMessage) ([]kerasLayer, error) {
	var graph struct {
		Layers  []kerasLayer    `json:"layers"`
		Inputs  json.RawMessage `json:"input_layers"`
		Outputs json.RawMessage `json:"output_layers"`
	}
	if err := json.Unmarshal(config, &graph); err != nil {
		return nil, fmt.Errorf("model_config: %w", err)
	}
	if err := parseLayers(graph.Layers); err != nil {
		return nil, err
	}
	first, err := onlyNode(graph.Inputs)
	if err != nil {
		return nil, fmt.Errorf("model_config: input_layers: %w", err)
	}
	last, err := onlyNode(graph.Outputs)
	if err != nil {
		return nil, fmt.Errorf("model_config: output_layers: %w", err)
	}
	from := make(map[string]int) // layer by the name of the layer that feeds it; "" for an input
	names := make(map[string]bool)
	for i := range graph.Layers {
		l := &graph.Layers[i]
		source, err := source(l)
		if err != nil {
			return nil, fmt.Errorf("layer %d (%s): %w", i, l.Name, err)
		}
		if other, taken := from[source]; taken {
			return nil, fmt.Errorf("layers %s and %s both follow %q: only a chain of layers is supported", graph.Layers[other].Name, l.Name, source)
		}
		if names[l.Name] {
			return nil, fmt.Errorf("layer %d: a second layer %q", i, l.Name)
		}
		from[source], names[l.Name] = i, true
	}
	var chain []kerasLayer
	for name := ""; ; {
		i, ok := from[name]
		if !ok || len(chain) == len(graph.Layers) {
			break
		}
		chain = append(chain, graph.Layers[i])
		name = graph.Layers[i].Name
	}
	if len(chain) == 0 || len(chain) != len(graph.Layers) || chain[0].Name != first || chain[len(chain)-1].Name != last {
		return nil, fmt.Errorf("the %d layers do not form one chain from input %q to output %q", len(graph.Layers), first, last)
	}
	return chain, nil
}

// source is the name of the one layer that feeds l; "" for an input layer.
func source(l *kerasLayer) (string, error) {
	var nodes []json.RawMessage
	if len(l.Inbound) > 0 {
		if err := json.Unmarshal(l.Inbound, &nodes); err != nil {
			return "", fmt.Errorf("inbound_nodes: %w", err)
		}
	}
	if len(nodes) == 0 {
		return "", nil
	}
	if len(nodes) > 1 {
		return "", fmt.Errorf("a layer used %d times is not supported", len(nodes))
	}
	name, err := onlyNode(nodes[0])
	if err != nil {
		return "", fmt.Errorf("inbound_nodes: %w", err)
	}
	return name, nil
}

// onlyNode reads a list of tensors that must hold exactly one, ["name", 0, 0,
// …]: Keras writes the list or, of late, its only entry.
func onlyNode(text json.RawMessage) (string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return "", fmt.Errorf("a list with one tensor expected, not %.80s", text)
	}
	var name string
	if json.Unmarshal(list[0], &name) == nil && name != "" {
		return name, nil
	}
	if len(list) != 1 {
		return "", fmt.Errorf("%d tensors where one is supported", len(list))
	}
	var entry []json.RawMessage
	if err := json.Unmarshal(list[0], &entry); err != nil || len(entry) == 0 || json.Unmarshal(entry[0], &name) != nil || name == "" {
		return "", fmt.Errorf("a tensor [\"layer\", 0, 0] expected, not %.80s", list[0])
	}
	return name, nil
}

// activation reads an activation: a name, an object with a class name, or
// nothing, which is linear.
func (c *layerConfig) activation() (string, error) {
	if len(c.Activation) == 0 || string(c.Activation) == "null" {
		return "linear", nil
	}
	var name string
	if json.Unmarshal(c.Activation, &name) == nil {
		return canonicalActivation(name)
	}
	var object struct {
		Class  string          `json:"class_name"`
		Config json.RawMessage `json:"config"`
	}
	if json.Unmarshal(c.Activation, &object) != nil || object.Class == "" {
		return "", fmt.Errorf("an activation is a name, not %.80s", c.Activation)
	}
	var inner layerConfig
	switch object.Class {
	case "ReLU", "Softmax":
		if err := json.Unmarshal(object.Config, &inner); err != nil {
			return "", fmt.Errorf("activation %s: %w", object.Class, err)
		}
		return layerActivation(object.Class, &inner)
	case "function": // a registered function by its name
		if json.Unmarshal(object.Config, &name) == nil {
			return canonicalActivation(name)
		}
	}
	return canonicalActivation(object.Class)
}
