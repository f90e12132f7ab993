package sdk_test

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestEveryWordHasAName: reports and JSON show names, so each value of each
// vocabulary has one, no two share it, and a value beyond the list shows.
func TestEveryWordHasAName(t *testing.T) {
	seen := map[string]map[string]bool{}
	check := func(kind, name string) {
		if seen[kind] == nil {
			seen[kind] = map[string]bool{}
		}
		if seen[kind][name] || strings.Contains(name, "(") {
			t.Errorf("%s %q is not a name of its own", kind, name)
		}
		seen[kind][name] = true
	}
	for _, v := range sdk.Statuses {
		check("status", v.String())
	}
	for _, v := range sdk.Reasons {
		check("reason", v.String())
	}
	for _, v := range sdk.TrialStatuses {
		check("trial status", v.String())
	}
	for _, v := range problem.Forms {
		check("form", v.String())
	}
	for _, v := range problem.Goals {
		check("goal", v.String())
	}
	for _, v := range fairness.Notions {
		check("notion", v.String())
		if back, err := fairness.ParseNotion(v.String()); err != nil || back != v {
			t.Errorf("notion %s reads back as %v, %v", v, back, err)
		}
	}
	for _, v := range []sdk.Grade{sdk.GradeExact, sdk.GradeRigorous, sdk.GradeNumerical} {
		check("grade", v.String())
	}
	for _, beyond := range []string{sdk.Status(99).String(), sdk.Reason(99).String(), problem.Goal(99).String(), sdk.Grade(0).String()} {
		if !strings.Contains(beyond, "(") {
			t.Errorf("a value beyond the vocabulary is called %q", beyond)
		}
	}
}

func TestTheWeakestGradeCounts(t *testing.T) {
	if got := sdk.Weakest(sdk.GradeExact, sdk.GradeNumerical); got != sdk.GradeNumerical {
		t.Errorf("exact with numerical is %s", got)
	}
	if got := sdk.Weakest(sdk.GradeRigorous, sdk.GradeExact); got != sdk.GradeRigorous {
		t.Errorf("rigorous with exact is %s", got)
	}
}
