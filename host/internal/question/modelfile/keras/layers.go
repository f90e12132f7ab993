package keras

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// class computes the output of a layer of a Keras class from its inputs.
type class func(k *net, l *layer, in []value) value

var classes map[string]class

func init() { // a literal would be an initialisation cycle: its functions refer to classes
	classes = map[string]class{
		"InputLayer": (*net).input, "Dense": (*net).dense,
		"Activation": activationLayer, "ReLU": activationLayer, "LeakyReLU": activationLayer, "Softmax": activationLayer, "PReLU": (*net).prelu,
		"BatchNormalization": (*net).batchNormalization, "Normalization": (*net).normalization, "Rescaling": (*net).rescaling,
		"Add": (*net).merge, "Subtract": (*net).merge, "Average": (*net).merge, "Maximum": (*net).merge, "Minimum": (*net).merge,
		"Concatenate": (*net).concatenate,
	}
	for _, class := range []string{"Dropout", "Flatten", "GaussianNoise", "GaussianDropout", "AlphaDropout", "ActivityRegularization"} {
		classes[class] = func(_ *net, _ *layer, in []value) value { return in[0] }
	}
}

// readClasses lists the supported classes of layers, for messages.
func readClasses() string {
	return strings.Join(slices.Sorted(maps.Keys(classes)), ", ") + " (of one dimension)"
}

// net builds a network layer by layer.
type net struct {
	*layers.Builder
	store     store
	precision int
	left      int     // parameters that may still be read
	denses    int     // Dense layers so far
	inputs    []int32 // nil until their number is known
}

// value is the output of a layer. open: it is the network's inputs, whose number is not known yet.
// head: a sigmoid or softmax was applied, so only layers that leave its result unchanged may follow.
type value struct {
	form layers.Form
	open bool
	head relu.Head
}

// newNetwork builds the network of an architecture, whose layers are in the order of evaluation,
// and its weights.
func newNetwork(list []layer, store store) *relu.Network {
	k := &net{Builder: layers.New(), store: store, precision: 32, left: layers.MaxParameters}
	values := map[string]value{}
	var last value
	for i := range list {
		l := &list[i]
		l.place = fmt.Sprintf("layer %d (%s)", i, l.Name)
		in := []value{{open: true}}
		if i > 0 && l.from == nil {
			in = []value{last}
		} else if len(l.from) > 0 {
			in = nil
			for _, name := range l.from {
				in = append(in, values[name])
			}
		}
		last = k.step(l, in)
		values[l.Name] = last
	}
	return k.finish(last)
}

func (k *net) step(l *layer, in []value) value {
	defer fault.About(l.place)
	if len(in) > 1 && !slices.Contains([]string{"Add", "Subtract", "Average", "Maximum", "Minimum", "Concatenate"}, l.Class) {
		panic(fault.New("got %d inputs, want one", len(in)))
	}
	for i := range in {
		if in[i].head != 0 && !slices.Contains([]string{"Activation", "Softmax", "Dropout", "Flatten"}, l.Class) {
			panic(fault.New("follows the %s, which is supported on the output only: train with ReLUs between the layers, Dense(units, activation=\"relu\")", in[i].head))
		}
		if in[i].open && len(in) > 1 {
			panic(fault.New("the file does not state the number of inputs: add keras.Input((n,)) to the model"))
		}
	}
	return classes[l.Class](k, l, in)
}

// finish makes the network that computes the last value.
func (k *net) finish(v value) *relu.Network {
	if k.denses == 0 {
		panic(fault.New("the network has no Dense layer"))
	}
	if v.head == 0 {
		v.head = relu.HeadLinear
	}
	units := v.form.Len()
	if !slices.Contains(map[relu.Head][]int{relu.HeadSigmoid: {1}, relu.HeadSoftmax: {2}, relu.HeadLinear: {1, 2}}[v.head], units) {
		panic(fault.New("got %d output units with a %s head, want one sigmoid, one or two linear, or two softmax units", units, v.head))
	}
	return k.Network(v.form, v.head, k.precision)
}

// known returns the form of a value. If the value is open, it sets the number of inputs to n.
func (k *net) known(v value, n int) layers.Form {
	if !v.open {
		return v.form
	}
	if n < 1 || n > relu.MaxUnits {
		panic(fault.New("%d inputs; 1 to %d are supported", n, relu.MaxUnits))
	}
	if k.inputs == nil {
		k.inputs = k.Inputs(n)
	}
	if len(k.inputs) != n {
		panic(fault.New("got %d inputs, want %d as in another layer", n, len(k.inputs)))
	}
	return k.Select(k.inputs...)
}

