package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Request asks for an explanation. It is plain data.
type Request struct {
	question.Spec
	// The source of the worst-treated individuals, the first that is set: From, a run in
	// the journal; Rows, a file of rows, whose values are the features' if Encoded; single
	// rows of that file or of the study's data, counted from 0; else a fast search with
	// Strategy, its options Set, and Budget.
	From     string            `json:"from,omitempty"`
	Rows     string            `json:"rows,omitempty"`
	Encoded  bool              `json:"encoded,omitempty"`
	Row      []int             `json:"row,omitempty"`
	Strategy string            `json:"strategy,omitempty"`
	Set      map[string]string `json:"set,omitempty"`
	Budget   string            `json:"budget,omitempty"`
	// Population is the population of coverages, in the syntax of population.Parse; empty: the study's, or else none.
	Population string `json:"population,omitempty"`
	// Individuals is the number of individuals that neighbours are drawn around.
	Individuals int `json:"individuals"`
	Method
	Seed int64 `json:"seed"`
	// LIME also explains the worst-treated individual by LIME, each copy with LIMESamples
	// samples.
	LIME        bool `json:"lime,omitempty"`
	LIMESamples int  `json:"lime_samples,omitempty"`
	// Bound limits the solver's time for floors and ceilings; 0: no solver is asked.
	Bound time.Duration `json:"bound,omitempty"`
	// TreeOut is a file for the tree, .svg or .json; RulesOut one for the kept predicates
	// as guardrails; empty: not written. They change no result.
	TreeOut  string `json:"-"`
	RulesOut string `json:"-"`
}

// Local returns one of the local files that the request reads or writes in addition to the
// study's; empty: there is none.
func (r *Request) Local() string { return cmp.Or(r.Rows, r.From, r.TreeOut, r.RulesOut) }

// MaxSamples bounds the samples of one step.
const MaxSamples = 1 << 20

// Validate checks whatever needs no file.
func (r *Request) Validate() error {
	switch {
	case r.Individuals < 1:
		return fmt.Errorf("--individuals %d: want at least 1", r.Individuals)
	case r.LIMESamples < 10 || r.LIMESamples > MaxSamples:
		return fmt.Errorf("--lime-samples %d: want 10 to %d", r.LIMESamples, MaxSamples)
	case r.Samples > MaxSamples || r.Test > MaxSamples:
		return fmt.Errorf("--samples %d, --test %d: want at most %d of each", r.Samples, r.Test, MaxSamples)
	case r.Bound < 0:
		return fmt.Errorf("--bound %v is negative: want a time, or 0 for no bounds", r.Bound)
	case r.Notion != "" && r.Notion != fairness.Score.String() && r.Notion != fairness.Decision.String():
		return fmt.Errorf("--notion %q: want %s or %s, the notions whose outcomes can be counted", r.Notion, fairness.Score, fairness.Decision)
	case r.Notion == fairness.Decision.String() && r.Epsilon != "":
		return errors.New("--epsilon and --notion decision exclude each other: decisions have no ε")
	}
	if _, err := search.ParseBudget(r.Budget); err != nil && r.From == "" && r.Rows == "" {
		return fmt.Errorf("--budget: %w", err)
	}
	if err := r.Method.Validate(); err != nil {
		return err
	}
	if _, err := population.Parse(r.Population); err != nil {
		return fmt.Errorf("--population: %w", err)
	}
	if ext := filepath.Ext(r.TreeOut); r.TreeOut != "" && ext != ".svg" && ext != ".json" {
		return fmt.Errorf("--tree %s: want a file name that ends in .svg or .json", r.TreeOut)
	}
	return nil
}

// job is a request with its question loaded.
type job struct {
	session   *session.Session
	request   Request
	question  *question.Question
	query     *problem.Query
	evaluator *evaluate.Evaluator
	// decisions: outcomes are decisions, not bins of scores.
	decisions bool
}

