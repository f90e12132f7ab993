package onnx

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

// Operators that move values without changing them.

// pick returns a value of shape dims with the entries of v at some indices.
func (g *graph) pick(v *value, dims, at []int) *value {
	v.sized()
	g.Take(len(at))
	out := &value{dims: dims, whole: v.whole}
	switch {
	case v.constant != nil:
		t := &tensor{dims: dims, element: v.constant.element}
		for _, k := range at {
			if v.constant.texts != nil {
				t.texts = append(t.texts, v.constant.texts[k])
			} else {
				t.numbers = append(t.numbers, v.constant.numbers[k])
			}
		}
		out.constant = t
	case v.columns != nil:
		out.columns = []*column{}
		for _, k := range at {
			out.columns = append(out.columns, v.columns[k])
		}
	case v.scores != nil:
		for _, k := range at {
			out.scores = append(out.scores, v.scores[k])
		}
	default:
		f := g.Pick(*v.form, at)
		out.form = &f
	}
	return out
}

// every lists the indices of all entries of a value.
func every(dims []int) []int { return walk([]int{count(dims)}, []int{1}) }

// stridesOf returns the distance between the indices of neighbouring entries along each dimension.
func stridesOf(dims []int) []int {
	out, step := make([]int, len(dims)), 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = step
		step *= max(1, dims[i])
	}
	return out
}

// walk lists the indices of a shape's entries in order. steps are the distances along each dimension.
func walk(dims, steps []int) []int {
	at := []int{0}
	for i, d := range dims {
		next := make([]int, 0, len(at)*max(1, d))
		for _, base := range at {
			for k := range max(1, d) {
				next = append(next, base+k*steps[i])
			}
		}
		at = next
	}
	return at
}

// axisOf resolves an axis that may count from the end.
func axisOf(axis int64, rank int) int {
	if axis < 0 {
		axis += int64(rank)
	}
	if axis < 0 || axis >= int64(rank) {
		panic(fault.New("axis %d is outside a value of %d dimensions", axis, rank))
	}
	return int(axis)
}

// settings returns the integers of an attribute, or of the constant input that replaces it in
// later versions of the operator.
func (in operands) settings(n *node, name string, i int) (out []int64, given bool) {
	values, given := n.numbers(name), n.has(name)
	if i < len(in) && in[i] != nil {
		if in[i].constant == nil {
			panic(fault.New("%s depends on the inputs, want a constant", name))
		}
		values, given = in[i].constant.numbers, true
	}
	if len(values) > maxSettings {
		panic(fault.New("%s has %d numbers, at most %d are supported", name, len(values), maxSettings))
	}
	for _, v := range values {
		out = append(out, int64(min(max(v, math.MinInt32), math.MaxInt32)))
	}
	return out, given
}

func reshape(g *graph, n *node, in operands) []*value {
	v := in[0]
	to, given := in.settings(n, "shape", 1)
	if !given || len(to) > maxRank {
		panic(fault.New("the new shape is missing, or has more than %d dimensions", maxRank))
	}
	if v.open != "" { // a later node may state the number of columns
		if len(to) == 2 && to[0] <= 1 && to[1] == -1 {
			return one1(v)
		}
		if len(to) == 2 && to[1] > 0 {
			g.known(v, int(to[1]))
		}
	}
	dims := make([]int, len(to))
	rows := len(v.dims) > 0 && v.dims[0] == anyRows
	free, product := -1, 1
	for i, d := range to {
		switch {
		case i == 0 && rows:
			if d > 1 {
				panic(fault.New("the shape %v changes the number of rows", to))
			}
			dims[0] = anyRows
			continue
		case d == 0 && i < len(v.dims):
			d = int64(v.dims[i])
		case d == -1 && free < 0:
			free, d = i, 1
		case d <= 0:
			panic(fault.New("the shape %v has a dimension below 1, or leaves two open", to))
		}
		dims[i] = int(d)
		if product *= int(d); product > layers.MaxParameters {
			panic(fault.New("the shape %v has more than %d entries, the maximum", to, layers.MaxParameters))
		}
	}
	have := count(v.dims)
	if free >= 0 && have%product == 0 {
		dims[free] = have / product
		product = have
	}
	if product != have {
		panic(fault.New("a value of the shape %v cannot be reshaped to %v", v.dims, to))
	}
	return one1(g.pick(v, dims, every(v.dims)))
}

func flatten(g *graph, n *node, in operands) []*value {
	v := in[0]
	if axis := n.integer("axis", 1); axis != 1 && axis != 1-int64(len(v.dims)) {
		panic(fault.New("flattens from axis %d, want axis 1", axis))
	}
	if v.open != "" {
		return one1(v)
	}
	return one1(g.pick(v, []int{anyRows, count(v.dims)}, every(v.dims)))
}

