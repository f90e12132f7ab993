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
	{Name: "clusters", Default: "4", Help: "clusters of rows that seeds are taken from in turn, 1 to 64"},
	{Name: "iterations", Default: "10", Help: "steps along the gradient from each seed, 1 to 100000"},
	{Name: "momentum", Default: "0.5", Help: "what is left of a gradient one step later, 0 to below 1"},
	{Name: "step", Default: "0.05", Help: "step of an ordered feature as a share of its range, above 0 to 1; integers go 1 at least"},
	{Name: "local", Default: "0", Help: "perturbations of the best individual of each seed, 0 to 1000000; 0: no local phase"},
}

type settings struct {
	clusters, iterations, local int
	momentum, stride            float64
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
	s.clusters, s.iterations, s.local = count("clusters", 1, 64), count("iterations", 1, 1e5), count("local", 0, 1e6)
	s.momentum = number("momentum", func(v float64) bool { return v >= 0 && v < 1 })
	s.stride = number("step", func(v float64) bool { return v > 0 && v <= 1 })
	return s, err
}

func invalid(name, value string) error {
	i := slices.IndexFunc(options, func(o sdk.Option) bool { return o.Name == name })
	return fmt.Errorf("%w: %s=%s; %s: %s", sdk.ErrInvalidOption, name, value, name, options[i].Help)
}
