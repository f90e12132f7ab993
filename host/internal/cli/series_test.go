package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment/series"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
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

// A killed series leaves no worker behind and is resumed: its table equals that of an
// undisturbed one, with parallel jobs, too.
func TestSeriesGoesOnAfterAKill(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), shippedStrategies(t, "climb")
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	one := "{study: " + loan + "}"
	file := textFile(t, "series.yaml", "studies: ["+one+", {study: "+tenureStudy(t)+"}, "+one+", "+one+"]\nbudget: 20000ev\nsamples: 1500\n")
	args := []string{"explain", file, "--format", "csv"}
	path := filepath.Join(t.TempDir(), "journal.db")
	killed := startWith(t, binary, plugins, path, args...)
	until(t, "a task that is done", func() bool { return tasksOf(path, "explain") > 0 })
	killed.Process.Kill()
	killed.gone(t)
	if before := tasksOf(path, "explain"); before < 1 || before > 3 {
		t.Fatalf("%d of 4 tasks were done when it was killed", before)
	}
	code, stdout, stderr := startWith(t, binary, plugins, path, append(args, "--resume")...).wait(t)
	if code != ExitDone || !strings.Contains(stderr, "resuming run") || tasksOf(path, "explain") != 4 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	code, whole, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "other.db"), append(args, "--jobs", "2")...).wait(t)
	if d := cmp.Diff(whole, stdout); code != ExitDone || d != "" {
		t.Errorf("exit code %d: %s\n%s", code, stderr, d)
	}
	// All tasks are done: there is nothing to resume.
	if code, _, stderr := startWith(t, binary, plugins, path, append(args, "--resume")...).wait(t); code != ExitUsage || !strings.Contains(stderr, "no interrupted run") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A plugin that exits costs a network a try. After two the network has failed, the others
// continue, and the same command tries it again.
func TestSeriesTriesAgain(t *testing.T) {
	tier.NeedLong(t)
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
	gates := filepath.Join(t.TempDir(), "gates.xml")
	code, m, stderr := mitigated(path, "2", "--max-unfair", "100%", "--junit", gates)
	if n, failures, errors := junit(t, gates); n != 3 || failures != 0 || errors != 3 || len(m.Gates) != 2 || m.Gates[1].Of != "loan" { // the networks, and the command
		t.Errorf("%d test cases, %d failures, %d errors; %+v", n, failures, errors, m.Gates)
	}
	if code != ExitFailed || len(m.Networks) != 1 || !strings.Contains(stderr, "1 of 2 networks could not be mitigated") || !strings.Contains(stderr, "mortal exited") {
		t.Errorf("lost twice: exit code %d, %s", code, stderr)
	}
	code, m, stderr = mitigated(path, "0", "--resume")
	if code != ExitDone || len(m.Networks) != 2 || !strings.Contains(stderr, "1 of 2 tasks done") {
		t.Errorf("tried again: exit code %d, %s", code, stderr)
	}
}

// What no series can do is refused before anything runs.
func TestMistakesInSeries(t *testing.T) {
	study := tenureStudy(t)
	arms := textFile(t, "arms.yaml", "studies: [{study: "+study+"}]\narms: [nonsense]\n")
	good := textFile(t, "good.yaml", "studies: [{study: "+study+"}]\n")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no jobs":           {[]string{"explain", good, "--jobs", "0"}, "0 jobs: want 1 to"},
		"fewer jobs":        {[]string{"mitigate", good, "--jobs", "-1"}, "-1 jobs: want 1 to"},
		"another arm":       {[]string{"mitigate", arms}, `no arm "nonsense"`},
		"no arms":           {[]string{"mitigate", good, "--arms", ""}, "--arms"},
		"threads in a grid": {[]string{"explain", textFile(t, "threads.yaml", "studies: [{study: "+study+"}]\ngrid: {threads: [1, 2]}\n")}, "grid.threads: is the same for all tasks"},
		"option twice":      {[]string{"explain", textFile(t, "twice.yaml", "studies: [{study: "+study+"}]\nset: {climbs: 3}\ngrid: {set.climbs: [1, 2]}\n")}, "is also set to 3 outside the grid"},
		"other budget":      {[]string{"explain", good, "--budget", "soon"}, "--budget"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := startWith(t, program(t), t.TempDir(), filepath.Join(t.TempDir(), "journal.db"), c.args...).wait(t)
			if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, %s%s", code, stdout, stderr)
			}
		})
	}
}

