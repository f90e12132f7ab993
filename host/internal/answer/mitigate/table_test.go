package mitigate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/view"
)

func ptr(v float64) *float64 { return &v }

func outcome(arm Arm, maxK, id, refused, accuracy float64, runs int) Outcome {
	o := Outcome{Arm: arm, Searched: &Searched{}}
	for range runs {
		m := search.Measures{Iter: ptr(1000), ID: ptr(id), SuccRate: ptr(id)}
		if id > 0 {
			m.MaxK, m.AvgK, m.IDMaxK = ptr(maxK), ptr(maxK/2), ptr(1)
		}
		o.Runs = append(o.Runs, m)
		maxK--
	}
	o.Quality = Quality{Rows: 100, Answered: int(100 - 100*refused), Refused: ptr(refused), Accuracy: ptr(accuracy * (1 - refused)), AccuracyAnswered: ptr(accuracy), F1: ptr(0.5)}
	return o
}

// named is a network with these arms.
func named(name string, outcomes ...Outcome) Network {
	r := &Result{}
	for i := range outcomes {
		r.Arms = append(r.Arms, outcomes[i].result(nil))
	}
	return Network{name, r}
}

func TestRatesAbove100AreExplained(t *testing.T) {
	for id, want := range map[float64]int{150: 1, 50: 0} {
		notes := strings.Join(Table(named("A", outcome(Arm{Way: Original}, 9, id, 0, 0.8, 2))).Notes, "\n")
		if strings.Count(notes, "It can exceed 100") != want {
			t.Errorf("%v: %s", id, notes)
		}
	}
}

func TestTable(t *testing.T) {
	var text strings.Builder
	guarded, blind := outcome(Arm{Original, true}, 8, 10, 0.6, 0.9, 1), outcome(Arm{Way: Blind}, 0, 0, 0, 0.8, 1)
	guarded.Quality.Unfair, blind.Quality.Unfair = ptr(0.25), ptr(0)
	table := Table(
		named("A", outcome(Arm{Way: Original}, 9, 10, 0, 0.8, 2), guarded),
		named("B", Outcome{Arm: Arm{Way: Retrained}, Skipped: "no"}, blind),
	)
	if err := view.Of(table).Write(&text, view.CSV, view.Options{}); err != nil {
		t.Fatal(err)
	}
	want := `network,arm,Acc (%),Acc.ans (%),Refused (%),Unfair (%),Iter,Max.K,Avg.K,#ID,Succ.rate (%),#ID.maxK,F1,DPD,EOD
A,original,80.00,80.00,0.00,N/A,1000 ± 0,8.5 ± 0.7,4.25 ± 0.35,10.0 ± 0.0,10.00 ± 0.00,1.0 ± 0.0,0.500,N/A,N/A
A,original+guards,36.00,90.00,60.00 !,25.00,1000,8,4.00,10,10.00,1,0.500,N/A,N/A
B,retrained,–,–,–,–,–,–,–,–,–,–,–,–,–
B,blind,80.00,80.00,0.00,0.00,1000,N/A,N/A,0,0.00,N/A,0.500,N/A,N/A
`
	if d := cmp.Diff(want, text.String()); d != "" {
		t.Error(d)
	}
	if len(table.Notes) != 3 || !strings.Contains(table.Notes[2], "no success") {
		t.Errorf("notes %q", table.Notes)
	}
	if alone := Table(named("A", outcome(Arm{Way: Original}, 9, 10, 0, 0.8, 1))); len(alone.Columns) != len(table.Columns)-1 || len(alone.Notes) != 2 {
		t.Errorf("of one network: %d columns, notes %q", len(alone.Columns), alone.Notes)
	}
}

// A search without a find says in the table if it was too short: two rounds, or fewer than
// the original's rate requires.
func TestTooFewRounds(t *testing.T) {
	short := func(arm Arm, id, rounds float64) Outcome {
		o := outcome(arm, 5, id, 0, 0.8, 1)
		o.Runs[0].Iter = ptr(rounds)
		return o
	}
	for _, c := range []struct {
		original, arm Outcome
		few           bool
	}{
		{short(Arm{Way: Original}, 2, 2), short(Arm{Way: Retrained}, 0, 2), true},
		{short(Arm{Way: Original}, 50, 50), short(Arm{Way: Retrained}, 0, 50), false},
		{short(Arm{Way: Original}, 1, 50), short(Arm{Way: Retrained}, 0, 100), true},
		{short(Arm{Way: Original}, 1, 50), short(Arm{Way: Retrained}, 0, 150), false},
		{short(Arm{Way: Original}, 1, 50), short(Arm{Way: Retrained}, 1, 2), false},
		{short(Arm{Way: Original}, 1, 50), short(Arm{Way: Blind}, 0, 2), false},
		{Outcome{Arm: Arm{Way: Original}, Skipped: "no"}, short(Arm{Way: Retrained}, 0, 29), true},
	} {
		all := []Outcome{c.original, c.arm}
		if got := c.arm.tooFew(all); got != c.few {
			t.Errorf("%v of %v rounds: %v", c.arm.Arm, c.arm.rounds(), got)
		}
		r := c.arm.result(nil)
		r.TooFewRounds = c.few
		if text := r.cells()[largestCell].Text; (text == "too few rounds to tell") != c.few {
			t.Errorf("%v of %v rounds: %q", c.arm.Arm, c.arm.rounds(), text)
		}
		if said := strings.Contains(strings.Join(Remarks(all), "\n"), "rounds, too few to tell"); said != c.few {
			t.Errorf("%q", Remarks(all))
		}
	}
	met := short(Arm{Way: Retrained}, 0, 2)
	met.Quality.Unfair = ptr(0.125)
	if got := Remarks([]Outcome{met}); len(got) != 1 || got[0] != "retrained: the search found no individual, but 12.50 % of the people answered have a gap above ε" {
		t.Errorf("%q", got)
	}
}

func TestRemarks(t *testing.T) {
	everybody := outcome(Arm{Original, true}, 0, 0, 1, 0, 1)
	everybody.Quality.Answered, everybody.Quality.AccuracyAnswered = 0, nil
	half := outcome(Arm{Retrained, true}, 5, 3, 0.5, 0.9, 1)
	half.LeftOut = 2
	got := Remarks([]Outcome{
		outcome(Arm{Way: Original}, 9, 10, 0, 0.8, 1),
		everybody,
		outcome(Arm{Way: Retrained}, 12, 10, 0, 0.77, 1),
		half,
		outcome(Arm{Way: Consistent}, 0, 0, 0.1, 0.79, 1),
		{Arm: Arm{Way: Iterated}, Skipped: "no time"},
		outcome(Arm{Way: Blind}, 0, 0, 0, 0.8, 1),
	})
	want := []string{
		"original+guards: the guardrails refuse everybody, which is no success whatever the other columns say",
		"retrained: costs 3.00 points of accuracy on the answered rows",
		"retrained: the largest k found rose from 9 to 12",
		"retrained+guards: the guardrails refuse 50.00 % of the rows, which is no success whatever the other columns say",
		"retrained+guards: 2 further rules are left out, which would have refused too many",
		"consistent: the search found no individual, which proves nothing: hyfair certify may",
		"iterated: left out: no time",
		"blind: no score depends on a protected attribute any more: k is 1 for everybody, by construction",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := Remarks([]Outcome{outcome(Arm{Way: Retrained}, 12, 10, 0, 0.5, 1)}); len(got) > 0 {
		t.Errorf("without the original there is nothing to compare with: %q", got)
	}
}
