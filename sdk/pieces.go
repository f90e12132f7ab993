package sdk

import (
	"math/big"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/space"
)

// Shares says which part of a region's individuals is proved to be treated
// fairly, and which is proved not to be; the rest is undecided. Individuals are
// the points of the region's box that have a counterfactual and fulfil what the
// query requires; one with a single counterfactual is treated fairly.
type Shares struct {
	// Fair and Unfair are proved lower bounds, 0 to 1, of a sum of at most 1. In a
	// space with real features they are shares of the volume.
	Fair, Unfair *big.Rat
	// Individuals is the number of individuals of the region, nil where it is not
	// known or there are real features.
	Individuals *big.Int
	// Boxes counts those looked at.
	Boxes int64
}

// PieceClaim is what a solver claims of a piece of the region, in words of the
// query: its notion, ε and K.
type PieceClaim uint8

const (
	// PieceFair claims that every individual is treated fairly, or for the goals with a bound
	// stays within it.
	PieceFair PieceClaim = iota + 1
	// PieceUnfair claims that every individual violates.
	PieceUnfair
	// PieceUndecided claims the numbers of the piece as lower bounds.
	PieceUndecided
	// PieceOutside claims that no individual is asked about here: the constraints allow no
	// counterfactual, or what the query requires does not hold.
	PieceOutside
)

// PieceClaims lists every claim in order.
var PieceClaims = []PieceClaim{PieceFair, PieceUnfair, PieceUndecided, PieceOutside}

// String gives the name used in messages and JSON.
func (c PieceClaim) String() string { return named.Of(c, "fair", "unfair", "undecided", "outside") }

// Piece is a box of the region and what is known of it.
type Piece struct {
	Box   space.Box
	Claim PieceClaim
	// Fair and Unfair count the individuals of the box proved to be treated so; nil
	// where a feature is real.
	Fair, Unfair *big.Int
	// Proof is there where SolveOptions.Proofs asked for it and the piece is fair.
	Proof *Proof
}

// Proof is what a checker needs to verify a piece for itself.
type Proof struct {
	// Enumerated: every individual of the box was evaluated exactly.
	Enumerated bool
	// Copies has the bounds of the combinations that may be allowed in the box.
	Copies []CopyProof
	// Cases, of a network, are proofs by cases of ReLUs, of pairs of copies that their bounds alone leave open.
	Cases []CaseProof
}

// CopyProof is the bounds of one protected combination's logit over a box.
type CopyProof struct {
	// Protected holds the values of the protected features, in the features' order.
	Protected []float64
	Logit     space.Interval
	// Slopes are those of the neurons whose sign is open: with l and u bounds of the
	// neuron's value and λ its slope, λ·y ≤ max(0, y) ≤ λ·y + max(−λ·l, (1−λ)·u).
	// All others are bounded with what the sign of their bounds gives.
	Slopes []Slope
	// Joint, of a box with two copies, are slopes by which the difference of their logits is bounded as one,
	// this copy's less the other's; nil where it is not needed.
	Joint []JointSlope
	// Up and Down go with Joint where scores are compared: Up·(this logit) − Down·(the other) is too small
	// for a larger gap. Both are 0 where f(this) − f(other) is.
	Up, Down float64
}

// Slope is the λ of a neuron, between 0 and 1.
type Slope struct {
	Layer, Neuron int
	Value         float64
}

// JointSlope bounds a neuron with the values x in one copy and y in the other: with α and β for
// what max(0, x) and max(0, y) are multiplied by on the way to the difference of the logits,
// α·max(0, x) + β·max(0, y) is at most Own·x + Other·y and what the checker finds to be left.
type JointSlope struct {
	Layer, Neuron int
	Own, Other    float64
}

// CaseProof proves by cases of ReLUs, of each pair of a copy of First and one of Second, that in the whole box the first's score is not
// above the second's by more than is claimed; or where bins are counted, that the second's is not in the bin with the index Bin and the
// first's as many bins higher as would be too many.
type CaseProof struct {
	First, Second CaseSide
	Bin           int
	// Steps are a tree in preorder: a branch (CaseReLU or CaseCut) precedes its two subtrees.
	Steps []CaseStep
}

// CaseSide is copies that are seen as one, each neuron between the least and the greatest of any.
type CaseSide struct {
	// Copies are indices of the proof's copies.
	Copies []int
	// Neurons are those of whose value more is said than that it is max(0, y), in increasing order.
	Neurons []Neuron
}

// Neuron is one with a ReLU.
type Neuron struct{ Layer, Index int }

// CaseStep is a node of a tree of cases.
type CaseStep struct {
	Kind CaseKind
	// ReLU, of a CaseReLU, is an index of the first side's neurons and behind them the second's: first comes the case that its sum is
	// not negative, then that it is not positive.
	ReLU int
	// Feature and At are of a CaseCut of a discrete feature: first come the values up to At, then those above.
	Feature int
	At      float64
	// Up, Down and Slopes are of a CaseEnd: Up·(the first's logit) − Down·(the second's) is less than what it would have to be, which shows as it is
	// substituted back to the inputs, each neuron by its slope, one for each of both sides' in order: see JointSlope.
	Up, Down float64
	Slopes   []float64
}

// CaseKind says what a CaseStep is.
type CaseKind uint8

const (
	// CaseEnd claims that the case contains no pair, as Up, Down and Slopes show.
	CaseEnd CaseKind = iota + 1
	// CaseReLU branches on the sign of a ReLU's input.
	CaseReLU
	// CaseCut cuts a feature's values in two.
	CaseCut
)
