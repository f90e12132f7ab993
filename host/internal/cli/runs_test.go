package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

// threeRuns is a journal of a search that was killed, a certification that is
// finished, and a run that lives as long as the test.
func threeRuns(t *testing.T) (path string, killed, done, live string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal.db")
	begin := func(j *journal.Journal, command string) *journal.Run {
		r, err := j.Begin(record.Started{
			Task:  record.Task{Command: command, Network: "n", Study: "s", Arm: "arm", Seed: 4, Settings: map[string]string{"epsilon": "1/20"}},
			Study: "tenure", Model: "model.json", Features: []string{"years", "group"}, Versions: map[string]string{"hyfair": "9.9"}, Machine: session.Machine(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	emit := func(r *journal.Run, e record.Event) {
		if err := r.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r := begin(j, "search")
	killed = r.Name()
	for k := range 3 {
		emit(r, record.Event{Seconds: float64(k + 1), Kind: record.KindFound, Found: &record.Found{X: []float64{1, 0}, K: k + 2, Gap: 0.5}})
	}
	emit(r, record.Event{Seconds: 4, Kind: record.KindProgress, Progress: &record.Progress{Iter: 10}})
	r = begin(j, "certify")
	done = r.Name()
	emit(r, record.Event{Kind: record.KindWitness, Witness: &record.Witness{Copy1: []float64{7, 0}, Copy2: []float64{7, 1}, Score1: 0.75, Score2: 0.25, Margin: 0.5, K: 2}})
	emit(r, record.Event{Kind: record.KindVerdict, Verdict: &record.Verdict{Verdict: "unfair"}})
	if err := r.Finish(record.Finished{}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = keptIn(t, path)
	return path, killed, done, begin(j, "search").Name()
}

func TestRuns(t *testing.T) {
	path, killed, done, live := threeRuns(t)
	runs := func(args ...string) (code int, stdout, stderr string) {
		return command(t, t.TempDir(), append(append([]string{"runs"}, args...), "--journal", path)...)
	}
	code, stdout, stderr := runs("--json")
	var list struct {
		Journal string
		Runs    []struct {
			Name, Command, Study, Model, State, Verdict string
			Seed                                        int64
			Seconds                                     float64
			Measures                                    map[string]*float64
		}
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || code != ExitDone || stderr != "" || list.Journal != path || len(list.Runs) != 3 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	for i, want := range []struct{ name, command, state string }{{live, "search", "running"}, {done, "certify", "finished"}, {killed, "search", "broken off"}} {
		if r := list.Runs[i]; r.Name != want.name || r.Command != want.command || r.State != want.state || r.Study != "tenure" || r.Model != "model.json" || r.Seed != 4 {
			t.Errorf("run %d: %+v, want %+v", i, r, want)
		}
	}
	// Of the killed search, what its events tell.
	if r := list.Runs[2]; r.Seconds != 4 || *r.Measures["Max.K"] != 4 || *r.Measures["#ID"] != 3 || *r.Measures["T.1st"] != 1 || *r.Measures["Iter"] != 10 {
		t.Errorf("killed run: %+v", r)
	}
	if r := list.Runs[1]; r.Verdict != "unfair" || r.Measures != nil {
		t.Errorf("finished run: %+v", r)
	}
	_, stdout, _ = runs()
	for _, part := range []string{"RUN", killed, "broken off", "Max.K 4, #ID 3, T.1st 1", "unfair"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("%q is not in\n%s", part, stdout)
		}
	}

	code, stdout, _ = runs("show", done[:8])
	for _, part := range []string{done, "arm", "setting epsilon", "1/20", "version of hyfair", "9.9", "1 finished, 1 started, 1 verdict, 1 witness", "margin 0.5", "years=7 group=1"} {
		if code != ExitDone || !strings.Contains(stdout, part) {
			t.Errorf("exit code %d, %q is not in\n%s", code, part, stdout)
		}
	}
	code, stdout, _ = runs("show", done, "--json")
	var shown struct {
		Name, State string
		Settings    map[string]string
		Events      map[string]int
		Witnesses   []struct{ Copy1, Copy2 []float64 }
		Machine     struct{ CPUs int }
	}
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil || code != ExitDone || shown.Name != done || shown.State != "finished" ||
		shown.Settings["epsilon"] != "1/20" || shown.Events["witness"] != 1 || len(shown.Witnesses) != 1 || shown.Witnesses[0].Copy2[1] != 1 || shown.Machine.CPUs < 1 {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}

	code, stdout, _ = runs("export", killed)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		validLine(t, line)
	}
	var e record.Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil || code != ExitDone || len(lines) != 5 || e.Progress == nil || e.Progress.Iter != 10 || e.Seq != 4 {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}
}

func TestRunsDelete(t *testing.T) {
	path, killed, done, live := threeRuns(t)
	remove := func(args ...string) (code int, stdout, stderr string) {
		return command(t, t.TempDir(), append([]string{"runs", "delete", "--journal", path}, args...)...)
	}
	// All or none.
	if code, stdout, stderr := remove(killed, live); code != ExitFailed || stdout != "" || !strings.Contains(stderr, "--force") {
		t.Errorf("a run that is written: exit code %d, %q, %q", code, stdout, stderr)
	}
	if code, stdout, stderr := remove(killed, "nobody"); code != ExitUsage || stdout != "" || !strings.Contains(stderr, "nobody") {
		t.Errorf("a wrong name: exit code %d, %q, %q", code, stdout, stderr)
	}
	if infos, err := keptIn(t, path).Runs(); err != nil || len(infos) != 3 {
		t.Fatalf("%d runs are left, %v; want all 3", len(infos), err)
	}
	if code, stdout, _ := remove(done[:10], done, killed); code != ExitDone || stdout != "deleted "+done+"\ndeleted "+killed+"\n" {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	if code, stdout, _ := remove(live, "--force", "--json"); code != ExitDone || !strings.Contains(stdout, live) {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	if infos, err := keptIn(t, path).Runs(); err != nil || len(infos) != 0 {
		t.Errorf("%d runs are left, %v", len(infos), err)
	}
}

func TestRunsMistakes(t *testing.T) {
	path, killed, _, _ := threeRuns(t)
	file := filepath.Join(t.TempDir(), "old.jsonl")
	if err := os.WriteFile(file, []byte(`{"run":"a","seq":0,"t":0,"kind":"started"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no run":          {[]string{"show"}, "wants one RUN"},
		"nothing to take": {[]string{"delete"}, "at least one RUN"},
		"a wrong name":    {[]string{"show", "nobody"}, "no such run"},
		"ambiguous":       {[]string{"export", ""}, "no such run"},
		"a subcommand":    {[]string{"list"}, "list"},
		"json lines":      {[]string{"export", killed, "--json"}, "--json"},
		"no journal":      {[]string{"--journal", file + "x"}, "no such file"},
		"an old file":     {[]string{"--journal", file}, "JSON lines"},
		"a folder":        {[]string{"--journal", t.TempDir()}, "it is a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"runs", "--journal", path}, c.args...)
			if code, stdout, stderr := command(t, t.TempDir(), args...); code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.says) {
				t.Errorf("exit code %d, %q, %q; want 2 and %q", code, stdout, stderr, c.says)
			}
		})
	}
	// Nothing was run yet, and listing creates no journal.
	if code, stdout, stderr := command(t, t.TempDir(), "runs"); code != ExitDone || !strings.Contains(stdout, "No runs yet") || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}
