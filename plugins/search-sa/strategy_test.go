package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/space"
)

// line is one integer feature; row i is the individual i.
func line(n int) (*space.Space, [][]float64) {
	s := &space.Space{Features: []space.Feature{
		{Name: "at", Kind: space.Integer, Lo: 0, Hi: float64(n - 1)},
		{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}}
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{float64(i), 1}
	}
	return s, rows
}

func TestAcceptanceRatio(t *testing.T) {
	cases := []struct {
		current, candidate float64
		round              int64
		set                map[string]string
		want               float64
	}{
		{3, 3, 0, nil, 1},
		{3, 5, 0, nil, 1},
		{3, 2, 0, nil, 0.36787944117144233},  // e^−1
		{5, 2, 0, nil, 0.049787068367863944}, // e^−3
		{3, 2, 1, nil, 0.36603536234403355},  // e^(−1/0.995)
		{4, 2, 100, nil, 0.03683},            // Temp = 0.60577
		{2, 1, 10_000, nil, 0},               // the floor: e^−1000
		{2, 1, 10_000, map[string]string{"floor": "0.5"}, 0.1353352832366127},         // e^−2
		{2, 1, 10_000, map[string]string{"schedule": "constant"}, 0.3678794411714423}, // Temp = 1
		{2, 1, 10, map[string]string{"schedule": "constant", "start": "2"}, 0.6065306597126334},
		{2, 1, 0, map[string]string{"schedule": "logarithmic"}, 0.3678794411714423}, // ln e = 1
		{2, 1, 17, map[string]string{"schedule": "logarithmic", "floor": "1e-9"}, 1 / (math.E + 17)},
		{3, 2, 2, map[string]string{"rate": "0.5"}, 0.01831563888873418}, // e^−4
	}
	for _, c := range cases {
		set, err := parse(c.set)
		if err != nil {
			t.Fatal(err)
		}
		if got := set.ratio(c.current, c.candidate, c.round); math.Abs(got-c.want) > 2e-5 {
			t.Errorf("k %v to %v in round %d with %v: ratio %v, want %v", c.current, c.candidate, c.round, c.set, got, c.want)
		}
	}
}

func TestAcceptFollowsTheRatio(t *testing.T) {
	set, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &annealing{settings: set}
	rng := rand.New(rand.NewPCG(4, 2))
	const draws = 20_000
	var worse int
	for range draws {
		if !a.Accept(rng, 3, 3, 0) || !a.Accept(rng, 1, 9, 500) {
			t.Fatal("a candidate that is no worse was rejected")
		}
		if a.Accept(rng, 2, 1, 20_000) {
			t.Fatal("a worse candidate was accepted at the floor, where the odds are e^−1000")
		}
		if a.Accept(rng, 3, 2, 0) {
			worse++
		}
	}
	if share := float64(worse) / draws; math.Abs(share-1/math.E) > 0.015 {
		t.Errorf("accepted a k one worse at temperature 1 in a share %.4f of draws, want about e^−1 = 0.3679", share)
	}
}

// propose counts candidates around the individual 50 of 100.
func propose(t *testing.T, options map[string]string, draws int) map[float64]int {
	t.Helper()
	s, rows := line(100)
	session, err := strategy{}.Start(context.Background(), s, sdk.StartOptions{Seed: 5, Rows: rows, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[float64]int{}
	told := []sdk.Trial(nil)
	for i := range draws {
		// Each round: the individual 50 with a record k, then the candidate, which has no k.
		moves, err := session.Next(context.Background(), told, 1)
		if err != nil {
			t.Fatal(err)
		}
		m := moves[0]
		trial := sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: []float64{50, 0}, K: i + 2}
		if m.Kind == sdk.MovePoint {
			counts[m.Point[0]]++
			trial.K, trial.Point = 1, m.Point
		}
		told = []sdk.Trial{trial}
	}
	return counts
}

func TestCandidates(t *testing.T) {
	// A floor keeps worse candidates out and the chain at 50.
	cold := map[string]string{"schedule": "constant", "start": "0.001"}
	with := func(more map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range []map[string]string{cold, more} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	const draws = 20_000
	near := []float64{45, 46, 47, 48, 49, 51, 52, 53, 54, 55}

	counts := propose(t, with(nil), draws)
	total, at50 := sum(counts), counts[50]
	if share := float64(at50) / float64(total); math.Abs(share-(0.9+0.1/100)) > 0.01 {
		t.Errorf("sa proposed the current individual in a share %.4f, want about 0.901", share)
	}
	if len(counts) != 100 {
		t.Errorf("sa proposed %d of the 100 rows", len(counts))
	}

	counts = propose(t, with(map[string]string{"candidate": "knn", "p": "1"}), draws)
	total = sum(counts)
	if len(counts) != len(near) {
		t.Errorf("sa+knn with p = 1 proposed %v; want the ten nearest alone", counts)
	}
	for _, x := range near {
		if share := float64(counts[x]) / float64(total); math.Abs(share-0.1) > 0.015 {
			t.Errorf("sa+knn proposed %v in a share %.4f, want about 0.1", x, share)
		}
	}

	counts = propose(t, with(map[string]string{"candidate": "knn", "p": "0", "neighbours": "2"}), draws)
	if len(counts) != 100 {
		t.Errorf("sa+knn with p = 0 proposed %d of the 100 rows", len(counts))
	}
}

func sum(counts map[float64]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func TestOptionsAreChecked(t *testing.T) {
	rig.Options(t, options, parse, map[string][]string{
		"p":          {"", "-0.1", "1.5", "NaN", "x"},
		"patience":   {"-1", "0.5"},
		"neighbours": {"0", "2.5", "1e12", "-3"},
		"schedule":   {"", "exponential"},
		"candidate":  {"", "neighbour"},
		"start":      {"0", "-1", "Inf", "NaN"},
		"rate":       {"0", "1.1"},
		"floor":      {"0", "NaN"},
	})
}

func TestKNNWithoutRowsIsRefused(t *testing.T) {
	s, rows := line(10)
	cut, _, err := s.Cut(s.Whole(), space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 8, Hi: 9}}})
	if err != nil {
		t.Fatal(err)
	}
	o := sdk.StartOptions{Region: cut, Rows: rows[:5], Options: map[string]string{"candidate": "knn"}}
	if _, err := (strategy{}).Start(context.Background(), s, o); !errors.Is(err, sdk.ErrInvalidOption) {
		t.Errorf("error %v, want ErrInvalidOption", err)
	}
	o.Options = nil
	if _, err := (strategy{}).Start(context.Background(), s, o); err != nil {
		t.Errorf("plain sa needs no rows, but: %v", err)
	}
}

// Same seed, same moves; another seed, others.
func TestMovesFollowFromTheSeed(t *testing.T) {
	s, rows := line(100)
	for _, candidate := range []string{"current", "knn"} {
		o := sdk.StartOptions{Seed: 7, Rows: rows, Options: map[string]string{"candidate": candidate}}
		host.SameSeed(t, func() sdk.Strategy { return strategy{} }, s, o, 300)
	}
}
