package main

import (
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
)

// options are the options of --set. p has the paper's default; the paper names no others.
var options = []sdk.Option{
	{Name: "candidate", Default: "current", Help: "what is proposed with probability p: current (the individual itself) or knn (one of its nearest rows)"},
	{Name: "p", Default: "0.9", Help: "probability of not proposing a random row, 0 to 1"},
	{Name: "neighbours", Default: "10", Help: "number of nearest rows that knn chooses from, at least 1"},
	{Name: "schedule", Default: "geometric", Help: "how the temperature depends on the round i: geometric (start·rate^i), logarithmic (start/ln(e+i)) or constant (start)"},
	{Name: "start", Default: "1", Help: "temperature of round 0, above 0"},
	{Name: "rate", Default: "0.995", Help: "rate of the geometric schedule, above 0 and at most 1"},
	{Name: "floor", Default: "0.001", Help: "lowest temperature, above 0"},
	{Name: "patience", Default: "1000", Help: "fast mode: a chain restarts after this many rounds without progress; 0: never"},
}

type settings struct {
	knn      bool
	p        float64
	k        int
	schedule string
	// The temperature at the start, its factor per round if the schedule is geometric, and
	// its lower limit.
	start, rate, floor float64
	patience           int64 // rounds
}

// temperature returns the paper's Temp(round), raised to floor if it is lower.
func (s *settings) temperature(round int64) float64 {
	t := s.start
	switch i := float64(round); s.schedule {
	case "geometric":
		t *= math.Pow(s.rate, i)
	case "logarithmic":
		t /= math.Log(math.E + i)
	}
	return max(t, s.floor)
}

// ratio returns min(1, exp(−(current − candidate)/Temp(round))).
func (s *settings) ratio(current, candidate float64, round int64) float64 {
	return min(1, math.Exp(-(current-candidate)/s.temperature(round)))
}

// parse reads the options over their defaults.
func parse(given map[string]string) (settings, error) {
	r := option.Read(options, given)
	s := settings{
		knn: r.Choice("candidate", "current", "knn") == "knn", p: r.Float("p", 0, 1), k: r.Int("neighbours", 1, math.MaxInt32),
		schedule: r.Choice("schedule", "geometric", "logarithmic", "constant"),
		start:    r.Float("start", 0, math.Inf(1)), rate: r.Float("rate", 0, 1), floor: r.Float("floor", 0, math.Inf(1)),
		patience: int64(r.Int("patience", 0, math.MaxInt32)),
	}
	r.Require("start", s.start > 0)
	r.Require("rate", s.rate > 0)
	r.Require("floor", s.floor > 0)
	return s, r.Err()
}
