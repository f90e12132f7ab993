package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Place is a position in a file; lines and columns count from 1.
type Place struct {
	File         string
	Line, Column int
}

// String returns file:line:column.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Fault is one mistake in a file.
type Fault struct {
	Place
	// Message states the path in the file (features.age.integer), the mistake and the allowed
	// values.
	Message string
}

// Error returns file:line:column: message.
func (f *Fault) Error() string { return view.OneLine(f.Place.String() + ": " + f.Message) }

// Faults are the mistakes found in a file, in the order of their places.
type Faults []*Fault

// maxFaults is the maximum number of faults that are printed.
const maxFaults = 20

// Error returns one line per fault.
func (f Faults) Error() string {
	lines := make([]string, 0, maxFaults+1)
	for _, fault := range f[:min(maxFaults, len(f))] {
		lines = append(lines, fault.Error())
	}
	if len(f) > maxFaults {
		lines = append(lines, fmt.Sprintf("… and %d more", len(f)-maxFaults))
	}
	return strings.Join(lines, "\n")
}

// Suggest returns the end of a message about an unknown name: the nearest known name, if one is
// near, and the list of known names.
func Suggest(name string, known []string) string {
	const most = 40
	s := "allowed: " + strings.Join(known[:min(most, len(known))], ", ")
	if len(known) > most {
		s += ", …"
	}
	if near, ok := nearest(name, known); ok {
		s = fmt.Sprintf("did you mean %q? %s", near, s)
	}
	return s
}

// nearest returns the candidate with the least edit distance to text, if that is at most 1 or a
// third of the candidate's length.
func nearest(text string, candidates []string) (best string, found bool) {
	const longest = 64 // longer names are not compared
	least := 0
	for _, c := range candidates {
		if len(text) > longest || len(c) > longest {
			continue
		}
		if d := distance(strings.ToLower(text), strings.ToLower(c)); d <= max(1, len(c)/3) && (!found || d < least) {
			best, least, found = c, d, true
		}
	}
	return best, found
}

// distance returns the least number of insertions, deletions, replacements and swaps of neighbours
// that turn a into b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}

// sorted sorts faults by their places.
func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b *Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f
}
