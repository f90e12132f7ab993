package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/search"
)

// junit counts test cases, failures and errors of a file.
func junit(t *testing.T, path string) (cases, failures, errors int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Cases []struct {
			Failure *string `xml:"failure"`
			Error   *string `xml:"error"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, c := range out.Cases {
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errors++
		}
	}
	return len(out.Cases), failures, errors
}

// TestGates: a bound that holds passes; one that fails, or is undecided, ends the command with
// code 3, after the result. JUnit and JSON have the outcomes.
func TestGates(t *testing.T) {
	study := tenureStudy(t)
	rows := textFile(t, "rows.csv", "years,group,job\n0,a,cook\n7,a,cook\n8,b,cook\n9,a,baker\n")
	file := filepath.Join(t.TempDir(), "gates.xml")
	share := auditJSON(t, study, rows, "--encoded").Summary.UnfairShare
	if share <= 0.1 || share == 1 {
		t.Fatalf("%v of these people are treated unfairly, which tests nothing", share)
	}
	for _, c := range []struct {
		args             []string
		code             int
		outcome          gate.Outcome
		failures, errors int
	}{
		{[]string{"--max-unfair", "100%"}, ExitDone, gate.Passed, 0, 0},
		{[]string{"--max-unfair", "10%"}, ExitCheck, gate.Failed, 1, 0},
		{[]string{"--max-unfair", "100%", "--where", "years=5"}, ExitCheck, gate.Undecided, 0, 1}, // an empty space
	} {
		args := append([]string{study, rows, "--encoded", "--unchecked", "--junit", file}, c.args...)
		code, stdout, stderr := audited(t, append(args, "--json")...)
		var out listed
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != c.code || len(out.Gates) != 1 || out.Gates[0].Outcome != c.outcome {
			t.Errorf("%v: exit code %d, %v\n%s%s", c.args, code, err, stdout, stderr)
			continue
		}
		if n, failures, errors := junit(t, file); n != 1 || failures != c.failures || errors != c.errors {
			t.Errorf("%v: %d test cases, %d failures, %d errors", c.args, n, failures, errors)
		}
		said := "--max-unfair " + c.args[1] + ": " + out.Gates[0].Text
		if strings.Contains(stderr, said) != (code != ExitDone) {
			t.Errorf("%v: %s", c.args, stderr)
		}
		if _, stdout, _ := audited(t, args...); !strings.Contains(stdout, "--max-unfair "+c.args[1]+": "+string(c.outcome)) {
			t.Errorf("%v: %s", c.args, stdout)
		}
	}
	if code, _, _ := audited(t, study, "nowhere.csv", "--max-unfair", "1%", "--junit", file); code != ExitUsage {
		t.Errorf("a file that is not there: exit code %d", code)
	}
	if n, _, errors := junit(t, file); n != 2 || errors != 2 {
		t.Errorf("a file that is not there: %d test cases, %d errors", n, errors)
	}
	for wrong, says := range map[string]string{"1": "1% or 0.01", "x": "1% or 0.01"} {
		if code, _, stderr := audited(t, study, "--max-unfair", wrong); code != ExitUsage || !strings.Contains(stderr, says) {
			t.Errorf("--max-unfair %s: exit code %d, %s", wrong, code, stderr)
		}
	}
	if code, _, stderr := audited(t, study, "--junit", file); code != ExitUsage || !strings.Contains(stderr, "--junit") {
		t.Errorf("--junit without a bound: exit code %d, %s", code, stderr)
	}
}

// TestGateOfASearch: the largest k that was found counts, and only with --bound one that may
// be there.
func TestGateOfASearch(t *testing.T) {
	plugins, study := shippedStrategies(t, "sa"), tenureStudy(t)
	for bound, want := range map[string]int{"1": ExitCheck, "9": ExitDone} {
		code, stdout, stderr := command(t, plugins, "search", study, "--solver", "none", "--budget", "50it", "--max-k", bound, "--unchecked", "--json")
		var out search.Result
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != want || len(out.Gates) != 1 {
			t.Errorf("--max-k %s: exit code %d, %v\n%s%s", bound, code, err, stdout, stderr)
		}
	}
	for budget, try := range map[string]string{"1ev": "--budget 100000ev", "1ns": "--budget 10s"} {
		code, stdout, stderr := command(t, plugins, "search", study, "--solver", "none", "--budget", budget, "--max-k", "9")
		if code == ExitDone || !strings.Contains(stdout, "--max-k 9: undecided: ") || !strings.Contains(stdout, try) {
			t.Errorf("--budget %s: exit code %d\n%s%s", budget, code, stdout, stderr)
		}
	}
	code, _, stderr := command(t, plugins, "search", study, "--solver", "none", "--budget", "50it", "--max-k", "9", "--bound", "1s")
	if code != ExitFailed && code != ExitCheck { // there is no solver that could prove it
		t.Errorf("--bound without a solver: exit code %d\n%s", code, stderr)
	}
}

// TestGatesOfUncheckedInputs: bounds hold of the model as the study feeds it. Where that was not checked, the
// answer says so in its first lines, and a pipeline ends with code 3 unless it accepts that.
func TestGatesOfUncheckedInputs(t *testing.T) {
	unchecked, file := t.TempDir(), filepath.Join(t.TempDir(), "gates.xml")
	if err := os.CopyFS(unchecked, os.DirFS("../../../studies/loan")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(unchecked, "study.checked.json")); err != nil {
		t.Fatal(err)
	}
	rows := filepath.Join(t.TempDir(), "rows.csv")
	text, err := os.ReadFile("../../../studies/loan/applicants.csv")
	if err == nil {
		err = os.WriteFile(rows, text[:bytes.LastIndexByte(text[:1000], '\n')+1], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	const says = "inputs not checked against the model's own scores"
	for _, c := range []struct {
		study string
		args  []string
		code  int
	}{
		{"../../../studies/loan", nil, ExitDone},
		{unchecked, nil, ExitCheck},
		{unchecked, []string{"--unchecked"}, ExitDone},
	} {
		args := append([]string{"audit", c.study, rows, "--max-unfair", "100%", "--junit", file}, c.args...)
		code, stdout, stderr := command(t, t.TempDir(), args...)
		head := strings.Join(strings.SplitN(stdout, "\n", 5)[:4], "\n")
		if code != c.code || strings.Contains(head, says) != (c.study == unchecked) || strings.Contains(stderr, "inputs: ") != (code == ExitCheck) {
			t.Errorf("%v: exit code %d, %s\n%s", args, code, stderr, head)
		}
		if n, _, errors := junit(t, file); n-1 != errors || (errors == 1) != (code == ExitCheck) {
			t.Errorf("%v: %d test cases, %d errors", args, n, errors)
		}
		_, stdout, _ = command(t, t.TempDir(), append(args, "--json")...)
		var out listed
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || out.InputCheck == nil || out.InputCheck.Checked != (c.study != unchecked) {
			t.Errorf("%v: %+v, %v", args, out.InputCheck, err)
		}
	}
	// Nothing to hold: no gate fails.
	if code, stdout, stderr := command(t, t.TempDir(), "audit", unchecked, rows); code != ExitDone || !strings.Contains(stdout, says) {
		t.Errorf("exit code %d, %s\n%.300s", code, stderr, stdout)
	}
}
