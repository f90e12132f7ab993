// Package recompute has pandas and scipy recompute, in tests, what tables of experiments say,
// from the tidy rows of their runs.
package recompute

import (
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/host/internal/view"
)

//go:embed recompute.py
var script string

// Check fails the test where a number of the table, as its JSON has it, differs by more than
// 1e-9 from what its rows come to, and returns how many numbers were compared. Without a Python
// with pandas and scipy it skips the test, by name.
func Check(t testing.TB, table experiment.Table) int {
	t.Helper()
	command := libraries.Command(t, "pandas scipy", "-c", script, filepath.Join(t.TempDir(), "runs.csv"), filepath.Join(t.TempDir(), "table.json"))
	rows, object := command.Args[3], command.Args[4]
	for path, write := range map[string]func(*os.File) error{
		rows:   func(f *os.File) error { return table.Records().Write(f, view.CSV) },
		object: func(f *os.File) error { return view.JSON(f, table, "") },
	} {
		file, err := os.Create(path)
		if err == nil {
			err = write(file)
			file.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command.Stderr = os.Stderr
	out, err := command.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines[:len(lines)-1] {
		t.Error(line)
	}
	n, wrong := strconv.Atoi(lines[len(lines)-1])
	if err != nil || wrong != nil {
		t.Fatalf("%v, %v: %s", err, wrong, out)
	}
	return n
}
