package explain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Proved is a solver's bound over the individuals of a part of the region: a floor inside a
// predicate, or a ceiling outside all predicates.
type Proved struct {
	// The bound of k; null if there was no time to ask.
	K *Limit `json:"k"`
	// The bound of the gap; null if there was no time to ask, and for a floor if an individual
	// has k = 1, because its scores lie in one bin. Individuals with one counterfactual count
	// only for k.
	Gap *Limit `json:"gap"`
	// It is proved that the part contains no individual.
	Nobody bool `json:"nobody,omitempty"`
}

// Limit is a proved bound and the nearest value found.
type Limit struct {
	// The proved bound: a floor, or the ceiling outside all predicates.
	Proved float64 `json:"proved"`
	// The value of the individual nearest to the bound; null without one.
	Found *float64 `json:"found"`
	// The proved and the found value are equal.
	Certified bool `json:"certified"`
	// The grade of the proof.
	Grade string `json:"grade"`
	// The reason why the two values differ.
	Reason string `json:"reason,omitempty"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
}

// Proving asks a solver for floors and ceilings.
type Proving struct {
	// Query covers all explained individuals: network, space, region and ε, for scores. Its
	// goal is ignored.
	Query problem.Query
	// Time for all questions together; each gets an equal share of the time left.
	Time time.Duration
	// Known individuals are evaluated in addition to the solver's.
	Known [][]float64
	// Ask is engine.Enclose with a solver, within limit. An error may come with a partial
	// answer, and ends the questions.
	Ask func(ctx context.Context, q problem.Query, goal problem.Goal, limit time.Duration, known [][]float64) (*engine.Extreme, error)
	// Progress, if not nil, receives the next question.
	Progress func(string)
}

// asked is one question of a Proving.
type asked struct {
	name string
	q    problem.Query
	goal problem.Goal
	to   *Proved
	at   **Limit
}

// Run sets every predicate's Floor and returns the ceiling outside all predicates; nil if there
// are none. Questions about k precede those about gaps. When ctx ends, the remaining questions
// are not asked; that is not an error. A solver's error comes with what was proved before.
func (p *Proving) Run(ctx context.Context, predicates []Predicate) (ceiling *Proved, err error) {
	if len(predicates) == 0 {
		return nil, nil
	}
	questions, ceiling, err := p.questions(predicates)
	if err != nil {
		return nil, err
	}
	end := time.Now().Add(p.Time)
	known := append([][]float64(nil), p.Known...)
	for i := range questions {
		a := &questions[i]
		if ctx.Err() != nil {
			return ceiling, nil
		}
		if a.to.Nobody || a.goal == problem.Minimise && a.to.oneBin() {
			continue
		}
		if p.Progress != nil {
			p.Progress("proving " + a.name)
		}
		begin := time.Now()
		share := max(end.Sub(begin)/time.Duration(len(questions)-i), time.Millisecond)
		e, err := p.Ask(ctx, a.q, a.goal, share, known)
		if e != nil {
			a.take(e, time.Since(begin))
			if e.X != nil {
				known = append(known, e.X)
			}
		}
		if err != nil {
			return ceiling, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return ceiling, nil
}

// oneBin reports whether an individual with k = 1 was found.
func (p *Proved) oneBin() bool { return p.K != nil && p.K.Found != nil && *p.K.Found == 1 }

// questions lists the questions in order.
func (p *Proving) questions(predicates []Predicate) (list []asked, ceiling *Proved, err error) {
	ceiling = &Proved{}
	outside := p.Query
	outside.Forbid = append([]space.Predicate(nil), p.Query.Forbid...)
	var gaps []asked
	for i := range predicates {
		floor, name := &Proved{}, fmt.Sprintf("predicate %d of %d", i+1, len(predicates))
		predicates[i].Floor = floor
		outside.Forbid = append(outside.Forbid, predicates[i].Holds)
		inside := p.Query
		var rest space.Predicate
		inside.Region, rest, err = inside.Space.Cut(inside.RegionOrWhole(), predicates[i].Holds)
		if errors.Is(err, space.ErrEmpty) {
			floor.Nobody = true
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(rest) > 0 {
			inside.Require = append(append([]space.Predicate(nil), p.Query.Require...), rest)
		}
		list = append(list, asked{"the least k of " + name, inside, problem.MinK, floor, &floor.K})
		gaps = append(gaps, asked{"the least gap of " + name, inside, problem.Minimise, floor, &floor.Gap})
	}
	list = append(list, asked{"the largest k outside", outside, problem.MaxK, ceiling, &ceiling.K})
	gaps = append(gaps, asked{"the largest gap outside", outside, problem.Maximise, ceiling, &ceiling.Gap})
	return append(list, gaps...), ceiling, nil
}

// take stores an answer. An empty region has no gap; the converse does not hold.
func (a *asked) take(e *engine.Extreme, spent time.Duration) {
	if e.Nobody {
		a.to.Nobody = a.to.Nobody || a.at == &a.to.K
		return
	}
	limit := &Limit{Proved: e.Bound, Certified: e.Settled(), Grade: e.Grade.String(), Reason: e.Reason, Seconds: spent.Seconds()}
	if e.X != nil {
		limit.Found = &e.Found
	}
	*a.at = limit
}
