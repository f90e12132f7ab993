package trees

import (
	"math"
	"slices"
)

// step is a node for the evaluation of points: a quarter of the size of a Node, so that more
// of a large forest fits the processor's caches.
type step struct {
	// value is a leaf's value, or the border: an input below it goes to the next step, any other to
	// the step at right. If an input on the border goes left, value is the float64 after the border.
	value float64
	// input is the index of the compared input; leafStep for a leaf; lower for a special node.
	input int32
	right int32
}

const leafStep = -1

// flat is a list of trees in the form that evaluates points.
type flat struct {
	steps []step
	roots []int32 // by tree
	// special are nodes that are not plain comparisons: a step's node has the index −2 − input.
	special []*Node
}

// flatten writes the trees' steps in preorder. A comparison is special if it has several borders, or if the
// function apart, which may be nil, returns true for it.
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

// leaf returns the value of the leaf that a tree ends in. No input may be missing. The exact inputs differ from
// inputs[i] by no more than off[i], or not at all if off is nil. If more than one leaf is possible, near is set
// and value is 0.
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

// goes reports whether a comparison sends the inputs left. near is set if, within off, they may go either way.
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

// missing reports whether an input is missing.
func missing(inputs []float64) bool { return slices.ContainsFunc(inputs, math.IsNaN) }

// exactly returns off, or nil if all entries are 0.
func exactly(off []float64) []float64 {
	if slices.ContainsFunc(off, func(o float64) bool { return o != 0 }) {
		return off
	}
	return nil
}
