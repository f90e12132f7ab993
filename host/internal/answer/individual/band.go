package individual

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// Bander sorts points into the bands of a decision, by exact scores. Read-only and safe for concurrent use.
type Bander struct {
	*Decider
	bands fairness.Bands
	bins  fairness.Binning
	low   bool
	edges [][2]float64 // enclose the logits at which the bands above the lowest begin
}

// Bander returns a Bander for the decider's model. low: the lowest band is the favourable one.
func (d *Decider) Bander(bands fairness.Bands, low bool) *Bander {
	b := &Bander{Decider: d, bands: bands, bins: d.model.Link().Binning(nil, bands), low: low}
	for j := 1; j < len(bands); j++ {
		lo, hi := b.bins.Edge(j)
		b.edges = append(b.edges, [2]float64{lo, hi})
	}
	return b
}

// At returns the score of a point, as Decider.At does, and the place of its band, see fairness.Bands.Place.
func (b *Bander) At(point []float64) (score float64, place int) {
	logit, bound := b.logit(point)
	band, sure := 0, bound <= visible*max(1, math.Abs(logit))
	for _, e := range b.edges {
		sure = sure && outside(logit, bound, e[0], e[1])
		if logit > e[1] {
			band++
		}
	}
	if !sure {
		exact := b.exact.Logit(b.space.ExactInputs(point))
		logit, _ = exact.Float64()
		band = b.bins.Of(exact)
	}
	return b.model.Link().Score(logit), b.bands.Place(band, b.low)
}

// Of returns the place of a point's band, given its score from elsewhere, such as evaluate.Evaluator.
func (b *Bander) Of(point []float64, score float64) int {
	band := 0
	for j := 1; j < len(b.bands); j++ {
		rule := b.bands.Rule(j)
		if b.Coarse() || rule.Near(score) {
			_, place := b.At(point)
			return place
		}
		if rule.Says(score) {
			band = j
		}
	}
	return b.bands.Place(band, b.low)
}
