package serve

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// recoverUnary turns a panic in a call into its error and gives errors their
// codes.
func recoverUnary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	defer func() { err = caught(recover(), info.FullMethod, err) }()
	return handler(ctx, request)
}

// recoverStream is recoverUnary for streams.
func recoverStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	defer func() { err = caught(recover(), info.FullMethod, err) }()
	return handler(server, stream)
}

// caught is the wire's form of a call's error, or of what it panicked with.
func caught(panicked any, method string, err error) error {
	if panicked == nil {
		return wire.ToStatus(err)
	}
	fmt.Fprintf(os.Stderr, "panic in %s: %v\n%s", method, panicked, debug.Stack())
	return status.Errorf(codes.Internal, "the plugin panicked: %v", panicked)
}

// described is an implementation's description, asked for when it is first
// needed. An error is not kept: the next call asks again.
type described struct {
	ask func(context.Context) (sdk.Description, error)

	mu    sync.Mutex
	known *sdk.Description
}

func (d *described) get(ctx context.Context) (*sdk.Description, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		description, err := d.ask(ctx)
		if err != nil {
			return nil, err
		}
		d.known = &description
	}
	return d.known, nil
}
