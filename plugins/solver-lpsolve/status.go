package main

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
)

// Results of solve that the plugin acts upon.
const (
	statusOptimal    = 0
	statusInfeasible = 2
	statusUnbounded  = 3
)

// claims lists the results of solve (lp_lib.h of 5.5.2). A run that was stopped and holds
// a point ends with SUBOPTIMAL; whatever stopped it sets the reason.
var claims = milp.Claims{
	-5: {Status: sdk.Unknown, Reason: sdk.Other, Native: "unknown error"},
	-4: {Status: sdk.Unknown, Reason: sdk.Other, Native: "data ignored"},
	-3: {Status: sdk.Unknown, Reason: sdk.Other, Native: "no basis factorisation"},
	-2: {Status: sdk.Unknown, Reason: sdk.MemoryLimit, Native: "out of memory"},
	-1: {Status: sdk.Unknown, Reason: sdk.Other, Native: "not run"},
	0:  {Status: sdk.Optimal, Native: "optimal"},
	1:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "suboptimal"},
	2:  {Status: sdk.Infeasible, Native: "infeasible"},
	3:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "unbounded"},
	4:  {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "degenerate"},
	5:  {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "numerical failure"},
	6:  {Status: sdk.Unknown, Reason: sdk.Interrupted, Native: "user abort"},
	7:  {Status: sdk.Unknown, Reason: sdk.TimeLimit, Native: "time-out"},
	8:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "running"},
	9:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "presolved"},
	10: {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "procedure failed"},
	11: {Status: sdk.Unknown, Reason: sdk.Interrupted, Native: "procedure broken off"},
	12: {Status: sdk.Unknown, Reason: sdk.Other, Native: "feasible point found"},
	13: {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "no feasible point found"},
	25: {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "accuracy error"},
}
