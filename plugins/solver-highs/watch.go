package main

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// cause is why a run is to stop.
type cause int

const (
	running cause = iota
	cancelled
	outOfTime
	outOfMemory
	targetReached
)

// reason is the sdk's word for a run that stopped for the cause.
func (c cause) reason() sdk.Reason {
	switch c {
	case outOfTime:
		return sdk.TimeLimit
	case outOfMemory:
		return sdk.MemoryLimit
	case targetReached:
		return sdk.NoReason
	}
	return sdk.Interrupted
}

// How often progress is handed on and memory looked at.
const watchEvery = 50 * time.Millisecond

// watch is the eye on one run: it listens to HiGHS's events, which come on
// HiGHS's threads, and from a goroutine of its own tells of progress and
// decides when to stop.
type watch struct {
	q    *question
	over chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex
	stop   cause
	latest sdk.Progress
	best   []float64 // the incumbent, nil for none
	told   bool      // best is in a progress report, or there is nothing to tell
	moved  bool      // bound or nodes changed since the last report
	// aside: a narrower problem is being solved, whose points count and whose
	// bounds do not.
	aside bool
}

// newWatch starts watching; end it.
func newWatch(ctx context.Context, q *question) *watch {
	w := &watch{q: q, over: make(chan struct{}), told: true}
	if ctx.Err() != nil {
		w.stop = cancelled
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
	// HiGHS keeps its time limit by itself, except where it forgets to.
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

// event is the highs.Handler.
func (w *watch) event(e highs.Event) (stop bool) {
	good := e.Values != nil && w.q.milp.Violation(e.Values) <= w.q.tolerance
	w.mu.Lock()
	defer w.mu.Unlock()
	if good && (w.best == nil || w.q.better(w.q.objective(e.Values), w.q.objective(w.best))) {
		w.best, w.told = e.Values, false
		w.latest.Objective = w.q.objective(e.Values)
		if w.stop == running && w.q.reachesTarget(e.Values) {
			w.stop = targetReached
		}
	}
	if !w.aside && (e.Kind == highs.MIPInterrupt || e.Kind == highs.MIPImproved) {
		if bounded := !math.IsInf(e.Bound, 0) && w.q.wantsBest(); bounded && (!w.latest.HasBound || w.latest.Bound != e.Bound) {
			w.latest.Bound, w.latest.HasBound, w.moved = e.Bound, true, true
		}
		if w.latest.Nodes != e.Nodes {
			w.latest.Nodes, w.moved = e.Nodes, true
		}
	}
	return w.stop != running
}

// setAside says whether what runs is narrower than the question.
func (w *watch) setAside(aside bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.aside = aside
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
// not tell. HiGHS has no memory limit of its own.
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
