package certificate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// AddPiece writes a settled piece of a solver's as a leaf. A piece that is not
// proved to be as the claim says, or that comes without its proof, is an error:
// no certificate can be made then. A piece of few individuals without a proof,
// though, is left to the checker; under a claim of a bound also one that is
// unfair, which is a word about ε.
//
// With a solver's slopes, the checker's bounds are at least as tight as any that are carried
// through the layers in the same way; so with joint slopes. Bounds from elsewhere (a box it came
// from, several copies seen as one) must be followed by bounds from the slopes alone.
//
// A leaf's slopes come from a linear program's multipliers. Let it have the inputs and each open
// ReLU's value z as variables, y be the ReLU's argument, and λᵢ ≥ 0 multiply row i, which has gᵢ·y
// in it (z − y ≥ 0, say, gᵢ = −1). Then Σλᵢgᵢ is the slope, and the weights are the multipliers'
// combination of the required rows of the logits. If the multipliers refute the program, and its
// rows hold for all values that the checker's ranges permit, the checker's bound is not above theirs.
func (w *Writer) AddPiece(p sdk.Piece) error {
	if w.err != nil {
		return w.err
	}
	l, err := w.statement.leaf(p)
	if err != nil {
		w.err = fmt.Errorf("leaf %d: %w", w.leaves, err)
		return w.err
	}
	return w.Add(l)
}

// leaf is the piece in the order that a file has, and nothing of it that the
// checker does not need. The piece is not changed.
func (s *Statement) leaf(p sdk.Piece) (*Leaf, error) {
	l := &Leaf{Box: p.Box}
	switch {
	case p.Claim == sdk.PieceOutside:
		// Several constraints together may forbid what none of them does alone,
		// which takes going down to individuals to see.
		l.Enumerated = !s.Space.HasReals()
		return l, nil
	case p.Proof == nil && (p.Claim != sdk.PieceUnfair || s.Claim.Kind != Fair) && s.few(p.Box):
		l.Enumerated = true
		return l, nil
	case p.Claim != sdk.PieceFair:
		return nil, fmt.Errorf("a piece that is %s proves nothing", p.Claim)
	case p.Proof == nil:
		return nil, errors.New("a piece without a proof; the solver must be asked for proofs, and give them")
	case p.Proof.Enumerated:
		l.Enumerated = true
		return l, nil
	}
	var of []int // the copies' indices in the piece
	for i, c := range p.Proof.Copies {
		if !s.forbidden(p.Box, c.Protected) {
			of = append(of, i)
		}
	}
	slices.SortFunc(of, func(a, b int) int { return slices.Compare(p.Proof.Copies[a].Protected, p.Proof.Copies[b].Protected) })
	for _, i := range of {
		l.Copies = append(l.Copies, p.Proof.Copies[i])
	}
	if len(l.Copies) < 2 { // no individual there has two counterfactuals: there is nothing to prove
		l.Copies = nil
		return l, nil
	}
	for i := range l.Copies {
		c := &l.Copies[i]
		c.Slopes = slices.SortedFunc(slices.Values(c.Slopes), func(a, b sdk.Slope) int {
			return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Neuron, b.Neuron))
		})
		c.Joint = slices.SortedFunc(slices.Values(c.Joint), func(a, b sdk.JointSlope) int {
			return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Neuron, b.Neuron))
		})
	}
	for _, c := range p.Proof.Cases {
		for _, side := range []*sdk.CaseSide{&c.First, &c.Second} {
			var copies []int
			for i, from := range of {
				if slices.Contains(side.Copies, from) {
					copies = append(copies, i)
				}
			}
			side.Copies = copies
		}
		if len(c.First.Copies) > 0 && len(c.Second.Copies) > 0 {
			l.Cases = append(l.Cases, c)
		}
	}
	return l, nil
}

// forbidden reports that a constraint forbids the combination of protected values
// at every individual of the box.
func (s *Statement) forbidden(box space.Box, protected []float64) bool {
	of := s.Space.Protected()
	return slices.ContainsFunc(s.Space.Forbidden, func(p space.Predicate) bool {
		return !slices.ContainsFunc(p, func(c space.Condition) bool {
			if k := slices.Index(of, c.Feature); k >= 0 {
				return k >= len(protected) || !c.Holds(protected[k])
			}
			return !everywhere(&c, box[c.Feature])
		})
	})
}

// everywhere reports that a condition holds on a whole interval.
func everywhere(c *space.Condition, iv space.Interval) bool {
	if c.Set == nil {
		return c.Interval.Contains(iv.Lo) && c.Interval.Contains(iv.Hi)
	}
	for v := iv.Lo; v <= iv.Hi; v++ {
		if !c.Holds(v) {
			return false
		}
	}
	return true
}

// few reports a box of at most 4096 points, about what a solver goes through
// one by one.
func (s *Statement) few(box space.Box) bool {
	points := 1.0
	for i := range box {
		if f := &s.Space.Features[i]; !f.IsProtected() {
			if !f.Discrete() && box[i].Lo < box[i].Hi {
				return false
			}
			points *= box[i].Hi - box[i].Lo + 1
		}
	}
	return points <= 4096
}
