package frompb

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
)

// UnpackMoves converts packed proposals. The client checks whether they fit the
// space.
func UnpackMoves(p *strategyv1.PackedMoves) ([]sdk.Move, error) {
	n := len(p.GetIds())
	if n == 0 {
		return nil, nil
	}
	if len(p.Rounds) != n || len(p.Chains) != n || len(p.Kinds) != n || len(p.Points)%n != 0 {
		return nil, fmt.Errorf("%d moves with %d rounds, %d chains, %d kinds and %d values: want one of each per move, and equally many values", n, len(p.Rounds), len(p.Chains), len(p.Kinds), len(p.Points))
	}
	width := len(p.Points) / n
	if err := allFinite(p.Points); err != nil {
		return nil, err
	}
	out := make([]sdk.Move, n)
	for i := range out {
		if err := enum(p.Kinds[i]); err != nil {
			return nil, err
		}
		out[i] = sdk.Move{
			ID: p.Ids[i], Round: p.Rounds[i], Chain: int(p.Chains[i]), Kind: sdk.MoveKind(p.Kinds[i]),
			Point: p.Points[i*width : (i+1)*width : (i+1)*width],
		}
	}
	return out, nil
}

// UnpackTrials converts packed trials for a space of that many features. home returns the point
// of a move whose trial omits it; nil for an unknown move. Errors wrap sdk.ErrInvalidProblem.
func UnpackTrials(p *strategyv1.PackedTrials, features int, home func(id int64) []float64) ([]sdk.Trial, error) {
	if p == nil {
		return nil, nil
	}
	n := len(p.Ids)
	if len(p.Statuses) != n || len(p.Ks) != n || len(p.Gaps) != n || len(p.Violates) != n ||
		len(p.Shannons) != n || len(p.MinEntropies) != n || len(p.Points) != len(p.Elsewhere)*features {
		return nil, fmt.Errorf("%w: packed trials in lists of unequal length: want %d entries in each, and %d values for %d points", sdk.ErrInvalidProblem, n, len(p.Elsewhere)*features, len(p.Elsewhere))
	}
	if err := errors.Join(allFinite(p.Gaps), allFinite(p.Shannons), allFinite(p.MinEntropies), allFinite(p.Points), allFinite(p.Scores), allFinite(p.Pairs)); err != nil {
		return nil, fmt.Errorf("%w: packed trials: %w", sdk.ErrInvalidProblem, err)
	}
	out := make([]sdk.Trial, n)
	if err := unpackCopies(p, features, out); err != nil {
		return nil, fmt.Errorf("%w: packed trials: %w", sdk.ErrInvalidProblem, err)
	}
	elsewhere := p.Elsewhere
	for i := range out {
		if err := enum(p.Statuses[i]); err != nil {
			return nil, fmt.Errorf("%w: trial %d: %w", sdk.ErrInvalidProblem, i, err)
		}
		t := &out[i]
		t.ID, t.Status, t.K, t.Gap, t.Violates = p.Ids[i], sdk.TrialStatus(p.Statuses[i]), int(p.Ks[i]), p.Gaps[i], p.Violates[i]
		t.Shannon, t.MinEntropy = p.Shannons[i], p.MinEntropies[i]
		x := home(t.ID)
		if len(elsewhere) > 0 && int(elsewhere[0]) == i {
			at := (len(p.Elsewhere) - len(elsewhere)) * features
			x, elsewhere = p.Points[at:at+features:at+features], elsewhere[1:]
		}
		if t.Status == sdk.TrialEvaluated {
			if x == nil {
				return nil, fmt.Errorf("%w: trial %d has no point, and its move %d is unknown", sdk.ErrInvalidProblem, i, t.ID)
			}
			t.Point = x
		}
	}
	if len(elsewhere) > 0 {
		return nil, fmt.Errorf("%w: packed trials: %d points belong to no trial", sdk.ErrInvalidProblem, len(elsewhere))
	}
	return out, nil
}

// unpackCopies sets the trials' values of counterfactuals, if there are any.
func unpackCopies(p *strategyv1.PackedTrials, features int, out []sdk.Trial) error {
	if len(p.Copies) != 0 && len(p.Copies) != len(out) {
		return fmt.Errorf("%d numbers of counterfactuals for %d trials", len(p.Copies), len(out))
	}
	scores, bins, pairs := p.Scores, p.Bins, p.Pairs
	for i, n := range p.Copies {
		if n < 0 || p.Scores != nil && int(n) > len(scores) || p.Bins != nil && int(n) > len(bins) {
			return fmt.Errorf("%d counterfactuals for trial %d: want 0 or more, and no more than are left in the lists sent, of %d scores and %d bins", n, i, len(scores), len(bins))
		}
		if p.Scores != nil && n > 0 {
			out[i].Scores, scores = scores[:n:n], scores[n:]
		}
		if p.Bins != nil && n > 0 {
			out[i].Bins, bins = ints(bins[:n]), bins[n:]
		}
	}
	for i, status := range p.Statuses {
		if p.Pairs == nil || sdk.TrialStatus(status) != sdk.TrialEvaluated {
			continue
		}
		if len(pairs) < 2*features {
			return fmt.Errorf("no pair for trial %d", i)
		}
		out[i].Highest, out[i].Lowest, pairs = pairs[:features:features], pairs[features:2*features:2*features], pairs[2*features:]
	}
	if len(scores)+len(bins)+len(pairs) > 0 {
		return fmt.Errorf("%d scores, %d bins and %d values of pairs belong to no trial", len(scores), len(bins), len(pairs))
	}
	return nil
}

// ints converts to int; nil if list is empty.
func ints(list []int32) []int {
	if len(list) == 0 {
		return nil
	}
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = int(v)
	}
	return out
}
