package client

import (
	"context"
	"sync"
)

// GiveUp returns a context for calls of a solver, and a function that ends them
// because nothing they could still say is wanted: a plugin then gets
// Config.KillGrace and no more, whatever pieces it has to hand over. It may be
// called when ctx has ended already, more than once, and from
// SolveOptions.Pieces. Call it at the end in any case, as a cancel function.
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
