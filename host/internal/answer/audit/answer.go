package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Request asks for an audit. It is plain data.
type Request struct {
	question.Spec
	// File holds the people's rows; empty: the study's data set. Encoded: the file holds
	// feature values, not raw data.
	File    string `json:"file,omitempty"`
	Encoded bool   `json:"encoded,omitempty"`
	// Top is the number of people in the result, the worst-treated first; -1: all.
	Top  int   `json:"top"`
	Seed int64 `json:"seed"`
	// Thresholds lists thresholds to count decisions at, in the syntax of ParseThresholds; empty: none.
	Thresholds string `json:"thresholds,omitempty"`
	// Groups asks for rates by group. Groups smaller than MinShare of all people, a share such as 2%, are not
	// judged.
	Groups   bool   `json:"groups,omitempty"`
	MinShare string `json:"min_share,omitempty"`
	// Baseline is the old model to compare with, a study or a model's file; empty: none.
	Baseline string `json:"baseline,omitempty"`
	// Favourable is the decision that is good for people: positive or negative; with bands, for rates,
	// the worst of the bands that are good. Empty: the study's, or the best band.
	Favourable string `json:"favourable,omitempty"`
	// Out is the CSV file to write all people to; empty: none. It does not change the result.
	Out string `json:"-"`
	// Gates are the bounds that the result must keep.
	Gates []gate.Gate `json:"-"`
}

// Validate checks what can be checked without reading anything.
func (r *Request) Validate() error {
	switch {
	case r.Top < -1:
		return fmt.Errorf("--top %d: want 0 or more, or -1 for all", r.Top)
	case r.Encoded && r.File == "":
		return errors.New("--encoded describes ROWS.csv, which is not given: name the file, or leave --encoded out")
	}
	return r.needsBaseline()
}

// Answer runs the audit. An interrupted audit returns the people audited so far. If only the CSV file fails,
// the result is valid and comes with the error.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	q, data, err := r.open(s)
	if err != nil {
		return nil, session.Mistake(err)
	}
	c, err := r.config(q)
	if err != nil {
		return nil, session.Mistake(err)
	}
	var old *Config
	var baseline *question.Question
	if r.Baseline != "" {
		if baseline, old, err = r.baseline(q); err != nil {
			return nil, session.Mistake(fmt.Errorf("--baseline: %w", err))
		}
	}
	rated := r.Groups || slices.ContainsFunc(r.Gates, func(g gate.Gate) bool { return g.Name == MinImpactRatio })
	minShare, err := ParseMinShare(r.MinShare)
	if err == nil && rated && q.Study.Number {
		err = fmt.Errorf("--groups, --min-impact-ratio: %s predicts a number; rates of groups need a model that decides", q.Study.ModelPath)
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	if r.Thresholds != "" {
		if q.Study.Number {
			return nil, session.Mistake(fmt.Errorf("--thresholds: %s predicts a number; thresholds need a model that decides", q.Study.ModelPath))
		}
		if q.Study.Rule.Groups != nil {
			return nil, session.Mistake(fmt.Errorf("--thresholds: %s has thresholds by group, but a curve needs one threshold for all: ask with --threshold T, one at a time", q.Study.Path))
		}
		if c.Thresholds, err = ParseThresholds(r.Thresholds); err != nil {
			return nil, session.Mistake(fmt.Errorf("--thresholds: %w", err))
		}
	}
	c.Weights = data.Weights
	c.Progress = func(done, total int) {
		s.Show(fmt.Sprintf("%s of %s people", view.Count(done), view.Count(total)))
	}
	s.Work()
	var file *files.File
	if r.Out != "" {
		if file, err = files.Create(r.Out); err != nil {
			return nil, session.Mistake(fmt.Errorf("--out: %w", err))
		}
	}
	outcome, err := Run(ctx, c, data.Points)
	if outcome == nil {
		if file != nil {
			file.Discard()
		}
		return nil, session.Mistake(err)
	}
	out := newResult(q, data, &c, outcome)
	out.Interrupted, out.Seed = err != nil, r.Seed
	if rated && errors.Is(context.Cause(ctx), scorer.ErrBudget) {
		rated = false
		s.Note("no rates of groups: the rows of --calls are spent")
	}
	by := RateBy{Space: c.Space, Region: c.Region, Rows: data.Points, MinShare: minShare}
	if rated && outcome.ranks() > 0 {
		outcome.rateClasses(out.Classes, &c, by)
	}
	if rated && c.Classes == nil {
		out.Rates = r.rates(outcome, &c, by, data)
	}
	if old != nil {
		before, err := Run(ctx, *old, data.Points)
		if before == nil {
			if file != nil {
				file.Discard()
			}
			return nil, session.Mistake(fmt.Errorf("--baseline: %w", err))
		}
		out.Change = Compare(before, outcome, c.Space, c.Region, data)
		out.Change.Old = NameOf(baseline)
		out.Interrupted = out.Interrupted || err != nil
	}
	out.hold(r.Gates)
	shown := outcome.People
	if r.Top >= 0 {
		shown = shown[:min(r.Top, len(shown))]
	}
	out.Rows = func(yield func(Row) bool) {
		for i := range shown {
			if !yield(row(c.Space, data, &shown[i], outcome.ranks() > 0)) {
				return
			}
		}
	}
	if file != nil {
		if err := file.Finish(outcome.WriteCSV(file, q.Space, data.Points, data.Where)); err != nil {
			return out.after(s), fmt.Errorf("--out: %w", err)
		}
		out.Out = r.Out
	}
	return out.after(s), nil
}

