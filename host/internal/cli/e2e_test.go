package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
)

// program is hyfair as users run it.
func program(t *testing.T) string {
	t.Helper()
	return plugintest.Program(t, "host")
}

// running is a running hyfair with plugins from one folder.
type running struct {
	*exec.Cmd
	plugins        string
	journal        string
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

func start(t *testing.T, binary, plugins string, args ...string) *running {
	t.Helper()
	return startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"), args...)
}

// startWith is start with a journal that several commands share.
func startWith(t *testing.T, binary, plugins, journal string, args ...string) *running {
	t.Helper()
	for _, sign := range misbehaves(plugins) { // of the last one that ran with them
		os.Remove(sign)
	}
	r := &running{plugins: plugins, journal: journal, ended: make(chan struct{})}
	r.Cmd = exec.Command(binary, append(args, "--plugin-dir", plugins, "--journal", journal)...)
	r.Env = append(os.Environ(), "HYFAIR_PLUGIN_DIR=", "XDG_DATA_HOME="+t.TempDir())
	r.Stdout, r.Stderr = &r.stdout, &r.stderr
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		r.Wait()
	}()
	t.Cleanup(func() {
		r.Process.Kill()
		<-r.ended
	})
	return r
}

// left are the processes that run a program in the folder.
func left(t *testing.T, folder string) (pids []string) {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(commands) == 0 {
		t.Skipf("SKIPPED %s: this system has no /proc to look for processes in", t.Name())
	}
	for _, c := range commands {
		if text, err := os.ReadFile(c); err == nil && bytes.HasPrefix(text, []byte(folder)) {
			pids = append(pids, filepath.Base(filepath.Dir(c)))
		}
	}
	return pids
}

// solving waits until the rogue of the name has a question that it will not answer.
func (r *running) solving(t *testing.T, rogue string) {
	t.Helper()
	until(t, "a question to "+rogue, func() bool {
		return slices.Contains(misbehaves(r.plugins), filepath.Join(r.plugins, rogue+".misbehaves"))
	})
}

// misbehaves are the signs of rogues that have begun to.
func misbehaves(plugins string) []string {
	signs, _ := filepath.Glob(filepath.Join(plugins, "*.misbehaves"))
	return signs
}

// gone checks that hyfair and its plugins end within two seconds, the promise.
func (r *running) gone(t *testing.T) {
	t.Helper()
	began := time.Now()
	select {
	case <-r.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("still there after 10 s")
	}
	for len(left(t, r.plugins)) > 0 && time.Since(began) < 10*time.Second {
		time.Sleep(25 * time.Millisecond)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("gone after %v; left: %v", took, left(t, r.plugins))
	} else {
		t.Logf("gone after %v", took.Round(time.Millisecond))
	}
}

// until asks again and again, for a minute.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// busy are the clock ticks, of which there are 100 in a second, that the processes of a
// folder have computed for.
func busy(t *testing.T, folder string) (ticks int) {
	for _, pid := range left(t, folder) {
		ticks += stat(pid, 11)
	}
	return ticks
}

// stat is a number of a process's /proc/PID/stat, counted from its state, which is 0; 0
// if it has just ended.
func stat(pid string, field int) (n int) {
	text, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, rest, _ := bytes.Cut(text, []byte(") ")) // the name may hold blanks
	if fields := strings.Fields(string(rest)); len(fields) > field {
		n, _ = strconv.Atoi(fields[field])
	}
	return n
}

// children are the processes of a folder that one process has started.
func children(t *testing.T, folder string, parent int) (pids []int) {
	for _, pid := range left(t, folder) {
		if n, err := strconv.Atoi(pid); err == nil && stat(pid, 1) == parent {
			pids = append(pids, n)
		}
	}
	return pids
}

// finished is the last event of the only run in the journal.
func (r *running) finished(t *testing.T) *record.Finished {
	t.Helper()
	events := journalled(t, r.journal, "")
	last := events[len(events)-1]
	if last.Finished == nil {
		t.Fatalf("the journal ends in %+v", last)
	}
	return last.Finished
}

