package frompb

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/space"
)

// Pieces converts parts of a region and refuses those that are malformed in
// themselves. Whether they fit their problem is the client's to check.
func Pieces(m *solverv1.Pieces) ([]sdk.Piece, error) {
	return each(m.GetPieces(), "piece", piece)
}

func piece(m *solverv1.Piece) (p sdk.Piece, err error) {
	if err := enum(m.GetClaim()); err != nil {
		return p, err
	}
	p.Claim = sdk.PieceClaim(m.Claim)
	if len(m.Lo) != len(m.Hi) {
		return p, fmt.Errorf("%d lower and %d upper ends", len(m.Lo), len(m.Hi))
	}
	p.Box = make(space.Box, len(m.Lo))
	for i := range p.Box {
		p.Box[i] = space.Interval{Lo: m.Lo[i], Hi: m.Hi[i]}
		if !finite(m.Lo[i]) || !finite(m.Hi[i]) || p.Box[i].Empty() {
			return p, fmt.Errorf("its side at feature %d is from %v to %v", i, m.Lo[i], m.Hi[i])
		}
	}
	if p.Fair, err = count(m.Fair); err != nil {
		return p, fmt.Errorf("fair individuals: %w", err)
	}
	if p.Unfair, err = count(m.Unfair); err != nil {
		return p, fmt.Errorf("unfair individuals: %w", err)
	}
	if m.Proof != nil {
		p.Proof = &sdk.Proof{Enumerated: m.Proof.Enumerated}
		p.Proof.Copies, err = each(m.Proof.Copies, "copy", copyProof)
	}
	return p, err
}

func copyProof(m *solverv1.CopyProof) (c sdk.CopyProof, err error) {
	if c.Protected, err = point(m.GetProtected()); err != nil {
		return c, err
	}
	if c.Logit, err = interval(m.GetLogit()); err != nil {
		return c, err
	}
	if c.Logit.Empty() {
		return c, fmt.Errorf("logit from %v to %v", c.Logit.Lo, c.Logit.Hi)
	}
	n := len(m.GetSlopes())
	if len(m.GetLayers()) != n || len(m.GetNeurons()) != n {
		return c, fmt.Errorf("%d slopes of %d neurons in %d layers", n, len(m.GetNeurons()), len(m.GetLayers()))
	}
	for i, value := range m.GetSlopes() {
		s := sdk.Slope{Layer: int(m.Layers[i]), Neuron: int(m.Neurons[i]), Value: value}
		if s.Layer < 0 || s.Neuron < 0 || !(value >= 0 && value <= 1) {
			return c, fmt.Errorf("slope %v of neuron %d of layer %d", value, s.Neuron, s.Layer)
		}
		c.Slopes = append(c.Slopes, s)
	}
	if n = len(m.GetJointLayers()); len(m.GetJointNeurons()) != n || len(m.GetJointOwn()) != n || len(m.GetJointOther()) != n {
		return c, fmt.Errorf("%d and %d joint slopes of %d neurons in %d layers", len(m.GetJointOwn()), len(m.GetJointOther()), len(m.GetJointNeurons()), n)
	}
	for i, own := range m.GetJointOwn() {
		s := sdk.JointSlope{Layer: int(m.JointLayers[i]), Neuron: int(m.JointNeurons[i]), Own: own, Other: m.JointOther[i]}
		if s.Layer < 0 || s.Neuron < 0 || !finite(s.Own) || !finite(s.Other) {
			return c, fmt.Errorf("joint slopes %v and %v of neuron %d of layer %d", s.Own, s.Other, s.Neuron, s.Layer)
		}
		c.Joint = append(c.Joint, s)
	}
	if c.Up, c.Down = m.GetUp(), m.GetDown(); !(c.Up >= 0 && c.Up <= 1 && c.Down >= 0 && c.Down <= 1) {
		return c, fmt.Errorf("weights %v and %v of two logits", c.Up, c.Down)
	}
	return c, nil
}

// Shares converts what is proved of a region and refuses shares that cannot
// be; nil stays nil.
func Shares(m *solverv1.Shares) (*sdk.Shares, error) {
	if m == nil {
		return nil, nil
	}
	s := &sdk.Shares{Boxes: m.Boxes}
	if s.Boxes < 0 {
		return nil, fmt.Errorf("%d boxes", s.Boxes)
	}
	var err error
	if s.Fair, err = share(m.Fair); err != nil {
		return nil, fmt.Errorf("fair share: %w", err)
	}
	if s.Unfair, err = share(m.Unfair); err != nil {
		return nil, fmt.Errorf("unfair share: %w", err)
	}
	if sum := new(big.Rat).Add(s.Fair, s.Unfair); sum.Cmp(one) > 0 {
		return nil, fmt.Errorf("the shares sum to %s", sum.FloatString(9))
	}
	if s.Individuals, err = count(m.Individuals); err != nil {
		return nil, fmt.Errorf("individuals: %w", err)
	}
	return s, nil
}

var one = big.NewRat(1, 1)

func share(m *problemv1.Number) (*big.Rat, error) {
	r, err := rat(m)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("absent")
	case r.Sign() < 0 || r.Cmp(one) > 0:
		return nil, fmt.Errorf("%s is not from 0 to 1", r.FloatString(9))
	}
	return r, nil
}

// count converts a non-negative integer; nil stays nil.
func count(m *problemv1.Number) (*big.Int, error) {
	r, err := rat(m)
	if err != nil || r == nil {
		return nil, err
	}
	if !r.IsInt() || r.Sign() < 0 {
		return nil, errors.New("it is not a number of people")
	}
	return r.Num(), nil
}
