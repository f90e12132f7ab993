package task

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample() []Event {
	bound := 0.25
	zero := 0.0
	return []Event{
		{Run: "a", Kind: KindStarted, Started: &Started{Task: Task{Command: "search", Seed: 3, Settings: map[string]string{"budget": "1s"}}, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Features: []string{"age", "sex"}, Versions: map[string]string{"hyfair": "1"}}},
		{Run: "a", Seq: 1, Seconds: 0.1, Kind: KindFound, Found: &Found{X: []float64{1, 0.1}, K: 3, Gap: 1.0 / 3, Round: 4, Seed: true}},
		{Run: "a", Seq: 2, Seconds: 0.2, Kind: KindBest, Best: &Found{X: []float64{1, 0.1}, K: 3, Gap: 1.0 / 3}},
		{Run: "a", Seq: 3, Kind: KindClaim, Claim: &Claim{Status: "infeasible", Seconds: 2}},
		{Run: "a", Seq: 4, Kind: KindWitness, Witness: &Witness{Copy1: []float64{1, 0}, Copy2: []float64{1, 1}, Margin: 0.5, K: 2}},
		{Run: "a", Seq: 5, Kind: KindVerdict, Verdict: &Verdict{Verdict: "fair", Grade: "exact", Bound: &bound}},
		{Run: "a", Seq: 6, Kind: KindProgress, Progress: &Progress{Iter: 5}},
		{Run: "a", Seq: 7, Kind: KindFault, Fault: &Fault{Plugin: "sa", Error: "gone"}},
		{Run: "a", Seq: 8, Kind: KindFinished, Finished: &Finished{Iter: 9, Measures: map[string]*float64{"#ID": &zero, "T.1st": nil}}},
	}
}

func write(t *testing.T, path string, events ...Event) {
	t.Helper()
	j, err := Append(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := j.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) (events []Event, torn int) {
	t.Helper()
	torn, err := ReadFile(path, func(e Event) error { events = append(events, e); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return events, torn
}

func TestEventsSurviveTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "j.jsonl")
	write(t, path, sample()[:4]...)
	write(t, path, sample()[4:]...)
	events, torn := read(t, path)
	if d := cmp.Diff(sample(), events); d != "" || torn != 0 {
		t.Errorf("%d torn lines; events differ:\n%s", torn, d)
	}
}

// A file cut at every possible place gives the whole lines before the cut, and
// takes further events without losing one.
func TestTornLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	write(t, path, sample()[1:3]...)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n')
	for cut := range len(whole) {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := sample()[1:3]
		switch {
		case cut < first:
			want = nil
		case cut < len(whole)-1: // a line without its newline is whole
			want = want[:1]
		}
		if events, _ := read(t, path); !cmp.Equal(events, append([]Event(nil), want...)) {
			t.Fatalf("cut at byte %d of %d: read %d events, want %d", cut, len(whole), len(events), len(want))
		}
		write(t, path, sample()[6])
		events, torn := read(t, path)
		if d := cmp.Diff(append(append([]Event(nil), want...), sample()[6]), events); d != "" || torn > 1 {
			t.Fatalf("cut at byte %d, then appended: %d torn, events differ:\n%s", cut, torn, d)
		}
	}
}

func TestReaderSkipsWhatIsNoEvent(t *testing.T) {
	lines := strings.Join([]string{
		`{"run":"a","seq":0,"t":0,"kind":"entropy","entropy":{"bits":3}}`, // a later version's
		``,
		`null`, `[]`, `{}`, `{"run":"a"}`, `{"run":"a","kind":"found"}`, `nonsense`, "\x00\xff",
		`{"run":"a","seq":1,"t":1,"kind":"progress","progress":{"iter":4}}`,
	}, "\n")
	var kinds []Kind
	torn, err := Read(strings.NewReader(lines), func(e Event) error { kinds = append(kinds, e.Kind); return nil })
	if err != nil || torn != 7 || !cmp.Equal(kinds, []Kind{"entropy", KindProgress}) {
		t.Errorf("kinds %v, %d torn, error %v; want the first and the last line, and 7 torn", kinds, torn, err)
	}
	stop := errors.New("enough")
	if _, err := Read(strings.NewReader(lines), func(Event) error { return stop }); err != stop {
		t.Errorf("error %v, want the visitor's", err)
	}
	if _, err := Read(strings.NewReader(strings.Repeat("x", maxLine+1)), func(Event) error { return nil }); err == nil {
		t.Error("a line without end was read")
	}
}

