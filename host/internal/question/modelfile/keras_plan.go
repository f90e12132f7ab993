package modelfile

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// readClasses is what a Keras architecture may consist of, for messages.
const readClasses = "Dense, Activation, ReLU, Softmax, InputLayer, Dropout, and Flatten of one dimension"

// readsClass reports whether layers of a Keras class are read.
func readsClass(class string) bool {
	switch class {
	case "Dense", "Activation", "ReLU", "Softmax", "InputLayer", "Dropout", "Flatten":
		return true
	}
	return false
}

// denseLayer is a dense layer as the architecture describes it.
type denseLayer struct {
	place string // "layer 3 (dense_7)", for messages
	name  string
	units int
	bias  bool
	relu  bool
}

// plan is an architecture reduced to dense layers with a head.
type plan struct {
	inputs int // 0 where the architecture does not say
	dense  []denseLayer
	head   relu.Head
}

// planOf folds activations into the dense layers before them and drops the
// layers that do nothing when a network is used.
func planOf(layers []kerasLayer) (*plan, error) {
	p := &plan{head: relu.HeadLinear}
	for i := range layers {
		l := &layers[i]
		place := fmt.Sprintf("layer %d (%s)", i, l.Name)
		if err := p.add(l, place); err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
	}
	if len(p.dense) == 0 {
		return nil, errors.New("the network has no Dense layer")
	}
	return p, p.checkHead()
}

func (p *plan) add(l *kerasLayer, place string) error {
	if err := p.inputShape(l.config); err != nil {
		return err
	}
	var activation string
	var err error
	switch l.Class {
	case "InputLayer", "Dropout", "Flatten":
		return nil
	case "Dense":
		if err := p.addDense(l, place); err != nil {
			return err
		}
		activation, err = l.config.activation()
	case "Activation":
		activation, err = l.config.activation()
	default:
		activation, err = layerActivation(l.Class, l.config)
	}
	if err != nil {
		return err
	}
	return p.activate(activation)
}

// inputShape takes the number of inputs from the shape that the first layer
// states: [null, n].
func (p *plan) inputShape(c *layerConfig) error {
	shape := c.InputShape
	if shape == nil {
		shape = c.InputShapeNew
	}
	if shape == nil || len(p.dense) > 0 {
		return nil
	}
	if len(shape) != 2 {
		return fmt.Errorf("inputs of %d dimensions are not supported; hyfair reads networks on one row of numbers", len(shape)-1)
	}
	if n := shape[1]; n != nil {
		if *n < 1 || *n > relu.MaxUnits {
			return fmt.Errorf("%d inputs; 1 to %d are supported", *n, relu.MaxUnits)
		}
		p.inputs = *n
	}
	return nil
}

func (p *plan) addDense(l *kerasLayer, place string) error {
	c := l.config
	if p.head != relu.HeadLinear {
		return fmt.Errorf("a layer after the %s; it is supported on the output only", p.head)
	}
	if c.Units == nil || *c.Units < 1 || *c.Units > relu.MaxUnits {
		return fmt.Errorf("units is missing or outside 1 to %d", relu.MaxUnits)
	}
	p.dense = append(p.dense, denseLayer{
		place: place, name: l.Name, units: *c.Units, bias: c.UseBias == nil || *c.UseBias,
	})
	return nil
}

// activate applies an activation to what is there so far.
func (p *plan) activate(activation string) error {
	if activation == "linear" {
		return nil
	}
	if len(p.dense) == 0 {
		return fmt.Errorf("%s before the first Dense layer is not supported", activation)
	}
	if p.head != relu.HeadLinear {
		return fmt.Errorf("%s after the %s is not supported", activation, p.head)
	}
	last := &p.dense[len(p.dense)-1]
	switch activation {
	case "relu":
		last.relu = true // once is as good as twice
	case "sigmoid":
		p.head = relu.HeadSigmoid
	case "softmax":
		p.head = relu.HeadSoftmax
	}
	return nil
}

func (p *plan) checkHead() error {
	last := &p.dense[len(p.dense)-1]
	if last.relu {
		return fmt.Errorf("%s: a ReLU on the output layer is not supported; a network ends in sigmoid, softmax or linear units", last.place)
	}
	want := 1
	if p.head == relu.HeadSoftmax {
		want = 2
	}
	if last.units != want {
		return fmt.Errorf("%s: %d output units with a %s are not supported; hyfair reads one sigmoid, one linear or two softmax units", last.place, last.units, p.head)
	}
	return nil
}

// canonicalActivation gives the name of an activation that is read, from the
// name of the function or of the layer class.
func canonicalActivation(name string) (string, error) {
	switch name {
	case "relu", "sigmoid", "softmax", "linear":
		return name, nil
	case "ReLU":
		return "relu", nil
	case "Softmax":
		return "softmax", nil
	}
	return "", fmt.Errorf("activation %q is not supported; hyfair reads relu, sigmoid, softmax and linear", name)
}

// layerActivation reads an activation that is a layer of its own, and refuses
// parameters that make it another function.
func layerActivation(class string, c *layerConfig) (string, error) {
	switch class {
	case "ReLU":
		if c.MaxValue != nil || !zero(c.NegativeSlope) || !zero(c.Threshold) {
			return "", errors.New("a ReLU with max_value, negative_slope or threshold is not supported")
		}
	case "Softmax":
		if axis := string(c.Axis); axis != "" && axis != "-1" && axis != "1" && axis != "[-1]" {
			return "", fmt.Errorf("a Softmax over axis %.40s is not supported", axis)
		}
	}
	return canonicalActivation(class)
}

// zero accepts the ways in which Keras writes a parameter of 0: a number, an
// array scalar, nothing.
func zero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case float64:
		return v == 0
	case map[string]any:
		return zero(v["value"])
	}
	return false
}
