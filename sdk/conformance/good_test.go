package conformance_test

import (
	"context"
	"testing"

	"github.com/hyfair/hyfair/sdk/conformance"
	"github.com/hyfair/hyfair/sdk/sdktest"
)

// The fakes that are plainly right pass every case they claim, and what they
// skip is what they do not claim.
func TestGoodFakesPass(t *testing.T) {
	t.Run("solver", func(t *testing.T) {
		conformance.Solver(t, sdktest.Enumerator{}, conformance.Options{})
	})
	t.Run("strategy", func(t *testing.T) {
		conformance.Strategy(t, sdktest.Wanderer{}, conformance.Options{})
	})
}

func TestReportsSayWhatWasSkipped(t *testing.T) {
	ctx := context.Background()
	r, err := conformance.CheckStrategy(ctx, sdktest.Wanderer{}, conformance.Options{
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
		if _, err := conformance.CheckStrategy(ctx, sdktest.Wanderer{}, conformance.Options{Exclude: exclude}, nil); err == nil {
			t.Errorf("exclusion %v is taken", exclude)
		}
	}
}
