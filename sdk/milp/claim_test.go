package milp_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/milp"
	"github.com/hyfair/hyfair/sdk/problem"
)

func TestWithoutColumns(t *testing.T) {
	for _, c := range []struct {
		lo     float64
		status sdk.Status
	}{{-1, sdk.Feasible}, {1, sdk.Infeasible}} {
		q := milp.Question{MILP: &problem.MILP{Rows: []problem.Row{{Lo: c.lo, Hi: 2}}, Objective: problem.Objective{Offset: 3}}, Tolerance: 1e-6}
		r := q.WithoutColumns("empty")
		if r.Status != c.status || r.Native != "empty" || r.Tolerance != 1e-6 || r.HasPoint() != (c.status == sdk.Feasible) || r.HasPoint() && r.Objective != 3 {
			t.Errorf("0 from %g: %+v, want %v", c.lo, r, c.status)
		}
	}
}

func TestNoPointWithoutTheObjectiveEither(t *testing.T) {
	q := asked(true, sdk.SolveOptions{})
	point, r, err := q.SettleUnbounded(5, func(milp.Question) (*sdk.Result, error) { return &sdk.Result{Status: sdk.Infeasible, Nodes: 1}, nil })
	if point != nil || err != nil || r.Status != sdk.Infeasible || r.Nodes != 6 {
		t.Errorf("%v, %+v, %v; want the answer without a point", point, r, err)
	}
	odd := errors.New("odd")
	if point, r, err := q.SettleUnbounded(5, func(milp.Question) (*sdk.Result, error) { return nil, odd }); point != nil || r != nil || !errors.Is(err, odd) {
		t.Errorf("%v, %v, %v; want the error alone", point, r, err)
	}
}

// What a solver leaves out is bounded, and what it does not take is refused.
func TestRange(t *testing.T) {
	r := milp.Range{Solver: "Odd", Smallest: 1e-9, Entry: 1e6, Cost: 1e8}
	ask := func(entry, cost, hi float64) (float64, error) {
		return r.Lost(&problem.MILP{
			Columns:   []problem.Column{{Hi: 1}, {Lo: -4, Hi: hi}},
			Rows:      []problem.Row{{Name: "r", Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 1, Coef: entry}}}},
			Objective: problem.Objective{Terms: []problem.Term{{Column: 0, Coef: cost}}},
		})
	}
	for entry, want := range map[float64]float64{1: 0, 2e-9: 0, 1e-9: 4e-9, -1e-9: 4e-9, 0: 0} {
		if lost, err := ask(entry, 1, 2); err != nil || lost != want {
			t.Errorf("entry %g: %g, %v; want %g lost", entry, lost, err, want)
		}
	}
	for words, bad := range map[string][3]float64{
		"row 0 (r) has the coefficient -1e+06 at column 1; Odd takes only absolute values below 1e+06":    {-1e6, 1, 2},
		"row 0 (r) has a coefficient of at most 1e-09 at a column without bounds; Odd would leave it out": {1e-9, 1, math.Inf(1)},
		"the objective has the coefficient 1e+08 at column 0; Odd takes only absolute values below 1e+08": {1, 1e8, 2},
	} {
		if _, err := ask(bad[0], bad[1], bad[2]); !errors.Is(err, sdk.ErrUnsupported) || !strings.HasSuffix(err.Error(), words) {
			t.Errorf("%v: error %v, want %q", bad, err, words)
		}
	}
}
