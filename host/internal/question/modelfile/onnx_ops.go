package modelfile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// onnxOp evaluates a node's outputs, in order, from its inputs; an omitted input is nil.
type onnxOp func(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue

// learning is the domain of the operators for scikit-learn's models.
const learning = "ai.onnx.ml"

var onnxOps map[string]onnxOp

func init() { // breaks the initialisation cycle of the table and its functions
	onnxOps = map[string]onnxOp{
		"Identity": same, "Dropout": dropout, "Cast": cast1, "Constant": constantNode, "Shape": shapeOf,
		"Gemm": gemm, "MatMul": matmul, "BatchNormalization": batchNormalization,
		"Add": arithmetic, "Sub": arithmetic, "Mul": arithmetic, "Div": arithmetic, "Neg": negated, "Sum": sumOfAll,
		"Relu": func(g *onnxGraph, _ *onnxNode, in []*onnxValue) []*onnxValue { return g.through(in[0], g.relu) },
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
func (g *onnxGraph) node(n *onnxNode, asked string) {
	name := n.op
	if !standard(n.domain) {
		name = n.domain + "." + n.op
	}
	op := onnxOps[name]
	if op == nil {
		defer about(n.title())
		panic(faultf("this operator is not read%s", g.remedy(n)))
	}
	in := make([]*onnxValue, len(n.inputs))
	for i, input := range n.inputs { // outside about: a fault of an input names its own place
		if input != "" {
			in[i] = g.value(input)
		}
	}
	defer about(n.title())
	if len(in) == 0 && n.op != "Constant" || len(in) > 0 && in[0] == nil {
		panic(faultf("without an input"))
	}
	var out []*onnxValue
	if slices.ContainsFunc(in, func(v *onnxValue) bool { return v != nil && v.labels }) {
		for range n.outputs {
			out = append(out, labels(g, n, in)...)
		}
	} else {
		out = op(g, n, in)
	}
	for i, v := range out {
		if v.entries() != count(v.dims) && v.open == "" && !v.labels {
			panic(faultf("%d values of the shape %v", v.entries(), v.dims))
		}
		if i < len(n.outputs) {
			g.values[n.outputs[i]] = v
		}
	}
}

func (n *onnxNode) title() string {
	if n.name == "" && len(n.outputs) > 0 {
		return fmt.Sprintf("node of %q (%.40s)", n.outputs[0], n.op)
	}
	return fmt.Sprintf("node %q (%.40s)", n.name, n.op)
}

// remedy is advice about an unsupported operator.
func (g *onnxGraph) remedy(n *onnxNode) string {
	sklearn := strings.HasPrefix(g.producer, "skl2onnx")
	switch {
	case strings.HasPrefix(n.op, "SVM"):
		return ": a support vector machine is no network; train LogisticRegression or MLPClassifier(activation=\"relu\")"
	case n.op == "Binarizer":
		return ": it jumps, and networks of ReLU layers do not; make the column 0 or 1 before the model"
	case !standard(n.domain) && n.domain != learning:
		return fmt.Sprintf(": %.40q is not ONNX's own set of operators; export the plain model with torch.onnx.export(model.eval(), x, \"model.onnx\", opset_version=17)", n.domain)
	case slices.Contains([]string{"Tanh", "Elu", "Selu", "Celu", "Gelu", "Erf", "Softplus", "Softsign", "Mish", "Swish", "HardSigmoid", "HardSwish", "Exp", "Log", "Pow", "Sqrt", "Sin", "Cos", "LogSoftmax", "Hardmax", "Reciprocal"}, n.op):
		if sklearn && n.op != "Tanh" {
			return ": it is not piecewise linear. In a step before the model: " + stepsApart + ". In the model: train MLPClassifier(activation=\"relu\") or LogisticRegression, and do not calibrate it"
		}
		return ": it is not piecewise linear; train with ReLUs (torch.nn.ReLU(), scikit-learn's activation=\"relu\") and give the probability or its logit as output"
	case strings.HasSuffix(n.op, "Normalization"):
		return ": its scale depends on the person, which is not piecewise linear; train with torch.nn.BatchNorm1d"
	case slices.Contains([]string{"Conv", "MaxPool", "AveragePool", "LSTM", "GRU", "RNN", "Attention"}, n.op):
		return ": networks of dense layers on a table's columns are read"
	case strings.Contains(n.op, "Linear") || strings.Contains(n.op, "Integer"):
		return ": a quantised model; export the one in float32"
	}
	if sklearn {
		return ". In a step before the model: " + stepsApart + ". In the model: docs/formats.md lists the operators that are read"
	}
	return "; docs/formats.md lists those that are: dense layers, ReLU and its kin, and what scikit-learn puts around them"
}

// stepsApart is advice to apply the first steps of a Pipeline separately.
const stepsApart = "write Z = model[:-1].transform(X) as a CSV file, export skl2onnx.to_onnx(model[-1], Z[:1].astype(\"float32\")), and give hyfair init that file with --inputs"

func one1(v *onnxValue) []*onnxValue { return []*onnxValue{v} }

func same(_ *onnxGraph, _ *onnxNode, in []*onnxValue) []*onnxValue { return one1(in[0]) }

// labels stands for predicted classes, for compared numbers, and for everything computed from them.
func labels(_ *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	out := &onnxValue{labels: true}
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

func dropout(_ *onnxGraph, _ *onnxNode, in []*onnxValue) []*onnxValue {
	if len(in) > 2 && in[2] != nil && in[2].constant != nil && slices.ContainsFunc(in[2].constant.numbers, func(v float64) bool { return v != 0 }) {
		panic(faultf("in training mode: export after model.eval()"))
	}
	return one1(in[0])
}

func cast1(_ *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	v, to := in[0], uint64(n.integer("to", 0))
	switch {
	case to == onnxFloat || to == onnxDouble:
		return one1(v)
	case v.constant != nil && to != onnxText && v.constant.texts == nil:
		out := *v.constant
		if to != onnxInt32 && to != onnxInt64 && to != onnxBool {
			panic(faultf("to numbers of type %d%s; floats (1) and doubles (11) are read", to, sixteen(to)))
		}
		out.numbers = slices.Clone(out.numbers)
		for i := range out.numbers {
			out.numbers[i] = math.Trunc(out.numbers[i])
		}
		return one1(&onnxValue{dims: v.dims, constant: &out})
	case v.columns != nil && (to == onnxInt32 || to == onnxInt64 || to == onnxText):
		out := *v
		out.whole = to == onnxText || slices.ContainsFunc(v.columns, func(c *onnxColumn) bool { return c.element != onnxInt32 && c.element != onnxInt64 })
		return one1(&out)
	case v.scores != nil && (to == onnxInt32 || to == onnxInt64 || to == onnxBool):
		return labels(nil, n, in)
	}
	panic(faultf("to numbers of type %d%s; floats (1) and doubles (11) are read", to, sixteen(to)))
}

func constantNode(g *onnxGraph, n *onnxNode, _ []*onnxValue) []*onnxValue {
	t := &onnxTensor{}
	switch {
	case n.has("value"):
		var message []byte
		scan(n.attributes["value"], func(number protowire.Number, f field) {
			if number == attributeTensor {
				message = f.b
			}
		})
		return one1(g.constant(n.outputs[0], parseFields(message)))
	case n.has("value_float"):
		t.numbers, t.element = []float64{n.float("value_float", 0)}, onnxFloat
	case n.has("value_int"):
		t.numbers, t.element = []float64{float64(n.integer("value_int", 0))}, onnxInt64
	case n.has("value_floats"):
		t.numbers, t.element = n.numbers("value_floats"), onnxFloat
		t.dims = []int{len(t.numbers)}
	case n.has("value_ints"):
		t.numbers, t.element = n.numbers("value_ints"), onnxInt64
		t.dims = []int{len(t.numbers)}
	default:
		panic(faultf("without a number"))
	}
	return one1(&onnxValue{dims: t.dims, constant: t})
}

// shapeOf is a shape as a constant; the number of rows is −1, as in Reshape.
func shapeOf(_ *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if in[0].open != "" {
		panic(faultf("of an input whose number of columns the file does not say"))
	}
	t := &onnxTensor{element: onnxInt64}
	for _, d := range in[0].dims {
		t.numbers = append(t.numbers, float64(d))
	}
	from, to := n.integer("start", 0), n.integer("end", int64(len(t.numbers)))
	if from != 0 || to != int64(len(t.numbers)) {
		from, to = within(from, len(t.numbers)), within(to, len(t.numbers))
		t.numbers = t.numbers[from:max(from, to)]
	}
	t.dims = []int{len(t.numbers)}
	return one1(&onnxValue{dims: t.dims, constant: t})
}

func within(i int64, n int) int64 {
	if i < 0 {
		i += int64(n)
	}
	return min(max(i, 0), int64(n))
}

// through applies a step to numbers that keeps their count.
func (g *onnxGraph) through(v *onnxValue, step func(form) form) []*onnxValue {
	f := step(g.numbers(v))
	return one1(&onnxValue{dims: v.dims, form: &f})
}

// numbersOf is a constant input of n numbers, or of one number for all.
func (in operands) numbersOf(i, n int, what string) []float64 {
	if i >= len(in) || in[i] == nil || in[i].constant == nil || in[i].constant.texts != nil {
		panic(faultf("%s that are not constants of the file", what))
	}
	return repeated(in[i].constant.numbers, n, what)
}

type operands []*onnxValue

func repeated(values []float64, n int, what string) []float64 {
	if len(values) == 1 && n != 1 {
		return slices.Repeat(values, n)
	}
	if len(values) != n {
		panic(faultf("%d %s for %d units", len(values), what, n))
	}
	return values
}

// matrix is the constant weights of a dense layer.
func matrix(name string, v *onnxValue) (rows, columns int, values []float64) {
	if v == nil || v.constant == nil {
		panic(faultf("%q is not a constant of the file", name))
	}
	d := v.constant.dims
	if len(d) == 1 {
		d = []int{d[0], 1}
	}
	if len(d) != 2 {
		panic(faultf("constant %q has %d dimensions; 2 are expected", name, len(d)))
	}
	return d[0], d[1], v.constant.numbers
}

// rowOf checks that a value is one row of n numbers for each individual.
func (g *onnxGraph) rowOf(v *onnxValue, n int) {
	g.known(v, n)
	if v.constant != nil {
		panic(faultf("a product of constants"))
	}
	if len(v.dims) == 0 || v.dims[len(v.dims)-1] != n || count(v.dims) != n {
		panic(faultf("weights for %d inputs, on values of shape %v", n, v.dims))
	}
}

func withLast(dims []int, n int) []int {
	out := slices.Clone(dims)
	out[len(out)-1] = n
	return out
}

func matmul(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if len(in) != 2 {
		panic(faultf("inputs other than a value and weights"))
	}
	if in[0] != nil && in[0].constant != nil && in[1] != nil && in[1].constant == nil {
		panic(faultf("the weights %q stand on the left, so that inputs are columns, and a person is read as a row: export x·W, with W transposed", n.inputs[0]))
	}
	rows, columns, w := matrix(n.inputs[1], in[1])
	g.rowOf(in[0], rows)
	g.take(len(w))
	f := g.dense(g.numbers(in[0]), transpose(w, rows, columns), columns, nil, n.name)
	dims := withLast(in[0].dims, columns)
	if len(in[1].dims) == 1 {
		dims = dims[:len(dims)-1]
	}
	return one1(&onnxValue{dims: dims, form: &f})
}

func gemm(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if len(in) < 2 || len(in) > 3 {
		panic(faultf("inputs other than a value, weights and a bias"))
	}
	if n.integer("transA", 0) != 0 {
		panic(faultf("transA is not read"))
	}
	rows, columns, w := matrix(n.inputs[1], in[1])
	if n.integer("transB", 0) != 0 {
		rows, columns = columns, rows
	} else {
		g.take(len(w))
		w = transpose(w, rows, columns)
	}
	g.rowOf(in[0], rows)
	if alpha := n.float("alpha", 1); alpha != 1 {
		w = scaledBy(w, alpha)
	}
	var bias []float64
	if len(in) == 3 && in[2] != nil {
		if in[2].constant == nil {
			panic(faultf("%q is not a constant of the file", n.inputs[2]))
		}
		if len(in[2].constant.numbers) != columns && len(in[2].constant.numbers) != 1 {
			panic(faultf("a bias of %d numbers for %d units", len(in[2].constant.numbers), columns))
		}
		bias = repeated(in[2].constant.numbers, columns, "biases")
		if beta := n.float("beta", 1); beta != 1 {
			bias = scaledBy(bias, beta)
		}
	}
	f := g.dense(g.numbers(in[0]), w, columns, bias, n.name)
	return one1(&onnxValue{dims: withLast(in[0].dims, columns), form: &f})
}

func scaledBy(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v * by
	}
	return out
}

func batchNormalization(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if n.integer("training_mode", 0) != 0 || len(in) != 5 {
		panic(faultf("in training mode: export after model.eval()"))
	}
	if in[4] == nil || in[4].constant == nil {
		panic(faultf("variances that are not constants of the file"))
	}
	units := len(in[4].constant.numbers)
	g.rowOf(in[0], units)
	of := func(i int, what string) []float64 { return operands(in).numbersOf(i, units, what) }
	f := g.normalize(g.numbers(in[0]), of(1, "scales"), of(2, "shifts"), of(3, "means"), of(4, "variances"), n.float("epsilon", 1e-5))
	return one1(&onnxValue{dims: in[0].dims, form: &f})
}

func (in operands) both() (a, b *onnxValue) {
	if len(in) != 2 || in[0] == nil || in[1] == nil {
		panic(faultf("%d inputs; two are expected", len(in)))
	}
	return in[0], in[1]
}

// arithmetic is Add, Sub, Mul and Div, with a constant or two values.
func arithmetic(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	a, b := operands(in).both()
	if b.scores != nil && n.op == "Sub" && a.constant != nil && !slices.ContainsFunc(a.constant.numbers, func(v float64) bool { return v != 1 }) {
		return one1(complements(b))
	}
	for _, pair := range [][2]*onnxValue{{a, b}, {b, a}} {
		if pair[0].open != "" && pair[1].constant != nil && len(pair[1].constant.numbers) > 1 {
			g.known(pair[0], len(pair[1].constant.numbers))
		}
	}
	if a.scores != nil && n.op == "Div" && b.constant != nil && !slices.ContainsFunc(b.constant.numbers, func(v float64) bool { return v != 1 }) {
		return one1(a)
	}
	dims, ai, bi := g.broadcast(a, b)
	if a.constant != nil && b.constant != nil {
		return one1(folded(n.op, dims, a.constant, b.constant, ai, bi))
	}
	var f form
	x, y := g.picked(g.numbers(a), ai), g.picked(g.numbers(b), bi)
	switch n.op {
	case "Add":
		f = g.sum(x, y, 1)
	case "Sub":
		f = g.sum(x, y, -1)
	case "Mul":
		if a.constant != nil {
			x, y = y, x
		} else if b.constant == nil {
			panic(faultf("multiplies values that both depend on the inputs, which is not piecewise linear"))
		}
		f = g.scale(x, biases(y), make([]float64, len(x.rows)))
	case "Div":
		if b.constant == nil {
			panic(faultf("divides by a value that depends on the inputs, which is not piecewise linear"))
		}
		f = g.divide(x, biases(y))
	}
	return one1(&onnxValue{dims: dims, form: &f})
}

func biases(f form) []float64 {
	out := make([]float64, len(f.rows))
	for i := range out {
		out[i] = f.rows[i].b
	}
	return out
}

// folded evaluates an operator on constants, which are mostly shapes.
func folded(op string, dims []int, a, b *onnxTensor, ai, bi []int) *onnxValue {
	t := &onnxTensor{dims: dims, element: a.element, numbers: make([]float64, len(ai))}
	if a.texts != nil || b.texts != nil {
		panic(faultf("computes with texts"))
	}
	for i := range ai {
		x, y := a.numbers[ai[i]], b.numbers[bi[i]]
		switch op {
		case "Add":
			x += y
		case "Sub":
			x -= y
		case "Mul":
			x *= y
		case "Div":
			if x /= y; a.element == onnxInt64 || a.element == onnxInt32 {
				x = math.Trunc(x)
			}
		}
		if a.element == onnxFloat {
			x = float64(float32(x))
		}
		t.numbers[i] = x
	}
	return &onnxValue{dims: dims, constant: t}
}

// picked selects rows of a form.
func (b *builder) picked(f form, at []int) form {
	b.take(len(at))
	out := form{stage: f.stage, name: f.name, dense: f.dense, rows: b.rows(len(at))}
	for i, k := range at {
		out.rows[i] = f.rows[k]
	}
	return out
}

// broadcast is the common shape of two values and, for each entry, the entries of the two.
func (g *onnxGraph) broadcast(v, w *onnxValue) (dims, ai, bi []int) {
	a, b, most := v.dims, w.dims, maxColumns
	if v.constant != nil && w.constant != nil {
		most = maxParameters
	}
	rank := max(len(a), len(b))
	at := func(d []int, i int) int {
		if i -= rank - len(d); i < 0 {
			return 1
		}
		return d[i]
	}
	dims = make([]int, rank)
	total := 1
	for i := range dims {
		x, y := at(a, i), at(b, i)
		switch {
		case x == y, y == 1:
			dims[i] = x
		case x == 1:
			dims[i] = y
		default:
			panic(faultf("values of the shapes %v and %v do not fit", a, b))
		}
		if total *= max(1, dims[i]); total > most {
			panic(faultf("values of the shapes %v and %v make too large a one", a, b))
		}
	}
	g.take(2 * total)
	ai, bi = make([]int, total), make([]int, total)
	for k := range total {
		rest, as, bs := k, 1, 1
		for i := rank - 1; i >= 0; i-- {
			d := max(1, dims[i])
			coordinate := rest % d
			rest /= d
			if x := max(1, at(a, i)); x > 1 {
				ai[k] += coordinate * as
				as *= x
			}
			if y := max(1, at(b, i)); y > 1 {
				bi[k] += coordinate * bs
				bs *= y
			}
		}
	}
	return dims, ai, bi
}

func negated(g *onnxGraph, _ *onnxNode, in []*onnxValue) []*onnxValue {
	return g.through(in[0], func(f form) form {
		return g.scale(f, slices.Repeat([]float64{-1}, len(f.rows)), make([]float64, len(f.rows)))
	})
}

func sumOfAll(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	add := onnxNode{name: n.name, op: "Add"}
	sum := in[0]
	for _, next := range in[1:] {
		sum = arithmetic(g, &add, []*onnxValue{sum, next})[0]
	}
	return one1(sum)
}

func leakyReLU(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	return g.through(in[0], func(f form) form {
		if n.op == "PRelu" {
			return g.leaky(f, operands(in).numbersOf(1, len(f.rows), "slopes"))
		}
		return g.leaky(f, slices.Repeat([]float64{n.float("alpha", 0.01)}, len(f.rows)))
	})
}

func clip(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	bound := func(name string, i int, otherwise float64) float64 {
		if i < len(in) && in[i] != nil {
			return operands(in).numbersOf(i, 1, "bounds")[0]
		}
		return n.float(name, otherwise)
	}
	lo, hi := bound("min", 1, math.Inf(-1)), bound("max", 2, math.Inf(1))
	if lo <= -math.MaxFloat32 {
		lo = math.Inf(-1)
	}
	if hi >= math.MaxFloat32 {
		hi = math.Inf(1)
	}
	if !(lo < hi) {
		panic(faultf("to values from %v to %v", lo, hi))
	}
	if in[0].scores != nil && lo <= 0 && hi >= 1 {
		return one1(in[0])
	}
	return g.through(in[0], func(f form) form {
		return g.atMost(g.atLeast(f, slices.Repeat([]float64{lo}, len(f.rows))), slices.Repeat([]float64{hi}, len(f.rows)))
	})
}

// extreme is Max and Min, which are a + relu(b − a) and a − relu(a − b).
func extreme(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	most := in[0]
	for _, next := range in[1:] {
		a, b := operands{most, next}.both()
		if a.constant != nil {
			a, b = b, a
		}
		dims, ai, bi := g.broadcast(a, b)
		x, y := g.picked(g.numbers(a), ai), g.picked(g.numbers(b), bi)
		var f form
		switch {
		case b.constant != nil && n.op == "Max":
			f = g.atLeast(x, biases(y))
		case b.constant != nil:
			f = g.atMost(x, biases(y))
		case n.op == "Max":
			f = g.most(x, y)
		default:
			f = g.least(x, y)
		}
		most = &onnxValue{dims: dims, form: &f}
	}
	return one1(most)
}

func sigmoid(g *onnxGraph, _ *onnxNode, in []*onnxValue) []*onnxValue {
	return one1(sigmoids(in[0].dims, g.numbers(in[0])))
}

func sigmoids(dims []int, f form) *onnxValue {
	v := &onnxValue{dims: dims}
	for i := range f.rows {
		v.scores = append(v.scores, score{logits: form{stage: f.stage, name: f.name, rows: f.rows[i : i+1]}, class: 1})
	}
	return v
}

func softmax(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if axis := n.integer("axis", -1); axis != -1 && axis != int64(len(in[0].dims))-1 {
		panic(faultf("axis %d; the last one, 1 or −1, is expected", axis))
	}
	f := g.numbers(in[0])
	if d := in[0].dims; len(d) == 0 || d[len(d)-1] != len(f.rows) {
		panic(faultf("over values of shape %v; one row for each person is expected", d))
	}
	return one1(shares(in[0].dims, f))
}

// shares are the probabilities of a softmax.
func shares(dims []int, f form) *onnxValue {
	if len(f.rows) < 2 {
		panic(faultf("a softmax over one number is always 1: end in a sigmoid"))
	}
	v := &onnxValue{dims: dims}
	for i := range f.rows {
		v.scores = append(v.scores, score{logits: f, class: i})
	}
	return v
}

// complements are 1 − p for probabilities p.
func complements(v *onnxValue) *onnxValue {
	out := &onnxValue{dims: v.dims}
	for _, s := range v.scores {
		if len(s.logits.rows) > 2 {
			panic(faultf("computes with the probability of one of %d classes", len(s.logits.rows)))
		}
		s.class = 1 - s.class
		out.scores = append(out.scores, s)
	}
	return out
}

func normalizer(_ *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if norm := n.text("norm", "MAX"); norm != "L1" || !wholeOf(in[0].scores) {
		panic(faultf("%s of values that are not the probabilities of all classes is not piecewise linear: train one model for each class, or a softmax", norm))
	}
	return one1(in[0])
}

// absolute is Abs, which leaves scores unchanged.
func absolute(g *onnxGraph, _ *onnxNode, in []*onnxValue) []*onnxValue {
	if in[0].scores != nil {
		return one1(in[0])
	}
	return g.through(in[0], g.abs)
}

// reduceSum is ReduceSum over the probabilities of all classes, by which skl2onnx divides: 1.
func reduceSum(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	axes, _ := operands(in).settings(n, "axes", 1)
	last := len(in[0].dims) - 1
	if !wholeOf(in[0].scores) || last < 1 || len(axes) != 1 || axisOf(int64(axes[0]), last+1) != last || n.integer("keepdims", 1) != 1 {
		panic(faultf("this operator is not read%s", g.remedy(n)))
	}
	dims := slices.Clone(in[0].dims)
	dims[last] = 1
	return one1(&onnxValue{dims: dims, constant: &onnxTensor{dims: []int{1}, element: onnxFloat, numbers: []float64{1}}})
}

// wholeOf reports whether scores sum to 1, so that dividing by their sum has no effect.
func wholeOf(all []score) bool {
	if len(all) < 2 {
		return false
	}
	if n := len(all[0].logits.rows); n > 2 || n == len(all) && all[0].class != all[1].class {
		for i := range all {
			if len(all[i].logits.rows) != len(all) || all[i].class != i || &all[i].logits.rows[0] != &all[0].logits.rows[0] {
				return false
			}
		}
		return true
	}
	a, b := all[0].logits, all[1].logits
	if len(all) != 2 || len(a.rows) != 1 || len(b.rows) != 1 || a.stage != b.stage {
		return false
	}
	if all[0].class != all[1].class {
		return same1(&a.rows[0], &b.rows[0], 1)
	}
	return same1(&a.rows[0], &b.rows[0], -1)
}

// same1 reports whether a = sign·b.
func same1(a, b *row, sign float64) bool {
	if len(a.w) != len(b.w) || a.b != sign*b.b {
		return false
	}
	for k := range a.w {
		if a.unit(k) != b.unit(k) || a.w[k] != sign*b.w[k] {
			return false
		}
	}
	return true
}

func scaler(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	offset, scale := n.numbers("offset"), n.numbers("scale")
	g.known(in[0], max(len(offset), len(scale), 1))
	return g.through(in[0], func(f form) form {
		zeros := make([]float64, len(f.rows))
		ones := slices.Repeat([]float64{1}, len(f.rows))
		if len(offset) > 0 {
			f = g.scale(f, ones, negative(repeated(offset, len(f.rows), "offsets")))
		}
		if len(scale) > 0 {
			f = g.scale(f, repeated(scale, len(f.rows), "scales"), zeros)
		}
		return f
	})
}

func imputer(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	if !math.IsNaN(n.float("replaced_value_float", 0)) || !n.has("replaced_value_float") {
		panic(faultf("puts a number in place of one that may be there, which is a jump: mark missing values by NaN (SimpleImputer(missing_values=numpy.nan)) and leave such rows to the study"))
	}
	fills := n.numbers("imputed_value_floats")
	g.known(in[0], len(fills))
	if in[0].form == nil && !in[0].whole && len(fills) > 0 { // of unchanged inputs: the study may fill them likewise
		for i, fill := range repeated(fills, len(in[0].columns), "imputed values") {
			in[0].columns[i].filled, in[0].columns[i].fill = true, fill
		}
	}
	return one1(in[0]) // a study's individuals have values
}

// linear is LinearClassifier and LinearRegressor.
func linear(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	weights, bias := n.numbers("coefficients"), n.numbers("intercepts")
	units := int(n.integer("targets", 1))
	if n.op == "LinearClassifier" {
		units = max(len(n.texts("classlabels_strings")), len(n.numbers("classlabels_ints")))
		if len(bias) == 1 {
			units = 1 // the other class is its complement
		}
	}
	if units < 1 || units > len(weights) || len(weights)%units != 0 {
		panic(faultf("%d coefficients for %d classes", len(weights), units))
	}
	if bias == nil {
		bias = make([]float64, units)
	}
	g.take(len(weights))
	columns := len(weights) / units
	g.rowOf(in[0], columns)
	f := g.dense(g.numbers(in[0]), weights, units, repeated(bias, units, "intercepts"), n.title())
	dims := []int{anyRows, units}
	var out *onnxValue
	switch transform := n.text("post_transform", "NONE"); {
	case transform == "NONE":
		out = &onnxValue{dims: dims, form: &f}
	case transform == "LOGISTIC" && units == 1 && n.op == "LinearClassifier":
		out = sigmoids(dims, f)
		out.scores, out.dims = append(complements(out).scores, out.scores...), []int{anyRows, 2}
	case transform == "LOGISTIC":
		out = sigmoids(dims, f)
	case transform == "SOFTMAX":
		out = shares(dims, f)
	default:
		panic(faultf("post_transform %.40s is not read; LOGISTIC and SOFTMAX are", transform))
	}
	if n.op == "LinearRegressor" {
		return one1(out)
	}
	return []*onnxValue{{labels: true}, out}
}

// labelsOf are an attribute's texts or integers, as texts.
func labelsOf(n *onnxNode, names ...string) (out []string) {
	for _, name := range names {
		out = append(out, n.texts(name)...)
		for _, v := range n.numbers(name) {
			out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return out
}

func (g *onnxGraph) categorical(v *onnxValue) {
	g.known(v, 1)
	if v.columns == nil {
		panic(faultf("encodes something that is not an input of the model as it comes"))
	}
}

func oneHotEncoder(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	categories := labelsOf(n, "cats_strings", "cats_int64s")
	g.categorical(in[0])
	if len(categories) == 0 {
		panic(faultf("without categories"))
	}
	var at []int32
	for _, c := range in[0].columns {
		at = append(at, g.category(c, categories, n.integer("zeros", 1) == 0)...)
	}
	f := g.units(0, at...)
	return one1(&onnxValue{dims: append(slices.Clone(in[0].dims), len(categories)), form: &f})
}

func labelEncoder(g *onnxGraph, n *onnxNode, in []*onnxValue) []*onnxValue {
	keys := labelsOf(n, "keys_strings", "keys_int64s", "keys_floats", "classes_strings")
	values := slices.Concat(n.numbers("values_int64s"), n.numbers("values_floats"))
	if n.has("classes_strings") {
		for i := range keys {
			values = append(values, float64(i))
		}
	}
	if len(keys) == 0 || len(keys) != len(values) {
		panic(faultf("an encoding that is not from texts or numbers to numbers is not read: encode with OneHotEncoder, or before the model"))
	}
	g.categorical(in[0])
	g.take(2 * len(values) * len(in[0].columns))
	f := form{rows: g.rows(len(in[0].columns))}
	for i, c := range in[0].columns {
		f.rows[i] = row{at: g.category(c, keys, true), w: values}
	}
	return one1(&onnxValue{dims: in[0].dims, form: &f})
}
