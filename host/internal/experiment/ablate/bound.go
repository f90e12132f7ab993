package ablate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Bound is what a solver proved of a network's k beside what the searches found.
// It is the same for all of them.
type Bound struct {
	Study string `json:"study"`
	Model string `json:"model"`
	// Found is the largest k of any run; 0 for nobody.
	Found int `json:"found"`
	search.Bound
}

// boundKey is where a network's bound is recorded, beside the results of tasks.
func boundKey(s *Subject) string { return s.Name() + " | bound" }

// Prove asks for the bound of each network that the record has none of, one after
// the other. A network's error does not keep the others from theirs: it is not
// recorded, so that another Prove asks again, and returned in the end. ctx ends
// the questions early, which is no error. progress, where not nil, is told what is
// asked next.
func Prove(ctx context.Context, p *Plan, s *session.Session, record experiment.Record, progress func(string)) error {
	return prove(ctx, p, record, func(ctx context.Context, of *Subject) (*search.Bound, error) { return p.boundOf(ctx, s, of) }, progress)
}

func prove(ctx context.Context, p *Plan, record experiment.Record, ask func(context.Context, *Subject) (*search.Bound, error), progress func(string)) error {
	if p.Bound == 0 {
		return nil
	}
	var failed error
	for i := range p.Subjects {
		s := &p.Subjects[i]
		if _, _, done := record.Done(boundKey(s)); done {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if progress != nil {
			progress(fmt.Sprintf("bound %d of %d · %s", i+1, len(p.Subjects), s.Name()))
		}
		begin := time.Now()
		b, err := ask(ctx, s)
		switch {
		case ctx.Err() != nil: // cut short: not what the time would have given
		case err != nil:
			failed = errors.Join(failed, fmt.Errorf("bound of %s: %w", s.Name(), err))
		default:
			if err := record.Complete(boundKey(s), b, time.Since(begin).Seconds()); err != nil {
				return errors.Join(failed, err)
			}
		}
	}
	return failed
}

// TakeBounds adds the bounds that the record has, each held against what the
// searches found. An error tells of one that somebody refutes, who then counts.
func (a *Ablation) TakeBounds(p *Plan, record experiment.Record) error {
	var refuted error
	for i := range p.Subjects {
		s := &p.Subjects[i]
		text, _, ok := record.Done(boundKey(s))
		if !ok {
			continue
		}
		b := Bound{Study: s.Study, Model: s.Model}
		if err := json.Unmarshal(text, &b.Bound); err != nil {
			return fmt.Errorf("bound of %s: %w", s.Name(), err)
		}
		for _, runs := range a.networks[i].arms {
			for k := range runs {
				b.Found = max(b.Found, runs[k].maxK())
			}
		}
		if err := b.Hold(b.Found); err != nil {
			b.Error = err.Error()
			refuted = errors.Join(refuted, fmt.Errorf("bound of %s: %w", s.Name(), err))
		}
		a.Bounds = append(a.Bounds, b)
	}
	return refuted
}

// bound is that of a cell's network; nil for none.
func (a *Ablation) bound(c *Cell) *Bound {
	for i := range a.Bounds {
		if b := &a.Bounds[i]; b.Study == c.Study && b.Model == c.Model {
			return b
		}
	}
	return nil
}

// proved is a cell's network's bound in the table: "= 20" where some search reached
// it.
func (a *Ablation) proved(c *Cell) view.Cell {
	switch b := a.bound(c); {
	case b == nil:
		return view.Cell{Text: "–"}
	case b.Error != "":
		return view.Cell{Text: "refuted", Alarm: true}
	case b.Certified:
		return view.Cell{Text: "= " + strconv.Itoa(b.MaxK)}
	default:
		return view.Cell{Text: "≤ " + strconv.Itoa(b.MaxK)}
	}
}

// boundNotes say what the bounds are.
func (a *Ablation) boundNotes() []string {
	if len(a.Bounds) == 0 {
		return nil
	}
	most, grades := 0.0, []string{}
	for i := range a.Bounds {
		b := &a.Bounds[i]
		if most = max(most, b.Seconds); !slices.Contains(grades, b.Grade) {
			grades = append(grades, b.Grade)
		}
	}
	return []string{fmt.Sprintf("proved: k that nobody of the network's space exceeds, = where a search reached it; by %s (%s) in at most %s each, apart from the searches",
		a.Bounds[0].Solver, strings.Join(grades, ", "), view.Seconds(most))}
}
