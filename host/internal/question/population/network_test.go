package population

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/space"
)

// networkOf reads a network that text describes.
func networkOf(t testing.TB, text string, s *space.Space, rows [][]float64) (*Population, error) {
	t.Helper()
	return networked(t.Context(), written(t, "pop.yaml", text), s, rows, 1)
}

// lenders is a network of all kinds of features; job depends on sex, which is protected.
const lenders = `
nodes:
  job:
    given: sex
    probabilities: {f: [0.5, 0.3, 0.2], m: [0.25, 0.5, 0.25]}
  sex: {probabilities: [0.6, 0.4]}
  income:
    given: job
    cells: [..4, 4..10, missing]
    probabilities:
      none: [0.5, 0.25, 0.25]
      office: [0, 1, 0]
      shop: [1, 0, 0]
`

// TestNetwork: masses of boxes under nodes of every kind, draws, and the likelihood of rows.
func TestNetwork(t *testing.T) {
	s := lender()
	p, err := networkOf(t, lenders, s, nil)
	if err != nil || p.String() != "a tree-shaped network of 3 features, pop.yaml, all values of other features equally likely" {
		t.Fatalf("%v, %v", p, err)
	}
	none, office, shop := 0.6*0.5+0.4*0.25, 0.6*0.3+0.4*0.5, 0.6*0.2+0.4*0.25
	r := rand.New(rand.NewPCG(1, 1))
	for text, want := range map[string]float64{
		"": 1, "age=18..42": 0.25, "job=office": office, "job=office,income=..4": 0, "income=2..7,job=none": none * (0.25 + 0.125),
		"income=4..7": none*0.125 + office*0.5, "income=missing": none * 0.25, "income=..3,age=18..67": 0.5 * 0.75 * (none*0.5 + shop),
	} {
		box := boxOf(t, s, text)
		lo, hi := p.Mass(box)
		if !(lo <= want && want <= hi && hi < lo*(1+1e-12)+1e-200) {
			t.Errorf("%q: %v to %v, want %v", text, lo, hi, want)
		}
		within, drawn := p.Within(box), 0
		if (within == nil) != (want == 0) {
			t.Fatalf("%q: within %v", text, within)
		} else if within == nil {
			continue
		}
		all, _ := within.Mass(box)
		half, _ := within.Mass(boxOf(t, s, "job=none"))
		whole, _ := p.Mass(boxOf(t, s, "job=none"))
		if text == "age=18..42" && math.Abs(half-whole) > 1e-12 || math.Abs(all-1) > 1e-12 {
			t.Errorf("%q: within it, %v in all, %v without a job", text, all, half)
		}
		for range 1000 {
			if x := p.Draw(r); contains(box, x, s) {
				drawn++
			}
			if x := within.Draw(r); !contains(box, x, s) {
				t.Fatalf("%q: drew %v", text, x)
			}
		}
		if math.Abs(float64(drawn)/1000-want) > 0.08 {
			t.Errorf("%q: %d of 1,000 draws, want a share of %v", text, drawn, want)
		}
	}
	if density, _ := p.Within(boxOf(t, s, "income=5..5")).Mass(boxOf(t, s, "job=office")); math.Abs(density-office/(office+none*0.25)) > 1e-12 {
		t.Errorf("of an income of 5, %v are office workers", density)
	}
	rows := make([][]float64, 40)
	for i := range rows {
		rows[i] = []float64{30, 1, 6, 1}
	}
	rows[0][2] = 2
	if p, err = networkOf(t, lenders, s, rows); err != nil || p.Held != 4 || !strings.HasSuffix(p.String(), "other features independent, with the frequencies of 36 rows") {
		t.Fatalf("%v, %v", p, err)
	}
	age, _ := p.Mass(boxOf(t, s, "age=30"))
	if want := math.Log(office / 6 * age); math.Abs(p.Fitted-want) > 1e-9 || p.Impossible > 1 {
		t.Errorf("log-likelihood %v, want %v; %d impossible rows", p.Fitted, want, p.Impossible)
	}
}

func contains(box space.Box, x []float64, s *space.Space) bool {
	for _, i := range s.Free() {
		if !box[i].Contains(x[i]) {
			return false
		}
	}
	return true
}

