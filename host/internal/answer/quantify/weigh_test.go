package quantify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestSharesOfPopulations compares proved shares of people with their sum over all individuals: regions, constraints,
// one class and several.
func TestSharesOfPopulations(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	some := 0
	for seed := range uint64(tier.Count(40, 800)) {
		r := rand.New(rand.NewPCG(seed, 17))
		q := tiny(r, fairness.Notions[seed%uint64(len(fairness.Notions))])
		rows := make([][]float64, 60)
		for i := range rows {
			rows[i] = q.Space.Draw(q.Space.Whole().Box, r)
			if r.IntN(2) == 0 {
				rows[i] = rows[0]
			}
		}
		people, err := population.Of(t.Context(), 1+r.IntN(3), q.Space, rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		var all, bad float64
		box := append(space.Box(nil), q.Region.Box...)
		exact := q.Model.Exact()
		everybody(q, func(x []float64) {
			for _, i := range q.Space.Free() {
				box[i] = space.Interval{Lo: x[i], Hi: x[i]}
			}
			mass, _ := people.Mass(box)
			switch truth(q, exact, x) {
			case unfair:
				bad += mass
				all += mass
			case fair:
				all += mass
			}
		})
		rep, err := Run(t.Context(), q, Options{Solver: solver, Description: description, Samples: 300, Seed: 3, Population: people})
		if err != nil || len(rep.Faults) > 0 {
			t.Fatalf("seed %d: %v, %v", seed, err, rep.Faults)
		}
		if all == 0 {
			if !rep.Nobody() {
				t.Errorf("seed %d: nobody is asked about, and %+v", seed, rep)
			}
			continue
		}
		lo, _ := rep.Unfair.Float64()
		left, _ := rep.Fair.Float64()
		if want := bad / all; !(lo <= want+1e-12 && want-1e-12 <= 1-left) || math.Abs(want-lo) > 1e-9 || math.Abs(1-left-want) > 1e-9 {
			t.Errorf("seed %d: proved %v to %v, and %v are unfair", seed, lo, 1-left, want)
		}
		if s := rep.Sampled; s.N > 100 && bad > 0 && bad < all {
			if some++; math.Abs(s.Share()-bad/all) > 0.2 {
				t.Errorf("seed %d: %v of a sample are unfair, and %v of all", seed, s.Share(), bad/all)
			}
		}
	}
	if some < 10 {
		t.Errorf("only %d questions about some people", some)
	}
}
