package mitigate

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Searched is the result of a subject's searches.
type Searched struct {
	// Runs are the measures of each search, at least one.
	Runs []search.Measures
	// Found are the individuals stored one by one, in order of discovery.
	Found []record.Found
	// Refused counts the moves that guardrails refused.
	Refused int64
	// Evaluations counts the individuals evaluated in all searches of the subject.
	Evaluations int64
}

// MaxK returns the largest k of all runs; 0 without an individual.
func (s *Searched) MaxK() float64 {
	k := 0.0
	for i := range s.Runs {
		if m := s.Runs[i].MaxK; m != nil {
			k = max(k, *m)
		}
	}
	return k
}

// ID returns the number of individuals found by all runs together; one found by two runs
// counts twice.
func (s *Searched) ID() float64 {
	n := 0.0
	for i := range s.Runs {
		n += *s.Runs[i].ID
	}
	return n
}

// Config is the input of a comparison. Undecided, Unseen, Epsilon, Bands, Test with its labels,
// Rules, Explain, Prove, Trained and Progress are optional.
type Config struct {
	Arms []Arm
	// Model is a network, or another model, for which only guardrails are tried.
	Model  model.Model
	Space  *space.Space
	Region space.Region
	// Rule says which scores are a positive decision. Undecided: the outcomes are bands, none of which is a yes, and nothing
	// is measured by decisions; Rule then only labels copies in training.
	Rule      fairness.Rule
	Undecided bool
	// Unseen are attributes on which thresholds depend, but not Model: then only guardrails are tried.
	Unseen []string
	// Epsilon is the score difference above which a person is treated unfairly; with Bands, copies in different bands are.
	Epsilon *big.Rat
	Bands   fairness.Bands
	// Train and Test are rows with known outcome: points of Space, encoded, within every
	// table. Without Test, quality is measured on Train.
	Train, Test             [][]float64
	TrainLabels, TestLabels []int
	Retraining              Retraining
	// Rules are the guardrails of every guarded arm. If nil, Explain derives those of each
	// network from its own search. An empty, non-nil list guards nothing.
	Rules   []space.Predicate
	Explain func(ctx context.Context, m model.Model, found []record.Found) ([]space.Predicate, error)
	// MostRefused bounds the share of the training rows that guardrails from Explain may
	// refuse. Rules are taken in order; one that would exceed it is omitted. 1 takes all.
	MostRefused float64
	// Search searches a subject for the named arm. After ctx ends it returns the
	// individuals found so far, without an error.
	Search func(ctx context.Context, name string, s Subject) (*Searched, error)
	// Prove, if not nil, bounds the share of individuals that a subject treats unfairly; a
	// nil result without an error means no answer.
	Prove func(ctx context.Context, s Subject) (*Proved, error)
	// Trained, if not nil, receives each new network and may keep it.
	Trained func(way string, n *relu.Network) error
	// Progress, if not nil, receives status lines.
	Progress func(text string)
}

// Outcome is one finished arm.
type Outcome struct {
	Arm     Arm
	Subject Subject
	// Searched is the arm's own search.
	*Searched
	Quality Quality
	// Proved is nil without Config.Prove.
	Proved *Proved
	// LeftOut counts the rules omitted because of MostRefused.
	LeftOut int
	// Trained describes the network's training; nil for Original. Rounds counts the rounds
	// of Iterated.
	Trained *train.Report
	Rounds  int
	// Banded: people with copies in different bands are treated unfairly, not those with a gap above ε.
	Banded bool
	// Skipped says why nothing was searched; all else is empty then.
	Skipped string
}

// Run processes the arms in order. When ctx ends, or an arm fails, it returns the arms
// finished so far and the error. An arm that lacks a precondition, such as individuals to
// retrain on, is skipped.
func Run(ctx context.Context, c Config) ([]Outcome, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	r := &run{
		Config: c, searched: map[string]*Searched{}, made: map[string]*made{Original: {model: c.Model}},
		material: material{Retraining: c.Retraining, rule: c.Rule, space: c.Space, region: c.Region, rows: c.Train, labels: c.TrainLabels},
	}
	if r.Progress == nil {
		r.Progress = func(string) {}
	}
	var out []Outcome
	for _, arm := range c.Arms {
		o, err := r.arm(ctx, arm)
		var skip *skipped
		switch {
		case errors.As(err, &skip):
			out = append(out, Outcome{Arm: arm, Skipped: skip.Error()})
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil:
			return out, fmt.Errorf("arm %s: %w", arm, err)
		default:
			out = append(out, *o)
		}
	}
	return out, nil
}

func (c *Config) check() error {
	if !(c.MostRefused > 0 && c.MostRefused <= 1) {
		return fmt.Errorf("guardrails that refuse at most a share of %v; want more than 0, at most 1", c.MostRefused)
	}
	return errors.Join(c.Retraining.Validate(), checkData(c.Train, c.TrainLabels))
}

type run struct {
	Config
	material material
	searched map[string]*Searched // by arm's name
	made     map[string]*made     // by way
}