// input takes the number of inputs from the shape in a layer's configuration: [null, n].
func (k *net) input(l *layer, in []value) value {
	shape := l.config.InputShape
	if shape == nil {
		shape = l.config.InputShapeNew
	}
	if shape == nil || !in[0].open {
		return in[0]
	}
	if k.inputs != nil {
		panic(fault.New("a second input is not supported: save a model with one keras.Input of all columns"))
	}
	if len(shape) != 2 {
		panic(fault.New("inputs of %d dimensions are not supported; hyfair reads networks on one row of numbers", len(shape)-1))
	}
	if n := shape[1]; n != nil {
		return value{form: k.known(in[0], *n)}
	}
	return in[0]
}

func (k *net) dense(l *layer, in []value) value {
	c := l.config
	if c.Units == nil || *c.Units < 1 || *c.Units > relu.MaxUnits {
		panic(fault.New("units: missing or out of range, want a whole number from 1 to %d", relu.MaxUnits))
	}
	v := k.input(l, in)
	inputs := 0
	if !v.open {
		inputs = v.form.Len()
	}
	w := k.weights(l, inputs, *c.Units, c.UseBias == nil || *c.UseBias)
	v.form = k.Builder.Dense(k.known(v, w.In), w.Weights, w.Out, w.Bias, l.Name)
	v.open = false
	k.denses++
	return k.activate(v, c.activation())
}

// activation is an activation function with its parameters.
type activation struct {
	name      string
	most      float64 // maximum of a ReLU; +Inf: unbounded
	slope     float64 // of a ReLU, for negative values
	threshold bool    // a ReLU has a threshold other than 0
}

func (k *net) activate(v value, a activation) value {
	if a.name == "linear" {
		return v
	}
	if v.open {
		panic(fault.New("%s is applied to the inputs, but the file does not state their number: add keras.Input((n,)) to the model", a.name))
	}
	if v.head != 0 {
		panic(fault.New("%s after the %s is not supported", a.name, v.head))
	}
	switch a.name {
	case "relu":
		if a.threshold {
			panic(fault.New("a ReLU with a threshold is not supported, since it is not continuous"))
		}
		if a.slope != 0 {
			v.form = k.Leaky(v.form, []float64{a.slope})
		} else if !k.Positive(v.form) {
			v.form = k.ReLU(v.form)
		}
		if !math.IsInf(a.most, 0) {
			v.form = k.AtMost(v.form, []float64{a.most})
		}
	case "sigmoid":
		v.head = relu.HeadSigmoid
	case "softmax":
		v.head = relu.HeadSoftmax
	}
	return v
}

func activationLayer(k *net, l *layer, in []value) value {
	if l.Class == "Activation" {
		return k.activate(in[0], l.config.activation())
	}
	return k.activate(k.input(l, in), layerActivation(l.Class, l.config))
}

func (k *net) prelu(l *layer, in []value) value {
	v := k.input(l, in)
	slopes := k.vectors(l, 1)[0]
	v.form, v.open = k.known(v, len(slopes)), false
	v.form = k.Leaky(v.form, layers.Repeated(slopes, v.form.Len(), "slopes"))
	return v
}

func (k *net) batchNormalization(l *layer, in []value) value {
	v, c, want := k.input(l, in), l.config, 2
	scaled, centred := c.Scale == nil || string(c.Scale) != "false", c.Center == nil || *c.Center
	for _, one := range []bool{scaled, centred} {
		if one {
			want++
		}
	}
	all := k.vectors(l, want)
	n := len(all[want-1])
	v.form, v.open = k.known(v, n), false
	next := func(there bool, otherwise float64) []float64 {
		if !there {
			return []float64{otherwise}
		}
		out := all[0]
		all = all[1:]
		return layers.Repeated(out, v.form.Len(), "numbers")
	}
	gamma := next(scaled, 1)
	beta := next(centred, 0)
	mean := next(true, 0)
	epsilon := 1e-3
	if c.Epsilon != nil {
		epsilon = *c.Epsilon
	}
	v.form = k.Normalize(v.form, gamma, beta, mean, next(true, 0), epsilon)
	return v
}

