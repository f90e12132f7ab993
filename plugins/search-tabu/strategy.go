package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/space"
)

// strategy starts sessions; the package comment describes the algorithm.
type strategy struct{}

var options = []sdk.Option{
	{Name: "candidates", Default: "8", Help: "neighbours evaluated per step, 1 to 4096"},
	{Name: "tenure", Default: "20", Help: "steps for which a value that a feature left is tabu, 0 to 1000000"},
	{Name: "patience", Default: "50", Help: "steps without success before a walk restarts from a row, at least 1"},
}

type settings struct {
	candidates       int
	tenure, patience int64
}

func parse(given map[string]string) (settings, error) {
	r := option.Read(options, given)
	s := settings{r.Int("candidates", 1, 4096), int64(r.Int("tenure", 0, 1_000_000)), int64(r.Int("patience", 1, math.MaxInt32))}
	return s, r.Err()
}

func (strategy) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "tabu", Version: "1.0.0", Summary: "tabu search: moves to the best of some neighbours, except to values just left",
		Options: options, Presets: []sdk.Preset{{Name: "tabu", Summary: "tabu search"}},
		NeedsRows: true, Lag: 1,
	}, nil
}

func (strategy) Start(_ context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	set, err := parse(o.Options)
	if err != nil {
		return nil, err
	}
	t := &session{settings: set, domain: chain.NewDomain(s, o), asked: map[int64]proposal{}}
	for i := range max(o.Chains, 1) {
		t.walks = append(t.walks, &walk{number: i, rng: chain.Random(o.Seed, i), tabu: map[value]int64{}})
	}
	return t, nil
}

// session holds all walks; they share no mutable state.
type session struct {
	settings
	domain *chain.Domain
	walks  []*walk
	next   int // the walk whose turn it is
	asked  map[int64]proposal
	id     int64
}

// value is a feature's index with one of its values; it is what a tabu forbids.
type value struct {
	feature int
	value   float64
}

// nothing stands for the changed value of a start, and for a neighbour that does not exist.
var nothing = value{feature: -1}

// proposal is a move that waits for its trial.
type proposal struct {
	walk      *walk
	gets, was value // the value that a neighbour sets, and the value it replaces
}

// place is an individual and its rank.
type place struct {
	x []float64
	chain.Rank
}

type walk struct {
	number        int
	rng           *rand.Rand
	at            place // the current individual; x is nil before a start
	best          chain.Rank
	step, stale   int64
	tabu          map[value]int64 // the first step at which the value is allowed again
	made, waiting int             // candidates of this step; those whose trial is missing
	choice        place           // the best candidate so far, and the value that it leaves
	leaves        value
}

func (t *session) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	for i := range told {
		p, ok := t.asked[told[i].ID]
		if !ok {
			return nil, fmt.Errorf("got the trial of move %d, which is not pending", told[i].ID)
		}
		delete(t.asked, told[i].ID)
		t.observe(p, &told[i])
	}
	var moves []sdk.Move
	for full := 0; len(moves) < want && full < len(t.walks); t.next = (t.next + 1) % len(t.walks) {
		if w := t.walks[t.next]; w.made < t.settings.candidates && (w.at.x != nil || w.made == 0) {
			moves, full = append(moves, t.propose(w)), 0
		} else {
			full++ // the walk waits for trials
		}
	}
	return moves, ctx.Err()
}

// propose proposes a neighbour of the walk's individual, or a start.
func (t *session) propose(w *walk) sdk.Move {
	t.id++
	w.made, w.waiting = w.made+1, w.waiting+1
	p, x := proposal{w, nothing, nothing}, []float64(nil)
	if w.at.x == nil {
		x = t.domain.Row(w.rng)
	} else {
		x = t.domain.Neighbour(w.rng, w.at.x)
		for _, i := range t.domain.Movable() {
			if x[i] != w.at.x[i] {
				p.gets, p.was = value{i, x[i]}, value{i, w.at.x[i]}
			}
		}
	}
	t.asked[t.id] = p
	return sdk.Move{ID: t.id, Round: w.step, Chain: w.number, Kind: sdk.MovePoint, Point: x}
}

// observe records the trial of a candidate. After the last candidate of a step it makes the move.
// Aspiration: a tabu is lifted for the best individual since the start.
func (t *session) observe(p proposal, trial *sdk.Trial) {
	w := p.walk
	if found := (place{trial.Point, chain.Rank{K: trial.K, Shannon: trial.Shannon}}); trial.Status == sdk.TrialEvaluated {
		free := w.step >= w.tabu[p.gets] || found.Compare(w.best) > 0
		if free && (w.choice.x == nil || found.Compare(w.choice.Rank) > 0) {
			w.choice, w.leaves = found, p.was
		}
	}
	if w.waiting--; w.waiting > 0 || w.made < t.settings.candidates && w.at.x != nil {
		return
	}
	w.step, w.made, w.stale = w.step+1, 0, w.stale+1
	if w.choice.x != nil {
		if w.leaves != nothing {
			w.tabu[w.leaves] = w.step + t.tenure
		}
		w.at = w.choice
		if w.at.Compare(w.best) > 0 {
			w.best, w.stale = w.at.Rank, 0
		}
	}
	if w.choice = (place{}); w.stale >= t.patience {
		w.at, w.best, w.stale = place{}, chain.Rank{}, 0
		clear(w.tabu)
	}
}

func (*session) Close() error { return nil }
