package modelfile

import (
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
func planOf(layers []kerasLayer) *plan {
	p := &plan{head: relu.HeadLinear}
	for i := range layers {
		p.add(&layers[i], fmt.Sprintf("layer %d (%s)", i, layers[i].Name))
	}
	if len(p.dense) == 0 {
		panic(faultf("the network has no Dense layer"))
	}
	p.checkHead()
	return p
}

func (p *plan) add(l *kerasLayer, place string) {
	defer about(place)
	p.inputShape(l.config)
	switch l.Class {
	case "InputLayer", "Dropout", "Flatten":
	case "Dense":
		p.addDense(l, place)
		p.activate(l.config.activation())
	case "Activation":
		p.activate(l.config.activation())
	default:
		p.activate(layerActivation(l.Class, l.config))
	}
}

// inputShape takes the number of inputs from the shape that the first layer
// states: [null, n].
func (p *plan) inputShape(c *layerConfig) {
	shape := c.InputShape
	if shape == nil {
		shape = c.InputShapeNew
	}
	if shape == nil || len(p.dense) > 0 {
		return
	}
	if len(shape) != 2 {
		panic(faultf("inputs of %d dimensions are not supported; hyfair reads networks on one row of numbers", len(shape)-1))
	}
	if n := shape[1]; n != nil {
		if *n < 1 || *n > relu.MaxUnits {
			panic(faultf("%d inputs; 1 to %d are supported", *n, relu.MaxUnits))
		}
		p.inputs = *n
	}
}

func (p *plan) addDense(l *kerasLayer, place string) {
	c := l.config
	if p.head != relu.HeadLinear {
		panic(faultf("a layer after the %s; it is supported on the output only", p.head))
	}
	if c.Units == nil || *c.Units < 1 || *c.Units > relu.MaxUnits {
		panic(faultf("units is missing or outside 1 to %d", relu.MaxUnits))
	}
	p.dense = append(p.dense, denseLayer{
		place: place, name: l.Name, units: *c.Units, bias: c.UseBias == nil || *c.UseBias,
	})
}

// activate applies an activation to what is there so far.
func (p *plan) activate(activation string) {
	if activation == "linear" {
		return
	}
	if len(p.dense) == 0 {
		panic(faultf("%s before the first Dense layer is not supported", activation))
	}
	if p.head != relu.HeadLinear {
		panic(faultf("%s after the %s is not supported", activation, p.head))
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
}

func (p *plan) checkHead() {
	last := &p.dense[len(p.dense)-1]
	if last.relu {
		panic(faultf("%s: a ReLU on the output layer is not supported; a network ends in sigmoid, softmax or linear units", last.place))
	}
	want := 1
	if p.head == relu.HeadSoftmax {
		want = 2
	}
	if last.units != want {
		panic(faultf("%s: %d output units with a %s are not supported; hyfair reads one sigmoid, one linear or two softmax units", last.place, last.units, p.head))
	}
}

// canonicalActivation gives the name of an activation that is read, from the
// name of the function or of the layer class.
func canonicalActivation(name string) string {
	switch name {
	case "relu", "sigmoid", "softmax", "linear":
		return name
	case "ReLU":
		return "relu"
	case "Softmax":
		return "softmax"
	}
	panic(faultf("activation %q is not supported; hyfair reads relu, sigmoid, softmax and linear", name))
}

// layerActivation reads an activation that is a layer of its own, and refuses
// parameters that make it another function.
func layerActivation(class string, c *layerConfig) string {
	switch class {
	case "ReLU":
		if c.MaxValue != nil || !zero(c.NegativeSlope) || !zero(c.Threshold) {
			panic(faultf("a ReLU with max_value, negative_slope or threshold is not supported"))
		}
	case "Softmax":
		if axis := string(c.Axis); axis != "" && axis != "-1" && axis != "1" && axis != "[-1]" {
			panic(faultf("a Softmax over axis %.40s is not supported", axis))
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
