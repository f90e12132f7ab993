package quantify

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
)

// Invalid events, as in a damaged journal, prove nothing.
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

// The number of individuals is bounded by the proved shares and by the individuals met.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		shares record.Shares
		want   string
	}{
		{record.Shares{Fair: "3/4", Unfair: "1/4", Individuals: "12"}, "3 of 12 individuals (25.00 %) are discriminated against"},
		{record.Shares{Fair: "1/2", Unfair: "1/4", Individuals: "12", Met: 2}, "at least 3 and at most 6 of 12 individuals (25.00 % to 50.00 %) are discriminated against"},
		{record.Shares{Fair: "0", Unfair: "0", Individuals: "4000000", Met: 1},
			"at least 1 and at most 4,000,000 of 4,000,000 individuals (<0.01 % to 100.00 %) are discriminated against; 1 of them was met by evaluation, but not proved yet"},
		{record.Shares{Fair: "0", Unfair: "0", Individuals: "12", Met: 5, Sampled: &record.Counted{Unfair: 5, N: 12, All: true}}, "5 of 12 individuals (41.67 %) are discriminated against"},
		{record.Shares{Fair: "1", Unfair: "0", Individuals: "12", Met: 5}, "0 of 12 individuals (0.00 %) are discriminated against"}, // a damaged journal
		{record.Shares{Fair: "1/2", Unfair: "0", Met: 1}, "between 0.00 % and 50.00 % of all individuals are discriminated against; 1 of them was met by evaluation, but not proved yet"},
		{record.Shares{Fair: "1/2", Unfair: "1/2"}, "50.00 % of all individuals are discriminated against"},
	} {
		out := SharesOf(&c.shares, nil)
		if got := out.Between(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.shares, got, c.want)
		}
	}
}
