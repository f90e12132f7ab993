package rig_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/record"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/serve"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) {
	rig.Main(m, func() { serve.Strategy(reference.Wanderer{}) })
}

// failures of a check, which may end its goroutine.
func failures(t *testing.T, check func(testing.TB)) string { return record.Of(t, check).Failed() }

// seeded is a Wanderer whose seed is another one's.
type seeded func(seed int64) int64

func (s seeded) Describe(ctx context.Context) (sdk.Description, error) {
	return reference.Wanderer{}.Describe(ctx)
}

func (s seeded) Start(ctx context.Context, sp *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	o.Seed = s(o.Seed)
	return reference.Wanderer{}.Start(ctx, sp, o)
}

func TestSameSeed(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "at", Kind: space.Integer, Lo: 0, Hi: 999},
		{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
	}}
	h := rig.Host{Want: 3, Answer: func(sdk.Move) sdk.Trial { return sdk.Trial{Status: sdk.TrialNoSeed} }}
	calls := int64(0)
	for _, c := range []struct {
		name, want string
		start      func() sdk.Strategy
	}{
		{"right", "", func() sdk.Strategy { return reference.Wanderer{} }},
		{"right, in a process", "", func() sdk.Strategy { return rig.Launch(t, client.Strategy).Strategy() }},
		{"deaf", "seeds 4 and 5 make the same moves", func() sdk.Strategy { return seeded(func(int64) int64 { return 1 }) }},
		{"fickle", "seed 4: move 0 is ", func() sdk.Strategy { return seeded(func(seed int64) int64 { calls++; return calls }) }},
	} {
		o := sdk.StartOptions{Seed: 4, Region: s.Whole()}
		got := failures(t, func(r testing.TB) { h.SameSeed(r, c.start, s, o, 10) })
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOptions(t *testing.T) {
	described := []sdk.Option{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	parse := func(given map[string]string) (int, error) {
		switch {
		case given["b"] == "plain":
			return 0, errors.New("bad")
		case len(given) == 0 || given["b"] == "taken":
			return 1, nil
		}
		return 0, sdk.ErrInvalidOption
	}
	got := failures(t, func(r testing.TB) {
		rig.Options(r, described, parse, map[string][]string{"a": {"refused"}, "b": {"taken", "refused", "plain"}})
	})
	want := "b=\"taken\": error <nil>, want ErrInvalidOption\nb=\"plain\": error bad, want ErrInvalidOption\noption c is not tested"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Steps are held against the statuses they want, and an error ends the walk.
func TestWalk(t *testing.T) {
	p := &problem.Problem{MILP: &problem.MILP{Columns: []problem.Column{{Name: "x", Hi: 3, Integer: true}}}}
	row := func(lo float64) problem.Delta {
		return problem.Delta{Push: 1, Rows: []problem.Row{{Lo: lo, Hi: 9, Terms: []problem.Term{{Column: 0, Coef: 1}}}}}
	}
	walk := func(steps ...rig.Step) (results []*sdk.Result, failed string) {
		failed = failures(t, func(t testing.TB) { results = rig.Walk(t, rig.Load(t, reference.Enumerator{}, p), steps...) })
		return results, failed
	}
	results, failed := walk(
		rig.Step{Delta: row(3), Want: sdk.Feasible}, rig.Step{Delta: row(4), Want: sdk.Infeasible}, rig.Step{Delta: problem.Delta{Pop: 1}})
	if failed != "" || len(results) != 3 || results[0].Values[0].Float64() != 3 || results[2].Status != sdk.Feasible {
		t.Errorf("%s, %v", failed, results)
	}
	if _, failed := walk(rig.Step{}, rig.Step{Delta: row(4), Want: sdk.Feasible}); !strings.Contains(failed, "step 2: infeasible") || !strings.Contains(failed, "want feasible") {
		t.Errorf("another status: %q", failed)
	}
	if results, failed := walk(rig.Step{Delta: problem.Delta{Pop: 1}}, rig.Step{}); results != nil || !strings.Contains(failed, "step 1: ") {
		t.Errorf("no such level: %v, %q", results, failed)
	}
}
