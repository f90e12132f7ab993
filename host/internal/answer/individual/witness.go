package individual

import (
	"math/big"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Witness is one individual and two of its counterfactuals, replayed through
// the original network in exact arithmetic. Copy1 has the higher logit.
type Witness struct {
	Copy1, Copy2 []float64
	// Exact1 and Exact2 are the logits of the query's model. Those below are of the model that scores are of.
	Exact1, Exact2 *big.Rat
	// Logit and Score are the exact values rounded to float64; Float32 is the
	// score difference a deployment in single precision would show.
	Logit1, Logit2 float64
	Score1, Score2 float64
	Float32        float64
	// Margin is a lower bound, good to float64 accuracy, on what the notion
	// measures between the two copies: a score difference, a logit difference,
	// or a decision margin.
	Margin float64
	// K is the number of outcome bins over all counterfactuals of the
	// individual.
	K int
}

// Event is the witness as a journal keeps it, in finite numbers.
func (w *Witness) Event() record.Event {
	return record.Event{Kind: record.KindWitness, Witness: &record.Witness{
		Copy1: w.Copy1, Copy2: w.Copy2, Logit1: view.Finite(w.Logit1), Logit2: view.Finite(w.Logit2),
		Score1: w.Score1, Score2: w.Score2, Margin: view.Finite(w.Margin), K: w.K}}
}
