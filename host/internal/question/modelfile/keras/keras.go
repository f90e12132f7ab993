// Package keras reads the files of Keras: .h5 of version 2 and .keras of version 3.
package keras

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/keras/hdf5"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// H5 is the format of Keras 2.
var H5 = reader.Format{
	Name: "keras-h5", Extensions: []string{".h5", ".hdf5"}, Max: reader.MaxFile, What: "a model file",
	Is:   func(head []byte, _ string) bool { return hdf5.IsHDF5(head) },
	Read: readH5,
}

// readH5 reads a file that Keras 2.x writes with model.save("….h5"). The architecture is JSON in
// the root attribute model_config. model_weights has one group per layer, whose attribute
// weight_names lists the data sets with its weights.
func readH5(f reader.File) *reader.Model {
	root := hdf5.Open(f.Text)
	text, ok := root.String("model_config")
	if !ok {
		panic(fault.New("no model_config attribute, so not a Keras network, or only its weights: save it with model.save(\"network.h5\")"))
	}
	layers := parseModelConfig(text)
	weights := root // in files from save_weights with a model_config added
	if root.Has("model_weights") {
		weights = root.Group("model_weights")
	}
	out := f.Network(newNetwork(layers, namedWeights(weights)))
	out.Producer = "Keras"
	for _, g := range []*hdf5.Group{root, weights} {
		if version, ok := g.String("keras_version"); ok {
			out.Producer = "Keras " + version
			break
		}
	}
	return out
}

// store finds the weights of a layer, in Keras's order, and the path of their group.
type store func(l *layer) (where string, sets []*hdf5.Dataset)

// namedWeights finds weights by the layer's name in a group of layers.
func namedWeights(group *hdf5.Group) store {
	layers, ok := splitStrings(group, "layer_names")
	if !ok {
		panic(fault.New("%s has no layer_names attribute: the file holds no weights", group.Path()))
	}
	return func(l *layer) (where string, sets []*hdf5.Dataset) {
		if !slices.Contains(layers, l.Name) {
			panic(fault.New("no weights: %s has layers %.200q", group.Path(), layers))
		}
		g := group.Group(l.Name)
		names, _ := splitStrings(g, "weight_names")
		for _, name := range names[:min(len(names), 8)] {
			if l.Class == "Normalization" && strings.HasPrefix(path.Base(name), "count") {
				continue // the number of adapted rows, stored as an integer
			}
			sets = append(sets, g.Dataset(name))
		}
		return g.Path(), sets
	}
}

// splitStrings reads a list attribute. Keras splits a list that exceeds an HDF5 header (64
// KiB) into name0, name1, ….
func splitStrings(g *hdf5.Group, name string) ([]string, bool) {
	values, ok := g.Strings(name)
	for i := 0; !ok; i++ {
		part, more := g.Strings(fmt.Sprintf("%s%d", name, i))
		if !more {
			return values, i > 0
		}
		values = append(values, part...)
	}
	return values, true
}

// weights reads the weights of one dense layer and checks them against the architecture.
// inputs is 0 if the architecture does not state it.
func (k *net) weights(l *layer, inputs, units int, biased bool) (d relu.Layer) {
	kernel, bias := k.open(l, biased)
	shape := kernel.Shape()
	if inputs == 0 {
		inputs = shape[0]
	}
	if shape[0] != inputs || shape[1] != units {
		panic(fault.New("kernel %s has shape %v, want [%d %d] for the architecture", kernel.Path(), shape, inputs, units))
	}
	if inputs < 1 || inputs > relu.MaxUnits {
		panic(fault.New("%d inputs; 1 to %d are supported", inputs, relu.MaxUnits))
	}
	if bias != nil && !slices.Equal(bias.Shape(), []int{units}) {
		panic(fault.New("bias %s has shape %v, want [%d] for the architecture", bias.Path(), bias.Shape(), units))
	}
	d = relu.Layer{In: inputs, Out: units, Bias: make([]float64, units)}
	d.Weights = layers.Transpose(k.floats(kernel), inputs, units)
	if bias != nil {
		d.Bias = k.floats(bias)
	}
	return d
}

// floats reads a data set, limited to the parameters that a network may still have.
func (k *net) floats(set *hdf5.Dataset) []float64 {
	n := 1
	for _, d := range set.Shape() {
		if n *= d; n > k.left {
			panic(fault.New("%s of shape %v: the network has more than %d parameters, the maximum", set.Path(), set.Shape(), layers.MaxParameters))
		}
	}
	k.left -= n
	k.precision = max(k.precision, set.Bits())
	return set.Floats()
}

// vectors reads the data sets of a layer. There must be exactly the wanted number, each
// one-dimensional.
func (k *net) vectors(l *layer, want int) (out [][]float64) {
	where, sets := k.store(l)
	if len(sets) != want {
		panic(fault.New("%s has %d weights, want %[4]d for a %[3]s layer", where, len(sets), l.Class, want))
	}
	for _, set := range sets {
		if len(set.Shape()) != 1 {
			panic(fault.New("weight %s has shape %v, want one dimension", set.Path(), set.Shape()))
		}
		out = append(out, k.floats(set))
	}
	return out
}

// open finds a dense layer's data sets: the two-dimensional one is the kernel, (inputs,
// units), the one-dimensional one the bias, nil for a layer without bias.
func (k *net) open(l *layer, biased bool) (kernel, bias *hdf5.Dataset) {
	where, sets := k.store(l)
	want := 1
	if biased {
		want = 2
	}
	if len(sets) != want {
		panic(fault.New("%s has %d weights, want %[4]d for a Dense layer with use_bias %[3]v", where, len(sets), biased, want))
	}
	for _, set := range sets {
		switch rank := len(set.Shape()); {
		case rank == 2 && kernel == nil:
			kernel = set
		case rank == 1 && bias == nil && biased:
			bias = set
		default:
			panic(fault.New("weight %s of shape %v is neither the kernel nor the bias of a Dense layer", path.Join(where, path.Base(set.Path())), set.Shape()))
		}
	}
	return kernel, bias
}
