package onnx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

// operator evaluates a node's outputs, in order, from its inputs; an omitted input is nil.
type operator func(g *graph, n *node, in operands) []*value

// learning is the domain of the operators for scikit-learn's models.
const learning = "ai.onnx.ml"

var operators map[string]operator

func init() { // breaks the initialisation cycle of the table and its functions
	operators = map[string]operator{
		"Identity": same, "Dropout": dropout, "Cast": cast1, "Constant": constantNode, "Shape": shapeOf,
		"Gemm": dense, "MatMul": dense, "BatchNormalization": batchNormalization,
		"Add": arithmetic, "Sub": arithmetic, "Mul": arithmetic, "Div": arithmetic, "Neg": negated, "Sum": sumOfAll,
		"Relu": func(g *graph, _ *node, in operands) []*value { return g.through(in[0], g.ReLU) },
		"Abs":  absolute, "ReduceSum": reduceSum,
		"LeakyRelu": leakyReLU, "PRelu": leakyReLU, "Clip": clip, "Max": extreme, "Min": extreme,
		"Sigmoid": sigmoid, "Softmax": softmax,
		"Reshape": reshape, "Flatten": flatten, "Squeeze": squeeze, "Unsqueeze": unsqueeze, "Transpose": transposed,
		"Concat": concat, "Gather": gather, "Slice": slice, "Split": split,
		"ArgMax": labels, "Greater": labels, "GreaterOrEqual": labels, "Less": labels, "LessOrEqual": labels,
		learning + ".ArrayFeatureExtractor": gather, learning + ".ZipMap": same, learning + ".Normalizer": normalizer,
		learning + ".Scaler": scaler, learning + ".Imputer": imputer, learning + ".FeatureVectorizer": concat,
		learning + ".LinearClassifier": linear, learning + ".LinearRegressor": linear,
		learning + ".OneHotEncoder": oneHotEncoder, learning + ".LabelEncoder": labelEncoder,
	}
}

// node evaluates the outputs of a node.
func (g *graph) node(n *node, asked string) {
	name := n.op
	if !standard(n.domain) {
		name = n.domain + "." + n.op
	}
	op := operators[name]
	if op == nil {
		defer fault.About(n.title())
		panic(fault.New("this operator is not read%s", g.remedy(n)))
	}
	in := make([]*value, len(n.inputs))
	for i, input := range n.inputs { // before fault.About: a fault of an input names its node
		if input != "" {
			in[i] = g.value(input)
		}
	}
	defer fault.About(n.title())
	if len(in) == 0 && n.op != "Constant" || len(in) > 0 && in[0] == nil {
		panic(fault.New("its first input is missing"))
	}
	var out []*value
	if slices.ContainsFunc(in, func(v *value) bool { return v != nil && v.labels }) {
		for range n.outputs {
			out = append(out, labels(g, n, in)...)
		}
	} else {
		out = op(g, n, in)
	}
	for i, v := range out {
		if v.entries() != count(v.dims) && v.open == "" && !v.labels {
			panic(fault.New("got %d values, which do not fit the shape %v", v.entries(), v.dims))
		}
		if i < len(n.outputs) {
			g.values[n.outputs[i]] = v
		}
	}
}

// remedy returns advice about an unsupported operator.
func (g *graph) remedy(n *node) string {
	sklearn := strings.HasPrefix(g.producer, "skl2onnx")
	switch {
	case strings.HasPrefix(n.op, "SVM"):
		return ": a support vector machine is not a network; train LogisticRegression or MLPClassifier(activation=\"relu\")"
	case n.op == "Binarizer":
		return ": it is not continuous, as networks of ReLU layers are; make the column 0 or 1 before the model"
	case !standard(n.domain) && n.domain != learning:
		return fmt.Sprintf(": %.40q is not ONNX's own set of operators; export the plain model with torch.onnx.export(model.eval(), x, \"model.onnx\", opset_version=17)", n.domain)
	case slices.Contains([]string{"Tanh", "Elu", "Selu", "Celu", "Gelu", "Erf", "Softplus", "Softsign", "Mish", "Swish", "HardSigmoid", "HardSwish", "Exp", "Log", "Pow", "Sqrt", "Sin", "Cos", "LogSoftmax", "Hardmax", "Reciprocal"}, n.op):
		if sklearn && n.op != "Tanh" {
			return ": it is not piecewise linear. In a step before the model: " + stepsApart + ". In the model: train MLPClassifier(activation=\"relu\") or LogisticRegression, and do not calibrate it"
		}
		return ": it is not piecewise linear; train with ReLUs (torch.nn.ReLU(), scikit-learn's activation=\"relu\") and give the probability or its logit as output"
	case strings.HasSuffix(n.op, "Normalization"):
		return ": its scale depends on the inputs, which is not piecewise linear; train with torch.nn.BatchNorm1d"
	case slices.Contains([]string{"Conv", "MaxPool", "AveragePool", "LSTM", "GRU", "RNN", "Attention"}, n.op):
		return ": hyfair reads networks of dense layers on a table's columns"
	case strings.Contains(n.op, "Linear") || strings.Contains(n.op, "Integer"):
		return ": this is a quantised model; export the model in float32"
	}
	if sklearn {
		return ". In a step before the model: " + stepsApart + ". In the model: docs/reference/formats.md lists the operators that are read"
	}
	return "; docs/reference/formats.md lists the supported operators: dense layers, ReLU and similar functions, and scikit-learn's preprocessing"
}

