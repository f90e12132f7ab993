// Package clock measures how long a piece of work has taken: in wall time, or in
// processor time of a process and its descendants.
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

// Clock measures time from the start of the work. Safe for concurrent use.
type Clock struct {
	// Begun is the wall time of the start.
	Begun time.Time
	// spent returns the processor time so far; nil: the clock measures wall time.
	spent func() time.Duration
}

// Wall returns a clock of wall time.
func Wall(begun time.Time) *Clock { return &Clock{Begun: begun} }

// Named returns the clock of a name; an empty name means WallTime. CPUTime counts from the
// start of this process. It is an error if the clock is unknown, or if the system does not
// report processor times.
func Named(name string, begun time.Time) (*Clock, error) {
	switch name {
	case "", WallTime:
		return Wall(begun), nil
	case CPUTime:
		return Of(os.Getpid(), begun)
	}
	return nil, fmt.Errorf("unknown clock %q: want %s or %s", name, WallTime, CPUTime)
}

// Of returns a clock of the processor time of a process that began at begun.
func Of(pid int, begun time.Time) (*Clock, error) {
	spent, err := processorTime(pid)
	if err != nil {
		return nil, fmt.Errorf("clock %s: %w", CPUTime, err)
	}
	return &Clock{begun, spent}, nil
}

// patience is the wall time allowed per second of a limit in processor time, since work that
// waits uses no processor time.
const patience = 10

// Longest returns the longest wall time that work can take under a limit on the clock of
// that name.
func Longest(name string, limit time.Duration) time.Duration {
	if name != CPUTime {
		return limit
	}
	if most := time.Duration(1 << 62); limit > most/patience {
		return most
	}
	return patience * limit
}

// IsWall reports whether the clock measures wall time.
func (c *Clock) IsWall() bool { return c.spent == nil }

// Elapsed returns the time since the start of the work.
func (c *Clock) Elapsed() time.Duration {
	if c.spent == nil {
		return time.Since(c.Begun)
	}
	return c.spent()
}

// Until returns a context that ends when the clock reaches limit, or after the wall time of
// Longest; its cause is then context.DeadlineExceeded.
func (c *Clock) Until(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if c.spent == nil {
		return context.WithDeadline(ctx, c.Begun.Add(limit))
	}
	return c.watch(ctx, limit, c.Begun.Add(Longest(CPUTime, limit)))
}

// Within is Until for a limit that counts from now.
func (c *Clock) Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if c.spent == nil {
		return context.WithTimeout(ctx, limit)
	}
	return c.watch(ctx, c.Elapsed()+limit, time.Now().Add(Longest(CPUTime, limit)))
}

// watchEvery is the shortest sleep of watch.
const watchEvery = 2 * time.Millisecond

// watch returns a context that ends when the processor time is used up. To cost little, it
// sleeps for the time in which all processors together could use the rest.
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
