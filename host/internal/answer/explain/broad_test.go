package explain

import (
	"strings"
	"testing"
)

// TestBroad: a note says that a condition with a large share says little, whether the share is of the space or of the data.
func TestBroad(t *testing.T) {
	for _, c := range []struct {
		coverage, support float64
		says              string
	}{
		{0.992, 0.5, "Condition 1 holds for 99.20 % of all possible people: it says little"}, {0.3, 0.95, "Condition 1 holds for 95.00 % of the people in the data: it says little"}, {0.89, 0.2, ""},
	} {
		r := &Result{Predicates: []Predicate{{Coverage: Coverage{Share: c.coverage}, Support: &Support{Share: c.support}}}}
		for name, notes := range map[string][]string{"plain": r.plainTable().Notes, "full": r.table().Notes} {
			said := strings.Join(notes, "\n")
			if strings.Contains(said, "says little") != (c.says != "") || !strings.Contains(said, c.says) {
				t.Errorf("%s, %v and %v: %s", name, c.coverage, c.support, said)
			}
		}
	}
}
