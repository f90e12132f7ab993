package certify

import (
	"context"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Replay evaluates individuals in exact arithmetic, for those who find them by
// other means than Run, against questions about two copies. Not safe for
// concurrent use.
type Replay struct {
	replay *replayer
	target *big.Rat
}

// NewReplay is a replay of the query's individuals at its ε (0 for the decision
// notions). The query must be valid.
func NewReplay(q *problem.Query) *Replay {
	return &Replay{replay: newReplayer(q), target: q.Notion.Threshold(q.Epsilon)}
}

// Individual is the witness that x and the worst pair of its copies are, as
// float64 sees them; nil where that pair violates nothing, or x is none of the
// query's individuals.
func (r *Replay) Individual(x []float64) *Witness {
	w, _ := r.replay.extreme(x, r.target)
	return w
}

// Settle evaluates all copies of x exactly: the witness that x is, or nil where
// it is fair or none of the query's individuals. known is false where ctx ended
// first.
func (r *Replay) Settle(ctx context.Context, x []float64) (w *Witness, known bool) {
	w, _ = r.replay.individual(ctx, x, r.target)
	return w, w != nil || ctx.Err() == nil
}

// Bins is k of x, exact; 0 for notions without bins, and where ε is too small to
// count them.
func (r *Replay) Bins(x []float64) int {
	k, err := r.replay.bins(x)
	if err != nil {
		return 0
	}
	return k
}

// Pair is the witness that two copies are; nil where they are none of the
// query's, or violate nothing.
func (r *Replay) Pair(copy1, copy2 []float64) *Witness {
	if len(copy1) != len(r.replay.q.Space.Features) || len(copy2) != len(copy1) {
		return nil
	}
	w, _ := r.replay.witness(copy1, copy2, r.target)
	return w
}

// Event is the witness as a journal keeps it, in finite numbers.
func (w *Witness) Event() record.Event {
	return record.Event{Kind: record.KindWitness, Witness: &record.Witness{
		Copy1: w.Copy1, Copy2: w.Copy2, Logit1: view.Finite(w.Logit1), Logit2: view.Finite(w.Logit2),
		Score1: w.Score1, Score2: w.Score2, Margin: view.Finite(w.Margin), K: w.K}}
}
