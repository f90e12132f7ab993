package main

import (
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// allowed is one plugin option: a whole number from 0 to max, or one of a few
// words.
type allowed struct {
	sdk.Option
	max   int
	words []string
}

// Names of options. There is none for presolve, which stays off: with rows and
// columns presolved, lp_solve 5.5.2.5 does not come back from some programs of
// at most five integers that it otherwise answers at once. Improving is off,
// unlike lp_solve's default, which led to 13 times the nodes on one network
// (AC-9) and saved at most a third on others.
const (
	scaling   = "scaling"
	rule      = "bb_rule"
	floor     = "floor"
	improve   = "improve"
	epsilon   = "epsilon"
	portfolio = "portfolio"
	sets      = "sets"
)

// nativeSets is the position of native among the words of sets.
const nativeSets = 1

var options = []allowed{
	{Option: sdk.Option{Name: scaling, Default: "4", Help: "set_scaling's mode, 0 to 2047; 4 is geometric, and with others lp_solve's word on infeasibility or an optimum is not taken"}, max: 2047},
	{Option: sdk.Option{Name: rule, Default: "0", Help: "set_bb_rule's node selection, 0 to 65535; 0 takes the first column, 4 pseudo costs"}, max: 65535},
	{Option: sdk.Option{Name: floor, Default: "floor", Help: "the branch taken first: floor, ceiling or automatic"}, words: []string{"floor", "ceiling", "automatic"}},
	{Option: sdk.Option{Name: improve, Default: "0", Help: "set_improve's mode, 0 to 15; lp_solve's own default is 6"}, max: 15},
	{Option: sdk.Option{Name: epsilon, Default: "tight", Help: "set_epslevel: tight, medium, loose or baggy"}, words: []string{"tight", "medium", "loose", "baggy"}},
	{Option: sdk.Option{Name: portfolio, Default: "on", Help: "take turns with two more settings where any point will do, and with one where the best is wanted: on or off"}, words: []string{"on", "off"}},
	{Option: sdk.Option{Name: sets, Default: "binaries", Help: "how special ordered sets are branched on: binaries, or native, lp_solve's own, with which its word on infeasibility or an optimum is not taken"}, words: []string{"binaries", "native"}},
}

func describedOptions() []sdk.Option {
	out := make([]sdk.Option, len(options))
	for i, o := range options {
		out[i] = o.Option
	}
	return out
}

// settings are plugin options after checking: a number for every option, for
// words the position in the list.
type settings map[string]int

// parseOptions checks the plugin's own options and fills in the defaults.
func parseOptions(given map[string]string) (settings, error) {
	s := settings{}
	r := option.Read(describedOptions(), given)
	for _, o := range options {
		if o.words != nil {
			s[o.Name] = slices.Index(o.words, r.Choice(o.Name, o.words...))
		} else {
			s[o.Name] = r.Int(o.Name, 0, o.max)
		}
	}
	return s, r.Err()
}

// tolerance is what lp_solve's arithmetic may leave in a row, an integer
// value, or the bound: its own tolerance for integers is 1e-7 at the first two
// epsilon levels, ten and a hundred times that at the others; those for rows
// are smaller, on a scaled problem.
func (s settings) tolerance() float64 {
	return []float64{1e-6, 1e-6, 1e-5, 1e-4}[s[epsilon]]
}

// Gaps below which lp_solve's arithmetic cannot tell two objectives apart: its
// own defaults.
const (
	leastAbsoluteGap = 1e-11
	leastRelativeGap = 1e-9
)

// largestGap keeps a gap relative: from 1 on, any point would do.
const largestGap = 0.999

// native are lp_solve's settings for the run.
func (s settings) native(o sdk.SolveOptions) lpsolve.Settings {
	return lpsolve.Settings{
		Scaling:     int32(s[scaling]),
		Rule:        int32(s[rule]),
		Floor:       int32(s[floor]),
		Improve:     int32(s[improve]),
		Simplex:     dualThenPrimal,
		Epsilons:    int32(s[epsilon]),
		AbsoluteGap: leastAbsoluteGap,
		RelativeGap: min(max(leastRelativeGap, o.Gap), largestGap),
	}
}