// made is a way's model and, for a network, its training.
type made struct {
	model   model.Model
	network *relu.Network
	trained *train.Report
	rounds  int
	err     error
}

// skipped is the reason why an arm cannot be tried.
type skipped struct{ error }

func (s *skipped) Unwrap() error { return s.error }

func (r *run) arm(ctx context.Context, arm Arm) (*Outcome, error) {
	m, err := r.network(ctx, arm.Way)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Arm: arm, Subject: Subject{Model: m.model}, Trained: m.trained, Rounds: m.rounds, Banded: r.Bands != nil}
	if arm.Guarded {
		if o.Subject.Guards, o.LeftOut, err = r.guards(ctx, arm.Way, m.model); err != nil {
			return nil, err
		}
	}
	if o.Searched, err = r.search(ctx, arm, o.Subject); err != nil {
		return nil, err
	}
	rows, labels := r.Test, r.TestLabels
	if len(rows) == 0 {
		rows, labels = r.Train, r.TrainLabels
	}
	if o.Quality = Judge(r.Space, r.Rule, o.Subject, rows, labels); r.Undecided {
		q := &o.Quality
		*q = Quality{Rows: q.Rows, Answered: q.Answered, Refused: q.Refused, Groups: []Groups{}}
	}
	if r.Epsilon != nil {
		if o.Quality.Unfair, err = r.unfair(o.Subject, rows); err != nil {
			return nil, err
		}
	}
	if r.Prove != nil {
		r.Progress("proving " + arm.String())
		if o.Proved, err = r.Prove(ctx, o.Subject); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// unfair returns the share of rows with a score gap above ε, or copies in different bands, among those in the region that
// the subject answers. It evaluates every row, independent of any search.
func (r *run) unfair(s Subject, rows [][]float64) (*float64, error) {
	e, err := evaluate.NewBanded(s.Model, r.Space, r.Region, r.Epsilon, r.Bands)
	if err != nil {
		return nil, err
	}
	unfair, all := 0, 0
	for _, row := range rows {
		if _, refused := guard.Refuses(s.Guards, row); refused || !r.Space.RegionContains(r.Region, row) {
			continue
		}
		if o := e.Evaluate(row); o.N > 0 {
			all++
			if o.Violates {
				unfair++
			}
		}
	}
	return share(unfair, all), nil
}

// search searches an arm, only once.
func (r *run) search(ctx context.Context, arm Arm, s Subject) (*Searched, error) {
	name := arm.String()
	if done := r.searched[name]; done != nil {
		return done, nil
	}
	done, err := r.searchOnce(ctx, name, s)
	if err == nil {
		r.searched[name] = done
	}
	return done, err
}

// searchOnce searches a subject. An interrupted search returns ctx's error.
func (r *run) searchOnce(ctx context.Context, name string, s Subject) (*Searched, error) {
	r.Progress("searching " + name)
	done, err := r.Search(ctx, name, s)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return done, nil
}

// network makes the way's network, only once.
func (r *run) network(ctx context.Context, way string) (*made, error) {
	m := r.made[way]
	if m == nil {
		m = &made{}
		m.err = r.make(ctx, way, m)
		r.made[way] = m
	}
	return m, m.err
}

func (r *run) make(ctx context.Context, way string, m *made) error {
	n, ok := r.Model.(*relu.Network)
	if !ok {
		return &skipped{fmt.Errorf("models of the family %s can be guarded, but not trained", r.Model.Family())}
	}
	if len(r.Unseen) > 0 {
		return &skipped{fmt.Errorf("thresholds depend on %s, which the network does not see: it can be guarded, but not trained; --threshold T sets one threshold for all", strings.Join(r.Unseen, ", "))}
	}
	original, err := r.search(ctx, Arm{Way: Original}, Subject{Model: n})
	if err != nil {
		return err
	}
	r.material.found = slices.Clone(original.Found)
	switch way {
	case Retrained:
		err = r.train(ctx, m, way, n, r.material.retrained)
	case Consistent:
		err = r.train(ctx, m, way, n, r.material.consistent)
	case Iterated:
		err = r.iterate(ctx, m, n, original)
	case Blind:
		err = r.train(ctx, m, way, n, r.material.blind)
	}
	if errors.Is(err, errNothingFound) || errors.Is(err, errNoBetter) {
		return &skipped{err}
	}
	m.model = m.network
	if err == nil && r.Trained != nil {
		err = r.Trained(way, m.network)
	}
	return err
}

type trainer func(context.Context, *relu.Network, func(train.Epoch)) (*relu.Network, train.Report, error)

func (r *run) train(ctx context.Context, m *made, what string, from *relu.Network, how trainer) error {
	n, report, err := how(ctx, from, func(e train.Epoch) {
		r.Progress(fmt.Sprintf("training %s, epoch %d of %d, loss %.4f", what, e.Number, r.Retraining.Epochs, e.TrainLoss))
	})
	if err != nil {
		return err
	}
	m.network, m.trained = n, &report
	return nil
}
