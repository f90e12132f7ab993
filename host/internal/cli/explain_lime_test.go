package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/explain/lime"
	"github.com/hyfair/hyfair/sdk/sdktest/tier"
)

// limeOf runs hyfair explain on a person in the loan example's planted cluster.
func limeOf(t *testing.T, args ...string) *limeReport {
	t.Helper()
	args = append([]string{"explain", loanStudy, "--row", "0", "--samples", "200", "--test", "100", "--lime-samples", "500", "--json"}, args...)
	code, stdout, stderr := command(t, t.TempDir(), args...)
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var report explainReport
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
	if l.Samples != 500 || l.Explanations < l.K || l.Reference != nil || l.Seconds <= 0 {
		t.Fatalf("%+v", l)
	}
	for name, s := range map[string]*limeSet{"union": &l.Union, "intersection": &l.Intersection} {
		if s.Size != len(s.Features) || s.PertK != nil && *s.Diff != float64(l.K)-*s.PertK {
			t.Errorf("%s: %+v", name, *s)
		}
		for _, f := range s.Features {
			if f.Protected && f.K != nil || f.Explanations < 1 || name == "intersection" && f.Explanations != l.Explanations {
				t.Errorf("%s: %+v", name, f)
			}
			if !slices.ContainsFunc(l.Union.Features, func(g limeFeature) bool { return cmp.Equal(f, g) }) {
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

// Both LIMEs side by side, where there is a Python that has the other.
func TestExplainLIMEReference(t *testing.T) {
	tier.NeedLong(t)
	if _, err := lime.FindReference(t.Context()); errors.Is(err, lime.ErrNoReference) {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	l := limeOf(t, "--lime-reference")
	if c := l.Reference; c == nil || c.Points != min(l.Explanations, mostCompared) || c.Samples != 500 || c.Spearman < 0.5 || c.Spearman > 1 {
		t.Errorf("%+v", c)
	}
	var text bytes.Buffer
	if err := l.print(&text); err != nil || !strings.Contains(text.String(), "lime 0.") {
		t.Errorf("%v in\n%s", err, text.String())
	}
}

// A package that is missing is said in one sentence, before anything is searched.
func TestExplainLIMEReferenceMissing(t *testing.T) {
	t.Setenv("HYFAIR_PYTHON", filepath.Join(t.TempDir(), "python"))
	code, stdout, stderr := command(t, t.TempDir(), "explain", loanStudy, "--lime-reference", "--json")
	if code != ExitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "--lime-reference: no Python with the package lime") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}

// What a person sees, of features of every kind.
func TestExplainLIMEText(t *testing.T) {
	k, mean, sd, diff := 3.0, 2.5, 0.7, 6.5
	l := &limeReport{
		Explanations: 4, Samples: 5000, R2: 0.512, K: 9,
		Union: limeSet{Size: 4, PertK: &mean, PertKSD: &sd, Diff: &diff, Features: []limeFeature{
			{Name: "hours", Explanations: 4, K: &k}, {Name: "sex", Explanations: 3, Protected: true}, {Name: "floor", Explanations: 1},
		}},
		Intersection: limeSet{Size: 1, PertK: &mean, Diff: &diff},
	}
	var text bytes.Buffer
	if err := l.print(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	for _, want := range []string{
		"4 counterfactuals, 5,000 samples each, R² 0.51", "hours 4 3.0", "sex 3 protected", "floor 1 –", "union 4 9 2.5 ± 0.7 6.5", "intersection 1 9 2.5 6.5",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(strings.Join(strings.Fields(line), " "), want) }) {
			t.Errorf("no line says %q:\n%s", want, text.String())
		}
	}
	if got := l.cells(); !slices.Equal(got, []string{"4", "9", "2.5 ± 0.7", "6.5", "1"}) {
		t.Errorf("%q", got)
	}
	if got := (*limeReport)(nil).cells(); len(got) != 5 {
		t.Errorf("of nothing: %q", got)
	}
}
