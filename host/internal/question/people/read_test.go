package people

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk/space"
)

// file writes a data file and gives its path.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// number is the column of a numeric feature that is named after it.
func number(name string, steps ...Step) Column {
	return Column{Feature: name, Name: name, Steps: steps}
}

func TestRead(t *testing.T) {
	threshold, ten := 2.0, 10.0
	for name, c := range map[string]struct {
		text   string
		skip   int
		format Format
		column []Column
		label  Label
		points [][]float64
		labels []int
		drop   int
	}{
		"header": {"a,b\n1,2\n3,4\n", 0, Format{}, []Column{number("b"), number("a")}, Label{}, [][]float64{{2, 1}, {4, 3}}, nil, 0},
		"byte order mark, carriage returns, blank lines, no last line end": {"\ufeffa,b\r\n\r\n1,2\r\n\r\n3,4", 0, Format{},
			[]Column{number("a")}, Label{}, [][]float64{{1}, {3}}, nil, 0},
		"columns named by the study, lines skipped": {"| a comment\n\n1 2\n", 2, Format{Delimiter: ' ', Columns: []string{"a", "b"}},
			[]Column{number("a"), number("b")}, Label{}, [][]float64{{1, 2}}, nil, 0},
		"quotes, also over lines": {"a;b\n\"1\";\"x\n;y\"\n2;z\n", 0, Format{Delimiter: ';'},
			[]Column{number("a"), {Feature: "b", Name: "b", Categories: []string{"z", "x\n;y"}}}, Label{}, [][]float64{{1, 1}, {2, 0}}, nil, 0},
		"trimmed": {"a , b\n 1 ,\t2\n", 0, Format{Trim: true}, []Column{number("a"), number("b")}, Label{}, [][]float64{{1, 2}}, nil, 0},
		"tabs, empty cells": {"a\tb\n1\t\n", 0, Format{Delimiter: '\t', Trim: true},
			[]Column{number("a"), {Feature: "b", Name: "b", Categories: []string{"x", ""}}}, Label{}, [][]float64{{1, 1}}, nil, 0},
		"rows with missing values": {"a,b,c\n1,?,0\n2,2,?\n3,3,3\n", 0, Format{Missing: []string{"?", ""}, Drop: []string{"c"}},
			[]Column{number("a")}, Label{}, [][]float64{{2}, {3}}, nil, 1},
		"labels": {"a,y\n1,>50K.\n2,<=50K\n3,>50K\n4,maybe\n", 0, Format{}, []Column{number("a")},
			Label{Column: "y", Positive: []string{">50K", "maybe"}, StripSuffix: "."}, [][]float64{{1}, {2}, {3}, {4}}, []int{1, 0, 1, 1}, 0},
		"a column derived from another": {"a\n1\n2\n", 0, Format{},
			[]Column{number("a"), {Feature: "b", Name: "a", Steps: []Step{{Threshold: &threshold}}}}, Label{}, [][]float64{{1, 0}, {2, 1}}, nil, 0},
		"rounded": {"a\n1.5\n2.5\n-0.4\n-1.8\n", 0, Format{}, []Column{number("a", Step{Round: true})}, Label{}, [][]float64{{2}, {2}, {0}, {-2}}, nil, 0},
		"mapped": {"a,b\nlow,p\nhigh,q\n7,r\n", 0, Format{}, []Column{
			number("a", Step{Map: map[string]string{"low": "-1", "high": "1"}}),
			{Feature: "b", Name: "b", Categories: []string{"p", "other"}, Steps: []Step{{Map: map[string]string{"p": "p", "*": "other"}}}},
		}, Label{}, [][]float64{{-1, 0}, {1, 1}, {7, 1}}, nil, 0},
		"bins laid between the values kept": {"a,b\n0,1\n5,1\n9.9,1\n10,1\n-99,?\n", 0, Format{Missing: []string{"?"}},
			[]Column{number("a", Step{Bins: &Bins{Count: 2, Fit: true}})}, Label{}, [][]float64{{0}, {1}, {1}, {1}}, nil, 1},
		"bins laid between rows that lack another value": {"a,b\n0,1\n5,?\n20,?\n", 0, Format{Missing: []string{"?"}},
			[]Column{number("a", Step{Bins: &Bins{Count: 2, Fit: true}}), {Feature: "b", Name: "b", Missing: &ten}}, Label{}, [][]float64{{0, 1}, {0, 10}, {1, 10}}, nil, 0},
		"bins of categories": {"a\n1\n9\n", 0, Format{},
			[]Column{{Feature: "a", Name: "a", Categories: []string{"low", "high"}, Steps: []Step{{Bins: &Bins{Count: 2, Min: 0, Max: 10}}}}},
			Label{}, [][]float64{{0}, {1}}, nil, 0},
		"bins outside their ends": {"a\n-1\n10\n10.1\n", 0, Format{}, []Column{number("a", Step{Bins: &Bins{Count: 2, Min: 0, Max: 10}})},
			Label{}, [][]float64{{-1}, {1}, {2}}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Read(&Spec{Files: []File{{Path: file(t, c.text), Skip: c.skip}}, Format: c.format, Features: c.column, Label: c.label})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.points, d.Points); diff != "" {
				t.Errorf("points (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.labels, d.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			if d.Dropped != c.drop || d.Read != c.drop+len(c.points) {
				t.Errorf("%d read, %d dropped", d.Read, d.Dropped)
			}
		})
	}
}