func squeeze(g *graph, n *node, in operands) []*value {
	v := in[0]
	axes, given := in.settings(n, "axes", 1)
	drop := make([]bool, len(v.dims))
	for i, d := range v.dims {
		drop[i] = !given && d == 1
	}
	for _, axis := range axes {
		if i := axisOf(axis, len(drop)); v.dims[i] == 1 {
			drop[i] = true
		} else {
			panic(fault.New("axis %d of the shape %v does not have length 1", axis, v.dims))
		}
	}
	var dims []int
	for i, d := range v.dims {
		if !drop[i] {
			dims = append(dims, d)
		}
	}
	return one1(g.pick(v, dims, every(v.dims)))
}

func unsqueeze(g *graph, n *node, in operands) []*value {
	v := in[0]
	axes, _ := in.settings(n, "axes", 1)
	rank := len(v.dims) + len(axes)
	if rank > maxRank {
		panic(fault.New("the result has more than %d dimensions, the maximum", maxRank))
	}
	dims, rest := make([]int, rank), v.dims
	for _, axis := range axes {
		dims[axisOf(axis, rank)] = 1
	}
	for i := range dims {
		if dims[i] == 0 && len(rest) > 0 {
			dims[i], rest = rest[0], rest[1:]
		}
	}
	if i := slices.Index(dims, anyRows); i > 0 {
		panic(fault.New("inserts a dimension before the rows, which must stay on axis 0"))
	}
	return one1(g.pick(v, dims, every(v.dims)))
}

func transposed(g *graph, n *node, in operands) []*value {
	v := in[0]
	var perm []int
	for i := range v.dims {
		perm = append(perm, len(v.dims)-1-i)
	}
	if given := n.numbers("perm"); n.has("perm") {
		if len(given) != len(perm) {
			panic(fault.New("perm lists %d axes, want %d", len(given), len(perm)))
		}
		for i := range perm {
			perm[i] = axisOf(int64(given[i]), len(perm))
		}
	}
	if len(perm) > 0 && v.dims[0] == anyRows && perm[0] != 0 {
		panic(fault.New("moves the rows, which must stay on axis 0"))
	}
	if len(slices.Compact(slices.Sorted(slices.Values(perm)))) < len(perm) {
		panic(fault.New("perm %v lists an axis twice", perm))
	}
	strides := stridesOf(v.dims)
	dims, steps := make([]int, len(perm)), make([]int, len(perm))
	for i, axis := range perm {
		dims[i], steps[i] = v.dims[axis], strides[axis]
	}
	return one1(g.pick(v, dims, walk(dims, steps)))
}

// along returns the indices of the entries at some places on one axis.
func along(dims []int, axis int, places []int) []int {
	outer, inner, width := count(dims[:axis]), count(dims[axis+1:]), max(1, dims[axis])
	at := make([]int, 0, outer*len(places)*inner)
	for o := range outer {
		for _, p := range places {
			for i := range inner {
				at = append(at, (o*width+p)*inner+i)
			}
		}
	}
	return at
}

// chosen returns the part of a value at some places on one axis, other than the axis of rows.
func (g *graph) chosen(v *value, axis int, places []int) *value {
	if v.dims[axis] == anyRows {
		panic(fault.New("selects rows, but a model must score each row independently"))
	}
	dims := slices.Clone(v.dims)
	dims[axis] = len(places)
	g.Take(len(places) * count(v.dims) / max(1, v.dims[axis]))
	return g.pick(v, dims, along(v.dims, axis, places))
}

// gather evaluates Gather, and ArrayFeatureExtractor, which is Gather on the last axis.
func gather(g *graph, n *node, in operands) []*value {
	v, which := in.both()
	if which.constant == nil {
		if v.constant != nil {
			panic(fault.New("an embedding, which looks up a category's code in a table, is not supported: feed categories one-hot (pandas.get_dummies), and train torch.nn.Linear in place of torch.nn.Embedding"))
		}
		panic(fault.New("its indices depend on the inputs, want a constant"))
	}
	axis := axisOf(n.integer("axis", 0), len(v.dims))
	if n.domain == learning {
		axis = len(v.dims) - 1
	}
	v.sized()
	var places []int
	for _, p := range which.constant.numbers {
		if p < 0 {
			p += float64(v.dims[axis])
		}
		if !(p >= 0 && p < float64(v.dims[axis])) {
			panic(fault.New("index %v is outside axis %d, which has %d entries", p, axis, v.dims[axis]))
		}
		places = append(places, int(p))
	}
	if len(places) == 0 || len(which.dims) > 1 && count(which.dims) != which.dims[len(which.dims)-1] {
		panic(fault.New("the indices have the shape %v, want a list with at least one", which.dims))
	}
	out := g.chosen(v, axis, places)
	if len(which.dims) == 0 && n.domain != learning {
		return one1(g.pick(out, slices.Delete(slices.Clone(out.dims), axis, axis+1), every(out.dims)))
	}
	return one1(out)
}

