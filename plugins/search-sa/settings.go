package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/sdk"
)

// options are what --set takes. The defaults are the paper's where it says
// something (p) and docs/search.md's where it does not.
var options = []sdk.Option{
	{Name: "candidate", Default: "current", Help: "what is proposed with probability p: current, or knn for one of its nearest rows"},
	{Name: "p", Default: "0.9", Help: "probability of not proposing a random row, 0 to 1"},
	{Name: "neighbours", Default: "10", Help: "how many nearest rows knn chooses among, at least 1"},
	{Name: "schedule", Default: "geometric", Help: "temperature by round i: geometric (start·rate^i), logarithmic (start/ln(e+i)) or constant (start)"},
	{Name: "start", Default: "1", Help: "temperature of round 0, above 0"},
	{Name: "rate", Default: "0.995", Help: "rate of the geometric schedule, above 0 and at most 1"},
	{Name: "floor", Default: "0.001", Help: "the temperature never falls below it, above 0"},
	{Name: "patience", Default: "1000", Help: "fast mode: a chain starts anew after that many rounds without progress; 0: never"},
}

type settings struct {
	knn      bool
	p        float64
	k        int
	schedule string
	// temperatures
	start, rate, floor float64
	patience           int64 // rounds
}

var schedules = []string{"geometric", "logarithmic", "constant"}

// temperature is Temp(i), positive.
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

// ratio is min(1, exp(−(current − candidate)/Temp(round))).
func (s *settings) ratio(current, candidate float64, round int64) float64 {
	return min(1, math.Exp(-(current-candidate)/s.temperature(round)))
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
		if err == nil && (e != nil || math.IsInf(v, 0) || !ok(v)) {
			err = invalid(name, text[name])
		}
		return v
	}
	positive := func(v float64) bool { return v > 0 }
	s.p = number("p", func(v float64) bool { return v >= 0 && v <= 1 })
	s.start, s.floor = number("start", positive), number("floor", positive)
	s.rate = number("rate", func(v float64) bool { return v > 0 && v <= 1 })
	s.k = int(number("neighbours", func(v float64) bool { return v >= 1 && v <= math.MaxInt32 && v == math.Trunc(v) }))
	s.patience = int64(number("patience", func(v float64) bool { return v >= 0 && v <= math.MaxInt32 && v == math.Trunc(v) }))
	s.schedule, s.knn = text["schedule"], text["candidate"] == "knn"
	if err == nil && !slices.Contains(schedules, s.schedule) {
		err = invalid("schedule", s.schedule)
	}
	if err == nil && !s.knn && text["candidate"] != "current" {
		err = invalid("candidate", text["candidate"])
	}
	return s, err
}

func invalid(name, value string) error {
	i := slices.IndexFunc(options, func(o sdk.Option) bool { return o.Name == name })
	return fmt.Errorf("%w: %s=%s; %s: %s", sdk.ErrInvalidOption, name, value, name, options[i].Help)
}