// Answer finds the worst-treated individuals and explains them. An error may come with a
// result, if the solver for the bounds was lost or is missing, or a file cannot be written.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	begin := time.Now()
	if err := r.Validate(); err != nil {
		return nil, session.Mistake(err)
	}
	decisions := r.Notion == fairness.Decision.String()
	asked := r.Notion
	r.Notion = ""
	q, err := question.Open(r.Spec)
	if err != nil {
		return nil, session.Mistake(err)
	}
	r.Where = q.Spec.Where
	switch {
	case q.Study.Bands != nil && asked == fairness.Score.String():
		r.Notion, q.Spec.Notion = asked, asked
	case q.Study.Bands != nil && r.Epsilon != "":
		return nil, session.Mistake(errors.New("--epsilon: with bands there is no ε; --notion score explains gaps of scores"))
	case q.Study.Bands != nil:
		decisions = false
	case decisions:
		r.Epsilon, q.Spec.Epsilon = "1/2", "1/2" // two bins: no and yes
	}
	if decisions {
		if err := q.Study.Takes(fairness.Decision); err != nil {
			return nil, session.Mistake(err)
		}
	}
	question.CountsBins(q.Study.Clustering, s.Note)
	question.TakesSigmoids(q.Study.Model, s.Note)
	j := &job{session: s, request: r, question: q, decisions: decisions}
	if j.query, err = q.Scores(); err != nil {
		return nil, session.Mistake(err)
	}
	if decisions {
		if j.query.Model, err = q.Study.Decided(); err != nil {
			return nil, session.Mistake(err)
		}
		j.query.Notion = j.query.Model.Link().Notion(fairness.Score)
	}
	if j.evaluator, err = evaluate.NewBanded(j.query.Model, j.query.Space, j.query.Region, j.query.Epsilon, j.query.Bands); err != nil {
		return nil, session.Mistake(err)
	}
	out, err := j.answer(ctx)
	if out != nil {
		out.Seconds = time.Since(begin).Seconds()
		err = errors.Join(err, session.Mistake(j.writeFiles(out)))
	}
	return out, err
}

// writeFiles writes the tree and the guardrails.
func (j *job) writeFiles(r *Result) error {
	if j.request.TreeOut != "" && r.Tree == nil {
		j.session.Note("--tree: no tree was grown, so none is written")
	} else if j.request.TreeOut != "" {
		if err := r.Tree.write(j.request.TreeOut, r.Study+" ("+r.Model+"): where k is high"); err != nil {
			return fmt.Errorf("--tree: %w", err)
		}
	}
	if j.request.RulesOut == "" {
		return nil
	}
	var predicates []space.Predicate
	for i := range r.Predicates {
		predicates = append(predicates, r.Predicates[i].Holds)
	}
	rules, err := guard.New(j.query.Space, r.Study, predicates)
	if err == nil {
		err = files.Write(j.request.RulesOut, func(file *os.File) error { return guard.Write(file, rules) })
	}
	if err != nil {
		return fmt.Errorf("--rules-out: %w", err)
	}
	return nil
}

func (j *job) answer(ctx context.Context) (*Result, error) {
	worst, source, err := j.people(ctx)
	if err != nil {
		return nil, err
	}
	out := j.result(worst, source)
	around := worst.Pick(j.query.Space, j.request.Individuals)
	if len(around) == 0 {
		switch {
		case j.query.Bands != nil:
			out.Nothing = "no individual was found whose copies are in different bands"
		case j.decisions:
			out.Nothing = "no individual was found whose copies get different decisions"
		default:
			out.Nothing = fmt.Sprintf("no individual was found whose copies fall into different bins of width %s; --notion decision explains decisions that differ within a bin", out.Epsilon)
		}
		return out, nil
	}
	for _, x := range around {
		out.Individuals = append(out.Individuals, j.individual(x))
	}
	rows, err := j.rows()
	if err != nil {
		return nil, err
	}
	people, err := quantify.People(ctx, j.question.Study, j.request.Population, j.query.Space, j.request.Seed)
	if err != nil {
		return nil, err
	}
	if people != nil {
		out.Population = people.String()
	}
	j.session.Work()
	bins := j.query.Binning()
	explanation, err := Explain(ctx, Config{
		Space: j.query.Space, Region: j.query.Region, Evaluator: j.evaluator, Bins: bins.Count(),
		Around: around, People: people, Rows: rows, Method: j.request.Method, Seed: j.request.Seed, Progress: j.progress, Note: j.session.Note,
	})
	if err == nil {
		err = out.take(explanation, j.query.Space)
	}
	if err == nil && j.request.LIME {
		err = j.baseline(ctx, out, around[0], rows)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, session.Mistake(err)
	}
	return out, j.prove(ctx, out, around)
}

func (j *job) progress(text string) { j.session.Show(j.question.Study.Name + ": " + text) }

// rows returns the study's rows. It returns nil if the study declares no data, or if the data is
// not found, which the session notes.
func (j *job) rows() ([][]float64, error) {
	if !j.question.Study.HasData() {
		return nil, nil
	}
	data, err := j.question.Study.Data()
	switch {
	case errors.Is(err, study.ErrNoDataRoot) || errors.Is(err, os.ErrNotExist):
		j.session.Note("the support of predicates in the data is not computed: %v", err)
		return nil, nil
	case err != nil:
		return nil, session.Mistake(err)
	}
	return data.Points, nil
}
