package main

import (
	"context"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
)

// limits end a check from outside. Z3 has limits of its own; these are kept
// the same way in all of its versions.
type limits struct {
	ctx      context.Context
	deadline time.Time // zero: none
	memory   int64     // bytes that Z3 may hold; 0: no limit
}

// reached tells which limit is, if one is.
func (l *limits) reached(lib *z3.Lib) cause {
	switch {
	case l.ctx.Err() != nil:
		return cancelled
	case !l.deadline.IsZero() && !time.Now().Before(l.deadline):
		return outOfTime
	case l.memory > 0 && lib.Allocated() > l.memory:
		return outOfMemory
	}
	return running
}

// How often limits are looked at, and an interruption repeated: one that comes
// before the check has begun is lost.
const watchEvery = 5 * time.Millisecond

// check runs one check under the limits. Where they interrupt it, the cause is
// given and the context is good for closing only, even if there is an answer.
func (l *limits) check(lib *z3.Lib, x *z3.Context, s *z3.Solver) (a z3.Answer, native string, c cause) {
	if c := l.reached(lib); c != running {
		return z3.Undef, "not started", c
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
			if c == running {
				c = l.reached(lib)
			}
			if c != running {
				x.Interrupt()
			}
		}
	})
	a, native = s.Check()
	close(over)
	watcher.Wait()
	return a, native, c
}
