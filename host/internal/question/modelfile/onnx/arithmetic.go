package onnx

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

func (in operands) both() (a, b *value) {
	if len(in) != 2 || in[0] == nil || in[1] == nil {
		panic(fault.New("got %d inputs, want two, neither omitted", len(in)))
	}
	return in[0], in[1]
}

// arithmetic evaluates Add, Sub, Mul and Div.
func arithmetic(g *graph, n *node, in operands) []*value {
	a, b := in.both()
	if b.scores != nil && n.op == "Sub" && a.ones() {
		return one1(complements(b))
	}
	if a.scores != nil && n.op == "Div" && b.ones() {
		return one1(a)
	}
	for _, pair := range [][2]*value{{a, b}, {b, a}} {
		if pair[0].open != "" && pair[1].constant != nil && len(pair[1].constant.numbers) > 1 {
			g.known(pair[0], len(pair[1].constant.numbers))
		}
	}
	dims, ai, bi := g.broadcast(a, b)
	if a.constant != nil && b.constant != nil {
		return one1(folded(n.op, dims, a.constant, b.constant, ai, bi))
	}
	var f layers.Form
	x, y := g.Pick(g.numbers(a), ai), g.Pick(g.numbers(b), bi)
	switch n.op {
	case "Add":
		f = g.Sum(x, y, 1)
	case "Sub":
		f = g.Sum(x, y, -1)
	case "Mul":
		if a.constant != nil {
			x, y = y, x
		} else if b.constant == nil {
			panic(fault.New("multiplies two values that depend on the inputs, which is not piecewise linear"))
		}
		f = g.Times(x, y.Constants())
	case "Div":
		if b.constant == nil {
			panic(fault.New("divides by a value that depends on the inputs, which is not piecewise linear"))
		}
		f = g.Divide(x, y.Constants())
	}
	return one1(&value{dims: dims, form: &f})
}

// ones reports whether the value is a constant whose numbers are all 1.
func (v *value) ones() bool {
	return v.constant != nil && !slices.ContainsFunc(v.constant.numbers, func(x float64) bool { return x != 1 })
}

// folded evaluates an operator on constants, which are mostly shapes.
func folded(op string, dims []int, a, b *tensor, ai, bi []int) *value {
	t := &tensor{dims: dims, element: a.element, numbers: make([]float64, len(ai))}
	if a.texts != nil || b.texts != nil {
		panic(fault.New("computes with texts, want numbers"))
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
			if x /= y; a.element == typeInt64 || a.element == typeInt32 {
				x = math.Trunc(x)
			}
		}
		if a.element == typeFloat {
			x = float64(float32(x))
		}
		t.numbers[i] = x
	}
	return &value{dims: dims, constant: t}
}

// broadcast returns the common shape of two values and, for each of its entries, the indices of
// the entries of v and w.
func (g *graph) broadcast(v, w *value) (dims, ai, bi []int) {
	a, b, most := v.dims, w.dims, maxColumns
	if v.constant != nil && w.constant != nil {
		most = layers.MaxParameters
	}
	rank := max(len(a), len(b))
	dims, from, to := make([]int, rank), make([]int, rank), make([]int, rank) // from and to are the steps of a and b
	copy(from[rank-len(a):], stridesOf(a))
	copy(to[rank-len(b):], stridesOf(b))
	at := func(d []int, i int) int {
		if i -= rank - len(d); i < 0 {
			return 1
		}
		return d[i]
	}
	total := 1
	for i := range dims {
		x, y := at(a, i), at(b, i)
		switch {
		case x == y, y == 1:
			dims[i] = x
		case x == 1:
			dims[i] = y
		default:
			panic(fault.New("the shapes %v and %v do not match", a, b))
		}
		if x == 1 {
			from[i] = 0
		}
		if y == 1 {
			to[i] = 0
		}
		if total *= max(1, dims[i]); total > most {
			panic(fault.New("the shapes %v and %v give more than %d numbers, the maximum", a, b, most))
		}
	}
	g.Take(2 * total)
	return dims, walk(dims, from), walk(dims, to)
}

func negated(g *graph, _ *node, in operands) []*value {
	return g.through(in[0], g.Negate)
}

func sumOfAll(g *graph, n *node, in operands) []*value {
	add := node{name: n.name, op: "Add"}
	sum := in[0]
	for _, next := range in[1:] {
		sum = arithmetic(g, &add, []*value{sum, next})[0]
	}
	return one1(sum)
}

func leakyReLU(g *graph, n *node, in operands) []*value {
	return g.through(in[0], func(f layers.Form) layers.Form {
		if n.op == "PRelu" {
			return g.Leaky(f, in.numbersOf(1, f.Len(), "slopes"))
		}
		return g.Leaky(f, []float64{n.float("alpha", 0.01)})
	})
}

func clip(g *graph, n *node, in operands) []*value {
	bound := func(name string, i int, otherwise float64) float64 {
		if i < len(in) && in[i] != nil {
			return in.numbersOf(i, 1, "bounds")[0]
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
		panic(fault.New("got the bounds %v and %v, want the first below the second", lo, hi))
	}
	if in[0].scores != nil && lo <= 0 && hi >= 1 {
		return one1(in[0])
	}
	return g.through(in[0], func(f layers.Form) layers.Form { return g.AtMost(g.AtLeast(f, []float64{lo}), []float64{hi}) })
}

// extreme evaluates Max and Min: a + relu(b − a) and a − relu(a − b).
func extreme(g *graph, n *node, in operands) []*value {
	most := in[0]
	for _, next := range in[1:] {
		a, b := operands{most, next}.both()
		if a.constant != nil {
			a, b = b, a
		}
		dims, ai, bi := g.broadcast(a, b)
		x, y := g.Pick(g.numbers(a), ai), g.Pick(g.numbers(b), bi)
		var f layers.Form
		switch {
		case b.constant != nil && n.op == "Max":
			f = g.AtLeast(x, y.Constants())
		case b.constant != nil:
			f = g.AtMost(x, y.Constants())
		case n.op == "Max":
			f = g.Most(x, y)
		default:
			f = g.Least(x, y)
		}
		most = &value{dims: dims, form: &f}
	}
	return one1(most)
}
