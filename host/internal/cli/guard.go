package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newGuard) }

type guardFlags struct {
	study   string
	encoded bool
}

func newGuard(app *App) *cobra.Command {
	var f guardFlags
	cmd := &cobra.Command{
		Use:   "guard MODEL RULES",
		Short: "Answer rows from standard input, and refuse where a guardrail forbids an answer",
		Long: `Read rows from standard input and answer each as it comes: with the model's score
and decision, or, where a rule of the file RULES holds, with a refusal that names
the rule. MODEL is a study, whose network answers, or a network with the study
that says how its rows are encoded (--study). docs/mitigate.md describes RULES.`,
		Example: `  hyfair guard studies/loan rules.json < applicants.csv
  hyfair guard out/retrained.json rules.json --study studies/loan < applicants.csv
  hyfair guard export rules.json --language python --out guard.py`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(fmt.Errorf("guard wants MODEL and RULES, got %d arguments; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runGuard(cmd.Context(), app, &f, args[0], args[1])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.study, "study", "", "where MODEL is a network: the study that says how its rows are encoded")
	fl.BoolVar(&f.encoded, "encoded", false, "rows have feature values already, below the features' names")
	cmd.AddCommand(newGuardExport(app))
	return cmd
}

// guardReport is the JSON object of hyfair guard. Its rows are written as they
// come: see guardJSON.
type guardReport struct {
	Study   string       `json:"study"`
	Model   string       `json:"model"`
	Rules   string       `json:"rules"`
	Rows    []guardRow   `json:"rows"`
	Summary guardSummary `json:"summary"`
}

type guardSummary struct {
	Seed        int64   `json:"seed"`
	Seconds     float64 `json:"seconds"`
	Rows        int     `json:"rows"`
	Predicted   int     `json:"predicted"`
	Refused     int     `json:"refused"`
	Unusable    int     `json:"unusable"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// guardRow is the answer to one row.
type guardRow struct {
	// Row counts from 1; Line is where the row begins.
	Row  int `json:"row"`
	Line int `json:"line"`
	// Answer is predict, refuse, or unusable for a row that cannot be read or
	// that the network cannot be fed.
	Answer   string   `json:"answer"`
	Score    *float64 `json:"score,omitempty"`
	Decision *int     `json:"decision,omitempty"`
	Rule     string   `json:"rule,omitempty"`
	// Why is the rule's reason, what makes a row unusable, or, of a prediction, the
	// feature that is outside its domain, where nothing is known of the model.
	Why string `json:"why,omitempty"`
}

// The answers.
const (
	answerPredict  = "predict"
	answerRefuse   = "refuse"
	answerUnusable = "unusable"
)

// guarded is a model with its guardrails.
type guarded struct {
	decider *individual.Decider
	space   *space.Space
	rules   *guard.Rules
	guards  []space.Predicate
}

// answer fills in what the model says of a point.
func (g *guarded) answer(row *guardRow, point []float64) {
	if i, refused := guard.Refuses(g.guards, point); refused {
		row.Answer, row.Rule, row.Why = answerRefuse, g.rules.Rules[i].Name, g.rules.Rules[i].Why
		return
	}
	for i := range g.space.Features {
		f := &g.space.Features[i]
		if f.Contains(point[i]) {
			continue
		}
		row.Why = fmt.Sprintf("%s is %s, outside its domain %s to %s", f.Name, f.Label(point[i]), f.Label(f.Lo), f.Label(f.Hi))
		if f.HasTable() {
			row.Answer = answerUnusable
			return
		}
	}
	score, positive := g.decider.At(point)
	decision := 0
	if positive {
		decision = 1
	}
	row.Answer, row.Score, row.Decision = answerPredict, &score, &decision
}

func runGuard(ctx context.Context, app *App, f *guardFlags, model, rules string) error {
	begin := time.Now()
	st, err := f.load(app, model)
	if err != nil {
		return usage(err)
	}
	g := &guarded{decider: individual.New(st.Network, st.Space), space: st.Space}
	if g.rules, err = guard.Read(rules, st.Space); err != nil {
		return usage(err)
	}
	if g.guards, err = g.rules.Predicates(st.Space); err != nil {
		return usage(err)
	}
	const name = "standard input"
	var rows *people.Stream
	if f.encoded {
		rows, err = st.EncodedStream(app.Stdin, name)
	} else {
		rows, err = st.Stream(app.Stdin, name)
	}
	if errors.Is(err, study.ErrNoData) {
		err = fmt.Errorf("%w; rows of feature values can be guarded with --encoded", err)
	}
	if err != nil {
		return usage(err)
	}
	var out guardWriter = &guardCSV{csv.NewWriter(app.Stdout)}
	if app.JSON {
		out = &guardJSON{out: app.Stdout}
	}
	report := &guardReport{Study: st.Name, Model: filepath.Base(st.ModelPath), Rules: rules}
	err = g.stream(ctx, rows, out, report)
	report.Summary.Interrupted = ctx.Err() != nil
	report.Summary.Seed, report.Summary.Seconds = app.Seed, time.Since(begin).Seconds()
	err = errors.Join(err, out.finish(report))
	s := &report.Summary
	if !app.JSON {
		fmt.Fprintf(app.Stderr, "%s rows: %s predicted, %s refused, %s unusable\n",
			view.Count(s.Rows), view.Count(s.Predicted), view.Count(s.Refused), view.Count(s.Unusable))
	}
	if err == nil && s.Interrupted {
		return &exitError{code: ExitInterrupted}
	}
	return err
}

// load reads the study and the network that answers.
func (f *guardFlags) load(app *App, model string) (*study.Study, error) {
	o := study.Options{DataRoot: app.Data}
	if f.study == "" {
		if !study.IsStudy(model) {
			return nil, fmt.Errorf("%s is taken for a network: give --study STUDY, which says how its rows are encoded", model)
		}
		return study.Load(model, o)
	}
	if study.IsStudy(model) {
		return nil, fmt.Errorf("%s is a study by itself; --study is for a network", model)
	}
	o.Model = model
	return study.Load(f.study, o)
}

// stream answers row after row. An error of the rows is the user's.
func (g *guarded) stream(ctx context.Context, rows *people.Stream, out guardWriter, report *guardReport) error {
	if err := out.begin(report); err != nil {
		return err
	}
	s := &report.Summary
	point := make([]float64, len(g.space.Features))
	for ctx.Err() == nil {
		line, err := rows.Next(point)
		var bad *people.RowError
		row := guardRow{Row: s.Rows + 1, Line: line}
		switch {
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return nil
		case errors.As(err, &bad):
			row.Answer, row.Why = answerUnusable, bad.Error()
		case err != nil:
			return usage(err)
		default:
			g.answer(&row, point)
		}
		s.count(row.Answer)
		if err := out.row(&row); err != nil {
			return err
		}
	}
	return nil
}

func (s *guardSummary) count(answer string) {
	s.Rows++
	switch answer {
	case answerPredict:
		s.Predicted++
	case answerRefuse:
		s.Refused++
	case answerUnusable:
		s.Unusable++
	}
}

// guardWriter writes answers as they come, so that the reader of a pipe never
// waits for one that is known.
type guardWriter interface {
	begin(*guardReport) error
	row(*guardRow) error
	finish(*guardReport) error
}

type guardCSV struct{ out *csv.Writer }

func (w *guardCSV) begin(*guardReport) error {
	return w.write("row", "line", "answer", "score", "decision", "rule", "why")
}

func (w *guardCSV) row(r *guardRow) error {
	score, decision := "", ""
	if r.Score != nil {
		score, decision = strconv.FormatFloat(*r.Score, 'g', -1, 64), strconv.Itoa(*r.Decision)
	}
	return w.write(strconv.Itoa(r.Row), strconv.Itoa(r.Line), r.Answer, score, decision, r.Rule, r.Why)
}

func (w *guardCSV) write(cells ...string) error {
	if err := w.out.Write(cells); err != nil {
		return err
	}
	w.out.Flush()
	return w.out.Error()
}

func (w *guardCSV) finish(*guardReport) error { return nil }

// guardJSON writes the one object with a row a line.
type guardJSON struct {
	out  io.Writer
	rows int
}

func (w *guardJSON) begin(r *guardReport) error {
	head, err := json.Marshal(struct {
		Study string `json:"study"`
		Model string `json:"model"`
		Rules string `json:"rules"`
	}{r.Study, r.Model, r.Rules})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%s,\"rows\":[", head[:len(head)-1])
	return err
}

func (w *guardJSON) row(r *guardRow) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	separator := ",\n"
	if w.rows == 0 {
		separator = "\n"
	}
	w.rows++
	_, err = fmt.Fprintf(w.out, "%s%s", separator, text)
	return err
}

func (w *guardJSON) finish(r *guardReport) error {
	text, err := json.Marshal(r.Summary)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "\n],\"summary\":%s}\n", text)
	return err
}
