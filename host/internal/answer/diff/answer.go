// Package diff states the changes from an old model to a new one: for the people of a data set,
// for a sample of all individuals, and, for two models of one family, as proved shares of all
// individuals.
package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/joint"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Request asks for the changes from the model of Spec to New. It is plain data.
type Request struct {
	// Spec is for the old model. Its notion, decision by default, defines both a change between
	// the models and unfairness between copies of a person.
	question.Spec
	// New is a study with the same features, or a model for the old study.
	New string `json:"new"`
	// File is a file of people to use instead of the old study's data set; Encoded: it holds
	// feature values already.
	File    string `json:"file,omitempty"`
	Encoded bool   `json:"encoded,omitempty"`
	// Population is the population of the shares, as population.Parse reads it; empty: that of the old study, or else each
	// combination of values once.
	Population string `json:"population,omitempty"`
	// Samples is the number of individuals to draw; 0: none.
	Samples int   `json:"samples"`
	Seed    int64 `json:"seed"`
	// Solver proves shares; empty: the default solver that quantifies. Set holds its options.
	// Unproved: no solver is asked.
	Solver   string            `json:"solver,omitempty"`
	Set      map[string]string `json:"set,omitempty"`
	Unproved bool              `json:"unproved,omitempty"`
	// Timeout limits sample and proof; 0: no limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Gates are bounds that the result must keep.
	Gates []gate.Gate `json:"-"`
}

// Validate checks all fields that need no file.
func (r *Request) Validate() error {
	switch {
	case r.Timeout < 0:
		return fmt.Errorf("--timeout %v is negative: want a time, or 0 for no limit", r.Timeout)
	case r.Samples < 0:
		return fmt.Errorf("--samples %d: want 0 or more", r.Samples)
	case r.Encoded && r.File == "":
		return errors.New("--encoded applies to ROWS.csv: give that file")
	}
	if _, err := population.Parse(r.Population); err != nil {
		return fmt.Errorf("--population: %w", err)
	}
	return r.Spec.Validate()
}

// Answer compares the two models. After an interrupt, the result holds what was known by then.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	if err := r.Validate(); err != nil {
		return nil, session.Mistake(err)
	}
	a, err := r.open()
	if err != nil {
		return nil, session.Mistake(err)
	}
	s.Work()
	out := a.result(&r)
	if err := a.prover(ctx, s, &r, out); err != nil { // before the audit: the name may be wrong
		return nil, err
	}
	if a.solver != nil {
		defer a.solver.Close()
	}
	if err := a.people(ctx, s, out); err != nil {
		return nil, session.Mistake(err)
	}
	audited := !out.Interrupted
	shares, failed := a.individuals(ctx, s, &r, out)
	if shares == nil {
		return nil, failed
	}
	out.Shares = *shares
	out.Interrupted = out.Interrupted || session.Interrupted(ctx)
	for _, g := range r.Gates {
		if out.Change == nil {
			out.Hold(g.Is("", gate.Undecided, out.NoRows))
			continue
		}
		out.Hold(out.Change.Hold(g, audited))
	}
	out.Seconds = time.Since(s.Begun).Seconds()
	return out, failed
}

// asker is a request with its studies and rows read and its plugins open.
type asker struct {
	old, new *question.Question
	query    *problem.Query
	notion   fairness.Notion // of the request; the query's may differ
	apart    string          // why no solver can be asked; empty if one can
	data     *people.Data    // nil if there is none; noRows says why
	noRows   string
	solver   *discover.Plugin // nil if nothing is proved; Result.Unproved says why
}

func (r *Request) open() (a *asker, err error) {
	a = &asker{}
	if a.old, err = question.Open(r.Spec); err != nil {
		return nil, fmt.Errorf("old model: %w", err)
	}
	if a.new, err = audit.Other(a.old, r.New); err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	n, err := r.notion(a.old)
	if err != nil {
		return nil, err
	}
	epsilon := study.DefaultEpsilon() // of no consequence for bands
	if a.old.Study.Bands == nil || n != fairness.Decision {
		epsilon, err = a.old.EpsilonFor(n)
	} else if r.Epsilon != "" {
		err = errors.New("--epsilon: with bands there is no ε; --notion score asks about gaps of scores")
	}
	if err != nil {
		return nil, err
	}
	if a.query, a.apart, err = joint.Of(a.old, a.new, n, epsilon); err != nil {
		return nil, err
	}
	a.notion = n
	a.old.Spec.Notion, a.new.Spec.Notion = n.String(), n.String()
	switch {
	case r.File != "":
		a.data, err = a.old.Study.Rows(r.File, r.Encoded)
	default:
		a.data, err = a.old.Study.Data()
	}
	switch {
	case errors.Is(err, study.ErrNoData) && r.File == "":
		a.noRows, err = "the old model's study declares no data set", nil
	case errors.Is(err, study.ErrNoData):
		err = fmt.Errorf("%w; give rows of feature values with --encoded", err)
	}
	return a, err
}

