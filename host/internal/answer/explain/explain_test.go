package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/sdk/space"
)

// shop is a space of 11 × 4 × 5 individuals.
func shop() *space.Space {
	return &space.Space{Inputs: 4, Features: []space.Feature{
		{Name: "hours", Kind: space.Integer, Lo: 0, Hi: 10, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"baker", "clerk, junior", "cook", "none"},
			Inputs: []space.Input{{Index: 1, Scale: 1}}},
		{Name: "rooms", Kind: space.Integer, Lo: 1, Hi: 5, Inputs: []space.Input{{Index: 2, Scale: 1}}},
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 15, Inputs: []space.Input{{Index: 3, Scale: 1}},
			Protected: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
	}}
}

// shopK is large where hours ≥ 7 and job is baker or cook, with small variation elsewhere.
func shopK(x []float64) int {
	k := 1 + int(x[2])%3
	if x[0] >= 7 && (x[1] == 0 || x[1] == 2) {
		k += 8
	}
	return k
}

// TestPlausible: the share of a population's people whom constraints allow is said besides the share of all individuals.
func TestPlausible(t *testing.T) {
	s := shop()
	s.Forbidden = []space.Predicate{{{Feature: 1, Set: []int{3}}}}
	file := filepath.Join(t.TempDir(), "cells.csv")
	if err := os.WriteFile(file, []byte("hours,job,weight\n7..10,baker,1\n0..6,baker,3\n0..6,none,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := population.Parse("weights:" + file)
	if err != nil {
		t.Fatal(err)
	}
	c := defaults(s, kOf(shopK), [][]float64{{9, 0, 2, 0}, {8, 2, 5, 0}})
	c.Samples, c.Test = 2000, 500
	if c.People, err = source.Of(t.Context(), s, nil, "", 1); err != nil {
		t.Fatal(err)
	}
	r, err := Explain(t.Context(), c)
	if err != nil || len(r.Predicates) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	p := r.Predicates[0].Plausible
	if p == nil || p.N != drawnPeople || p.Lo > 0.25 || p.Hi < 0.25 || p.Hi-p.Lo > 0.02 {
		t.Fatalf("%+v, want a quarter", p)
	}
	result := Result{Population: c.People.String()}
	if err := result.take(r, s); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(result.table().Notes); !strings.Contains(text, " of people (3 weighted cells of cells.csv, all values of other features equally likely), 10,000 drawn.") {
		t.Error(text)
	}
}

// The conditions that define k are recovered, by name, from any seed.
func TestConditionsComeBack(t *testing.T) {
	s := shop()
	for seed := int64(0); seed < 20; seed++ {
		c := defaults(s, kOf(shopK), [][]float64{{9, 0, 2, 0}, {8, 2, 5, 0}})
		c.Seed, c.Samples, c.Test = seed, 2000, 500
		r, err := Explain(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Predicates) == 0 {
			t.Fatalf("seed %d: %s", seed, r.Nothing)
		}
		p := r.Predicates[0]
		if p.Text != "hours >= 7 and job in {baker, cook}" {
			t.Errorf("seed %d: %s", seed, p.Text)
		}
		if p.Size != 2 || p.Coverage.Count != "40" || p.Coverage.Share != 40./220 || p.Recall != 1 || p.Support != nil || p.Floor != nil {
			t.Errorf("seed %d: %+v", seed, p)
		}
		if p.Diff != p.Inside.Mean-p.Outside.Mean || math.Abs(p.Diff-8) > 0.5 || p.Inside.N != 500 || p.Outside.N != 500 {
			t.Errorf("seed %d: inside %+v, outside %+v", seed, p.Inside, p.Outside)
		}
		back, err := (&guard.Rules{Rules: []guard.Rule{{Name: "r", Conditions: p.Conditions}}}).Predicates(s)
		if err != nil {
			t.Fatal(err)
		}
		all, _ := lattice(s)
		for _, x := range all {
			if back[0].Holds(x) != (x[0] >= 7 && (x[1] == 0 || x[1] == 2)) || p.Holds.Holds(x) != back[0].Holds(x) {
				t.Fatalf("seed %d: the conditions %+v hold otherwise at %v", seed, p.Conditions, x)
			}
		}
	}
}

// The intervals contain the true means at the stated rate or better. The truth is a sum
// over all individuals weighted with their probabilities.
func TestIntervalsCoverTheTruth(t *testing.T) {
	s := shop()
	around := [][]float64{{9, 0, 2, 0}, {8, 2, 5, 0}}
	weight := func(x []float64) (w float64) {
		for _, a := range around {
			p := 1. / float64(len(around))
			for i := range 3 {
				f := &s.Features[i]
				p *= marginal(f, a[i], DefaultMethod().Spread)[int(x[i]-f.Lo)]
			}
			w += p
		}
		return w
	}
	all, _ := lattice(s)
	intervals, misses := 0, 0
	for seed := int64(0); seed < 150; seed++ {
		c := defaults(s, kOf(shopK), around)
		c.Seed, c.Samples, c.Test, c.Growth.Leaf = seed, 100, 60, 5
		r, err := Explain(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Predicates {
			p := &r.Predicates[i]
			for side, printed := range []Mean{p.Inside, p.Outside} {
				sum, total := 0.0, 0.0
				for _, x := range all {
					if p.Holds.Holds(x) == (side == 0) {
						sum, total = sum+weight(x)*float64(shopK(x)), total+weight(x)
					}
				}
				intervals++
				if truth := sum / total; truth < printed.Low || truth > printed.High {
					misses++
				}
				if printed.High-printed.Low >= 15 {
					t.Fatalf("%+v says nothing", printed)
				}
			}
		}
	}
	t.Logf("%d of %d intervals miss the truth", misses, intervals)
	if intervals < 200 || float64(misses) > (1-Confidence)*float64(intervals) {
		t.Errorf("%d of %d intervals miss the truth", misses, intervals)
	}
}

// Ties: at least the quantile, and more than the least.
func TestLabels(t *testing.T) {
	repeat := func(k float64, n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = k
		}
		return out
	}
	for _, c := range []struct {
		name            string
		ks              []float64
		threshold, high int
	}{
		{"one in twenty", append(repeat(1, 95), repeat(7, 5)...), 2, 5}, // the 95th of 100 is 1, the least
		{"six in a hundred", append(repeat(1, 94), repeat(7, 6)...), 7, 6},
		{"ties at the quantile", append(repeat(1, 50), append(repeat(5, 45), repeat(9, 5)...)...), 5, 50},
		{"all equal", repeat(3, 40), 4, 0},
		{"most are at the top", append(repeat(1, 10), repeat(20, 90)...), 20, 90},
	} {
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(c.ks), func(i, k int) { c.ks[i], c.ks[k] = c.ks[k], c.ks[i] })
		e := &explainer{Config: defaults(shop(), nil, nil)}
		got := e.label(c.ks)
		if got.Threshold != c.threshold || got.High != c.high {
			t.Errorf("%s: threshold %d, %d high; want %d, %d", c.name, got.Threshold, got.High, c.threshold, c.high)
		}
		for i, k := range c.ks {
			if e.high[i] != (k >= float64(c.threshold)) {
				t.Errorf("%s: k = %v is high: %v", c.name, k, e.high[i])
			}
		}
	}
}

// The default δ follows the range of k, up to the paper's 3.
func TestDeltaFollowsTheRange(t *testing.T) {
	for most, want := range map[int]float64{2: 0.25, 5: 1, 13: 3, 20: 3} {
		c := defaults(shop(), kOf(func(x []float64) int { return 1 + int(x[0])/10*(most-1) }), [][]float64{{9, 0, 2, 0}})
		c.Samples, c.Test = 300, 100
		r, err := Explain(t.Context(), c)
		if err != nil || r.Sample.KMost != most || r.Delta != want || len(r.Predicates) != 1 || r.Predicates[0].Text != "hours >= 10" {
			t.Errorf("k from 1 to %d: %+v, %v; want δ = %v", most, r, err, want)
		}
	}
}

// Without an explanation the result says why.
func TestNothingToExplain(t *testing.T) {
	s := shop()
	for says, k := range map[string]kOf{
		"all 300 neighbours have k = 4": func([]float64) int { return 4 },
		"none of ":                      func(x []float64) int { return 1 + int(x[0])/10 },
	} {
		c := defaults(s, k, [][]float64{{9, 0, 2, 0}})
		c.Samples, c.Test = 300, 100
		three := 3.0
		c.Delta = &three
		r, err := Explain(t.Context(), c)
		if err != nil || len(r.Predicates) > 0 || !strings.Contains(r.Nothing, says) {
			t.Errorf("%+v, %v; want %q", r, err, says)
		}
		for _, p := range r.Rejected {
			if !strings.Contains(p.Rejected, "less than δ = 3") {
				t.Errorf("rejected because %q", p.Rejected)
			}
		}
	}
}

// Equal seeds give equal JSON, bit for bit.
func TestExplanationsRepeat(t *testing.T) {
	var texts [2]string
	for i := range texts {
		st, e := loan(t)
		c := defaults(st.Space, e, worstOf(st.Space, e, 5, 500, 4))
		c.Samples, c.Test = 1000, 200
		r, err := Explain(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.Tree.JSON(st.Space)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal([]any{r.Sample, r.Predicates, r.Rejected, r.Alpha, tree})
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if d := cmp.Diff(texts[0], texts[1]); d != "" {
		t.Error(d)
	}
}

func TestMistakesAndInterrupts(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"samples":       func(c *Config) { c.Samples = 1 },
		"to test with":  func(c *Config) { c.Test = 0 },
		"quantile":      func(c *Config) { c.Quantile = math.NaN() },
		"spread":        func(c *Config) { c.Spread = math.Inf(1) },
		"delta":         func(c *Config) { nan := math.NaN(); c.Delta = &nan },
		"depth":         func(c *Config) { c.Growth.Depth = 0 },
		"alpha":         func(c *Config) { a := -1.0; c.Alpha = &a },
		"bins":          func(c *Config) { c.Bins = 0 },
		"no individual": func(c *Config) { c.Around = nil },
		"outside":       func(c *Config) { c.Around = [][]float64{{11, 0, 1, 0}} },
	} {
		c := defaults(shop(), kOf(shopK), [][]float64{{9, 0, 2, 0}})
		change(&c)
		if _, err := Explain(t.Context(), c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Explain(ctx, defaults(shop(), kOf(shopK), [][]float64{{9, 0, 2, 0}})); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted, it ends with %v", err)
	}
}
