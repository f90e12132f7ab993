package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/sdk"
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

// parse reads the options over their defaults. Names that are not among the
// options never get here.
func parse(given map[string]string) (settings, error) {
	text := map[string]string{}
	for _, o := range options {
		text[o.Name] = o.Default
	}
	maps.Copy(text, given)
	var s settings
	var err error
	number := func(name string, ok func(float64) bool) float64 {
		v, e := strconv.ParseFloat(text[name], 64)
		if err == nil && (e != nil || !ok(v)) {
			err = invalid(name, text[name])
		}
		return v
	}
	count := func(name string, lo, hi float64) int {
		return int(number(name, func(v float64) bool { return v >= lo && v <= hi && v == math.Trunc(v) }))
	}
	s.climbs, s.draws = count("climbs", 1, 1024), count("draws", 1, 4096)
	s.values, s.kick = count("values", 2, 4096), count("kick", 1, 4096)
	s.patience = count("patience", 0, 1e6)
	s.mix = number("mix", func(v float64) bool { return v >= 0 && v <= 1 })
	return s, err
}

func invalid(name, value string) error {
	i := slices.IndexFunc(options, func(o sdk.Option) bool { return o.Name == name })
	return fmt.Errorf("%w: %s=%s; %s: %s", sdk.ErrInvalidOption, name, value, name, options[i].Help)
}
