package frompb_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
	"github.com/hyfair/hyfair/sdk/internal/wire"
	"pgregory.net/rapid"
)

// What both sides of a session see of packed moves and trials is what was
// said, wherever the trials' points lie.
func TestPackedSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const features = 3 // the last one protected
		host, plugin := wire.Homes{Protected: []int{2}}, wire.Homes{Protected: []int{2}}
		scores, bins, pair := rapid.Bool().Draw(t, "scores"), rapid.Bool().Draw(t, "bins"), rapid.Bool().Draw(t, "pair")
		var id int64
		var waiting []sdk.Trial
		for range 4 {
			moves := make([]sdk.Move, rapid.IntRange(1, 5).Draw(t, "moves"))
			for i := range moves {
				id += rapid.Int64Range(1, 3).Draw(t, "step")
				moves[i] = sdk.Move{
					ID: id, Round: rapid.Int64Range(0, 9).Draw(t, "round"), Chain: rapid.IntRange(0, 9).Draw(t, "chain"),
					Kind:  sdk.MoveKind(rapid.IntRange(1, 2).Draw(t, "kind")),
					Point: rapid.SliceOfN(rapid.Float64Range(-9, 9), features, features).Draw(t, "point"),
				}
			}
			packed, ok := topb.PackMoves(moves)
			if !ok {
				t.Fatal("moves were not packed")
			}
			got, err := frompb.UnpackMoves(over(t, packed))
			same(t, moves, must(t, got, err))
			plugin.Add(moves)
			host.Add(got)

			for i := range moves {
				trial := sdk.Trial{ID: moves[i].ID, Status: sdk.TrialStatus(rapid.IntRange(1, 5).Draw(t, "status"))}
				if trial.Status == sdk.TrialEvaluated {
					trial.K, trial.Gap, trial.Violates = rapid.IntRange(1, 20).Draw(t, "k"), rapid.Float64Range(0, 1).Draw(t, "gap"), rapid.Bool().Draw(t, "violates")
					trial.Shannon, trial.MinEntropy = rapid.Float64Range(0, 5).Draw(t, "shannon"), rapid.Float64Range(0, 5).Draw(t, "min")
					trial.Point = slices.Clone(moves[i].Point)
					if trial.Point[2] = 0; rapid.Bool().Draw(t, "elsewhere") {
						trial.Point[0] = 77
					}
					copies := rapid.IntRange(1, 3).Draw(t, "copies")
					if scores {
						trial.Scores = rapid.SliceOfN(rapid.Float64Range(0, 1), copies, copies).Draw(t, "scores")
					}
					if bins {
						trial.Bins = rapid.SliceOfN(rapid.IntRange(0, 19), copies, copies).Draw(t, "bins")
					}
					if pair {
						trial.Highest, trial.Lowest = []float64{1, 2, float64(i)}, []float64{1, 2, -1}
					}
				}
				waiting = append(waiting, trial)
			}
			told := waiting[:rapid.IntRange(0, len(waiting)).Draw(t, "told")]
			waiting = waiting[len(told):]
			trials, err := frompb.UnpackTrials(over(t, topb.PackTrials(told, host.Take)), features, plugin.Take)
			same(t, slices.Clone(told), must(t, trials, err))
		}
	})
}

