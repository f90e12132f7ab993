package onnx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx/pb"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
)

// graph evaluates a value of the graph backwards from an output.
type graph struct {
	*model
	*layers.Builder
	makers  map[string]int // the node that makes a value
	values  map[string]*value
	working map[string]bool
	columns map[string]*input
	double  bool // some number is float64
}

// input is a used input of the graph.
type input struct {
	place   int // its index among the inputs of the graph
	columns []column
}

// column is a column of an input: a number or a category. Its units are in the first stage: one
// for a number, one per category.
type column struct {
	name       string
	element    int32
	units      []int32
	categories []string
	strict     bool // the encoder refuses other categories
	// filled: the model replaces NaN by fill.
	filled bool
	fill   float64
}

// value is a value of the graph: a constant, unchanged columns of the inputs, numbers that depend
// on them, scores, or labels.
type value struct {
	dims     []int // −1: the number of rows
	constant *tensor
	columns  []*column
	whole    bool   // the columns were converted to integers or texts
	open     string // the input that this is, while its number of columns is not known
	form     *layers.Form
	scores   []score
	labels   bool // predicted classes, or results of comparisons
	// cut is the node whose comparison made labels, unless they are predicted classes.
	cut string
}

// score is the probability of a class, by a sigmoid of one logit (class 0 or 1) or a softmax over
// several.
type score struct {
	logits *layers.Form
	class  int
}

// steps says why compared numbers cannot be used.
func (v *value) steps() string {
	return v.cut + " compares numbers, as KBinsDiscretizer does for its bins, which a network of ReLU layers cannot do: " + stepsApart
}

// sized refuses an input whose number of columns is not known.
func (v *value) sized() {
	if v.open != "" {
		panic(fault.New("the file does not state the number of columns of the input %q: export the model for a fixed number of features", v.open))
	}
}

// entries is the number of entries of a value.
func (v *value) entries() int {
	switch {
	case v.constant != nil:
		return len(v.constant.numbers) + len(v.constant.texts)
	case v.form != nil:
		return v.form.Len()
	case v.scores != nil:
		return len(v.scores)
	}
	return len(v.columns)
}

const (
	anyRows = -1
	// maxColumns is the maximum number of columns of an input.
	maxColumns = 1 << 16
)

func newGraph(m *model) *graph {
	g := &graph{
		model: m, Builder: layers.New(),
		makers: map[string]int{}, values: map[string]*value{}, working: map[string]bool{}, columns: map[string]*input{},
	}
	for i := range m.nodes {
		for _, name := range m.nodes[i].outputs {
			if _, twice := g.makers[name]; twice && name != "" {
				panic(fault.New("two nodes make the value %q", name))
			}
			g.makers[name] = i
		}
	}
	return g
}

// value returns the value with this name, and evaluates its node the first time.
func (g *graph) value(name string) *value {
	if v := g.values[name]; v != nil {
		return v
	}
	if t, ok := g.tensors[name]; ok {
		g.values[name] = g.constant(name, t)
		return g.values[name]
	}
	for i := range g.inputs {
		if g.inputs[i].name == name {
			if coarse := sixteen(g.inputs[i].element); coarse != "" {
				panic(fault.New("input %q has numbers of type %d%s: export the model in float32 (PyTorch: model.float())", name, g.inputs[i].element, coarse))
			}
			g.values[name] = g.input(i)
			return g.values[name]
		}
	}
	i, ok := g.makers[name]
	if !ok {
		panic(fault.New("no node makes the value %q", name))
	}
	if g.working[name] {
		panic(fault.New("the value %q depends on itself", name))
	}
	g.working[name] = true
	g.node(&g.nodes[i], name)
	if g.values[name] == nil {
		panic(fault.New("%q is an output of its node that is not supported", name))
	}
	return g.values[name]
}

