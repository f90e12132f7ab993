package conformance_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/problem"
)

// The fakes that are plainly right pass every case they claim, and what they
// skip is what they do not claim.
func TestGoodFakesPass(t *testing.T) {
	tier.NeedUsual(t)
	t.Run("solver", func(t *testing.T) {
		tier.NeedLong(t) // TestSolversOverTheWire asks the same solver in each run
		conformance.Solver(t, reference.Enumerator{}, conformance.Options{})
	})
	t.Run("strategy", func(t *testing.T) {
		conformance.Strategy(t, reference.Wanderer{}, conformance.Options{})
	})
}

// mortal loses its process with every limit, and needs longer to come back than
// any limit of a case.
type mortal struct {
	reference.Enumerator
	dead *bool
}

func (m mortal) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if *m.dead {
		return nil, sdk.ErrPluginExited
	}
	r, err := m.Enumerator.Solve(ctx, p, o)
	*m.dead = o.TimeLimit > 0 || ctx.Err() != nil
	return r, err
}

func (m mortal) Ready(context.Context) error {
	*m.dead = false
	return nil
}

// A case does not pay for what the one before has cost.
func TestCasesBeginWithAPluginThatIsReady(t *testing.T) {
	names := []string{"milp/cancel", "milp/cancelled", "milp/time-limit", "milp/work-limit"}
	report, err := conformance.CheckSolver(t.Context(), mortal{dead: new(bool)}, conformance.Options{Only: names}, nil)
	if err != nil || report.Count(conformance.Passed) != len(names) {
		t.Errorf("%v, %+v", err, report.Outcomes)
	}
}

// Cases are picked and left out by name or by pattern.
func TestCasesByPattern(t *testing.T) {
	check := func(o conformance.Options) (ran, excluded []string, err error) {
		r, err := conformance.CheckSolver(t.Context(), reference.Enumerator{}, o, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range r.Outcomes {
			if c.Verdict == conformance.Excluded {
				excluded = append(excluded, c.Case)
			} else {
				ran = append(ran, c.Case)
			}
		}
		return ran, excluded, nil
	}
	ran, excluded, err := check(conformance.Options{Only: []string{"milp/eq*", "milp/t[wx]ice", "smt/untouched"}, Exclude: map[string]string{"*/tw*": "slow"}})
	if err != nil || !slices.Equal(excluded, []string{"milp/twice"}) || !slices.Contains(ran, "milp/equality") || !slices.Contains(ran, "smt/untouched") || slices.Contains(ran, "milp/untouched") {
		t.Errorf("ran %q, excluded %q, %v", ran, excluded, err)
	}
	for _, o := range []conformance.Options{{Only: []string{"milp"}}, {Only: []string{"milp/[equality"}}, {Exclude: map[string]string{"tw*": "a case has a slash"}}} {
		if _, _, err := check(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestReportsSayWhatWasSkipped(t *testing.T) {
	ctx := context.Background()
	r, err := conformance.CheckStrategy(ctx, reference.Wanderer{}, conformance.Options{
		Exclude: map[string]string{"wide": "kept out to see it listed"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || r.Description.Name != "wander" || len(r.Outcomes) != len(conformance.StrategyCases()) {
		t.Errorf("report: ok %v, name %q, %d outcomes", r.OK(), r.Description.Name, len(r.Outcomes))
	}
	got := map[string]conformance.Outcome{}
	for _, o := range r.Outcomes {
		got[o.Case] = o
	}
	if o := got["wide"]; o.Verdict != conformance.Excluded || o.Why != "kept out to see it listed" {
		t.Errorf("excluded case: %+v", o)
	}
	if o := got["lag"]; o.Verdict != conformance.Skipped || o.Why == "" {
		t.Errorf("unclaimed case: %+v", o)
	}
	for _, exclude := range []map[string]string{{"wide": " "}, {"no-such-case": "reason"}} {
		if _, err := conformance.CheckStrategy(ctx, reference.Wanderer{}, conformance.Options{Exclude: exclude}, nil); err == nil {
			t.Errorf("exclusion %v is taken", exclude)
		}
	}
}
