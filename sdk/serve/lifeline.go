package serve

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"

	"google.golang.org/grpc/stats"
)

// lifeline watches the connections and ends the process when the last one closes.
// The kernel closes the connections of a host that was killed, so this works without
// the host, within a few milliseconds.
type lifeline struct {
	// stdout and stderr are descriptors 1 and 2, and both go to standard error.
	// They must stay referenced: the finaliser of a file closes its descriptor.
	stdout, stderr *os.File

	mu     sync.Mutex
	open   int
	socket string
}

// TagConn remembers the socket's path, to be removed at an abrupt end.
func (l *lifeline) TagConn(ctx context.Context, info *stats.ConnTagInfo) context.Context {
	if a, ok := info.LocalAddr.(*net.UnixAddr); ok {
		l.mu.Lock()
		l.socket = a.Name
		l.mu.Unlock()
	}
	return ctx
}

// HandleConn counts the open connections, and ends the process when the last one closes.
func (l *lifeline) HandleConn(_ context.Context, s stats.ConnStats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch s.(type) {
	case *stats.ConnBegin:
		if l.open++; l.open == 1 {
			// go-plugin's Serve has set these to pipes whose text would be sent
			// in gRPC messages, block if the host is slow, and be lost in a
			// crash. Standard error avoids these problems.
			os.Stdout, os.Stderr = l.stdout, l.stderr
		}
	case *stats.ConnEnd:
		if l.open--; l.open == 0 {
			l.exit()
		}
	}
}

func (l *lifeline) exit() {
	if l.socket != "" {
		os.Remove(l.socket)
		os.Remove(filepath.Dir(l.socket)) // succeeds only if the host made the folder for this plugin
	}
	os.Exit(0)
}

// TagRPC does nothing; stats.Handler requires it.
func (l *lifeline) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC does nothing; stats.Handler requires it.
func (l *lifeline) HandleRPC(context.Context, stats.RPCStats) {}
