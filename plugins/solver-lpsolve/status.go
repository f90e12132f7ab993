package main

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk"
)

// Results of solve that the plugin acts upon.
const (
	statusOptimal    = 0
	statusInfeasible = 2
	statusUnbounded  = 3
)

// claim is what a native status means where lp_solve holds no point that keeps
// the rows. Where it holds one, Unknown becomes Feasible and the reason stays.
type claim struct {
	status sdk.Status
	reason sdk.Reason
	native string
}

// claims lists the results of solve (lp_lib.h of 5.5.2). SUBOPTIMAL is what a
// run ends with that was stopped and holds a point, whatever stopped it: its
// reason is filled in by what did.
var claims = map[int]claim{
	-5: {sdk.Unknown, sdk.Other, "unknown error"},
	-4: {sdk.Unknown, sdk.Other, "data ignored"},
	-3: {sdk.Unknown, sdk.Other, "no basis factorisation"},
	-2: {sdk.Unknown, sdk.MemoryLimit, "out of memory"},
	-1: {sdk.Unknown, sdk.Other, "not run"},
	0:  {sdk.Optimal, sdk.NoReason, "optimal"},
	1:  {sdk.Unknown, sdk.Other, "suboptimal"},
	2:  {sdk.Infeasible, sdk.NoReason, "infeasible"},
	3:  {sdk.Unknown, sdk.Other, "unbounded"},
	4:  {sdk.Unknown, sdk.Numerical, "degenerate"},
	5:  {sdk.Unknown, sdk.Numerical, "numerical failure"},
	6:  {sdk.Unknown, sdk.Interrupted, "user abort"},
	7:  {sdk.Unknown, sdk.TimeLimit, "time-out"},
	8:  {sdk.Unknown, sdk.Other, "running"},
	9:  {sdk.Unknown, sdk.Other, "presolved"},
	10: {sdk.Unknown, sdk.Numerical, "procedure failed"},
	11: {sdk.Unknown, sdk.Interrupted, "procedure broken off"},
	12: {sdk.Unknown, sdk.Other, "feasible point found"},
	13: {sdk.Unknown, sdk.Numerical, "no feasible point found"},
	25: {sdk.Unknown, sdk.Numerical, "accuracy error"},
}

// claimOf reads a native status; numbers it does not know are Unknown, Other.
func claimOf(code int) claim {
	if c, known := claims[code]; known {
		return c
	}
	return claim{sdk.Unknown, sdk.Other, fmt.Sprintf("status %d", code)}
}
