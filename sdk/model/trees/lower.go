package trees

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

var _ model.Lowering = (*Ensemble)(nil)

// Bits implements model.Lowering. It does not depend on the inputs: a logit is a sum of leaves.
func (e *Ensemble) Bits([]int) (int, bool) {
	shift, _, _ := e.scale()
	b := max(0, shift)
	return b, b <= model.MaxBits
}

// Less implements model.Lowering. It adds trees that distinguish the cases, or single leaves.
func (e *Ensemble) Less(by model.Offset) (model.Model, error) {
	out := &Ensemble{Columns: e.Columns, Output: e.Output, Base: e.Base, Trees: slices.Clone(e.Trees)}
	if out.Output == fairness.LinkShare {
		out.Output = fairness.LinkLinear
	}
	terms, most := make([][]float64, len(by.Cases)), 0
	for i, c := range by.Cases {
		var err error
		if terms[i], err = model.Split(new(big.Rat).Neg(c.By)); err != nil {
			return nil, err
		}
		most = max(most, len(terms[i]))
	}
	for k := range most {
		t, err := apart(by.Inputs, by.Cases, func(i int) float64 {
			if k < len(terms[i]) {
				return terms[i][k]
			}
			return 0
		})
		if err != nil {
			return nil, err
		}
		out.Trees = append(out.Trees, t)
	}
	return out, out.Validate()
}

// Wider implements model.Lowering.
func (e *Ensemble) Wider(inputs int) model.Model {
	return &Ensemble{Columns: e.Columns + inputs, Output: e.Output, Base: e.Base, Trees: e.Trees}
}

// apart returns a tree with a leaf for each case.
func apart(inputs []int, cases []model.Case, leaf func(i int) float64) (Tree, error) {
	of := make([]int, len(cases))
	for i := range of {
		of[i] = i
	}
	var grow func(of []int) (Tree, error)
	grow = func(of []int) (Tree, error) {
		if !slices.ContainsFunc(of, func(i int) bool { return leaf(i) != leaf(of[0]) }) {
			return Tree{Leaf(leaf(of[0]))}, nil
		}
		for j, input := range inputs {
			value := func(i int) *big.Rat { return cases[i].At[j] }
			slices.SortStableFunc(of, func(a, b int) int { return value(a).Cmp(value(b)) })
			best := 0 // where to split: near the middle
			for k := 1; k < len(of); k++ {
				if value(of[k]).Cmp(value(of[k-1])) > 0 && abs(2*k-len(of)) < abs(2*best-len(of)) {
					best = k
				}
			}
			if best == 0 {
				continue
			}
			border, ok := between(value(of[best-1]), value(of[best]))
			if !ok {
				return nil, fmt.Errorf("input %d has values too close for a border between them", input)
			}
			rest := slices.Clone(of[best:]) // of is sorted again below
			left, err := grow(slices.Clone(of[:best]))
			if err != nil {
				return nil, err
			}
			right, err := grow(rest)
			if err != nil {
				return nil, err
			}
			root := Node{Input: int32(input), Left: 1, Right: int32(1 + len(left)), Value: border}
			return slices.Concat(Tree{root}, behind(left, 1, 0), behind(right, int32(1+len(left)), 0)), nil
		}
		return nil, model.ErrAlike
	}
	return grow(of)
}

func abs(n int) int { return max(n, -n) }

// between returns a float64 above lo that is at most hi, near the middle if possible.
func between(lo, hi *big.Rat) (at float64, ok bool) {
	middle := new(big.Rat).Add(lo, hi)
	at, _ = middle.Quo(middle, big.NewRat(2, 1)).Float64()
	is := new(big.Rat).SetFloat64(at)
	return at, is.Cmp(lo) > 0 && is.Cmp(hi) <= 0
}
