package keras

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
)

// maxConfig is the maximum size in bytes of the architecture's JSON; a layer needs less than a KiB.
const maxConfig = 1 << 20

// layer is one entry of the architecture, in the order of evaluation.
type layer struct {
	Class   string          `json:"class_name"`
	Name    string          `json:"name"` // in functional networks; in others Config holds it
	Config  json.RawMessage `json:"config"`
	Inbound json.RawMessage `json:"inbound_nodes"`

	config *layerConfig
	place  string   // "layer 3 (dense_7)", for messages
	from   []string // the layers that feed it, in a functional network
	index  int      // in the order of the file
}

// layerConfig is the part of a layer's configuration that matters for evaluation. Fields that a
// class does not have are zero. Initialisers, regularisers and constraints matter for training
// only.
type layerConfig struct {
	Units         *int            `json:"units"`
	UseBias       *bool           `json:"use_bias"`
	Activation    json.RawMessage `json:"activation"`
	DType         json.RawMessage `json:"dtype"`
	InputShape    []*int          `json:"batch_input_shape"`
	InputShapeNew []*int          `json:"batch_shape"`
	Axis          json.RawMessage `json:"axis"`
	MaxValue      *float64        `json:"max_value"`
	NegativeSlope any             `json:"negative_slope"`
	Threshold     any             `json:"threshold"`
	Alpha         any             `json:"alpha"`
	Scale         json.RawMessage `json:"scale"`
	Center        *bool           `json:"center"`
	Epsilon       *float64        `json:"epsilon"`
	Offset        json.RawMessage `json:"offset"`
	Mean          json.RawMessage `json:"mean"`
	Variance      json.RawMessage `json:"variance"`
	Invert        bool            `json:"invert"`
}

// parseModelConfig reads the JSON of model_config and returns the layers in the order in which
// they are evaluated.
func parseModelConfig(text string) (layers []layer) {
	if len(text) > maxConfig {
		panic(fault.New("model_config has %d bytes, at most %d are supported", len(text), maxConfig))
	}
	var top struct {
		Class  string          `json:"class_name"`
		Config json.RawMessage `json:"config"`
	}
	unmarshal([]byte(text), &top, "model_config")
	switch top.Class {
	case "Sequential":
		layers = sequentialLayers(top.Config)
	case "Functional", "Model":
		layers = functionalLayers(top.Config)
	default:
		panic(fault.New("model_config: a %q network is not supported; hyfair reads Sequential and Functional ones", top.Class))
	}
	if len(layers) == 0 {
		panic(fault.New("model_config: the network has no layers"))
	}
	return layers
}

// unmarshal decodes JSON. The last argument begins the message of a fault.
func unmarshal(text []byte, to any, what string) {
	defer fault.About(what)
	fault.Check(json.Unmarshal(text, to))
}

func sequentialLayers(config json.RawMessage) (layers []layer) {
	if bytes.HasPrefix(bytes.TrimSpace(config), []byte("[")) { // up to Keras 2.2.2
		unmarshal(config, &layers, "model_config")
	} else {
		var named struct {
			Layers []layer `json:"layers"`
		}
		unmarshal(config, &named, "model_config")
		layers = named.Layers
	}
	parseLayers(layers)
	return layers
}

// parseLayers reads the layers' configurations, and refuses an unsupported class by its name.
func parseLayers(layers []layer) {
	for i := range layers {
		l := &layers[i]
		if l.Name == "" {
			l.Name = layerName(l.Config)
		}
		l.index = i
		if classes[l.Class] == nil {
			panic(fault.New("layer %d (%s): %s is not supported; hyfair reads %s", i, l.Name, l.Class, readClasses()))
		}
		l.config = new(layerConfig)
		unmarshal(l.Config, l.config, fmt.Sprintf("layer %d (%s): config", i, l.Name))
		if policy := coarse(l.config.DType); policy != "" {
			panic(fault.New("layer %d (%s): its dtype policy is %s, so Keras computes it with low precision and gets scores that differ from those of its weights: set the policy float32 (keras.config.set_dtype_policy), build the model again, copy the weights (set_weights), and save it", i, l.Name, policy))
		}
	}
}

// coarse returns the dtype policy of a layer if it computes with numbers of 16 bits or fewer, else "". A policy is
// stored as its name, or as an object with the name in its configuration.
func coarse(dtype json.RawMessage) string {
	var name string
	var object struct {
		Config struct {
			Name   string `json:"name"`
			Mode   string `json:"mode"`
			Source string `json:"source_name"`
		} `json:"config"`
	}
	if json.Unmarshal(dtype, &name) != nil && json.Unmarshal(dtype, &object) == nil {
		if name = object.Config.Name; name == "" && object.Config.Mode != "" {
			name = object.Config.Mode + "_from_" + object.Config.Source
		}
	}
	for _, part := range []string{"float16", "float8", "int8", "int4", "half"} {
		if strings.Contains(name, part) && !strings.HasPrefix(name, "uint8") {
			return name
		}
	}
	return ""
}

