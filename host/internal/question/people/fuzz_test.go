package people

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead reads any bytes as a data set. Nothing may panic, and every row kept
// is read again to the same point.
func FuzzRead(f *testing.F) {
	f.Add([]byte("a,b,y\n1,x,yes\n?,z,no\n\"2\",\"x\ny\",no\n"), 0, ',')
	f.Add([]byte("skipped\na;b;y\r\n 1 ; x ;yes\r\n"), 1, ';')
	f.Add([]byte("\ufeffa\tb\ty\n-0\t\"\"\"\"\t\n"), 0, '\t')
	f.Add([]byte("a,b,y\n\"open\n"), 0, ',')
	f.Fuzz(func(t *testing.T, text []byte, skip int, delimiter rune) {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Read(&Spec{
			Files:  []File{{Path: path, Skip: skip}},
			Format: Format{Delimiter: delimiter, Trim: true, Missing: []string{"?"}},
			Features: []Column{
				{Feature: "a", Name: "a", Steps: []Step{{Bins: &Bins{Count: 3, Fit: true}}}},
				{Feature: "b", Name: "b", Categories: []string{"x", "other"}, Steps: []Step{{Map: map[string]string{"x": "x", "*": "other"}}}},
			},
			Label: Label{Column: "y", Positive: []string{"yes", "no", ""}},
			Split: Split{Fraction: 0.3},
		})
		if err != nil {
			return
		}
		if len(d.Test)+len(d.Train()) != len(d.Points) || len(d.Labels) != len(d.Points) || d.Read != d.Dropped+len(d.Points) {
			t.Fatalf("%d rows read, %d dropped, %d kept, %d labels, %d for testing", d.Read, d.Dropped, len(d.Points), len(d.Labels), len(d.Test))
		}
		// Again, with the bins' fitted ends.
		again, err := Read(d.Spec())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Points, again.Points); diff != "" {
			t.Fatal(diff)
		}
		for i := range d.Points {
			if _, line := d.Where(i); i > 0 && line <= d.places[i-1].line {
				t.Fatalf("row %d is said to be in line %d, after %d", i, line, d.places[i-1].line)
			}
		}
	})
}
