package modelfile

import (
	"fmt"
	"path"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/hdf5"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

func init() {
	formats = append(formats, format{
		name: "keras-h5", extensions: []string{".h5", ".hdf5"},
		is:   func(head []byte, _ string) bool { return hdf5.IsHDF5(head) },
		read: readKeras,
	})
}

// readKeras reads what Keras 2.x writes with model.save("….h5"): the
// architecture as JSON in the root attribute model_config, and below
// model_weights one group a layer, whose attribute weight_names lists the
// data sets that hold its weights.
func readKeras(f source) loaded {
	root, err := hdf5.Open(f, f.size)
	check(err)
	text, ok, err := root.String("model_config")
	check(err)
	if !ok {
		panic(faultf("no model_config attribute: not a Keras network, or its weights only; save it with model.save(\"network.h5\")"))
	}
	plan := planOf(parseModelConfig(text))
	weights := openWeights(root)
	n := &relu.Network{Head: plan.head, Precision: 32}
	inputs, parameters := plan.inputs, 0
	for _, d := range plan.dense {
		l, bits := weights.layer(d, inputs, maxParameters-parameters)
		n.Layers = append(n.Layers, l)
		n.Precision = max(n.Precision, bits)
		inputs, parameters = l.Out, parameters+len(l.Weights)+len(l.Bias)
	}
	out := f.choice.of(n)
	out.producer = weights.producer
	return out
}

// kerasWeights finds the weights of a layer by its name.
type kerasWeights struct {
	group    *hdf5.Group
	names    []string // layer_names
	producer string
}

// openWeights finds the group with the layers: model_weights, or the root
// itself in files that were written by save_weights and given a model_config.
func openWeights(root *hdf5.Group) *kerasWeights {
	w := &kerasWeights{group: root, producer: "Keras"}
	var err error
	if root.Has("model_weights") {
		w.group, err = root.Group("model_weights")
		check(err)
	}
	var ok bool
	if w.names, ok = splitStrings(w.group, "layer_names"); !ok {
		panic(faultf("%s has no layer_names attribute: the file holds no weights", w.group.Path()))
	}
	for _, g := range []*hdf5.Group{root, w.group} {
		version, ok, err := g.String("keras_version")
		check(err)
		if ok {
			w.producer = "Keras " + version
			break
		}
	}
	return w
}

// splitStrings reads a list attribute. Keras splits one that would not fit an
// HDF5 header (64 KiB) into name0, name1, ….
func splitStrings(g *hdf5.Group, name string) ([]string, bool) {
	values, ok, err := g.Strings(name)
	check(err)
	for i := 0; !ok; i++ {
		part, more, err := g.Strings(fmt.Sprintf("%s%d", name, i))
		check(err)
		if !more {
			return values, i > 0
		}
		values = append(values, part...)
	}
	return values, true
}

// layer reads the weights of one dense layer, which may have at most budget of
// them, and checks them against the architecture. inputs is 0 where the
// architecture does not say it. bits is the wider of the stored precisions.
func (w *kerasWeights) layer(d denseLayer, inputs, budget int) (l relu.Layer, bits int) {
	defer about(d.place)
	kernel, bias := w.open(d)
	shape := kernel.Shape()
	if inputs == 0 {
		inputs = shape[0]
	}
	if shape[0] != inputs || shape[1] != d.units {
		panic(faultf("kernel %s has shape %v, the architecture says [%d %d]", kernel.Path(), shape, inputs, d.units))
	}
	if inputs < 1 || inputs > relu.MaxUnits {
		panic(faultf("%d inputs; 1 to %d are supported", inputs, relu.MaxUnits))
	}
	if inputs*d.units+d.units > budget {
		panic(faultf("%d×%d weights: a network may have %d parameters", d.units, inputs, maxParameters))
	}
	if bias != nil && !slices.Equal(bias.Shape(), []int{d.units}) {
		panic(faultf("bias %s has shape %v, the architecture says [%d]", bias.Path(), bias.Shape(), d.units))
	}
	l = relu.Layer{Name: d.name, In: inputs, Out: d.units, ReLU: d.relu, Bias: make([]float64, d.units)}
	k, err := kernel.Floats()
	check(err)
	l.Weights = transpose(k, inputs, d.units)
	bits = kernel.Bits()
	if bias != nil {
		l.Bias, err = bias.Floats()
		check(err)
		bits = max(bits, bias.Bits())
	}
	return l, bits
}

// open finds a layer's data sets: the one of two dimensions is the kernel,
// (inputs, units), and the one of one dimension the bias, which is nil for a
// layer without.
func (w *kerasWeights) open(d denseLayer) (kernel, bias *hdf5.Dataset) {
	if !slices.Contains(w.names, d.name) {
		panic(faultf("no weights: %s has layers %.200q", w.group.Path(), w.names))
	}
	g, err := w.group.Group(d.name)
	check(err)
	names, _ := splitStrings(g, "weight_names")
	want := 1
	if d.bias {
		want = 2
	}
	if len(names) != want {
		panic(faultf("%s has %d weights %.200q, a Dense layer with use_bias %v has %d", g.Path(), len(names), names, d.bias, want))
	}
	for _, name := range names {
		set, err := g.Dataset(name)
		check(err)
		switch rank := len(set.Shape()); {
		case rank == 2 && kernel == nil:
			kernel = set
		case rank == 1 && bias == nil && d.bias:
			bias = set
		default:
			panic(faultf("weight %s of shape %v is neither the kernel nor the bias of a Dense layer", path.Join(g.Path(), name), set.Shape()))
		}
	}
	return kernel, bias
}

// transpose turns inputs × units, as in other programs, into this project's units × inputs.
func transpose(k []float64, inputs, units int) []float64 {
	w := make([]float64, len(k))
	for i := range inputs {
		for j := range units {
			w[j*inputs+i] = k[i*units+j]
		}
	}
	return w
}
