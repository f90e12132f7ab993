package frompb

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/space"
)

// Start converts and validates a session's start; rows follow in chunks. Its errors
// are those of Problem.
func Start(m *strategyv1.Start) (*space.Space, sdk.StartOptions, error) {
	s, o, err := session(m)
	if err != nil {
		return nil, o, invalid(err)
	}
	return s, o, nil
}

func session(m *strategyv1.Start) (s *space.Space, o sdk.StartOptions, err error) {
	o = sdk.StartOptions{Seed: m.GetSeed(), Options: m.GetOptions(), Chains: int(m.GetChains())}
	if o.Chains < 0 {
		return nil, o, fmt.Errorf("%d chains: want 0 or more", o.Chains)
	}
	if s, err = Space(m.GetSpace()); err != nil {
		return nil, o, fmt.Errorf("space: %w", err)
	}
	if s == nil {
		return nil, o, errors.New("start without a space")
	}
	if err := s.Validate(); err != nil {
		return nil, o, err
	}
	if o.Epsilon, err = rat(m.Epsilon); err != nil {
		return nil, o, fmt.Errorf("epsilon: %w", err)
	}
	if o.Bands, err = bands(m.Bands); err == nil && o.Bands != nil {
		err = o.Bands.Check()
	}
	if err != nil {
		return nil, o, err
	}
	if o.Region, err = Region(m.Region, s); err != nil {
		return nil, o, err
	}
	if o.Model, err = modelOf(m.GetNetwork(), m.GetOther()); err != nil {
		return nil, o, fmt.Errorf("model: %w", err)
	}
	if o.Model != nil {
		if err := o.Model.Validate(); err != nil {
			return nil, o, err
		}
		if o.Model.Inputs() != s.Inputs {
			return nil, o, fmt.Errorf("the model takes %d inputs, but the space feeds %d", o.Model.Inputs(), s.Inputs)
		}
	}
	return s, o, nil
}

// AppendRows appends a chunk's rows, each as wide as the space has features.
// Errors wrap sdk.ErrInvalidProblem.
func AppendRows(rows [][]float64, m *strategyv1.RowChunk, features int) ([][]float64, error) {
	width := int(m.GetWidth())
	if width != features || width == 0 || len(m.Values)%width != 0 {
		return rows, fmt.Errorf("%w: %d values in rows of %d for %d features", sdk.ErrInvalidProblem, len(m.GetValues()), width, features)
	}
	if err := allFinite(m.Values); err != nil {
		return rows, fmt.Errorf("%w: rows: %w", sdk.ErrInvalidProblem, err)
	}
	for at := 0; at < len(m.Values); at += width {
		rows = append(rows, m.Values[at:at+width:at+width])
	}
	return rows, nil
}

// Trials converts the results of moves. Errors wrap sdk.ErrInvalidProblem.
func Trials(list []*strategyv1.Trial) ([]sdk.Trial, error) {
	out, err := each(list, "trial", func(m *strategyv1.Trial) (sdk.Trial, error) {
		t := sdk.Trial{
			ID: m.GetId(), Status: sdk.TrialStatus(m.GetStatus()), Point: m.GetPoint(),
			K: int(m.GetK()), Gap: m.GetGap(), Violates: m.GetViolates(),
			Shannon: m.GetShannon(), MinEntropy: m.GetMinEntropy(),
			Scores: m.GetScores(), Bins: ints(m.GetBins()), Highest: m.GetHighest(), Lowest: m.GetLowest(),
		}
		if !finite(t.Gap) || !finite(t.Shannon) || !finite(t.MinEntropy) {
			return t, fmt.Errorf("gap %v, entropies %v and %v: want finite numbers", t.Gap, t.Shannon, t.MinEntropy)
		}
		return t, errors.Join(enum(m.GetStatus()), allFinite(t.Point), allFinite(t.Scores), allFinite(t.Highest), allFinite(t.Lowest))
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	return out, nil
}

// Moves converts proposals. The client checks whether they fit the space.
func Moves(list []*strategyv1.Move) ([]sdk.Move, error) {
	return each(list, "move", func(m *strategyv1.Move) (sdk.Move, error) {
		return sdk.Move{
			ID: m.GetId(), Round: m.GetRound(), Chain: int(m.GetChain()),
			Kind: sdk.MoveKind(m.GetKind()), Point: m.GetPoint(),
		}, errors.Join(enum(m.GetKind()), allFinite(m.GetPoint()))
	})
}
