package frompb

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/space"
)

// Pieces converts pieces of a region and refuses malformed ones. The client checks
// whether they fit the problem.
func Pieces(m *solverv1.Pieces) ([]sdk.Piece, error) {
	return each(m.GetPieces(), "piece", piece)
}

func piece(m *solverv1.Piece) (p sdk.Piece, err error) {
	if err := enum(m.GetClaim()); err != nil {
		return p, err
	}
	p.Claim = sdk.PieceClaim(m.Claim)
	if len(m.Lo) != len(m.Hi) {
		return p, fmt.Errorf("%d lower and %d upper ends: want equally many", len(m.Lo), len(m.Hi))
	}
	p.Box = make(space.Box, len(m.Lo))
	for i := range p.Box {
		p.Box[i] = space.Interval{Lo: m.Lo[i], Hi: m.Hi[i]}
		if !finite(m.Lo[i]) || !finite(m.Hi[i]) || p.Box[i].Empty() {
			return p, fmt.Errorf("its side at feature %d is from %v to %v: want finite ends in ascending order", i, m.Lo[i], m.Hi[i])
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
		if p.Proof.Copies, err = each(m.Proof.Copies, "copy", copyProof); err == nil {
			p.Proof.Cases, err = each(m.Proof.Cases, "cases", caseProof)
		}
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
		return c, fmt.Errorf("logit from %v to %v: want the lower end first", c.Logit.Lo, c.Logit.Hi)
	}
	n := len(m.GetSlopes())
	if len(m.GetLayers()) != n || len(m.GetNeurons()) != n {
		return c, fmt.Errorf("%d slopes of %d neurons in %d layers: want equally many", n, len(m.GetNeurons()), len(m.GetLayers()))
	}
	for i, value := range m.GetSlopes() {
		s := sdk.Slope{Layer: int(m.Layers[i]), Neuron: int(m.Neurons[i]), Value: value}
		if s.Layer < 0 || s.Neuron < 0 || !(value >= 0 && value <= 1) {
			return c, fmt.Errorf("slope %v of neuron %d of layer %d: want a slope from 0 to 1, and no negative index", value, s.Neuron, s.Layer)
		}
		c.Slopes = append(c.Slopes, s)
	}
	if n = len(m.GetJointLayers()); len(m.GetJointNeurons()) != n || len(m.GetJointOwn()) != n || len(m.GetJointOther()) != n {
		return c, fmt.Errorf("%d and %d joint slopes of %d neurons in %d layers: want equally many", len(m.GetJointOwn()), len(m.GetJointOther()), len(m.GetJointNeurons()), n)
	}
	for i, own := range m.GetJointOwn() {
		s := sdk.JointSlope{Layer: int(m.JointLayers[i]), Neuron: int(m.JointNeurons[i]), Own: own, Other: m.JointOther[i]}
		if s.Layer < 0 || s.Neuron < 0 || !finite(s.Own) || !finite(s.Other) {
			return c, fmt.Errorf("joint slopes %v and %v of neuron %d of layer %d: want finite slopes, and no negative index", s.Own, s.Other, s.Neuron, s.Layer)
		}
		c.Joint = append(c.Joint, s)
	}
	if c.Up, c.Down = m.GetUp(), m.GetDown(); !(c.Up >= 0 && c.Up <= 1 && c.Down >= 0 && c.Down <= 1) {
		return c, fmt.Errorf("weights %v and %v of two logits: want 0 to 1", c.Up, c.Down)
	}
	return c, nil
}

func caseProof(m *solverv1.CaseProof) (c sdk.CaseProof, err error) {
	if c.Bin = int(m.GetBin()); c.Bin < 0 {
		return c, fmt.Errorf("bin %d: want 0 or more", c.Bin)
	}
	if c.First, err = caseSide(m.GetFirst()); err == nil {
		c.Second, err = caseSide(m.GetSecond())
	}
	if err == nil {
		c.Steps, err = each(m.GetSteps(), "step", caseStep)
	}
	return c, err
}

func caseSide(m *solverv1.CaseSide) (s sdk.CaseSide, err error) {
	for _, c := range m.GetCopies() {
		if c < 0 {
			return s, fmt.Errorf("copy %d: want 0 or more", c)
		}
		s.Copies = append(s.Copies, int(c))
	}
	if len(m.GetLayers()) != len(m.GetNeurons()) {
		return s, fmt.Errorf("%d neurons in %d layers: want equally many", len(m.GetNeurons()), len(m.GetLayers()))
	}
	for i, layer := range m.GetLayers() {
		n := sdk.Neuron{Layer: int(layer), Index: int(m.Neurons[i])}
		if n.Layer < 0 || n.Index < 0 {
			return s, fmt.Errorf("neuron %d of layer %d: want 0 or more for both", n.Index, n.Layer)
		}
		s.Neurons = append(s.Neurons, n)
	}
	return s, nil
}

func caseStep(m *solverv1.CaseStep) (s sdk.CaseStep, err error) {
	switch of := m.GetStep().(type) {
	case *solverv1.CaseStep_Relu:
		if s.Kind, s.ReLU = sdk.CaseReLU, int(of.Relu); s.ReLU < 0 {
			return s, fmt.Errorf("cases of neuron %d: want 0 or more", s.ReLU)
		}
	case *solverv1.CaseStep_Cut:
		s.Kind, s.Feature, s.At = sdk.CaseCut, int(of.Cut.GetFeature()), of.Cut.GetAt()
		if s.Feature < 0 || !finite(s.At) {
			return s, fmt.Errorf("feature %d cut at %v: want 0 or more, and a finite cut", s.Feature, s.At)
		}
	case *solverv1.CaseStep_End:
		s.Kind, s.Up, s.Down, s.Slopes = sdk.CaseEnd, of.End.GetUp(), of.End.GetDown(), of.End.GetSlopes()
		if !(s.Up >= 0 && s.Down >= 0) || !finite(s.Up) || !finite(s.Down) || slices.ContainsFunc(s.Slopes, func(v float64) bool { return !finite(v) }) {
			return s, fmt.Errorf("weights %v and %v of two logits, slopes %v: want finite numbers, and no negative weight", s.Up, s.Down, s.Slopes)
		}
	default:
		return s, errors.New("neither a ReLU, nor a cut, nor an end")
	}
	return s, nil
}

// Shares converts proven shares of a region and refuses impossible ones; nil stays
// nil.
func Shares(m *solverv1.Shares) (*sdk.Shares, error) {
	if m == nil {
		return nil, nil
	}
	s := &sdk.Shares{Boxes: m.Boxes}
	if s.Boxes < 0 {
		return nil, fmt.Errorf("%d boxes: want 0 or more", s.Boxes)
	}
	var err error
	if s.Fair, err = share(m.Fair); err != nil {
		return nil, fmt.Errorf("fair share: %w", err)
	}
	if s.Unfair, err = share(m.Unfair); err != nil {
		return nil, fmt.Errorf("unfair share: %w", err)
	}
	if sum := new(big.Rat).Add(s.Fair, s.Unfair); sum.Cmp(one) > 0 {
		return nil, fmt.Errorf("the shares sum to %s: want at most 1", sum.FloatString(9))
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
		return nil, errors.New("the count is not an integer of 0 or more")
	}
	return r.Num(), nil
}
