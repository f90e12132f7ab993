package audit

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
)

// A gate that passes says how many people were not audited.
func TestGateTellsOfRowsOutside(t *testing.T) {
	g, err := gate.Share("max-unfair", "50%")
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Summary: Summary{Tally: Tally{People: 2, Unfair: 1, UnfairShare: 0.5}, Outside: map[string]int{"age": 3, "job": 1}, Forbidden: 2}}
	r.hold([]gate.Gate{g})
	if c := r.Gates[0]; c.Outcome != gate.Passed || !strings.HasPrefix(c.Text, "1 of 2 people") || !strings.HasSuffix(c.Text, "outside the space: 6") {
		t.Errorf("%+v", c)
	}
}
