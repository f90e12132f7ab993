package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestValuesTried(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "few", Kind: space.Integer, Lo: -1, Hi: 2},
		{Name: "many", Kind: space.Integer, Lo: 0, Hi: 100},
		{Name: "huge", Kind: space.Integer, Lo: -1 << 52, Hi: 1 << 52},
		{Name: "real", Kind: space.Real, Lo: -1, Hi: 1},
		{Name: "vast", Kind: space.Real, Lo: -math.MaxFloat64, Hi: math.MaxFloat64},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 199, Categories: make([]string, 200)},
	}}
	set, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := newTerrain(set, s, sdk.StartOptions{}, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	around := func(i int, v float64) []float64 {
		out := tr.around(nil, i, v, rng)
		for _, w := range out {
			if !s.Features[i].Contains(w) || w == v {
				t.Errorf("%s: tries %v from %v", s.Features[i].Name, w, v)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if got, want := around(0, 1), []float64{-1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("few: %v, want %v", got, want)
	}
	if got, want := around(1, 10), []float64{0, 2, 6, 8, 9, 11, 12, 14, 18, 26, 42, 100}; !slices.Equal(got, want) {
		t.Errorf("many: %v, want %v", got, want)
	}
	if got := around(2, 5); len(got) != 2+2*52+1 { // the ends, 2⁰ to 2⁵¹ both ways, 2⁵² down
		t.Errorf("huge: %d values", len(got))
	}
	if got := around(3, 0); len(got) != 2*realSteps || got[realSteps-1] != -math.Ldexp(1, 1-realSteps) || got[0] != -1 {
		t.Errorf("real: %v", got)
	}
	if got := around(4, 0); len(got) < 2*realSteps-2 {
		t.Errorf("vast: %v", got)
	}
	if got := around(5, 17); len(got) < 40 {
		t.Errorf("job: only %d of 200 categories", len(got))
	}
}
