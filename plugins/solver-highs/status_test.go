package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
)

// Every status of HiGHS up to 1.15 (lp_data/HConst.h), in its order, and some
// beyond.
func TestClaimOfEveryNativeStatus(t *testing.T) {
	want := []struct {
		status sdk.Status
		reason sdk.Reason
	}{
		{sdk.Unknown, sdk.Other},       // kNotset
		{sdk.Unknown, sdk.Other},       // kLoadError
		{sdk.Unknown, sdk.Other},       // kModelError
		{sdk.Unknown, sdk.Other},       // kPresolveError
		{sdk.Unknown, sdk.Numerical},   // kSolveError
		{sdk.Unknown, sdk.Numerical},   // kPostsolveError
		{sdk.Optimal, sdk.NoReason},    // kModelEmpty
		{sdk.Optimal, sdk.NoReason},    // kOptimal
		{sdk.Infeasible, sdk.NoReason}, // kInfeasible
		{sdk.Unknown, sdk.Other},       // kUnboundedOrInfeasible
		{sdk.Unknown, sdk.Other},       // kUnbounded
		{sdk.Unknown, sdk.Other},       // kObjectiveBound
		{sdk.Unknown, sdk.Other},       // kObjectiveTarget
		{sdk.Unknown, sdk.TimeLimit},   // kTimeLimit
		{sdk.Unknown, sdk.WorkLimit},   // kIterationLimit
		{sdk.Unknown, sdk.Numerical},   // kUnknown
		{sdk.Unknown, sdk.WorkLimit},   // kSolutionLimit
		{sdk.Unknown, sdk.Interrupted}, // kInterrupt
		{sdk.Unknown, sdk.MemoryLimit}, // kMemoryLimit
		{sdk.Unknown, sdk.Other},       // kHighsInterrupt
	}
	if len(want) != len(claims) {
		t.Fatalf("%d statuses mapped, %d known", len(claims), len(want))
	}
	names := map[string]bool{}
	for code, w := range want {
		c := claimOf(code)
		if c.status != w.status || c.reason != w.reason {
			t.Errorf("status %d: %v, %v; want %v, %v", code, c.status, c.reason, w.status, w.reason)
		}
		if c.native == "" || names[c.native] {
			t.Errorf("status %d: native text %q is empty or not its own", code, c.native)
		}
		names[c.native] = true
	}
	for _, code := range []int{-1, len(want), 99} {
		if c := claimOf(code); c.status != sdk.Unknown || c.reason != sdk.Other || c.native == "" {
			t.Errorf("status %d: %+v, want Unknown, Other", code, c)
		}
	}
}
