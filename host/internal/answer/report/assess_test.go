package report

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/tier"
)

// small is a study without data, of a network whose score rises with the protected b.
func small(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"study.yaml": "model: net.json\nepsilon: 0.1\nfeatures: {a: {integer: 0..3}, c: {categories: [x, y]}, b: {integer: 0..1}}\nprotected: {b: all}\n",
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 3, "units": 1, "activation": "linear", "weights": [[1, 1, 1]], "bias": [0]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestPopulationOfStudy: plausible people are those of the study, and results depend on its table of weights.
func TestPopulationOfStudy(t *testing.T) {
	folder := small(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	study, err := os.ReadFile(filepath.Join(folder, "study.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write("w.csv", "a,weight\n0,1\n")
	write("study.yaml", string(study)+"population: {weights: w.csv}\n")
	q, err := question.Open(question.Spec{Study: folder})
	if err != nil {
		t.Fatal(err)
	}
	a := &asker{question: q, spec: q.Spec, out: &Result{}}
	if line := a.command(plausible, "", 0); !strings.Contains(line, "weights:"+filepath.Join(folder, "w.csv")) {
		t.Error(line)
	}
	if line := a.command("quantify", "", 0); !strings.Contains(line, "--population uniform") {
		t.Error(line)
	}
	before := a.content("a", nil)
	write("w.csv", "a,weight\n1,1\n")
	if a.content("a", nil) == before {
		t.Error("another table of weights has the same hash")
	}
}

// TestReport: the first screen has what a study without data can give, and all ten parts are present, missing ones with a reason; earlier answers are reused,
// including a proof that took longer than the budget.
func TestReport(t *testing.T) {
	tier.NeedUsual(t)
	catalogue, err := discover.New(filepath.Dir(plugintest.Build(t, "solver-bnb")), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HYFAIR_PLUGIN_DIR", "")
	study, kept := small(t), filepath.Join(t.TempDir(), "journal.db")
	ask := func(fresh bool) *Result {
		s := &session.Session{Plugins: catalogue, Threads: 1, Jobs: 1, Begun: time.Now(), JournalFile: kept}
		out, err := Answer(t.Context(), s, Request{Spec: question.Spec{Study: study}, Budget: LeastBudget, Seed: 1, Fresh: fresh})
		if err != nil || s.Close() != nil {
			t.Fatal(err)
		}
		return out
	}
	first := ask(false)
	var text strings.Builder
	if err := first.Document().Write(&text, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Two copies of one person, who differ in b only, get scores more than ε = 0.1 apart [replayed exactly]\n", "37.5 %  of all combinations of values have copies that get scores more than ε = 0.1 apart [proved, rigorous]\n",
		"Missing: rates by group. hyfair audit gave no answer: ", "Missing: the share of plausible people. hyfair quantify --population gave no answer: ",
		"4. Verdict and proof\n", "UNFAIR: score gap", "3 of 8 individuals (37.50 %)", "5. An example\n", "b*", "hyfair certify " + study + " --where a=0,c=x", "2 copies with scores from",
		"Missing: what each attribute does to the people in the data. hyfair audit gave no answer: ", "declares none", "All possible people, of whom 10,000 were drawn",
		"Missing: mitigations before and after.", "9. Limits\n", "10. Provenance\n", first.Provenance.ModelSHA256,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
	from := func(r *Result, step string) string {
		for _, s := range r.Steps {
			if s.Name == step {
				return s.From
			}
		}
		return "no such step"
	}
	again := ask(false)
	if from(first, "certify") != "" || from(again, "certify") != first.Run || from(again, "quantify") != first.Run || from(ask(true), "certify") != "" {
		t.Errorf("taken over: %+v", again.Steps)
	}

	// A quantification that took an hour, marked by different shares.
	j, err := journal.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	d, err := j.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range d {
		if info.Started.Task.Command != "quantify" {
			continue
		}
		run, err := j.Begin(info.Started)
		if err != nil {
			t.Fatal(err)
		}
		run.Emit(record.Event{Run: run.Name(), Seconds: 3600, Kind: record.KindShares, Shares: &record.Shares{Fair: "1/4", Unfair: "3/4", Grade: "rigorous", Individuals: "8", Complete: true}})
		run.Emit(record.Event{Run: run.Name(), Seq: 1, Seconds: 3600, Kind: record.KindFinished, Finished: &record.Finished{}})
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if r := ask(false); r.Shares == nil || *r.Shares.Unfair != 0.75 || from(r, "quantify") != run.Name() {
			t.Errorf("an hour's proof: %+v, %+v", r.Shares, r.Steps)
		}
		return
	}
	t.Error("the journal has no quantification")
}

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Budget: time.Second}, "--budget 1s: want 5s or more"}, {Request{Budget: time.Minute, Spec: question.Spec{K: 2}}, "--k 2"},
		{Request{Budget: time.Minute, People: "all"}, "--people all: want hide or show"},
		{Request{Budget: time.Minute, Spec: question.Spec{Study: "nowhere"}}, "nowhere"},
	} {
		if _, err := Answer(context.Background(), &session.Session{Begun: time.Now()}, c.r); err == nil || !session.IsMistake(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// The people in the data are counted by the notion of the verdict and the shares, whether the study or a flag sets it.
func TestNotionOfTheAudit(t *testing.T) {
	for _, c := range []struct{ study, flag, audited, says string }{
		{"", "", "", "lie more than ε = 0.1 apart"}, {"decision", "", "decision", "violate the notion decision"},
		{"decision", "score", "score", "lie more than ε = 0.1 apart"}, {"", "decision", "decision", "violate the notion decision"},
	} {
		folder := small(t)
		path := filepath.Join(folder, "study.yaml")
		text, err := os.ReadFile(path)
		if err == nil && c.study != "" {
			err = os.WriteFile(path, append(text, "notion: "+c.study+"\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := &session.Session{Begun: time.Now(), JournalFile: filepath.Join(folder, "journal.db")}
		spec := question.Spec{Study: folder, Notion: c.flag}
		q, err := question.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		a := &asker{session: s, question: q, spec: spec, request: Request{Spec: spec}}
		if err := a.begin(); err != nil {
			t.Fatal(err)
		}
		command, asks := a.command("audit", "", 0), a.auditing(spec, 0).Notion
		if asks != c.audited || strings.Contains(command, "--notion") != (c.audited != "") || !strings.HasSuffix(command, c.audited) || !strings.Contains(a.out.meaning(), c.says) {
			t.Errorf("%+v: %q, %s, %s", c, asks, command, a.out.meaning())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// report answers about a study with files of these texts.
func report(t *testing.T, files map[string]string) (*Result, string) {
	t.Helper()
	return reportAs(t, files, Request{Budget: LeastBudget, Seed: 1})
}

func reportAs(t *testing.T, files map[string]string, r Request) (*Result, string) {
	t.Helper()
	catalogue, err := discover.New(filepath.Dir(plugintest.Build(t, "solver-bnb")), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HYFAIR_PLUGIN_DIR", "")
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &session.Session{Plugins: catalogue, Threads: 1, Jobs: 1, Begun: time.Now(), JournalFile: filepath.Join(folder, "journal.db")}
	r.Study = folder
	out, err := Answer(t.Context(), s, r)
	if err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := out.Document().Write(&text, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	return out, text.String()
}

const linear = `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "HEAD",
	"layers": [{"name": "out", "inputs": 2, "units": 1, "activation": "linear", "weights": [[2, 0.5]], "bias": [-1.25]}]}`

// TestHeadlineOfAProof: a proof names notion, ε and scope, and the decisions that would change, and
// makes the share of all people 0, whatever quantify reached.
func TestHeadlineOfAProof(t *testing.T) {
	tier.NeedUsual(t)
	out, text := report(t, map[string]string{
		"study.yaml": "model: net.json\nepsilon: 0.2\ndata: {files: [d.csv], label: {column: default, positive: \"yes\"}}\nfeatures: {a: {real: 0..1}, b: {integer: 0..1}}\nprotected: {b: all}\n",
		"net.json":   strings.Replace(linear, "HEAD", "sigmoid", 1),
		"d.csv":      "a,b,default\n0.5,0,no\n0.5,1,yes\n1,0,yes\n0,1,no\n",
	})
	if s := out.Shares; s == nil || *s.Undecided != 0 || s.Interval.Hi != 0 || s.Grade == "" || !s.Complete {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{"Proved for everybody in the space", "get scores more than ε = 0.2 apart; 2 of 4 people in the data (50.0 %) would get the other decision.", "stands for default = yes"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q", want)
		}
	}
	for _, never := range []string{"Nobody is treated", "treated fairly", "treated unfairly", "advantage", " a yes", "100.00 % of all"} {
		if strings.Contains(text, never) {
			t.Errorf("says %q", never)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestReportOfANumber: a model that predicts a number is asked about its differences, without flags; it has no
// decisions and no outcomes.
func TestReportOfANumber(t *testing.T) {
	tier.NeedUsual(t)
	out, text := report(t, map[string]string{
		"study.yaml": "model: net.json\noutput: number\nepsilon: 0.4\ndata: {files: [d.csv]}\nfeatures: {a: {integer: 0..9}, b: {integer: 0..1}}\nprotected: {b: all}\n",
		"net.json":   strings.Replace(linear, "HEAD", "linear", 1),
		"d.csv":      "a,b\n0,0\n9,1\n4,1\n",
	})
	if a := out.Audit; a == nil || a.Summary.Unfair != 3 || a.Summary.MaxGap != 0.5 || a.Summary.Flips != 0 {
		t.Errorf("%+v", a)
	}
	for _, want := range []string{"Copies that differ in b only get predictions more than ε = 0.4 apart: of 3 of 3 people in the data", "3 of them (100.0 %) have a gap above 0.4", "UNFAIR"} {
		if !strings.Contains(text, want) {
			t.Errorf("does not say %q", want)
		}
	}
	for _, never := range []string{"decision is positive", "to positive", "outcomes", "other decision", "k is"} {
		if strings.Contains(text, never) {
			t.Errorf("says %q", never)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
