package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Result is the answer to a Request and the JSON object of hyfair audit.
type Result struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The value of --seed, which seeds the score changes of groups.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The exact width of bins; except with the notion logit, also the largest fair gap; empty for several classes, and where k
	// counts bands.
	Epsilon string `json:"epsilon"`
	// The value of --notion; absent for the default: score or, with bands, decision.
	Notion string `json:"notion,omitempty"`
	// The exact ε of the notion logit.
	Limit string `json:"limit,omitempty"`
	// The attributes that vary.
	Protected []string `json:"protected"`
	// The value of --where.
	Where string `json:"where,omitempty"`
	// The constraints that are on.
	Rules []string `json:"rules"`

	// The weights of the rows; absent where each counts once.
	Weights *Weights `json:"weights,omitempty"`
	// All people together.
	Summary Summary `json:"summary"`
	// The people by class, for a model of several classes, one of which wins, or by band; otherwise absent. If it is present,
	// k counts classes or bands, and flips and unfair are the people whose class or band changes. With classes there are no
	// scores, gaps and other decisions. With bands and --notion score or logit, k and unfair are about scores.
	Classes *Classes `json:"classes,omitempty"`
	// Rates by group, with --groups; for a model of several classes they are in the field classes. With bands the favourable decision is
	// the best band, or that of --favourable and better ones.
	Rates *Rates `json:"groups,omitempty"`
	// The changes since the model of --baseline.
	Change *Change `json:"change,omitempty"`
	// The decisions at each of --thresholds.
	Curve []Threshold `json:"curve,omitempty"`
	// The people asked for, the worst-treated first: by k, then by gap.
	Rows Rows `json:"rows"`
	// The CSV file that was written.
	Out string `json:"out,omitempty"`
	// A signal or the budget of --calls ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	// The model predicts a number: gaps and scores are of predictions, k is 1, and there are no decisions.
	Number bool `json:"number,omitempty"`
	// The meaning of a positive decision by the study's label, such as "default = yes".
	Positive string `json:"positive,omitempty"`
	question.Grounds
	gate.Checks
}

// Rows yields people; in JSON it is an array. Rows are made one at a time: together, those of
// some ten thousand people would take most of a gigabyte.
type Rows iter.Seq[Row]

// MarshalJSON implements json.Marshaler.
func (r Rows) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('[')
	err := r.write(&text, "")
	text.WriteByte(']')
	return text.Bytes(), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Rows) UnmarshalJSON(text []byte) error {
	var list []Row
	err := json.Unmarshal(text, &list)
	*r = Rows(slices.Values(list))
	return err
}

// write writes the elements of the array without brackets, with lead before each.
func (r Rows) write(w io.Writer, lead string) error {
	if r == nil {
		return nil
	}
	separator := lead
	for row := range r {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if err := view.JSON(w, &row, ""); err != nil {
			return err
		}
		separator = "," + lead
	}
	return nil
}

// Row is one audited person.
type Row struct {
	// The row's number, from 0, without the rows that are left out for missing values.
	Index int `json:"index"`
	// The file of the row.
	File string `json:"file"`
	// The line where the row begins.
	Line int `json:"line"`
	// The number of bins, classes or bands of the copies.
	K int `json:"k"`
	// The number of copies, the person included.
	N int `json:"n"`
	// The largest difference of two copies' scores.
	Gap float64 `json:"gap"`
	// The gap exceeds ε, or the copies violate the notion.
	Unfair bool `json:"unfair"`
	// The Shannon entropy of the copies' distribution over the bins, in bits.
	Shannon float64 `json:"shannon"`
	// The min-entropy of that distribution, in bits.
	MinEntropy float64 `json:"min_entropy"`
	// The person's own score.
	Score float64 `json:"score"`
	// The person's own decision is positive. With bands: the band is favourable or, if low scores are favourable, it is not.
	Positive bool `json:"positive"`
	// The person's class, from 0, for a model of several classes; the number of classes stands for a tie. With bands: the
	// place of the person's band, 0 for the best.
	Class *int `json:"class,omitempty"`
	// The other classes or bands of the copies.
	Enters []int `json:"enters,omitempty"`
	// The row's weight; absent without weights.
	Weight *float64 `json:"weight,omitempty"`
	// Some copy gets the other decision, or another class or band.
	Flips bool `json:"flips"`
	// The values of the features that are not protected.
	X map[string]float64 `json:"x"`
	// The person's own protected values.
	Z map[string]float64 `json:"z"`
	// All values as text.
	Labels map[string]string `json:"labels"`
	// The copy with the highest score; with several classes, a copy of another class.
	High RowCopy `json:"high"`
	// The copy with the lowest score; with several classes, the person.
	Low RowCopy `json:"low"`
	// The effect of each protected attribute alone.
	Attributes []RowEffect `json:"attributes"`
}

