// Package recompute checks, in tests, the tables of experiments: pandas and scipy recompute their
// numbers from the tidy rows of the runs.
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

// Check fails the test if a number in the table's JSON differs by more than 1e-9 from the number
// computed from its rows. It returns how many numbers were compared. Without a Python with pandas
// and scipy it skips the test.
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
