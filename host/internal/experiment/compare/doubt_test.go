package compare

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// denying claims that there is nothing, whatever it is asked.
type denying struct{ reference.Enumerator }

func (denying) Load(context.Context, *problem.Problem) (sdk.Loaded, error) { return denied{}, nil }

type denied struct{}

func (denied) Close() error { return nil }
func (denied) Solve(context.Context, problem.Delta, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Infeasible}, nil
}

// A false arm without a rival is refuted by the host, outside the arm's time.
func TestALonelyLiarIsRefutedByTheHost(t *testing.T) {
	// Group a has the logit −0.75, group b more with every year: only the longest tenures'
	// gaps exceed ε, too few for random individuals to come across.
	low := fairness.Sigmoid(-0.75)
	most := math.Log((low+0.05)/(1-low-0.05)) + 0.75
	path := tinyStudy(t, [6]float64{most * (1 + 1e-5) / 1e6, 1, 0, 0, 0, 0})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "0..3", "0..1000000", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := tinyPlan(t, path, 2, Arm{Name: "liar"}, Arm{Name: "liars too"})
	kept := newMemory()
	open := func(ctx context.Context) (*engine.Options, func(), error) {
		d, err := reference.Enumerator{}.Describe(ctx)
		return &engine.Options{Solver: denying{}, Description: d, Encoding: "bigm", Bounds: "interval"}, func() {}, err
	}
	if err := runOn(t.Context(), p, kept, inProcess(open), nil, nil); err != nil {
		t.Fatal(err)
	}
	table, err := p.Tabulate(kept)
	if !errors.Is(err, session.ErrContradiction) {
		t.Fatalf("error %v", err)
	}
	c := table.(*Comparison)
	if len(c.Disagreements) != 2 || c.Disagreements[0].Finder != theHost || c.Disagreements[0].Count == 0 || c.Matrix[0][0] != 0 {
		t.Errorf("%+v", c.Disagreements)
	}
}