func (g *graph) constant(name string, p *pb.TensorProto) *value {
	defer fault.About(fmt.Sprintf("constant %q", name))
	t := g.tensor(p, min(layers.MaxParameters, g.Left()))
	if g.Take(len(t.numbers) + len(t.texts)); len(t.numbers)+len(t.texts) == 0 {
		panic(fault.New("it has no numbers or texts"))
	}
	g.double = g.double || t.element == typeDouble
	return &value{dims: t.dims, constant: t}
}

// input makes the value of the graph's input i. The first of several dimensions counts rows.
func (g *graph) input(i int) *value {
	port := &g.inputs[i]
	if port.name == "" {
		panic(fault.New("input %d has no name", i))
	}
	defer fault.About(fmt.Sprintf("input %q", port.name))
	v := &value{dims: slices.Clone(port.dims)}
	g.columns[port.name] = &input{place: i}
	if len(v.dims) > 1 {
		v.dims[0] = anyRows
	}
	if v.dims == nil || slices.ContainsFunc(v.dims[min(1, len(v.dims)):], func(d int) bool { return d < 0 }) {
		if len(v.dims) > 2 {
			panic(fault.New("its shape %v leaves the number of columns open: export the model for a fixed number of features", v.dims))
		}
		v.open, v.dims = port.name, []int{anyRows, 0}
		return v
	}
	n := 1
	for _, d := range v.dims {
		if n *= max(1, d); n > maxColumns {
			panic(fault.New("its shape has more than %d numbers, the maximum", maxColumns))
		}
	}
	g.fill(v, port.name, n)
	return v
}

// fill sets the n columns of an input.
func (g *graph) fill(v *value, name string, n int) {
	in := g.columns[name]
	element := g.inputs[in.place].element
	v.columns, v.whole = []*column{}, element == typeText
	in.columns = make([]column, n)
	for k := range in.columns {
		in.columns[k].name, in.columns[k].element = name, element
		if n > 1 {
			in.columns[k].name = fmt.Sprintf("%s[%d]", name, k)
		}
		v.columns = append(v.columns, &in.columns[k])
	}
}

// known sets the number of columns of an input whose shape does not state it.
func (g *graph) known(v *value, n int) {
	if v.open == "" {
		return
	}
	if n < 1 || n > maxColumns {
		panic(fault.New("%d columns; 1 to %d are supported", n, maxColumns))
	}
	g.fill(v, v.open, n)
	v.open, v.dims = "", []int{anyRows, n}
}

// numbers converts the value to numbers that depend on the inputs.
func (g *graph) numbers(v *value) layers.Form {
	v.sized()
	switch {
	case v.form != nil:
		return *v.form
	case v.columns != nil && !v.whole:
		at := make([]int32, len(v.columns))
		for i, c := range v.columns {
			at[i] = g.numeric(c)
		}
		f := g.Select(at...)
		v.form = &f
		return f
	case v.columns != nil && slices.ContainsFunc(v.columns, func(c *column) bool { return c.element == typeText }):
		panic(fault.New("computes with an input of texts, want numbers"))
	case v.columns != nil:
		panic(fault.New("computes with inputs that were truncated to integers, which is not piecewise linear: train the model on the unchanged numbers"))
	case v.scores != nil:
		panic(fault.New("computes with the result of a sigmoid or softmax, which a network of ReLU layers cannot do: train with ReLUs between the layers (torch.nn.ReLU(), scikit-learn's activation=\"relu\") and name the output that is the probability"))
	case v.cut != "":
		panic(fault.New("%s", v.steps()))
	case v.labels:
		panic(fault.New("computes with predicted classes: name the output with the probabilities"))
	}
	if v.constant.texts != nil {
		panic(fault.New("computes with texts, want numbers"))
	}
	return g.Constant(v.constant.numbers)
}

