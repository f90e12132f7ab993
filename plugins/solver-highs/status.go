package main

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk"
)

// Model statuses of HiGHS that the plugin acts upon.
const (
	statusSolveError            = 4
	statusInfeasible            = 8
	statusUnboundedOrInfeasible = 9
	statusUnbounded             = 10
	statusInterrupt             = 17
)

// claim is what a native status means where HiGHS holds no point. Where it
// holds one, Unknown becomes Feasible and the reason stays.
type claim struct {
	status sdk.Status
	reason sdk.Reason
	native string
}

// claims is indexed by HighsModelStatus, complete up to HiGHS 1.15.
var claims = []claim{
	0:  {sdk.Unknown, sdk.Other, "not set"},
	1:  {sdk.Unknown, sdk.Other, "load error"},
	2:  {sdk.Unknown, sdk.Other, "model error"},
	3:  {sdk.Unknown, sdk.Other, "presolve error"},
	4:  {sdk.Unknown, sdk.Numerical, "solve error"},
	5:  {sdk.Unknown, sdk.Numerical, "postsolve error"},
	6:  {sdk.Optimal, sdk.NoReason, "empty"},
	7:  {sdk.Optimal, sdk.NoReason, "optimal"},
	8:  {sdk.Infeasible, sdk.NoReason, "infeasible"},
	9:  {sdk.Unknown, sdk.Other, "primal infeasible or unbounded"},
	10: {sdk.Unknown, sdk.Other, "unbounded"},
	11: {sdk.Unknown, sdk.Other, "bound on objective reached"},
	12: {sdk.Unknown, sdk.Other, "target for objective reached"},
	13: {sdk.Unknown, sdk.TimeLimit, "time limit reached"},
	14: {sdk.Unknown, sdk.WorkLimit, "iteration limit reached"},
	15: {sdk.Unknown, sdk.Numerical, "unknown"},
	16: {sdk.Unknown, sdk.WorkLimit, "solution limit reached"},
	17: {sdk.Unknown, sdk.Interrupted, "interrupted by user"},
	18: {sdk.Unknown, sdk.MemoryLimit, "memory limit reached"},
	19: {sdk.Unknown, sdk.Other, "interrupted by HiGHS"},
}

// claimOf reads a native status; numbers it does not know are Unknown, Other.
func claimOf(code int) claim {
	if code >= 0 && code < len(claims) {
		return claims[code]
	}
	return claim{sdk.Unknown, sdk.Other, fmt.Sprintf("status %d", code)}
}
