// Package certificate defines the file format of proofs about models. A file holds the
// claim, the model and the space that it is about, and the leaves: boxes that make up the
// region, each with what proves the claim there. Nothing else is needed to check the
// proof; `hyfair check` does, in exact arithmetic. docs/reference/certificates.md
// describes the format field by field.
//
// A file consists of lines of JSON, compressed if its name ends in .gz. It is written and
// read leaf by leaf: neither side ever holds more than a line of it, which may have 64
// MiB.
package certificate

import (
	"math/big"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// Statement says what a certificate claims, and about which model and space. It is
// read-only once it has been handed over.
type Statement struct {
	// Producer is the program that wrote the certificate, Study the name of the study.
	// Both are for human readers and may be empty.
	Producer, Study string
	// Version of the format by whose rules the leaves are checked; 0 means the first version
	// with which certificates of the model can be written.
	Version int
	// Network or Trees is the model; the other one is nil.
	Network *relu.Network
	Trees   *trees.Ensemble
	Space   *space.Space
	// Region bounds the claim; the zero value means the whole space.
	Region space.Region
	Notion fairness.Notion
	// Rule is that of the decisions, for the notion Decision; else the zero value.
	Rule fairness.Rule
	// Bands, if any, are the bins that MaxK counts.
	Bands fairness.Bands
	// Epsilon is ε, exact. It may be nil if neither the notion nor the claim uses it.
	Epsilon *big.Rat
	// The claim is about the individuals for which every predicate of Require, and none
	// of Forbid, holds. Their conditions are on features that are not protected.
	Require, Forbid []space.Predicate
	Claim           Claim
}

// ClaimKind says what is claimed of every individual of the region.
type ClaimKind uint8

const (
	// Fair claims that the individual is treated fairly in the words of the notion.
	Fair ClaimKind = iota + 1
	// Gap claims that the gap, or the margin of a decision notion, is at most Claim.Bound.
	Gap
	// MaxK claims that the scores fall into at most Claim.K bins.
	MaxK
)

// String returns the name used in the file.
func (k ClaimKind) String() string { return named.Of(k, "fair", "gap", "max-k") }

// Claim is what is claimed of every individual of the region. The zero value
// claims nothing and is refused, except by Create.
type Claim struct {
	Kind ClaimKind
	// Bound of the gap or margin, exact, in the notion's unit. For Gap only.
	Bound *big.Rat
	// K is the largest number of bins; for MaxK only.
	K int
}

// Leaf is a box of the region with a proof of the claim in it.
type Leaf struct {
	// Box is indexed by feature; entries of protected features are ignored.
	Box space.Box
	// Enumerated leaves the proof to the checker, which splits the box down to single
	// individuals if it must. Such a leaf has no copies.
	Enumerated bool
	// Copies has an entry for each protected combination of the region, in lexicographic order
	// of the protected values; combinations that are forbidden on the entire box may be missing.
	// Slopes are in order of layer and neuron. A logit with infinite ends states nothing; the
	// checker then uses its own bounds. For a neuron that is not listed and whose sign it finds
	// open, the checker picks the slope. Joint slopes and tangents are only in leaves with two
	// copies. If Copies is nil, the checker bounds all copies in its own way, as it always does
	// for trees.
	Copies []sdk.CopyProof
	// Cases prove the claim, for scores, for the pairs of copies whose bounds leave it open.
	Cases []sdk.CaseProof
}

// Model returns the model of the statement, nil if none is set.
func (s *Statement) Model() model.Model {
	switch {
	case s.Network != nil:
		return s.Network
	case s.Trees != nil:
		return s.Trees
	}
	return nil
}

// version returns Version, or if that is 0 the version that the contents are written in.
func (s *Statement) version() int {
	switch {
	case s.Version != 0:
		return s.Version
	case s.names():
		return Version
	case s.Network != nil:
		return 3
	}
	return 1
}

// names reports whether the statement names bands, or a rule other than the default one, a score above ½.
func (s *Statement) names() bool { return s.Bands != nil || !s.Rule.IsDefault() }

// RegionOrWhole returns the statement's region, or the entire space if none is set.
func (s *Statement) RegionOrWhole() space.Region {
	if s.Region.Box == nil {
		return s.Space.Whole()
	}
	return s.Region
}