// TestNetworkFaults: each mistake is named with its place.
func TestNetworkFaults(t *testing.T) {
	wide := "nodes:\n  age: {cells: ["
	for v := 18; v < 83; v++ {
		wide += string(rune('0'+v/100%10)) + string(rune('0'+v/10%10)) + string(rune('0'+v%10)) + ", "
	}
	wide += "], probabilities: [1" + strings.Repeat(", 0", 64) + "]}\n"
	for text, want := range map[string]string{
		"":                                    "the file is empty",
		"nodes: {}":                           "",
		"nodes: [1]":                          "1:8: nodes: want a mapping",
		"{}":                                  "needs nodes:",
		"nodes: {jobs: {probabilities: [1]}}": `no feature "jobs"; did you mean "job"?`,
		"nodes: {age: {probabilities: [1]}}":  "nodes.age: needs cells:, a list of values and ranges, because age has no list of at most 64 values",
		"nodes: {job: {probabilities: [0.5, 0.5]}}":                                                        "nodes.job.probabilities: want a list of 3 probabilities, one for each cell",
		"nodes: {job: {probabilities: [0.5, 0.4, 0]}}":                                                     "the probabilities add up to 0.9, want 1",
		"nodes: {job: {probabilities: [0.5, -0.5, 1]}}":                                                    "got -0.5, want a probability from 0 to 1",
		"nodes: {job: {cells: [none, none|shop], probabilities: [1, 0]}}":                                  "the cells none and none|shop overlap: make them disjoint",
		"nodes: {income: {cells: [0..3, 2..10], probabilities: [1, 0]}}":                                   "the cells 0..3 and 2..10 overlap",
		"nodes: {income: {cells: [3], probabilities: [1]}}":                                                "3 is one real number, which has no share",
		"nodes: {job: {given: sex, probabilities: [1, 0, 0]}}":                                             `nodes.job.given: no node "sex"`,
		"nodes: {job: {given: sex, probabilities: {f: [1, 0, 0]}}, sex: {probabilities: [1, 0]}}":          "needs m:, the probabilities given this cell of sex",
		"nodes: {job: {given: sex, probabilities: [1, 0, 0]}, sex: {probabilities: [1, 0]}}":               "nodes.job.probabilities: want a mapping",
		"nodes: {job: {probabilities: [1, 0, 0], parents: [sex]}}":                                         `unknown key "parents"`,
		"nodes: {job: {given: job, probabilities: {none: [1, 0, 0], office: [1, 0, 0], shop: [1, 0, 0]}}}": "nodes.job: depends on itself",
		wide + "  job: {given: age, probabilities: {}}":                                                    "age has 65 cells, want at most 64 where another node depends on it",
	} {
		if _, err := networkOf(t, text, lender(), nil); (want == "") != (err == nil) || err != nil && !(strings.Contains(err.Error(), want) && strings.Contains(err.Error(), "pop.yaml:")) {
			t.Errorf("%.60q: error %v, want %q", text, err, want)
		}
	}
	if _, err := networked(t.Context(), "nothing.json", lender(), nil, 1); err == nil {
		t.Error("read a file that does not exist")
	}
}

// TestDrawnNetworks: the masses of a network's individuals add up to 1, and those in a box to the box's.
func TestDrawnNetworks(t *testing.T) {
	for seed := range uint64(tier.Count(60, 600)) {
		r := rand.New(rand.NewPCG(seed, 19))
		s := known.Space(r)
		text := known.Tree(r, s)
		p, err := networkOf(t, text, s, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		region, part := randomBox(s, s.Whole().Box, r), space.Box(nil)
		all, inside, box := 0.0, 0.0, s.Whole().Box
		part = randomBox(s, region, r)
		within, both := p.Within(region), 0.0
		for x := range s.Individuals(s.Whole().Box) {
			for _, i := range s.Free() {
				box[i] = space.Interval{Lo: x[i], Hi: x[i]}
			}
			lo, hi := p.Mass(box)
			if !(lo <= hi && hi <= lo*(1+1e-9)+1e-290) {
				t.Fatalf("seed %d: %v to %v", seed, lo, hi)
			}
			if all += lo; contains(region, x, s) {
				inside += lo
			}
			if contains(part, x, s) {
				both += lo
			}
		}
		lo, hi := p.Mass(region)
		if math.Abs(all-1) > 1e-9 || inside < lo-1e-12 || inside > hi+1e-12 || (within == nil) != (inside == 0) {
			t.Errorf("seed %d: %v in all, %v in a box of %v to %v", seed, all, inside, lo, hi)
		}
		if within != nil {
			if lo, hi = within.Mass(part); both/inside < lo-1e-12 || both/inside > hi+1e-12 || hi > lo*(1+1e-9)+1e-290 {
				t.Errorf("seed %d: of a region, %v are in a box of %v to %v", seed, both/inside, lo, hi)
			}
		}
	}
}

func randomBox(s *space.Space, in space.Box, r *rand.Rand) space.Box {
	out := append(space.Box(nil), in...)
	for _, i := range s.Free() {
		a, b := s.Draw(in, r)[i], s.Draw(in, r)[i]
		out[i] = space.Interval{Lo: min(a, b), Hi: max(a, b)}
	}
	return out
}

// FuzzNetwork reads any bytes as a network. Nothing may panic, and what is read has a mass of 1.
func FuzzNetwork(f *testing.F) {
	f.Add([]byte(lenders))
	f.Add([]byte(`{"nodes": {"age": {"cells": ["18..27", "28.."], "probabilities": [0.25, 0.75]}}}`))
	f.Add([]byte("nodes: {job: {given: sex, cells: [none|shop], probabilities: {m: [1]}}, sex: {given: job, cells: m, probabilities: {none|shop: [1]}}}"))
	r := rand.New(rand.NewPCG(3, 3))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := lender()
		p, err := networkOf(t, string(text), s, nil)
		if err != nil {
			return
		}
		if lo, hi := p.Mass(s.Whole().Box); !(lo <= 1 && 1 <= hi && hi-lo < 1e-9) {
			t.Errorf("a mass of %v to %v", lo, hi)
		}
		for range 10 {
			if x := p.Draw(r); !s.ContainsIndividual(x) {
				t.Errorf("drew %v", x)
			}
		}
	})
}

// TestFilesEnd: reading a file, and drawing people, end with their context.
func TestFilesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := lender()
	rows := slices.Repeat([][]float64{{30, 1, 6, 1}}, 40)
	if _, err := networked(ctx, written(t, "pop.yaml", lenders), s, rows, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a network: %v", err)
	}
	if _, err := weighted(ctx, cellsFile(t, "age,weight\n18,1\n"), s, nil, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a table of weights: %v", err)
	}
	p, err := networkOf(t, lenders, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	every := func([]float64) bool { return true }
	if all, none := p.Sample(t.Context(), s.Whole().Box, 9, 1, every), p.Sample(ctx, s.Whole().Box, 9, 1, every); len(all) != 9 || none != nil {
		t.Errorf("drew %d people, and %d after the end", len(all), len(none))
	}
}
