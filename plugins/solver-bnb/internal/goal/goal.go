// Package goal defines what a query asks of the search: how a node is bounded, when it is pruned, and what it
// contributes.
package goal

import (
	"fmt"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Verdict is what is proved of a node.
type Verdict uint8

// Each verdict is about all individuals of a node; Open says that nothing is proved.
const (
	Open    Verdict = iota
	Fair            // all individuals are treated fairly
	Unfair          // no individual is treated fairly
	Outside         // the query asks about none of the individuals
	Pruned          // no value is above the cutoff
)

// Bounds are the bounds of a node that a goal gets.
type Bounds struct {
	// Whole encloses the logits. Spread encloses what is left of them after a number that
	// all copies share is subtracted.
	Whole, Spread notion.Spread
	// Fewest and Most enclose the number of bins, if the goal is about bins.
	Fewest, Most int
	// Tightened is set if the bounds are those after tightening.
	Tightened bool
	// Cutoff is the value that individuals must exceed.
	Cutoff float64
}

// Goal is what a query asks for. If that is the least value, values are negated, so that larger ones are better. Goals are
// read-only.
type Goal interface {
	// Traits returns the same value in every call.
	Traits() Traits
	// Bound returns the dual bound of a node's values; +Inf if individuals have no value.
	Bound(b *Bounds) float64
	// Prune returns what bounds alone prove of a node's individuals, as far as the query asks about them. It is called
	// before tightening and after it.
	Prune(b *Bounds, bound float64) Verdict
	// Contribution returns what a node of a mass adds to the tally once it is proved.
	Contribution(v Verdict, m grid.Mass) grid.Tally
	// Requirements returns alternatives, one of which the logits of every individual above the cutoff meet; none if
	// nothing is known.
	Requirements(cutoff float64) []notion.Requirement
}

// Traits tell the search how to treat nodes and individuals.
type Traits struct {
	problem.Goal
	// Values is set if individuals have a value and the goal is the largest one, or the smallest
	// one if Least is set.
	Values, Least bool
	// Binned is set if values and violations are about bins. Reach is the number of bins that a violation needs, 0 if the
	// notion defines violations.
	Binned bool
	Reach  int
	// Counts is set if the individuals of open nodes are counted.
	Counts bool
}

// Decides reports whether the first witness ends the search.
func (t *Traits) Decides() bool { return t.Goal == problem.Decide }

// Accepts reports whether a verdict ends a node. certain means that the query asks about all of its individuals, and that
// all have a counterfactual.
func (t *Traits) Accepts(v Verdict, certain bool) bool {
	switch v {
	case Fair:
		return certain || t.Decides()
	case Unfair:
		return certain && !t.Decides()
	}
	return v == Pruned
}

// Of returns the goal of a query. It sets the problem's Bins.
func Of(p *relax.Problem) (Goal, error) {
	q := p.Query
	t := Traits{Goal: q.Goal}
	decides := q.Goal == problem.Decide || q.Goal == problem.Quantify
	if q.Reach() > 0 && decides {
		t.Binned, t.Reach = true, q.Reach()
	}
	switch q.Goal {
	case problem.Decide:
	case problem.Quantify:
		t.Counts = !t.Binned && p.Network != nil // boxes of trees become constant
	case problem.Maximise:
		t.Values = true
	case problem.Minimise:
		if !q.Notion.UsesEpsilon() {
			return nil, fmt.Errorf("%w: the least margin of the notion %s", sdk.ErrUnsupported, q.Notion)
		}
		t.Values, t.Least = true, true
	case problem.MaxK, problem.MinK:
		t.Values, t.Binned, t.Least = true, true, q.Goal == problem.MinK
	default:
		return nil, fmt.Errorf("%w: goal %s", sdk.ErrUnsupported, q.Goal)
	}
	if t.Binned {
		if q.Epsilon == nil || q.Epsilon.Sign() <= 0 {
			return nil, fmt.Errorf("%w: bins need an ε above 0", sdk.ErrUnsupported)
		}
		var err error
		if p.Bins, err = notion.NewBins(q.Model.Link(), q.Epsilon, q.Bands); err != nil {
			return nil, fmt.Errorf("%w: %w", sdk.ErrUnsupported, err)
		}
	}
	base := base{p, t}
	switch {
	case t.Reach > 0:
		return reach{decided{base}}, nil
	case decides:
		return decide{decided{base}}, nil
	case t.Binned:
		return bins{valued{base}}, nil
	}
	return gap{valued{base}}, nil
}

// Askable refuses queries that no goal answers.
func Askable(q *problem.Query) error {
	if err := scored(q); err != nil {
		return err
	}
	why := ""
	switch {
	case len(q.Relax) > 0:
		why = "features that may differ between the copies"
	case q.TellsCopiesApart():
		why = "a condition on the first copy's protected features"
	default:
		return nil
	}
	switch {
	case q.Goal != problem.Decide && q.Goal != problem.Maximise:
		return fmt.Errorf("%w: the goal %s with %s", sdk.ErrUnsupported, q.Goal, why)
	case q.Goal == problem.Decide && q.Reach() > 0:
		return fmt.Errorf("%w: %d bins of one individual with %s", sdk.ErrUnsupported, q.Reach(), why)
	}
	return nil
}

// scored refuses an ε of scores, unless bands replace it, if the error of bounds of scores may not be small
// compared with ε and 1 − ε.
func scored(q *problem.Query) error {
	const least = 0x1p-30
	if q.Notion.Unit() != fairness.Score.Unit() || q.Bands != nil {
		return nil
	}
	if eps, _ := q.Epsilon.Float64(); eps < least || eps > 1-least {
		return fmt.Errorf("%w: ε = %s; it must be from 2⁻³⁰ to 1 − 2⁻³⁰", sdk.ErrUnsupported, fairness.FormatRat(q.Epsilon))
	}
	return nil
}

// base is the common part of goals.
type base struct {
	p *relax.Problem
	t Traits
}

func (g base) Traits() Traits { return g.t }
