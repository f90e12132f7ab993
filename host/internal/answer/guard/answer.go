package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Request asks a guarded model about rows. It is plain data.
type Request struct {
	// Model is a study, whose network answers, or a network; then Study says how its
	// rows are encoded. Data is the folder of paths that begin with data:.
	Model string `json:"model"`
	Study string `json:"study,omitempty"`
	Data  string `json:"data,omitempty"`
	// Rules is the file of the guardrails.
	Rules string `json:"rules"`
	// Threshold is the score that a yes exceeds; Bands replace yes and no. Empty: the study's.
	Threshold string `json:"threshold,omitempty"`
	Bands     string `json:"bands,omitempty"`
	// Encoded: the rows hold feature values, not raw data.
	Encoded bool  `json:"encoded,omitempty"`
	Seed    int64 `json:"seed"`
}

// Result is the JSON object of hyfair guard. Its rows are written one by one.
type Result struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The rules file.
	Rules string `json:"rules"`
	// The answers, one for each row, written as soon as each is known.
	Rows []Row `json:"rows"`
	// The rows, counted.
	Summary Summary `json:"summary"`
}

// Summary counts rows by their answers.
type Summary struct {
	// The value of --seed, which has no effect here.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The number of rows.
	Rows int `json:"rows"`
	// The number of rows with a prediction.
	Predicted int `json:"predicted"`
	// The number of rows refused.
	Refused int `json:"refused"`
	// The number of unusable rows.
	Unusable int `json:"unusable"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
}

// String is the summary as a sentence.
func (s *Summary) String() string {
	return fmt.Sprintf("%s rows: %s predicted, %s refused, %s unusable",
		view.Count(s.Rows), view.Count(s.Predicted), view.Count(s.Refused), view.Count(s.Unusable))
}

// Row is the answer to one row.
type Row struct {
	// The row's number, from 1.
	Row int `json:"row"`
	// The line where the row begins.
	Line int `json:"line"`
	// The answer: predict, refuse, or unusable for a row that cannot be read or fed to the model.
	Answer string `json:"answer"`
	// The score of a prediction.
	Score *float64 `json:"score,omitempty"`
	// The decision of a prediction: 1 for a positive one, else 0; absent with bands.
	Decision *int `json:"decision,omitempty"`
	// The band of a prediction, if the decision has bands.
	Band string `json:"band,omitempty"`
	// The first rule that holds, for a refusal.
	Rule string `json:"rule,omitempty"`
	// The rule's reason; the reason why a row is unusable; or, for a prediction, a feature outside its
	// domain, for which nothing is known of the model.
	Why string `json:"why,omitempty"`
}

// guarded is a model with its guardrails.
type guarded struct {
	decider *individual.Decider
	bander  *individual.Bander // nil without bands
	bands   fairness.Bands
	space   *space.Space
	rules   *Rules
	guards  []space.Predicate
}

// Answer reads rows and answers each as soon as it is read, as CSV or as one JSON object. After an
// interrupt, the answers already written stay.
func Answer(ctx context.Context, s *session.Session, r Request, in io.Reader, to io.Writer, asJSON bool) (*Result, error) {
	st, err := r.load()
	if err != nil {
		return nil, session.Mistake(err)
	}
	g := &guarded{decider: individual.New(st.Model, st.Space, st.Rule), space: st.Space, bands: st.Bands}
	if st.Bands != nil {
		g.bander = g.decider.Bander(st.Bands, true) // places count from the lowest
	}
	if g.rules, err = Read(r.Rules, st.Space); err == nil {
		g.guards, err = g.rules.Predicates(st.Space)
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	rows, err := st.Stream(in, "standard input", r.Encoded)
	if errors.Is(err, study.ErrNoData) {
		err = fmt.Errorf("%w; rows of feature values can be guarded with --encoded", err)
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	out := &Result{Study: st.Name, Model: filepath.Base(st.ModelPath), Rules: r.Rules, Rows: []Row{}, Summary: Summary{Seed: r.Seed}}
	w := &writer{to: to, csv: view.NewCSV(to), json: asJSON}
	err = g.stream(ctx, rows, w, out)
	out.Summary.Interrupted, out.Summary.Seconds = ctx.Err() != nil, time.Since(s.Begun).Seconds()
	return out, errors.Join(err, w.end(out))
}

// load reads the study and the network that answers.
func (r *Request) load() (*study.Study, error) {
	o, isStudy := study.Options{DataRoot: r.Data, Threshold: r.Threshold, Bands: r.Bands}, study.IsStudy(r.Model)
	switch {
	case r.Study == "" && !isStudy:
		return nil, fmt.Errorf("%s is read as a network: give --study STUDY, which says how its rows are encoded", r.Model)
	case r.Study == "":
		return study.Load(r.Model, o)
	case isStudy:
		return nil, fmt.Errorf("%s is a study; --study goes with a network: leave it out", r.Model)
	}
	o.Model = r.Model
	return study.Load(r.Study, o)
}

// stream answers row after row. An error in the rows is a session.Mistake.
func (g *guarded) stream(ctx context.Context, rows *people.Stream, w *writer, out *Result) error {
	if err := w.begin(out); err != nil {
		return err
	}
	s := &out.Summary
	point := make([]float64, len(g.space.Features))
	for ctx.Err() == nil {
		line, err := rows.Next(point)
		var bad *people.RowError
		row := Row{Row: s.Rows + 1, Line: line}
		switch {
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return nil
		case errors.As(err, &bad):
			row.Answer, row.Why = "unusable", bad.Error()
		case err != nil:
			return session.Mistake(err)
		default:
			g.answer(&row, point)
		}
		s.Rows++
		*map[string]*int{"predict": &s.Predicted, "refuse": &s.Refused, "unusable": &s.Unusable}[row.Answer]++
		if err := w.row(&row); err != nil {
			return err
		}
	}
	return nil
}

// answer sets the row's answer for a point.
func (g *guarded) answer(row *Row, point []float64) {
	if i, refused := Refuses(g.guards, point); refused {
		row.Answer, row.Rule, row.Why = "refuse", g.rules.Rules[i].Name, g.rules.Rules[i].Why
		return
	}
	for i := range g.space.Features {
		f := &g.space.Features[i]
		if f.Contains(point[i]) {
			continue
		}
		row.Why = fmt.Sprintf("%s is %s, outside its domain %s to %s", f.Name, f.Label(point[i]), f.Label(f.Lo), f.Label(f.Hi))
		if f.HasTable() {
			row.Answer = "unusable"
			return
		}
	}
	if row.Answer = "predict"; g.bander != nil {
		score, place := g.bander.At(point)
		row.Score, row.Band = &score, g.bands[place].Name
		return
	}
	score, positive := g.decider.At(point)
	decision := 0
	if positive {
		decision = 1
	}
	row.Score, row.Decision = &score, &decision
}

// writer writes each answer at once, so that the reader of a pipe never waits for a known
// one: as CSV, or as one JSON object with one row per line.
type writer struct {
	to   io.Writer
	csv  *view.CSVWriter
	json bool
	rows int
}

func (w *writer) begin(r *Result) error {
	if !w.json {
		return w.cells("row", "line", "answer", "score", "decision", "rule", "why")
	}
	head, _, err := r.parts()
	if err == nil {
		_, err = w.to.Write(head)
	}
	return err
}

func (w *writer) row(r *Row) error {
	if !w.json {
		decision := r.Band
		if r.Decision != nil {
			decision = strconv.Itoa(*r.Decision)
		}
		return w.cells(strconv.Itoa(r.Row), strconv.Itoa(r.Line), r.Answer, view.Exact(r.Score), decision, r.Rule, r.Why)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	separator := ",\n"
	if w.rows == 0 {
		separator = "\n"
	}
	w.rows++
	_, err = fmt.Fprintf(w.to, "%s%s", separator, text)
	return err
}

func (w *writer) cells(cells ...string) error {
	w.csv.Write(cells) // the writer keeps an error
	w.csv.Flush()
	return w.csv.Error()
}

func (w *writer) end(r *Result) error {
	if !w.json {
		return nil
	}
	_, tail, err := r.parts()
	if err == nil {
		_, err = fmt.Fprintf(w.to, "\n%s\n", tail)
	}
	return err
}

// parts returns the object's text before and after its rows.
func (r *Result) parts() (head, tail []byte, err error) {
	text, err := json.Marshal(r)
	rows := []byte(`,"rows":[`)
	head, tail, _ = bytes.Cut(text, rows)
	return slices.Concat(head, rows), tail, err
}

// ExportRequest asks for the guardrails of a file as a function.
type ExportRequest struct {
	Rules string `json:"rules"`
	// Language is one of Languages.
	Language string `json:"language"`
	// Out is the file to write; empty: the result has the function.
	Out string `json:"-"`
}

// ExportResult is the answer to an ExportRequest and the JSON object of hyfair guard
// export.
type ExportResult struct {
	// The language: go or python.
	Language string `json:"language"`
	// The number of rules written.
	Rules int `json:"rules"`
	// The file written, with --out.
	Out string `json:"out,omitempty"`
	// The function, without --out.
	Source string `json:"source,omitempty"`
}

// AnswerExport writes the function.
func AnswerExport(_ context.Context, _ *session.Session, r ExportRequest) (*ExportResult, error) {
	if !slices.Contains(Languages(), r.Language) {
		return nil, session.Mistake(fmt.Errorf("--language %q: want %s", r.Language, strings.Join(Languages(), " or ")))
	}
	rules, err := Read(r.Rules, nil)
	if err != nil {
		return nil, session.Mistake(err)
	}
	var source strings.Builder
	if err := Export(&source, rules, r.Language); err != nil {
		return nil, err
	}
	out := &ExportResult{Language: r.Language, Rules: len(rules.Rules), Out: r.Out}
	if r.Out == "" {
		out.Source = source.String()
	} else if err := files.Write(r.Out, func(file *os.File) error { _, err := file.WriteString(source.String()); return err }); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return out, nil
}

// Document shows the function.
func (r *ExportResult) Document() *view.Document {
	if r.Source == "" {
		return view.Of()
	}
	return view.Of(view.Paragraph{strings.TrimSuffix(r.Source, "\n")})
}
