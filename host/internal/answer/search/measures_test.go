package search

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
)

func found(seconds float64, k int) record.Event {
	return record.Event{Seconds: seconds, Kind: record.KindFound, Found: &record.Found{K: k}}
}

func progress(iter int64) record.Event {
	return record.Event{Kind: record.KindProgress, Progress: &record.Progress{Iter: iter}}
}

func finished(iter int64) record.Event {
	return record.Event{Kind: record.KindFinished, Finished: &record.Finished{Iter: iter}}
}

func TestMeasuresOfHandMadeEvents(t *testing.T) {
	na := math.NaN()
	started := record.Event{Kind: record.KindStarted, Started: &record.Started{}}
	best := record.Event{Kind: record.KindBest, Seconds: 9, Best: &record.Found{K: 99}}
	cases := map[string]struct {
		events []record.Event
		want   []float64
	}{
		"none":            {nil, []float64{0, 0, na, na, na, na, na, na, na}},
		"nothing found":   {[]record.Event{started, progress(3), finished(7)}, []float64{7, 0, na, na, na, na, 0, na, na}},
		"one":             {[]record.Event{found(0.5, 3), finished(4)}, []float64{4, 1, 0.5, 3, 3, 3, 25, 1, 0.5}},
		"first is best":   {[]record.Event{found(1, 5), found(2, 3), found(3, 5), finished(6)}, []float64{6, 3, 1, 5, 5, 13.0 / 3, 50, 2, 1}},
		"climbing":        {[]record.Event{found(1, 2), best, found(2, 4), found(3, 6), found(4, 6), finished(2)}, []float64{2, 4, 1, 2, 6, 4.5, 200, 2, 3}},
		"killed":          {[]record.Event{found(1, 2), progress(10), found(2, 2)}, []float64{10, 2, 1, 2, 2, 2, 20, 2, 1}},
		"of a later kind": {[]record.Event{{Kind: "entropy"}, found(1, 2), finished(1)}, []float64{1, 1, 1, 2, 2, 2, 100, 1, 1}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { check(t, Measure(c.events), c.want...) })
	}
}

// The measures from a journal equal those of the run, to the last bit.
func TestMeasuresAreRecomputableFromTheJournal(t *testing.T) {
	kept, err := journal.Open(filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	run, err := kept.Begin(record.Started{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := config(t, count())
	c.Budget = Budget{Iter: 300}
	c.Stream.Sinks = []func(record.Event){func(e record.Event) {
		if err := run.Emit(e); err != nil {
			t.Error(err)
		}
	}}
	live := Run(context.Background(), c)
	var events []record.Event
	if err := kept.Events(run.Name(), func(e record.Event) error { events = append(events, e); return nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(live.Measures, Measure(events)); d != "" {
		t.Errorf("measures from the journal differ from the live ones:\n%s", d)
	}
	last := events[len(events)-1].Finished
	if d := cmp.Diff(live.Measures.Map(), last.Measures); d != "" {
		t.Errorf("measures in the last event differ from the live ones:\n%s", d)
	}
	if *live.Measures.ID != 89 || *live.Measures.IDMaxK != 9 {
		t.Errorf("%v found, %v of them with the largest k; the line holds 89 and 9", *live.Measures.ID, *live.Measures.IDMaxK)
	}
}

// A success rate above 100 % is explained where it is shown, and only there.
func TestRatesAbove100AreExplained(t *testing.T) {
	for rate, want := range map[float64]bool{106.42: true, 100: false, 3: false} {
		var text strings.Builder
		if err := (&Result{Measures: Measures{SuccRate: &rate}}).Document().Write(&text, view.Text, view.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text.String(), "It can exceed 100"); got != want {
			t.Errorf("%v: %s", rate, text.String())
		}
	}
}

func TestSummarise(t *testing.T) {
	run := func(events ...record.Event) Measures { return Measure(events) }
	s := Summarise([]Measures{
		run(found(1, 4), finished(10)),
		run(finished(20)),
		run(found(3, 6), found(4, 7), finished(40)),
	})
	if s.Runs != 3 || s.Found != 2 {
		t.Errorf("%d of %d runs found something, want 2 of 3", s.Found, s.Runs)
	}
	check(t, s.Mean, 70.0/3, 1, 2, 5, 5.5, 5.25, 5, 1, 2.5)
	if sd := *s.SD.T1st; math.Abs(sd-math.Sqrt2) > 1e-15 {
		t.Errorf("standard deviation of 1 and 3 is %v, want √2", sd)
	}
	one := Summarise([]Measures{run(found(1, 4), finished(10))})
	if one.SD.Iter != nil || *one.Mean.Iter != 10 {
		t.Errorf("a single run has a standard deviation: %+v", one.SD)
	}
	if none := Summarise(nil); none.Mean.Iter != nil {
		t.Errorf("the mean of no runs is %v", *none.Mean.Iter)
	}
}

func TestBudgets(t *testing.T) {
	for _, text := range []string{"10s", "1m30s", "5000it"} {
		if b, err := ParseBudget(text); err != nil || b.String() != text {
			t.Errorf("%q reads as %v, error %v", text, b, err)
		}
	}
	for _, text := range []string{"", "10", "0s", "-3s", "0it", "it", "-1it", "1.5it", "ten"} {
		if b, err := ParseBudget(text); err == nil {
			t.Errorf("%q reads as %v; want an error", text, b)
		}
	}
}

func TestCSV(t *testing.T) {
	var out bytes.Buffer
	w := NewCSV(&out, line())
	w.Start(1, 42)
	w.Add(record.Event{Kind: record.KindFound, Seconds: 0.25, Found: &record.Found{X: []float64{30, 0}, K: 4, Gap: 0.5, Round: 2, Seed: true}})
	w.Add(progress(1))
	w.Start(2, 43)
	w.Add(record.Event{Kind: record.KindFound, Seconds: 1, Found: &record.Found{X: []float64{31, 0}, K: 4, Gap: 0.125, Round: 7}})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "run,seed,round,seconds,from,k,gap,at\n1,42,2,0.250000,solver,4,0.5,30\n2,43,7,1.000000,strategy,4,0.125,31\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestCSVFileAppearsWhenComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "found.csv")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := CreateCSV(path, line())
	if err != nil {
		t.Fatal(err)
	}
	f.Start(1, 1)
	e := found(1, 2)
	e.Found.X = []float64{7, 0}
	f.Add(e)
	if old, _ := os.ReadFile(path); string(old) != "old" {
		t.Errorf("the file holds %q before it is complete", old)
	}
	other, err := CreateCSV(path, line())
	if err != nil {
		t.Fatal(err)
	}
	other.Discard()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(string(text), ",2,0,7\n") {
		t.Errorf("the file holds %q, error %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := CreateCSV(filepath.Join(path, "no", "folder.csv"), line()); err == nil {
		t.Error("a file was created in a folder that does not exist")
	}
}
