package trees

import (
	"math"
	"slices"
)

// step is a node as points go through it: a quarter of a Node, so that more of a large
// forest is near the processor.
type step struct {
	// value is a leaf's, or else the border: what is below it goes to the next step, and all else to
	// that at right. A border that itself goes left is the next float64.
	value float64
	// input is what is compared, leafStep for a leaf, and below that a special one.
	input int32
	right int32
}

const leafStep = -1

// flat is trees as points go through them.
type flat struct {
	steps []step
	roots []int32 // by tree
	// special are nodes that are no plain comparison: that of a step is the one at −2 − input.
	special []*Node
}

// flatten writes trees one step behind the other. Comparisons with several borders are special, and those
// that apart names, where it is not nil.
func flatten(list []Tree, apart func(n *Node) bool) *flat {
	type waiting struct{ node, parent int32 }
	f, nodes := &flat{}, 0
	for _, t := range list {
		nodes += len(t)
	}
	f.steps = make([]step, 0, nodes)
	var stack []waiting
	for _, t := range list {
		f.roots = append(f.roots, int32(len(f.steps)))
		for stack = append(stack, waiting{0, -1}); len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			n, at := &t[top.node], int32(len(f.steps))
			if top.parent >= 0 {
				f.steps[top.parent].right = at
			}
			s := step{value: n.Value, input: n.Input}
			if n.IsLeaf() {
				s.input = leafStep
			} else {
				stack = append(stack, waiting{n.Right, at}, waiting{n.Left, -1})
				if n.Closed {
					s.value = math.Nextafter(n.Value, math.Inf(1))
				}
				if len(n.More) > 0 || apart != nil && apart(n) {
					s.input = -2 - int32(len(f.special))
					f.special = append(f.special, n)
				}
			}
			f.steps = append(f.steps, s)
		}
	}
	return f
}

// leaf is the value of the leaf that inputs end in, of which none is missing. An input is no further than
// off from the exact one, which nil says of all; near is set where the leaf is not known for that.
func (f *flat) leaf(root int32, inputs, off []float64) (value float64, near bool) {
	for i := root; ; {
		s := &f.steps[i]
		if s.input == leafStep {
			return s.value, false
		}
		left, near := f.goes(s, inputs, off)
		if near {
			return 0, true
		}
		if i++; !left {
			i = s.right
		}
	}
}

// goes is where inputs go at a comparison; near is set where that is not known.
func (f *flat) goes(s *step, inputs, off []float64) (left, near bool) {
	if s.input < 0 {
		n := f.special[-2-s.input]
		if off == nil {
			return n.left(inputs[n.Input], 0), false
		}
		return n.near(inputs[n.Input], off[n.Input])
	}
	at := inputs[s.input]
	if off != nil && off[s.input] != 0 {
		o := off[s.input]
		low, high := math.Nextafter(at-o, math.Inf(-1)), math.Nextafter(at+o, math.Inf(1))
		near = low < s.value && s.value <= high
	}
	return at < s.value, near
}

// missing reports that some input is.
func missing(inputs []float64) bool { return slices.ContainsFunc(inputs, math.IsNaN) }

// exactly is off, or nil where all of it is 0.
func exactly(off []float64) []float64 {
	if slices.ContainsFunc(off, func(o float64) bool { return o != 0 }) {
		return off
	}
	return nil
}
