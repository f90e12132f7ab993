package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/tier"
)

func started(seed int64) record.Started {
	return record.Started{
		Task: record.Task{Command: "search", Network: "n", Study: "s", Arm: "sa", Seed: seed, Region: "age=3", Settings: map[string]string{"budget": "1s"}},
		At:   time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Features: []string{"age", "sex"}, Study: "loan", Model: "loan.json",
		Versions: map[string]string{"hyfair": "1"}, Machine: record.Machine{OS: "linux", Arch: "amd64", CPUs: 2},
	}
}

// sample has an event of every kind but the first and the last of a run.
func sample() []record.Event {
	bound := 0.25
	return []record.Event{
		{Seconds: 0.1, Kind: record.KindFound, Found: &record.Found{X: []float64{1, 0.1}, K: 3, Gap: 1.0 / 3, Round: 4, Seed: true}},
		{Seconds: 0.2, Kind: record.KindBest, Best: &record.Found{X: []float64{1, 0.1}, K: 3, Gap: 1.0 / 3}},
		{Seconds: 0.3, Kind: record.KindClaim, Claim: &record.Claim{Status: "infeasible", Seconds: 2}},
		{Seconds: 0.4, Kind: record.KindWitness, Witness: &record.Witness{Copy1: []float64{1, 0}, Copy2: []float64{1, 1}, Margin: 0.5, K: 2}},
		{Seconds: 0.5, Kind: record.KindVerdict, Verdict: &record.Verdict{Verdict: "fair", Grade: "exact", Bound: &bound}},
		{Seconds: 0.6, Kind: record.KindProgress, Progress: &record.Progress{Iter: 5}},
		{Seconds: 0.7, Kind: record.KindFault, Fault: &record.Fault{Plugin: "sa", Error: "gone"}},
	}
}

func finished() record.Finished {
	zero := 0.0
	return record.Finished{Iter: 9, Measures: map[string]*float64{"#ID": &zero, "T.1st": nil}}
}

