package main

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// stored is a MILP in the format of testdata: an absent end of a range is infinite.
type stored struct {
	Columns   []storedColumn
	Rows      []storedRow
	Maximise  bool
	Objective []problem.Term
}

type storedColumn struct {
	Range          [2]*float64
	Integer, Phase bool
}

type storedRow struct {
	Range [2]*float64
	Terms []problem.Term
}

func ends(of [2]*float64) (lo, hi float64) {
	lo, hi = noBound, inf
	if of[0] != nil {
		lo = *of[0]
	}
	if of[1] != nil {
		hi = *of[1]
	}
	return lo, hi
}

func (s *stored) milp() *problem.MILP {
	m := &problem.MILP{Objective: problem.Objective{Maximise: s.Maximise, Terms: s.Objective}}
	for _, c := range s.Columns {
		role := problem.RoleOther
		if c.Phase {
			role = problem.RoleReLU
		}
		lo, hi := ends(c.Range)
		m.Columns = append(m.Columns, problem.Column{Lo: lo, Hi: hi, Integer: c.Integer, Role: role})
	}
	for _, r := range s.Rows {
		lo, hi := ends(r.Range)
		m.Rows = append(m.Rows, problem.Row{Lo: lo, Hi: hi, Terms: r.Terms})
	}
	return m
}

// endless.json asks for the largest margin of a tiny random network, on which the first
// member descends forever; its optimum is from an exhaustive enumeration.
func TestEndlessDescentIsLeft(t *testing.T) {
	tier.NeedUsual(t)
	text, err := os.ReadFile("testdata/endless.json")
	if err != nil {
		t.Fatal(err)
	}
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	limit := sdk.SolveOptions{WorkLimit: 200_000} // ends the test if the search becomes endless again
	r := solve(t, s.milp(), limit)
	if r.Status != sdk.Optimal || math.Abs(r.Objective-6.9921875) > 1e-5 || !r.HasBound || math.Abs(r.Bound-6.9921875) > 1e-5 {
		t.Errorf("%v (%v) at %v, bound %v, after %d nodes", r.Status, r.Reason, r.Objective, r.Bound, r.Nodes)
	}
}
