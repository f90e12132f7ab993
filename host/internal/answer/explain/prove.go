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

// Proved is what a solver proved of everybody in a part of the region: inside a
// predicate a floor, nobody has less; outside all of them a ceiling, nobody has
// more.
type Proved struct {
	// K and Gap are nil where there was no time to ask, and the floor of Gap where
	// somebody has k = 1: all scores are in one bin, and the floor is at most ε. A gap
	// takes two counterfactuals: those who have but one count for K alone.
	K   *Limit `json:"k"`
	Gap *Limit `json:"gap"`
	// Nobody lives there.
	Nobody bool `json:"nobody,omitempty"`
}

// Limit is a bound on a value, and how near to it somebody comes.
type Limit struct {
	Proved float64 `json:"proved"`
	// Found is the value of the one found to be nearest; nil for nobody.
	Found *float64 `json:"found"`
	// Certified: the two are the same.
	Certified bool   `json:"certified"`
	Grade     string `json:"grade"`
	// Reason says why they are not.
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
}

// Proving asks a solver for floors and ceilings.
type Proving struct {
	// Query is about everybody who was explained: network, space, region and ε, for
	// scores. Its goal is ignored.
	Query problem.Query
	// Time for all questions together, shared evenly among those that are left.
	Time time.Duration
	// Known individuals are evaluated beside those that the solver finds.
	Known [][]float64
	// Ask is certify.Enclose with a solver, for so long. An error may come with
	// what is known in spite of it, and ends the questions.
	Ask func(ctx context.Context, q problem.Query, goal problem.Goal, limit time.Duration, known [][]float64) (*engine.Extreme, error)
	// Progress, where not nil, is told what is asked next.
	Progress func(string)
}

// asked is one of a Proving.
type asked struct {
	name string
	q    problem.Query
	goal problem.Goal
	to   *Proved
	at   **Limit
}

// Run gives every predicate its Floor and returns the ceiling outside all of them;
// nil where there is no predicate. k is asked first, everywhere, and then gaps. The
// end of ctx leaves the rest unasked and is no error; an error of the solver comes
// with what was proved before.
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

// oneBin reports that somebody with k = 1 was found.
func (p *Proved) oneBin() bool { return p.K != nil && p.K.Found != nil && *p.K.Found == 1 }

// questions lists what is asked, in order.
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

// take takes an answer over. Where nobody lives there is nobody with a gap; where
// nobody has a gap there may be people all the same.
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