func opened(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func begun(t *testing.T, j *Journal, seed int64) *Run {
	t.Helper()
	r, err := j.Begin(started(seed))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func events(t *testing.T, j *Journal, run string) (events []record.Event) {
	t.Helper()
	must(t, j.Events(run, func(e record.Event) error { events = append(events, e); return nil }))
	return events
}

func TestEventsSurviveTheJournal(t *testing.T) {
	// A name that means something in a URI, in a folder that is made.
	path := filepath.Join(t.TempDir(), "new folder", "50% of #1?mode=ro&x.db")
	j := opened(t, path)
	r := begun(t, j, 3)
	for _, e := range sample() {
		must(t, r.Emit(e))
	}
	must(t, r.Finish(finished()))
	first := started(3)
	end := finished()
	want := append([]record.Event{{Kind: record.KindStarted, Started: &first}}, sample()...)
	want = append(want, record.Event{Kind: record.KindFinished, Finished: &end})
	for i := range want {
		want[i].Run, want[i].Seq = r.Name(), int64(i)
	}
	must(t, j.Close())
	j = opened(t, path)
	got := events(t, j, r.Name())
	clock := cmpopts.IgnoreFields(record.Event{}, "Seconds")
	if d := cmp.Diff(want, got, clock); d != "" {
		t.Errorf("events differ:\n%s", d)
	}
	for i, e := range got[1:8] {
		if e.Seconds != want[i+1].Seconds {
			t.Errorf("event %d at %v, want the time it was given, %v", e.Seq, e.Seconds, want[i+1].Seconds)
		}
	}

	var out bytes.Buffer
	must(t, j.Export(r.Name(), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		var e record.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || !cmp.Equal(e, got[i]) {
			t.Errorf("line %d: %v\n%s", i, err, line)
		}
	}
}

func TestRunsAndShow(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "j.db"))
	a, b := begun(t, j, 1), begun(t, j, 2)
	for _, e := range sample() {
		must(t, a.Emit(e))
	}
	must(t, a.Complete("one", 1, 0.5), a.Finish(finished()), b.Finish(record.Finished{Interrupted: true}))
	c, d := begun(t, j, 3), begun(t, j, 4)
	must(t, c.Finish(record.Finished{Error: "gone", Interrupted: true}))
	infos, err := j.Runs()
	must(t, err)
	var states []State
	for _, info := range infos {
		states = append(states, info.State)
	}
	if d := cmp.Diff([]State{Running, Failed, Interrupted, Finished}, states); d != "" {
		t.Error(d)
	}
	details, err := j.Show(a.Name()[:10])
	must(t, err)
	want := &Details{
		Info: Info{Name: a.Name(), Started: started(1), State: Finished, Seconds: details.Seconds, Measures: finished().Measures,
			Tasks: 1, Verdict: sample()[4].Verdict, Finished: details.Finished},
		Events: map[record.Kind]int64{"started": 1, "found": 1, "best": 1, "claim": 1, "witness": 1, "verdict": 1, "progress": 1, "fault": 1, "finished": 1},
	}
	witness := sample()[3]
	witness.Run, witness.Seq = a.Name(), 4
	want.Witnesses = []record.Event{witness}
	if d := cmp.Diff(want, details, cmpopts.IgnoreUnexported(Info{})); d != "" {
		t.Error(d)
	}
	if age := time.Since(details.Finished); age < 0 || age > time.Minute || details.Seconds < 0.7 {
		t.Errorf("finished %v ago, after %v s", age, details.Seconds)
	}
	if infos[1].Error != "gone" {
		t.Errorf("error %q", infos[1].Error)
	}

	if _, err := j.Delete(d.Name(), false); !errors.Is(err, ErrLive) {
		t.Errorf("deleting a run that is written: %v", err)
	}
	if _, err := j.Delete(d.Name(), true); err != nil {
		t.Error(err)
	}
	if err := d.Finish(record.Finished{}); !errors.Is(err, ErrEnded) {
		t.Errorf("finishing a deleted run: %v", err)
	}
	if _, err := j.Delete(a.Name(), false); err != nil {
		t.Error(err)
	}
	for _, name := range []string{a.Name(), "", "nobody", "%"} {
		if err := j.Events(name, nil); !errors.Is(err, ErrNoRun) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := j.Close(); !errors.Is(err, ErrEnded) {
		t.Errorf("closing says %v, want the failure of the deleted run", err)
	}
}

func TestAbbreviations(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "j.db"))
	for _, name := range []string{"abc", "abcd", "abx", "q"} {
		r := begun(t, j, 1)
		must(t, r.Finish(record.Finished{}))
		if _, err := j.conn.ExecContext(background, "UPDATE runs SET name = ? WHERE name = ?", name, r.Name()); err != nil {
			t.Fatal(err)
		}
	}
	for short, want := range map[string]string{"q": "q", "abc": "abc", "abcd": "abcd", "abx": "abx", "ab": "", "a": "", "Q": "", "abcde": ""} {
		d, err := j.Show(short)
		if want == "" {
			if !errors.Is(err, ErrNoRun) {
				t.Errorf("%s: %v", short, err)
			}
		} else if err != nil || d.Name != want {
			t.Errorf("%s: %v", short, err)
		}
	}
	if _, err := j.Show("ab"); !strings.Contains(err.Error(), "abx, abcd, abc") {
		t.Errorf("an ambiguous name: %v", err)
	}
}

