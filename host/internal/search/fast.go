package search

import (
	"context"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// Fast says how a fast run differs from the paper's loop: many moves at a
// time, evaluated together on all cores, while the strategy thinks of the next
// ones; solver seeds made in the background; finds summed up where they are too
// many to keep.
type Fast struct {
	// Chains is what the session was started with, at least 1.
	Chains int
	// Ahead: the strategy takes trials one call late (sdk.Description.Lag ≥ 1).
	Ahead bool
	// Keep is how many individuals found have events of their own before they
	// are thinned out; negative: all.
	Keep int64
}

// DefaultChains and DefaultKeep are what fast runs have unless told otherwise.
const (
	DefaultChains = 256
	DefaultKeep   = 10_000
)

// fast is loop for batches. With Ahead, call i of Next is told the trials of
// call i−2 and answered while those of call i−1 are evaluated.
func (r *run) fast(ctx context.Context) error {
	want := r.Fast.Chains
	if r.Fast.Ahead && want > 1 {
		want /= 2
	}
	b := &batch{run: r, seeds: newSeeds(r), protected: r.Space.Protected()}
	defer b.seeds.close()
	moves, err := r.ask(ctx, nil, want).answer()
	var told []sdk.Trial
	for moves != nil && err == nil {
		var next *asking
		if r.Fast.Ahead && want < r.Fast.Chains {
			next = r.ask(ctx, told, want)
		}
		trials, done, err := b.try(ctx, moves)
		if err != nil || done {
			if next != nil {
				next.cancel()
			}
			return err
		}
		r.report()
		told = trials
		if next == nil {
			next = r.ask(ctx, told, want)
		}
		if moves, err = next.answer(); err != nil {
			return err
		}
	}
	return err
}

// batch evaluates moves together.
type batch struct {
	*run
	seeds     *seeds
	protected []int // features
	xs        [][]float64
	at        []int // the moves that xs are of
	outcomes  []evaluate.Outcome
}

// try answers the moves. done: the budget or ctx ended the run.
func (b *batch) try(ctx context.Context, moves []sdk.Move) (trials []sdk.Trial, done bool, err error) {
	if b.seeds.turn(ctx, &moves[0]) {
		return nil, true, nil
	}
	b.xs, b.at = b.xs[:0], b.at[:0]
	trials = make([]sdk.Trial, len(moves))
	for i := range moves {
		m := &moves[i]
		if err := b.rounds.admit(m); err != nil {
			return nil, false, b.blame(err)
		}
		if done = b.spent(len(b.xs)); done {
			trials = trials[:i]
			break
		}
		if m.Kind == sdk.MoveSeedFrom {
			trials[i] = b.seeds.trial(m)
			continue
		}
		if b.refuses(m.Point) {
			trials[i] = b.refused(m)
			continue
		}
		trials[i] = sdk.Trial{ID: m.ID, Status: sdk.TrialOutside}
		if len(m.Point) == len(b.Space.Features) && b.Space.RegionContains(b.Region, m.Point) {
			for _, p := range b.protected { // as in a canonical point
				m.Point[p] = 0
			}
			b.xs, b.at = append(b.xs, m.Point), append(b.at, i)
		} else {
			b.result.Outside++
		}
	}
	if len(b.outcomes) < len(b.xs) {
		b.outcomes = make([]evaluate.Outcome, len(moves))
	}
	b.Evaluator.EvaluateAll(b.xs, b.outcomes)
	for n, i := range b.at {
		out := &b.outcomes[n]
		if out.N == 0 {
			b.result.Outside++
			continue
		}
		b.result.Evaluations++
		if out.Violates {
			b.found(&moves[i], b.xs[n], *out)
		}
		trials[i] = evaluated(moves[i].ID, b.xs[n], out)
	}
	return trials, done || ctx.Err() != nil, nil
}