// numeric is the unit of a numeric column.
func (g *graph) numeric(c *column) int32 {
	if c.categories != nil {
		panic(fault.New("uses input %q as a number, but another node uses it as a category: give the model two inputs", c.name))
	}
	if c.units == nil {
		c.units = g.Inputs(1)
	}
	return c.units[0]
}

// category returns the units of a column's categories, in the order of labels. strict: the encoder refuses other
// categories.
func (g *graph) category(c *column, labels []string, strict bool) []int32 {
	if c.units != nil && c.categories == nil {
		panic(fault.New("uses input %q as a category, but another node uses it as a number: give the model two inputs", c.name))
	}
	if c.units == nil {
		c.units, c.categories = g.Inputs(len(labels)), labels
	}
	if !slices.Equal(c.categories, labels) {
		panic(fault.New("the nodes that encode the input %q differ in its categories: %.80q and %.80q", c.name, c.categories, labels))
	}
	c.strict = c.strict || strict
	return c.units
}

// inputOrder returns the place of every unit of the first stage among the network's inputs: graph
// inputs, columns and categories, each in order. Unused columns of these inputs get places, too. It sets in facts the
// inputs' names, the substitutes for NaN, and the categories of encoders that refuse others.
func (g *graph) inputOrder(facts *reader.Facts) (place []int32) {
	inputs := slices.SortedFunc(maps.Values(g.columns), func(a, b *input) int { return cmp.Compare(a.place, b.place) })
	var order []int32
	for _, in := range inputs {
		for k := range in.columns {
			c := &in.columns[k]
			if c.units == nil {
				c.units = g.Inputs(1)
			}
			if c.filled {
				if facts.Fills == nil {
					facts.Fills = map[int]float64{}
				}
				facts.Fills[len(order)] = c.fill
			}
			if c.strict {
				facts.Vocabularies = append(facts.Vocabularies, reader.Vocabulary{Name: c.name, First: len(order), Categories: c.categories})
			}
			order = append(order, c.units...)
			if c.categories == nil {
				facts.InputNames = append(facts.InputNames, c.name)
			}
			for _, label := range c.categories {
				facts.InputNames = append(facts.InputNames, c.name+"="+label)
			}
		}
	}
	place = make([]int32, len(order))
	for i, u := range order {
		place[u] = int32(i)
	}
	return place
}

// outputOf returns the requested output, or without a request the only one that can be a score.
func (m *model) outputOf(asked string) string {
	var all, fit []string
	for _, port := range m.outputs {
		all = append(all, port.name)
		if port.maps || port.element == 0 || port.element == typeFloat || port.element == typeDouble {
			fit = append(fit, port.name)
		}
	}
	switch {
	case asked != "" && !slices.Contains(all, asked):
		if !slices.ContainsFunc(m.nodes, func(n node) bool { return slices.Contains(n.outputs, asked) }) {
			panic(fault.New("no output %q; the model has %s", asked, quoted(all)))
		}
		return asked
	case asked != "":
		return asked
	case len(all) == 0:
		panic(fault.New("the graph has no output"))
	case len(fit) == 1:
		return fit[0]
	case len(fit) == 0 && (m.outputs[0].element == typeHalf || m.outputs[0].element == typeBrain):
		panic(fault.New("the output %s has numbers of 16 bits, so its scores differ from those of the weights: export the model in float32 (PyTorch: model.float())", quoted(all)))
	case len(fit) == 0:
		panic(fault.New("got no output of floating-point numbers, only predicted classes (%s): export the probabilities too (scikit-learn: to_onnx(model, X[:1], options={\"zipmap\": False}))", quoted(all)))
	}
	panic(fault.New("the model has the outputs %s: name one in the study, as in model: {file: …, output: %s}", quoted(fit), fit[len(fit)-1]))
}

func quoted(names []string) string {
	out := make([]string, min(len(names), 20))
	for i := range out {
		out[i] = fmt.Sprintf("%.60q", names[i])
	}
	return strings.Join(out, ", ")
}
