package trees

import (
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

// Less implements model.Lowering. It adds trees that are single leaves.
func (e *Ensemble) Less(by *big.Rat) (model.Model, error) {
	out := &Ensemble{Columns: e.Columns, Output: e.Output, Base: e.Base, Trees: slices.Clone(e.Trees)}
	if out.Output == fairness.LinkShare {
		out.Output = fairness.LinkLinear
	}
	terms, err := model.Split(new(big.Rat).Neg(by))
	if err != nil {
		return nil, err
	}
	for _, t := range terms {
		out.Trees = append(out.Trees, Tree{Leaf(t)})
	}
	return out, out.Validate()
}
