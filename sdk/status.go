package sdk

import (
	"fmt"

	"github.com/hyfair/hyfair/internal/named"
)

// Status is a solver's claim about a problem.
type Status uint8

const (
	// Feasible means that the solver holds a point. With a Reason, it stopped before it
	// could prove the point optimal; without one, the problem has no objective, or the
	// point reaches the target.
	Feasible Status = iota + 1
	// Optimal means that the point held is optimal within the tolerances.
	Optimal
	// Infeasible means that no point exists.
	Infeasible
	// Unknown means that nothing is claimed; Reason says why.
	Unknown
)

// Statuses lists every status in order.
var Statuses = []Status{Feasible, Optimal, Infeasible, Unknown}

// String gives the name used in messages and JSON.
func (s Status) String() string {
	return named.Of(s, "feasible", "optimal", "infeasible", "unknown")
}

// Reason says why a solver stopped short of an answer.
type Reason uint8

const (
	// NoReason means that the solver did not stop short. It is the zero value.
	NoReason Reason = iota
	// TimeLimit means that SolveOptions.TimeLimit was reached.
	TimeLimit
	// WorkLimit means that SolveOptions.WorkLimit was reached.
	WorkLimit
	// MemoryLimit means that SolveOptions.Memory was reached.
	MemoryLimit
	// Interrupted means that the context was cancelled.
	Interrupted
	// Incomplete means that the method cannot decide this problem.
	Incomplete
	// Numerical means that the arithmetic failed.
	Numerical
	// Other means a reason that Result.Native and Result.Detail explain.
	Other
)

// Reasons lists every reason in order.
var Reasons = []Reason{NoReason, TimeLimit, WorkLimit, MemoryLimit, Interrupted, Incomplete, Numerical, Other}

// String gives the name used in messages and JSON; empty for NoReason.
func (r Reason) String() string {
	names := []string{"", "time limit", "work limit", "memory limit", "interrupted", "incomplete", "numerical", "other"}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Grade says what arithmetic a solver's claims rest on, from the strongest to the
// weakest. It is also the grade of a proof.
type Grade uint8

const (
	// GradeExact is rational arithmetic from end to end.
	GradeExact Grade = iota + 1
	// GradeRigorous is floating point with every rounding bounded outward.
	GradeRigorous
	// GradeNumerical is floating point up to a solver's tolerance.
	GradeNumerical
)

// String gives the name used in reports and JSON.
func (g Grade) String() string { return named.Of(g, "exact", "rigorous", "numerical") }

// Weakest returns the weaker of two grades.
func Weakest(a, b Grade) Grade { return max(a, b) }
