package quantify

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Events that make no sense, as in a damaged journal, prove nothing.
func TestSharesOfDamagedEvents(t *testing.T) {
	for _, s := range []record.Shares{
		{}, {Fair: "1/2"}, {Fair: "2/3", Unfair: "2/3"}, {Fair: "-1/2", Unfair: "1/2"}, {Fair: "1/0", Unfair: "0"}, {Fair: "1e999999999", Unfair: "0"},
		{Fair: "0x1", Unfair: "0"}, {Fair: strings.Repeat("9", 1<<20), Unfair: "0"},
	} {
		s.Grade, s.Individuals = "exact", strings.Repeat("9", 1<<20)
		s.Sampled, s.Rows = &record.Counted{Unfair: 3, N: 2}, &record.Counted{Unfair: -1, N: 2}
		out := SharesOf(&s, nil)
		if *out.Fair != 0 || *out.Unfair != 0 || *out.Undecided != 1 || *out.Exact != (Fractions{"0", "0", "1"}) || out.Grade != "" || out.Individuals != "" || out.Sampled != nil || out.Rows != nil {
			t.Errorf("%.40q: %+v", s.Fair, out)
		}
	}
	out := SharesOf(&record.Shares{Fair: "1/3", Unfair: "2/3", Grade: "rigorous", Individuals: "12", Rows: &record.Counted{}}, nil)
	if *out.Fair+*out.Unfair != 1 || *out.Undecided != 0 || out.Exact.Fair != "1/3" || out.Grade != "rigorous" || out.Individuals != "12" || out.Rows == nil || out.Rows.Share != 0 {
		t.Errorf("%+v", out)
	}
}