func TestReadFaults(t *testing.T) {
	refuse := Format{Missing: []string{"?"}, RefuseMissing: true}
	city := Column{Feature: "town", Name: "city", Categories: []string{"Bern", "Graz"}}
	for name, c := range map[string]struct {
		text, want string
		skip       int
		format     Format
		column     Column
		label      Label
	}{
		"no number":         {"a,b\n1,2\n3,four\n", `:3:3: column "b": feature "b": "four" is not a number`, 0, Format{}, number("b"), Label{}},
		"infinite":          {"a\nInf\n", `:2:1: column "a": feature "a": "Inf" is not a number`, 0, Format{}, number("a"), Label{}},
		"no category":       {"#\ncity\nBern\nGraz\nLinz\n", `:5:1: column "city": feature "town": "Linz" is not among the categories Bern, Graz`, 1, Format{}, city, Label{}},
		"no index":          {"city\n1\n9\n", `:3:1: column "city": feature "town": 3 is not an index of the 2 categories`, 0, Format{}, Column{Feature: "town", Name: "city", Categories: []string{"low", "high"}, Steps: []Step{{Bins: &Bins{Count: 2, Max: 5}}}}, Label{}},
		"missing":           {"a\n1\n?\n", `:3:1: column "a": missing value "?"`, 0, refuse, number("a"), Label{}},
		"missing, bins":     {"a\n1\n?\n", `:3:1: column "a": missing value "?"`, 0, refuse, number("a", Step{Bins: &Bins{Count: 2, Fit: true}}), Label{}},
		"cells too few":     {"a,b\n1,2\n3\n", `:3:1: got 1 cells, want 2`, 0, Format{}, number("a"), Label{}},
		"cells too many":    {"a,b\n1,2,3\n", `:2:1: got 3 cells, want 2`, 0, Format{}, number("a"), Label{}},
		"quote":             {"a,b\n1,\"2\n", ":2:6: extraneous or missing \" in quoted-field", 0, Format{}, number("a"), Label{}},
		"quote within":      {"a,b\n1,x\"2\n", ":2:4: bare \" in non-quoted-field", 0, Format{}, number("a"), Label{}},
		"no such column":    {"a,b\n1,2\n", `: feature "c" is read from column "c", which does not exist; the columns are a, b`, 0, Format{}, number("c"), Label{}},
		"no such label":     {"a,b\n1,2\n", `: the label is read from column "y", which does not exist; the columns are a, b`, 0, Format{}, number("a"), Label{Column: "y"}},
		"no such drop":      {"a,b\n1,2\n", `: column "x" is to be dropped but does not exist`, 0, Format{Drop: []string{"x"}}, number("a"), Label{}},
		"never positive":    {"a,y\n1,Yes\n2,no\n", `: no row has a positive label: none has y yes; its values include Yes, no`, 0, Format{}, number("a"), Label{Column: "y", Positive: []string{"yes"}}},
		"column twice":      {"a,a\n1,2\n", `:1:1: column "a" appears twice`, 0, Format{}, number("a"), Label{}},
		"no header":         {"", `: the file has no header line`, 0, Format{}, number("a"), Label{}},
		"skipped too much":  {"a\n1\n", `: the file has 2 lines, but the study skips 5`, 5, Format{}, number("a"), Label{}},
		"one value to bin":  {"a\n1\n1\n", `feature "a": column "a" has fewer than two different values`, 0, Format{}, number("a", Step{Bins: &Bins{Count: 2, Fit: true}}), Label{}},
		"text to bin":       {"a\n1\nx\n", `:3:1: column "a": feature "a": "x" is not a number`, 0, Format{}, number("a", Step{Bins: &Bins{Count: 2, Fit: true}}), Label{}},
		"a quote left open": {"a\n\"" + strings.Repeat("x\n", MaxRecordBytes), ":2:1: a record has more than 1048576 bytes", 0, Format{}, number("a"), Label{}},
		"a line too long":   {"a\n" + strings.Repeat("x", 2*MaxRecordBytes), ":2:1: a record has more than 1048576 bytes", 0, Format{}, number("a"), Label{}},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, c.text)
			_, err := Read(&Spec{Files: []File{{Path: path, Skip: c.skip}}, Format: c.format, Features: []Column{c.column}, Label: c.label})
			if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), path), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := Read(&Spec{Files: []File{{Path: "nowhere.csv"}}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Read(&Spec{Files: []File{{Path: t.TempDir()}}}); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder: %v", err)
	}
}