// layerName returns the name in the configuration of a layer of any class.
func layerName(config json.RawMessage) string {
	var named struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(config, &named) != nil {
		return ""
	}
	return named.Name
}

// functionalLayers orders the layers of a functional network so that each comes after
// those that feed it, the output last.
func functionalLayers(config json.RawMessage) (order []layer) {
	var graph struct {
		Layers  []layer         `json:"layers"`
		Inputs  json.RawMessage `json:"input_layers"`
		Outputs json.RawMessage `json:"output_layers"`
	}
	unmarshal(config, &graph, "model_config")
	parseLayers(graph.Layers)
	onlyNode(graph.Inputs, "model_config: input_layers")
	last := onlyNode(graph.Outputs, "model_config: output_layers")
	named := make(map[string]*layer)
	for i := range graph.Layers {
		l := &graph.Layers[i]
		l.from = feeders(l, fmt.Sprintf("layer %d (%s)", i, l.Name))
		if named[l.Name] != nil {
			panic(fault.New("layer %d: its name %q is that of an earlier layer", i, l.Name))
		}
		named[l.Name] = l
	}
	working, done := map[string]bool{}, map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		l := named[name]
		switch {
		case l == nil:
			panic(fault.New("there is no layer %q, which another layer or the output names", name))
		case working[name]:
			panic(fault.New("the layer %q depends on its own output", name))
		case done[name]:
			return
		}
		working[name] = true
		for _, source := range l.from {
			visit(source)
		}
		working[name], done[name] = false, true
		order = append(order, *l)
	}
	visit(last)
	if len(order) != len(graph.Layers) {
		panic(fault.New("%d of the %d layers do not lead to the output %q", len(graph.Layers)-len(order), len(graph.Layers), last))
	}
	return order
}

// feeders are the names of the layers that feed l: none for an input layer.
func feeders(l *layer, place string) []string {
	defer fault.About(place)
	var nodes []json.RawMessage
	if len(l.Inbound) > 0 {
		unmarshal(l.Inbound, &nodes, "inbound_nodes")
	}
	switch {
	case len(nodes) > 1:
		panic(fault.New("the layer is used %d times; only a single use is supported", len(nodes)))
	case len(nodes) == 0 && l.Class != "InputLayer":
		panic(fault.New("the layer has no input"))
	case len(nodes) == 0:
		return []string{}
	}
	var call struct { // Keras 3
		Args []json.RawMessage `json:"args"`
	}
	tensors := nodes[:1]
	if json.Unmarshal(nodes[0], &call) == nil {
		tensors = call.Args
	}
	out := []string{}
	for _, text := range tensors {
		out = append(out, tensorsIn(text)...)
	}
	return out
}

// tensorsIn returns the layers of the tensors in a list. A tensor is ["layer", 0, 0, …], or an
// object whose keras_history has that form.
func tensorsIn(text json.RawMessage) (out []string) {
	var tensor struct {
		Config struct {
			History []json.RawMessage `json:"keras_history"`
		} `json:"config"`
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &tensor) == nil {
		list = tensor.Config.History
	} else if json.Unmarshal(text, &list) != nil || len(list) == 0 {
		panic(fault.New("got %.80s, want a list of tensors", text))
	}
	var name string
	if len(list) > 0 && json.Unmarshal(list[0], &name) == nil && name != "" {
		return []string{name}
	}
	if tensor.Config.History != nil || len(list) == 0 {
		panic(fault.New("got %.80s, want a tensor [\"layer\", 0, 0]", text))
	}
	for _, one := range list {
		out = append(out, tensorsIn(one)...)
	}
	return out
}

// declared returns the layers in the order of the file.
func declared(layers []layer) []*layer {
	out := make([]*layer, len(layers))
	for i := range layers {
		out[layers[i].index] = &layers[i]
	}
	return out
}

// onlyNode reads a list that must hold exactly one tensor, ["name", 0, 0, …]. Newer versions of
// Keras write the tensor without the list.
func onlyNode(text json.RawMessage, what string) string {
	defer fault.About(what)
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		panic(fault.New("got %.80s, want a list with one tensor", text))
	}
	names := tensorsIn(text)
	if len(names) != 1 {
		panic(fault.New("got %d tensors, want one: save a model with one keras.Input of all columns and one output", len(names)))
	}
	return names[0]
}

// activation reads an activation: a name, or an object with a class name. Without one it is linear.
func (c *layerConfig) activation() activation {
	if len(c.Activation) == 0 || string(c.Activation) == "null" {
		return canonicalActivation("linear")
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
		panic(fault.New("activation: got %.80s, want a name", c.Activation))
	}
	var inner layerConfig
	switch object.Class {
	case "ReLU", "LeakyReLU", "Softmax":
		unmarshal(object.Config, &inner, "activation "+object.Class)
		return layerActivation(object.Class, &inner)
	case "function": // a registered function by its name
		if json.Unmarshal(object.Config, &name) == nil {
			return canonicalActivation(name)
		}
	}
	return canonicalActivation(object.Class)
}
