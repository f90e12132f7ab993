package mitigate

import (
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/record"
)

// A skipped arm is named and does not pass.
func TestGateOfAnArmLeftOut(t *testing.T) {
	g, err := gate.Share(MaxUnfair, "1%")
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Arms: []ArmResult{{Name: Original}, {Name: Retrained, Skipped: "no reason"}}}
	if out := r.Held([]gate.Gate{g}); len(out) != 1 || out[0].Outcome != gate.Undecided || out[0].Of != Retrained || !strings.Contains(out[0].Text, "no reason") {
		t.Errorf("%+v", out)
	}
}

// A proved share is compared before rounding; equality passes. An arm that answers no
// individual leaves the gate undecided.
func TestGateOfAProvedShare(t *testing.T) {
	g, err := gate.Share(MaxUnfair, "1%")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		shares record.Shares
		want   gate.Outcome
	}{
		"on the bound":  {record.Shares{Fair: "99/100", Unfair: "1/100", Individuals: "100"}, gate.Passed},
		"may be on it":  {record.Shares{Fair: "99/100", Unfair: "0", Individuals: "100"}, gate.Passed},
		"above it":      {record.Shares{Fair: "98/100", Unfair: "2/100", Individuals: "100"}, gate.Failed},
		"may be above":  {record.Shares{Fair: "98/100", Unfair: "1/100", Individuals: "100"}, gate.Undecided},
		"nobody":        {record.Shares{Fair: "0", Unfair: "0", Individuals: "0"}, gate.Undecided},
		"nothing known": {record.Shares{}, gate.Undecided},
	} {
		a := ArmResult{Name: Retrained, Proved: proved(quantify.SharesOf(&c.shares, nil), time.Second)}
		if got := a.treats(g, false); got.Outcome != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}
