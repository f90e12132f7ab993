package search

import (
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Page shows the result with its figure.
func (r *Result) Page() *view.Document {
	d := r.Document()
	if r.Best != nil {
		d.Add(r.Picture())
	}
	return d
}

// Picture draws all copies of the best individual on the axis of scores.
func (r *Result) Picture() *view.Figure {
	b := r.Best
	var rule *fairness.Rule
	if r.Notion != "" {
		rule = new(fairness.Rule)
		*rule = r.Rule()
	}
	var copies []individual.Scored
	for i := range b.Scores {
		copies = append(copies, individual.Scored{Labels: b.Scores[i].Labels, Score: b.Scores[i].Score})
	}
	if len(r.Decision.Banded()) > 0 {
		return individual.Banded(individual.Picture(copies, b.Protected(), "", nil), r.Decision.Borders())
	}
	return individual.Picture(copies, b.Protected(), r.Epsilon, rule)
}

// Protected returns the attributes in which the copies differ.
func (b *Best) Protected() (names []string) {
	for _, name := range b.Features {
		if _, varies := b.Labels[name]; !varies && len(b.Scores) > 0 {
			names = append(names, name)
		}
	}
	return names
}
