package quantify

import (
	"context"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
)

// all decides many individuals, the i-th verdict of xs[i], on all processors. ok is
// unset where ctx ended before; then whoever is being evaluated is left behind.
func (r *run) all(ctx context.Context, xs [][]float64) (out []individual.Verdict, ok bool) {
	verdicts := make([]individual.Verdict, len(xs))
	done := make(chan struct{})
	go func() {
		defer close(done)
		parallel(ctx, len(xs), func(i int) { verdicts[i] = r.judge.Of(xs[i]) })
	}()
	select {
	case <-done:
		return verdicts, ctx.Err() == nil
	case <-ctx.Done():
		return nil, false
	}
}
