package search

import (
	"context"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// Fast says how a fast run differs from the paper's loop: many moves at a
// time, evaluated together on all cores, while the strategy computes the next
// ones; solver seeds made in the background; finds summed up if there are too
// many to keep.
type Fast struct {
	// Chains is the number of chains that the session was started with, at least 1.
	Chains int
	// Ahead: the strategy takes trials one call late (sdk.Description.Lag ≥ 1).
	Ahead bool
	// Keep is the number of individuals found that have events of their own
	// before they are thinned out; negative: all.
	Keep int64
}

// DefaultChains and DefaultKeep are the defaults of fast runs.
const (
	DefaultChains = 256
	DefaultKeep   = 10_000
)

// fast is loop for batches. With Ahead, call i of Next gets the trials of call i−2 and runs
// while those of call i−1 are evaluated.
func (r *run) fast(ctx context.Context) error {
	want := r.Fast.Chains
	if r.Fast.Ahead && want > 1 {
		want /= 2
	}
	b := &batch{run: r, seeds: &seeds{run: r}, protected: r.Space.Protected()}
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
				next.drop()
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
	moves     []sdk.Move
	trials    []sdk.Trial
	xs        [][]float64 // to be evaluated
	at        []int       // the move of each of xs
	outcomes  []evaluate.Outcome
}

// try answers the moves. done: the budget or ctx ended the run.
func (b *batch) try(ctx context.Context, moves []sdk.Move) (trials []sdk.Trial, done bool, err error) {
	if !b.spent(0) && b.seeds.turn(ctx, &moves[0]) {
		return nil, true, nil
	}
	b.moves, b.trials = moves, make([]sdk.Trial, len(moves))
	for i := range moves {
		if err := b.admit(&moves[i]); err != nil {
			return nil, false, b.blame(err)
		}
		if b.spent(len(b.xs)) {
			b.evaluateAll() // individuals without counterfactuals do not count
			if b.spent(0) {
				return nil, true, nil
			}
		}
		b.take(i)
	}
	b.evaluateAll()
	return b.trials, ctx.Err() != nil, nil
}

// take answers move i or queues it for evaluation.
func (b *batch) take(i int) {
	m := &b.moves[i]
	switch {
	case m.Kind == sdk.MoveSeedFrom:
		b.trials[i] = b.seeds.trial(m)
	case b.refuses(m.Point):
		b.trials[i] = b.refused(m)
	case !b.inside(m.Point):
		b.outside(i)
	default:
		b.xs, b.at = append(b.xs, b.canonical(m.Point)), append(b.at, i)
	}
}

// canonical returns x in canonical form. It copies x if it changes anything, because the
// strategy may be reading it.
func (b *batch) canonical(x []float64) []float64 {
	for _, p := range b.protected {
		if math.Float64bits(x[p]) != 0 {
			return b.Space.Canonical(x)
		}
	}
	return x
}

// evaluateAll evaluates the queued moves and answers them.
func (b *batch) evaluateAll() {
	if len(b.outcomes) < len(b.xs) {
		b.outcomes = make([]evaluate.Outcome, len(b.moves))
	}
	copies := b.Evaluator.EvaluateCopies(b.xs, b.outcomes, b.Detail)
	for n, i := range b.at {
		out := &b.outcomes[n]
		if out.N == 0 {
			b.outside(i)
			continue
		}
		b.result.Evaluations++
		if out.Violates {
			b.found(&b.moves[i], b.xs[n], *out)
		}
		b.trials[i] = b.evaluated(b.moves[i].ID, b.xs[n], out, copies[min(n, len(copies)):])
	}
	if b.xs, b.at = b.xs[:0], b.at[:0]; b.late.left {
		b.xs = nil // an abandoned evaluation still reads them
	}
}

func (b *batch) outside(i int) { b.trials[i] = b.run.outside(&b.moves[i]) }
