package topb

import (
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
)

// Piece converts a piece of a region. The message aliases the values and slopes in its proof.
func Piece(p *sdk.Piece) *solverv1.Piece {
	m := &solverv1.Piece{
		Lo: make([]float64, len(p.Box)), Hi: make([]float64, len(p.Box)),
		Claim: solverv1.PieceClaim(p.Claim),
		Fair:  count(p.Fair), Unfair: count(p.Unfair),
	}
	for i, side := range p.Box {
		m.Lo[i], m.Hi[i] = side.Lo, side.Hi
	}
	if p.Proof != nil {
		m.Proof = &solverv1.Proof{Enumerated: p.Proof.Enumerated, Copies: each(p.Proof.Copies, copyProof), Cases: each(p.Proof.Cases, caseProof)}
	}
	return m
}

func copyProof(c *sdk.CopyProof) *solverv1.CopyProof {
	m := &solverv1.CopyProof{Protected: &problemv1.Point{Values: c.Protected}, Logit: interval(&c.Logit), Up: c.Up, Down: c.Down}
	for _, s := range c.Slopes {
		m.Layers = append(m.Layers, narrow(s.Layer))
		m.Neurons = append(m.Neurons, narrow(s.Neuron))
		m.Slopes = append(m.Slopes, s.Value)
	}
	for _, s := range c.Joint {
		m.JointLayers = append(m.JointLayers, narrow(s.Layer))
		m.JointNeurons = append(m.JointNeurons, narrow(s.Neuron))
		m.JointOwn, m.JointOther = append(m.JointOwn, s.Own), append(m.JointOther, s.Other)
	}
	return m
}

func caseProof(c *sdk.CaseProof) *solverv1.CaseProof {
	return &solverv1.CaseProof{First: caseSide(&c.First), Second: caseSide(&c.Second), Bin: narrow(c.Bin), Steps: each(c.Steps, caseStep)}
}

func caseSide(s *sdk.CaseSide) *solverv1.CaseSide {
	m := &solverv1.CaseSide{}
	for _, c := range s.Copies {
		m.Copies = append(m.Copies, narrow(c))
	}
	for _, n := range s.Neurons {
		m.Layers, m.Neurons = append(m.Layers, narrow(n.Layer)), append(m.Neurons, narrow(n.Index))
	}
	return m
}

func caseStep(s *sdk.CaseStep) *solverv1.CaseStep {
	switch s.Kind {
	case sdk.CaseReLU:
		return &solverv1.CaseStep{Step: &solverv1.CaseStep_Relu{Relu: narrow(s.ReLU)}}
	case sdk.CaseCut:
		return &solverv1.CaseStep{Step: &solverv1.CaseStep_Cut{Cut: &solverv1.CaseCut{Feature: narrow(s.Feature), At: s.At}}}
	}
	return &solverv1.CaseStep{Step: &solverv1.CaseStep_End{End: &solverv1.CaseEnd{Up: s.Up, Down: s.Down, Slopes: s.Slopes}}}
}

// Shares converts proven shares of a region; nil stays nil.
func Shares(s *sdk.Shares) *solverv1.Shares {
	if s == nil {
		return nil
	}
	return &solverv1.Shares{Fair: Rat(s.Fair), Unfair: Rat(s.Unfair), Individuals: count(s.Individuals), Boxes: s.Boxes}
}

// count converts an integer; nil stays nil.
func count(n *big.Int) *problemv1.Number {
	if n == nil {
		return nil
	}
	return &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: n.String()}}
}
