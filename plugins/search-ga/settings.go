package main

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// options are the strategy's options, which users set by --set.
var options = []sdk.Option{
	{Name: "population", Default: "0", Help: "individuals of both islands together, 4 to 100000; 0: the host's number of chains, or 100 for a single chain"},
	{Name: "elite", Default: "0.1", Help: "share of an island that survives unchanged, 0 to 0.9; above 0, at least one individual"},
	{Name: "fresh", Default: "0.05", Help: "share of new rows of the data set in each generation, 0 to 1"},
	{Name: "selection", Default: "tournament", Help: "how parents are drawn: tournament, or roulette in proportion to fitness"},
	{Name: "tournament", Default: "3", Help: "number of individuals that compete to be a parent, 1 to 1000"},
	{Name: "crossover", Default: "0.9", Help: "probability that a child has two parents, 0 to 1"},
	{Name: "cross", Default: "uniform", Help: "how two parents mix: uniform (each feature from either) or one-point"},
	{Name: "mutation", Default: "0.1", Help: "probability that a feature of a child gets a random value, 0 to 1"},
	{Name: "exchange", Default: "10", Help: "an island copies the other's elite after this many generations, 1 to 1000000; 0: never"},
}

type settings struct {
	population                        int // 0: the host's choice
	elite, fresh, crossover, mutation float64
	roulette, onePoint                bool
	tournament, exchange              int
}

// parse reads the options over their defaults.
func parse(given map[string]string) (settings, error) {
	r := option.Read(options, given)
	s := settings{
		population: r.Int("population", 0, maxPopulation),
		elite:      r.Float("elite", 0, 0.9), fresh: r.Float("fresh", 0, 1),
		crossover: r.Float("crossover", 0, 1), mutation: r.Float("mutation", 0, 1),
		roulette:   r.Choice("selection", "tournament", "roulette") == "roulette",
		onePoint:   r.Choice("cross", "uniform", "one-point") == "one-point",
		tournament: r.Int("tournament", 1, 1000), exchange: r.Int("exchange", 0, 1_000_000),
	}
	r.Require("population", s.population == 0 || s.population >= minPopulation)
	return s, r.Err()
}