func TestPackedRefuses(t *testing.T) {
	good := func() *strategyv1.PackedMoves {
		m, _ := topb.PackMoves([]sdk.Move{{ID: 1, Kind: 1, Point: []float64{1, 2}}, {ID: 2, Kind: 2, Point: []float64{3, 4}}})
		return m
	}
	for says, spoil := range map[string]func(*strategyv1.PackedMoves){
		"2 moves with 1 rounds":   func(m *strategyv1.PackedMoves) { m.Rounds = m.Rounds[:1] },
		"1 chains":                func(m *strategyv1.PackedMoves) { m.Chains = m.Chains[:1] },
		"1 kinds":                 func(m *strategyv1.PackedMoves) { m.Kinds = m.Kinds[:1] },
		"3 values":                func(m *strategyv1.PackedMoves) { m.Points = m.Points[:3] },
		"entry 1 is NaN":          func(m *strategyv1.PackedMoves) { m.Points[1] = math.NaN() },
		"movekind is unspecified": func(m *strategyv1.PackedMoves) { m.Kinds[1] = 0 },
	} {
		m := good()
		spoil(m)
		_, err := frompb.UnpackMoves(m)
		wantRefused(t, err, nil, says)
	}
	trials := func() *strategyv1.PackedTrials {
		return topb.PackTrials([]sdk.Trial{{
			ID: 1, Status: 1, K: 2, Point: []float64{1, 0}, Scores: []float64{0.1, 0.9}, Bins: []int{2, 18}, Highest: []float64{1, 1}, Lowest: []float64{1, 0},
		}, {ID: 2, Status: 3}}, func(int64) []float64 { return nil })
	}
	for says, spoil := range map[string]func(*strategyv1.PackedTrials){
		"unequal length":              func(p *strategyv1.PackedTrials) { p.Ks = nil },
		"trial 0 has no point":        func(p *strategyv1.PackedTrials) { p.Elsewhere, p.Points = nil, nil },
		"1 points belong to no trial": func(p *strategyv1.PackedTrials) { p.Elsewhere[0] = 7; p.Statuses[0] = 2; p.Pairs = nil },
		"entry 0 is NaN":              func(p *strategyv1.PackedTrials) { p.Gaps[0] = math.NaN() },
		"trialstatus is unspecified":  func(p *strategyv1.PackedTrials) { p.Statuses[1] = 0 },
		"1 numbers of counterfactual": func(p *strategyv1.PackedTrials) { p.Copies = p.Copies[:1] },
		"1 scores and 2 bins":         func(p *strategyv1.PackedTrials) { p.Scores = p.Scores[:1] },
		"-1 counterfactuals":          func(p *strategyv1.PackedTrials) { p.Copies[0] = -1 },
		"1 bins and 0 values":         func(p *strategyv1.PackedTrials) { p.Bins = append(p.Bins, 3) },
		"no pair for trial 0":         func(p *strategyv1.PackedTrials) { p.Pairs = p.Pairs[:3] },
		"1 values of pairs":           func(p *strategyv1.PackedTrials) { p.Pairs = append(p.Pairs, 3) },
		"entry 1 is +Inf":             func(p *strategyv1.PackedTrials) { p.Scores[1] = math.Inf(1) },
	} {
		p := trials()
		spoil(p)
		_, err := frompb.UnpackTrials(p, 2, func(int64) []float64 { return nil })
		wantRefused(t, err, sdk.ErrInvalidProblem, says)
	}
	if _, ok := topb.PackMoves([]sdk.Move{{Point: []float64{1}}, {Point: []float64{1, 2}}}); ok {
		t.Error("points of different widths were packed")
	}
}

// Zero and minus zero are two values, also of a protected feature.
func TestPackedMinusZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	moves := []sdk.Move{{ID: 1, Kind: 1, Point: []float64{0, minus}}}
	for _, told := range [][]float64{{0, 0}, {minus, 0}} {
		host, plugin := wire.Homes{Protected: []int{1}}, wire.Homes{Protected: []int{1}}
		host.Add(moves)
		plugin.Add(moves)
		packed := topb.PackTrials([]sdk.Trial{{ID: 1, Status: sdk.TrialEvaluated, Point: told, K: 1}}, host.Take)
		got, err := frompb.UnpackTrials(packed, 2, plugin.Take)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got[0].Point {
			if math.Float64bits(v) != math.Float64bits(told[i]) {
				t.Errorf("told %v, arrived %v", told, got[0].Point)
			}
		}
	}
}