// RowCopy is a counterfactual.
type RowCopy struct {
	// The protected values.
	Z map[string]float64 `json:"z"`
	// The protected values as text.
	Labels map[string]string `json:"labels"`
	// The copy's score.
	Score float64 `json:"score"`
}

// RowEffect is the effect of one attribute by itself on a person.
type RowEffect struct {
	// The protected attribute.
	Name string `json:"name"`
	// The number of bins, over the attribute's values alone.
	K int `json:"k"`
	// The number of copies that differ in this attribute alone, the person included.
	N int `json:"n"`
	// The largest difference of their scores.
	Gap float64 `json:"gap"`
	// That gap exceeds ε, or these copies violate the notion.
	Unfair bool `json:"unfair"`
	// Some of these copies get the other decision, or another class or band.
	Flips bool `json:"flips"`
	// The value with the highest score, as a label; with the lowest, if a low score is favourable.
	Best string `json:"best"`
	// The score with the best value.
	BestScore float64 `json:"best_score"`
	// The value with the lowest score, as a label; with the highest, if a low score is favourable.
	Worst string `json:"worst"`
	// The score with the worst value.
	WorstScore float64 `json:"worst_score"`
	// The person's own score less the mean score with the attribute's other values; the reverse if a low
	// score is favourable.
	Advantage float64 `json:"advantage"`
}

// WriteJSON writes the result with its people, one per line.
func (r *Result) WriteJSON(w io.Writer) error {
	rest := *r
	rest.Rows = nil
	var text bytes.Buffer
	if err := view.JSON(&text, rest, "  "); err != nil {
		return err
	}
	const empty = "\n  \"rows\": []" // strings in JSON contain no line ends
	before, after, _ := bytes.Cut(text.Bytes(), []byte(empty))
	out := bufio.NewWriter(w)
	out.Write(before) // an error stays with the writer until Flush
	out.WriteString(empty[:len(empty)-1])
	if err := r.Rows.write(out, "\n"); err != nil {
		return err
	}
	out.WriteByte(']')
	out.Write(after)
	return out.Flush()
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	epsilon := ", ε = " + r.Epsilon
	switch {
	case r.Number:
		epsilon = ", ε = " + r.Limit
	case r.Epsilon == "":
		epsilon = ""
	}
	head := fmt.Sprintf("Audit of %s (%s): %s%s", r.Study, r.Model, strings.Join(r.Protected, ", "), epsilon)
	if r.Notion != "" {
		head += ", notion " + r.Notion
	}
	if r.Where != "" {
		head += ", where " + r.Where
	}
	if len(r.Rules) > 0 {
		head += ", rules " + strings.Join(r.Rules, ", ")
	}
	d := view.Of(view.Paragraph{head})
	doubts := r.About(false) // the text below states the decision rule
	d.Add(doubts.Caveats()...)
	d.Add(view.Paragraph(r.Summary.Text))
	if r.Summary.People > 0 {
		unfair, _ := r.unfairly()
		d.Add(r.attributes(unfair)...)
		if r.Change != nil {
			doubts := r.Change.Old.About(false)
			d.Add(doubts.Caveats()...)
			d.Add(r.Change.Blocks(unfair, r.Number)...)
		}
		if r.Rates != nil {
			d.Add(r.rates()...)
		}
		if len(r.Curve) > 0 {
			d.Add(r.curve())
			if text := r.fewest(); text != "" {
				d.Add(view.Paragraph{text})
			}
		}
	}
	if worst := r.worst(); len(worst.Rows) > 0 {
		d.Add(worst)
	}
	if r.Out != "" {
		d.Say("Everybody: %s", r.Out)
	}
	d.Add(r.Blocks()...)
	return d
}

