package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestOptimumEqualsEnumeration(t *testing.T) { milptest.Optima(t, rig.Need(t, solver)) }

// drawNetwork draws a network of one hidden layer on few integers, encoded with big-M
// rows, and returns its largest output, too. Its phases come last, so that lp_solve gets
// the columns in another order.
func drawNetwork(t *rapid.T) (*problem.MILP, float64) {
	number := func(what string) float64 { return float64(rapid.IntRange(-20, 20).Draw(t, what)) / 4 }
	inputs, neurons := rapid.IntRange(1, 3).Draw(t, "inputs"), rapid.IntRange(1, 4).Draw(t, "neurons")
	m := &problem.MILP{Objective: problem.Objective{Maximise: true, Offset: number("offset")}}
	for range inputs {
		lo := float64(rapid.IntRange(-3, 2).Draw(t, "lo"))
		m.Columns = append(m.Columns, problem.Column{Lo: lo, Hi: lo + float64(rapid.IntRange(0, 5).Draw(t, "width")), Integer: true, Role: problem.RoleInput})
	}
	weights, biases, outs := make([][]float64, neurons), make([]float64, neurons), make([]float64, neurons)
	for j := range neurons {
		biases[j], outs[j] = number("bias"), number("out")
		lo, hi := biases[j], biases[j]
		var sum []problem.Term
		for i := range inputs {
			w := number("weight")
			weights[j] = append(weights[j], w)
			lo += min(w*m.Columns[i].Lo, w*m.Columns[i].Hi)
			hi += max(w*m.Columns[i].Lo, w*m.Columns[i].Hi)
			if w != 0 {
				sum = append(sum, problem.Term{Column: i, Coef: -w})
			}
		}
		lo, hi = min(lo, 0), max(hi, 0)
		y, phase := len(m.Columns), len(m.Columns)+1
		m.Columns = append(m.Columns, problem.Column{Hi: hi}, problem.Column{Hi: 1, Integer: true, Role: problem.RoleReLU, Priority: 1})
		sum = append(sum, problem.Term{Column: y, Coef: 1})
		m.Rows = append(m.Rows,
			problem.Row{Lo: biases[j], Hi: inf, Terms: sum},
			problem.Row{Lo: noBound, Hi: biases[j] - lo, Terms: append(sum[:len(sum):len(sum)], problem.Term{Column: phase, Coef: -lo})},
			problem.Row{Lo: noBound, Hi: 0, Terms: []problem.Term{{Column: phase, Coef: -hi}, {Column: y, Coef: 1}}})
		m.Objective.Terms = append(m.Objective.Terms, problem.Term{Column: y, Coef: outs[j]})
	}
	best, x := math.Inf(-1), make([]float64, inputs)
	var walk func(i int)
	walk = func(i int) {
		if i < inputs {
			for x[i] = m.Columns[i].Lo; x[i] <= m.Columns[i].Hi; x[i]++ {
				walk(i + 1)
			}
			return
		}
		out := m.Objective.Offset
		for j := range neurons {
			sum := biases[j]
			for i, w := range weights[j] {
				sum += w * x[i]
			}
			out += outs[j] * max(sum, 0)
		}
		best = max(best, out)
	}
	walk(0)
	return m, best
}

// The largest output of a network, and feasibility on either side of it.
func TestNetworksEqualEnumeration(t *testing.T) {
	s := rig.Need(t, solver)
	rapid.Check(t, func(t *rapid.T) {
		ask := func(m *problem.MILP, o sdk.SolveOptions) *sdk.Result {
			return milptest.Solve(t, s, m, o)
		}
		for range 2 { // rapid's 100 draws, two networks each
			m, best := drawNetwork(t)
			if r := ask(m, sdk.SolveOptions{}); r.Status != sdk.Optimal || math.Abs(r.Objective-best) > 1e-5 || !r.HasBound || math.Abs(r.Bound-best) > 1e-5 {
				t.Fatalf("%v (%v) at %v, bound %v; enumeration finds %v", r.Status, r.Reason, r.Objective, r.Bound, best)
			}
			limited := ask(m, sdk.SolveOptions{WorkLimit: 2})
			if limited.HasBound && limited.Bound < best-1e-5 {
				t.Fatalf("after two nodes, the bound %v cuts off %v", limited.Bound, best)
			}
			for margin, want := range map[float64]sdk.Status{-0.125: sdk.Feasible, 0.125: sdk.Infeasible} {
				d := *m
				d.Objective = problem.Objective{}
				d.Rows = append(d.Rows[:len(d.Rows):len(d.Rows)], problem.Row{Lo: best + margin - m.Objective.Offset, Hi: inf, Terms: m.Objective.Terms})
				if r := ask(&d, sdk.SolveOptions{}); r.Status != want || r.Reason != sdk.NoReason {
					t.Fatalf("at least the best %+v: %v (%v), want %v", margin, r.Status, r.Reason, want)
				}
				target := best + margin
				r := ask(m, sdk.SolveOptions{Target: &target})
				if reached := r.Status == sdk.Feasible; reached && r.Objective < target || !reached && r.Status != sdk.Optimal || r.Status == sdk.Feasible && margin > 0 {
					t.Fatalf("target %v: %v at %v, the best is %v", target, r.Status, r.Objective, best)
				}
			}
		}
	})
}
