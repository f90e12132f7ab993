package onnx

import (
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

// matrix returns the constant weights of a dense layer.
func matrix(name string, v *value) (rows, columns int, values []float64) {
	if v == nil || v.constant == nil {
		panic(fault.New("the weights %q are not a constant of the file", name))
	}
	d := v.constant.dims
	if len(d) == 1 {
		d = []int{d[0], 1}
	}
	if len(d) != 2 {
		panic(fault.New("constant %q has %d dimensions, want 2", name, len(d)))
	}
	return d[0], d[1], v.constant.numbers
}

// rowOf checks that a value is one row of n numbers per individual.
func (g *graph) rowOf(v *value, n int) {
	g.known(v, n)
	if v.constant != nil {
		panic(fault.New("multiplies two constants, want a factor that depends on the inputs"))
	}
	if len(v.dims) == 0 || v.dims[len(v.dims)-1] != n || count(v.dims) != n {
		panic(fault.New("the weights have %d inputs, but the value has the shape %v", n, v.dims))
	}
}

func withLast(dims []int, n int) []int {
	out := slices.Clone(dims)
	out[len(out)-1] = n
	return out
}

// dense evaluates MatMul, and Gemm, which may have a bias, factors and transposed weights.
func dense(g *graph, n *node, in operands) []*value {
	product := n.op == "MatMul"
	switch {
	case product && len(in) != 2:
		panic(fault.New("got %d inputs, want a value and weights", len(in)))
	case len(in) < 2 || len(in) > 3:
		panic(fault.New("got %d inputs, want a value, weights and optionally a bias", len(in)))
	case product && in[0] != nil && in[0].constant != nil && in[1] != nil && in[1].constant == nil:
		panic(fault.New("the weights %q are the left factor, so inputs would be columns; hyfair reads inputs as rows: export x·W, with W transposed", n.inputs[0]))
	}
	if n.integer("transA", 0) != 0 {
		panic(fault.New("transA is not supported"))
	}
	rows, columns, w := matrix(n.inputs[1], in[1])
	if n.integer("transB", 0) != 0 {
		rows, columns = columns, rows
	} else {
		g.Take(len(w))
		w = layers.Transpose(w, rows, columns)
	}
	g.rowOf(in[0], rows)
	if alpha := n.float("alpha", 1); alpha != 1 {
		w = scaledBy(w, alpha)
	}
	var bias []float64
	if len(in) == 3 && in[2] != nil {
		if in[2].constant == nil {
			panic(fault.New("the bias %q is not a constant of the file", n.inputs[2]))
		}
		if len(in[2].constant.numbers) != columns && len(in[2].constant.numbers) != 1 {
			panic(fault.New("the bias has %d numbers, want 1 or %d: one per unit", len(in[2].constant.numbers), columns))
		}
		bias = layers.Repeated(in[2].constant.numbers, columns, "biases")
		if beta := n.float("beta", 1); beta != 1 {
			bias = scaledBy(bias, beta)
		}
	}
	f := g.Dense(g.numbers(in[0]), w, columns, bias, n.name)
	dims := withLast(in[0].dims, columns)
	if product && len(in[1].dims) == 1 {
		dims = dims[:len(dims)-1]
	}
	return one1(&value{dims: dims, form: &f})
}

func scaledBy(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * by
	}
	return out
}

func batchNormalization(g *graph, n *node, in operands) []*value {
	if n.integer("training_mode", 0) != 0 || len(in) != 5 {
		panic(fault.New("the model is in training mode, or the node does not have five inputs: export it after model.eval()"))
	}
	if in[4] == nil || in[4].constant == nil {
		panic(fault.New("the variances are not constants of the file"))
	}
	units := len(in[4].constant.numbers)
	g.rowOf(in[0], units)
	of := func(i int, what string) []float64 { return in.numbersOf(i, units, what) }
	f := g.Normalize(g.numbers(in[0]), of(1, "scales"), of(2, "shifts"), of(3, "means"), of(4, "variances"), n.float("epsilon", 1e-5))
	return one1(&value{dims: in[0].dims, form: &f})
}

// linear evaluates LinearClassifier and LinearRegressor.
func linear(g *graph, n *node, in operands) []*value {
	weights, bias := n.numbers("coefficients"), n.numbers("intercepts")
	units := int(n.integer("targets", 1))
	if n.op == "LinearClassifier" {
		units = max(len(n.texts("classlabels_strings")), len(n.numbers("classlabels_ints")))
		if len(bias) == 1 {
			units = 1 // the other class has the complement
		}
	}
	if units < 1 || units > len(weights) || len(weights)%units != 0 {
		panic(fault.New("got %d coefficients for %d outputs, want at least one output, and one coefficient per output and input", len(weights), units))
	}
	if len(bias) == 0 {
		bias = make([]float64, units)
	}
	g.Take(len(weights))
	columns := len(weights) / units
	g.rowOf(in[0], columns)
	f := g.Dense(g.numbers(in[0]), weights, units, layers.Repeated(bias, units, "intercepts"), n.title())
	dims := []int{anyRows, units}
	var out *value
	switch transform := n.text("post_transform", "NONE"); {
	case transform == "NONE":
		out = &value{dims: dims, form: &f}
	case transform == "LOGISTIC" && units == 1 && n.op == "LinearClassifier":
		out = sigmoids(dims, f)
		out.scores, out.dims = append(complements(out).scores, out.scores...), []int{anyRows, 2}
	case transform == "LOGISTIC":
		out = sigmoids(dims, f)
	case transform == "SOFTMAX":
		out = shares(dims, f)
	default:
		panic(fault.New("post_transform %.40s is not supported, want NONE, LOGISTIC or SOFTMAX", transform))
	}
	if n.op == "LinearRegressor" {
		return one1(out)
	}
	return []*value{{labels: true}, out}
}