func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.db")
	j := opened(t, path)
	r := begun(t, j, 1)
	must(t, r.Complete("one", map[string]int{"a": 1}, 2.5, sample()[0], sample()[3]), r.Emit(sample()[5]))
	if _, err := j.Resume(r.Name()); !errors.Is(err, ErrLive) {
		t.Errorf("resuming a run that is written: %v", err)
	}
	if runs, err := j.Unfinished(started(1).Task); err != nil || len(runs) != 0 {
		t.Errorf("unfinished: %v, %v; this one is being written", runs, err)
	}
	must(t, j.Close())
	if err := r.Emit(sample()[0]); !errors.Is(err, ErrEnded) {
		t.Errorf("after closing the journal: %v", err)
	}

	j = opened(t, path)
	if runs, err := j.Unfinished(started(2).Task); err != nil || len(runs) != 0 {
		t.Errorf("unfinished runs of another task: %v, %v", runs, err)
	}
	runs, err := j.Unfinished(started(1).Task)
	if err != nil || len(runs) != 1 || runs[0].State != BrokenOff || runs[0].Name != r.Name() {
		t.Fatalf("unfinished: %+v, %v", runs, err)
	}
	r, err = j.Resume(runs[0].Name)
	must(t, err)
	if result, seconds, ok := r.Done("one"); !ok || seconds != 2.5 || string(result) != `{"a":1}` {
		t.Errorf("one: %s, %v, %v", result, seconds, ok)
	}
	if _, _, ok := r.Done("two"); ok {
		t.Error("two is done")
	}
	// A repeated key changes nothing, and what waits to be written stays.
	must(t, r.Emit(sample()[6]))
	if err := r.Complete("one", 2, 1, sample()[1]); !errors.Is(err, ErrDone) {
		t.Errorf("completing one again: %v", err)
	}
	must(t, r.Complete("two", 2, 1), r.Finish(record.Finished{}))
	var keys []string
	must(t, r.Tasks(func(d Done) error { keys = append(keys, d.Key+string(d.Result)); return nil }))
	if d := cmp.Diff([]string{`one{"a":1}`, "two2"}, keys); d != "" {
		t.Error(d)
	}
	var kinds []string
	for i, e := range events(t, j, r.Name()) {
		if e.Seq != int64(i) {
			t.Errorf("event %d has the number %d", i, e.Seq)
		}
		kinds = append(kinds, string(e.Kind)+e.Task)
	}
	if got, want := strings.Join(kinds, " "), "started foundone witnessone progress fault finished"; got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if runs, err := j.Unfinished(started(1).Task); err != nil || len(runs) != 0 {
		t.Errorf("unfinished at the end: %v, %v", runs, err)
	}
	// Resuming to look leaves a finished run finished.
	_, err = j.Resume(r.Name())
	must(t, err, j.Close())
	j = opened(t, path)
	if d, err := j.Show(r.Name()); err != nil || d.State != Finished {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestWhatCannotBeStored(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "j.db"))
	r := begun(t, j, 1)
	infinite := math.Inf(1)
	for name, err := range map[string]error{
		"no payload": r.Emit(record.Event{Kind: record.KindFound}),
		"no kind":    r.Emit(record.Event{Kind: "entropy"}),
		"infinite":   r.Emit(record.Event{Kind: record.KindVerdict, Verdict: &record.Verdict{Bound: &infinite}}),
		"result":     r.Complete("key", infinite, 0),
		"event":      r.Complete("key", 1, 0, record.Event{Kind: record.KindFound}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	must(t, r.Emit(sample()[0]), r.Finish(record.Finished{}))
	if got := events(t, j, r.Name()); len(got) != 3 {
		t.Errorf("%d events, want 3: what can be stored is", len(got))
	}
	if _, _, ok := r.Done("key"); ok {
		t.Error("a task without a result is done")
	}
	if err := j.Close(); err == nil {
		t.Error("closing does not tell of the events that are missing")
	}
}

func TestVisitorsMayUseTheJournalAndStop(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "j.db"))
	r := begun(t, j, 1)
	const n = 3*pageRows + 1
	for range n {
		must(t, r.Emit(sample()[5]))
	}
	must(t, r.flush())
	count := 0
	must(t, j.Events(r.Name(), func(e record.Event) error {
		if e.Seq != int64(count) {
			t.Fatalf("event %d has the number %d", count, e.Seq)
		}
		count++
		if count%pageRows == 0 {
			return r.Complete(string(rune('a'+count/pageRows)), count, 0)
		}
		return nil
	}))
	if count != n+1 {
		t.Errorf("%d events, want %d", count, n+1)
	}
	stop := errors.New("enough")
	if err := j.Tasks(r.Name(), func(Done) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want the visitor's", err)
	}
}

// Those who create a journal at the same moment all get it.
func TestCreatedByManyAtOnce(t *testing.T) {
	folder := t.TempDir()
	for i := range tier.Count(20, 200) {
		path := filepath.Join(folder, strconv.Itoa(i))
		errs := make(chan error)
		const openers = 6
		for range openers {
			go func() {
				j, err := Open(path)
				if err == nil {
					err = j.Close()
				}
				errs <- err
			}()
		}
		for range openers {
			if err := <-errs; err != nil {
				t.Errorf("journal %d: %v", i, err)
			}
		}
	}
}
