package client_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestSolve(t *testing.T) {
	p := launch(t, config(client.Solver, "good"))
	d, err := p.Solver().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "tiny" || d.Version != "1.2.3" || d.Options[0].Help != "how fast" || d.Libraries[0].Hint == "" ||
		!d.Answers(problem.FormMILP, problem.Maximise) || d.Answers(problem.FormSMT, problem.Decide) || d.Exactness != sdk.GradeNumerical {
		t.Errorf("description %+v", d)
	}
	r := solve(t, p, sdk.SolveOptions{Seed: 42, Options: map[string]string{"speed": "9"}})
	wantBest(t, r, 33)
	if got := r.Values[1].Float64(); got != 10 {
		t.Errorf("x1 = %v", got)
	}
	if r.Nodes != 42 || r.Native != "9" {
		t.Errorf("seed %d and option %q arrived; sent 42 and 9", r.Nodes, r.Native)
	}
}

func TestSolveRefuses(t *testing.T) {
	p := launch(t, config(client.Solver, "good"))
	broken := box()
	broken.MILP.Objective.Terms[0].Column = 17
	sets := box()
	sets.MILP.SOS1 = []problem.SOS1{{Name: "one of two", Columns: []int{0, 1}}}
	script := &problem.Problem{SMT: &problem.Script{Text: "(assert true)"}}
	for _, c := range []struct {
		name    string
		problem *problem.Problem
		options sdk.SolveOptions
		want    error
	}{
		{"no problem", nil, sdk.SolveOptions{}, sdk.ErrInvalidProblem},
		{"column out of range", broken, sdk.SolveOptions{}, sdk.ErrInvalidProblem},
		{"sets not taken", sets, sdk.SolveOptions{}, sdk.ErrUnsupported},
		{"form not served", script, sdk.SolveOptions{}, sdk.ErrUnsupported},
		{"unknown option", box(), sdk.SolveOptions{Options: map[string]string{"colour": "red"}}, sdk.ErrInvalidOption},
		{"negative limit", box(), sdk.SolveOptions{WorkLimit: -1}, sdk.ErrInvalidOption},
	} {
		if _, err := p.Solver().Solve(t.Context(), c.problem, c.options); !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", c.name, err, c.want)
		}
	}
	if _, err := p.Solver().Load(t.Context(), sets); !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "tiny takes no special ordered sets") {
		t.Errorf("loading sets: %v", err)
	}
	banded := &problem.Problem{Query: known.Small(rand.New(rand.NewPCG(1, 1)))}
	banded.Query.Bands = fairness.Bands{{Name: "0", Least: new(big.Rat)}, {Name: "1", Least: big.NewRat(1, 2)}}
	_, solving := p.Solver().Solve(t.Context(), banded, sdk.SolveOptions{})
	_, loading := p.Solver().Load(t.Context(), banded)
	near := &problem.Problem{Query: known.Small(rand.New(rand.NewPCG(1, 1)))}
	var err error
	if near.Query.Within, err = space.NewVicinity(near.Query.Space, [][]float64{near.Query.Space.Draw(near.Query.Space.Whole().Box, rand.New(rand.NewPCG(1, 2)))}, big.NewRat(1, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Solver().Solve(t.Context(), near, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "near rows") {
		t.Errorf("rows: %v", err)
	}
	for _, err := range []error{solving, loading} {
		if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "tiny takes no bands") {
			t.Errorf("bands: %v", err)
		}
	}
	if _, err := p.Strategy().Start(t.Context(), people(), sdk.StartOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("a solver started a session: %v", err)
	}
	wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
}

// TestLoaded runs the same deltas through a plain and an incremental solver.
func TestLoaded(t *testing.T) {
	for _, mode := range []string{"good", "incremental"} {
		t.Run(mode, func(t *testing.T) {
			p := launch(t, config(client.Solver, mode))
			l, err := p.Solver().Load(t.Context(), box())
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range deltas() {
				r, err := l.Solve(t.Context(), step.delta, sdk.SolveOptions{})
				if err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}
				wantBest(t, r, step.want)
			}
			if _, err := l.Solve(t.Context(), problem.Delta{Pop: 5}, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrInvalidProblem) {
				t.Errorf("popping too much: %v", err)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

type step struct {
	name  string
	delta problem.Delta
	want  float64
}

// deltas are a walk over the levels of box and the best objectives on the way.
func deltas() []step {
	bound := func(column int, hi float64) []problem.ColumnBound {
		return []problem.ColumnBound{{Column: column, Hi: hi}}
	}
	return []step{
		{"nothing", problem.Delta{}, 33},
		{"x0 ≤ 4", problem.Delta{ColumnBounds: bound(0, 4)}, 27},
		{"push, x1 ≤ 1", problem.Delta{Push: 1, ColumnBounds: bound(1, 1)}, 9},
		{"push, x1 ≤ 0", problem.Delta{Push: 1, ColumnBounds: bound(1, 0)}, 7},
		{"x0 ≤ 0", problem.Delta{ColumnBounds: bound(0, 0)}, 3},
		{"pop", problem.Delta{Pop: 1}, 9},
		{"pop and push, minimise", problem.Delta{Pop: 1, Push: 1, Objective: &problem.Objective{Terms: []problem.Term{{Column: 2, Coef: -1}}}}, -10},
		{"pop", problem.Delta{Pop: 1}, 27},
	}
}
