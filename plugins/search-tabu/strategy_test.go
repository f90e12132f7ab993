package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) { rig.Main(m, main) }

func TestConformance(t *testing.T) { rig.Conformance(t, client.Strategy) }

func TestOptionsOutOfRange(t *testing.T) {
	rig.Options(t, options, parse, map[string][]string{
		"candidates": {"0", "4097", "2.5"}, "tenure": {"-1", "much"}, "patience": {"0", "-3"},
	})
}

// search drives a session over two features of ten values each, with height as k, and
// returns where the walk was at each step: after a start, at the best candidate of the
// previous step that is not tabu.
func search(t *testing.T, set map[string]string, moves int, height func(x []float64) int) (stood [][]float64, steps []int64) {
	t.Helper()
	s := &space.Space{Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: 0, Hi: 9}, {Name: "b", Kind: space.Integer, Lo: 0, Hi: 9},
		{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}}
	opened, err := strategy{}.Start(t.Context(), s, sdk.StartOptions{Seed: 4, Options: set, Rows: [][]float64{{5, 5, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	w := opened.(*session).walks[0]
	var told []sdk.Trial
	for range moves {
		made, err := opened.Next(t.Context(), told, 1)
		if err != nil || len(made) != 1 {
			t.Fatalf("%v, %v", made, err)
		}
		if n := len(steps); n == 0 || steps[n-1] != made[0].Round {
			stood, steps = append(stood, w.at.x), append(steps, made[0].Round)
		}
		told = []sdk.Trial{{ID: made[0].ID, Status: sdk.TrialEvaluated, Point: made[0].Point, K: height(made[0].Point)}}
	}
	return stood, steps
}

// Steps go up at first, then down from the local optimum. A value that was left does not
// return while it is tabu, except for a new best individual.
func TestSteps(t *testing.T) {
	const tenure = 6
	height := func(x []float64) int { return int(x[0] + x[1]) }
	stood, steps := search(t, map[string]string{"candidates": "200", "tenure": "6", "patience": "1000"}, 200*30, height)
	best, down, left := 0, 0, map[value]int64{}
	for i := 2; i < len(stood); i++ { // 0 is before the start, 1 the start
		from, to := stood[i-1], stood[i]
		for f := range 2 {
			if from[f] == to[f] {
				continue
			}
			if at, was := left[value{f, to[f]}]; was && steps[i] <= at+tenure && height(to) <= best {
				t.Errorf("step %d: feature %d is %v again, which it left in step %d", steps[i], f, to[f], at)
			}
			left[value{f, from[f]}] = steps[i]
		}
		if height(to) < height(from) {
			down++
		}
		best = max(best, height(to))
	}
	if height(stood[2]) != 14 || best != 18 || down < 5 {
		t.Errorf("%v: the best is %d, %d steps go downhill", stood, best, down)
	}
}

// Without progress a walk starts again, and a refused start is tried again.
func TestPatience(t *testing.T) {
	stood, _ := search(t, map[string]string{"candidates": "3", "patience": "4"}, 100, func([]float64) int { return 2 })
	starts := 0
	for _, x := range stood {
		if x == nil {
			starts++
		}
	}
	if starts < 100/(3*4+1) {
		t.Errorf("%d starts", starts)
	}
	s, err := strategy{}.Start(t.Context(), &space.Space{Features: []space.Feature{{Name: "a", Kind: space.Integer, Lo: 0, Hi: 9}}}, sdk.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var told []sdk.Trial
	for i := range int64(20) {
		moves, err := s.Next(t.Context(), told, 8)
		if err != nil || len(moves) != 1 || moves[0].Round != i {
			t.Fatalf("%+v, %v", moves, err)
		}
		told = []sdk.Trial{{ID: moves[0].ID, Status: sdk.TrialRefused}}
	}
}

// A neighbour equal to the current individual, as constraints may leave no other, makes
// no value tabu. A trial of an unknown move is an error.
func TestNothingChanges(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: 0, Hi: 1}, {Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}, Forbidden: []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 1, Hi: 1}}}}}
	opened, err := strategy{}.Start(t.Context(), s, sdk.StartOptions{Options: map[string]string{"candidates": "2"}, Rows: [][]float64{{0, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	var told []sdk.Trial
	for range 20 {
		moves, err := opened.Next(t.Context(), told, 1)
		if err != nil || len(moves) != 1 || moves[0].Point[0] != 0 {
			t.Fatalf("%+v, %v", moves, err)
		}
		told = []sdk.Trial{{ID: moves[0].ID, Status: sdk.TrialEvaluated, Point: moves[0].Point, K: 2}}
	}
	if w := opened.(*session).walks[0]; w.step < 5 || len(w.tabu) > 0 {
		t.Errorf("%d steps, tabu %v", w.step, w.tabu)
	}
	if _, err := opened.Next(t.Context(), []sdk.Trial{{ID: 999}}, 1); err == nil || err.Error() != "got the trial of move 999, which is not pending" {
		t.Errorf("error %v", err)
	}
}
