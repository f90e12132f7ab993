package crosscheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestRelaxedMaximaArePairs asks solver-bnb for the largest gap or margin between
// two people on public networks who may differ in age and hours, of all ages and
// hours in a part of the space, and looks at every such pair.
func TestRelaxedMaximaArePairs(t *testing.T) {
	tier.NeedUsual(t)
	dataRoot(t)
	solver, _ := plugintest.Solver(t, "bnb")
	found := 0
	for i, model := range []string{"AC-1", "AC-3", "AC-6", "AC-8", "AC-1", "AC-6", "AC-8", "AC-10"} {
		notion := fairness.Notions[i%len(fairness.Notions)]
		t.Run(fmt.Sprintf("%s/%s", model, notion), func(t *testing.T) {
			q := adultBySex(t, model, notion, "all")
			q.Goal, q.Region = problem.Maximise, q.Space.Whole()
			r := rand.New(rand.NewPCG(uint64(i), 32))
			for j := range q.Space.Features {
				f := &q.Space.Features[j]
				width := map[string]float64{"age": 30, "hours-per-week": 20}[f.Name]
				lo := f.Lo + float64(r.IntN(int(f.Hi-f.Lo-width)+1))
				q.Region.Box[j] = space.Interval{Lo: lo, Hi: lo + width}
				if width > 0 {
					q.Relax = append(q.Relax, problem.RelaxedFeature{Feature: j, Tolerance: width / 10})
				}
			}
			most := known.NearPairs(q)
			got, err := solver.Solve(t.Context(), &problem.Problem{Query: q}, sdk.SolveOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if math.IsInf(most, -1) {
				if got.Status != sdk.Infeasible {
					t.Errorf("%s, and no pair is comparable", got.Status)
				}
				return
			}
			found++
			if slip := 1e-8 * max(1, math.Abs(most)); got.Status != sdk.Optimal || math.Abs(got.Objective-most) > slip || math.Abs(got.Bound-most) > slip {
				t.Errorf("%s: %v, at most %v; of all pairs the largest has %v", got.Status, got.Objective, got.Bound, most)
			}
		})
	}
	if found < 6 {
		t.Errorf("only %d questions have a comparable pair", found)
	}
}