// notion returns the requested notion; by default decisions, or predicted numbers if the model
// predicts numbers.
func (r *Request) notion(old *question.Question) (fairness.Notion, error) {
	if r.Notion != "" || old.Study.Number {
		return old.Notion()
	}
	return fairness.Decision, old.Study.Takes(fairness.Decision)
}

// prover starts the solver, if one can be asked.
func (a *asker) prover(ctx context.Context, s *session.Session, r *Request, out *Result) (err error) {
	switch {
	case r.Unproved:
		out.Unproved = "no proof was requested"
	case a.apart != "":
		out.Unproved = a.apart
	default:
		if a.solver, err = quantify.Open(ctx, s, r.Solver, r.Set); err == nil {
			out.Solver = a.solver.String()
		}
	}
	return err
}

// people audits the rows with both models.
func (a *asker) people(ctx context.Context, s *session.Session, out *Result) error {
	if a.data == nil {
		out.NoRows = a.noRows
		return nil
	}
	var outcomes []*audit.Outcome
	for i, q := range []*question.Question{a.old, a.new} {
		c, err := audit.ConfigOf(q)
		if err != nil {
			return err
		}
		c.Weights = a.data.Weights
		which := []string{"old", "new"}[i]
		c.Progress = func(done, total int) {
			s.Show(fmt.Sprintf("%s model: %s of %s people", which, view.Count(done), view.Count(total)))
		}
		o, err := audit.Run(ctx, c, a.data.Points)
		if o == nil {
			return err
		}
		out.Interrupted = out.Interrupted || err != nil
		outcomes = append(outcomes, o)
	}
	out.Change = audit.Compare(outcomes[0], outcomes[1], a.new.Space, a.new.Region, a.data)
	out.Change.Old = out.Old
	out.Left = a.data.Read - out.Change.People
	return nil
}

// individuals estimates the share of all individuals that the models treat differently, by a sample
// and, if possible, by proof.
func (a *asker) individuals(ctx context.Context, s *session.Session, r *Request, out *Result) (*quantify.Shares, error) {
	ctx, cancel := s.Until(ctx, r.Timeout)
	defer cancel()
	o := quantify.Options{Threads: s.Threads, Memory: s.Memory, Seed: r.Seed, Samples: r.Samples, Set: r.Set}
	if a.data != nil {
		o.Rows = slices.Clone(a.data.Points)
		for i, x := range o.Rows {
			o.Rows[i] = append(slices.Clone(x), joint.Old)
		}
	}
	name := cmp.Or(r.Population, a.old.Study.Population)
	source, _ := population.Parse(name)
	if of := a.new.Study.Population; r.Population == "" && of != "" {
		if other, _ := population.Parse(of); !source.Same(other) {
			s.Note("shares are of the population of %s, %s, and not of that of %s, %s; --population names another", a.old.Study.Path, cmp.Or(name, population.Uniform), a.new.Study.Path, of)
		}
	}
	if source != (population.Source{}) {
		people, err := source.Of(ctx, a.query.Space, o.Rows, a.noRows, r.Seed)
		switch {
		case err == nil:
			if o.Population = people; people.Held > 0 {
				out.PopulationFit = &people.Fit
			}
		case ctx.Err() != nil: // the change for the rows is still reported
			out.Unproved = err.Error()
		default:
			return nil, quantify.NoPeople(a.old.Study, name, err)
		}
	}
	if p := a.solver; p != nil {
		o.Solver, o.Description, o.Set = p.Solver(), p.Description(), p.Options
	}
	o.Progress = func(p quantify.Progress) {
		p.Limit = session.Left(ctx, p.Elapsed)
		s.Show(progress(p))
	}
	rep, err := quantify.Run(ctx, a.query, o)
	if rep == nil {
		return nil, err
	}
	if errors.Is(err, sdk.ErrUnsupported) { // rows and sample are still reported
		out.Unproved, err = err.Error(), nil
	}
	if err = quantify.Settle(s, rep, err); err == nil && len(rep.Faults) > 0 {
		err = session.Refuted(rep.Faults)
	}
	shares := rep.Shares()
	return &shares, err
}
