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
		d.Add(r.Best.Picture(r.Epsilon, r.Rule()))
	}
	return d
}

// Picture draws all copies of the individual on the axis of scores.
func (b *Best) Picture(epsilon string, rule fairness.Rule) *view.Figure {
	var copies []individual.Scored
	for i := range b.Scores {
		copies = append(copies, individual.Scored{Labels: b.Scores[i].Labels, Score: b.Scores[i].Score})
	}
	return individual.Picture(copies, b.Protected(), epsilon, rule)
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
