package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/milptest"
)

// Every status of HiGHS up to 1.15 (lp_data/HConst.h), in its order, and some
// beyond.
func TestClaimOfEveryNativeStatus(t *testing.T) {
	milptest.Claims(t, claims, milp.Claims{
		0:  {Status: sdk.Unknown, Reason: sdk.Other},       // kNotset
		1:  {Status: sdk.Unknown, Reason: sdk.Other},       // kLoadError
		2:  {Status: sdk.Unknown, Reason: sdk.Other},       // kModelError
		3:  {Status: sdk.Unknown, Reason: sdk.Other},       // kPresolveError
		4:  {Status: sdk.Unknown, Reason: sdk.Numerical},   // kSolveError
		5:  {Status: sdk.Unknown, Reason: sdk.Numerical},   // kPostsolveError
		6:  {Status: sdk.Optimal, Reason: sdk.NoReason},    // kModelEmpty
		7:  {Status: sdk.Optimal, Reason: sdk.NoReason},    // kOptimal
		8:  {Status: sdk.Infeasible, Reason: sdk.NoReason}, // kInfeasible
		9:  {Status: sdk.Unknown, Reason: sdk.Other},       // kUnboundedOrInfeasible
		10: {Status: sdk.Unknown, Reason: sdk.Other},       // kUnbounded
		11: {Status: sdk.Unknown, Reason: sdk.Other},       // kObjectiveBound
		12: {Status: sdk.Unknown, Reason: sdk.Other},       // kObjectiveTarget
		13: {Status: sdk.Unknown, Reason: sdk.TimeLimit},   // kTimeLimit
		14: {Status: sdk.Unknown, Reason: sdk.WorkLimit},   // kIterationLimit
		15: {Status: sdk.Unknown, Reason: sdk.Numerical},   // kUnknown
		16: {Status: sdk.Unknown, Reason: sdk.WorkLimit},   // kSolutionLimit
		17: {Status: sdk.Unknown, Reason: sdk.Interrupted}, // kInterrupt
		18: {Status: sdk.Unknown, Reason: sdk.MemoryLimit}, // kMemoryLimit
		19: {Status: sdk.Unknown, Reason: sdk.Other},       // kHighsInterrupt
	})
}
