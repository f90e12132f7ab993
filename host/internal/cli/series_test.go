package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record/journal"
)

// tasksOf counts the tasks that are done of the newest run of a command.
func tasksOf(path, command string) int64 {
	j, err := journal.OpenExisting(path)
	if err != nil {
		return 0
	}
	defer j.Close()
	infos, err := j.Runs()
	if err != nil {
		return 0
	}
	for _, info := range infos {
		if info.Started.Task.Command == command {
			return info.Tasks
		}
	}
	return 0
}

// Killed in the middle, a series leaves no worker behind and goes on where it was:
// its table is that of one that nothing disturbed, with jobs side by side, too.
func TestSeriesGoesOnAfterAKill(t *testing.T) {
	binary, plugins := program(t), shippedStrategies(t)
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	one := "{study: " + loan + "}"
	file := textFile(t, "series.yaml", "studies: ["+one+", {study: "+tenureStudy(t)+"}, "+one+", "+one+"]\nbudget: 60000ev\nsamples: 3000\n")
	args := []string{"explain", file, "--format", "csv"}
	path := filepath.Join(t.TempDir(), "journal.db")
	killed := startWith(t, binary, plugins, path, args...)
	for deadline := time.Now().Add(time.Minute); tasksOf(path, "explain") < 1; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no task was done: %s", &killed.stderr)
		}
	}
	killed.Process.Kill()
	killed.gone(t)
	if before := tasksOf(path, "explain"); before < 1 || before > 3 {
		t.Fatalf("%d of 4 tasks were done when it was killed", before)
	}
	code, stdout, stderr := startWith(t, binary, plugins, path, append(args, "--resume")...).wait(t)
	if code != ExitDone || !strings.Contains(stderr, "going on with run") || tasksOf(path, "explain") != 4 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	code, whole, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "other.db"), append(args, "--jobs", "2")...).wait(t)
	if d := cmp.Diff(whole, stdout); code != ExitDone || d != "" {
		t.Errorf("exit code %d: %s\n%s", code, stderr, d)
	}
	// All is done: there is nothing to go on with.
	if code, _, stderr := startWith(t, binary, plugins, path, append(args, "--resume")...).wait(t); code != ExitUsage || !strings.Contains(stderr, "broken off") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A plugin that is lost costs a network a try; lost twice, the network has failed, the
// others go on, and the same command tries it again.
func TestSeriesTriesAgain(t *testing.T) {
	binary := program(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-mortal": "host/internal/cli/testdata/mortal"})
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	lives := filepath.Join(t.TempDir(), "lives")
	file := textFile(t, "series.yaml", "studies: [{study: "+loan+"}, {study: "+loan+"}]\narms: [original]\nstrategy: mortal\nsolver: none\nbudget: 50it\n")
	path := filepath.Join(t.TempDir(), "journal.db")
	mitigated := func(path, deaths string, args ...string) (int, series.Mitigations, string) {
		if err := os.WriteFile(lives, []byte(deaths), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"mitigate", file, "--set", "lives=" + lives, "--seed", "2", "--json"}, args...)
		code, stdout, stderr := startWith(t, binary, plugins, path, args...).wait(t)
		var out series.Mitigations
		if err := json.Unmarshal([]byte(stdout), &out); err != nil {
			t.Fatalf("%v: %s%s", err, stdout, stderr)
		}
		return code, out, stderr
	}
	once := filepath.Join(t.TempDir(), "once.db")
	if code, m, stderr := mitigated(once, "1"); code != ExitDone || len(m.Networks) != 2 || *m.Networks[0].Arms[0].Iter != 50 {
		t.Errorf("lost once: exit code %d, %s", code, stderr)
	}
	if code, m, stderr := mitigated(path, "2"); code != ExitFailed || len(m.Networks) != 1 || !strings.Contains(stderr, "1 of 2 networks could not be mitigated") || !strings.Contains(stderr, "mortal exited") {
		t.Errorf("lost twice: exit code %d, %s", code, stderr)
	}
	code, m, stderr := mitigated(path, "0", "--resume")
	if code != ExitDone || len(m.Networks) != 2 || !strings.Contains(stderr, "1 of 2 tasks done") {
		t.Errorf("tried again: exit code %d, %s", code, stderr)
	}
}
