package individual

import (
	"math/big"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Witness is one individual and two of its counterfactuals, replayed through the original model
// in exact arithmetic. Copy1 has the higher logit. Logits and scores are the exact values,
// rounded to float64; Margin is a lower bound on the notion's margin, accurate to float64.
type Witness struct {
	record.Witness
	// Exact1 and Exact2 are the logits of the query's model. All other fields are about the
	// model whose scores are shown.
	Exact1, Exact2 *big.Rat
	// Float32 is the score difference that a deployment in single precision would show; NaN if
	// unknown.
	Float32 float64
}

// Event returns the witness as a journal keeps it, in finite numbers.
func (w *Witness) Event() record.Event {
	out := w.Witness
	out.Logit1, out.Logit2, out.Margin = view.Finite(out.Logit1), view.Finite(out.Logit2), view.Finite(out.Margin)
	return record.Event{Kind: record.KindWitness, Witness: &out}
}
