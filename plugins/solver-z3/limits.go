package main

import (
	"context"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
)

// limits end a check from outside. Z3 has limits of its own; these are kept
// the same way in all of its versions.
type limits struct {
	ctx      context.Context
	deadline time.Time // zero: none
	memory   int64     // bytes that Z3 may hold; 0: no limit
}

// reached tells which limit is, if one is.
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

// How often limits are looked at, and an interruption repeated: one that comes
// before the check has begun is lost.
const watchEvery = 5 * time.Millisecond

// check runs one check under the limits. Where they interrupt it, the reason is
// given and the context is good for closing only, even if there is an answer.
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