// A process that is killed while it writes leaves every event it reported as
// written, in order, and at most one torn line.
func TestKillLosesAtMostOneLine(t *testing.T) {
	if path := os.Getenv("TASK_TEST_JOURNAL"); path != "" {
		writeForEver(path)
	}
	path := filepath.Join(t.TempDir(), "j.jsonl")
	child := exec.Command(os.Args[0], "-test.run=^TestKillLosesAtMostOneLine$")
	child.Env = append(os.Environ(), "TASK_TEST_JOURNAL="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var reported int64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Sscan(lines.Text(), &reported)
		if reported == 2000 {
			child.Process.Kill()
		}
	}
	child.Wait()
	events, torn := read(t, path)
	if int64(len(events)) <= reported || torn > 1 {
		t.Errorf("event %d was reported as written; %d are there, %d lines are torn", reported, len(events), torn)
	}
	for i, e := range events {
		if e.Seq != int64(i) {
			t.Fatalf("event %d has the number %d", i, e.Seq)
		}
	}
}

func writeForEver(path string) {
	j, err := Append(path)
	if err != nil {
		os.Exit(1)
	}
	s := &Stream{Run: "a", Start: time.Now(), Sinks: []func(Event){func(e Event) {
		if j.Write(e) != nil {
			os.Exit(1)
		}
		fmt.Println(e.Seq)
	}}}
	for {
		s.Emit(sample()[1])
	}
}

func TestWriteFailureIsKept(t *testing.T) {
	j, err := Append(filepath.Join(t.TempDir(), "j.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	j.file.Close()
	first := j.Write(sample()[1])
	if first == nil || j.Write(sample()[1]) != first {
		t.Errorf("writing to a closed file: %v", first)
	}
	if err := j.Close(); !errors.Is(err, first) {
		t.Errorf("Close says %v, want %v", err, first)
	}
}

func TestTasksAreKnownByTheirContent(t *testing.T) {
	base := Task{Command: "search", Network: "n", Study: "s", Arm: "sa", Seed: 1, Settings: map[string]string{"a": "1", "b": "2"}}
	same := base
	same.Settings = map[string]string{"b": "2", "a": "1"}
	if base.ID() != same.ID() {
		t.Error("equal tasks have different names")
	}
	seen := map[string]bool{base.ID(): true}
	for _, change := range []func(*Task){
		func(t *Task) { t.Command = "certify" }, func(t *Task) { t.Network = "m" }, func(t *Task) { t.Study = "r" },
		func(t *Task) { t.Arm = "rw" }, func(t *Task) { t.Seed = 2 }, func(t *Task) { t.Region = "age=3" },
		func(t *Task) { t.Settings = map[string]string{"a": "1"} },
	} {
		other := base
		change(&other)
		if seen[other.ID()] {
			t.Errorf("%+v has the name of another task", other)
		}
		seen[other.ID()] = true
	}
	now := time.Unix(1, 0)
	if base.NewRun(now) == base.NewRun(now.Add(1)) {
		t.Error("two runs have one name")
	}
}

func TestDefaultPath(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))
	env := func(runs, xdg, home string) {
		t.Setenv("HYFAIR_RUNS_DIR", runs)
		t.Setenv("XDG_DATA_HOME", xdg)
		t.Setenv("HOME", home)
	}
	for _, c := range []struct{ runs, xdg, home, want string }{
		{"/r", "/x", "/h", "/r/20260304T040607Z-search-abc.jsonl"},
		{"", "/x", "/h", "/x/hyfair/runs/20260304T040607Z-search-abc.jsonl"},
		{"", "", "/h", "/h/.local/share/hyfair/runs/20260304T040607Z-search-abc.jsonl"},
		{"", "relative", "/h", "/h/.local/share/hyfair/runs/20260304T040607Z-search-abc.jsonl"},
	} {
		env(c.runs, c.xdg, c.home)
		if got, err := DefaultPath("search", "abc", now); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
	env("", "", "")
	if _, err := DefaultPath("search", "abc", now); err == nil || !strings.Contains(err.Error(), "HYFAIR_RUNS_DIR") {
		t.Errorf("without a home folder: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"run":"a","seq":1,"t":1,"kind":"progress","progress":{"iter":4}}` + "\n"))
	f.Add([]byte(`{"run":"a","kind":"finished","finished":{"measures":{"T.1st":null}}}`))
	f.Add([]byte("{\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		Read(bytes.NewReader(data), func(e Event) error {
			if !e.complete() {
				t.Errorf("event %+v lacks its payload", e)
			}
			return nil
		})
	})
}
