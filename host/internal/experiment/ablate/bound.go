package ablate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Bound is the bound that a solver proved for the k of a network, with the largest k that the
// searches found. All arms share it.
type Bound struct {
	// The study's name.
	Study string `json:"study"`
	// The model's name.
	Model string `json:"model"`
	// The largest k of any run; 0 if no run found an individual.
	Found int `json:"found"`
	search.Bound
}

// boundKey is the key of a network's bound in the record.
func boundKey(s *Subject) string { return s.Name() + " | bound" }

// prove computes the bounds that the record lacks, one network after the other.
// Failures are not recorded, so another run tries again.
func (p *Plan) prove(ctx context.Context, b *experiment.Bench, ask func(context.Context, *Subject) (*search.Bound, error)) error {
	if p.Bound == 0 {
		return nil
	}
	var tasks []experiment.Task
	for i := range p.Subjects {
		s := &p.Subjects[i]
		asked := s.Source
		asked.Scope, asked.Epsilon = p.Scope, s.Epsilon
		tasks = append(tasks, experiment.Task{Key: boundKey(s), Asked: []any{"bound", asked.Canonical(), p.Bound, p.Seed}, Plugins: []string{p.prover}, Try: func(ctx context.Context, _ []int, _ string, _ func(string)) (experiment.Outcome, error) {
			bound, err := ask(ctx, s)
			return experiment.Outcome{Result: bound}, err
		}})
	}
	return b.Run(ctx, tasks, experiment.Options{Jobs: 1, Here: true, Limit: p.Bound})
}

// TakeBounds adds the bounds that the record has. A bound that a search refuted is a
// disagreement.
func (a *Ablation) TakeBounds(p *Plan, from record.Store) error {
	for i := range p.Subjects {
		s := &p.Subjects[i]
		text, _, ok := from.Done(boundKey(s))
		if !ok {
			continue
		}
		b := Bound{Study: s.Study, Model: s.Model}
		if err := json.Unmarshal(text, &b.Bound); err != nil {
			return fmt.Errorf("bound of %s: %w", s.Name(), err)
		}
		for _, r := range slices.Concat(a.networks[i].arms...) {
			b.Found = max(b.Found, r.maxK())
		}
		if err := b.Hold(b.Found); err != nil {
			b.Error = err.Error()
		}
		if b.Error != "" {
			a.Disagreements = append(a.Disagreements, fmt.Sprintf("%s/%s, bound: %s", s.Study, s.Model, b.Error))
		}
		a.Bounds = append(a.Bounds, b)
	}
	return nil
}

// bound returns the proved bound of a cell's network; nil if there is none.
func (a *Ablation) bound(c *Cell) *Bound {
	for i := range a.Bounds {
		if b := &a.Bounds[i]; b.Study == c.Study && b.Model == c.Model {
			return b
		}
	}
	return nil
}

// proved shows the bound of a cell's network: "= 20" if a search reached it.
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

// boundNotes returns the table's note on bounds; nil without bounds.
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
	return []string{fmt.Sprintf("proved: k that no individual in the network's space exceeds, = if a search reached it; by %s (%s) in at most %s each, not counted in the searches' times",
		a.Bounds[0].Solver, strings.Join(grades, ", "), view.Seconds(most))}
}
