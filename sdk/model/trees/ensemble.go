// Package trees is the family of sums of decision trees: boosted trees and forests.
//
// A tree compares one input at a time with borders and ends in a leaf, whose value
// it adds. Borders are real numbers. A library may round an input before the comparison
// (XGBoost rounds to float32): a reader of its files then moves the borders to where the
// rounded input changes sides (Rounded), so that nothing is rounded here. The exact logit
// is the exact sum of the leaves; Logit32 is the sum as a library computes it in single
// precision.
package trees

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// Family is the family's name in descriptions, in messages and on the wire.
const Family = "trees"

// The largest numbers of nodes and of inputs, and the largest depth, of an ensemble.
const (
	MaxNodes  = 1 << 22
	MaxInputs = 1 << 16
	MaxDepth  = 1 << 10 // comparisons on the path to a leaf
)

var (
	_ model.Bounded   = (*Ensemble)(nil)
	_ model.Comparing = (*Ensemble)(nil)
	_ model.Single    = (*Ensemble)(nil)
	_ model.Near      = (*Ensemble)(nil)
	_ model.Varying   = (*Ensemble)(nil)
	_ model.Sized     = (*Ensemble)(nil)
	_ model.Portable  = (*Ensemble)(nil)
)

// Ensemble has the logit Base plus the leaf that each tree ends in. It is read-only
// once validated.
type Ensemble struct {
	// Columns is the number of inputs.
	Columns int
	// Output says how the sum becomes a score. For LinkShare the sum is the share minus
	// fairness.Half.
	Output fairness.Link
	Base   float64
	Trees  []Tree

	once    sync.Once
	off     float64 // SumError, once computed
	flatten sync.Once
	steps   *flat // set once a point was evaluated
}

// Tree is a list of nodes: the root first, and children after their parents.
type Tree []Node

// Node is a comparison, or a leaf.
type Node struct {
	// Input is the index of the compared input; −1 makes the node a leaf.
	Input int32
	// Left and Right are the indices of the children in the tree.
	Left, Right int32
	// Value is the value of a leaf, or the border of a comparison: an input below it
	// goes left, and one above it right. An input on the border goes left if Closed is set.
	Value  float64
	Closed bool
	// More holds further borders, increasing and above Value: an input goes left if the
	// number of borders below it, Value included, is even. Comparisons with sets of
	// categories have several borders.
	More []float64
	// Missing: an input that is NaN goes left.
	Missing bool
}

// Leaf returns a node that ends a path with a value.
func Leaf(value float64) Node { return Node{Input: -1, Value: value} }

// IsLeaf reports whether the node is a leaf.
func (n *Node) IsLeaf() bool { return n.Input < 0 }

// Borders calls visit for each border of a comparison.
func (n *Node) Borders(visit func(border float64)) {
	visit(n.Value)
	for _, b := range n.More {
		visit(b)
	}
}

// GoesLeft reports whether an exact input goes left; nil is a missing input.
func (n *Node) GoesLeft(input *big.Rat) bool { return n.left(nearest(input)) }

// SendsLeft reports whether a float64 input goes left; NaN is a missing input.
func (n *Node) SendsLeft(input float64) bool { return n.left(input, 0) }

// nearest returns the float64 nearest to an input, NaN for nil, and the sign of the input
// minus that float64.
func nearest(input *big.Rat) (at float64, more int) {
	if input == nil {
		return math.NaN(), 0
	}
	at, exact := input.Float64()
	if !exact && finite(at) {
		more = input.Cmp(new(big.Rat).SetFloat64(at))
	}
	return at, more
}

// nearestOf is nearest for a list of inputs.
func nearestOf(inputs []*big.Rat) (at []float64, more []int) {
	at, more = make([]float64, len(inputs)), make([]int, len(inputs))
	for i, v := range inputs {
		at[i], more[i] = nearest(v)
	}
	return at, more
}

// left reports whether an input goes left. Its value is at + δ, where δ is infinitesimal and has
// the sign of more.
func (n *Node) left(at float64, more int) bool {
	if math.IsNaN(at) {
		return n.Missing
	}
	left := !n.passes(n.Value, at, more)
	for _, b := range n.More {
		if !n.passes(b, at, more) {
			break
		}
		left = !left
	}
	return left
}

// passes reports whether the input lies above a border, or on it if Closed is unset.
func (n *Node) passes(border, at float64, more int) bool {
	switch {
	case at != border:
		return at > border
	case more != 0:
		return more > 0
	}
	return !n.Closed
}

// Family implements model.Model.
func (*Ensemble) Family() string { return Family }

// Inputs implements model.Model.
func (e *Ensemble) Inputs() int { return e.Columns }

// Link implements model.Model.
func (e *Ensemble) Link() fairness.Link { return e.Output }

// Parameters counts borders and leaves.
func (e *Ensemble) Parameters() int {
	n := 1
	for _, t := range e.Trees {
		for i := range t {
			n += 1 + len(t[i].More)
		}
	}
	return n
}

// Size implements model.Sized.
func (e *Ensemble) Size() string {
	leaves := 0
	for _, t := range e.Trees {
		for i := range t {
			if t[i].IsLeaf() {
				leaves++
			}
		}
	}
	what := "trees"
	if len(e.Trees) == 1 {
		what = "tree"
	}
	return fmt.Sprintf("%d %s of depth %d at most, %d leaves", len(e.Trees), what, e.Depth(), leaves)
}

