package main

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// options are the strategy's options, which users set by --set.
var options = []sdk.Option{
	{Name: "clusters", Default: "4", Help: "clusters of rows that seeds are taken from in turn, 1 to 64"},
	{Name: "iterations", Default: "10", Help: "steps along the gradient from each seed, 1 to 100000"},
	{Name: "momentum", Default: "0.5", Help: "momentum: share of a gradient that remains one step later, from 0 to below 1"},
	{Name: "step", Default: "0.05", Help: "step of an ordered feature as a share of its range, above 0 and at most 1; an integer's step is at least 1"},
	{Name: "local", Default: "0", Help: "perturbations of the best individual of each seed, 0 to 1000000; 0: no local phase"},
}

type settings struct {
	clusters, iterations, local int
	momentum, stride            float64
}

// parse reads the options over their defaults.
func parse(given map[string]string) (settings, error) {
	r := option.Read(options, given)
	s := settings{
		clusters: r.Int("clusters", 1, 64), iterations: r.Int("iterations", 1, 100_000), local: r.Int("local", 0, 1_000_000),
		momentum: r.Float("momentum", 0, 1), stride: r.Float("step", 0, 1),
	}
	r.Require("momentum", s.momentum < 1)
	r.Require("step", s.stride > 0)
	return s, r.Err()
}
