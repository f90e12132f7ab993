package cli

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/tier"
)

// A small part of the shipped study, where a quantification takes no time.
var fewLoans = []string{"../../../studies/loan", "--where", "loan_amount=11..12,purpose=business", "--samples", "500"}

// TestQuantifyEach: each set of attributes is a question of its own, and what it
// says is what it says alone.
func TestQuantifyEach(t *testing.T) {
	tier.NeedUsual(t)
	plugins := bnbFolder(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	ask := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := command(t, plugins, append(append([]string{"quantify", "--journal", path}, fewLoans...), args...)...)
		if code != ExitDone || stderr != "" {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
		return stdout
	}
	var set quantify.Results
	d := json.NewDecoder(strings.NewReader(ask("--protected", "subsets", "--json")))
	d.DisallowUnknownFields()
	if err := d.Decode(&set); err != nil {
		t.Fatal(err)
	}
	if set.Study != "loan" || set.Model != "network.json" || set.Seed != 1 || set.Seconds <= 0 {
		t.Errorf("%+v", set)
	}
	var names []string
	for _, q := range set.Questions {
		names = append(names, strings.Join(q.Protected, ","))
		if !q.Complete || *q.Fair+*q.Unfair != 1 || q.Journal != path || q.Run == "" {
			t.Errorf("%s: %+v", q.Protected, q)
		}
	}
	if diff := cmp.Diff([]string{"sex", "age", "origin", "sex,age", "sex,origin", "age,origin", "sex,age,origin"}, names); diff != "" {
		t.Fatal(diff)
	}
	var alone quantify.Result
	if err := json.Unmarshal([]byte(ask("--protected", "age,origin", "--json")), &alone); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone.Shares, set.Questions[5].Shares); diff != "" {
		t.Errorf("alone and in a list:\n%s", diff)
	}
	var runs []string
	infos, err := keptIn(t, path).Runs()
	for _, info := range infos {
		runs = append(runs, info.Started.Task.Settings["protected"])
	}
	if len(runs) != 8 || err != nil || runs[7] != "sex" || runs[1] != "sex,age,origin" {
		t.Errorf("%v, %v", runs, err)
	}

	text := ask("--protected", "each")
	for _, want := range []string{"counterfactuals in sex whose", "counterfactuals in age whose", "counterfactuals in origin whose", "\nprotected  ", "\norigin  "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Time is divided among the questions: the first leaves some to the others.
func TestQuantifyEachInTime(t *testing.T) {
	tier.NeedUsual(t)
	code, stdout, stderr := command(t, rogueFolder(t, "rogue"), "quantify", "../../../studies/loan", "--solver", "rogue", "--set", "mode=patient",
		"--protected", "each", "--samples", "50", "--timeout", "3s", "--json")
	var set quantify.Results
	if err := json.Unmarshal([]byte(stdout), &set); err != nil || code != ExitDone {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(set.Questions) != 3 {
		t.Fatalf("%d questions", len(set.Questions))
	}
	for _, q := range set.Questions {
		if q.Sampled == nil || q.Sampled.N != 50 || *q.Undecided != 1 || q.Reason != "time limit" {
			t.Errorf("%s: %+v", q.Protected, q)
		}
	}
}

// The journal tells what was said, and a report says it again.
func TestQuantifyIsKept(t *testing.T) {
	plugins := bnbFolder(t)
	path := filepath.Join(t.TempDir(), "journal.db")
	out := quantified(t, plugins, append(fewLoans, "--journal", path)...)
	if out.Run == "" || out.Journal != path {
		t.Fatalf("run %q in %q", out.Run, out.Journal)
	}
	code, stdout, _ := command(t, plugins, "runs", "--journal", path)
	if code != ExitDone || !strings.Contains(stdout, "quantify") || !strings.Contains(stdout, "unfair "+view.Share(*out.Unfair)+", undecided 0.00 %") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	_, stdout, _ = command(t, plugins, "runs", "show", out.Run, "--journal", path, "--json")
	var shown runs.Details
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(out.Measures(), shown.Measures); diff != "" || shown.State != "finished" || shown.Arm != "bnb" || shown.Region != fewLoans[2] ||
		shown.Settings["samples"] != "500" || shown.Settings["notion"] != "score" || shown.Events[record.KindShares] < 2 {
		t.Errorf("%s%+v", diff, shown)
	}
	code, stdout, stderr := reported(t, path, out.Run, "--json")
	var r runs.Quantification
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if diff := cmp.Diff(out.Shares, r.Shares); diff != "" || r.Run != out.Run || r.Solver != "bnb" || r.Where != fewLoans[2] {
		t.Errorf("%s%+v", diff, r)
	}
	_, stdout, _ = reported(t, path, out.Run)
	for _, want := range []string{"Run " + out.Run + ": bnb on loan (network.json), seed 1, where ", "rigorous", "drawn uniformly", "rows of the data set", "are discriminated against."} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	_, stdout, _ = reported(t, path, out.Run, "--format", "csv")
	lines, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	values := map[string]string{}
	for _, line := range lines {
		values[line[0]] = line[1]
	}
	if err != nil || values["exact.unfair"] != out.Exact.Unfair || values["unfair"] != view.Exact(out.Unfair) || values["rows.unfair"] == "" || values["state"] != "finished" {
		t.Errorf("%v\n%s", err, stdout)
	}
	_, stdout, _ = reported(t, path, out.Run, "--format", "latex")
	if strings.Count(stdout, `\begin{table`) != 2 || !strings.Contains(stdout, `\%`) {
		t.Error(stdout)
	}
}

// TestQuantifyIsKilled: what was proved and evaluated before signal 9 is not lost.
func TestQuantifyIsKilled(t *testing.T) {
	r := start(t, program(t), rogueFolder(t, "rogue"), "quantify", tenureStudy(t), "--solver", "rogue", "--set", "mode=deaf-with-incumbent", "--samples", "20")
	past := &session.Session{JournalFile: r.journal}
	proved := func() bool {
		list, err := runs.List(t.Context(), past, runs.ListRequest{})
		if err != nil || len(list.Runs) == 0 {
			return false
		}
		known, err := runs.Of(t.Context(), past, list.Runs[0].Name)
		return err == nil && *known.(*runs.Quantification).Undecided == 0
	}
	until(t, "all of it", proved)
	r.Process.Kill()
	r.gone(t)
	info := onlyRun(t, r.journal)
	if info.State != journal.BrokenOff || info.Started.Task.Command != "quantify" {
		t.Fatalf("%+v", info)
	}
	code, stdout, stderr := reported(t, r.journal, info.Name, "--json")
	var told runs.Quantification
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || code != ExitDone {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if *told.Undecided != 0 || *told.Fair <= 0 || *told.Unfair <= 0 || told.Grade != "exact" || told.Complete || told.State != "broken off" || told.Sampled == nil || told.Sampled.N != 20 {
		t.Errorf("%+v", told)
	}
	_, stdout, _ = command(t, "nowhere", "runs", "--journal", r.journal)
	if !strings.Contains(stdout, "broken off") || !strings.Contains(stdout, "unfair "+view.Share(*told.Unfair)) {
		t.Error(stdout)
	}
}
