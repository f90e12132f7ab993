package chain

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk"
)

// stairs proposes the next step, modulo 100, and accepts what is no worse.
type stairs struct{ ages []int64 }

func (*stairs) Propose(_ *rand.Rand, current []float64) []float64 {
	return []float64{float64((int(current[0]) + 1) % 100), 0}
}

func (s *stairs) AcceptTrial(_ *rand.Rand, current, candidate *sdk.Trial, age int64) bool {
	s.ages = append(s.ages, age)
	return Value(candidate) >= Value(current)
}

func manyOf(t *testing.T, chains int, patience int64) (*Parallel, *stairs) {
	t.Helper()
	rules := &stairs{}
	return NewParallel(NewDomain(ladder(), sdk.StartOptions{Rows: [][]float64{{3, 1}}}), rules, chains, patience, 1), rules
}

func tell(m sdk.Move, k int) sdk.Trial {
	return sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: k}
}

func ask(t *testing.T, m *Parallel, told []sdk.Trial, want int) []sdk.Move {
	t.Helper()
	moves, err := m.Next(context.Background(), told, want)
	if err != nil {
		t.Fatal(err)
	}
	return moves
}

// With trials one call late, the halves of the chains take turns.
func TestManyTakesTurns(t *testing.T) {
	m, _ := manyOf(t, 4, 0)
	chains := func(moves []sdk.Move) (out []int) {
		for _, m := range moves {
			out = append(out, m.Chain)
		}
		return out
	}
	first := ask(t, m, nil, 2)
	second := ask(t, m, nil, 2)
	if !slices.Equal(chains(first), []int{0, 1}) || !slices.Equal(chains(second), []int{2, 3}) {
		t.Fatalf("chains %v, then %v", chains(first), chains(second))
	}
	third := ask(t, m, []sdk.Trial{tell(first[0], 1), tell(first[1], 1)}, 2)
	if !slices.Equal(chains(third), []int{0, 1}) || third[0].Point[0] != 4 || third[0].ID != 5 {
		t.Errorf("third call: %+v, want the first two chains one step on", third)
	}
	if _, err := m.Next(context.Background(), nil, 1); err == nil {
		t.Error("moves were made while all chains wait")
	}
}

// A chain without progress asks for a seed and, if there is none, moves to a row; its age is
// reset to 0, its rounds continue.
func TestManyStartsAnew(t *testing.T) {
	m, rules := manyOf(t, 1, 3)
	steps := []struct {
		status sdk.TrialStatus
		k      int
		kind   sdk.MoveKind
		at     float64
		round  int64
	}{
		{sdk.TrialEvaluated, 2, sdk.MovePoint, 4, 0},    // the row is current: its neighbour
		{sdk.TrialEvaluated, 3, sdk.MovePoint, 5, 1},    // accepted, better
		{sdk.TrialEvaluated, 3, sdk.MovePoint, 6, 2},    // accepted, no progress: 1
		{sdk.TrialOutside, 0, sdk.MovePoint, 6, 3},      // 2
		{sdk.TrialEvaluated, 1, sdk.MoveSeedFrom, 5, 4}, // rejected, 3: enough
		{sdk.TrialNoSeed, 0, sdk.MovePoint, 3, 4},       // a row
		{sdk.TrialEvaluated, 2, sdk.MovePoint, 4, 4},
		{sdk.TrialEvaluated, 1, sdk.MovePoint, 4, 5},
		{sdk.TrialEvaluated, 1, sdk.MovePoint, 4, 6},
		{sdk.TrialEvaluated, 1, sdk.MoveSeedFrom, 3, 7},
		{sdk.TrialNoSolver, 0, sdk.MovePoint, 3, 7},
		{sdk.TrialOutside, 0, sdk.MovePoint, 3, 8}, // not even a row
		{sdk.TrialEvaluated, 2, sdk.MovePoint, 4, 8},
		{sdk.TrialEvaluated, 1, sdk.MovePoint, 4, 9},
		{sdk.TrialEvaluated, 1, sdk.MovePoint, 4, 10},
		{sdk.TrialEvaluated, 1, sdk.MovePoint, 3, 11}, // the solver is not asked again
	}
	moves := ask(t, m, nil, 1)
	for i, s := range steps {
		trial := tell(moves[0], s.k)
		trial.Status = s.status
		moves = ask(t, m, []sdk.Trial{trial}, 1)
		if got := moves[0]; got.Kind != s.kind || got.Point[0] != s.at || got.Round != s.round {
			t.Fatalf("step %d: %+v, want kind %d at %v in round %d", i, got, s.kind, s.at, s.round)
		}
	}
	if want := []int64{0, 1, 3, 0, 1, 2, 0, 1, 2}; !slices.Equal(rules.ages, want) {
		t.Errorf("acceptance was asked at the ages %v, want %v", rules.ages, want)
	}
}

// What a chain does depends on its own trials alone, not on how many moves
// each call wants.
func TestChainsAreIndependent(t *testing.T) {
	play := func(want int) map[int][]float64 {
		g := NewDomain(ladder(), sdk.StartOptions{Rows: [][]float64{{3, 1}, {50, 0}, {80, 0}}})
		m := NewParallel(g, anywhere{g}, 6, 5, 7)
		out := map[int][]float64{}
		var told []sdk.Trial
		for range 600 / want {
			moves := ask(t, m, told, want)
			told = nil
			for _, move := range moves {
				out[move.Chain] = append(out[move.Chain], move.Point[0])
				told = append(told, tell(move, 1+int(move.Point[0])%7))
			}
		}
		return out
	}
	if d := cmp.Diff(play(6), play(2)); d != "" {
		t.Error(d)
	}
}

// anywhere is a random walk.
type anywhere struct{ *Domain }

func (a anywhere) Propose(rng *rand.Rand, x []float64) []float64 { return a.Neighbour(rng, x) }

func (anywhere) AcceptTrial(rng *rand.Rand, _, _ *sdk.Trial, _ int64) bool { return rng.IntN(2) == 0 }
