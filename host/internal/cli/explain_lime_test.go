package cli

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
)

// limeOf runs hyfair explain on a person in the loan example's planted cluster.
func limeOf(t *testing.T, args ...string) *explain.LIME {
	t.Helper()
	args = append([]string{"explain", loanStudy, "--row", "0", "--samples", "200", "--test", "100", "--lime-samples", "500", "--json"}, args...)
	code, stdout, stderr := command(t, t.TempDir(), args...)
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var report explain.Result
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	if l := report.LIME; l != nil && l.K != report.InitK {
		t.Errorf("k is %d, and %d to LIME", report.InitK, l.K)
	}
	return report.LIME
}

func TestExplainLIME(t *testing.T) {
	if l := limeOf(t); l != nil {
		t.Errorf("without --lime: %+v", l)
	}
	l := limeOf(t, "--lime")
	if l.Samples != 500 || l.Explanations < l.K || l.Seconds <= 0 {
		t.Fatalf("%+v", l)
	}
	for name, s := range map[string]*explain.LIMESet{"union": &l.Union, "intersection": &l.Intersection} {
		if s.Size != len(s.Features) || s.PertK != nil && *s.Diff != float64(l.K)-*s.PertK {
			t.Errorf("%s: %+v", name, *s)
		}
		for _, f := range s.Features {
			if f.Protected && f.K != nil || f.Explanations < 1 || name == "intersection" && f.Explanations != l.Explanations {
				t.Errorf("%s: %+v", name, f)
			}
			if !slices.ContainsFunc(l.Union.Features, func(g explain.LIMEFeature) bool { return cmp.Equal(f, g) }) {
				t.Errorf("%+v is not in the union", f)
			}
		}
	}
	if l.Union.Size < 3 {
		t.Errorf("union: %+v", l.Union)
	}
	again := limeOf(t, "--lime")
	if again.Seconds = l.Seconds; !cmp.Equal(l, again) {
		t.Errorf("the same seed: %s", cmp.Diff(l, again))
	}
}
