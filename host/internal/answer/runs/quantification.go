package runs

import (
	"fmt"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Quantification reports on a quantification in the journal.
type Quantification struct {
	Header
	// The solver's name.
	Solver string `json:"solver"`
	quantify.Shares
}

// Document shows the report.
func (r *Quantification) Document() *view.Document {
	d := view.Of(r.proved(), r.evaluated())
	d.Data = r.data()
	return d
}

// proved shows what the solver proved.
func (r *Quantification) proved() *view.Table {
	t := &view.Table{Title: r.title(r.Solver, "notion", "k", "protected", "group", "timeout"), Notes: r.notes("")}
	fair, unfair, are := r.words()
	for _, name := range []string{fair, unfair, "undecided", "grade", "individuals", "boxes"} {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: name != "grade"})
	}
	t.Rows = append(t.Rows, view.Texts(view.ShareOrDash(r.Fair), view.ShareOrDash(r.Unfair), view.ShareOrDash(r.Undecided), r.Grade, r.Individuals, strconv.FormatInt(r.Boxes, 10)))
	if !r.Complete && r.Reason != "" {
		t.Notes = append(t.Notes, "Undecided because of: "+r.Reason+".")
	}
	for _, fault := range r.Faults {
		t.Notes = append(t.Notes, "Fault: "+fault)
	}
	t.Notes = append(t.Notes, r.Who(are)+".")
	return t
}

// words says what the shares are of: of a group, the shares of negative and positive decisions (quantify --groups).
func (r *Quantification) words() (fair, unfair, are string) {
	if r.Settings["group"] != "" {
		return "negative", "positive", "of the group get a positive decision"
	}
	return "fair", "unfair", "are discriminated against"
}

// evaluated shows the individuals that were evaluated exactly.
func (r *Quantification) evaluated() *view.Table {
	t := &view.Table{Title: "Individuals evaluated exactly"}
	what := "discriminated"
	if r.Settings["group"] != "" {
		_, what, _ = r.words()
	}
	for _, name := range []string{"", what, "of", "at least", "at most"} {
		t.Columns = append(t.Columns, view.Column{Title: name, Right: name != ""})
	}
	if s := r.Sampled; s != nil {
		who := "drawn uniformly"
		if s.All {
			who = "all individuals"
		} else {
			t.Notes = append(t.Notes, fmt.Sprintf("At least and at most: %.0f %% Clopper-Pearson interval.", 100*s.Confidence))
		}
		t.Rows = append(t.Rows, view.Texts(who, view.Share(s.Share), strconv.Itoa(s.N), view.Share(s.Lo), view.Share(s.Hi)))
	}
	if d := r.Rows; d != nil {
		t.Rows = append(t.Rows, view.Texts("rows of the data set", view.Share(d.Share), strconv.Itoa(d.N), "", ""))
		if d.Outside > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%d more rows are not in the space asked about.", d.Outside))
		}
	}
	if len(t.Rows) == 0 {
		t.Notes = append(t.Notes, "None.")
	}
	return t
}

// data lists everything that is known, in two columns.
func (r *Quantification) data() *view.Table {
	t := &view.Table{Columns: []view.Column{{Title: "measure"}, {Title: "value"}}}
	add := func(what, v string) {
		if v != "" {
			t.Rows = append(t.Rows, view.Texts(what, v))
		}
	}
	add("fair", view.Exact(r.Fair))
	add("unfair", view.Exact(r.Unfair))
	add("undecided", view.Exact(r.Undecided))
	if r.Exact != nil {
		add("exact.fair", r.Exact.Fair)
		add("exact.unfair", r.Exact.Unfair)
		add("exact.undecided", r.Exact.Undecided)
	}
	add("grade", r.Grade)
	add("individuals", r.Individuals)
	add("boxes", strconv.FormatInt(r.Boxes, 10))
	add("reason", r.Reason)
	if s := r.Sampled; s != nil {
		add("sampled.share", view.Exact(&s.Share))
		add("sampled.lo", view.Exact(&s.Lo))
		add("sampled.hi", view.Exact(&s.Hi))
		add("sampled.n", strconv.Itoa(s.N))
	}
	if d := r.Rows; d != nil {
		add("rows.share", view.Exact(&d.Share))
		add("rows.unfair", strconv.Itoa(d.Unfair))
		add("rows.n", strconv.Itoa(d.N))
		add("rows.outside", strconv.Itoa(d.Outside))
	}
	add("state", r.State)
	return t
}
