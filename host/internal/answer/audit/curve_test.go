package audit

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
)

func TestParseThresholds(t *testing.T) {
	for text, want := range map[string]string{
		"0.3": "0.3", "0.2,0.3": "0.2 0.3", "0.1..0.25": "0.1 0.15 0.2 0.25", "0.1..0.2:0.03": "0.1 0.13 0.16 0.19", "1/3": "1/3", "0.05,0.1..0.2": "0.05 0.1 0.15 0.2",
	} {
		all, err := ParseThresholds(text)
		var got []string
		for _, v := range all {
			got = append(got, fairness.FormatRat(v))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "1", "0.5,0.4", "0.3,0.3", "0.9..0.1", "0.1..0.9:0", "0.1..0.9:0.0001", "0.3:0.1", "x", "0.1..x", "1e-999..0.5:1e-999"} {
		if all, err := ParseThresholds(text); err == nil {
			t.Errorf("%q is read as %d thresholds", text, len(all))
		}
	}
}
