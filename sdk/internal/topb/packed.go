package topb

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
)

// PackMoves converts proposals column by column. ok is false if there are none, or if
// their points differ in width; Moves converts these.
func PackMoves(list []sdk.Move) (p *strategyv1.PackedMoves, ok bool) {
	if len(list) == 0 {
		return nil, false
	}
	n, width := len(list), len(list[0].Point)
	p = &strategyv1.PackedMoves{
		Ids: make([]int64, n), Rounds: make([]int64, n), Chains: make([]int32, n), Kinds: make([]strategyv1.MoveKind, n),
		Points: make([]float64, 0, n*width),
	}
	for i := range list {
		m := &list[i]
		if len(m.Point) != width {
			return nil, false
		}
		p.Ids[i], p.Rounds[i], p.Chains[i], p.Kinds[i] = m.ID, m.Round, narrow(m.Chain), strategyv1.MoveKind(m.Kind)
		p.Points = append(p.Points, m.Point...)
	}
	return p, true
}

// PackTrials converts the results of moves column by column. home returns the point
// that the other side assumes for a trial whose point the message leaves out; nil if it
// assumes none.
func PackTrials(list []sdk.Trial, home func(id int64) []float64) *strategyv1.PackedTrials {
	n := len(list)
	p := &strategyv1.PackedTrials{
		Ids: make([]int64, n), Statuses: make([]strategyv1.TrialStatus, n), Ks: make([]int32, n), Gaps: make([]float64, n),
		Violates: make([]bool, n), Shannons: make([]float64, n), MinEntropies: make([]float64, n),
	}
	for i := range list {
		t := &list[i]
		p.Ids[i], p.Statuses[i], p.Ks[i], p.Gaps[i] = t.ID, strategyv1.TrialStatus(t.Status), narrow(t.K), t.Gap
		p.Violates[i], p.Shannons[i], p.MinEntropies[i] = t.Violates, t.Shannon, t.MinEntropy
		if x := home(t.ID); len(t.Point) > 0 && !slices.EqualFunc(t.Point, x, sameBits) {
			p.Elsewhere = append(p.Elsewhere, int32(i))
			p.Points = append(p.Points, t.Point...)
		}
		if copies := max(len(t.Scores), len(t.Bins)); copies > 0 {
			if p.Copies == nil {
				p.Copies = make([]int32, n)
			}
			p.Copies[i] = narrow(copies)
			p.Scores = append(p.Scores, t.Scores...)
			p.Bins = append(p.Bins, narrowAll(t.Bins)...)
		}
		p.Pairs = append(append(p.Pairs, t.Highest...), t.Lowest...)
	}
	return p
}

// sameBits compares bits, so that -0 differs from 0.
func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
