package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/view"
)

// TestRateTablesCut: a table lists a few of many small groups, and says where all are.
func TestRateTablesCut(t *testing.T) {
	for n, cut := range map[int]bool{3: false, 3000: true} {
		r := &Result{Rates: &Rates{Favourable: "positive", Attributes: []Rated{{Name: "g"}}}}
		for i := range n {
			r.Rates.Attributes[0].Groups = append(r.Rates.Attributes[0].Groups, GroupRates{Label: fmt.Sprintf("c%d", i), People: 1})
		}
		notes := r.RateTables()[0].(*view.Table).Notes
		last := notes[len(notes)-1]
		if strings.HasSuffix(last, "…; --json lists all groups") != cut || !strings.Contains(last, "c0 (1), c1 (1)") || len(last) > 700 {
			t.Errorf("%d groups: %s", n, last)
		}
	}
	if (&Result{}).RateTables() != nil {
		t.Error("rates that were not asked for")
	}
}
