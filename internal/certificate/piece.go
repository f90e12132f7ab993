package certificate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// AddPiece writes a piece that a solver has settled as a leaf. It returns an error if the piece is
// not proved to be as the claim says, or comes without its proof: no certificate is possible then.
// There is an exception: a piece of few individuals without a proof is left to the checker. Under a
// claim of a bound this includes an unfair piece, since unfair refers to ε.
//
// With a solver's slopes, joint ones included, the checker's bounds are at least as tight as any
// that are propagated through the layers in the same way. A solver may have bounds from elsewhere:
// from the parent box, or for several copies as one. It must follow them by bounds from the slopes
// alone.
//
// A leaf's slopes may come from a linear program's multipliers. Let its variables be the inputs and
// each open ReLU's value z, let y be the ReLU's argument, and let λᵢ ≥ 0 multiply row i, which
// contains gᵢ·y (in z − y ≥ 0, gᵢ = −1). Then Σλᵢgᵢ is the slope, and the weights are the
// multipliers' combination of the required rows of the logits. If the multipliers refute the program,
// and its rows hold for all values in the checker's ranges, the checker's bound is not above theirs.
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

// leaf returns the piece in the order that a file has, with only what the checker needs.
// It does not change the piece.
func (s *Statement) leaf(p sdk.Piece) (*Leaf, error) {
	l := &Leaf{Box: p.Box}
	switch {
	case p.Claim == sdk.PieceOutside:
		// Several constraints together may forbid what none of them does alone. Only
		// single individuals show that.
		l.Enumerated = !s.Space.HasReals()
		return l, nil
	case p.Proof == nil && (p.Claim != sdk.PieceUnfair || s.Claim.Kind != Fair) && s.few(p.Box):
		l.Enumerated = true
		return l, nil
	case p.Claim != sdk.PieceFair:
		return nil, fmt.Errorf("the solver calls a piece %s; only a fair one proves the claim", p.Claim)
	case p.Proof == nil:
		return nil, errors.New("the solver gave a piece without a proof; ask for proofs, with a solver that gives them")
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
		if !s.Rule.IsDefault() { // the solver's logits are a constant smaller
			c.Logit = space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
		}
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

// forbidden reports whether a constraint forbids the combination of protected values for
// every individual of the box.
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

// everywhere reports whether a condition holds on an entire interval.
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

// few reports whether a box has at most 4096 points, about as many as a solver evaluates
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