// rates returns the rates of groups for the favourable decision.
func (r *Request) rates(o *Outcome, c *Config, by RateBy, data *people.Data) *Rates {
	decider := individual.New(c.Model, c.Space, c.Rule)
	by.Decider, by.Labels, by.Seed = decider, data.Labels, r.Seed
	if c.Bands == nil {
		out := o.Rates(by)
		out.Unlabelled = data.Unlabelled
		return out
	}
	by.Decider = inBands{decider.Bander(c.Bands, c.Rule.Low), 0, c.Best, !c.Rule.Low}
	why := data.Unlabelled
	if by.Labels != nil && r.Favourable == "" {
		by.Labels, why = nil, "a label is yes or no, but no band is a yes: --favourable BAND takes that band and better ones as the yes"
	}
	out := o.Rates(by)
	out.Favourable, out.Unlabelled = "band "+c.Bands[c.Bands.Place(c.Best, c.Rule.Low)].Name, why
	if c.Best > 0 {
		out.Favourable += " or better"
	}
	return out
}

// MinImpactRatio is the name of the gate that bounds the impact ratio from below.
const MinImpactRatio = "min-impact-ratio"

// DefaultMinShare is the least share of all people that a judged group has, as in the rules of NYC Local Law 144.
const DefaultMinShare = "2%"

// ParseMinShare reads the value of --min-share; empty: DefaultMinShare.
func ParseMinShare(text string) (*big.Rat, error) {
	out, err := gate.ParseShare(cmp.Or(text, DefaultMinShare))
	if err != nil {
		err = fmt.Errorf("--min-share %s: %w", text, err)
	}
	return out, err
}

// ConfigOf returns the audit's configuration for a question. The caller sets Thresholds, Weights and
// Progress.
func ConfigOf(q *question.Question) (c Config, err error) {
	c = Config{Model: q.Study.Model, Space: q.Space, Region: q.Region, Where: q.Where, Rule: q.Study.Rule}
	err = c.measure(q)
	return c, err
}

// measure sets the notion, its limit and the width of bins. Bins hold scores: their width is ε. If ε is a
// difference of logits, the width is the study's ε of scores, or the default.
func (c *Config) measure(q *question.Question) (err error) {
	if c.Bands = q.Study.Bands; c.Bands != nil && (q.Spec.Notion == "" || q.Spec.Notion == fairness.Decision.String()) {
		if c.Epsilon = study.DefaultEpsilon(); q.Spec.Epsilon != "" { // without effect: k counts bands
			err = errors.New("--epsilon: with bands there is no ε; --notion score asks about gaps of scores")
		}
		return err
	}
	if q.Study.ModelFile.OneOfMany {
		return fmt.Errorf("%s decides between several classes and has no single score, which comparing two models needs; hyfair audit without --baseline says whose class changes", q.Study.ModelPath)
	}
	if c.Number = q.Study.Number; q.Spec.Notion != "" || c.Number {
		if c.Notion, err = q.Notion(); err != nil {
			return err
		}
		if c.Limit, err = q.EpsilonFor(c.Notion); err != nil {
			return err
		}
	}
	if c.Notion != fairness.Logit {
		c.Epsilon, err = q.EpsilonFor(fairness.Score)
		return err
	}
	if c.Epsilon, err = q.Study.EpsilonFor(fairness.Score, ""); err != nil {
		c.Epsilon = study.DefaultEpsilon()
	}
	return nil
}