func slice(g *graph, n *node, in operands) []*value {
	v := in[0]
	starts, _ := in.settings(n, "starts", 1)
	ends, _ := in.settings(n, "ends", 2)
	axes, given := in.settings(n, "axes", 3)
	steps, stepped := in.settings(n, "steps", 4)
	v.sized()
	for i := range starts {
		axis := int64(i)
		if given && i < len(axes) {
			axis = axes[i]
		}
		if i >= len(ends) || stepped && (i >= len(steps) || steps[i] != 1) {
			panic(fault.New("the slice has no end, or a step other than 1"))
		}
		a := axisOf(axis, len(v.dims))
		if v.dims[a] == anyRows && starts[i] == 0 && ends[i] == math.MaxInt32 {
			continue
		}
		from, to := within(starts[i], v.dims[a]), within(ends[i], v.dims[a])
		if v.dims[a] == anyRows || from >= to {
			panic(fault.New("the slice from %d to %d of the shape %v is empty or selects rows", starts[i], ends[i], v.dims))
		}
		var places []int
		for p := from; p < to; p++ {
			places = append(places, int(p))
		}
		v = g.chosen(v, a, places)
	}
	return one1(v)
}

func split(g *graph, n *node, in operands) []*value {
	v := in[0]
	axis := axisOf(n.integer("axis", 0), len(v.dims))
	sizes, given := in.settings(n, "split", 1)
	v.sized()
	if !given {
		parts := int64(len(n.outputs))
		for k := range parts {
			size := (int64(v.dims[axis]) + parts - 1) / parts
			sizes = append(sizes, min(size, max(0, int64(v.dims[axis])-k*size)))
		}
	}
	var out []*value
	from := 0
	for _, size := range sizes {
		var places []int
		if size < 1 || from+int(size) > v.dims[axis] {
			panic(fault.New("the parts %v do not fit the shape %v", sizes, v.dims))
		}
		for range size {
			places = append(places, from)
			from++
		}
		out = append(out, g.chosen(v, axis, places))
	}
	return out
}

// concat evaluates Concat, and FeatureVectorizer, which is Concat on the columns.
func concat(g *graph, n *node, in operands) []*value {
	if n.op == "FeatureVectorizer" {
		for i, width := range n.numbers("inputdimensions") {
			if i < len(in) && in[i] != nil {
				g.known(in[i], int(min(width, maxColumns)))
			}
		}
	}
	all := &value{}
	var offsets []int
	size := 0
	for _, v := range in {
		if v == nil || v.open != "" || len(v.dims) != len(in[0].dims) {
			panic(fault.New("a value is omitted, its number of columns is not stated, or its number of dimensions differs from the first value's"))
		}
		offsets = append(offsets, size)
		size += count(v.dims)
	}
	g.Take(2 * size)
	if size > maxColumns && slices.ContainsFunc(in, func(v *value) bool { return v.constant == nil }) {
		panic(fault.New("joins %d values, at most %d are supported", size, maxColumns))
	}
	is := func(test func(*value) bool) bool {
		return !slices.ContainsFunc(in, func(v *value) bool { return !test(v) })
	}
	switch {
	case is(func(v *value) bool { return v.constant != nil }):
		all.constant = &tensor{element: in[0].constant.element}
		for _, v := range in {
			all.constant.numbers, all.constant.texts = append(all.constant.numbers, v.constant.numbers...), append(all.constant.texts, v.constant.texts...)
		}
		if len(all.constant.numbers) > 0 && len(all.constant.texts) > 0 {
			panic(fault.New("joins texts and numbers"))
		}
	case is(func(v *value) bool { return v.columns != nil && v.form == nil && v.whole == in[0].whole }):
		all.whole = in[0].whole
		for _, v := range in {
			all.columns = append(all.columns, v.columns...)
		}
	case is(func(v *value) bool { return v.scores != nil }):
		for _, v := range in {
			all.scores = append(all.scores, v.scores...)
		}
	default:
		forms := make([]*layers.Form, len(in))
		for i, v := range in {
			f := g.numbers(v)
			forms[i] = &f
		}
		joint := g.Join(forms...)
		all.form = &joint
	}
	axis := axisOf(n.integer("axis", 1), len(in[0].dims))
	dims := slices.Clone(in[0].dims)
	dims[axis] = 0
	for _, v := range in {
		if v.dims[axis] == anyRows {
			panic(fault.New("joins along the axis of rows, want another axis"))
		}
		dims[axis] += v.dims[axis]
		if count(v.dims[:axis]) != count(dims[:axis]) || count(v.dims[axis+1:]) != count(dims[axis+1:]) {
			panic(fault.New("values of the shapes %v and %v cannot be joined", in[0].dims, v.dims))
		}
	}
	var at []int
	for o := range count(dims[:axis]) {
		for i, v := range in {
			chunk := count(v.dims) / count(v.dims[:axis])
			for k := range chunk {
				at = append(at, offsets[i]+o*chunk+k)
			}
		}
	}
	all.dims = []int{size}
	return one1(g.pick(all, dims, at))
}
