// Package serve is the whole main of a plugin:
//
//	func main() { serve.Solver(mySolver{}) }
//	func main() { serve.Strategy(myStrategy{}) }
//
// Between the wire and the implementation it does what every plugin needs and
// no author should have to write: problems arrive validated; options that
// Describe does not list, and forms or goals it does not serve, are refused;
// deltas are applied for solvers that are not incremental; one Solve runs at a
// time unless Describe says Concurrent; a panic in a call becomes that call's
// error; progress reports never block; whatever the process prints goes to
// standard error, where the host reads it; and the process ends when its host
// is gone.
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
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// Solver serves impl until the host closes the connection, then returns or
// ends the process. If impl is an sdk.Incremental, problems are loaded into
// it; otherwise deltas are applied here. Run by hand, it prints what the
// program is and exits with code 1.
func Solver(impl sdk.Solver) {
	run("solver", func(s *grpc.Server) { solverv1.RegisterSolverServer(s, newSolver(impl)) })
}

// Strategy serves impl until the host closes the connection, then returns or
// ends the process. Run by hand, it prints what the program is and exits with
// code 1.
func Strategy(impl sdk.Strategy) {
	run("strategy", func(s *grpc.Server) { strategyv1.RegisterStrategyServer(s, newStrategy(impl)) })
}

// RegisterSolver puts impl on a gRPC server of the caller's own, with all the
// care of Solver but without the process around it: for tests and for hosts
// that embed a solver. Create the server with ServerOptions.
func RegisterSolver(s grpc.ServiceRegistrar, impl sdk.Solver) {
	solverv1.RegisterSolverServer(s, newSolver(impl))
}

// RegisterStrategy is RegisterSolver for a strategy.
func RegisterStrategy(s grpc.ServiceRegistrar, impl sdk.Strategy) {
	strategyv1.RegisterStrategyServer(s, newStrategy(impl))
}

// ServerOptions are the options a plugin's gRPC server needs: sizes, windows,
// and panics turned into errors.
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
// questions collects after every 4 MB, which is one question. Its pages are never touched, so they take
// no memory.
var ballast []byte //nolint:unused // held, not read

// ballastSize lets up to 32 MB of garbage gather in a small process.
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
	// Ctrl-C and closed pipes are the host's to deal with: it ends its plugins.
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