// normalization is (x − mean)/√variance, with mean and variance from the configuration or, if they
// were adapted, from the weights.
func (k *net) normalization(l *layer, in []value) value {
	v, c := k.input(l, in), l.config
	if c.Invert {
		panic(fault.New("a Normalization with invert=True is not supported"))
	}
	mean, variance := numbersIn(c.Mean), numbersIn(c.Variance)
	if mean == nil || variance == nil {
		_, sets := k.store(l)
		if len(sets) < 2 || len(sets[0].Shape()) > 1 || len(sets[1].Shape()) > 1 { // a scalar applies to all inputs
			panic(fault.New("the mean or the variance is missing, or has more than one dimension; want one of each per input, or for all inputs"))
		}
		mean, variance = k.floats(sets[0]), k.floats(sets[1])
	}
	if len(mean) == 1 && v.open {
		panic(fault.New("it has one mean for all inputs (axis=None), and the file does not state the number of inputs: add keras.Input((n,)) to the model"))
	}
	if len(mean) != 1 {
		v.form = k.known(v, len(mean))
	}
	v.open = false
	n := v.form.Len()
	root := make([]float64, n)
	for i, x := range layers.Repeated(variance, n, "variances") {
		root[i] = math.Max(math.Sqrt(x), 1e-7)
	}
	v.form = k.Divide(k.Minus(v.form, layers.Repeated(mean, n, "means")), root)
	return v
}

func (k *net) rescaling(l *layer, in []value) value {
	v, scale, offset := k.input(l, in), numbersIn(l.config.Scale), numbersIn(l.config.Offset)
	if len(scale) == 0 || v.open {
		panic(fault.New("a Rescaling needs a scale and a known number of inputs: add keras.Input((n,)) to the model"))
	}
	if offset == nil {
		offset = []float64{0}
	}
	n := v.form.Len()
	v.form = k.Scale(v.form, layers.Repeated(scale, n, "scales"), layers.Repeated(offset, n, "offsets"))
	return v
}

// merge computes Add, Subtract, Average, Maximum and Minimum.
func (k *net) merge(l *layer, in []value) value {
	v := in[0]
	for _, next := range in[1:] {
		a, b := v.form, next.form
		if a.Len() != b.Len() {
			panic(fault.New("tensors of %d and %d units; want equal numbers", a.Len(), b.Len()))
		}
		switch l.Class {
		case "Subtract":
			v.form = k.Sum(a, b, -1)
		case "Maximum":
			v.form = k.Most(a, b)
		case "Minimum":
			v.form = k.Least(a, b)
		default:
			v.form = k.Sum(a, b, 1)
		}
	}
	if l.Class == "Average" {
		v.form = k.Divide(v.form, []float64{float64(len(in))})
	}
	return v
}

func (k *net) concatenate(l *layer, in []value) value {
	if axis := string(l.config.Axis); axis != "" && axis != "-1" && axis != "1" {
		panic(fault.New("axis: got %.40s, want the last one, -1", axis))
	}
	forms := make([]*layers.Form, len(in))
	for i := range in {
		forms[i] = &in[i].form
	}
	return value{form: k.Join(forms...)}
}

// canonicalActivation returns the activation of a function's or a layer class's name.
func canonicalActivation(name string) activation {
	a := activation{name: name, most: math.Inf(1)}
	switch name {
	case "relu", "sigmoid", "softmax", "linear":
	case "ReLU":
		a.name = "relu"
	case "relu6":
		a.name, a.most = "relu", 6
	case "leaky_relu":
		a.name, a.slope = "relu", 0.2
	case "Softmax":
		a.name = "softmax"
	default:
		panic(fault.New("activation %q is not supported; hyfair reads relu, leaky_relu, relu6, sigmoid, softmax and linear: train with Dense(units, activation=\"relu\")", name))
	}
	return a
}

// layerActivation reads the activation of an activation layer.
func layerActivation(class string, c *layerConfig) activation {
	a := activation{name: "relu", most: math.Inf(1)}
	switch class {
	case "ReLU":
		if c.MaxValue != nil {
			a.most = *c.MaxValue
		}
		a.slope, a.threshold = scalar(c.NegativeSlope), scalar(c.Threshold) != 0
	case "LeakyReLU":
		a.slope = 0.3
		for _, given := range []any{c.NegativeSlope, c.Alpha} {
			if given != nil {
				a.slope = scalar(given)
			}
		}
	case "Softmax":
		a.name = "softmax"
		if axis := string(c.Axis); axis != "" && axis != "-1" && axis != "1" && axis != "[-1]" {
			panic(fault.New("a Softmax over axis %.40s is not supported, want the last axis, -1", axis))
		}
	}
	return a
}

// scalar reads a parameter, which Keras writes as a number, as an array scalar, or as null (0).
func scalar(v any) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case float64:
		return v
	case map[string]any:
		return scalar(v["value"])
	}
	panic(fault.New("%.40v is not a number", v))
}

// numbersIn reads a number, or the numbers of nested lists; nil if there are none.
func numbersIn(text json.RawMessage) (out []float64) {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if err != nil {
			return out
		}
		switch v := token.(type) {
		case float64:
			out = append(out, v)
		case json.Delim:
			if v != '[' && v != ']' {
				panic(fault.New("%.80s is not a list of numbers", text))
			}
		default:
			panic(fault.New("%.80s is not a list of numbers", text))
		}
	}
}
