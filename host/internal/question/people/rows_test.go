package people

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rowsSpec is a study's data as passed to ReadRows: two features, a label and a dropped
// column.
func rowsSpec(format Format) *Spec {
	format.Drop = []string{"weight"}
	format.Missing = []string{"?"}
	return &Spec{
		Files: []File{{Path: "elsewhere.csv", Skip: 3}}, Format: format, Label: Label{Column: "label", Positive: []string{"yes"}},
		Features: []Column{number("years"), {Feature: "job", Name: "occupation", Categories: []string{"baker", "clerk"}}},
		Split:    Split{Fraction: 0.5},
	}
}

func TestReadRows(t *testing.T) {
	named := Format{Trim: true, Columns: []string{"years", "weight", "occupation", "label"}}
	semicolons := Format{Delimiter: ';'}
	want := [][]float64{{3, 1}, {4, 0}}
	for name, c := range map[string]struct {
		format Format
		text   string
		want   [][]float64
	}{
		"as the study's files":          {Format{}, "years,weight,occupation,label\n3,1,clerk,yes\n4,2,baker,no\n", want},
		"columns in another order":      {Format{}, "occupation,years\nclerk,3\nbaker,4\n", want},
		"a column that means nothing":   {Format{}, "years,name,occupation\n3,Smith,clerk\n4,\"Doe, jr.\",baker\n", want},
		"without a label's value":       {Format{}, "years,occupation,label\n3,clerk,\n4,baker,\n", want},
		"named columns, no names":       {named, "3, 1, clerk, yes\n4, 2, baker, no\n", want},
		"named columns, and names":      {named, "occupation, years\nclerk, 3\nbaker, 4\n", want},
		"equal cells in the first line": {named, "3, 3, clerk, yes\n4, 4, baker, no\n", want},
		"the study's delimiter":         {semicolons, "years;occupation\n3;clerk\n4;baker\n", want},
		"commas all the same":           {semicolons, "years,occupation\n3,clerk\n4,baker\n", want},
		"a byte order mark":             {Format{}, "\ufeffyears,occupation\r\n3,clerk\r\n4,baker\r\n", want},
		"a missing value":               {Format{}, "years,occupation\n3,clerk\n?,clerk\n4,baker\n", want},
		"only a missing value":          {Format{}, "years,occupation\n3,?\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			spec := rowsSpec(c.format)
			d, err := ReadRows(spec, file(t, c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, d.Points); diff != "" {
				t.Error(diff)
			}
			var labels []int
			if strings.Contains(c.text, "yes") {
				labels = []int{1, 0}
			}
			if !slices.Equal(d.Labels, labels) || d.Weights != nil || d.Test != nil || d.Read != len(d.Points)+d.Dropped {
				t.Errorf("labels %v, held back %v, %d read", d.Labels, d.Test, d.Read)
			}
			if diff := cmp.Diff(rowsSpec(c.format), spec); diff != "" {
				t.Errorf("the study's own description changed: %s", diff)
			}
		})
	}
}

func TestReadRowsRefuses(t *testing.T) {
	named := Format{Columns: []string{"years", "weight", "occupation"}}
	for name, c := range map[string]struct {
		format     Format
		text, want string
	}{
		"empty":               {Format{}, "", "no header line"},
		"empty, named":        {named, "", "no rows"},
		"names alone":         {Format{}, "years,occupation\n", "no rows"},
		"a column missing":    {Format{}, "years,work\n3,clerk\n", `feature "job" is read from column "occupation", which does not exist; the columns are years, work`},
		"named, one missing":  {named, "years,work\n3,clerk\n", `column "occupation", which does not exist`},
		"another category":    {Format{}, "years,occupation\n3,clerk\n3,smith\n", `:3:3: column "occupation": feature "job": "smith" is not among the categories baker, clerk`},
		"no number":           {Format{}, "years,occupation\nNaN,clerk\n", `:2:1: column "years": feature "years": "NaN" is not a number`},
		"infinity":            {Format{}, "years,occupation\n1e999,clerk\n", `"1e999" is not a number`},
		"an empty cell":       {Format{}, "years,occupation\n,clerk\n", `"" is not a number`},
		"a short row":         {Format{}, "years,occupation\n3\n", ":2:1: got 1 cells, want 2"},
		"a quote left open":   {Format{}, "years,occupation\n\"3,clerk\n", "extraneous or missing"},
		"a column twice":      {Format{}, "years,occupation,years\n3,clerk,4\n", `column "years" appears twice`},
		"a workbook":          {Format{}, "PK\x03\x04\x14\x00\x06\x00", "not a CSV file, but an Excel workbook"},
		"a row of other data": {named, "3,clerk\n", ":1:1: got 2 cells, want 3"},
	} {
		if d, err := ReadRows(rowsSpec(c.format), file(t, c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %s", name, d, err, c.want)
		}
	}
	if _, err := ReadRows(rowsSpec(Format{}), filepath.Join(t.TempDir(), "nowhere.csv")); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := ReadRows(rowsSpec(Format{}), t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

// TestRowsKeepTheBins: further rows fall into the data set's bins, not into bins of their
// own.
func TestRowsKeepTheBins(t *testing.T) {
	d, err := Read(&Spec{
		Files:    []File{{Path: file(t, "a\n0\n10\n")}},
		Features: []Column{number("a", Step{Bins: &Bins{Count: 5, Fit: true}})},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows(d.Spec(), file(t, "a\n5\n7\n12\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{2}, {3}, {6}}, rows.Points); diff != "" {
		t.Error(diff)
	}
}

// FuzzReadRows reads any bytes as further rows. It must not panic, and every kept row is a
// number and a category.
func FuzzReadRows(f *testing.F) {
	f.Add([]byte("years,weight,occupation,label\n3,1,clerk,yes\n"), true, ',')
	f.Add([]byte("3;3;clerk;yes\n4;4;?;no\n"), true, ';')
	f.Add([]byte("occupation,years\nclerk,3\n"), false, ';')
	f.Add([]byte("\ufeffyears\toccupation\n\"\t"), false, '\t')
	f.Fuzz(func(t *testing.T, text []byte, named bool, delimiter rune) {
		format := Format{Delimiter: delimiter}
		if named {
			format.Columns = []string{"years", "weight", "occupation", "label"}
		}
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := ReadRows(rowsSpec(format), path)
		if err != nil {
			return
		}
		if d.Read == 0 || d.Read != len(d.Points)+d.Dropped {
			t.Fatalf("%d rows read, %d kept, %d dropped", d.Read, len(d.Points), d.Dropped)
		}
		for i, p := range d.Points {
			if p[0]-p[0] != 0 || p[1] != 0 && p[1] != 1 {
				t.Fatalf("row %d: %v", i, p)
			}
		}
	})
}

// A byte order mark does not belong to the first cell, quoted or not, in a header or a row.
func TestByteOrderMark(t *testing.T) {
	for text, names := range map[string][]string{"\ufeff\"a\",b\n1,2\n": nil, "\ufeffa,b\n1,2\n": nil, "\ufeff1,2\n": {"a", "b"}, "\ufeff\"1\",2\n": {"a", "b"}} {
		path := filepath.Join(t.TempDir(), "d.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []string
		columns, err := Rows(File{Path: path}, Format{Columns: names}, func(_ int, row []string) error {
			got = append(got, row...)
			return nil
		})
		if err != nil || strings.Join(columns, " ") != "a b" || strings.Join(got, " ") != "1 2" {
			t.Errorf("%q: %q, %q, %v", text, columns, got, err)
		}
	}
}
