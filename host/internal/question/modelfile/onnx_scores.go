package modelfile

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
	return one1(&onnxValue{dims: withLast(in[0].dims, 1), constant: &onnxTensor{dims: []int{1}, element: onnxFloat, numbers: []float64{1}}})
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
