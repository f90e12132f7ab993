package milp

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

// every is the interval between progress reports and between checks of the memory.
const every = 50 * time.Millisecond

// Monitor watches all runs of one Question. Its methods are safe for concurrent
// use and quick, so that they may be called from a library's threads;
// Options.Progress is called from one goroutine.
type Monitor struct {
	q    Question
	over chan struct{}
	done sync.WaitGroup

	mu      sync.Mutex
	stopped bool
	reason  sdk.Reason
	latest  sdk.Progress
	best    []float64
	told    bool // best has been reported, or is still nil
	moved   bool // bound or nodes changed since the last report
}

// Watch starts a monitor; the caller must call End. If ctx is done already, the
// search is stopped before it begins.
func Watch(ctx context.Context, q Question) *Monitor {
	m := &Monitor{q: q, over: make(chan struct{}), told: true}
	if ctx.Err() != nil {
		m.Stop(sdk.Interrupted)
	}
	m.done.Go(func() { m.loop(ctx) })
	return m
}

// End stops the monitor, after a last report if there is news; afterwards nothing is
// reported. Call it once.
func (m *Monitor) End() {
	close(m.over)
	m.done.Wait()
}

func (m *Monitor) loop(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var late <-chan time.Time
	if left := m.q.Left(); left >= 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		late = timer.C
	}
	gone := ctx.Done()
	for {
		select {
		case <-gone:
			gone = nil
			m.Stop(sdk.Interrupted)
		case <-late:
			m.Stop(sdk.TimeLimit)
		case <-tick.C:
			if limit := m.q.Options.Memory; limit > 0 && Memory() > limit {
				m.Stop(sdk.MemoryLimit)
			}
			m.report()
		case <-m.over:
			m.report()
			return
		}
	}
}

// Stop asks the search to stop, and says why: NoReason if the question is answered.
// The first reason counts.
func (m *Monitor) Stop(reason sdk.Reason) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.stopped {
		m.stopped, m.reason = true, reason
	}
}

// Stopped reports whether the search must stop, and why.
func (m *Monitor) Stopped() (reason sdk.Reason, stopped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reason, m.stopped
}

// Incumbent returns the best point found, or nil. Callers must not modify it.
func (m *Monitor) Incumbent() []float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.best
}

// Found makes x, a feasible point in the problem's column order, the incumbent if it
// is the first point or better than the incumbent. The monitor then keeps x.
func (m *Monitor) Found(x []float64) (taken bool) {
	v := m.q.Objective(x)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.best != nil && !(m.q.WantsBest() && m.q.Better(v, m.latest.Objective)) {
		return false
	}
	m.best, m.latest.Objective, m.told = x, v, false
	return true
}

// Searched sets the number of nodes searched so far, in all runs.
func (m *Monitor) Searched(nodes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if nodes != m.latest.Nodes {
		m.latest.Nodes, m.moved = nodes, true
	}
}

// Bounded sets the dual bound: no point of the whole problem is better. An infinite bound is
// ignored, and so is any bound if the question has no objective.
func (m *Monitor) Bounded(bound float64) {
	if !m.q.WantsBest() || math.IsInf(bound, 0) || math.IsNaN(bound) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.latest.HasBound || bound != m.latest.Bound {
		m.latest.Bound, m.latest.HasBound, m.moved = bound, true, true
	}
}

// report passes news to Options.Progress.
func (m *Monitor) report() {
	m.mu.Lock()
	p := m.latest
	fresh := !m.told || m.moved
	if !m.told {
		p.Values = problem.Floats(m.best)
	}
	m.told, m.moved = true, false
	m.mu.Unlock()
	if fresh && m.q.Options.Progress != nil {
		p.Elapsed = time.Since(m.q.Begin)
		m.q.Options.Progress(p)
	}
}

// Memory returns the memory of this process, in bytes; 0 if it is not known. It is for
// libraries without a memory limit.
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
