package cli

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
)

func reported(t *testing.T, path, run string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return command(t, "nowhere", append([]string{"report", run, "--journal", path}, args...)...)
}

// TestReportOfASearch: the report from the journal agrees with the search's output.
func TestReportOfASearch(t *testing.T) {
	plugins, study := shippedStrategies(t, "sa"), tenureStudy(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	code, stdout, stderr := command(t, plugins, "search", study, "--solver", "none", "--budget", "100it", "--seed", "3", "--json", "--journal", path)
	if code != ExitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var searched search.Result
	if err := json.Unmarshal([]byte(stdout), &searched); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = reported(t, path, searched.Run, "--json")
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var r runs.Search
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(searched.Measures.Map(), r.Measures); d != "" {
		t.Error(d)
	}
	if r.Run != searched.Run || r.Study != "tenure" || r.Strategy != "sa" || r.Seed != 3 || r.State != "finished" || r.Settings["budget"] != "100it" {
		t.Errorf("%+v", r)
	}
	if r.Best == nil || r.Best.K != searched.Best.K || r.Best.Gap != searched.Best.Gap || cmp.Diff(searched.Best.X, r.Best.X) != "" {
		t.Errorf("best: %+v, was %+v", r.Best, searched.Best)
	}
	// Two counterfactuals in two bins: one bit each way.
	if r.Spread == nil || *r.Spread <= 0 || *r.Spread > 1 || r.Shannon.Mean == nil || *r.Shannon.Mean != 1 || *r.MinEntropy.Best != 1 {
		t.Errorf("spread %v, entropies %+v %+v", r.Spread, r.Shannon, r.MinEntropy)
	}
	if len(r.K) != 1 || r.K[0].K != 2 || r.K[0].Individuals != r.Kept || float64(r.Kept) != *r.Measures["#ID"] || r.K[0].Seconds != *r.Measures["T.1st"] {
		t.Errorf("%+v", r.K)
	}
	code, same, _ := reported(t, path, searched.Run, "--format", "json")
	if code != ExitDone || same != stdout {
		t.Error("--format json is not --json")
	}
}

func TestReportOfAKilledRun(t *testing.T) {
	path, killed, done, live := threeRuns(t)
	code, stdout, stderr := reported(t, path, killed)
	want := "Run " + killed + `: arm on tenure (model.json), seed 4, ε = 0.05
Iter  #ID  T.1st  #K.1st  Max.K  Avg.K  Succ.rate  #ID.maxK  T.maxK
───────────────────────────────────────────────────────────────────
  10    3      1       2      4      3         30         1       3
BROKEN OFF after 4.0 s: the process ended before the run did. This is what it had written; Iter is that of its last snapshot.

Seconds to the first individual with k or more; individuals by k
k  seconds  k or more  individuals
────────────────────────────────────────────────────────────────────────────
4    3.000          1            1  ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■
3    2.000          2            1  ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■
2    1.000          3            1  ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■

How uneven outcomes are, and how spread out the individuals
                        mean  of the best
─────────────────────────────────────────
Shannon entropy (bits)   N/A          N/A
min-entropy (bits)       N/A          N/A
Gower distance of two    N/A
`
	if d := cmp.Diff(want, stdout); code != ExitDone || stderr != "" || d != "" {
		t.Errorf("exit code %d: %s\n%s", code, stderr, d)
	}
	code, stdout, _ = reported(t, path, live[:8])
	if code != ExitDone || !strings.Contains(stdout, "Still running") || !strings.Contains(stdout, "No individual with a gap above ε was found.") {
		t.Errorf("a live run without finds: %d\n%s", code, stdout)
	}
	// A verdict is reported, too, and several runs one after the other.
	code, stdout, _ = reported(t, path, done)
	if code != ExitDone || !strings.Contains(stdout, "certify") || !strings.Contains(stdout, "verdict") {
		t.Errorf("a verdict: %d\n%s", code, stdout)
	}
	code, stdout, _ = reported(t, path, done, killed)
	if code != ExitDone || !strings.Contains(stdout, "Run "+done+"\n") || !strings.Contains(stdout, "Run "+killed+"\n") || !strings.Contains(stdout, "BROKEN OFF") {
		t.Errorf("two runs: %d\n%s", code, stdout)
	}
	for want, args := range map[string][]string{
		"no such run":                      {"zzz"},
		`--format "yaml": want table, csv`: {killed, "--format", "yaml"},
		"--budget is for a report with":    {killed, "--budget", "5s"},
		"leave out one of them":            {killed, "--study", "studies/loan"},
	} {
		code, stdout, stderr := reported(t, path, args[0], args[1:]...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %s%s", args, code, stdout, stderr)
		}
	}
	code, stdout, stderr = reported(t, filepath.Join(t.TempDir(), "no.db"), killed)
	if code != ExitUsage || stdout != "" || stderr == "" {
		t.Errorf("no journal: exit code %d, %s%s", code, stdout, stderr)
	}
}

func TestReportFormats(t *testing.T) {
	path, killed, _, _ := threeRuns(t)
	_, stdout, _ := reported(t, path, killed, "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, row := range rows[1:] {
		values[row[0]+" "+row[1]] = row[2]
	}
	for what, want := range map[string]string{
		"Max.K ": "4", "Succ.rate ": "30", "spread ": "", "state ": "broken off", "seconds 3": "2", "individuals 4": "1", "at_least 2": "3",
	} {
		if got, ok := values[what]; !ok || got != want {
			t.Errorf("%q: %q, want %q", what, got, want)
		}
	}
	code, stdout, _ := reported(t, path, killed, "--format", "latex")
	if code != ExitDone || strings.Count(stdout, `\begin{table`) != 3 || strings.Contains(stdout, "■") || !strings.Contains(stdout, `4 & 3.000 & 1 & 1 \\`) || !strings.Contains(stdout, `BROKEN OFF`) {
		t.Error(stdout)
	}
}

// TestReportOfUnknownRuns: those of commands that a later version may have.
func TestReportOfUnknownRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := j.Begin(record.Started{Task: record.Task{Command: "divine"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := reported(t, path, run.Name())
	if code != ExitUsage || stdout != "" || !strings.Contains(stderr, "hyfair runs show "+run.Name()) {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}
