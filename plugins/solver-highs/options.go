package main

import (
	"math"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/option"
)

// Names of options that the plugin itself reads.
const (
	presolve        = "presolve"
	primalTolerance = "primal_feasibility_tolerance"
	mipTolerance    = "mip_feasibility_tolerance"
	absoluteGap     = "mip_abs_gap"
)

// options are HiGHS's options of the same names.
var options = option.Table{
	{Option: sdk.Option{Name: presolve, Default: "choose", Help: "simplify the problem first: choose, on or off"}, Words: []string{"choose", "on", "off"}},
	{Option: sdk.Option{Name: "mip_heuristic_effort", Default: "0.05", Help: "share of the effort spent on primal heuristics, 0 to 1"}, Max: 1},
	{Option: sdk.Option{Name: "mip_detect_symmetry", Default: "true", Help: "look for symmetries: true or false"}, Words: []string{"true", "false"}},
	{Option: sdk.Option{Name: absoluteGap, Default: "1e-06", Help: "absolute optimality gap at which to stop, 0 to 1e6"}, Max: 1e6},
	{Option: sdk.Option{Name: primalTolerance, Default: "1e-07", Help: "amount by which a row or bound may be violated, 1e-10 to 1e-3"}, Min: 1e-10, Max: 1e-3},
	{Option: sdk.Option{Name: mipTolerance, Default: "1e-06", Help: "largest distance from an integer at which a value counts as integer, 1e-10 to 1e-3"}, Min: 1e-10, Max: 1e-3},
}

// settings are the options' values.
type settings map[string]option.Value

// tolerance returns how far HiGHS's arithmetic may be off in a row, an integer value, or
// the bound.
func (s settings) tolerance() float64 {
	return max(s[primalTolerance].Number, s[mipTolerance].Number)
}

// apply sets every option of HiGHS that affects a Solve, so that nothing remains from the
// previous one. left is the remaining time; negative means no limit.
func (s settings) apply(m *highs.Model, o sdk.SolveOptions, left time.Duration) error {
	limit := math.Inf(1)
	if left >= 0 {
		limit = left.Seconds()
	}
	nodes := int64(math.MaxInt32)
	if o.WorkLimit > 0 {
		nodes = min(nodes, o.WorkLimit)
	}
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	keep(m.SetFloat("time_limit", limit))
	keep(m.SetFloat("mip_rel_gap", max(0, o.Gap)))
	keep(m.SetFloat("small_matrix_value", numbers.Smallest))
	keep(m.SetInt("mip_max_nodes", int32(nodes)))
	keep(m.SetInt("threads", int32(min(max(1, o.Threads), 1024))))
	keep(m.SetInt("random_seed", native.FoldSeed(o.Seed)))
	for name, v := range s {
		switch v.Word {
		case "":
			keep(m.SetFloat(name, v.Number))
		case "true", "false":
			keep(m.SetBool(name, v.Word == "true"))
		default:
			keep(m.SetString(name, v.Word))
		}
	}
	return first
}
