package study

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one mistake in a study file.
type Fault struct {
	File string
	// Line and Column count from 1.
	Line, Column int
	// Message says where in the study (features.age.integer), what is wrong
	// and what is allowed.
	Message string
}

// Error gives file:line:column: message.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// Faults are the mistakes found in a study, in the order of their places. All
// that can be told apart are reported together, up to maxFaults.
type Faults []*Fault

// maxFaults is as many as anybody reads.
const maxFaults = 20

// Error gives one line a fault.
func (f Faults) Error() string {
	lines := make([]string, 0, len(f)+1)
	for i, fault := range f {
		if i == maxFaults {
			lines = append(lines, fmt.Sprintf("… and %d more", len(f)-i))
			break
		}
		lines = append(lines, fault.Error())
	}
	return strings.Join(lines, "\n")
}

// faults collects while a study is read.
type faults struct {
	list Faults
}

// add reports a fault at n, once a place.
func (f *faults) add(n *node, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if n.path != "" {
		message = n.path + ": " + message
	}
	fault := &Fault{n.at.file, n.at.line, n.at.column, message}
	if !slices.ContainsFunc(f.list, func(g *Fault) bool { return *g == *fault }) {
		f.list = append(f.list, fault)
	}
}

// err gives what was collected, sorted; nil if nothing was.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	slices.SortStableFunc(f.list, func(a, b *Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f.list
}

// nearest is the candidate that text was probably meant to be: the one of the
// least edit distance, if that is at most a third of its length (but 1 is).
func nearest(text string, candidates []string) (string, bool) {
	const longest = 64 // names longer than this are nobody's slip
	if len(text) > longest {
		return "", false
	}
	best, found := "", false
	least := 0
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		d := distance(strings.ToLower(text), strings.ToLower(c))
		if d <= max(1, len(c)/3) && (!found || d < least) {
			best, least, found = c, d, true
		}
	}
	return best, found
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
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

// meant is the suggestion after an unknown name: the nearest one and the list.
func meant(text string, known []string) string {
	const most = 40
	s := "allowed: " + strings.Join(known[:min(most, len(known))], ", ")
	if len(known) > most {
		s += ", …"
	}
	if near, ok := nearest(text, known); ok {
		s = fmt.Sprintf("did you mean %q? %s", near, s)
	}
	return s
}
