package search

import (
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Page shows the result with its figure.
func (r *Result) Page() *view.Document {
	d := r.Document()
	if r.Best != nil {
		d.Add(r.Best.Picture(r.Epsilon))
	}
	return d
}

// Picture draws all copies of the individual on the axis of scores.
func (b *Best) Picture(epsilon string) *view.Figure {
	var copies []individual.Scored
	for i := range b.Scores {
		copies = append(copies, individual.Scored{Labels: b.Scores[i].Labels, Score: b.Scores[i].Score})
	}
	return individual.Picture(copies, b.Protected(), epsilon)
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
