package people_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/people"
)

// One column for each category: the column that is 1 gives the value.
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
	for says, row := range map[string]string{"0 of its 2 columns": "0,5,0", "2 of its 2 columns": "1,5,1", `"2" is neither 0 nor 1`: "2,5,1"} {
		if _, err := read("race_a,n,race_b\n" + row + "\n"); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%s: %v", row, err)
		}
	}
	if _, err := read("n,race_b\n1,1\n"); err == nil || !strings.Contains(err.Error(), `"race_a"`) {
		t.Error(err)
	}
}

// A feature that is 1 if any of several columns is.
func TestAnyOfColumns(t *testing.T) {
	spec := people.Spec{Features: []people.Column{{Feature: "minority", Name: "black", AnyOf: []string{"black", "asian"}}}}
	for row, want := range map[string]float64{"0,1,0": 0, "1,0,0": 1, "0,0,True": 1, "1,0,1": 1} {
		if got := one(t, spec, "black,white,asian\n"+row+"\n"); got != want {
			t.Errorf("%s: %v, want %v", row, got, want)
		}
	}
	spec.Files = []people.File{{Path: file(t, "black,asian\n2,0\n")}}
	if _, err := people.Read(&spec); err == nil || !strings.Contains(err.Error(), `"2" is neither 0 nor 1`) {
		t.Error(err)
	}
}

// Dates become days, over leap years and the turn of 1970.
func TestDays(t *testing.T) {
	since := time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)
	spec := people.Spec{Features: []people.Column{{Feature: "day", Name: "d", Steps: []people.Step{{Since: &since}}}}}
	for cell, want := range map[string]float64{"1969-12-31": 0, "1970-01-02": 2, "1969-12-30": -1, "1972-03-01": 791, "1970-01-01T23:59:59.5Z": 1, "1970-01-01 00:00": 1} {
		if got := one(t, spec, "d\n"+cell+"\n"); got != want {
			t.Errorf("%s: %v, want %v", cell, got, want)
		}
	}
	for _, cell := range []string{"1970-02-30", "1.2.1970", "1970-1-1", "1970-01-01T25:00", "1970-01-01x", "19700101"} {
		spec.Files = []people.File{{Path: file(t, "d\n"+cell+"\n")}}
		if _, err := people.Read(&spec); err == nil || !strings.Contains(err.Error(), ":2:1: ") || !strings.Contains(err.Error(), "is not a date such as 2024-02-29") {
			t.Errorf("%s: %v", cell, err)
		}
	}
}

// A mark that a feature's own map replaces is not a missing value in its column; in other
// columns it is.
func TestFilled(t *testing.T) {
	fill := people.Step{Map: map[string]string{"?": "38.5"}}
	spec := people.Spec{Files: []people.File{{Path: file(t, "a,b\n?,1\n2,?\n,3\n")}}, Format: people.Format{Missing: []string{"?", ""}},
		Features: []people.Column{{Feature: "a", Name: "a", Steps: []people.Step{fill}}, {Feature: "b", Name: "b"}}}
	d, err := people.Read(&spec)
	if err != nil || len(d.Points) != 1 || d.Points[0][0] != 38.5 || d.Dropped != 2 {
		t.Errorf("%v, %+v", err, d)
	}
	spec.Label = people.Label{Column: "a", Positive: []string{"2"}} // an unknown label is not a "no"
	if d, err := people.Read(&spec); err != nil || len(d.Points) != 0 || d.Dropped != 3 {
		t.Errorf("%v, %+v", err, d)
	}
	spec.Label = people.Label{}
	spec.Features = append(spec.Features, people.Column{Feature: "again", Name: "a"}) // without that map
	if d, err := people.Read(&spec); err != nil || len(d.Points) != 0 || d.Dropped != 3 {
		t.Errorf("%v, %+v", err, d)
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// one is the value of the only feature in the only row.
func one(t *testing.T, spec people.Spec, text string) float64 {
	t.Helper()
	spec.Files = []people.File{{Path: file(t, text)}}
	d, err := people.Read(&spec)
	if err != nil || len(d.Points) != 1 {
		t.Fatalf("%q: %v", text, err)
	}
	return d.Points[0][0]
}
