package main

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
)

// Model statuses of HiGHS that the plugin acts upon.
const (
	statusSolveError            = 4
	statusInfeasible            = 8
	statusUnboundedOrInfeasible = 9
	statusUnbounded             = 10
	statusInterrupt             = 17
)

// claims is indexed by HighsModelStatus, complete up to HiGHS 1.15.
var claims = milp.Claims{
	0:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "not set"},
	1:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "load error"},
	2:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "model error"},
	3:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "presolve error"},
	4:  {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "solve error"},
	5:  {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "postsolve error"},
	6:  {Status: sdk.Optimal, Native: "empty"},
	7:  {Status: sdk.Optimal, Native: "optimal"},
	8:  {Status: sdk.Infeasible, Native: "infeasible"},
	9:  {Status: sdk.Unknown, Reason: sdk.Other, Native: "primal infeasible or unbounded"},
	10: {Status: sdk.Unknown, Reason: sdk.Other, Native: "unbounded"},
	11: {Status: sdk.Unknown, Reason: sdk.Other, Native: "bound on objective reached"},
	12: {Status: sdk.Unknown, Reason: sdk.Other, Native: "target for objective reached"},
	13: {Status: sdk.Unknown, Reason: sdk.TimeLimit, Native: "time limit reached"},
	14: {Status: sdk.Unknown, Reason: sdk.WorkLimit, Native: "iteration limit reached"},
	15: {Status: sdk.Unknown, Reason: sdk.Numerical, Native: "unknown"},
	16: {Status: sdk.Unknown, Reason: sdk.WorkLimit, Native: "solution limit reached"},
	17: {Status: sdk.Unknown, Reason: sdk.Interrupted, Native: "interrupted by user"},
	18: {Status: sdk.Unknown, Reason: sdk.MemoryLimit, Native: "memory limit reached"},
	19: {Status: sdk.Unknown, Reason: sdk.Other, Native: "interrupted by HiGHS"},
}
