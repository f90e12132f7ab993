package cli

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// climbAnd links the strategy of explain's search into a folder of plugins.
func climbAnd(t *testing.T, plugins string) string {
	t.Helper()
	if err := os.Symlink(plugintest.Build(t, "search-climb"), filepath.Join(plugins, "hyfair-search-climb")); err != nil {
		t.Fatal(err)
	}
	return plugins
}

// The planted cluster's floor and ceiling are those that enumeration of the whole
// space found, docs/loan.md: k is never below 9 inside, and never above 11 outside.
func TestExplainBound(t *testing.T) {
	plugins := climbAnd(t, bnbFolder(t))
	args := []string{"explain", loanStudy, "--budget", "20000ev", "--samples", "2000", "--bound", "60s"}
	code, stdout, stderr := command(t, plugins, append(args, "--json")...)
	var out explainReport
	if err := json.Unmarshal([]byte(stdout), &out); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(out.Predicates) != 1 || out.Predicates[0].Text != plantedText || out.Predicates[0].Floor == nil || out.Ceiling == nil || out.Prover == nil {
		t.Fatalf("%s", stdout)
	}
	floor, ceiling := out.Predicates[0].Floor, out.Ceiling
	if k := floor.K; k == nil || k.Proved != 9 || *k.Found != 9 || !k.Certified || k.Grade != "rigorous" {
		t.Errorf("floor %+v", k)
	}
	if k := ceiling.K; k == nil || k.Proved != 11 || *k.Found != 11 || !k.Certified || k.Grade != "rigorous" {
		t.Errorf("ceiling %+v", k)
	}
	// k bins are at least k−2 of ε apart, and at most k.
	if g := floor.Gap; g == nil || g.Proved < 0.35-1e-9 || g.Proved > *g.Found+1e-9 {
		t.Errorf("floor %+v", g)
	}
	if g := ceiling.Gap; g == nil || g.Proved > 0.55+1e-9 || g.Proved < *g.Found-1e-9 {
		t.Errorf("ceiling %+v", g)
	}
	if p := out.Prover; p.Solver != "bnb" || p.Seconds <= 0 || p.Error != "" || out.Interrupted {
		t.Errorf("%+v", p)
	}

	code, stdout, stderr = command(t, plugins, args...)
	if code != ExitDone || !strings.Contains(stdout, "Proved of everybody, by bnb") || !strings.Contains(stdout, "inside 1   = 9      9") || !strings.Contains(stdout, "outside   = 11     11") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}

	file := filepath.Join(t.TempDir(), "file.yaml")
	study, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("studies: [{study: "+study+"}]\nbudget: 20000ev\nsamples: 2000\nbound: 60s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = command(t, plugins, "explain", file)
	if code != ExitDone || !strings.Contains(stdout, "k inside  k outside") || !strings.Contains(stdout, "= 9       = 11") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr = command(t, plugins, "explain", loanStudy, "--bound", "-1s"); code != ExitUsage || !strings.Contains(stderr, "--bound -1s is negative") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// Without a solver that can prove it the explanation is there all the same; so it
// is after a signal, with what was proved until then.
func TestExplainWithoutAProof(t *testing.T) {
	plugins := climbAnd(t, t.TempDir())
	code, stdout, stderr := command(t, plugins, "explain", loanStudy, "--budget", "20000ev", "--samples", "2000", "--bound", "5s")
	if code != ExitFailed || !strings.Contains(stdout, plantedText) || strings.Contains(stdout, "Proved") || !strings.Contains(stderr, "--bound: no solver to use") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}

	// With bins so narrow a proof takes far longer than until the signal.
	ctx, cancel := context.WithCancel(t.Context())
	j := &explainJob{app: &App{PluginDir: bnbFolder(t), LogLevel: "error", Threads: 1, Stderr: io.Discard}, flags: &explainFlags{bound: time.Hour}}
	asked, err := j.app.open(question.Spec{Scope: question.Scope{Epsilon: "0.0003"}}, loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	j.study = asked.Study
	if j.query, err = asked.Scores(); err != nil {
		t.Fatal(err)
	}
	planted, err := space.ParsePredicate(j.query.Space, "credit_rating=..4,loan_amount=12..")
	if err != nil {
		t.Fatal(err)
	}
	r := &explainReport{Predicates: []explain.Predicate{{Holds: planted}}}
	time.AfterFunc(2*time.Second, cancel)
	begin := time.Now()
	err = j.prove(ctx, r, nil)
	if spent := time.Since(begin); err != nil || !r.Interrupted || spent > time.Minute {
		t.Fatalf("%v after %v: %+v", err, spent, r)
	}
	if k := r.Predicates[0].Floor.K; k == nil || k.Certified || k.Found == nil || k.Proved > *k.Found || k.Reason != "interrupted" || r.Ceiling.K != nil {
		t.Errorf("%+v, %+v", k, r.Ceiling)
	}
}

// Floor and ceiling of a predicate on a published network are the extremes of an
// enumeration of everybody: three million people with ninety copies each.
func TestBoundsOfAdult(t *testing.T) {
	root := os.Getenv("HYFAIR_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(root, "adult", "models", "AC-1.h5")); err != nil {
		t.Skipf("SKIPPED %s: no published networks in %s; set HYFAIR_DATA", t.Name(), root)
	}
	app := &App{Data: root, PluginDir: bnbFolder(t), LogLevel: "error", Threads: 1, Stderr: io.Discard}
	asked, err := app.open(question.Spec{Model: "AC-1", Scope: question.Scope{
		Where: "capital-gain=0,capital-loss=0,hours-per-week=30..50,workclass=Private,native-country=United-States",
	}}, "../../../studies/adult.yaml")
	if err != nil {
		t.Fatal(err)
	}
	q, err := asked.Scores()
	if err != nil {
		t.Fatal(err)
	}
	married, err := space.ParsePredicate(q.Space, "education-num=10..,marital-status=Married-AF-spouse|Married-civ-spouse|Married-spouse-absent")
	if err != nil {
		t.Fatal(err)
	}
	e, err := evaluate.New(q.Model, q.Space, q.Region, q.Epsilon)
	if err != nil {
		t.Fatal(err)
	}
	leastK, leastGap, mostK, mostGap := 99, 9.0, 0, 0.0
	people, out := [][]float64{}, make([]evaluate.Outcome, 4096)
	flush := func() {
		e.EvaluateAll(people, out)
		for i, x := range people {
			if o := &out[i]; married.Holds(x) {
				leastK, leastGap = min(leastK, o.K), min(leastGap, o.Gap)
			} else {
				mostK, mostGap = max(mostK, o.K), max(mostGap, o.Gap)
			}
		}
		people = people[:0]
	}
	free, x := q.Space.Free(), make([]float64, len(q.Space.Features))
	var each func(k int)
	each = func(k int) {
		if k == len(free) {
			if people = append(people, slices.Clone(x)); len(people) == len(out) {
				flush()
			}
			return
		}
		for x[free[k]] = q.Region.Box[free[k]].Lo; x[free[k]] <= q.Region.Box[free[k]].Hi; x[free[k]]++ {
			each(k + 1)
		}
	}
	each(0)
	flush()

	j := &explainJob{app: app, query: q, study: &study.Study{}, flags: &explainFlags{bound: time.Minute}}
	r := &explainReport{Predicates: []explain.Predicate{{Holds: married}}}
	if err := j.prove(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	floor, ceiling := r.Predicates[0].Floor, r.Ceiling
	for _, c := range []struct {
		name string
		l    *explain.Limit
		want float64
	}{{"least k", floor.K, float64(leastK)}, {"least gap", floor.Gap, leastGap}, {"most k", ceiling.K, float64(mostK)}, {"largest gap", ceiling.Gap, mostGap}} {
		if c.l == nil || !c.l.Certified || math.Abs(c.l.Proved-c.want) > 1e-7 {
			t.Errorf("%s: %+v; enumeration has %v", c.name, c.l, c.want)
		}
	}
}
