package cli

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/tier"
)

// ablated reads the one object of ablate --json.
func ablated(t *testing.T, stdout string) (a ablate.Ablation) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if rest := strings.TrimSpace(stdout[d.InputOffset():]); rest != "" {
		t.Errorf("after the object: %q", rest)
	}
	return a
}

// grid writes a grid file next to a study.
func grid(t *testing.T, study, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "grid.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, "studies: [{study: %s}]\n%s", study, text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAblate runs the program as users do, with real strategies, one that dies
// and a solver that misbehaves, all built once.
func TestAblate(t *testing.T) {
	tier.NeedUsual(t)
	from := map[string]string{
		"search-rw": "plugins/search-rw", "search-sa": "plugins/search-sa", "search-mortal": "host/internal/cli/testdata/mortal",
		"solver-rogue": "host/internal/answer/certify/engine/testdata/rogue",
	}
	for _, c := range []struct {
		name    string
		test    func(t *testing.T, binary, plugins string)
		plugins []string
	}{
		{"goes on after a kill", testAblateGoesOnAfterAKill, []string{"search-rw", "search-sa"}},
		{"tries again", testAblateTriesAgain, []string{"search-mortal"}},
		{"survives kills", testAblateSurvivesKills, []string{"search-rw", "search-sa"}},
		{"is interrupted", testInterruptOfAblate, []string{"search-rw", "search-sa"}},
		{"with a lost solver", testAblateWithALostSolver, []string{"search-rw", "solver-rogue"}},
		{"finds the same side by side", testAblateFindsTheSameSideBySide, []string{"search-rw", "search-sa"}},
		{"usage", testAblateUsage, []string{"search-rw", "search-sa", "search-mortal", "solver-rogue"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs := map[string]string{}
			for _, name := range c.plugins {
				programs["hyfair-"+name] = from[name]
			}
			c.test(t, program(t), plugintest.Folder(t, programs))
		})
	}
}

// Plots that cannot be written cost no table.
func TestAblateShowsTheTableWithoutPlots(t *testing.T) {
	var out strings.Builder
	f := &plotFlags{dir: filepath.Join(textFile(t, "file", ""), "plots"), format: view.SVG}
	a := ablate.Ablation{}
	err := f.shower(&App{Stdout: &out}, (&experimentFlags{shown: showFlags{format: view.Text}}).show)(&a)
	if err == nil || !strings.HasPrefix(err.Error(), "--plots: ") || out.String() != shown(a) {
		t.Errorf("%v; shown is %q", err, out.String())
	}
}

// shown is an ablation's table, for messages.
func shown(a ablate.Ablation) string {
	var b strings.Builder
	if err := a.Document().Write(&b, view.Text, view.Options{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// sameJSON compares what two results show.
func sameJSON(t *testing.T, a, b any) string {
	t.Helper()
	var texts [2]string
	for i, v := range []any{a, b} {
		text, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return cmp.Diff(texts[0], texts[1])
}

// A killed ablation leaves no process behind and is resumed; the journal gives the same tables
// and plots without running anything.
func testAblateGoesOnAfterAKill(t *testing.T, binary, plugins string) {
	study := tenureStudy(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	file := grid(t, study, fmt.Sprintf("solver: none\nstrategies: [{name: rw}, {name: sa, grid: {p: [0.5, 0.9]}}]\nbudget: %dit\nruns: 2\n", tier.Count(500, 1500)))
	args := []string{"ablate", file, "--json"}

	killed := startWith(t, binary, plugins, path, args...)
	until(t, "a task that is done, and the next", func() bool { return done(path) > 0 && len(left(t, plugins)) > 0 })
	killed.Process.Kill()
	killed.gone(t)
	until(t, "the end of the workers", func() bool { return len(left(t, binary)) == 0 })
	if before := done(path); before < 1 || before > 5 {
		t.Fatalf("%d of 6 tasks were done when it was killed", before)
	}

	code, stdout, stderr := startWith(t, binary, plugins, path, append(args, "--resume")...).wait(t)
	if code != ExitDone || !strings.Contains(stderr, "resuming run") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	a := ablated(t, stdout)
	if a.Done != 6 || a.Tasks != 6 || a.Failed != 0 || done(path) != 6 || len(a.Cells) != 3 || len(a.Ranking) != 9 || len(a.Arms) != 3 {
		t.Errorf("%+v", a)
	}
	for _, c := range a.Cells {
		if c.Runs != 2 || c.Found != 2 || *c.Iter.Mean < 10 || *c.MaxK.Mean != 2 || c.Target != 2 || c.Reached != 2 || *c.T1st.Mean <= 0 || *c.CPU <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if a.Arms[1].Name != "sa p=0.5" || a.Arms[2].Set["p"] != "0.9" || a.Arms[0].StrategyVersion == "" {
		t.Errorf("%+v", a.Arms)
	}

	code, again, stderr := startWith(t, binary, plugins, path, "ablate", "--from", a.Run[:6], "--json").wait(t)
	if d := sameJSON(t, a, ablated(t, again)); code != ExitDone || d != "" {
		t.Errorf("exit code %d, %s\n%s", code, stderr, d)
	}
	for format, want := range map[string]string{"csv": ",T.maxK.a12,", "latex": `\caption{grid: what the searches found}`, "table": "INCOMPLETE"} {
		code, text, stderr := startWith(t, binary, plugins, path, "ablate", "--from", a.Run, "--format", format).wait(t)
		if code != ExitDone || strings.Contains(text, want) == (format == "table") {
			t.Errorf("--format %s: exit code %d, %s\n%s", format, code, stderr, text)
		}
	}
	plots := filepath.Join(t.TempDir(), "plots")
	code, text, stderr := startWith(t, binary, plugins, path, "ablate", "--from", a.Run, "--plots", plots, "--json").wait(t)
	if drawn := ablated(t, text); code != ExitDone || len(drawn.Plots) != 7 {
		t.Fatalf("exit code %d, %s, plots %v", code, stderr, drawn.Plots)
	} else {
		for _, p := range drawn.Plots {
			texts, wants := svgTexts(t, p), []string{"rw", "sa p=0.5", "sa p=0.9", "grid: tenure/model"}
			if strings.HasPrefix(filepath.Base(p), "effects-") {
				wants = []string{"grid: effects of the keys of sa on", "p=0.5", "p=0.9"}
			}
			for _, want := range wants {
				if !strings.Contains(texts, want) {
					t.Errorf("%s lacks %q: %s", p, want, texts)
				}
			}
		}
	}
	// All tasks are done: there is nothing to resume, and without --resume a new run begins.
	if code, _, stderr := startWith(t, binary, plugins, path, append(args, "--resume")...).wait(t); code != ExitUsage || !strings.Contains(stderr, "no interrupted run") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// svgTexts are all texts of an SVG file.
func svgTexts(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		if words, ok := token.(xml.CharData); ok {
			b.Write(words)
			b.WriteByte('\n')
		}
	}
}

// A strategy that exits during a search costs that task a try. After two it is reported as
// failed, the other tasks continue, and the same command tries it again.
func testAblateTriesAgain(t *testing.T, binary, plugins string) {
	study := tenureStudy(t)
	lives := filepath.Join(t.TempDir(), "lives")
	file := grid(t, study, "solver: none\nbudget: 50it\nruns: 3\nstrategies:\n  - {name: a, strategy: mortal, set: {lives: "+lives+"}}\n  - {name: b, strategy: mortal, set: {lives: "+lives+", seed: 0}}\n")
	run := func(path string, deaths string) (int, ablate.Ablation, string) {
		if err := os.WriteFile(lives, []byte(deaths), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := startWith(t, binary, plugins, path, "ablate", file, "--jobs", "2", "--json").wait(t)
		return code, ablated(t, stdout), stderr
	}
	code, a, stderr := run(filepath.Join(t.TempDir(), "once.db"), "1")
	if code != ExitDone || a.Done != 6 || a.Retried != 1 || a.Failed != 0 || a.Cells[0].Runs != 3 || a.Cells[0].Retried != 1 || *a.Cells[0].Iter.Mean != 50 {
		t.Errorf("lost once: exit code %d, %s\n%s", code, stderr, shown(a))
	}
	if len(a.Cells[0].Errors) != 1 || !strings.Contains(a.Cells[0].Errors[0], "mortal exited") {
		t.Errorf("the reason is not told: %q", a.Cells[0].Errors)
	}

	path := filepath.Join(t.TempDir(), "twice.db")
	code, a, stderr = run(path, "2")
	if code != ExitFailed || a.Done != 5 || a.Failed != 1 || a.Cells[0].Runs != 2 || a.Cells[0].Failed != 1 || a.Cells[1].Runs != 3 || !strings.Contains(stderr, "1 of 6 tasks failed twice") {
		t.Errorf("lost twice: exit code %d, %s\n%s", code, stderr, shown(a))
	}
	if table := shown(a); !strings.Contains(table, "FAILED tenure, a: 1 of 3 tasks") || !strings.Contains(table, "2/2, 1 failed") {
		t.Error(table)
	}
	code, again, stderr := run(path, "0")
	if code != ExitDone || again.Run != a.Run || again.Done != 6 || again.Failed != 0 || !strings.Contains(stderr, "5 of 6 tasks done") {
		t.Errorf("tried again: exit code %d, %s\n%s", code, stderr, shown(again))
	}
}

// A worker or a plugin killed from outside costs the task a try.
func testAblateSurvivesKills(t *testing.T, binary, plugins string) {
	tier.NeedLong(t)
	study := tenureStudy(t)
	file := grid(t, study, "solver: none\nbudget: 1500ms\nruns: 1\nstrategies: [{name: rw}, {name: sa}]\n")
	for _, name := range []string{"worker", "plugin"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			r := startWith(t, binary, plugins, path, "ablate", file, "--json")
			var victims []int
			until(t, "a worker", func() bool { victims = children(t, binary, r.Process.Pid); return len(victims) > 0 })
			if worker := victims[0]; name == "plugin" {
				until(t, "the worker's plugin in the middle of its work", func() bool {
					victims = slices.DeleteFunc(children(t, plugins, worker), func(pid int) bool { return stat(strconv.Itoa(pid), 11) < 10 })
					return len(victims) > 0
				})
			}
			if p, err := os.FindProcess(victims[0]); err == nil {
				p.Kill()
			}
			code, stdout, stderr := r.wait(t)
			if a := ablated(t, stdout); code != ExitDone || a.Done != 2 || a.Retried != 1 || a.Failed != 0 {
				t.Errorf("exit code %d, %s\n%s", code, stderr, shown(a))
			}
			r.gone(t)
		})
	}
}

// Ctrl-C keeps what was done and shows it.
func testInterruptOfAblate(t *testing.T, binary, plugins string) {
	study := tenureStudy(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	file := grid(t, study, "solver: none\nbudget: 800ms\nruns: 20\nstrategies: [{name: rw}, {name: sa}]\n")
	r := startWith(t, binary, plugins, path, "ablate", file, "--json")
	until(t, "a task that is done", func() bool { return done(path) > 0 })
	r.Process.Signal(os.Interrupt)
	code, stdout, stderr := r.wait(t)
	r.gone(t)
	a := ablated(t, stdout)
	if code != ExitInterrupted || !a.Interrupted || a.Done < 1 || a.Done > 39 || a.Failed != 0 || a.Retried != 0 || int64(a.Done) != done(path) || !strings.Contains(stderr, "resumes the others") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, shown(a))
	}
}

// A search that lost the solver of its arm is no run of that arm.
func testAblateWithALostSolver(t *testing.T, binary, plugins string) {
	study := tenureStudy(t)
	file := grid(t, study, "budget: 100it\nruns: 1\nstrategies:\n  - {name: well, strategy: rw, solver: rogue}\n  - {name: ill, strategy: rw, solver: rogue, solver_set: {mode: exit}}\n")
	code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"), "ablate", file, "--json").wait(t)
	a := ablated(t, stdout)
	if code != ExitFailed || a.Done != 1 || a.Cells[0].Runs != 1 || a.Cells[1].Failed != 1 || !strings.Contains(strings.Join(a.Cells[1].Errors, " "), "rogue") {
		t.Errorf("exit code %d, %s\n%s", code, stderr, shown(a))
	}
}

// Budgets in iterations give the same finds whatever runs in parallel, and all of
// them are in the journal.
func testAblateFindsTheSameSideBySide(t *testing.T, binary, plugins string) {
	study := tenureStudy(t)
	file := grid(t, study, "solver: none\nbudget: 200it\nruns: 3\nstrategies: [{name: rw}, {name: sa}]\n")
	finds := func(jobs string) (ablate.Ablation, map[string]int) {
		path := filepath.Join(t.TempDir(), "journal.db")
		code, stdout, stderr := startWith(t, binary, plugins, path, "ablate", file, "--jobs", jobs, "--json").wait(t)
		if code != ExitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		j, err := journal.OpenExisting(path)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		kinds := map[string]int{}
		a := ablated(t, stdout)
		if err := j.Events(a.Run, func(e record.Event) error {
			kinds[string(e.Kind)]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return a, kinds
	}
	alone, kinds := finds("1")
	beside, _ := finds("3")
	found := 0.0
	for i := range alone.Cells {
		for k := range alone.Cells[i].ID.Values {
			found += *alone.Cells[i].ID.Values[k]
		}
		if d := cmp.Diff(alone.Cells[i].ID.Values, beside.Cells[i].ID.Values); d != "" {
			t.Error(d)
		}
	}
	if kinds["found"] != int(found) || kinds["best"] < 6 || kinds["finished"] != 7 { // one is the run's own
		t.Errorf("%v individuals found, events %v", found, kinds)
	}
	if alone.Jobs != 1 || beside.Jobs != 3 {
		t.Errorf("%d and %d jobs", alone.Jobs, beside.Jobs)
	}
}
