package main

import (
	"maps"
	"math"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/option"
)

// allowed is one plugin option: an option of HiGHS by the same name, either a
// number between min and max or one of a few words.
type allowed struct {
	sdk.Option
	min, max float64
	words    []string
}

// Names of options that the plugin itself looks at.
const (
	presolve        = "presolve"
	primalTolerance = "primal_feasibility_tolerance"
	mipTolerance    = "mip_feasibility_tolerance"
	absoluteGap     = "mip_abs_gap"
)

var options = []allowed{
	{Option: sdk.Option{Name: presolve, Default: "choose", Help: "simplify the problem first: choose, on or off"}, words: []string{"choose", "on", "off"}},
	{Option: sdk.Option{Name: "mip_heuristic_effort", Default: "0.05", Help: "share of the effort spent looking for points, 0 to 1"}, max: 1},
	{Option: sdk.Option{Name: "mip_detect_symmetry", Default: "true", Help: "look for symmetries: true or false"}, words: []string{"true", "false"}},
	{Option: sdk.Option{Name: absoluteGap, Default: "1e-06", Help: "absolute optimality gap at which to stop, 0 to 1e6"}, max: 1e6},
	{Option: sdk.Option{Name: primalTolerance, Default: "1e-07", Help: "amount by which a row or bound may be broken, 1e-10 to 1e-3"}, min: 1e-10, max: 1e-3},
	{Option: sdk.Option{Name: mipTolerance, Default: "1e-06", Help: "distance from an integer that counts as one, 1e-10 to 1e-3"}, min: 1e-10, max: 1e-3},
}

func describedOptions() []sdk.Option {
	out := make([]sdk.Option, len(options))
	for i, o := range options {
		out[i] = o.Option
	}
	return out
}

// settings are plugin options after checking, every option with its value.
type settings struct {
	words   map[string]string
	numbers map[string]float64
}

// with is a copy with one word exchanged.
func (s settings) with(name, word string) settings {
	s.words = maps.Clone(s.words)
	s.words[name] = word
	return s
}

// parseOptions checks the plugin's own options and fills in the defaults.
func parseOptions(given map[string]string) (settings, error) {
	s := settings{words: map[string]string{}, numbers: map[string]float64{}}
	r := option.Read(describedOptions(), given)
	for _, o := range options {
		if o.words != nil {
			s.words[o.Name] = r.Choice(o.Name, o.words...)
		} else {
			s.numbers[o.Name] = r.Float(o.Name, o.min, o.max)
		}
	}
	return s, r.Err()
}

// tolerance is what HiGHS's arithmetic may leave in a row, an integer value,
// or the bound.
func (s settings) tolerance() float64 {
	return max(s.numbers[primalTolerance], s.numbers[mipTolerance])
}

// smallest is the coefficient at and below which HiGHS drops a matrix entry,
// the least it can be told.
const smallest = 1e-12

// apply sets every option of HiGHS that a Solve depends on, so that nothing is
// left over from the one before. left is the time that remains; negative for
// no limit.
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
	keep(m.SetFloat("small_matrix_value", smallest))
	keep(m.SetInt("mip_max_nodes", int32(nodes)))
	keep(m.SetInt("threads", int32(min(max(1, o.Threads), 1024))))
	keep(m.SetInt("random_seed", native.FoldSeed(o.Seed)))
	for name, v := range s.numbers {
		keep(m.SetFloat(name, v))
	}
	for name, v := range s.words {
		if v == "true" || v == "false" {
			keep(m.SetBool(name, v == "true"))
		} else {
			keep(m.SetString(name, v))
		}
	}
	return first
}
