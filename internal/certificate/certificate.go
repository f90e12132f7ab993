// Package certificate is the file format in which a proof about a model is
// handed on: what is claimed, the model and the space it is claimed of, and
// the leaves, which are boxes that make up the region, each with what settles
// it. Nothing else is needed to check the proof; `hyfair check` does, in exact
// arithmetic. docs/reference/certificates.md describes the format field by field.
//
// A file is lines of JSON, compressed where its name ends in .gz. It is
// written leaf by leaf and read leaf by leaf: neither side ever holds more
// than a line of it, which may have 64 MiB.
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

// Statement is what a certificate is about and what it claims. It is read-only
// once it has been handed over.
type Statement struct {
	// Producer is what wrote the certificate, Study the name of the study; both
	// are for people and may be empty.
	Producer, Study string
	// Version of the format by whose rules the leaves are checked; 0: the first that has what
	// certificates of the model are written with.
	Version int
	// Network or Trees is the model; the other one is nil.
	Network *relu.Network
	Trees   *trees.Ensemble
	Space   *space.Space
	// Region bounds the claim; the zero value means the whole space.
	Region space.Region
	Notion fairness.Notion
	// Epsilon is ε, exact. It may be nil where neither the notion nor the claim
	// uses it.
	Epsilon *big.Rat
	// The claim is about the individuals at which every predicate of Require,
	// and none of Forbid, holds. Their conditions are on non-protected features.
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

// String gives the name used in the file.
func (k ClaimKind) String() string { return named.Of(k, "fair", "gap", "max-k") }

// Claim is what is claimed of every individual of the region. The zero value
// claims nothing and is refused, except by Create.
type Claim struct {
	Kind ClaimKind
	// Bound of the gap or margin, exact; for Gap only. In the notion's unit.
	Bound *big.Rat
	// K is the largest number of bins; for MaxK only.
	K int
}

// Leaf is a box of the region with what settles it.
type Leaf struct {
	// Box is indexed by feature; entries of protected features are ignored.
	Box space.Box
	// Enumerated leaves the whole work to the checker, which goes down to single
	// individuals where it must: nothing is said of the copies.
	Enumerated bool
	// Copies has an entry for each protected combination of the region, except
	// that those forbidden on the whole box may be missing, in lexicographic
	// order of the protected values; slopes are in order of layer and neuron. A
	// logit with infinite ends states nothing: what the checker finds itself
	// counts then. The checker picks the slope of a neuron that is not listed and
	// whose sign it finds open. Joint slopes and tangents are of leaves with two copies. nil: it
	// bounds all copies in its own way, as it always does where the model is trees.
	Copies []sdk.CopyProof
	// Cases are about pairs of the copies, of scores: those whose bounds leave the claim open.
	Cases []sdk.CaseProof
}

// Model is what the statement is about, nil where that is not set.
func (s *Statement) Model() model.Model {
	switch {
	case s.Network != nil:
		return s.Network
	case s.Trees != nil:
		return s.Trees
	}
	return nil
}

// version returns the statement's version, or else the one that its contents are written in.
func (s *Statement) version() int {
	switch {
	case s.Version != 0:
		return s.Version
	case s.Network != nil:
		return Version
	}
	return 1
}

// RegionOrWhole is the statement's region, or the whole space where none is set.
func (s *Statement) RegionOrWhole() space.Region {
	if s.Region.Box == nil {
		return s.Space.Whole()
	}
	return s.Region
}
