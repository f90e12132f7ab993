// Package relax bounds the logits of all individuals of a box: linear relaxations of a network (Zhang et al., "Efficient neural network
// robustness certification with general activation functions", NeurIPS 2018), differences of copies (Paulsen et al., "ReluDiff:
// differential verification of deep neural networks", ICSE 2020), tangents of score gaps (docs/developer/solver-bnb.md, Bounds of networks).
package relax

import (
	"math/big"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Problem is a query as all packages of the search see it. It is read-only while a search
// runs.
type Problem struct {
	Query  *problem.Query
	Grid   *grid.Grid
	Rules  *grid.Rules // nil if there are none
	Notion notion.Notion
	Bins   *notion.Bins // nil unless bins are counted
	// Network is the plan of a network, nil for trees.
	Network *batch.Plan
	// Error bounds the error of logits computed from exact inputs.
	Error float64
	// Overlooks is set if the network may ignore the protected features in some places, so that copies have
	// equal logits.
	Overlooks bool
	// Pairs is set if pairs of copies are compared, instead of all counterfactuals of an
	// individual.
	Pairs  bool
	Exact  func() model.Exact // made when first called
	Params params.Params
}

// Logit returns the exact logit of a point with combination z.
func (p *Problem) Logit(point []float64, z int) *big.Rat {
	return p.Exact().Logit(p.Query.Space.ExactInputs(p.Grid.Complete(point, z)))
}

// Off reports whether an idea is switched off.
func (p *Problem) Off(i params.Idea) bool { return p.Params.Off.Has(i) }

// FixInputs sets the inputs that do not vary: lane v has combination v mod the number of
// combinations.
func (p *Problem) FixInputs(s *batch.Workspace) {
	for lane := range s.Lanes() {
		for _, f := range p.Grid.Fixed {
			s.Centre(f.Input)[lane], s.HalfWidth(f.Input)[lane] = f.Centre, f.HalfWidth
		}
		for _, f := range p.Grid.Combinations[lane%len(p.Grid.Combinations)].Inputs {
			s.Centre(f.Input)[lane], s.HalfWidth(f.Input)[lane] = f.Centre, f.HalfWidth
		}
	}
}
