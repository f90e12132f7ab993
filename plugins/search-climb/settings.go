package main

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// options are the strategy's options, which users set by --set.
var options = []sdk.Option{
	{Name: "climbs", Default: "8", Help: "number of parallel climbs, 1 to 1024; the moves depend on it, so the default does not follow the number of cores"},
	{Name: "draws", Default: "32", Help: "random individuals that compete for the start of a climb, 1 to 4096"},
	{Name: "values", Default: "64", Help: "features with more values than this are tried at selected values only, 2 to 4096"},
	{Name: "kick", Default: "2", Help: "largest number of features that a perturbation changes, 1 to 4096"},
	{Name: "patience", Default: "20", Help: "perturbations without success before a climb restarts, 0 to 1000000"},
	{Name: "mix", Default: "0.25", Help: "probability that a climb restarts from a crossover of two of the best local optima, 0 to 1"},
}

type settings struct {
	climbs, draws, values, kick, patience int
	mix                                   float64
}

// parse reads the options over their defaults.
func parse(given map[string]string) (settings, error) {
	r := option.Read(options, given)
	s := settings{
		climbs: r.Int("climbs", 1, 1024), draws: r.Int("draws", 1, 4096), values: r.Int("values", 2, 4096),
		kick: r.Int("kick", 1, 4096), patience: r.Int("patience", 0, 1_000_000), mix: r.Float("mix", 0, 1),
	}
	return s, r.Err()
}