// A worker that is ended from outside gives no part of an answer for the whole: its
// network is tried again. Networks of one name have folders of their own.
func TestSeriesWithAnInterruptedWorker(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), shippedStrategies(t, "rw")
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	file := textFile(t, "series.yaml", "studies: [{study: "+loan+"}, {study: "+loan+"}]\narms: [original, blind]\nsolver: none\nstrategy: rw\nbudget: 5000ev\nruns: 1\n")
	out := filepath.Join(t.TempDir(), "out")
	path := filepath.Join(t.TempDir(), "journal.db")
	r := startWith(t, binary, plugins, path, "mitigate", file, "--epochs", "1", "--out", out, "--json")
	until(t, "the first search", func() bool { return started(path, "search") })
	for _, pid := range children(t, binary, r.Process.Pid) {
		if p, err := os.FindProcess(pid); err == nil {
			p.Signal(syscall.SIGTERM)
		}
	}
	code, stdout, stderr := r.wait(t)
	var m series.Mitigations
	if err := json.Unmarshal([]byte(stdout), &m); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	if code != ExitDone || len(m.Networks) != 2 {
		t.Fatalf("exit code %d, %d networks: %s", code, len(m.Networks), stderr)
	}
	for _, n := range m.Networks {
		if n.Interrupted || len(n.Arms) != 2 {
			t.Errorf("interrupted %v, %d arms", n.Interrupted, len(n.Arms))
		}
	}
	if folders, err := filepath.Glob(filepath.Join(out, "*", "blind.json")); err != nil || len(folders) != 2 {
		t.Errorf("%v, %v", folders, err)
	}
}

// started reports whether the journal has a run of the command.
func started(path, command string) bool {
	j, err := journal.OpenExisting(path)
	if err != nil {
		return false
	}
	defer j.Close()
	infos, err := j.Runs()
	return err == nil && slices.ContainsFunc(infos, func(i journal.Info) bool { return i.Started.Task.Command == command })
}

// A file asks whatever flags can say, once for each point of its grid; flags that the
// user gives are for all points.
func TestGridOfASeries(t *testing.T) {
	tier.NeedLong(t)
	plugins := shippedStrategies(t, "climb")
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	file := textFile(t, "grid.yaml", "studies: [{study: "+loan+"}]\nbudget: 2000ev\nsamples: 200\nprotected: [sex]\nset: {patience: 5}\n"+
		"grid:\n  epsilon: [0.05, 1/10]\n  seed: [1, 2]\n  set.climbs: [1, 2]\n")
	explained := func(args ...string) (names []string, epsilons []string) {
		t.Helper()
		code, stdout, stderr := command(t, plugins, append([]string{"explain", file, "--format", "json"}, args...)...)
		var out series.Explanations
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != ExitDone {
			t.Fatalf("exit code %d, %v: %s", code, err, stderr)
		}
		for _, n := range out.Networks {
			names, epsilons = append(names, n.Name()), append(epsilons, n.Report.Epsilon)
			if d := cmp.Diff([]string{"sex"}, n.Report.Protected); d != "" {
				t.Error(d)
			}
		}
		return names, epsilons
	}
	names, epsilons := explained()
	if d := cmp.Diff([]string{
		"loan epsilon=0.05 seed=1 set.climbs=1", "loan epsilon=0.05 seed=1 set.climbs=2", "loan epsilon=0.05 seed=2 set.climbs=1", "loan epsilon=0.05 seed=2 set.climbs=2",
		"loan epsilon=1/10 seed=1 set.climbs=1", "loan epsilon=1/10 seed=1 set.climbs=2", "loan epsilon=1/10 seed=2 set.climbs=1", "loan epsilon=1/10 seed=2 set.climbs=2",
	}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"0.05", "0.05", "0.05", "0.05", "0.1", "0.1", "0.1", "0.1"}, epsilons); d != "" {
		t.Error(d)
	}
	if names, _ := explained("--epsilon", "0.2", "--seed", "3", "--set", "climbs=4"); !slices.Equal(names, []string{"loan"}) {
		t.Errorf("%q", names)
	}
	if names, epsilons := explained("--epsilon", "0.2", "--seed", "3"); !slices.Equal(names, []string{"loan set.climbs=1", "loan set.climbs=2"}) || !slices.Equal(epsilons, []string{"0.2", "0.2"}) {
		t.Errorf("%q, %q", names, epsilons)
	}
}
