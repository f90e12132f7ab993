// Package engine answers whether a network is individually fair: it bounds the network, lowers
// the question, asks a solver, replays the answer in exact arithmetic, and concludes. A solver
// claims; only this package concludes.
package engine

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Verdict is the host's conclusion.
type Verdict uint8

const (
	// Undecided is neither proved nor refuted. It is the zero value.
	Undecided Verdict = iota
	// Fair is proved, to the grade of Report.Grade.
	Fair
	// Unfair is refuted by a replayed witness.
	Unfair
)

// String gives the name used in reports and JSON.
func (v Verdict) String() string {
	switch v {
	case Fair:
		return "fair"
	case Unfair:
		return "unfair"
	case Undecided:
		return "undecided"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// Method says how a region was decided.
type Method string

// The methods, as reported under partitions.by.
const (
	ByBounds      Method = "bounds"      // the enclosure of the logits sufficed
	BySolver      Method = "solver"      // a solver's claim, replayed or graded
	BySampling    Method = "sampling"    // a point that the host itself found
	ByEnumeration Method = "enumeration" // every individual evaluated exactly
)

// Report is the outcome of one Run.
type Report struct {
	Verdict Verdict
	// Nobody: the constraints leave no individual in the region. The verdict is Fair, vacuously,
	// and all numbers are unset.
	Nobody bool
	// Grade of the proof if the verdict is Fair.
	Grade sdk.Grade
	// Tolerance, in the notion's unit: a numerical Fair means gap ≤ ε +
	// Tolerance. ToleranceFormula says where it comes from.
	Tolerance        float64
	ToleranceFormula string
	// Witness of Unfair; with Options.Maximise the worst one found, which for a Fair verdict
	// has a gap of at most ε. nil if no witness was replayed.
	Witness *individual.Witness
	// Bound: no individual has a larger gap or margin, to the grade BoundGrade
	// and BoundTolerance (the notion's unit).
	Bound          float64
	HasBound       bool
	BoundGrade     sdk.Grade
	BoundTolerance float64
	// Closed: the search for the largest gap ended by proof, not by a limit. The witness's gap
	// and Bound are at most 10⁻⁶ or the solver's tolerance apart, and at most a thousandth of
	// the gap (10⁻¹², if that is more), unless Options.Gap allows more. Without a witness,
	// nothing exceeds Bound.
	Closed bool
	// Spurious counts points that a solver claimed and the replay refused.
	Spurious int
	// Refinements counts the tangents added at points that the linear description of the
	// sigmoid still allowed.
	Refinements int
	// Regions counts the regions decided, by method.
	Regions map[Method]int
	// Splits counts regions cut in two because the solver's tolerance left them
	// open.
	Splits int
	// Solves counts the questions put to the solver, Nodes their work.
	Solves int
	Nodes  int64
	// By names the member of a portfolio whose proof or witness counted; empty for a solver
	// alone.
	By string
	// Reason says in words why the verdict is Undecided or the maximum not closed. Faults lists
	// what was wrong with a solver's answers.
	Reason string
	Faults []string
	// Refuted lists those faults that are claims refuted by an evaluated individual.
	Refuted []Refutation
}

// Refutation is a claim of a solver that an evaluated individual refutes.
type Refutation struct {
	// Text describes the fault: what was claimed, and what was evaluated.
	Text string
	// Grade is the solver's. The claim is about Region.
	Grade  sdk.Grade
	Region space.Region
	// Witness has a margin above Limit, the claimed bound of the region; nil if the claim is of
	// another kind, such as an invalid witness.
	Witness *individual.Witness
	Limit   float64
}

// Texts returns the texts of refutations.
func Texts(list []Refutation) (texts []string) {
	for i := range list {
		texts = append(texts, list[i].Text)
	}
	return texts
}
