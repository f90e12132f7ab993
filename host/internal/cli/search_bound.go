package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/sdk/problem"
)

// bound asks a solver for the largest k, within the limit.
func (j *searchJob) bound(ctx context.Context, limit time.Duration, best *searchBest) (*search.Bound, error) {
	p, err := j.app.prover(ctx, problem.MaxK)
	if err != nil {
		return nil, err
	}
	defer p.close()
	b, err := p.maxK(ctx, j.query, limit)
	if b == nil {
		return nil, err
	}
	if best != nil {
		if err := b.Hold(best.K); err != nil {
			return nil, fmt.Errorf("--bound: %w", err)
		}
	}
	return b, err
}

// printBound tells a person; nil: there is nothing to tell.
func printBound(w io.Writer, b *search.Bound) {
	if b == nil {
		return
	}
	fmt.Fprintf(w, "\nNobody reaches more than k = %d, proved (%s) by %s in %.1f s", b.MaxK, b.Grade, b.Solver, b.Seconds)
	if b.Certified {
		fmt.Fprintf(w, ": Max.K = %d, certified", b.MaxK)
	}
	fmt.Fprintln(w, ".")
}
