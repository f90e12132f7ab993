package main

import (
	"sync/atomic"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/watch"
)

// listener hears HiGHS's events, which come on HiGHS's threads, for the watch.
// HiGHS keeps its time limit by itself, except where it forgets to; a memory
// limit it has none.
type listener struct {
	*watch.Watch
	q *question
	// aside: a narrower problem is being solved, whose points count and whose
	// bounds do not.
	aside atomic.Bool
}

// event is the highs.Handler.
func (l *listener) event(e highs.Event) (stop bool) {
	if e.Values != nil && l.q.MILP.Violation(e.Values) <= l.q.tolerance {
		if l.Found(e.Values) && l.q.ReachesTarget(e.Values) {
			l.Stop(sdk.NoReason)
		}
	}
	if !l.aside.Load() && (e.Kind == highs.MIPInterrupt || e.Kind == highs.MIPImproved) {
		l.Bounded(e.Bound)
		l.Searched(e.Nodes)
	}
	_, stop = l.Stopped()
	return stop
}
