package main

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// options are what --set takes.
var options = []sdk.Option{
	{Name: "climbs", Default: "8", Help: "climbs side by side, 1 to 1024; the moves depend on it, so it is never the number of cores"},
	{Name: "draws", Default: "32", Help: "random individuals that compete for the start of a climb, 1 to 4096"},
	{Name: "values", Default: "64", Help: "a feature with more values than this is tried on a ladder of them, 2 to 4096"},
	{Name: "kick", Default: "2", Help: "the largest number of features that a kick changes, 1 to 4096"},
	{Name: "patience", Default: "20", Help: "kicks in vain before a climb starts again, 0 to 1000000"},
	{Name: "mix", Default: "0.25", Help: "probability that a climb starts again from a mixture of two of the best tops, 0 to 1"},
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
