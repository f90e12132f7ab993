// Package serve runs a plugin. A plugin's main is one call:
//
//	func main() { serve.Solver(mySolver{}) }
//	func main() { serve.Strategy(myStrategy{}) }
//	func main() { serve.Model(myModel{}) }
//
// Between the wire and the implementation it does what every plugin needs: it
// validates problems; refuses options, forms and goals that Describe does not list;
// applies deltas for solvers that are not incremental; runs one Solve at a time
// unless Describe says Concurrent; turns a panic in a call into that call's error;
// reports progress without blocking; sends everything that the process prints to
// standard error, where the host reads it; and ends the process when its host has
// ended.
package serve

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/modelv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// Solver serves impl until the host closes the connection, then returns or
// ends the process. If impl is an sdk.Incremental, problems are loaded into
// it; otherwise this package applies deltas. In a program started by hand, it prints
// what the program is and exits with code 1.
func Solver(impl sdk.Solver) {
	run("solver", func(s *grpc.Server) { solverv1.RegisterSolverServer(s, newSolver(impl)) })
}

// Strategy serves impl until the host closes the connection, then returns or
// ends the process. In a program started by hand, it prints what the program is and
// exits with code 1.
func Strategy(impl sdk.Strategy) {
	run("strategy", func(s *grpc.Server) { strategyv1.RegisterStrategyServer(s, newStrategy(impl)) })
}

// Model serves impl until the host closes the connection, then returns or ends the
// process. In a program started by hand, it prints what the program is and exits with
// code 1.
func Model(impl sdk.Model) {
	run("model", func(s *grpc.Server) { RegisterModel(s, impl) })
}

// RegisterSolver registers impl on the caller's gRPC server. It does everything that
// Solver does for calls, and nothing to the process: for tests and for hosts that
// embed a solver. Create the server with ServerOptions.
func RegisterSolver(s grpc.ServiceRegistrar, impl sdk.Solver) {
	solverv1.RegisterSolverServer(s, newSolver(impl))
}

// RegisterStrategy is RegisterSolver for a strategy.
func RegisterStrategy(s grpc.ServiceRegistrar, impl sdk.Strategy) {
	strategyv1.RegisterStrategyServer(s, newStrategy(impl))
}

// RegisterModel is RegisterSolver for a model.
func RegisterModel(s grpc.ServiceRegistrar, impl sdk.Model) {
	modelv1.RegisterModelServer(s, &served{impl: impl, description: described{ask: impl.Describe}})
}

// ServerOptions returns the options that a plugin's gRPC server needs: message sizes,
// flow control windows, and interceptors that turn panics into errors.
func ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.InitialWindowSize(wire.StreamWindow),
		grpc.InitialConnWindowSize(wire.ConnWindow),
		grpc.ChainUnaryInterceptor(recoverUnary),
		grpc.ChainStreamInterceptor(recoverStream),
	}
}

// ballast raises the heap size at which the garbage collector starts. Without it a solver of small
// problems collects garbage after every 4 MB, about one problem. Its pages are never touched, so they
// take no memory.
var ballast []byte //nolint:unused // held, not read

// ballastSize lets a small process gather up to 32 MB of garbage.
const ballastSize = 32 << 20

func run(kind string, register func(*grpc.Server)) {
	if os.Getenv(wire.Handshake.MagicCookieKey) != wire.Handshake.MagicCookieValue {
		fmt.Fprintf(os.Stderr, "%s is a %s plugin of hyfair and is started by hyfair, not by hand: "+
			"put it into a plugin folder and run `hyfair plugins` to see it.\n", os.Args[0], kind)
		os.Exit(1)
	}
	ballast = make([]byte, ballastSize)
	stdout, stderr := os.Stdout, os.Stderr
	if err := divertStdout(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot keep standard output free for the handshake: %v\n", err)
		os.Exit(1)
	}
	// The host handles Ctrl-C and closed pipes: it ends its plugins.
	signal.Ignore(os.Interrupt, syscall.SIGPIPE)
	go exitWithParent(os.Getppid())

	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(&wire.Service{Register: register}),
		Logger:           hclog.New(&hclog.LoggerOptions{Name: "serve", Level: hclog.Warn, Output: stderr}),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			options = append(options, ServerOptions()...)
			return grpc.NewServer(append(options, grpc.StatsHandler(&lifeline{stdout: stdout, stderr: stderr}))...)
		},
	})
}
