// Package overtime ends what does not hear that its time is over: a computation
// without a context in it, such as bounds of a wide network, is left behind.
package overtime

import (
	"context"
	"time"
)

// Allowed is how long work may go on after its context has ended: a plugin that
// hears nothing is killed after half of it, and the rest is for the replay of what
// it said last.
const Allowed = time.Second

// Within does the work, and leaves it behind where it has not returned when ctx
// has been over for as long as is Allowed: ok is false then, and the work goes on
// by itself, until it sees that left has ended. It must touch nothing that another
// goroutine looks at afterwards.
func Within[T any](ctx context.Context, work func(left context.Context) T) (out T, ok bool) {
	left, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	if ctx.Done() == nil {
		return work(left), true
	}
	done := make(chan T, 1)
	go func() { done <- work(left) }()
	select {
	case out = <-done:
		return out, true
	case <-ctx.Done():
	}
	late := time.NewTimer(Allowed)
	defer late.Stop()
	select {
	case out = <-done:
		return out, true
	case <-late.C:
		return out, false
	}
}
