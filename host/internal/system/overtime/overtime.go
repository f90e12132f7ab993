// Package overtime abandons computations that do not check a context, such as bounds of a
// wide network, once their context has ended.
package overtime

import (
	"context"
	"time"
)

// Allowed is the time that work may take after its context has ended. An unresponsive plugin
// is killed after half of it; the rest is for replaying its last message.
const Allowed = time.Second

// Within runs work, and abandons it if it is still running when ctx has been over for the time
// Allowed; ok is then false. Abandoned work continues until it notices that its own context has
// ended. It must not touch anything that another goroutine reads afterwards.
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
