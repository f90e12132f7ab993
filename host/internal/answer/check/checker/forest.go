package checker

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// forest is a sum of trees over the features of a space. It is read-only.
//
// Along a feature, the places where some comparison changes sides cut its domain into cells; a
// value's cell is the number of steps that it has passed. Over a box of cells every comparison
// compares integers.
type forest struct {
	steps [][]step // by feature, in increasing order
	// values are the leaves' values, increasing, times 2^shift.
	values []big.Int
	base   big.Int
	shift  uint
	trees  []tree
}

// step is a place on a feature where a comparison changes sides.
type step struct {
	at *big.Rat
	// inclusive: the value at the place has passed it.
	inclusive bool
	// near is the float64 nearest to at; beyond is the sign of near − at.
	near   float64
	beyond int
}

// passed reports whether a value has passed the step. Among float64 values, only near
// itself may lie on the other side of at.
func (s *step) passed(v float64) bool {
	if v != s.near {
		return v > s.near
	}
	return s.beyond > 0 || s.beyond == 0 && s.inclusive
}

// before orders steps by the sequence in which an increasing value passes them.
func before(a, b *step) int {
	if c := cmp.Or(cmp.Compare(a.near, b.near), a.at.Cmp(b.at)); c != 0 || a.inclusive == b.inclusive {
		return c
	}
	if a.inclusive {
		return -1
	}
	return 1
}

// tree is a list of nodes, the root first.
type tree struct {
	nodes []branch
	parts bool // it compares a protected feature
}

// branch is a leaf, or a comparison of a feature's cell.
type branch struct {
	feature int // −1: a leaf
	leaf    int32
	// flips are the steps at which the child alternates: the second child at the first
	// step, the first again at the next, and so on.
	flips    []int32
	children [2]int32
}

// maxBranches bounds the nodes and borders of a forest.
const maxBranches = 1 << 22

// newForest converts trees that have passed Validate to cells of the space's features.
func newForest(st *certificate.Statement) (*forest, error) {
	e, s := st.Trees, st.Space
	f := &forest{steps: make([][]step, len(s.Features)), shift: fraction(e.Base)}
	if e.Parameters() > maxBranches {
		return nil, fmt.Errorf("the trees have %d borders and leaves; at most %d are allowed", e.Parameters(), maxBranches)
	}
	type source struct {
		feature int
		*space.Input
	}
	sources := make([]source, s.Inputs)
	for i := range s.Features {
		for k := range s.Features[i].Inputs {
			in := &s.Features[i].Inputs[k]
			sources[in.Index] = source{i, in}
		}
	}
	var leaves []float64
	own := make([][][]step, len(e.Trees)) // by tree and node
	firsts := make([][]bool, len(e.Trees))
	for k, t := range e.Trees {
		own[k], firsts[k] = make([][]step, len(t)), make([]bool, len(t))
		for i := range t {
			n := &t[i]
			if n.Input < 0 {
				leaves = append(leaves, n.Value)
				continue
			}
			from := sources[n.Input]
			own[k][i], firsts[k][i] = stepsOf(n, &s.Features[from.feature], from.Input)
			f.steps[from.feature] = append(f.steps[from.feature], own[k][i]...)
		}
	}
	for i := range f.steps {
		slices.SortFunc(f.steps[i], func(a, b step) int { return before(&a, &b) })
		f.steps[i] = slices.CompactFunc(f.steps[i], func(a, b step) bool { return before(&a, &b) == 0 })
	}
	slices.Sort(leaves)
	leaves = slices.Compact(leaves)
	f.shift = max(f.shift, fractions(leaves))
	f.values = integers(leaves, f.shift)
	scaled(&f.base, e.Base, f.shift)
	for k, t := range e.Trees {
		of := tree{nodes: make([]branch, len(t))}
		for i := range t {
			n, b := &t[i], &of.nodes[i]
			if n.Input < 0 {
				at, _ := slices.BinarySearch(leaves, n.Value)
				b.feature, b.leaf = -1, int32(at)
				continue
			}
			b.feature, b.children = sources[n.Input].feature, [2]int32{n.Left, n.Right}
			if !firsts[k][i] {
				b.children = [2]int32{n.Right, n.Left}
			}
			of.parts = of.parts || s.Features[b.feature].IsProtected()
			for _, at := range own[k][i] {
				place, _ := slices.BinarySearchFunc(f.steps[b.feature], at, func(a, b step) int { return before(&a, &b) })
				if last := len(b.flips) - 1; last >= 0 && b.flips[last] == int32(place) {
					b.flips = b.flips[:last] // to the other side and back
				} else {
					b.flips = append(b.flips, int32(place))
				}
			}
		}
		f.trees = append(f.trees, of)
	}
	return f, nil
}

// stepsOf returns the places where a comparison changes sides, in increasing order. left reports
// whether values below all of them go left.
func stepsOf(n *trees.Node, f *space.Feature, in *space.Input) (out []step, left bool) {
	borders := append([]float64{n.Value}, n.More...)
	// An input goes left after an even number of borders.
	goesLeft := func(x float64) bool {
		left := true
		for _, b := range borders {
			if x > b || x == b && !n.Closed {
				left = !left
			}
		}
		return left
	}
	switch {
	case in.Table != nil:
		left = goesLeft(in.Table[0])
		last := left
		for k, x := range in.Table {
			if now := goesLeft(x); now != last {
				last = now
				v := f.Lo + float64(k)
				out = append(out, step{at: new(big.Rat).SetFloat64(v), inclusive: true, near: v})
			}
		}
		return out, left
	case in.Scale == 0:
		return nil, goesLeft(in.Offset)
	}
	scale, offset := new(big.Rat).SetFloat64(in.Scale), new(big.Rat).SetFloat64(in.Offset)
	rising := in.Scale > 0
	left = rising || len(borders)%2 == 0
	for _, b := range borders {
		at := new(big.Rat).SetFloat64(b)
		at.Sub(at, offset).Quo(at, scale)
		// For a falling input, a value past a border has not passed its step.
		s := step{at: at, inclusive: n.Closed != rising}
		if f.Discrete() { // the least integer past the step
			whole := new(big.Int).Div(at.Num(), at.Denom()) // rounded down: the denominator is positive
			if !s.inclusive || !at.IsInt() {
				whole.Add(whole, big.NewInt(1))
			}
			s.at, s.inclusive = new(big.Rat).SetInt(whole), true
		}
		near, _ := s.at.Float64()
		s.near = near
		if !math.IsInf(near, 0) {
			s.beyond = new(big.Rat).SetFloat64(near).Cmp(s.at)
		}
		out = append(out, s)
	}
	if !rising {
		slices.Reverse(out)
	}
	return out, left
}

// cell is the number of steps of a feature that a value has passed.
func (f *forest) cell(feature int, v float64) int32 {
	steps := f.steps[feature]
	lo, hi := 0, len(steps)
	for lo < hi {
		if mid := (lo + hi) / 2; steps[mid].passed(v) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}
