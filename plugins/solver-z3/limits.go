package main

import (
	"context"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
)

// limits end a check from outside. Z3 has its own limits, but these work the same way in
// all versions.
type limits struct {
	ctx      context.Context
	deadline time.Time // zero if there is none
	memory   int64     // bytes that Z3 may hold; 0: no limit
}

// reached returns the limit that is reached, NoReason if none is.
func (l *limits) reached(lib *z3.Lib) sdk.Reason {
	switch {
	case l.ctx.Err() != nil:
		return sdk.Interrupted
	case !l.deadline.IsZero() && !time.Now().Before(l.deadline):
		return sdk.TimeLimit
	case l.memory > 0 && lib.Allocated() > l.memory:
		return sdk.MemoryLimit
	}
	return sdk.NoReason
}

// watchEvery is the interval at which limits are checked and interruptions repeated: one
// that comes before the check has begun is lost.
const watchEvery = 5 * time.Millisecond

// check runs one check under the limits. If they interrupt it, why says which limit, and
// the context must only be closed, even if there is an answer.
func (l *limits) check(lib *z3.Lib, x *z3.Context, s *z3.Solver) (a z3.Answer, native string, why sdk.Reason) {
	if why := l.reached(lib); why != sdk.NoReason {
		return z3.Undef, "not started", why
	}
	over := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if why == sdk.NoReason {
				why = l.reached(lib)
			}
			if why != sdk.NoReason {
				x.Interrupt()
			}
		}
	})
	a, native = s.Check()
	close(over)
	watcher.Wait()
	return a, native, why
}