// hold checks gates against the share of people who are treated unfairly, and the gates on changes and rates.
func (r *Result) hold(gates []gate.Gate) {
	s := &r.Summary
	for _, g := range gates {
		switch {
		case s.People == 0:
			r.Hold(g.Is("", gate.Undecided, "nobody was audited"))
			continue
		case r.Interrupted:
			r.Hold(g.Is("", gate.Undecided, "ended before everybody was audited"))
			continue
		case g.Name == MaxWorse:
			r.Hold(r.Change.Hold(g, true))
			continue
		case g.Name == MinImpactRatio:
			r.holdRatio(g)
			continue
		}
		share := exactly(s.Unfair, s.People, s.UnfairShare, r.Weights != nil)
		text := fmt.Sprintf("%s of %s people (%s) have %s", view.Count(s.Unfair), view.Count(s.People), view.Share(s.UnfairShare), r.short())
		left := s.Forbidden
		for _, n := range s.Outside {
			left += n
		}
		if left > 0 {
			text += fmt.Sprintf("; not audited, because outside the space: %s", view.Count(left))
		}
		r.Hold(g.Within("", share, share, text))
	}
}

// worst lists the worst-treated people.
func (r *Result) worst() *view.Table {
	switch {
	case r.Number:
		return r.worstNumbers()
	case r.scoreless():
		return r.worstClasses()
	}
	banded := r.banded()
	t := &view.Table{
		Title: "The people whose copies are treated most differently",
		Columns: []view.Column{
			{Title: "row"}, {Title: "k", Right: true}, {Title: "gap", Right: true},
			{Title: "score", Right: true}, {Title: strings.Join(r.Protected, ", ")},
			{Title: "lowest", Right: true}, {Title: "with"}, {Title: "highest", Right: true}, {Title: "with"},
		},
		Notes: []string{"row: file and line. score: the person's own; " + r.Rule().String() + " the decision is positive."},
	}
	if banded {
		t.Columns = slices.Insert(t.Columns, 4, view.Column{Title: "band"}, view.Column{Title: "bands of copies"})
		t.Notes = []string{"row: file and line. score, band: the person's own. bands of copies: the others."}
	}
	if r.Rows == nil {
		return t
	}
	for row := range r.Rows {
		cells := []string{
			fmt.Sprintf("%s:%d", row.File, row.Line), strconv.Itoa(row.K), view.Score(row.Gap),
			view.Score(row.Score), r.combination(row.Labels),
			view.Score(row.Low.Score), r.combination(row.Low.Labels),
			view.Score(row.High.Score), r.combination(row.High.Labels),
		}
		if banded {
			var others []string
			for _, to := range row.Enters {
				others = append(others, r.Classes.Classes[to].Name)
			}
			cells = slices.Insert(cells, 4, r.Classes.Classes[*row.Class].Name, strings.Join(others, ", "))
		}
		t.Add(cells...)
	}
	return t
}

// worstNumbers lists the people whose copies get the most different predictions.
func (r *Result) worstNumbers() *view.Table {
	t := &view.Table{
		Title: "The people whose copies get the most different predictions",
		Columns: []view.Column{
			{Title: "row"}, {Title: "gap", Right: true}, {Title: "prediction", Right: true}, {Title: strings.Join(r.Protected, ", ")},
			{Title: "lowest", Right: true}, {Title: "with"}, {Title: "highest", Right: true}, {Title: "with"},
		},
		Notes: []string{"row: file and line. prediction: the person's own."},
	}
	if r.Rows == nil {
		return t
	}
	for row := range r.Rows {
		t.Add(fmt.Sprintf("%s:%d", row.File, row.Line), number6(row.Gap), number6(row.Score), r.combination(row.Labels),
			number6(row.Low.Score), r.combination(row.Low.Labels), number6(row.High.Score), r.combination(row.High.Labels))
	}
	return t
}

// number6 formats a predicted number with six digits.
func number6(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// combination joins the labels of the protected attributes.
func (r *Result) combination(labels map[string]string) string {
	var words []string
	for _, name := range r.Protected {
		words = append(words, labels[name])
	}
	return strings.Join(words, ", ")
}