func TestValues(t *testing.T) {
	spec := &Spec{
		Files:  []File{{Path: file(t, "c\nq\np\n?\nq\n")}, {Path: file(t, "c\nx\n")}},
		Format: Format{Missing: []string{"?"}},
	}
	column := Column{Feature: "c", Name: "c", Steps: []Step{{Map: map[string]string{"x": "a"}}}}
	got, err := Values(spec, column, 3)
	if err != nil || !slices.Equal(got, []string{"a", "p", "q"}) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := Values(spec, column, 2); err == nil || !strings.Contains(err.Error(), "more than 2 different values") {
		t.Errorf("too many values: %v", err)
	}
}

// TestPlaces: rows keep their values and lines, in files with different headers.
func TestPlaces(t *testing.T) {
	d, err := Read(&Spec{
		Files: []File{
			{Path: file(t, "skipped\na,b\n1,\"x\ny\"\n\n?,z\n2,w\n"), Skip: 1},
			{Path: file(t, "b,a\nu,3\n"), HeldBack: true},
		},
		Format:   Format{Missing: []string{"?"}},
		Features: []Column{number("a"), {Feature: "b", Name: "b", Categories: []string{"x\ny", "w", "u"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{1, 0}, {2, 1}, {3, 2}}, d.Points); diff != "" {
		t.Fatal(diff)
	}
	for i, want := range []int{3, 7, 2} {
		if path, line := d.Where(i); line != want || path != d.Spec().Files[i/2].Path {
			t.Errorf("row %d is said to be in line %d of %s, want %d", i, line, path, want)
		}
	}
	if !slices.Equal(d.Test, []int{2}) || !slices.Equal(d.Train(), []int{0, 1}) {
		t.Errorf("test %v, train %v", d.Test, d.Train())
	}
}

func TestSplit(t *testing.T) {
	var text strings.Builder
	text.WriteString("a\n")
	for i := range 1000 {
		fmt.Fprintln(&text, i)
	}
	spec := &Spec{Files: []File{{Path: file(t, text.String())}}, Features: []Column{number("a")}, Split: Split{Fraction: 0.2, Seed: 1}}
	test := func(seed uint64) []int {
		spec.Split.Seed = seed
		d, err := Read(spec)
		if err != nil {
			t.Fatal(err)
		}
		if both := append(d.Train(), d.Test...); len(d.Test) != 200 || len(both) != 1000 || !slices.IsSorted(d.Test) {
			t.Errorf("seed %d: %d rows for testing, %d in all", seed, len(d.Test), len(both))
		}
		return d.Test
	}
	one := test(1)
	if !slices.Equal(one, test(1)) {
		t.Error("the same seed gives another split")
	}
	if slices.Equal(one, test(2)) {
		t.Error("two seeds give one split")
	}
	// The split is part of a study's meaning: it must never change.
	if want := []int{15, 20, 21, 23, 25}; !slices.Equal(one[:5], want) {
		t.Errorf("the split of seed 1 begins with %v, and once began with %v", one[:5], want)
	}
	// A fifth of the rows in every quarter, up to chance.
	for from := 0; from < 1000; from += 250 {
		n := 0
		for _, i := range one {
			if i >= from && i < from+250 {
				n++
			}
		}
		if n < 30 || n > 70 {
			t.Errorf("%d of the 250 rows from %d are held back", n, from)
		}
	}
}

func TestOutside(t *testing.T) {
	s := &space.Space{
		Features: []space.Feature{
			{Name: "a", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{5}},
			{Name: "b", Kind: space.Real, Lo: 0, Hi: 1},
		},
		Forbidden: []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 3, Hi: 3}}}},
	}
	d := &Data{Points: [][]float64{{0, 0}, {0, 2}, {0.5, 3}, {3, 1}, {12, 1}, {3, 2}}}
	features, outside, forbidden := d.Outside(s)
	want := []Outside{{Feature: 1, Points: 3, First: 1}, {Feature: 0, Points: 2, First: 2}}
	if !slices.Equal(features, want) || outside != 4 || forbidden != 1 {
		t.Errorf("%+v, %d outside, %d forbidden", features, outside, forbidden)
	}
}

func TestHashIsOfContent(t *testing.T) {
	hash := func(text string, bins bool) string {
		spec := &Spec{Files: []File{{Path: file(t, text)}}, Features: []Column{number("a", Step{Bins: &Bins{Count: 2, Max: 9, Fit: bins}})}}
		d, err := Read(spec)
		if err != nil {
			t.Fatal(err)
		}
		return d.SHA256
	}
	if one := hash("a\n1\n2\n", false); one != hash("a\n1\n2\n", true) || one == hash("a\n1\n3\n", false) {
		t.Error("the hash is not that of the content")
	}
}
