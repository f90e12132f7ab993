package main

import (
	"context"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/watch"
)

// listener hears the events of all runs of a question for the watch. They come
// on the thread that asked for the run.
type listener struct {
	*watch.Watch
	q       *question
	spent   int64 // nodes of the runs before this one
	bounded bool  // a relaxation was told of
}

// listen starts the watch; End it. A start that is a point already is the first
// incumbent.
func (q *question) listen(ctx context.Context) *listener {
	l := &listener{Watch: watch.Start(ctx, q.Question), q: q}
	if x := q.start(); x != nil {
		l.found(x)
	}
	return l
}

// over reports that the runs are to stop.
func (l *listener) over() bool {
	_, stopped := l.Stopped()
	return stopped
}

// event hears of a run; whether its bounds count is the member's matter.
func (l *listener) event(e lpsolve.Event, trusted bool) (stop bool) {
	if e.Values != nil {
		if x := restore(l.q.MILP, l.q.order, e.Values); l.q.keeps(x) {
			l.found(x)
		}
	}
	nodes := l.spent + e.Nodes
	l.Searched(nodes)
	if e.Relaxed && trusted && !l.bounded {
		l.bounded = true
		l.Bounded(e.Relaxation * sign(l.q.MILP.Objective.Maximise))
	}
	if limit := l.q.Options.WorkLimit; limit > 0 && nodes >= limit {
		l.Stop(sdk.WorkLimit)
	}
	return l.over()
}

// found takes a point that keeps the rows for the incumbent, if it is better.
func (l *listener) found(x []float64) {
	if l.Found(x) && l.q.suffices(x) {
		l.Stop(sdk.NoReason)
	}
}
