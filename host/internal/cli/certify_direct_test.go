package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/reference"
)

// directly is what scripts read of a question about the network itself.
type directly struct {
	certified
	Encoding string
	Closed   bool
	MaxK     *certify.MaxK `json:"max_k"`
}

func askedDirectly(t *testing.T, plugins string, args ...string) (out directly, stderr string) {
	t.Helper()
	code, stdout, stderr := command(t, plugins, append([]string{"certify", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(stdout), &out); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	return out, stderr
}

// A fresh machine has no library: solver-bnb is taken, and gets the question as it is.
func TestDefaultSolverNeedsNoLibrary(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	out, stderr := askedDirectly(t, plugins, study, "--epsilon", "0.4", "--where", "years=..6")
	if out.Solver.Name != "bnb" || out.Solver.Library != "" || out.Encoding != "network" || out.Verdict != "unfair" || out.Witness == nil || stderr != "" {
		t.Errorf("%+v: %s", out, stderr)
	}
	out, _ = askedDirectly(t, plugins, study, "--notion", "logit", "--epsilon", "6.5", "--where", "years=..6", "--maximize")
	if out.Verdict != "fair" || out.Grade == "" || *out.Gap != 6 || *out.Bound < 6 || *out.Bound > 6.0001 || !out.Closed {
		t.Errorf("%+v", out)
	}
	code, stdout, _ := command(t, plugins, "certify", study)
	if code != ExitDone || !strings.Contains(stdout, "solver bnb 1.0.0, asked about the model itself") || !strings.Contains(stdout, "UNFAIR") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	code, _, stderr = command(t, plugins, "certify", study, "--encoding", "bigm")
	if code != ExitFailed || !strings.Contains(stderr, "bnb: does not serve") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// withNextSolver adds a solver of all forms, under the name of the next one after
// bnb, to a plugin folder.
func withNextSolver(t *testing.T, plugins string) string {
	t.Helper()
	rogues := rogueFolder(t, "highs")
	if err := os.Rename(filepath.Join(rogues, "hyfair-solver-highs"), filepath.Join(plugins, "hyfair-solver-highs")); err != nil {
		t.Fatal(err)
	}
	return plugins
}

// A question that the default solver does not answer goes to the next; where the
// solver is named, that it does not is the answer.
func TestNextSolver(t *testing.T) {
	plugins := withNextSolver(t, bnbFolder(t))
	_, n := reference.Tenure() // with values beyond those that bnb bounds on the way
	const far = 0x1p110
	for i := range n.Layers[0].Weights {
		n.Layers[0].Weights[i] *= far
	}
	for i := range n.Layers[0].Bias {
		n.Layers[0].Bias[i] *= far
	}
	for i := range n.Layers[1].Weights {
		n.Layers[1].Weights[i] /= far
	}
	study := tenureStudyOf(t, n)
	steep := []string{study, "--climb=false"}
	out, stderr := askedDirectly(t, plugins, steep...)
	if out.Solver.Name != "highs" || out.Encoding == "" || out.Verdict != "unfair" || !strings.Contains(stderr, "solver bnb") || !strings.Contains(stderr, "asking highs") {
		t.Errorf("%+v: %s", out, stderr)
	}
	code, _, stderr := command(t, plugins, append([]string{"certify", "--solver", "bnb"}, steep...)...)
	if code == ExitDone || !strings.Contains(stderr, "bnb") || strings.Contains(stderr, "asking highs") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if solver, stderr := solverInTheLoop(t, plugins, study); solver != "highs" || !strings.Contains(stderr, "solver bnb") || !strings.Contains(stderr, "asking highs") {
		t.Errorf("a search asks %s: %s", solver, stderr)
	}
}

// The solver in a search's loop is that of the other commands, the one whose
// individuals come fastest; here a solver of rows and columns is there, too.
func TestDefaultSolverInTheLoop(t *testing.T) {
	plugins := withNextSolver(t, bnbFolder(t))
	if solver, stderr := solverInTheLoop(t, plugins, tenureStudy(t)); solver != "bnb" || strings.Contains(stderr, "asking") {
		t.Errorf("a search asks %s: %s", solver, stderr)
	}
}

// solverInTheLoop is the solver that a search takes by itself.
func solverInTheLoop(t *testing.T, plugins, study string) (solver, stderr string) {
	t.Helper()
	if err := os.Symlink(plugintest.Build(t, "search-rw"), filepath.Join(plugins, "hyfair-search-rw")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := command(t, plugins, "search", study, "--strategy", "rw", "--budget", "3it", "--json")
	var out search.Result
	if err := json.Unmarshal([]byte(stdout), &out); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	return out.Solver, stderr
}

// Relaxed questions go to the default solver as they are. On tenure two people a
// year apart, at nine years or eight, are as far apart as nine years make them.
func TestRelaxedByDefault(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	out, stderr := askedDirectly(t, plugins, study, "--relax", "years=1", "--notion", "logit", "--epsilon", "9.5", "--maximize")
	if out.Solver.Name != "bnb" || out.Encoding != "network" || out.Verdict != "fair" || out.Grade != "rigorous" || *out.Gap != 9 || !out.Closed || stderr != "" {
		t.Errorf("%+v: %s", out, stderr)
	}
}

// TestMaxK on tenure: σ(4) and σ(4 − years), so two bins at most; and on loan,
// where twenty are reached.
func TestMaxK(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	out, _ := askedDirectly(t, plugins, study, "--max-k")
	if m := out.MaxK; m == nil || m.Lo != 2 || m.Hi != 2 || !m.Certified || m.Grade == "" || out.Verdict != "unfair" {
		t.Errorf("%+v, %+v", out.MaxK, out)
	}
	out, _ = askedDirectly(t, plugins, "../../../studies/loan", "--max-k", "--where", "loan_amount=11..12,income=3..4")
	if m := out.MaxK; m == nil || !m.Certified || m.Lo != m.Hi || m.Lo < 3 || out.K != m.Lo || m.Reason != "" || out.Witness == nil {
		t.Errorf("%+v, %+v", out.MaxK, out)
	}
	code, stdout, _ := command(t, plugins, "certify", study, "--max-k")
	if code != ExitDone || !strings.Contains(stdout, "Max.K = 2, certified") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	// A solver of lowered problems is asked for one bin more, again and again.
	code, stdout, stderr := command(t, rogueFolder(t, "rogue"), "certify", study, "--max-k", "--solver", "rogue", "--encoding", "bigm")
	if code != ExitDone || !strings.Contains(stdout, "Max.K = 2, certified") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"k":         {[]string{"--k", "3"}, "--k exclude"},
		"relax":     {[]string{"--relax", "years=1"}, "--relax"},
		"partition": {[]string{"--partition", "5"}, "--partition"},
		"notion":    {[]string{"--notion", "logit"}, "the notion logit has no bins"},
	} {
		code, _, stderr := command(t, plugins, append([]string{"certify", study, "--max-k"}, c.args...)...)
		if code != ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
	}
}
