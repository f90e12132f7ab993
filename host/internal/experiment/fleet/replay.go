package fleet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// subject is the question of a task, opened on this machine.
type subject struct {
	files map[string]file
	asked *question.Question
	// judge checks pairs, evaluator individuals; the latter needs an ε for scores.
	judge     func() (*individual.Judge, error)
	evaluator func() (*evaluate.Evaluator, error)
}

// open reads a question and hashes its files. epsilon is Order.Measured.
func open(spec question.Spec, epsilon string) (*subject, error) {
	q, err := question.Open(spec)
	if err != nil {
		return nil, err
	}
	s := &subject{files: map[string]file{}, asked: q}
	for _, name := range q.Study.Files() {
		sum, size, err := files.SHA256(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, files.Reason(err))
		}
		if size > maxFile {
			return nil, fmt.Errorf("%s: %d bytes, but a fleet copies files of at most %d", name, size, maxFile)
		}
		s.files[name] = file{sum, size}
	}
	s.judge = sync.OnceValues(func() (*individual.Judge, error) {
		query, err := q.Query(problem.Decide)
		if err != nil {
			return nil, err
		}
		return individual.NewJudge(query), nil
	})
	s.evaluator = sync.OnceValues(func() (*evaluate.Evaluator, error) {
		if epsilon == "" { // a search
			query, err := q.Scores()
			if err != nil {
				return nil, err
			}
			return evaluate.NewBanded(query.Model, query.Space, query.Region, query.Epsilon, query.Bands)
		}
		eps, err := q.Study.EpsilonFor(fairness.Score, epsilon)
		if err != nil {
			return nil, err
		}
		return evaluate.NewBanded(q.Study.Model, q.Space, q.Region, eps, q.Study.Bands)
	})
	return s, nil
}

// replay checks the events of one task, in order.
type replay struct {
	*subject
	// seen holds the individuals found so far, and most is the largest k among them. last is the
	// individual of the last pair.
	seen map[string]bool
	most int
	last []float64
	// sum identifies the set of individuals and pairs, in any order.
	sum uint64
}

// add adds the hash of the numbers to sum.
func (r *replay) add(numbers ...[]float64) {
	h := fnv.New64a()
	for _, list := range numbers {
		binary.Write(h, binary.LittleEndian, list) // a hash returns no error
	}
	r.sum += h.Sum64()
}

// errNotSo is the error of a worker that reported what the replay refutes: an individual's values,
// a count, or the features.
var errNotSo = errors.New("what it reported does not hold here")

// check evaluates each individual that an event reports. It does not panic on any event.
func (r *replay) check(e *record.Event) error {
	switch e.Kind {
	case record.KindFound:
		return r.found(e.Found)
	case record.KindBest:
		if e.Best == nil {
			return fmt.Errorf("an event of kind %q has no content", e.Kind)
		}
		return nil // reported as found, too
	case record.KindTally:
		if e.Tally == nil {
			return fmt.Errorf("an event of kind %q has no content", e.Kind)
		}
		least := 2
		if r.asked.Study.Model.Link() == fairness.LinkShare { // the first bin is wider than ε
			least = 1
		}
		for k, n := range e.Tally.K {
			if n < 0 || k < least || k > r.most {
				return fmt.Errorf("%w: %d individuals with k = %d, want a count of at least 0 and k from %d to %d", errNotSo, n, k, least, r.most)
			}
		}
	case record.KindWitness:
		return r.witness(e.Witness)
	case record.KindFault:
		if e.Fault != nil && e.Fault.Refuted != nil && e.Fault.Refuted.Witness != nil {
			return r.copies(e.Fault.Refuted.Witness)
		}
	case record.KindStarted:
		if e.Started == nil {
			return fmt.Errorf("an event of kind %q has no content", e.Kind)
		}
		s := r.asked.Space
		if d := e.Started.Domains; !slices.Equal(e.Started.Features, s.Names()) || d != nil && !slices.Equal(d, record.Domains(s)) {
			return fmt.Errorf("%w: its features differ from the study's", errNotSo)
		}
	}
	return nil
}

// near compares numbers up to the rounding of machines with other vector instructions.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

func (r *replay) found(x *record.Found) error {
	e, err := r.evaluator()
	if err != nil {
		return err
	}
	s := r.asked.Space
	if !s.ContainsIndividual(x.X) || !s.RegionContains(r.asked.Region, x.X) || r.last != nil && !slices.Equal(r.last, s.Canonical(x.X)) {
		return fmt.Errorf("%w: %v is outside the question's space or region, or differs from the witness before it", errNotSo, x.X)
	}
	out := e.Evaluate(x.X)
	entropies := x.Shannon == 0 && x.MinEntropy == 0 || near(out.Shannon, x.Shannon) && near(out.MinEntropy, x.MinEntropy)
	if !out.Violates || out.K != x.K || !near(out.Gap, x.Gap) || !entropies {
		return fmt.Errorf("%w: %v has k = %d, gap %v and entropies %v and %v here, the worker reported a violation with k = %d, gap %v and entropies %v and %v",
			errNotSo, x.X, out.K, out.Gap, out.Shannon, out.MinEntropy, x.K, x.Gap, x.Shannon, x.MinEntropy)
	}
	if key := fmt.Sprint(s.Canonical(x.X)); r.seen[key] {
		return fmt.Errorf("%w: %v was reported twice", errNotSo, x.X)
	} else {
		r.seen[key] = true
	}
	r.most = max(r.most, x.K)
	r.add(x.X)
	return nil
}

// copies checks that a witness's copies belong to one individual of the question and have the
// reported logits.
func (r *replay) copies(w *record.Witness) error {
	judge, err := r.judge()
	if err != nil {
		return err
	}
	s := r.asked.Space
	if !s.Contains(w.Copy1) || !s.Contains(w.Copy2) || !judge.Admits(w.Copy1, w.Copy2) {
		return fmt.Errorf("%w: %v and %v are not two copies of an individual of the question", errNotSo, w.Copy1, w.Copy2)
	}
	for _, c := range []struct {
		point []float64
		logit float64
	}{{w.Copy1, w.Logit1}, {w.Copy2, w.Logit2}} {
		if logit, _ := judge.Shown(c.point).Float64(); !near(logit, c.logit) && !math.IsInf(logit, 0) {
			return fmt.Errorf("%w: the logit of %v is %v here, the worker reported %v", errNotSo, c.point, logit, c.logit)
		}
	}
	return nil
}

func (r *replay) witness(w *record.Witness) error {
	if err := r.copies(w); err != nil {
		return err
	}
	e, err := r.evaluator()
	if err != nil {
		return err
	}
	r.last = r.asked.Space.Canonical(w.Copy1)
	if out := e.Evaluate(r.last); out.K != w.K {
		return fmt.Errorf("%w: %v has k = %d here, the worker reported %d", errNotSo, w.Copy1, out.K, w.K)
	}
	r.add(w.Copy1, w.Copy2)
	return nil
}