// stepsApart is advice to apply the first steps of a Pipeline separately.
const stepsApart = "write Z = model[:-1].transform(X) as a CSV file, export skl2onnx.to_onnx(model[-1], Z[:1].astype(\"float32\")), and give hyfair init that file with --inputs"

func one1(v *value) []*value { return []*value{v} }

func same(_ *graph, _ *node, in operands) []*value { return one1(in[0]) }

// labels stands for predicted classes, for compared numbers, and for everything computed from them.
func labels(_ *graph, n *node, in operands) []*value {
	out := &value{labels: true}
	for _, v := range in {
		if v != nil && v.cut != "" {
			out.cut = v.cut
		}
	}
	if v := in[0]; out.cut == "" && (strings.HasPrefix(n.op, "Less") || strings.HasPrefix(n.op, "Greater")) && (v.columns != nil || v.form != nil) {
		out.cut = n.title()
	}
	return one1(out)
}

func dropout(_ *graph, _ *node, in operands) []*value {
	if len(in) > 2 && in[2] != nil && in[2].constant != nil && slices.ContainsFunc(in[2].constant.numbers, func(v float64) bool { return v != 0 }) {
		panic(fault.New("the model is in training mode: export it after model.eval()"))
	}
	return one1(in[0])
}

func cast1(_ *graph, n *node, in operands) []*value {
	v, to := in[0], int32(n.integer("to", 0))
	switch {
	case to == typeFloat || to == typeDouble:
		return one1(v)
	case v.constant != nil && v.constant.texts == nil && (to == typeInt32 || to == typeInt64 || to == typeBool):
		out := *v.constant
		out.numbers = slices.Clone(out.numbers)
		for i := range out.numbers {
			out.numbers[i] = math.Trunc(out.numbers[i])
		}
		return one1(&value{dims: v.dims, constant: &out})
	case v.columns != nil && (to == typeInt32 || to == typeInt64 || to == typeText):
		out := *v
		out.whole = to == typeText || slices.ContainsFunc(v.columns, func(c *column) bool { return c.element != typeInt32 && c.element != typeInt64 })
		return one1(&out)
	case v.scores != nil && (to == typeInt32 || to == typeInt64 || to == typeBool):
		return labels(nil, n, in)
	}
	panic(fault.New("converts to numbers of type %d%s, want floats (1) or doubles (11)", to, sixteen(to)))
}

func constantNode(g *graph, n *node, _ operands) []*value {
	t := &tensor{}
	switch {
	case n.has("value"):
		return one1(g.constant(n.outputs[0], n.attributes["value"].GetT()))
	case n.has("value_float"):
		t.numbers, t.element = []float64{n.float("value_float", 0)}, typeFloat
	case n.has("value_int"):
		t.numbers, t.element = []float64{float64(n.integer("value_int", 0))}, typeInt64
	case n.has("value_floats"), n.has("value_ints"):
		t.numbers, t.element = slices.Concat(n.numbers("value_floats"), n.numbers("value_ints")), typeInt64
		if n.has("value_floats") {
			t.element = typeFloat
		}
		t.dims = []int{len(t.numbers)}
	default:
		panic(fault.New("has no numbers, want value, value_float, value_int, value_floats or value_ints"))
	}
	return one1(&value{dims: t.dims, constant: t})
}

// shapeOf returns a shape as a constant; the number of rows is −1, as in Reshape.
func shapeOf(_ *graph, n *node, in operands) []*value {
	if in[0].open != "" {
		panic(fault.New("the file does not state the input's number of columns: export the model for a fixed number of features"))
	}
	t := &tensor{element: typeInt64}
	for _, d := range in[0].dims {
		t.numbers = append(t.numbers, float64(d))
	}
	from, to := n.integer("start", 0), n.integer("end", int64(len(t.numbers)))
	if from != 0 || to != int64(len(t.numbers)) {
		from, to = within(from, len(t.numbers)), within(to, len(t.numbers))
		t.numbers = t.numbers[from:max(from, to)]
	}
	t.dims = []int{len(t.numbers)}
	return one1(&value{dims: t.dims, constant: t})
}

func within(i int64, n int) int64 {
	if i < 0 {
		i += int64(n)
	}
	return min(max(i, 0), int64(n))
}

// through applies a step that keeps the number of numbers.
func (g *graph) through(v *value, step func(layers.Form) layers.Form) []*value {
	f := step(g.numbers(v))
	return one1(&value{dims: v.dims, form: &f})
}

// numbersOf returns a constant input of n numbers, given n numbers or one for all.
func (in operands) numbersOf(i, n int, what string) []float64 {
	if i >= len(in) || in[i] == nil || in[i].constant == nil || in[i].constant.texts != nil {
		panic(fault.New("the %s are not numeric constants of the file", what))
	}
	return layers.Repeated(in[i].constant.numbers, n, what)
}

type operands []*value
