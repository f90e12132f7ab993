package client

import (
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/problem"
)

// A killed solver's last reported bound becomes its claim. Only a numerical solver's gets a
// tolerance, which the host counts as a fault of any other.
func TestLastProgressHasTheToleranceOfItsGrade(t *testing.T) {
	for grade, want := range map[sdk.Grade]float64{sdk.GradeNumerical: assumedTolerance, sdk.GradeRigorous: 0, sdk.GradeExact: 0} {
		w := newIncumbents(shape{form: problem.FormNetwork, width: 1}, nil)
		w.put(topb.Progress(&sdk.Progress{Bound: 0.5, HasBound: true, Elapsed: time.Second}))
		if r := w.last(grade); r == nil || !r.HasBound || r.Bound != 0.5 || r.Tolerance != want {
			t.Errorf("%s: %+v; want tolerance %g", grade, r, want)
		}
	}
}
