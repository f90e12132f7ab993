package client

import (
	"context"
	"sync"
)

// GiveUp returns a context for calls of a solver, and a function that ends these
// calls when their results are no longer wanted: a plugin then gets only
// Config.KillGrace, even if it has pieces to hand over. The function may be called
// more than once, after ctx has ended, and from SolveOptions.Pieces. Like a cancel
// function, it must be called in the end.
func GiveUp(ctx context.Context) (calls context.Context, giveUp func()) {
	up := make(chan struct{})
	calls, cancel := context.WithCancel(context.WithValue(ctx, givenUpKey{}, up))
	return calls, sync.OnceFunc(func() {
		close(up)
		cancel()
	})
}

type givenUpKey struct{}

// givenUp is closed when a call's result is no longer wanted; nil if the caller cannot give up.
func givenUp(ctx context.Context) <-chan struct{} {
	up, _ := ctx.Value(givenUpKey{}).(chan struct{})
	return up
}