// Depth is the largest number of comparisons on a path to a leaf.
func (e *Ensemble) Depth() int {
	most := 0
	for _, t := range e.Trees {
		depth := make([]int, len(t))
		for i := range t {
			if most = max(most, depth[i]); !t[i].IsLeaf() {
				depth[t[i].Left], depth[t[i].Right] = depth[i]+1, depth[i]+1
			}
		}
	}
	return most
}

// Validate implements model.Model.
func (e *Ensemble) Validate() error {
	if e.Columns < 1 || e.Columns > MaxInputs {
		return fmt.Errorf("%d inputs are outside 1 to %d", e.Columns, MaxInputs)
	}
	if !slices.Contains(fairness.Links, e.Output) {
		return fmt.Errorf("unknown link %d", e.Output)
	}
	if !finite(e.Base) {
		return fmt.Errorf("the base is %v, want a finite number", e.Base)
	}
	nodes, size := 0, math.Abs(e.Base)
	for k, t := range e.Trees {
		if nodes += len(t); nodes > MaxNodes {
			return fmt.Errorf("more than %d nodes", MaxNodes)
		}
		if err := e.validate(t); err != nil {
			return fmt.Errorf("tree %d: %w", k, err)
		}
		if size += t.most(); !(size < math.MaxFloat64/4) {
			return fmt.Errorf("tree %d: sums of leaves overflow", k)
		}
	}
	if e.Output == fairness.LinkShare {
		return e.validateShare()
	}
	return nil
}

// Share turns an ensemble whose sum is a share into one with LinkShare: a further tree subtracts
// fairness.Half.
func (e *Ensemble) Share() *Ensemble {
	less := Tree{Leaf(-fairness.Half)}
	return &Ensemble{Columns: e.Columns, Output: fairness.LinkShare, Base: e.Base, Trees: append(slices.Clone(e.Trees), less)}
}

// validateShare checks that the scores are shares, up to the rounding of leaves in single
// precision.
func (e *Ensemble) validateShare() error {
	const off = 0x1p-16
	lo, hi := e.Base+fairness.Half, e.Base+fairness.Half
	for _, t := range e.Trees {
		least, most := math.Inf(1), math.Inf(-1)
		for i := range t {
			if t[i].IsLeaf() {
				least, most = min(least, t[i].Value), max(most, t[i].Value)
			}
		}
		lo, hi = lo+least, hi+most
	}
	if lo < -off || hi > 1+off {
		return fmt.Errorf("leaves add up to between %v and %v; want a share from 0 to 1", lo, hi)
	}
	return nil
}

func (e *Ensemble) validate(t Tree) error {
	if len(t) == 0 {
		return fmt.Errorf("no nodes")
	}
	parents, depth := make([]bool, len(t)), make([]int, len(t))
	for i := range t {
		n := &t[i]
		switch {
		case !finite(n.Value):
			return fmt.Errorf("node %d has the value %v, want a finite number", i, n.Value)
		case i > 0 && !parents[i]:
			return fmt.Errorf("node %d has no parent before it", i)
		case n.IsLeaf():
			continue
		case int(n.Input) >= e.Columns:
			return fmt.Errorf("node %d compares input %d, want 0 to %d", i, n.Input, e.Columns-1)
		}
		last := n.Value
		for _, b := range n.More {
			if !(b > last) || !finite(b) {
				return fmt.Errorf("node %d: border %v after %v: want finite borders in ascending order", i, b, last)
			}
			last = b
		}
		for _, child := range [2]int32{n.Left, n.Right} {
			switch {
			case int(child) <= i || int(child) >= len(t):
				return fmt.Errorf("node %d has the child %d, which does not come after it in a tree of %d nodes", i, child, len(t))
			case parents[child]:
				return fmt.Errorf("node %d has two parents", child)
			}
			parents[child], depth[child] = true, depth[i]+1
		}
		if depth[i] == MaxDepth {
			return fmt.Errorf("node %d compares after %d comparisons, the most that a path may have", i, MaxDepth)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Rounded returns the border, for real numbers, of a comparison that rounds its input to
// the nearest float32, ties to even. rounded(x) < t (with orEqual: rounded(x) ≤ t) holds if
// and only if x < border (with closed: x ≤ border).
func Rounded(t float32, orEqual bool) (border float64, closed bool) {
	if orEqual && math.IsInf(float64(t), 1) { // true for all numbers, but not for missing ones
		return math.MaxFloat64, true
	}
	below, above := t, t
	if orEqual {
		above = math.Nextafter32(t, float32(math.Inf(1)))
	} else {
		below = math.Nextafter32(t, float32(math.Inf(-1)))
	}
	low, high := float64(below), float64(above)
	if math.IsInf(high, 1) { // the value above the largest float32, for rounding
		high = 0x1p128
	}
	if math.IsInf(low, -1) {
		low = -0x1p128
	}
	// The middle of two neighbours is a float64, and is rounded to the even one.
	return low + (high-low)/2, math.Float32bits(below)&1 == 0
}
