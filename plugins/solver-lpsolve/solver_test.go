package main

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

var noBound = math.Inf(-1)

func TestAnswers(t *testing.T) {
	integers := func(n int, lo, hi float64) []problem.Column {
		out := make([]problem.Column, n)
		for i := range out {
			out[i] = problem.Column{Lo: lo, Hi: hi, Integer: true}
		}
		return out
	}
	reals := func(n int, lo, hi float64) []problem.Column {
		out := integers(n, lo, hi)
		for i := range out {
			out[i].Integer = false
		}
		return out
	}
	maximise := func(coefs ...float64) problem.Objective {
		return problem.Objective{Maximise: true, Terms: terms(coefs...)}
	}
	for _, c := range []struct {
		name   string
		milp   problem.MILP
		status sdk.Status
		reason sdk.Reason
		best   float64
	}{
		{
			name: "knapsack",
			milp: problem.MILP{Columns: integers(4, 0, 1), Rows: []problem.Row{{Lo: noBound, Hi: 10, Terms: terms(5, 4, 6, 3)}},
				Objective: maximise(10, 40, 30, 50)},
			status: sdk.Optimal, best: 90,
		},
		{
			name: "offset and minimise",
			milp: problem.MILP{Columns: integers(2, 0, 9), Rows: []problem.Row{{Lo: 7, Hi: inf, Terms: terms(2, 3)}},
				Objective: problem.Objective{Offset: 100, Terms: terms(1, 2)}},
			status: sdk.Optimal, best: 104,
		},
		{
			name: "mixed, optimum off the integers",
			milp: problem.MILP{Columns: append(integers(1, 0, 10), reals(1, 0, 10)...), Rows: []problem.Row{{Lo: noBound, Hi: 7.5, Terms: terms(2, 1)}},
				Objective: maximise(3, 1)},
			status: sdk.Optimal, best: 10.5,
		},
		{
			name: "infeasible",
			milp: problem.MILP{Columns: integers(2, 0, 1), Rows: []problem.Row{{Lo: 3, Hi: inf, Terms: terms(1, 1)}},
				Objective: maximise(1, 1)},
			status: sdk.Infeasible,
		},
		{
			name: "relaxation feasible, integers not",
			milp: problem.MILP{Columns: integers(2, 0, 10), Rows: []problem.Row{{Lo: 5, Hi: 5, Terms: terms(2, 4)}},
				Objective: maximise(1, 0)},
			status: sdk.Infeasible,
		},
		{
			name:   "no integer between the bounds",
			milp:   problem.MILP{Columns: integers(1, 0.3, 0.7), Objective: maximise(1)},
			status: sdk.Infeasible,
		},
		{
			name:   "fractional bounds round inwards",
			milp:   problem.MILP{Columns: integers(1, 0.3, 4.7), Objective: maximise(1)},
			status: sdk.Optimal, best: 4,
		},
		{
			name:   "feasibility question",
			milp:   problem.MILP{Columns: integers(2, 0, 10), Rows: []problem.Row{{Lo: 7, Hi: 7, Terms: terms(2, 3)}}},
			status: sdk.Feasible,
		},
		{
			name:   "no rows",
			milp:   problem.MILP{Columns: integers(2, -3, 4), Objective: maximise(2, -1)},
			status: sdk.Optimal, best: 11,
		},
		{name: "nothing at all", status: sdk.Feasible},
		{
			name:   "no columns, rows hold",
			milp:   problem.MILP{Rows: []problem.Row{{Lo: -1, Hi: 0}}, Objective: problem.Objective{Offset: 3}},
			status: sdk.Feasible, best: 3,
		},
		{
			name:   "no columns, a row does not hold",
			milp:   problem.MILP{Rows: []problem.Row{{Lo: 1, Hi: 2}}},
			status: sdk.Infeasible,
		},
		{
			name:   "a row without terms that does not hold",
			milp:   problem.MILP{Columns: integers(1, 0, 1), Rows: []problem.Row{{Lo: 1, Hi: 2}}, Objective: maximise(1)},
			status: sdk.Infeasible,
		},
		{
			name: "linear",
			milp: problem.MILP{Columns: reals(2, 0, inf), Rows: []problem.Row{{Lo: noBound, Hi: 4, Terms: terms(1, 2)}, {Lo: noBound, Hi: 5, Terms: terms(3, 1)}},
				Objective: maximise(1, 1)},
			status: sdk.Optimal, best: 2.6,
		},
		{
			name:   "linear, infeasible",
			milp:   problem.MILP{Columns: reals(2, 0, 1), Rows: []problem.Row{{Lo: 2.5, Hi: inf, Terms: terms(1, 1)}}, Objective: maximise(1, 0)},
			status: sdk.Infeasible,
		},
		{
			name: "linear, unbounded",
			milp: problem.MILP{Columns: reals(2, 0, inf), Rows: []problem.Row{{Lo: noBound, Hi: 1, Terms: terms(1, -1)}},
				Objective: maximise(1, 0)},
			status: sdk.Feasible, reason: sdk.Other,
		},
		{
			name:   "linear, unbounded, no rows",
			milp:   problem.MILP{Columns: reals(1, noBound, inf), Objective: maximise(-1)},
			status: sdk.Feasible, reason: sdk.Other,
		},
		{
			// lp_solve's guess of the least step between objectives cuts this off.
			name: "integers beside an offset",
			milp: problem.MILP{Columns: integers(2, 0, 2), Rows: []problem.Row{{Lo: noBound, Hi: 3, Terms: terms(2, 2)}},
				Objective: problem.Objective{Offset: 1, Terms: terms(-1)}},
			status: sdk.Optimal, best: 0,
		},
		{
			name: "integer, unbounded",
			milp: problem.MILP{Columns: integers(2, 0, inf), Rows: []problem.Row{{Lo: noBound, Hi: 1, Terms: terms(1, -1)}},
				Objective: maximise(1, 0)},
			status: sdk.Feasible, reason: sdk.Other,
		},
		{
			name: "unbounded direction, yet infeasible",
			milp: problem.MILP{Columns: integers(3, 0, inf), Rows: []problem.Row{{Lo: noBound, Hi: 1, Terms: terms(1, -1)}, {Lo: 1, Hi: 1, Terms: []problem.Term{{Column: 2, Coef: 2}}}},
				Objective: maximise(1, 0)},
			status: sdk.Infeasible,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := solve(t, &c.milp, sdk.SolveOptions{})
			if r.Status != c.status || r.Reason != c.reason {
				t.Fatalf("%v, %v (native %q, %s); want %v, %v", r.Status, r.Reason, r.Native, r.Detail, c.status, c.reason)
			}
			if c.reason == sdk.NoReason && r.HasPoint() && len(c.milp.Objective.Terms) > 0 && math.Abs(r.Objective-c.best) > 1e-6 {
				t.Errorf("objective %v, want %v", r.Objective, c.best)
			}
			if len(c.milp.Columns) == 0 && r.Objective != c.best {
				t.Errorf("objective %v, want %v", r.Objective, c.best)
			}
			if c.reason == sdk.Other && (r.Native != "unbounded" || r.HasBound || !strings.Contains(r.Detail, "no bound")) {
				t.Errorf("native %q, bound %v, detail %q; want it said that the objective has no bound", r.Native, r.HasBound, r.Detail)
			}
		})
	}
}

