package topb

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/space"
)

// Start converts a session's start without the rows: see RowChunks.
func Start(s *space.Space, o *sdk.StartOptions) *strategyv1.Start {
	m := &strategyv1.Start{
		Space: Space(s), Seed: o.Seed, Epsilon: Rat(o.Epsilon), Bands: bands(o.Bands),
		Region: Region(o.Region), Options: o.Options,
		Chains: narrow(o.Chains),
	}
	switch network, other := modelOf(o.Model); {
	case network != nil:
		m.Model = &strategyv1.Start_Network{Network: network}
	case other != nil:
		m.Model = &strategyv1.Start_Other{Other: other}
	}
	return m
}

// ChunkRows is the largest number of rows in a chunk.
const ChunkRows = 4096

// RowChunks passes the rows to send in chunks of at most ChunkRows, and stops at its
// first error. A chunk has the width of its first row.
func RowChunks(rows [][]float64, send func(*strategyv1.RowChunk) error) error {
	for len(rows) > 0 {
		n := min(len(rows), ChunkRows)
		width := len(rows[0])
		chunk := &strategyv1.RowChunk{Width: narrow(width), Values: make([]float64, 0, n*width)}
		for _, row := range rows[:n] {
			chunk.Values = append(chunk.Values, row...)
		}
		if err := send(chunk); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// Trials converts the results of moves. The messages alias the points.
func Trials(list []sdk.Trial) []*strategyv1.Trial {
	return each(list, func(t *sdk.Trial) *strategyv1.Trial {
		return &strategyv1.Trial{
			Id: t.ID, Status: strategyv1.TrialStatus(t.Status), Point: t.Point,
			K: narrow(t.K), Gap: t.Gap, Violates: t.Violates,
			Shannon: t.Shannon, MinEntropy: t.MinEntropy,
			Scores: t.Scores, Bins: narrowAll(t.Bins),
			Highest: t.Highest, Lowest: t.Lowest,
		}
	})
}

// Moves converts proposals. The messages alias the points.
func Moves(list []sdk.Move) []*strategyv1.Move {
	return each(list, func(m *sdk.Move) *strategyv1.Move {
		return &strategyv1.Move{
			Id: m.ID, Round: m.Round, Chain: narrow(m.Chain),
			Kind: strategyv1.MoveKind(m.Kind), Point: m.Point,
		}
	})
}
