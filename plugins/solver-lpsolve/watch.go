package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// cause is why the runs are to stop.
type cause int

const (
	running cause = iota
	cancelled
	outOfTime
	outOfWork
	outOfMemory
	answered
)

// reason is the sdk's word for a run that stopped for the cause.
func (c cause) reason() sdk.Reason {
	switch c {
	case outOfTime:
		return sdk.TimeLimit
	case outOfWork:
		return sdk.WorkLimit
	case outOfMemory:
		return sdk.MemoryLimit
	case answered:
		return sdk.NoReason
	}
	return sdk.Interrupted
}

// How often progress is handed on and memory looked at.
const watchEvery = 50 * time.Millisecond

// watch is the eye on all runs of a question: it listens to lp_solve's
// callbacks, which decide when to stop, and from a goroutine of its own tells
// of progress and keeps the limits that are not counted in work.
type watch struct {
	q    *question
	over chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	stop   cause
	latest sdk.Progress
	spent  int64     // nodes of the runs before this one
	best   []float64 // the incumbent, nil for none
	told   bool      // best is in a progress report, or there is nothing to tell
	moved  bool      // bound or nodes changed since the last report
}

// newWatch starts watching; end it. A start that is a point already is the
// first incumbent.
func newWatch(ctx context.Context, q *question) *watch {
	w := &watch{q: q, over: make(chan struct{}), told: true}
	if ctx.Err() != nil {
		w.stop = cancelled
	}
	if x := q.start(); x != nil {
		w.found(x)
	}
	w.done.Add(1)
	go w.loop(ctx)
	return w
}

// end stops watching, with a last report where something is left to tell.
func (w *watch) end() {
	close(w.over)
	w.done.Wait()
}

func (w *watch) loop(ctx context.Context) {
	defer w.done.Done()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var late <-chan time.Time
	if left := w.q.left(); left >= 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		late = timer.C
	}
	gone := ctx.Done()
	for {
		select {
		case <-gone:
			gone = nil
			w.halt(cancelled)
		case <-late:
			w.halt(outOfTime)
		case <-tick.C:
			if limit := w.q.options.Memory; limit > 0 && residentMemory() > limit {
				w.halt(outOfMemory)
			}
			w.report()
		case <-w.over:
			w.report()
			return
		}
	}
}

// halt asks the run to stop; the first cause counts.
func (w *watch) halt(c cause) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == running {
		w.stop = c
	}
}

func (w *watch) why() cause {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stop
}

func (w *watch) incumbent() []float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.best
}

// event hears of a run; whether its bounds count is the member's matter.
func (w *watch) event(e lpsolve.Event, trusted bool) (stop bool) {
	if e.Values != nil {
		if x := restore(w.q.milp, w.q.order, e.Values); w.q.keeps(x) {
			w.found(x)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if nodes := w.spent + e.Nodes; nodes != w.latest.Nodes {
		w.latest.Nodes, w.moved = nodes, true
	}
	if e.Relaxed && trusted && !w.latest.HasBound && w.q.wantsBest() {
		w.latest.Bound, w.latest.HasBound, w.moved = e.Relaxation*sign(w.q.milp.Objective.Maximise), true, true
	}
	if limit := w.q.options.WorkLimit; limit > 0 && w.latest.Nodes >= limit && w.stop == running {
		w.stop = outOfWork
	}
	return w.stop != running
}

// ran adds a run's nodes to those spent.
func (w *watch) ran(nodes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent += nodes
}

// found takes a point that keeps the rows for the incumbent, if it is better.
func (w *watch) found(x []float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.q.objective(x)
	if w.best != nil && (!w.q.wantsBest() || !w.q.better(v, w.latest.Objective)) {
		return
	}
	w.best, w.latest.Objective, w.told = x, v, false
	if w.stop == running && w.q.suffices(x) {
		w.stop = answered
	}
}

// report hands on what is new.
func (w *watch) report() {
	w.mu.Lock()
	p := w.latest
	fresh := !w.told || w.moved
	if !w.told {
		p.Values = problem.Floats(w.best)
	}
	w.told, w.moved = true, false
	w.mu.Unlock()
	if fresh && w.q.options.Progress != nil {
		p.Elapsed = time.Since(w.q.begin)
		w.q.options.Progress(p)
	}
}

// residentMemory is this process's memory in bytes; 0 where the system does
// not tell. lp_solve has no memory limit of its own.
func residentMemory() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
