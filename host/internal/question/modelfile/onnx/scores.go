package onnx

import (
	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

func sigmoid(g *graph, _ *node, in operands) []*value {
	return one1(sigmoids(in[0].dims, g.numbers(in[0])))
}

func sigmoids(dims []int, f layers.Form) *value {
	v := &value{dims: dims}
	for i := range f.Len() {
		one := f.Part(i, i+1)
		v.scores = append(v.scores, score{logits: &one, class: 1})
	}
	return v
}

func softmax(g *graph, n *node, in operands) []*value {
	if axis := n.integer("axis", -1); axis != -1 && axis != int64(len(in[0].dims))-1 {
		panic(fault.New("axis: got %d, want the last one, −1", axis))
	}
	f := g.numbers(in[0])
	if d := in[0].dims; len(d) == 0 || d[len(d)-1] != f.Len() {
		panic(fault.New("got values of shape %v, want one row per individual", d))
	}
	return one1(shares(in[0].dims, f))
}

// shares returns the probabilities of a softmax.
func shares(dims []int, f layers.Form) *value {
	if f.Len() < 2 {
		panic(fault.New("a softmax over one number is always 1: use a sigmoid as the last layer"))
	}
	v := &value{dims: dims}
	for i := range f.Len() {
		v.scores = append(v.scores, score{logits: &f, class: i})
	}
	return v
}

// complements returns 1 − p for probabilities p.
func complements(v *value) *value {
	out := &value{dims: v.dims}
	for _, s := range v.scores {
		if s.logits.Len() > 2 {
			panic(fault.New("subtracts the probability of one of %d classes from 1, want one of two classes", s.logits.Len()))
		}
		s.class = 1 - s.class
		out.scores = append(out.scores, s)
	}
	return out
}

func normalizer(_ *graph, n *node, in operands) []*value {
	if norm := n.text("norm", "MAX"); norm != "L1" || !wholeOf(in[0].scores) {
		panic(fault.New("norm %s of these values is not piecewise linear, want L1 of the probabilities of all classes: train one model per class, or a softmax", norm))
	}
	return one1(in[0])
}

// absolute evaluates Abs, which leaves scores unchanged.
func absolute(g *graph, _ *node, in operands) []*value {
	if in[0].scores != nil {
		return one1(in[0])
	}
	return g.through(in[0], g.Abs)
}

// reduceSum evaluates ReduceSum over the probabilities of all classes, by which skl2onnx divides.
// The sum is 1.
func reduceSum(g *graph, n *node, in operands) []*value {
	axes, _ := in.settings(n, "axes", 1)
	last := len(in[0].dims) - 1
	if !wholeOf(in[0].scores) || last < 1 || len(axes) != 1 || axisOf(int64(axes[0]), last+1) != last || n.integer("keepdims", 1) != 1 {
		panic(fault.New("this operator is not read, except over the probabilities of all classes with keepdims%s", g.remedy(n)))
	}
	return one1(&value{dims: withLast(in[0].dims, 1), constant: &tensor{dims: []int{1}, element: typeFloat, numbers: []float64{1}}})
}

// wholeOf reports whether scores sum to 1, so that dividing by their sum has no effect.
func wholeOf(all []score) bool {
	if len(all) < 2 {
		return false
	}
	if n := all[0].logits.Len(); n > 2 || n == len(all) && all[0].class != all[1].class {
		for i := range all {
			if all[i].logits.Len() != len(all) || all[i].class != i || all[i].logits != all[0].logits {
				return false
			}
		}
		return true
	}
	sign := -1.0
	if all[0].class != all[1].class {
		sign = 1
	}
	return len(all) == 2 && all[0].logits.Is(*all[1].logits, sign)
}