// open reads the study and the rows.
func (r *Request) open(s *session.Session) (q *question.Question, data *people.Data, err error) {
	if err := r.Validate(); err != nil {
		return nil, nil, err
	}
	if q, err = question.OpenAnyClass(r.Spec); err != nil {
		return nil, nil, err
	}
	if err := r.favour(q); err != nil {
		return nil, nil, err
	}
	question.CountsBins(q.Study.Clustering, s.Note)
	if !q.Study.Number && !q.Study.ModelFile.OneOfMany {
		question.TakesSigmoids(q.Study.Model, s.Note)
	}
	question.NeedsMajority(q.Study, s.Note)
	if r.File != "" {
		data, err = q.Study.Rows(r.File, r.Encoded)
	} else {
		data, err = q.Study.Data()
	}
	if errors.Is(err, study.ErrNoData) && r.File != "" {
		err = fmt.Errorf("%w; rows of feature values can be audited with --encoded", err)
	} else if errors.Is(err, study.ErrNoData) {
		err = fmt.Errorf("%w; name a file of rows", err)
	}
	return q, data, err
}

// favour sets which decision is favourable, where the request says so.
func (r *Request) favour(q *question.Question) error {
	switch {
	case r.Favourable == "" || q.Study.Bands != nil:
		return nil
	case r.Favourable != "positive" && r.Favourable != "negative":
		return fmt.Errorf("--favourable %s: want positive or negative", r.Favourable)
	case q.Study.Number:
		return fmt.Errorf("--favourable: %s predicts a number and decides nothing: leave --favourable out", q.Study.ModelPath)
	}
	st := *q.Study
	st.Rule.Low = r.Favourable == "negative"
	q.Study = &st
	return nil
}

func (r *Result) after(s *session.Session) *Result {
	r.Seconds = time.Since(s.Begun).Seconds()
	return r
}

func newResult(q *question.Question, data *people.Data, c *Config, outcome *Outcome) *Result {
	sum := outcome.Summarise(c.Space, c.Region, data.Points)
	sum.Rows, sum.Dropped = data.Read, data.Dropped
	out := &Result{
		Study: q.Study.Name, Model: filepath.Base(q.Study.ModelPath), Epsilon: fairness.FormatRat(c.Epsilon),
		Protected: question.Protected(c.Space), Where: q.Spec.Where, Rules: []string{}, Summary: *sum, Grounds: question.GroundsOf(q.Study), Positive: q.Study.Positive(), Number: c.Number,
	}
	out.Weights = weightsOf(q.Study.Weight(), data, outcome)
	if c.Notion != 0 {
		out.Notion = c.Notion.String()
	}
	if c.counted() != nil {
		out.Epsilon = ""
	}
	if c.Notion == fairness.Logit {
		out.Limit = fairness.FormatRat(c.Limit)
	}
	if len(c.Thresholds) > 0 {
		out.Curve = outcome.Curve
	}
	if out.Classes = outcome.classes(c.Space); c.Classes != nil {
		out.Epsilon, out.Positive, out.Decision = "", "", nil
	}
	out.Summary.Text = out.sentences()
	for _, rule := range q.Study.Rules {
		if rule.On {
			out.Rules = append(out.Rules, rule.Name)
		}
	}
	return out
}

// row converts a person to a row of the result. classes says that there are classes or bands; only then are Class and
// Enters set.
func row(s *space.Space, data *people.Data, p *Person, classes bool) Row {
	point := data.Points[p.Index]
	path, line := data.Where(p.Index)
	row := Row{
		Index: p.Index, File: filepath.Base(path), Line: line, K: p.K, N: p.N, Gap: p.Gap, Unfair: p.Unfair,
		Shannon: p.Shannon, MinEntropy: p.MinEntropy, Score: p.Score, Positive: p.Positive, Flips: p.Flips,
		X: individual.Values(s, point, false), Z: individual.Values(s, point, true), Labels: map[string]string{},
		High: counterfactual(s, &p.High), Low: counterfactual(s, &p.Low),
	}
	if classes {
		row.Class, row.Enters = &p.Class, p.Enters
	}
	if data.Weights != nil {
		row.Weight = &data.Weights[p.Index]
	}
	for i := range s.Features {
		row.Labels[s.Features[i].Name] = s.Features[i].Label(point[i])
	}
	for n, i := range s.Protected() {
		f, e := &s.Features[i], &p.Effects[n]
		row.Attributes = append(row.Attributes, RowEffect{
			Name: f.Name, K: e.K, N: e.N, Gap: e.Gap, Unfair: e.Unfair, Flips: e.Flips,
			Best: f.Label(e.Best), BestScore: e.BestScore, Worst: f.Label(e.Worst), WorstScore: e.WorstScore, Advantage: e.Advantage,
		})
	}
	return row
}

func counterfactual(s *space.Space, c *Copy) RowCopy {
	out := RowCopy{Z: map[string]float64{}, Labels: map[string]string{}, Score: c.Score}
	for n, i := range s.Protected() {
		f := &s.Features[i]
		out.Z[f.Name], out.Labels[f.Name] = c.Z[n], f.Label(c.Z[n])
	}
	return out
}
