package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// auditReport is the JSON object of hyfair audit.
type auditReport struct {
	Study     string   `json:"study"`
	Model     string   `json:"model"`
	Seed      int64    `json:"seed"`
	Seconds   float64  `json:"seconds"`
	Epsilon   string   `json:"epsilon"`
	Protected []string `json:"protected"`
	Where     string   `json:"where,omitempty"`
	// Rules are those that are on.
	Rules []string `json:"rules"`

	Summary auditSummary `json:"summary"`
	// Rows has the people shown; see writeJSON.
	Rows        []auditRow `json:"rows"`
	Out         string     `json:"out,omitempty"`
	Interrupted bool       `json:"interrupted,omitempty"`
}

// auditSummary is what is said of everybody together.
type auditSummary struct {
	// Rows were read, Dropped of them left out for missing values.
	Rows    int `json:"rows"`
	Dropped int `json:"dropped"`
	audit.Summary
	// Text says it in sentences.
	Text []string `json:"text"`
}

// auditRow is a person.
type auditRow struct {
	Index int `json:"index"`
	// File and Line are where the row begins.
	File   string  `json:"file"`
	Line   int     `json:"line"`
	K      int     `json:"k"`
	N      int     `json:"n"`
	Gap    float64 `json:"gap"`
	Unfair bool    `json:"unfair"`
	// Shannon and MinEntropy are in bits.
	Shannon    float64            `json:"shannon"`
	MinEntropy float64            `json:"min_entropy"`
	Score      float64            `json:"score"`
	Positive   bool               `json:"positive"`
	Flips      bool               `json:"flips"`
	X          map[string]float64 `json:"x"`
	Z          map[string]float64 `json:"z"`
	// Labels are of both.
	Labels     map[string]string `json:"labels"`
	High       auditCopy         `json:"high"`
	Low        auditCopy         `json:"low"`
	Attributes []auditEffect     `json:"attributes"`
}

// auditCopy is a counterfactual.
type auditCopy struct {
	Z      map[string]float64 `json:"z"`
	Labels map[string]string  `json:"labels"`
	Score  float64            `json:"score"`
}

// auditEffect is what one attribute does to a person by itself.
type auditEffect struct {
	Name   string  `json:"name"`
	K      int     `json:"k"`
	N      int     `json:"n"`
	Gap    float64 `json:"gap"`
	Unfair bool    `json:"unfair"`
	Flips  bool    `json:"flips"`
	// Best and Worst are values of the attribute, as labels.
	Best       string  `json:"best"`
	BestScore  float64 `json:"best_score"`
	Worst      string  `json:"worst"`
	WorstScore float64 `json:"worst_score"`
	Advantage  float64 `json:"advantage"`
}

func (j *auditJob) row(p *audit.Person) auditRow {
	s, point := j.config.Space, j.data.Points[p.Index]
	path, line := j.data.Where(p.Index)
	row := auditRow{
		Index: p.Index, File: filepath.Base(path), Line: line, K: p.K, N: p.N, Gap: p.Gap, Unfair: p.Unfair,
		Shannon: p.Shannon, MinEntropy: p.MinEntropy, Score: p.Score, Positive: p.Positive, Flips: p.Flips,
		X: individual.Values(s, point, false), Z: individual.Values(s, point, true), Labels: map[string]string{},
		High: copyOf(s, &p.High), Low: copyOf(s, &p.Low),
	}
	for i := range s.Features {
		row.Labels[s.Features[i].Name] = s.Features[i].Label(point[i])
	}
	for n, i := range s.Protected() {
		f, e := &s.Features[i], &p.Effects[n]
		row.Attributes = append(row.Attributes, auditEffect{
			Name: f.Name, K: e.K, N: e.N, Gap: e.Gap, Unfair: e.Unfair, Flips: e.Flips,
			Best: f.Label(e.Best), BestScore: e.BestScore, Worst: f.Label(e.Worst), WorstScore: e.WorstScore, Advantage: e.Advantage,
		})
	}
	return row
}

func copyOf(s *space.Space, c *audit.Copy) auditCopy {
	out := auditCopy{Z: map[string]float64{}, Labels: map[string]string{}, Score: c.Score}
	for n, i := range s.Protected() {
		f := &s.Features[i]
		out.Z[f.Name], out.Labels[f.Name] = c.Z[n], f.Label(c.Z[n])
	}
	return out
}

// writeJSON writes the report with n rows in place of its own, one a line: all
// at once they would take a gigabyte for some ten thousand people.
func (r *auditReport) writeJSON(w io.Writer, n int, row func(i int) auditRow) error {
	var text bytes.Buffer
	if err := (&App{Stdout: &text}).printJSON(r); err != nil {
		return err
	}
	const empty = "\n  \"rows\": []" // no text in JSON has a line end within
	before, after, _ := bytes.Cut(text.Bytes(), []byte(empty))
	out := bufio.NewWriter(w)
	out.Write(before) // an error stays with the writer until Flush
	out.WriteString(empty[:len(empty)-1])
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		if err := view.JSON(out, row(i), ""); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	out.Write(after)
	return out.Flush()
}

// print shows the report to a person.
func (r *auditReport) print(w io.Writer) error {
	fmt.Fprintf(w, "Audit of %s (%s): %s, ε = %s", r.Study, r.Model, strings.Join(r.Protected, ", "), r.Epsilon)
	if r.Where != "" {
		fmt.Fprintf(w, ", where %s", r.Where)
	}
	if len(r.Rules) > 0 {
		fmt.Fprintf(w, ", rules %s", strings.Join(r.Rules, ", "))
	}
	fmt.Fprintf(w, "\n\n%s\n\n", strings.Join(r.Summary.Text, "\n"))
	if r.Summary.People > 0 {
		if err := r.Summary.Tables(w, r.Epsilon); err != nil {
			return err
		}
	}
	if len(r.Rows) > 0 {
		if err := view.Of(r.worst()).Write(w, view.Text, view.Options{}); err != nil {
			return err
		}
	}
	if r.Out != "" {
		fmt.Fprintf(w, "\nEverybody: %s\n", r.Out)
	}
	return nil
}

// worst lists the worst-treated people.
func (r *auditReport) worst() *view.Table {
	who := strings.Join(r.Protected, ", ")
	t := &view.Table{
		Title: "The people whose copies are treated most differently",
		Columns: []view.Column{
			{Title: "row"}, {Title: "k", Right: true}, {Title: "gap", Right: true},
			{Title: "score", Right: true}, {Title: who},
			{Title: "lowest", Right: true}, {Title: "with"}, {Title: "highest", Right: true}, {Title: "with"},
		},
		Notes: []string{"row: file and line. score: the person's own; above 0.5 is a yes."},
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		t.Rows = append(t.Rows, view.Texts(fmt.Sprintf("%s:%d", row.File, row.Line), fmt.Sprint(row.K), fmt.Sprintf("%.4f", row.Gap),
			fmt.Sprintf("%.4f", row.Score), r.combination(row.Labels),
			fmt.Sprintf("%.4f", row.Low.Score), r.combination(row.Low.Labels),
			fmt.Sprintf("%.4f", row.High.Score), r.combination(row.High.Labels)))
	}
	return t
}

// combination is the protected part of labels.
func (r *auditReport) combination(labels map[string]string) string {
	var words []string
	for _, name := range r.Protected {
		words = append(words, labels[name])
	}
	return strings.Join(words, ", ")
}
