package serve

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// recoverUnary turns a panic in a call into an error, and gives errors their codes.
func recoverUnary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (response any, err error) {
	defer func() { err = caught(recover(), info.FullMethod, err) }()
	return handler(ctx, request)
}

// recoverStream is recoverUnary for streams.
func recoverStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	defer func() { err = caught(recover(), info.FullMethod, err) }()
	return handler(server, stream)
}

// caught returns a call's error as a gRPC status. A panic becomes an Internal error that says
// where it occurred; the method and the stack go to standard error.
func caught(panicked any, method string, err error) error {
	if panicked == nil {
		return wire.ToStatus(err)
	}
	fmt.Fprintf(os.Stderr, "panic in %s: %v\n%s", method, panicked, debug.Stack())
	return status.Errorf(codes.Internal, "the plugin panicked: %v%s", panicked, place())
}

// place returns where the recovered panic occurred, as " (at strategy.go:12)": the innermost
// line of package main or, if there is none, the innermost line outside the runtime.
func place() string {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking, innermost := false, ""
	for {
		f, more := frames.Next()
		switch at := fmt.Sprintf(" (at %s:%d)", filepath.Base(f.File), f.Line); {
		case f.Function == "runtime.gopanic":
			panicking = true
		case !panicking || strings.HasPrefix(f.Function, "runtime."):
		case strings.HasPrefix(f.Function, "main."):
			return at
		case innermost == "":
			innermost = at
		}
		if !more {
			return innermost
		}
	}
}

// described is an implementation's description, requested when it is first needed.
// Errors are not stored: the next call asks again.
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
