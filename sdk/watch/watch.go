package watch

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// How often progress is handed on and memory looked at.
const every = 50 * time.Millisecond

// Watch is the eye on all runs of one Question. Its methods are safe for
// concurrent use and quick, so that they may be called from the library's
// threads; Options.Progress is called from one goroutine.
type Watch struct {
	q    Question
	over chan struct{}
	done sync.WaitGroup

	mu      sync.Mutex
	stopped bool
	reason  sdk.Reason
	latest  sdk.Progress
	best    []float64
	told    bool // best is in a progress report, or there is nothing to tell
	moved   bool // bound or nodes changed since the last report
}

// Start begins to watch; End it. Where ctx is done already, the search is
// stopped before it begins.
func Start(ctx context.Context, q Question) *Watch {
	w := &Watch{q: q, over: make(chan struct{}), told: true}
	if ctx.Err() != nil {
		w.Stop(sdk.Interrupted)
	}
	w.done.Go(func() { w.loop(ctx) })
	return w
}

// End stops watching, with a last report where something is left to tell;
// afterwards nothing is reported. Call it once.
func (w *Watch) End() {
	close(w.over)
	w.done.Wait()
}

func (w *Watch) loop(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var late <-chan time.Time
	if left := w.q.Left(); left >= 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		late = timer.C
	}
	gone := ctx.Done()
	for {
		select {
		case <-gone:
			gone = nil
			w.Stop(sdk.Interrupted)
		case <-late:
			w.Stop(sdk.TimeLimit)
		case <-tick.C:
			if limit := w.q.Options.Memory; limit > 0 && Memory() > limit {
				w.Stop(sdk.MemoryLimit)
			}
			w.report()
		case <-w.over:
			w.report()
			return
		}
	}
}

// Stop says that the search is to stop, and why: NoReason where all that was
// asked for is there. The first reason counts.
func (w *Watch) Stop(reason sdk.Reason) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.stopped, w.reason = true, reason
	}
}

// Stopped reports whether the search is to stop, and why.
func (w *Watch) Stopped() (reason sdk.Reason, stopped bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reason, w.stopped
}

// Best is the best point found, nil for none; not to be modified.
func (w *Watch) Best() []float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.best
}

// Found takes x, a feasible point in the problem's column order, for the best
// one, and keeps it, if it is the first or better than those before.
func (w *Watch) Found(x []float64) (taken bool) {
	v := w.q.Objective(x)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.best != nil && !(w.q.WantsBest() && w.q.Better(v, w.latest.Objective)) {
		return false
	}
	w.best, w.latest.Objective, w.told = x, v, false
	return true
}

// Searched tells how many nodes were searched so far, in all runs.
func (w *Watch) Searched(nodes int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if nodes != w.latest.Nodes {
		w.latest.Nodes, w.moved = nodes, true
	}
}

// Bounded tells of a bound on the objective: no point of the whole problem is
// better. One that is infinite, or of a question that has no objective, is none.
func (w *Watch) Bounded(bound float64) {
	if !w.q.WantsBest() || math.IsInf(bound, 0) || math.IsNaN(bound) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.latest.HasBound || bound != w.latest.Bound {
		w.latest.Bound, w.latest.HasBound, w.moved = bound, true, true
	}
}

// report hands on what is new.
func (w *Watch) report() {
	w.mu.Lock()
	p := w.latest
	fresh := !w.told || w.moved
	if !w.told {
		p.Values = problem.Floats(w.best)
	}
	w.told, w.moved = true, false
	w.mu.Unlock()
	if fresh && w.q.Options.Progress != nil {
		p.Elapsed = time.Since(w.q.Begin)
		w.q.Options.Progress(p)
	}
}

// Memory is what this process holds, in bytes; 0 where the system does not
// tell. For libraries that have no memory limit of their own.
func Memory() int64 {
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
