package onnx

import (
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

func scaler(g *graph, n *node, in operands) []*value {
	offset, scale := n.numbers("offset"), n.numbers("scale")
	g.known(in[0], max(len(offset), len(scale), 1))
	return g.through(in[0], func(f layers.Form) layers.Form {
		if len(offset) > 0 {
			f = g.Minus(f, layers.Repeated(offset, f.Len(), "offsets"))
		}
		if len(scale) > 0 {
			f = g.Times(f, layers.Repeated(scale, f.Len(), "scales"))
		}
		return f
	})
}

func imputer(g *graph, n *node, in operands) []*value {
	if !math.IsNaN(n.float("replaced_value_float", 0)) || !n.has("replaced_value_float") {
		panic(fault.New("replaces an ordinary number, which is not continuous: mark missing values with NaN (SimpleImputer(missing_values=numpy.nan)) and let the study handle such rows"))
	}
	fills := n.numbers("imputed_value_floats")
	g.known(in[0], len(fills))
	if in[0].form == nil && !in[0].whole && len(fills) > 0 { // for unchanged inputs, the study may use the same fill values
		for i, fill := range layers.Repeated(fills, len(in[0].columns), "imputed values") {
			in[0].columns[i].filled, in[0].columns[i].fill = true, fill
		}
	}
	return one1(in[0]) // a study's individuals have no missing values here
}

// labelsOf returns the texts and numbers of some attributes, as texts.
func labelsOf(n *node, names ...string) (out []string) {
	for _, name := range names {
		out = append(out, n.texts(name)...)
		for _, v := range n.numbers(name) {
			out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return out
}

func (g *graph) categorical(v *value) {
	g.known(v, 1)
	if v.columns == nil {
		panic(fault.New("encodes a computed value, want an unchanged input of the model"))
	}
}

func oneHotEncoder(g *graph, n *node, in operands) []*value {
	categories := labelsOf(n, "cats_strings", "cats_int64s")
	g.categorical(in[0])
	if len(categories) == 0 {
		panic(fault.New("has no categories, want cats_strings or cats_int64s"))
	}
	var at []int32
	for _, c := range in[0].columns {
		at = append(at, g.category(c, categories, n.integer("zeros", 1) == 0)...)
	}
	f := g.Select(at...)
	return one1(&value{dims: append(slices.Clone(in[0].dims), len(categories)), form: &f})
}

func labelEncoder(g *graph, n *node, in operands) []*value {
	keys := labelsOf(n, "keys_strings", "keys_int64s", "keys_floats", "classes_strings")
	values := slices.Concat(n.numbers("values_int64s"), n.numbers("values_floats"))
	if n.has("classes_strings") {
		for i := range keys {
			values = append(values, float64(i))
		}
	}
	if len(keys) == 0 || len(keys) != len(values) {
		panic(fault.New("got %d keys and %d numbers to encode them, want one number per key: encode with OneHotEncoder, or before the model", len(keys), len(values)))
	}
	g.categorical(in[0])
	at := make([][]int32, len(in[0].columns))
	for i, c := range in[0].columns {
		at[i] = g.category(c, keys, true)
	}
	f := g.Coded(at, values)
	return one1(&value{dims: in[0].dims, form: &f})
}
