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
	{Name: "population", Default: "0", Help: "individuals of both islands together, 4 to 100000; 0: as many as the host wants chains, or 100 where that is one"},
	{Name: "elite", Default: "0.1", Help: "share of an island that lives on unchanged, 0 to 0.9; one individual at least, unless it is 0"},
	{Name: "fresh", Default: "0.05", Help: "share of each generation that are new rows of the data set, 0 to 1"},
	{Name: "selection", Default: "tournament", Help: "how parents are drawn: tournament, or roulette in proportion to fitness"},
	{Name: "tournament", Default: "3", Help: "individuals that compete to be a parent, 1 to 1000"},
	{Name: "crossover", Default: "0.9", Help: "probability that a child has two parents, 0 to 1"},
	{Name: "cross", Default: "uniform", Help: "how two parents mix: uniform (each feature from either) or one-point"},
	{Name: "mutation", Default: "0.1", Help: "probability that a feature of a child gets a random value, 0 to 1"},
	{Name: "exchange", Default: "10", Help: "generations after which an island takes over the other's elite, 1 to 1000000; 0: never"},
}

type settings struct {
	population                        int // 0: the host's choice
	elite, fresh, crossover, mutation float64
	roulette, onePoint                bool
	tournament, exchange              int
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
	share := func(name string, most float64) float64 {
		return number(name, func(v float64) bool { return v >= 0 && v <= most })
	}
	count := func(name string, ok func(float64) bool) int {
		return int(number(name, func(v float64) bool { return v == math.Trunc(v) && ok(v) }))
	}
	either := func(name, one, other string) bool {
		if err == nil && text[name] != one && text[name] != other {
			err = invalid(name, text[name])
		}
		return text[name] == other
	}
	s.population = count("population", func(v float64) bool { return v == 0 || v >= 4 && v <= maxPopulation })
	s.elite, s.fresh = share("elite", 0.9), share("fresh", 1)
	s.crossover, s.mutation = share("crossover", 1), share("mutation", 1)
	s.tournament = count("tournament", func(v float64) bool { return v >= 1 && v <= 1000 })
	s.exchange = count("exchange", func(v float64) bool { return v >= 0 && v <= 1e6 })
	s.roulette = either("selection", "tournament", "roulette")
	s.onePoint = either("cross", "uniform", "one-point")
	return s, err
}

func invalid(name, value string) error {
	i := slices.IndexFunc(options, func(o sdk.Option) bool { return o.Name == name })
	return fmt.Errorf("%w: %s=%s; %s: %s", sdk.ErrInvalidOption, name, value, name, options[i].Help)
}
