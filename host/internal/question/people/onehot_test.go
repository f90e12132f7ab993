package people_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/people"
)

// A feature with a column for each category: the one that is 1 is its value.
func TestOneHotColumns(t *testing.T) {
	read := func(text string) (*people.Data, error) {
		path := filepath.Join(t.TempDir(), "d.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return people.Read(&people.Spec{Files: []people.File{{Path: path}}, Features: []people.Column{
			{Feature: "race", Name: "race_b", OneHot: []string{"race_b", "race_a"}, Categories: []string{"b", "a"}}, {Feature: "n", Name: "n"},
		}})
	}
	d, err := read("race_a,n,race_b\n1,5,0\n0.0,6,1.0\nTrue,7,False\n")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]float64{{1, 5}, {0, 6}, {1, 7}} {
		if [2]float64(d.Points[i]) != want {
			t.Errorf("row %d: %v, want %v", i, d.Points[i], want)
		}
	}
	for says, row := range map[string]string{"none of its 2 columns": "0,5,0", "two of its 2 columns": "1,5,1", `"2" is neither 0 nor 1`: "2,5,1"} {
		if _, err := read("race_a,n,race_b\n" + row + "\n"); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%s: %v", row, err)
		}
	}
	if _, err := read("n,race_b\n1,1\n"); err == nil || !strings.Contains(err.Error(), `"race_a"`) {
		t.Error(err)
	}
}
