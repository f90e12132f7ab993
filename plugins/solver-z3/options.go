package main

import (
	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

var options = option.Table{
	{Option: sdk.Option{Name: "engine", Default: "core", Help: "core: the incremental core; auto: Z3's choice, with preprocessing if nothing was pushed; logic: Z3's strategy for the script's set-logic"},
		Words: []string{"core", "auto", "logic"}},
	{Option: sdk.Option{Name: "arith", Default: "auto", Help: "solver for linear arithmetic: auto, 2 (older simplex) or 6 (newer)"},
		Words: []string{"auto", "2", "6"}},
	{Option: sdk.Option{Name: "relevancy", Default: "auto", Help: "relevancy filter for arithmetic: auto, or 0 (passes all terms) to 2 (passes fewest)"},
		Words: []string{"auto", "0", "1", "2"}},
}

// settings are the options' values. Two settings can be compared with ==.
type settings struct{ engine, arith, relevancy string }

// parseOptions checks the plugin's options and fills in the defaults.
func parseOptions(given map[string]string) (settings, error) {
	v, err := options.Read(given)
	return settings{v["engine"].Word, v["arith"].Word, v["relevancy"].Word}, err
}

// native returns the engine and its parameters. Without a set-logic Z3 has no strategy
// for a logic, so the core replaces it.
func (s settings) native(logic string) (z3.Engine, z3.Params) {
	p := z3.Params{}
	if s.arith != "auto" {
		p["arith.solver"] = uint32(s.arith[0] - '0')
	}
	if s.relevancy != "auto" {
		p["relevancy"] = uint32(s.relevancy[0] - '0')
	}
	switch {
	case s.engine == "auto":
		return z3.Combined, p
	case s.engine == "logic" && logic != "":
		return z3.ForLogic, p
	}
	return z3.Core, p
}
