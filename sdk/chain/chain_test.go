package chain

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// ladder is one integer feature 0 to 99 beside a protected one.
func ladder() *space.Space {
	return &space.Space{
		Features: []space.Feature{
			{Name: "step", Kind: space.Integer, Lo: 0, Hi: 99},
			{Name: "group", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
		},
	}
}

// upwards proposes the next step and accepts as it is instructed.
type upwards struct {
	accept func(current, candidate int, round int64) bool
}

func (u upwards) Propose(_ *rand.Rand, current []float64) []float64 {
	return []float64{current[0] + 1, 0}
}

func (u upwards) Accept(_ *rand.Rand, current, candidate int, round int64) bool {
	return u.accept(current, candidate, round)
}

// The trace is Algorithm 1 by hand: the chain's input, and the move that must follow.
func TestTraceOfAlgorithm1(t *testing.T) {
	const (
		accept = true
		reject = false
	)
	var decision bool
	var asked []int
	rules := upwards{func(current, candidate int, _ int64) bool {
		asked = append(asked, current, candidate)
		return decision
	}}
	domain := NewDomain(ladder(), sdk.StartOptions{Rows: [][]float64{{3, 1}}})
	c := New(domain, rules, 1)
	moves, err := c.Next(context.Background(), nil, 1)
	if err != nil || moves[0].Kind != sdk.MoveSeedFrom || moves[0].Point[0] != 3 {
		t.Fatalf("first move %v, error %v; want a seed from the row 3", moves, err)
	}
	steps := []struct {
		name     string
		status   sdk.TrialStatus
		point    float64
		k        int
		decision bool
		kind     sdk.MoveKind
		next     float64
		round    int64
	}{
		{"the first individual beats best = 0: propose", sdk.TrialEvaluated, 5, 2, reject, sdk.MovePoint, 6, 0},
		{"accepted, 4 > 2: propose", sdk.TrialEvaluated, 6, 4, accept, sdk.MovePoint, 7, 1},
		{"rejected, 4 is no better than 4: plateau", sdk.TrialEvaluated, 7, 1, reject, sdk.MoveSeedFrom, 6, 2},
		{"the solver's individual is current at once", sdk.TrialEvaluated, 8, 3, reject, sdk.MovePoint, 9, 2},
		{"accepted, 3 is no better than 4: plateau", sdk.TrialEvaluated, 9, 3, accept, sdk.MoveSeedFrom, 9, 3},
		{"no seed: a row", sdk.TrialNoSeed, 0, 0, reject, sdk.MovePoint, 3, 3},
		{"the row is current", sdk.TrialEvaluated, 3, 5, reject, sdk.MovePoint, 4, 3},
		{"outside is not accepted; 5 > 4: propose", sdk.TrialOutside, 0, 0, accept, sdk.MovePoint, 4, 4},
		{"refused is not accepted: plateau", sdk.TrialRefused, 0, 0, accept, sdk.MoveSeedFrom, 3, 5},
		{"no solver: a row", sdk.TrialNoSolver, 0, 0, reject, sdk.MovePoint, 3, 5},
		{"the row is refused: current stays", sdk.TrialRefused, 0, 0, reject, sdk.MovePoint, 4, 5},
		{"rejected: plateau, and the solver is not asked again", sdk.TrialEvaluated, 4, 5, reject, sdk.MovePoint, 3, 6},
	}
	for i, s := range steps {
		decision = s.decision
		id := moves[0].ID
		moves, err = c.Next(context.Background(), []sdk.Trial{{ID: id, Status: s.status, Point: []float64{s.point, 0}, K: s.k}}, 1)
		if err != nil {
			t.Fatalf("step %d (%s): %v", i, s.name, err)
		}
		m := moves[0]
		if len(moves) != 1 || m.ID <= id || m.Kind != s.kind || m.Point[0] != s.next || m.Round != s.round {
			t.Fatalf("step %d (%s): move %+v; want kind %d at %v in round %d", i, s.name, m, s.kind, s.next, s.round)
		}
	}
	if want := []int{2, 4, 4, 1, 3, 3, 5, 5}; !slices.Equal(asked, want) {
		t.Errorf("acceptance was asked of (current, candidate) %v, want %v", asked, want)
	}
}

func TestNoIndividualToStartFromClosesTheRound(t *testing.T) {
	c := New(NewDomain(ladder(), sdk.StartOptions{}), upwards{}, 1)
	moves, err := c.Next(context.Background(), nil, 1)
	for round := range int64(3) {
		for _, kind := range []sdk.MoveKind{sdk.MoveSeedFrom, sdk.MovePoint} {
			if err != nil || moves[0].Kind != kind || moves[0].Round != round {
				t.Fatalf("round %d: move %+v, error %v; want kind %d", round, moves, err, kind)
			}
			status := sdk.TrialNoSeed
			if kind == sdk.MovePoint {
				status = sdk.TrialOutside
			}
			moves, err = c.Next(context.Background(), []sdk.Trial{{ID: moves[0].ID, Status: status}}, 1)
		}
	}
}

func TestNextRefusesTrialsItDoesNotWaitFor(t *testing.T) {
	ctx := context.Background()
	started := func() *Chain {
		c := New(NewDomain(ladder(), sdk.StartOptions{}), upwards{}, 1)
		if _, err := c.Next(ctx, nil, 1); err != nil {
			t.Fatal(err)
		}
		return c
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	cases := map[string]struct {
		ctx   context.Context
		chain *Chain
		told  []sdk.Trial
		want  int
		says  string
	}{
		"none":          {ctx, started(), nil, 1, "waits for one, of move 1"},
		"another":       {ctx, started(), []sdk.Trial{{ID: 7}}, 1, "got the trial of move 7 in place of move 1"},
		"two":           {ctx, started(), []sdk.Trial{{ID: 1}, {ID: 1}}, 1, "got 2 trials"},
		"before a move": {ctx, New(NewDomain(ladder(), sdk.StartOptions{}), upwards{}, 1), []sdk.Trial{{ID: 1}}, 1, "before any"},
		"want 0":        {ctx, started(), []sdk.Trial{{ID: 1}}, 0, "asked for 0 moves"},
		"ended":         {ended, started(), []sdk.Trial{{ID: 1}}, 1, "canceled"},
	}
	for name, c := range cases {
		if _, err := c.chain.Next(c.ctx, c.told, c.want); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}

// metropolis draws in both of its rules.
type metropolis struct{ domain *Domain }

func (m metropolis) Propose(rng *rand.Rand, current []float64) []float64 {
	if rng.IntN(2) == 0 {
		return m.domain.Row(rng)
	}
	return m.domain.Neighbour(rng, current)
}

func (m metropolis) Accept(rng *rand.Rand, current, candidate int, round int64) bool {
	return candidate >= current || rng.Float64() < 0.3
}

// world answers moves: k depends on the step, the solver answers or not.
type world struct {
	k      []int
	solver []float64 // answer by step; negative: none
}

func (w world) eval(x []float64) int { return w.k[int(x[0])] }

// algorithm1 is the paper's listing read from top to bottom, with calls in
// place of moves.
func algorithm1(g *Domain, r Rules, rng *rand.Rand, w world, rounds int64) (moves []sdk.Move) {
	var round int64
	solve := func(x []float64) []float64 {
		moves = append(moves, sdk.Move{ID: int64(len(moves)) + 1, Round: round, Kind: sdk.MoveSeedFrom, Point: x})
		if s := w.solver[int(x[0])]; s >= 0 {
			return []float64{s, 0}
		}
		row := g.Row(rng)
		moves = append(moves, sdk.Move{ID: int64(len(moves)) + 1, Round: round, Kind: sdk.MovePoint, Point: row})
		return row
	}
	best := 0
	current := solve(g.Row(rng))
	k := w.eval(current)
	for ; round < rounds; round++ {
		if k > best {
			best = k
		} else {
			current = solve(current)
			k = w.eval(current)
		}
		candidate := r.Propose(rng, current)
		moves = append(moves, sdk.Move{ID: int64(len(moves)) + 1, Round: round, Kind: sdk.MovePoint, Point: candidate})
		if r.Accept(rng, k, w.eval(candidate), round) {
			current, k = candidate, w.eval(candidate)
		}
	}
	return moves
}

func TestChainIsAlgorithm1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := world{
			k:      rapid.SliceOfN(rapid.IntRange(1, 5), 100, 100).Draw(t, "k"),
			solver: rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 0, 10, 20, 99}), 100, 100).Draw(t, "solver"),
		}
		seed := rapid.Int64().Draw(t, "seed")
		rows := [][]float64{{1, 0}, {50, 0}, {70, 0}}
		g := NewDomain(ladder(), sdk.StartOptions{Rows: rows})
		c := New(g, metropolis{g}, seed)
		want := algorithm1(g, metropolis{g}, New(g, nil, seed).rng, w, 30)

		var got []sdk.Move
		var told []sdk.Trial
		for len(got) < len(want) {
			moves, err := c.Next(context.Background(), told, 1)
			if err != nil {
				t.Fatal(err)
			}
			m := moves[0]
			got = append(got, m)
			trial := sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point}
			if m.Kind == sdk.MoveSeedFrom {
				trial.Point = []float64{w.solver[int(m.Point[0])], 0}
			}
			if trial.Point[0] < 0 {
				trial = sdk.Trial{ID: m.ID, Status: sdk.TrialNoSeed}
			} else {
				trial.K = w.eval(trial.Point)
			}
			told = []sdk.Trial{trial}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("moves differ from the listing's (-listing +chain):\n%s", d)
		}
	})
}
