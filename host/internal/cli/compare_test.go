package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// compared reads the one object of compare --json.
func compared(t *testing.T, stdout string) (c compare.Comparison) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		t.Fatalf("%v in %q", err, stdout)
	}
	if rest := strings.TrimSpace(stdout[d.InputOffset():]); rest != "" {
		t.Errorf("after the object: %q", rest)
	}
	return c
}

// wait waits for the end and returns the output.
func (r *running) wait(t *testing.T) (code int, stdout, stderr string) {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(2 * time.Minute):
		t.Fatal("no end")
	}
	validJSON(t, r.Args[1:], r.stdout.String())
	return r.ProcessState.ExitCode(), r.stdout.String(), r.stderr.String()
}

// done counts the tasks of the only run in a journal.
func done(path string) int64 {
	j, err := journal.OpenExisting(path)
	if err != nil {
		return 0
	}
	defer j.Close()
	infos, err := j.Runs()
	if err != nil || len(infos) != 1 {
		return 0
	}
	return infos[0].Tasks
}

// A comparison of two solvers ends; killed, it leaves no process behind and is resumed; the
// journal renders the same tables.
func TestCompareGoesOnAfterAKill(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins, study := program(t), rogueFolder(t, "rogue", "acme"), tenureStudy(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	// acme never answers, so that its tasks use their entire budget.
	args := []string{"compare", study, "--solvers", "rogue,acme", "--set", "acme.mode=patient", "--budget", "1500ms", "--runs", "2", "--json"}

	killed := startWith(t, binary, plugins, path, args...)
	until(t, "a task that is done, and the next", func() bool { return done(path) > 0 && len(left(t, plugins)) > 0 })
	killed.Process.Kill()
	killed.gone(t)
	until(t, "the end of the workers", func() bool { return len(left(t, binary)) == 0 })
	before := done(path)
	if before < 1 || before > 3 {
		t.Fatalf("%d of 4 tasks were done when it was killed", before)
	}

	code, stdout, stderr := startWith(t, binary, plugins, path, args...).wait(t)
	if code != ExitDone || !strings.Contains(stderr, "resuming run") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	c := compared(t, stdout)
	if c.Done != 4 || c.Tasks != 4 || done(path) != 4 || len(c.Rows) != 2 || len(c.Disagreements) != 0 {
		t.Errorf("%+v", c)
	}
	honest, patient := c.Rows[0], c.Rows[1]
	if honest.Runs != 2 || honest.Found != 2 || *honest.ID.Mean < 1 || *honest.T1st.Mean <= 0 || *honest.MaxK.Mean != 2 {
		t.Errorf("%+v", honest)
	}
	if patient.Runs != 2 || patient.Found != 0 || patient.T1st.Mean != nil || *patient.Undecided != 1 {
		t.Errorf("%+v", patient)
	}
	if *honest.CPU <= 0 || *honest.Seconds <= 0 || *patient.Seconds <= *honest.Seconds {
		t.Errorf("times: %v, %v, %v", *honest.CPU, *honest.Seconds, *patient.Seconds)
	}

	code, again, stderr := startWith(t, binary, plugins, path, "compare", "--from", c.Run[:6], "--json").wait(t)
	if d := sameJSON(t, c, compared(t, again)); code != ExitDone || d != "" {
		t.Errorf("exit code %d, %s\n%s", code, stderr, d)
	}
	code, stdout, stderr = startWith(t, binary, plugins, path, "compare", "--from", c.Run, "--plots", filepath.Join(t.TempDir(), "plots"), "--json").wait(t)
	if plots := compared(t, stdout).Plots; code != ExitDone || len(plots) != 4 || stderr != "" {
		t.Errorf("exit code %d, %s, plots %v", code, stderr, plots)
	} else if texts := svgTexts(t, plots[0]); !strings.Contains(texts, "\nrogue\n") || !strings.Contains(texts, "\nacme\n") || !strings.Contains(texts, "tasks decided") {
		t.Errorf("%s: %s", plots[0], texts)
	}
	// A task under other rules is another task: the finished one is neither repeated nor reused.
	code, stdout, _ = startWith(t, binary, plugins, path, "compare", study, "--solvers", "rogue", "--budget", "1s", "--runs", "1", "--json").wait(t)
	if other := compared(t, stdout); code != ExitDone || other.Run == c.Run || other.Done != 1 {
		t.Errorf("exit code %d, %+v", code, other)
	}
}

// Ctrl-C keeps what was done and shows it.
func TestInterruptOfCompare(t *testing.T) {
	tier.NeedUsual(t)
	binary, study := program(t), tenureStudy(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	for name, signal := range map[string]os.Signal{"interrupt": os.Interrupt, "terminate": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // mostly waits for the unresponsive solver
			path, plugins := filepath.Join(filepath.Dir(path), name+".db"), rogueFolder(t, "rogue", "acme")
			r := startWith(t, binary, plugins, path, "compare", study, "--solvers", "rogue,acme", "--set", "acme.mode=deaf", "--budget", "1m", "--runs", "1", "--json")
			until(t, "a task that is done, and the next", func() bool { return done(path) > 0 && len(left(t, plugins)) > 0 })
			r.solving(t, "acme")
			r.Process.Signal(signal)
			r.gone(t)
			c := compared(t, r.stdout.String())
			if code := r.ProcessState.ExitCode(); code != ExitInterrupted || !c.Interrupted || c.Done != 1 || c.Rows[0].Runs != 1 || c.Rows[1].Runs != 0 {
				t.Errorf("exit code %d, %+v: %s", code, c, &r.stderr)
			}
		})
	}
}

