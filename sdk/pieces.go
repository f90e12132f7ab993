package sdk

import (
	"math/big"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/space"
)

// Shares says which part of a region's individuals is proved to be treated
// fairly, and which part unfairly; the rest is undecided. Individuals are the points
// of the region's box that have a counterfactual and satisfy the query's predicates;
// an individual with a single counterfactual is treated fairly.
type Shares struct {
	// Fair and Unfair are proved lower bounds from 0 to 1, with a sum of at most 1. In
	// a space with real features they are shares of the volume.
	Fair, Unfair *big.Rat
	// Individuals is the number of individuals of the region; nil if it is not known
	// or there are real features.
	Individuals *big.Int
	// Boxes counts the boxes that the solver processed.
	Boxes int64
}

// PieceClaim is a solver's claim about a piece of the region, for the query's notion,
// ε and K.
type PieceClaim uint8

const (
	// PieceFair claims that every individual is treated fairly or, for goals with a bound,
	// stays within the bound.
	PieceFair PieceClaim = iota + 1
	// PieceUnfair claims that every individual violates: see problem.Query.Violates.
	PieceUnfair
	// PieceUndecided claims only that the piece's counts are lower bounds.
	PieceUndecided
	// PieceOutside claims that the piece has no individuals: the constraints allow no
	// counterfactual, or the query's predicates exclude all points.
	PieceOutside
)

// PieceClaims lists every claim in order.
var PieceClaims = []PieceClaim{PieceFair, PieceUnfair, PieceUndecided, PieceOutside}

// String gives the name used in messages and JSON.
func (c PieceClaim) String() string { return named.Of(c, "fair", "unfair", "undecided", "outside") }

// Piece is a box of the region with a claim about it.
type Piece struct {
	Box   space.Box
	Claim PieceClaim
	// Fair and Unfair count the individuals of the box that are proved to be treated
	// fairly and unfairly; nil if a feature is real.
	Fair, Unfair *big.Int
	// Proof is set if SolveOptions.Proofs asks for it and the piece is fair.
	Proof *Proof
}

// Proof is what a checker needs to verify a piece independently.
type Proof struct {
	// Enumerated: every individual of the box was evaluated exactly.
	Enumerated bool
	// Copies holds the bounds of the combinations that may be allowed in the box.
	Copies []CopyProof
	// Cases are proofs by ReLU branching, for a network's pairs of copies that the bounds alone leave open.
	Cases []CaseProof
}

// CopyProof bounds the logit of one protected combination over a box.
type CopyProof struct {
	// Protected holds the values of the protected features, in the features' order.
	Protected []float64
	Logit     space.Interval
	// Slopes holds the slopes of unstable neurons: with l and u bounds of the neuron's
	// value and λ its slope, λ·y ≤ max(0, y) ≤ λ·y + max(−λ·l, (1−λ)·u). The sign of a
	// stable neuron's bounds decides its ReLU.
	Slopes []Slope
	// Joint, for a box with two copies, holds slopes that bound this copy's logit minus the other's as one
	// form; nil if it is not needed.
	Joint []JointSlope
	// Up and Down belong to Joint if scores are compared: Up·(this logit) − Down·(the other) is too small
	// for a larger gap. If both are 0, the difference of the logits itself is too small.
	Up, Down float64
}

// Slope is the λ of a neuron, between 0 and 1.
type Slope struct {
	Layer, Neuron int
	Value         float64
}

// JointSlope bounds a neuron with the value x in one copy and y in the other. With α and β the
// coefficients of max(0, x) and max(0, y) in the difference of the logits,
// α·max(0, x) + β·max(0, y) is at most Own·x + Other·y plus a constant that the checker computes.
type JointSlope struct {
	Layer, Neuron int
	Own, Other    float64
}

// CaseProof is a proof by ReLU branching. It holds all over the box, for each pair of a copy of First and a copy of Second: the first
// copy's score does not exceed the second copy's by more than is claimed. If bins are counted, it proves instead that the first
// copy's score is not too many bins above the second's whenever the second's is in bin Bin.
type CaseProof struct {
	First, Second CaseSide
	Bin           int
	// Steps are a tree in preorder: a branch (CaseReLU or CaseCut) precedes its two subtrees.
	Steps []CaseStep
}

// CaseSide is a set of copies that are treated as one: each neuron lies between its least and its greatest value in any of them.
type CaseSide struct {
	// Copies are indices of the proof's copies.
	Copies []int
	// Neurons lists, in increasing order, the neurons that the proof branches on or bounds by slopes.
	Neurons []Neuron
}

// Neuron identifies a neuron with a ReLU by its layer and its index in the layer.
type Neuron struct{ Layer, Index int }

// CaseStep is a node of a tree of cases.
type CaseStep struct {
	Kind CaseKind
	// ReLU, for a CaseReLU, is an index into the first side's neurons followed by the second's. The first subtree is the case that the
	// neuron's sum is not negative, the second that it is not positive.
	ReLU int
	// Feature and At belong to a CaseCut of a discrete feature. The first subtree has the values up to At, the second those above.
	Feature int
	At      float64
	// Up, Down and Slopes belong to a CaseEnd: Up·(the first's logit) − Down·(the second's) is too small for a pair. Back-substitution to the
	// inputs shows this; Slopes has one slope for each neuron of both sides, in order: see JointSlope.
	Up, Down float64
	Slopes   []float64
}

// CaseKind is the kind of a CaseStep.
type CaseKind uint8

const (
	// CaseEnd claims that the case contains no pair, as Up, Down and Slopes show.
	CaseEnd CaseKind = iota + 1
	// CaseReLU branches on the sign of a ReLU's input.
	CaseReLU
	// CaseCut cuts a feature's values in two.
	CaseCut
)
