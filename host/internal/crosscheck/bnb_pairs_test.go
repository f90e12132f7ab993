package crosscheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
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
			most, some := largestPair(q)
			got, err := solver.Solve(t.Context(), &problem.Problem{Query: q}, sdk.SolveOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !some {
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

// largestPair is the largest gap or margin of two copies that a relaxed query
// compares, about, by looking at all.
func largestPair(q *problem.Query) (most float64, some bool) {
	type copied struct {
		point []float64
		logit float64
	}
	reach := q.Region.Clone()
	tolerance := map[int]float64{}
	for _, r := range q.Relax {
		f, box := &q.Space.Features[r.Feature], &reach.Box[r.Feature]
		*box = space.Interval{Lo: max(f.Lo, box.Lo-r.Tolerance), Hi: min(f.Hi, box.Hi+r.Tolerance)}
		tolerance[r.Feature] = r.Tolerance
	}
	collect := func(region space.Region) (out []copied) {
		x := make([]float64, len(q.Space.Features))
		var each func(left []int)
		each = func(left []int) {
			if len(left) == 0 {
				for _, c := range q.Space.Counterfactuals(region, x) {
					out = append(out, copied{slices.Clone(c), q.Model.Logit(q.Space.NetworkInputs(nil, c))})
				}
				return
			}
			for v := region.Box[left[0]].Lo; v <= region.Box[left[0]].Hi; v++ {
				x[left[0]] = v
				each(left[1:])
			}
		}
		each(q.Space.Free())
		return out
	}
	second := collect(reach)
	most = math.Inf(-1)
	for _, one := range collect(q.Region) {
	pairs:
		for _, two := range second {
			differ := false
			for i, x := range one.point {
				switch apart := math.Abs(x - two.point[i]); {
				case q.Space.Features[i].IsProtected():
					differ = differ || apart > 0
				case apart > tolerance[i]:
					continue pairs
				}
			}
			high, low := max(one.logit, two.logit), min(one.logit, two.logit)
			if !differ || q.Notion == fairness.Decision && low > 0 {
				continue
			}
			switch q.Notion {
			case fairness.Score:
				high = fairness.Sigmoid(high) - fairness.Sigmoid(low)
			case fairness.Logit:
				high -= low
			case fairness.DecisionStrict:
				high = min(high, -low)
			}
			most, some = max(most, high), true
		}
	}
	return most, some
}
