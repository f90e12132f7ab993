package main

import (
	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// Names of options. There is none for presolve, which stays off: with rows and columns
// presolved, lp_solve 5.5.2.5 does not return from some programs of at most five integers
// that it otherwise solves at once. Improve is off by default, unlike in lp_solve: there
// it led to 13 times the nodes on one network (AC-9) and saved at most a third on others.
const (
	scaling   = "scaling"
	rule      = "bb_rule"
	floor     = "floor"
	improve   = "improve"
	epsilon   = "epsilon"
	portfolio = "portfolio"
	sets      = "sets"
)

var options = option.Table{
	{Option: sdk.Option{Name: scaling, Default: "4", Help: "set_scaling's mode, 0 to 2047; 4 is geometric, and with other modes infeasible or optimal is not trusted"}, Whole: true, Max: 2047},
	{Option: sdk.Option{Name: rule, Default: "0", Help: "set_bb_rule's node selection, 0 to 65535; 0 takes the first column, 4 pseudo costs"}, Whole: true, Max: 65535},
	{Option: sdk.Option{Name: floor, Default: "floor", Help: "the branch taken first: floor, ceiling or automatic"}, Words: []string{"floor", "ceiling", "automatic"}},
	{Option: sdk.Option{Name: improve, Default: "0", Help: "set_improve's mode, 0 to 15; lp_solve's own default is 6"}, Whole: true, Max: 15},
	{Option: sdk.Option{Name: epsilon, Default: "tight", Help: "set_epslevel: tight, medium, loose or baggy"}, Words: []string{"tight", "medium", "loose", "baggy"}},
	{Option: sdk.Option{Name: portfolio, Default: "on", Help: "on: also try other settings in turn (two if any feasible point will do, one for an optimum); off: only those given"}, Words: []string{"on", "off"}},
	{Option: sdk.Option{Name: sets, Default: "binaries", Help: "how to branch on special ordered sets: binaries, or native (lp_solve's own), with which infeasible or optimal is not trusted"}, Words: []string{"binaries", "native"}},
}

// settings are the options' values.
type settings map[string]option.Value

// tolerance returns how far lp_solve's arithmetic may be off in a row, an integer value,
// or the bound. lp_solve's tolerance for integers is 1e-7 at the first two epsilon
// levels, and ten and a hundred times that at the others; those for rows are smaller, on
// a scaled problem.
func (s settings) tolerance() float64 {
	return []float64{1e-6, 1e-6, 1e-5, 1e-4}[s[epsilon].Int]
}

// Gaps below which lp_solve's arithmetic does not distinguish two objectives: its
// defaults.
const (
	leastAbsoluteGap = 1e-11
	leastRelativeGap = 1e-9
)

// largestGap bounds a relative gap: with 1 or more, any point would do.
const largestGap = 0.999

// native returns lp_solve's settings for the run.
func (s settings) native(o sdk.SolveOptions) lpsolve.Settings {
	return lpsolve.Settings{
		Scaling:     int32(s[scaling].Int),
		Rule:        int32(s[rule].Int),
		Floor:       int32(s[floor].Int),
		Improve:     int32(s[improve].Int),
		Simplex:     dualThenPrimal,
		Epsilons:    int32(s[epsilon].Int),
		AbsoluteGap: leastAbsoluteGap,
		RelativeGap: min(max(leastRelativeGap, o.Gap), largestGap),
	}
}
