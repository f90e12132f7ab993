package frompb

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
)

// UnpackMoves converts packed proposals. Whether they fit their space is the
// client's to check.
func UnpackMoves(p *strategyv1.PackedMoves) ([]sdk.Move, error) {
	n := len(p.GetIds())
	if n == 0 {
		return nil, nil
	}
	if len(p.Rounds) != n || len(p.Chains) != n || len(p.Kinds) != n || len(p.Points)%n != 0 {
		return nil, fmt.Errorf("%d moves with %d rounds, %d chains, %d kinds and %d values", n, len(p.Rounds), len(p.Chains), len(p.Kinds), len(p.Points))
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

// UnpackTrials converts packed trials for a space of that many features. home
// gives the point of a trial of which nothing else is said; nil where there is
// no such move. Errors wrap sdk.ErrInvalidProblem.
func UnpackTrials(p *strategyv1.PackedTrials, features int, home func(id int64) []float64) ([]sdk.Trial, error) {
	if p == nil {
		return nil, nil
	}
	n := len(p.Ids)
	if len(p.Statuses) != n || len(p.Ks) != n || len(p.Gaps) != n || len(p.Violates) != n ||
		len(p.Shannons) != n || len(p.MinEntropies) != n || len(p.Points) != len(p.Elsewhere)*features {
		return nil, fmt.Errorf("%w: packed trials of unequal length", sdk.ErrInvalidProblem)
	}
	if err := errors.Join(allFinite(p.Gaps), allFinite(p.Shannons), allFinite(p.MinEntropies), allFinite(p.Points)); err != nil {
		return nil, fmt.Errorf("%w: packed trials: %w", sdk.ErrInvalidProblem, err)
	}
	out := make([]sdk.Trial, n)
	elsewhere := p.Elsewhere
	for i := range out {
		if err := enum(p.Statuses[i]); err != nil {
			return nil, fmt.Errorf("%w: trial %d: %w", sdk.ErrInvalidProblem, i, err)
		}
		t := &out[i]
		*t = sdk.Trial{
			ID: p.Ids[i], Status: sdk.TrialStatus(p.Statuses[i]), K: int(p.Ks[i]), Gap: p.Gaps[i], Violates: p.Violates[i],
			Shannon: p.Shannons[i], MinEntropy: p.MinEntropies[i],
		}
		x := home(t.ID)
		if len(elsewhere) > 0 && int(elsewhere[0]) == i {
			at := (len(p.Elsewhere) - len(elsewhere)) * features
			x, elsewhere = p.Points[at:at+features:at+features], elsewhere[1:]
		}
		if t.Status == sdk.TrialEvaluated {
			if x == nil {
				return nil, fmt.Errorf("%w: trial %d has no point", sdk.ErrInvalidProblem, i)
			}
			t.Point = x
		}
	}
	if len(elsewhere) > 0 {
		return nil, fmt.Errorf("%w: packed trials: %d points are of no trial", sdk.ErrInvalidProblem, len(elsewhere))
	}
	return out, nil
}
