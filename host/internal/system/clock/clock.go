// Package clock tells how long a piece of work has taken: in wall time, or in
// processor time of a process and of all that it started.
package clock

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"
)

// Names of clocks, for users.
const (
	WallTime = "wall"
	CPUTime  = "cpu"
)

// Clock shows 0 when the work begins. Safe for concurrent use.
type Clock struct {
	// Begun is when that was.
	Begun time.Time
	// spent is the processor time so far; nil: it shows wall time.
	spent func() time.Duration
}

// Wall shows wall time.
func Wall(begun time.Time) *Clock { return &Clock{Begun: begun} }

// Named is the clock of a name; none is WallTime. The work of CPUTime began with this
// process. An error says that the clock is unknown, or that the system does not tell
// processor times.
func Named(name string, begun time.Time) (*Clock, error) {
	switch name {
	case "", WallTime:
		return Wall(begun), nil
	case CPUTime:
		return Of(os.Getpid(), begun)
	}
	return nil, fmt.Errorf("clock %q is neither %s nor %s", name, WallTime, CPUTime)
}

// Of shows the processor time of a process, which began then.
func Of(pid int, begun time.Time) (*Clock, error) {
	spent, err := processorTime(pid)
	if err != nil {
		return nil, fmt.Errorf("clock %s: %w", CPUTime, err)
	}
	return &Clock{begun, spent}, nil
}

// patience is how much wall time work may take for each second of a limit in processor
// time: work that waits for something does not use any.
const patience = 10

// Longest is the wall time in which a limit on a clock of that name ends the work at the
// latest.
func Longest(name string, limit time.Duration) time.Duration {
	if name != CPUTime {
		return limit
	}
	if most := time.Duration(1 << 62); limit > most/patience {
		return most
	}
	return patience * limit
}

// IsWall reports that it shows wall time.
func (c *Clock) IsWall() bool { return c.spent == nil }

// Elapsed is what the clock shows.
func (c *Clock) Elapsed() time.Duration {
	if c.spent == nil {
		return time.Since(c.Begun)
	}
	return c.spent()
}

// Until ends when the clock shows the limit, or as late as Longest says: the cause is
// context.DeadlineExceeded then.
func (c *Clock) Until(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if c.spent == nil {
		return context.WithDeadline(ctx, c.Begun.Add(limit))
	}
	return c.watch(ctx, limit, c.Begun.Add(Longest(CPUTime, limit)))
}

// Within ends when the clock has advanced by limit, as Until does.
func (c *Clock) Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if c.spent == nil {
		return context.WithTimeout(ctx, limit)
	}
	return c.watch(ctx, c.Elapsed()+limit, time.Now().Add(Longest(CPUTime, limit)))
}

// watchEvery is how long a watch sleeps at least.
const watchEvery = 2 * time.Millisecond

// watch ends when the processor time is used up. So that it costs next to none itself, it
// sleeps as long as all processors together would take.
func (c *Clock) watch(ctx context.Context, limit time.Duration, latest time.Time) (context.Context, context.CancelFunc) {
	bounded, cancel := context.WithDeadline(ctx, latest)
	ctx, end := context.WithCancelCause(bounded)
	go func() {
		defer cancel()
		for {
			left := limit - c.spent()
			if left <= 0 {
				end(context.DeadlineExceeded)
				return
			}
			select {
			case <-time.After(max(left/time.Duration(runtime.NumCPU()), watchEvery)):
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { end(context.Canceled) }
}
