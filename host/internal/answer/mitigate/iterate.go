package mitigate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// heavier is the factor between the penalties of consecutive rounds.
const heavier = 10

// errNoBetter: no round improved the network.
var errNoBetter = errors.New("no round gave a better network")

// iterate alternates training as in Consistent and searching. Each round uses all individuals found
// so far and multiplies the penalty by heavier. It ends after the last round, when a search finds
// nothing, when a round loses too much accuracy on the held-back rows, or when its network is no
// better than the best so far. Better means a smaller Max.K or, with equal Max.K, fewer individuals.
func (r *run) iterate(ctx context.Context, m *made, original *relu.Network, before *Searched) error {
	best, from := before, original
	accuracy := r.heldAccuracy(original)
	lost := 0.0
	turn := r.material
	for round := 1; round <= r.Retraining.Rounds; round++ {
		name := fmt.Sprintf("%s, round %d", Iterated, round)
		var next made
		if err := r.train(ctx, &next, name, from, turn.consistent); err != nil {
			return err
		}
		m.rounds = round
		if lost = accuracy - next.trained.HeldAccuracy; lost > r.Retraining.MaxLoss {
			break
		}
		s, err := r.searchOnce(ctx, name, Subject{Model: next.network})
		if err != nil {
			return err
		}
		if !fewer(s, best) {
			break
		}
		m.network, m.trained = next.network, next.trained
		best, from = s, next.network
		if s.ID() == 0 {
			return nil
		}
		turn.found = append(turn.found[:len(turn.found):len(turn.found)], s.Found...)
		turn.Weight *= heavier
	}
	switch {
	case m.network != nil:
		return nil
	case lost > r.Retraining.MaxLoss:
		return fmt.Errorf("%w: the first round cost %.2f points of accuracy on the rows held back, more than the %.2f of --max-loss", errNoBetter, 100*lost, 100*r.Retraining.MaxLoss)
	}
	return fmt.Errorf("%w: the search of the first round's network found neither a smaller largest k, nor fewer individuals with the same k", errNoBetter)
}

// heldAccuracy is the original network's accuracy on the rows that choose epochs.
func (r *run) heldAccuracy(original *relu.Network) float64 {
	var x, points [][]float64
	var y []int
	for _, i := range r.material.held() {
		points = append(points, r.Train[i])
		x, y = append(x, r.Space.NetworkInputs(nil, r.Train[i])), append(y, r.TrainLabels[i])
	}
	_, accuracy := train.Measure(original, individual.Borders(r.Rule, original.Link(), r.Space, points), x, y)
	return accuracy
}

// fewer reports whether a has a smaller Max.K than b, or the same and fewer individuals.
func fewer(a, b *Searched) bool {
	return a.MaxK() < b.MaxK() || a.MaxK() == b.MaxK() && a.ID() < b.ID()
}