// needle writes a study in which 5 individuals of a million are treated unfairly: random draws
// do not meet them.
func needle(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := modelfile.WriteJSON(file, &relu.Network{
		Layers: []relu.Layer{
			{Name: "hidden", In: 2, Out: 1, Weights: []float64{1, 5}, Bias: []float64{-999999}, ReLU: true},
			{Name: "output", In: 1, Out: 1, Weights: []float64{2}, Bias: []float64{-1}},
		},
		Head: relu.HeadSigmoid, Precision: 64,
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "study.yaml")
	text := "name: needle\nmodel: model.json\nfeatures:\n  number: {integer: 0..999999}\n  group: {categories: [a, b]}\nprotected:\n  group: all\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A solver that calls everything infeasible is contradicted by hyfair, and by one that
// found individuals: exit code 4, and lines that cannot be overlooked.
func TestCompareExposesALiar(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins, study := program(t), rogueFolder(t, "rogue", "acme"), needle(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	args := []string{"compare", study, "--set", "rogue.mode=infeasible", "--arm", "liar=solver:rogue", "--arm", "honest=solver:acme,partition:20", "--budget", "60s", "--runs", "1"}
	code, stdout, stderr := startWith(t, binary, plugins, path, append(args, "--json")...).wait(t)
	c := compared(t, stdout)
	if code != ExitContradiction || len(c.Disagreements) != 2 || !strings.Contains(stderr, "2 disagreements: a proof was refuted") {
		t.Fatalf("exit code %d, %s\n%+v", code, stderr, c)
	}
	if d := c.Disagreements[0]; d.Prover != "liar" || d.Finder != "hyfair" || d.Margin < 0.1 {
		t.Errorf("%+v", d)
	}
	d := c.Disagreements[1]
	if d.Prover != "liar" || d.Finder != "honest" || d.Margin < 0.1 || d.Region != "everywhere" || d.X["number"] < 999995 || c.Matrix[0][1] != d.Count || c.Matrix[1][0] != 0 {
		t.Errorf("%+v, %v", d, c.Matrix)
	}
	if liar, honest := c.Rows[0], c.Rows[1]; *liar.Certified != 1 || *honest.ID.Mean != 5 || *honest.Certified >= 1 {
		t.Errorf("%+v\n%+v", liar, honest)
	}
	for format, want := range map[string]string{"table": "DISAGREEMENT needle/model: liar claimed", "csv": "honest:5", "latex": `\textbf{5}`, "json": `"prover": "liar"`} {
		code, stdout, _ := startWith(t, binary, plugins, path, "compare", "--from", c.Run, "--format", format).wait(t)
		if code != ExitContradiction || !strings.Contains(stdout, want) {
			t.Errorf("--format %s: exit code %d\n%s", format, code, stdout)
		}
	}
}

// A budget in processor time counts that of worker and solver: a solver that works uses
// it up, on whose clock its finds are, and one that waits is ended by wall time, which is said.
func TestCompareInProcessorTime(t *testing.T) {
	tier.NeedLong(t)
	if runtime.GOOS != "linux" {
		t.Skipf("SKIPPED %s: processor time is told on Linux only", t.Name())
	}
	binary, plugins, study := program(t), rogueFolder(t, "rogue", "acme"), needle(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	args := []string{"compare", study, "--set", "acme.mode=patient", "--arm", "busy=solver:rogue,partition:20", "--arm", "patient=solver:acme", "--budget", "400ms", "--clock", "cpu", "--runs", "1"}
	code, stdout, stderr := startWith(t, binary, plugins, path, append(args, "--json")...).wait(t)
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	c := compared(t, stdout)
	busy, patient := c.Rows[0], c.Rows[1]
	if c.Clock != "cpu" || c.WallLimited != 1 || *busy.CPU < 0.3 || *busy.CPU > 3 || *busy.Fair < 1 || len(busy.Errors) != 0 || c.LoadEnd == nil {
		t.Errorf("%+v\n%+v", c, busy)
	}
	if *patient.CPU > 0.4 || *patient.Seconds < 3 || len(patient.Errors) != 1 || !strings.Contains(patient.Errors[0], "wall time") {
		t.Errorf("%+v", patient)
	}
	_, shown, _ := startWith(t, binary, plugins, path, "compare", "--from", c.Run).wait(t)
	for _, want := range []string{"budget 400ms of processor time", "1 of 2 tasks did NOT use up their budget", "load of the machine"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing:\n%s", want, shown)
		}
	}
	// Results with a budget in processor time are not reused for one in wall time.
	code, stdout, _ = startWith(t, binary, plugins, path, "compare", study, "--arm", "busy=solver:rogue,partition:20", "--budget", "400ms", "--runs", "1", "--json").wait(t)
	if other := compared(t, stdout); code != ExitDone || len(other.Taken) != 0 || other.Clock != "" {
		t.Errorf("exit code %d, %+v", code, other)
	}
	code, _, stderr = startWith(t, binary, plugins, path, append(args, "--clock", "sun")...).wait(t)
	if code != ExitUsage || !strings.Contains(stderr, `unknown clock "sun": want wall or cpu`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// The processor time of what a plugin starts counts on either clock: of a child, of a
// grandchild, of one left behind in a session of its own, of one that still lives at the end,
// and of one whose plugin is killed.
func TestCompareCountsProcessorTimeBelowPlugins(t *testing.T) {
	tier.NeedUsual(t)
	if runtime.GOOS != "linux" {
		t.Skipf("SKIPPED %s: processor time of all below a process is told on Linux only", t.Name())
	}
	binary, plugins, study := program(t), rogueFolder(t, "rogue"), tenureStudy(t)
	for _, clock := range []string{"wall", "cpu"} {
		for _, mode := range []string{"child", "wait", "leave", "stay", "die"} {
			if !tier.Long() && mode != "leave" && (clock == "cpu" || mode != "die") {
				continue
			}
			path := filepath.Join(t.TempDir(), "journal.db")
			code, stdout, stderr := startWith(t, binary, plugins, path, "compare", study, "--set", "rogue.mode="+mode, "--arm", "a=solver:rogue,encoding:bigm", "--budget", "60s", "--clock", clock, "--runs", "1", "--json").wait(t)
			c := compared(t, stdout)
			if code != ExitDone || len(c.Rows) != 1 || c.Rows[0].CPU == nil || *c.Rows[0].CPU < 0.4 {
				t.Errorf("%s, %s: exit code %d, %s\n%+v", clock, mode, code, stderr, c.Rows)
				continue
			}
			t.Logf("%s, %s: %.2f s", clock, mode, *c.Rows[0].CPU)
		}
	}
}

// Models are picked by a pattern, and a file takes the rendering.
func TestCompareModelsAndOut(t *testing.T) {
	binary, plugins, study := program(t), rogueFolder(t, "rogue"), tenureStudy(t)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(study), "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A-10.json", "A-2.json", "B-1.json"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(study), name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "table.csv")
	path := filepath.Join(t.TempDir(), "journal.db")
	code, stdout, stderr := startWith(t, binary, plugins, path, "compare", study, "--models", "A-*", "--solvers", "rogue", "--budget", "5s", "--runs", "1",
		"--jobs", "2", "--format", "csv", "--out", out).wait(t)
	if code != ExitDone || !strings.Contains(stdout, "A-10") || strings.Contains(stdout, "B-1") || !strings.Contains(stdout, "side by side") {
		t.Fatalf("exit code %d: %s\n%s", code, stderr, stdout)
	}
	rows, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(string(rows)), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "tenure,A-2,rogue,1,") || !strings.HasPrefix(lines[2], "tenure,A-10,") {
		t.Errorf("%s", rows)
	}
}

// Mistakes end with exit code 2 before anything is run.
func TestCompareUsage(t *testing.T) {
	plugins, study := rogueFolder(t, "rogue"), tenureStudy(t)
	file := filepath.Join(filepath.Dir(study), "comparison.yml")
	if err := os.WriteFile(file, []byte("studies: [{study: study.yaml}]\narms:\n  - {name: a, solver: rogue}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(filepath.Dir(study), "bad.yml")
	if err := os.WriteFile(bad, []byte("studies: [{study: study.yaml}]\narms:\n  - {name: a, solver: rogue, notion: odd}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no study":                 {nil, "STUDY"},
		"no arms":                  {[]string{study}, "--solvers"},
		"both":                     {[]string{study, "--solvers", "rogue", "--arm", "a=solver:rogue"}, "not both"},
		"two of a name":            {[]string{study, "--solvers", "rogue,rogue"}, "two arms"},
		"unknown solver":           {[]string{study, "--solvers", "absent"}, "rogue"},
		"unknown key":              {[]string{study, "--arm", "a=solver:rogue,colour:red"}, "want one of solver"},
		"no SMT there":             {[]string{study, "--arm", "a=solver:rogue,encoding:absent"}, "bigm"},
		"partition":                {[]string{study, "--arm", "a=solver:rogue,partition:yers=3"}, "years"},
		"k of decisions":           {[]string{study, "--arm", "a=solver:rogue,goal:largest-k,notion:decision"}, "arm a: goal largest-k"},
		"partition of study":       {[]string{study, "--arm", "a=solver:rogue,partition:study"}, "gives no partition"},
		"format":                   {[]string{study, "--solvers", "rogue", "--format", "docx"}, "latex"},
		"pattern":                  {[]string{study, "--solvers", "rogue", "--models", "["}, "--models"},
		"no such model":            {[]string{study, "--solvers", "rogue", "--models", "Z*"}, "Z*"},
		"budget":                   {[]string{study, "--solvers", "rogue", "--budget", "0s"}, "budget"},
		"runs":                     {[]string{study, "--solvers", "rogue", "--runs", "0"}, "runs"},
		"jobs":                     {[]string{study, "--solvers", "rogue", "--jobs", "0"}, "jobs"},
		"study twice":              {[]string{study, study, "--solvers", "rogue"}, "list each once"},
		"epsilon":                  {[]string{study, "--solvers", "rogue", "--epsilon", "2"}, "epsilon"},
		"unknown option":           {[]string{study, "--solvers", "rogue", "--set", "color=red"}, "color"},
		"unknown option of an arm": {[]string{study, "--arm", "a=solver:rogue,set.color:red"}, "color"},
		"refused value":            {[]string{study, "--arm", "a=solver:rogue,set.from:soon"}, "arm a: solver rogue: option from"},
		"file among studies":       {[]string{study, file}, "alone"},
		"bad file":                 {[]string{bad}, "bad.yml:3:38: arms[0].notion"},
		"unknown arm":              {[]string{file, "--arm", "b"}, "which has a"},
		"from with a study":        {[]string{study, "--from", "x"}, "leave out"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(t, plugins, append([]string{"compare"}, c.args...)...)
			if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
		})
	}
	t.Run("from another command", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "journal.db")
		if code, _, stderr := command(t, plugins, "certify", study, "--solver", "rogue", "--journal", path); code != ExitDone {
			t.Fatal(stderr)
		}
		j, err := journal.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		infos, err := j.Runs()
		if err != nil || len(infos) != 1 {
			t.Fatal(infos, err)
		}
		j.Close()
		code, _, stderr := command(t, plugins, "compare", "--from", infos[0].Name, "--journal", path)
		if code != ExitUsage || !strings.Contains(stderr, "want a run of the command compare") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

// A worker takes one task and nothing else.
func TestWorkUsage(t *testing.T) {
	for _, text := range []string{"", "{}", "nonsense\n", strings.Repeat("x", 2<<20)} {
		var out, err strings.Builder
		if code := Main([]string{"work"}, strings.NewReader(text), &out, &err); code != ExitUsage || out.String() != "" || !strings.Contains(err.String(), "hyfair compare") {
			t.Errorf("exit code %d: %s%s", code, out.String(), err.String())
		}
	}
}
