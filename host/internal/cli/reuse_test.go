package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
)

// rebuilt puts a program into the place of a plugin that does the same and is another file.
func rebuilt(t *testing.T, folder, name string) {
	t.Helper()
	path := filepath.Join(folder, name)
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path+".new", append(content, 0), 0o755) // what follows an executable is not read
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// takenOf returns the number of results of an ablation that come from other runs, by arm.
func takenOf(t *testing.T, path string, a ablate.Ablation) map[string]int {
	t.Helper()
	j, err := journal.OpenExisting(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	out := map[string]int{}
	if err := j.Tasks(a.Run, func(d journal.Done) error {
		if arm := strings.Split(d.Key, " | ")[1]; d.Origin != nil {
			out[arm]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// More runs, one more arm, another journal: what was done is not done again, and what
// comes out is what doing all of it gives.
func TestReuse(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{"hyfair-search-rw": "plugins/search-rw", "hyfair-search-sa": "plugins/search-sa"})
	study := tenureStudy(t)
	text := "solver: none\nmode: fast\nbudget: 2000ev\nstrategies: [{name: rw}, {name: sa, grid: {p: [0.5]}}]\n"
	few, more := grid(t, study, text), grid(t, study, strings.Replace(text, "0.5", "0.5, 0.9", 1))
	path, other := filepath.Join(t.TempDir(), "journal.db"), filepath.Join(t.TempDir(), "other.db")
	run := func(path, file string, args ...string) ablate.Ablation {
		t.Helper()
		code, stdout, stderr := startWith(t, binary, plugins, path, append([]string{"ablate", file, "--json"}, args...)...).wait(t)
		if code != ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		a := ablated(t, stdout)
		if a.Done != a.Tasks {
			t.Errorf("%d of %d tasks", a.Done, a.Tasks)
		}
		return a
	}
	taken := func(path string, a ablate.Ablation, rw, five, nine int) {
		t.Helper()
		if got := takenOf(t, path, a); got["rw"] != rw || got["sa p=0.5"] != five || got["sa p=0.9"] != nine {
			t.Errorf("taken %v, want %d, %d, %d", got, rw, five, nine)
		}
	}
	taken(path, run(path, few, "--runs", "1"), 0, 0, 0)
	taken(path, run(path, few, "--runs", "2"), 1, 1, 0)
	again := run(path, more, "--runs", "2")
	taken(path, again, 2, 2, 0)
	if len(again.Taken) != 2 || again.Taken[0].Tasks != 2 || again.Machine == nil || !again.Taken[0].Machine.Same(*again.Machine) {
		t.Errorf("%+v on %+v", again.Taken, again.Machine)
	}
	elsewhere := run(other, more, "--runs", "2", "--reuse", path)
	taken(other, elsewhere, 2, 2, 2)
	if len(elsewhere.Taken) != 3 || elsewhere.Taken[0].Journal != path {
		t.Errorf("%+v", elsewhere.Taken)
	}
	fresh := run(path, more, "--runs", "2", "--fresh")
	taken(path, fresh, 0, 0, 0)
	for i, c := range fresh.Cells {
		for _, a := range []ablate.Ablation{again, elsewhere} {
			if o := a.Cells[i]; *o.ID.Mean != *c.ID.Mean || *o.AvgK.Mean != *c.AvgK.Mean || *o.ID.SD != *c.ID.SD || o.Arm != c.Arm {
				t.Errorf("%+v, and without reuse %+v", o, c)
			}
		}
	}
	// A file that is no journal is refused before anything runs.
	nothing := filepath.Join(t.TempDir(), "none.db")
	if code, _, stderr := startWith(t, binary, plugins, nothing, "ablate", more, "--reuse", textFile(t, "empty.db", "")).wait(t); code != ExitUsage || !strings.Contains(stderr, "empty.db is empty") || done(nothing) != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	// Another budget is another task.
	taken(path, run(path, more, "--runs", "1", "--budget", "1500ev"), 0, 0, 0)
}

// A rebuilt plugin is another plugin: an interrupted run is not resumed, its arm is searched
// again, and the other arms are not.
func TestRebuiltPlugin(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{"hyfair-search-rw": "plugins/search-rw", "hyfair-search-sa": "plugins/search-sa"})
	file := grid(t, tenureStudy(t), "solver: none\nstrategies: [{name: rw}, {name: sa}]\nbudget: 500it\nruns: 3\n")
	path := filepath.Join(t.TempDir(), "journal.db")
	killed := startWith(t, binary, plugins, path, "ablate", file, "--json")
	until(t, "two tasks that are done", func() bool { return done(path) >= 2 })
	killed.Process.Kill()
	killed.gone(t)
	before := done(path)
	if before > 5 {
		t.Fatalf("%d of 6 tasks were done when it was killed", before)
	}
	until(t, "the end of the workers", func() bool { return len(left(t, binary)) == 0 })
	rebuilt(t, plugins, "hyfair-search-sa")

	const says = "these have changed since: strategy sa"
	if code, stdout, stderr := startWith(t, binary, plugins, path, "ablate", file, "--json", "--resume").wait(t); code != ExitUsage || stdout != "" || !strings.Contains(stderr, says) {
		t.Errorf("--resume: exit code %d: %s", code, stderr)
	}
	code, stdout, stderr := startWith(t, binary, plugins, path, "ablate", file, "--json").wait(t)
	if code != ExitDone || !strings.Contains(stderr, says) {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	a := ablated(t, stdout)
	if got := takenOf(t, path, a); a.Done != 6 || got["rw"] != int(before+1)/2 || got["sa"] != 0 {
		t.Errorf("of %d tasks of the broken run %v were taken", before, got)
	}

	// One that changes while it is searched with ends the ablation, and does not count.
	path = filepath.Join(t.TempDir(), "journal.db")
	under := startWith(t, binary, plugins, path, "ablate", file, "--json")
	until(t, "a task that is done", func() bool { return done(path) == 1 })
	rebuilt(t, plugins, "hyfair-search-sa")
	if code, _, stderr := under.wait(t); code != ExitUsage || !strings.Contains(stderr, "changed while the experiment ran") || done(path) > 2 {
		t.Errorf("exit code %d, %d tasks: %s", code, done(path), stderr)
	}
}