// A signal ends a question soon, whatever the solver does, with what was found
// on standard output and in the journal, and no process left.
func TestSignals(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins, study := program(t), rogueFolder(t, "rogue"), tenureStudy(t)
	for name, c := range map[string]struct {
		signal  os.Signal
		set     []string
		verdict string
	}{
		"interrupt a patient solver":         {os.Interrupt, []string{"--set", "mode=patient"}, "undecided"},
		"interrupt a deaf solver":            {os.Interrupt, []string{"--set", "mode=deaf"}, "undecided"},
		"interrupt while maximising":         {os.Interrupt, []string{"--set", "mode=deaf", "--set", "from=2"}, "unfair"},
		"terminate a deaf solver":            {syscall.SIGTERM, []string{"--set", "mode=deaf"}, "undecided"},
		"terminate a patient one maximising": {syscall.SIGTERM, []string{"--set", "mode=patient", "--set", "from=2"}, "unfair"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, binary, plugins, append([]string{"certify", study, "--solver", "rogue", "--climb=false", "--maximize", "--json"}, c.set...)...)
			r.solving(t, "rogue")
			r.Process.Signal(c.signal)
			r.gone(t)
			if code := r.ProcessState.ExitCode(); code != ExitInterrupted {
				t.Errorf("exit code %d: %s", code, &r.stderr)
			}
			out := oneObject(t, r.stdout.String())
			if out.Verdict != c.verdict || out.Reason != "interrupted" || (out.Witness != nil) != (c.verdict == "unfair") {
				t.Errorf("%+v", out)
			}
			if end := r.finished(t); !end.Interrupted {
				t.Errorf("the journal's end: %+v", end)
			}
		})
	}
	t.Run("kill", func(t *testing.T) {
		r := start(t, binary, plugins, "certify", study, "--solver", "rogue", "--climb=false", "--set", "mode=deaf")
		r.solving(t, "rogue")
		r.Process.Kill()
		r.gone(t)
		if info := onlyRun(t, r.journal); info.State != journal.BrokenOff {
			t.Errorf("the run is %s", info.State)
		}
	})
	t.Run("reader gone", func(t *testing.T) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read.Close()
		r := &running{plugins: plugins, journal: filepath.Join(t.TempDir(), "journal.db"), ended: make(chan struct{})}
		r.Cmd = exec.Command(binary, "certify", study, "--solver", "rogue", "--climb=false", "--plugin-dir", plugins, "--journal", r.journal)
		r.Cmd.Stdout, r.Cmd.Stderr = write, &r.stderr
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		write.Close()
		go func() {
			defer close(r.ended)
			r.Wait()
		}()
		r.gone(t)
		if r.ProcessState.Success() {
			t.Error("it succeeded without a reader")
		}
		if end := r.finished(t); end.Interrupted || end.Error != "" {
			t.Errorf("the journal's end: %+v", end)
		}
		if strings.Contains(r.stderr.String(), "panic") {
			t.Errorf("standard error: %s", &r.stderr)
		}
	})
}

// Ctrl-C while the real solver works on the hard problem of a published
// network.
func TestInterruptOfHiGHS(t *testing.T) {
	tier.NeedUsual(t)
	root := tier.NeedData(t, "adult", "models")
	if os.Getenv("HYFAIR_LIB_DIR") == "" {
		if dir, err := filepath.Abs("../../../.deps/lib"); err == nil {
			t.Setenv("HYFAIR_LIB_DIR", dir)
		}
	}
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-highs": "plugins/solver-highs"})
	if code, stdout, _ := hyfair("plugins", "--plugin-dir", plugins, "--json"); code != ExitDone || !strings.Contains(stdout, `"usable": true`) {
		t.Skipf("SKIPPED %s: no HiGHS library; make setup brings it", t.Name())
	}
	r := start(t, program(t), plugins, "certify", "../../../studies/adult.yaml", "--data", root, "--model", "AC-5", "--climb=false",
		"--solver", "highs", "--notion", "logit", "--maximize", "--json")
	until(t, "HiGHS in the middle of its work", func() bool { return busy(t, plugins) > 100 })
	r.Process.Signal(os.Interrupt)
	r.gone(t)
	if code := r.ProcessState.ExitCode(); code != ExitInterrupted {
		t.Errorf("exit code %d: %s", code, &r.stderr)
	}
	out := oneObject(t, r.stdout.String())
	if found := out.Witness != nil; found != (out.Verdict == "unfair") || out.Reason != "interrupted" || out.Closed ||
		out.Bound == nil || found && *out.Bound < *out.Gap {
		t.Errorf("%+v", out)
	}
	if end := r.finished(t); !end.Interrupted {
		t.Errorf("the journal's end: %+v", end)
	}
	t.Logf("verdict %s, bound %v", out.Verdict, *out.Bound)
}
