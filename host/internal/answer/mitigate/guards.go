package mitigate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// ErrNoRules is for Config.Explain to wrap if no rule explains the individuals found.
var ErrNoRules = errors.New("no guardrails")

// guards returns the given rules. Without them it returns rules that explain what a search of the
// unguarded network found, within MostRefused; leftOut counts the omitted ones.
func (r *run) guards(ctx context.Context, way string, m model.Model) (kept []space.Predicate, leftOut int, err error) {
	if r.Rules != nil {
		return r.Rules, 0, nil
	}
	if r.Explain == nil {
		return nil, 0, &skipped{errors.New("there are no guardrails, and nothing to derive them from")}
	}
	s, err := r.search(ctx, Arm{Way: way}, Subject{Model: m})
	if err != nil {
		return nil, 0, err
	}
	r.Progress("explaining " + way)
	rules, err := r.Explain(ctx, m, s.Found)
	switch {
	case errors.Is(err, ErrNoRules):
		return nil, 0, &skipped{err}
	case err != nil:
		return nil, 0, err
	case len(rules) == 0:
		return nil, 0, &skipped{fmt.Errorf("%w: nothing explains what was found", ErrNoRules)}
	}
	kept = within(rules, r.Train, r.MostRefused)
	if len(kept) == 0 {
		return nil, 0, &skipped{fmt.Errorf("%w: each of the %d rules derived refuses more than %.4g %% of the training rows", ErrNoRules, len(rules), 100*r.MostRefused)}
	}
	return kept, len(rules) - len(kept), nil
}

// within takes rules in order. It omits each rule with which those taken would refuse more than
// the given share of the rows.
func within(rules []space.Predicate, rows [][]float64, most float64) []space.Predicate {
	var kept []space.Predicate
	for _, rule := range rules {
		tried := append(kept[:len(kept):len(kept)], rule)
		refused := 0
		for _, row := range rows {
			if _, ok := guard.Refuses(tried, row); ok {
				refused++
			}
		}
		if float64(refused) <= most*float64(len(rows)) {
			kept = tried
		}
	}
	return kept
}