func TestSameProblemTwice(t *testing.T) {
	m := marketSplit(3, 16)
	o := sdk.SolveOptions{Seed: 7, WorkLimit: 100}
	first, second := solve(t, m, o), solve(t, m, o)
	if diff := cmp.Diff(first, second, cmpopts.IgnoreFields(sdk.Result{}, "Elapsed")); diff != "" {
		t.Errorf("same problem and seed, another result:\n%s", diff)
	}
}

func TestOtherForms(t *testing.T) {
	p := &problem.Problem{SMT: &problem.Script{Text: "(declare-const x Int)"}}
	if _, err := newSolver().Solve(context.Background(), p, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}

func TestDescribe(t *testing.T) {
	s := lpsolveOrSkip(t)
	d, err := s.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !d.Answers(problem.FormMILP, problem.Decide) || !d.Answers(problem.FormMILP, problem.Maximise) || d.Answers(problem.FormSMT, problem.Decide) {
		t.Errorf("serves %v", d.Serves)
	}
	lib := d.Libraries[0]
	if !lib.Found || lib.Version == "" || lib.Path == "" || lib.Problem != "" {
		t.Errorf("library %+v", lib)
	}
	// Every default is a value the option takes.
	defaults := map[string]string{}
	for _, o := range d.Options {
		defaults[o.Name] = o.Default
	}
	solve(t, &problem.MILP{}, sdk.SolveOptions{Options: defaults})
}

func TestWithoutTheLibrary(t *testing.T) {
	missing := &native.NotFoundError{Spec: lpsolve.Spec, Searched: []string{"/nowhere"}}
	s := &solver{open: func() (*lpsolve.Lib, error) { return nil, missing }}
	d, err := s.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []sdk.Library{{Name: "lp_solve", Hint: "make setup, or apt-get install lp-solve", Problem: "no liblpsolve55.so, liblpsolve55.so.0, liblpsolve55.dylib in /nowhere"}}
	if diff := cmp.Diff(want, d.Libraries); diff != "" {
		t.Error(diff)
	}
	_, err = s.Solve(context.Background(), &problem.Problem{MILP: &problem.MILP{}}, sdk.SolveOptions{})
	if !errors.Is(err, sdk.ErrIncompatible) || err.Error() != "incompatible: lp_solve was not found; to install it: make setup, or apt-get install lp-solve" {
		t.Errorf("error %v", err)
	}
}
