package runs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Search reports on a search in the journal.
type Search struct {
	Header
	// The strategy.
	Strategy string `json:"strategy"`
	Told
}

// Document shows the report.
func (r *Search) Document() *view.Document {
	d := view.Of(r.measures(), r.byK(), r.more())
	d.Data = r.data()
	return d
}

// notes returns the header's notes, the solver's faults, and a note if nothing was found.
func (r *Search) notes() []string {
	notes := r.Header.notes("; Iter is that of its last snapshot")
	for _, fault := range r.Faults {
		notes = append(notes, "Fault of "+fault)
	}
	if len(r.K) == 0 {
		notes = append(notes, "No individual with a gap above ε was found.")
	}
	return notes
}

func (r *Search) measures() *view.Table {
	t := &view.Table{Title: r.title(r.Strategy, "mode", "solver", "budget"), Notes: append(search.RateNotes(r.Measures["Succ.rate"]), r.notes()...)}
	cells := make([]string, len(search.Names))
	for i, name := range search.Names {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: true})
		cells[i] = view.Measure(r.Measures[name])
	}
	t.Rows = append(t.Rows, view.Texts(cells...))
	return t
}

// widestBar is the length of the longest bar of the histogram.
const widestBar = 40

// byK shows the time-to-k curve and the histogram.
func (r *Search) byK() *view.Table {
	t := &view.Table{
		Title: "Seconds to the first individual with k or more; individuals by k",
		Columns: []view.Column{
			{Title: "k", Right: true}, {Title: "seconds", Right: true}, {Title: "k or more", Right: true}, {Title: "individuals", Right: true}, {Bars: true},
		},
	}
	var most int64 = 1
	for _, step := range r.K {
		most = max(most, step.Individuals)
	}
	for _, step := range slices.Backward(r.K) {
		// Rounded up, so that every count is visible.
		bar := int((step.Individuals*widestBar + most - 1) / most)
		t.Rows = append(t.Rows, view.Texts(strconv.Itoa(step.K), fmt.Sprintf("%.3f", step.Seconds),
			strconv.FormatInt(step.AtLeast, 10), strconv.FormatInt(step.Individuals, 10), strings.Repeat("■", bar)))
	}
	return t
}

// more shows measures beyond those of the paper.
func (r *Search) more() *view.Table {
	t := &view.Table{
		Title:   "How uneven outcomes are, and how spread out the individuals",
		Columns: view.Columns("", "mean", "of the best"),
		Rows: [][]view.Cell{
			view.Texts("Shannon entropy (bits)", view.Measure(r.Shannon.Mean), view.Measure(r.Shannon.Best)),
			view.Texts("min-entropy (bits)", view.Measure(r.MinEntropy.Mean), view.Measure(r.MinEntropy.Best)),
			view.Texts("Gower distance of two", view.Measure(r.Spread), ""),
		},
	}
	if n := r.found(); n > r.Kept {
		t.Notes = append(t.Notes, fmt.Sprintf("The distance is that of the %d individuals kept in full, of %d.", r.Kept, n))
	}
	if int64(r.Sampled) < r.Kept && r.Sampled > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("It is that of a sample of %d.", r.Sampled))
	}
	return t
}

// found returns the number of individuals.
func (r *Search) found() int64 {
	if len(r.K) == 0 {
		return 0
	}
	return r.K[0].AtLeast
}

// data lists everything in three columns: what, at which k, and how much. N/A is an
// empty cell.
func (r *Search) data() *view.Table {
	t := &view.Table{Columns: []view.Column{{Title: "measure"}, {Title: "k"}, {Title: "value"}}}
	add := func(what, k, v string) { t.Rows = append(t.Rows, view.Texts(what, k, v)) }
	for _, name := range search.Names {
		add(name, "", view.Exact(r.Measures[name]))
	}
	for _, e := range []struct {
		name string
		v    *float64
	}{
		{"shannon.mean", r.Shannon.Mean}, {"shannon.best", r.Shannon.Best},
		{"min_entropy.mean", r.MinEntropy.Mean}, {"min_entropy.best", r.MinEntropy.Best},
		{"spread", r.Spread},
	} {
		add(e.name, "", view.Exact(e.v))
	}
	add("state", "", r.State)
	for _, step := range r.K {
		k := strconv.Itoa(step.K)
		add("seconds", k, view.Exact(&step.Seconds))
		add("individuals", k, strconv.FormatInt(step.Individuals, 10))
		add("at_least", k, strconv.FormatInt(step.AtLeast, 10))
	}
	return t
}
