package quantify

import (
	"context"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
)

// all decides individuals on all processors and returns their verdicts in order. ok is false
// if ctx ended first: running evaluations are then abandoned.
func (r *run) all(ctx context.Context, xs [][]float64) (out []individual.Verdict, ok bool) {
	verdicts := make([]individual.Verdict, len(xs))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if e, err := r.judge.Evaluator(); err == nil {
			e.Prepare(xs)
		}
		parallel(ctx, len(xs), func(i int) { verdicts[i] = r.judge.Of(xs[i]) })
	}()
	select {
	case <-done:
		return verdicts, ctx.Err() == nil
	case <-ctx.Done():
		return nil, false
	}
}
