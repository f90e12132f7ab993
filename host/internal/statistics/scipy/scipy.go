// Package scipy computes scipy's statistics of tables, for tests.
package scipy

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

//go:embed reference.py
var reference string

// Table is the input of scipy: the arms' runs on one network, at least one per arm, and for
// several networks a row each with the arms' values. Nemenyi requests Nemenyi's quantile,
// which is slow.
type Table struct {
	Arms     [][]float64 `json:"arms"`
	Networks [][]float64 `json:"networks"`
	Nemenyi  bool        `json:"nemenyi"`
}

// Answer is scipy's output. P (the Mann-Whitney test) and Holm have a value per pair of arms:
// first with second, first with third, …; Wilcoxon has one per pair of the networks' columns.
type Answer struct {
	P, Holm, Wilcoxon []float64
	// Friedman has χ² and p; Nemenyi is 0 if it was not requested.
	Friedman [2]float64
	Nemenyi  float64
}

// Ask runs scipy on tables. Without scipy in .deps/python it skips the test, or fails it if
// CI is set.
func Ask(t testing.TB, tables []Table) []Answer {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	python := filepath.Join(filepath.Dir(here), "../../../../.deps/python/bin/python")
	if out, err := exec.Command(python, "-c", "import scipy").CombinedOutput(); err != nil {
		const missing = "no Python with scipy in .deps/python: make setup-python installs it"
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s\n%s", missing, out)
		}
		t.Skip("SKIPPED, " + missing)
	}
	var asked bytes.Buffer
	for _, one := range tables {
		if err := json.NewEncoder(&asked).Encode(one); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(python, "-c", reference)
	command.Stdin, command.Stderr = &asked, os.Stderr
	text, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers, decoder := make([]Answer, len(tables)), json.NewDecoder(bytes.NewReader(text))
	for i := range answers {
		if err := decoder.Decode(&answers[i]); err != nil {
			t.Fatalf("table %d: %v", i, err)
		}
	}
	return answers
}
