package client

import (
	"context"
	"sync"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// guard stops a call when its context ends or its time limit passes.
type guard struct {
	done   chan struct{}
	ended  chan struct{}
	once   sync.Once
	reason sdk.Reason // valid when ended is closed
	pulse  pulse
}

// watch waits for ctx or the time limit, then interrupts the call, then kills
// the process when the pulse's patience is over. A plugin gets a quarter of the
// grace period to keep its time limit by itself before it is interrupted.
func (p *Plugin) watch(ctx context.Context, proc *process, number uint64, limit time.Duration) *guard {
	g := &guard{done: make(chan struct{}), ended: make(chan struct{})}
	grace, used := p.config.KillGrace, time.Duration(0)
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit + grace/4)
	}
	go func() {
		defer close(g.ended)
		select {
		case <-g.done:
			return
		case <-ctx.Done():
			g.reason = reasonOf(ctx)
		case <-late:
			g.reason = sdk.TimeLimit
			used = grace / 4
		}
		interrupt, cancel := context.WithCancel(context.Background())
		defer cancel()
		go proc.interrupt(interrupt, number)
		g.pulse.begin(time.Now(), used)
		up := givenUp(ctx)
		for wait := grace - used; wait > 0; wait = g.pulse.patience(time.Now(), grace, p.config.HandOver) {
			select {
			case <-g.done:
				return
			case <-time.After(wait):
			case <-up:
				g.pulse.unheeded(time.Now())
				up = nil
			}
		}
		_ = proc.run.Kill(interrupt)
		<-proc.run.exited
	}()
	return g
}

// interrupt asks the call to stop, again and again until ctx ends: the first
// request may arrive before the plugin has unpacked the problem. A plugin that
// does not implement Interrupt is killed in the end.
func (p *process) interrupt(ctx context.Context, number uint64) {
	for ctx.Err() == nil {
		if _, err := solverv1.NewSolverClient(p.conn).Interrupt(ctx, &solverv1.InterruptRequest{Call: number}); err != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(wire.ProgressEvery):
		}
	}
}

// timed returns a handler that calls take, and tells the pulse when take begins and
// returns. Only pieces show that a plugin is stopping: one that cannot stop may still
// report progress.
func (g *guard) timed(take func(*solverv1.Pieces) error) func(*solverv1.Pieces) error {
	return func(m *solverv1.Pieces) error {
		g.pulse.arrived(time.Now())
		defer func() { g.pulse.taken(time.Now()) }()
		return take(m)
	}
}

// stop ends the watch and returns why the call was stopped, if it was.
func (g *guard) stop() sdk.Reason {
	g.once.Do(func() { close(g.done) })
	<-g.ended
	return g.reason
}

// pulse records when pieces arrived and how long this side processed them. The zero
// value is for a call that has not yet been asked to stop. Safe for concurrent use.
type pulse struct {
	mu    sync.Mutex
	began time.Time     // when the call was asked to stop; zero before
	heard time.Time     // time of the last message
	busy  time.Time     // when the processing of pieces began; zero if none is under way
	here  time.Duration // time spent on pieces since began
	// unwanted: pieces no longer prolong the wait.
	unwanted bool
}

// begin marks the moment when the call is asked to stop; used is the part of the
// grace period that has already passed.
func (p *pulse) begin(now time.Time, used time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began, p.heard, p.here = now, now.Add(-used), 0
	if !p.busy.IsZero() {
		p.busy = now
	}
}

// unheeded marks the moment from which pieces no longer prolong the wait.
func (p *pulse) unheeded(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard, p.unwanted = now, true
}

func (p *pulse) arrived(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = now
}

func (p *pulse) taken(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.here += now.Sub(p.busy)
	p.busy = time.Time{}
	if !p.unwanted {
		p.heard = now
	}
}

// patience is how long to wait before the next check. It is 0 if no message came within
// grace, or if the plugin's own time exceeds limit. Time in which pieces are processed here
// counts for neither.
func (p *pulse) patience(now time.Time, grace, limit time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.busy.IsZero() && !p.unwanted {
		return grace
	}
	own := now.Sub(p.began) - p.here
	return max(0, min(grace-now.Sub(p.heard), limit-own))
}
