package conformance_test

import (
	"context"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// caught runs one case and reports whether it failed.
func caught(t *testing.T, r *conformance.Report, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Outcomes) != 1 || r.Outcomes[0].Verdict != conformance.Failed {
		t.Errorf("not caught: %+v", r.Outcomes)
		return
	}
	t.Log(r.Outcomes[0].Why)
}

// The grace is far shorter than the liars are stubborn, and no right answer
// depends on it: only the case that the liar must fail is run.
const grace = 500 * time.Millisecond

func TestEverySolverCaseCatchesItsLiars(t *testing.T) {
	tier.NeedUsual(t)
	missing := map[string]bool{}
	for _, c := range conformance.SolverCases() {
		missing[c.Name] = true
	}
	for _, l := range solverLiars() {
		first := missing[l.Case]
		delete(missing, l.Case)
		t.Run(l.Case+"/"+l.Lie, func(t *testing.T) {
			if !first {
				tier.NeedLong(t)
			}
			r, err := conformance.CheckSolver(context.Background(), l.Solver, conformance.Options{Only: []string{l.Case}, Grace: grace}, nil)
			caught(t, r, err)
		})
	}
	for name := range missing {
		t.Errorf("no liar for the case %s", name)
	}
}

func TestEveryStrategyCaseCatchesItsLiars(t *testing.T) {
	missing := map[string]bool{}
	for _, c := range conformance.StrategyCases() {
		missing[c.Name] = true
	}
	for _, l := range strategyLiars() {
		delete(missing, l.Case)
		t.Run(l.Case+"/"+l.Lie, func(t *testing.T) {
			r, err := conformance.CheckStrategy(context.Background(), l.Strategy, conformance.Options{Only: []string{l.Case}, Grace: grace}, nil)
			caught(t, r, err)
		})
	}
	for name := range missing {
		t.Errorf("no liar for the case %s", name)
	}
}
