package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	goplugin "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/modelv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// process is one start of a plugin, connected and described.
type process struct {
	run         *runner
	library     *plugin.Client
	conn        *grpc.ClientConn
	sockets     string // the folder of its socket
	description sdk.Description
}

// start starts a process, without TLS if the plugin turns out not to offer it. The
// caller holds p.mu.
func (p *Plugin) start(ctx context.Context) (*process, error) {
	proc, err := p.startOnce(ctx)
	if errors.Is(err, errNoTLS) {
		p.tls = false
		proc, err = p.startOnce(ctx)
	}
	return proc, err
}

func (p *Plugin) startOnce(caller context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(caller, p.config.StartTimeout)
	defer cancel()
	proc := &process{run: newRunner(&p.config, p.output)}
	proc.library = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(&wire.Service{}),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         p.tls,
		Logger:           hclog.NewNullLogger(),     // startError explains failures better
		StartTimeout:     2 * p.config.StartTimeout, // ctx ends first
		SyncStdout:       p.output,
		SyncStderr:       p.output,
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: socketParent()},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxAnswer)),
			grpc.WithInitialWindowSize(wire.StreamWindow),
			grpc.WithInitialConnWindowSize(wire.ConnWindow),
			grpc.WithIdleTimeout(0), // a plugin ends when its connection does
		},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, sockets string) (goplugin.Runner, error) {
			proc.sockets = sockets
			proc.run.cmd.Env = append(spec.Env, p.config.Env...)
			return proc.run, nil
		},
	})
	// Killing the process makes everything below return.
	stop := context.AfterFunc(ctx, func() { _ = proc.run.Kill(ctx) })
	err := p.connect(ctx, proc)
	if stop() && err == nil {
		return proc, nil
	}
	late := ctx.Err() != nil
	proc.end()
	if errors.Is(err, errNoTLS) {
		return nil, err
	}
	if caller.Err() != nil {
		return nil, fmt.Errorf("starting %s: %w", p, caller.Err())
	}
	return nil, p.startError(proc.run, late, err)
}

// connect starts the process, connects to it and asks for its description.
func (p *Plugin) connect(ctx context.Context, proc *process) error {
	if _, err := proc.library.Start(); err != nil {
		return err
	}
	line, _ := proc.run.handshake()
	if err := checkTransport(line, p.tls); err != nil {
		return err
	}
	protocol, err := proc.library.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(wire.Name)
	if err != nil {
		return err
	}
	proc.conn = raw.(*grpc.ClientConn)
	proc.description, err = describe(ctx, p.config.Kind, proc.conn)
	return err
}

// describe asks for the description; it is also the first sign of life over
// the connection.
func describe(ctx context.Context, kind Kind, conn *grpc.ClientConn) (sdk.Description, error) {
	if kind == Solver {
		m, err := solverv1.NewSolverClient(conn).Describe(ctx, &solverv1.DescribeRequest{})
		if err != nil {
			return sdk.Description{}, &describeError{err}
		}
		d, err := frompb.SolverDescription(m.Description)
		return d, garbage("describe", err)
	}
	if kind == Model {
		m, err := modelv1.NewModelClient(conn).Describe(ctx, &modelv1.DescribeRequest{})
		if err != nil {
			return sdk.Description{}, &describeError{err}
		}
		d, err := frompb.ModelDescription(m.Description)
		return d, garbage("describe", err)
	}
	m, err := strategyv1.NewStrategyClient(conn).Describe(ctx, &strategyv1.DescribeRequest{})
	if err != nil {
		return sdk.Description{}, &describeError{err}
	}
	d, err := frompb.StrategyDescription(m.Description)
	return d, garbage("describe", err)
}

// socketParent is where the folders of sockets go: the temporary folder,
// unless its name is so long that a socket's path would not fit the 104 bytes
// that systems allow. Empty stands for the temporary folder.
func socketParent() string {
	if len(os.TempDir()) > 50 {
		return "/tmp"
	}
	return ""
}

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.run.exited:
		return false
	default:
		return true
	}
}

// end kills the process and waits until nothing is left of it.
func (p *process) end() {
	_ = p.run.Kill(context.Background())
	p.close(0)
}

// close ends the process, by force after the grace period, and returns when
// nothing is left of it. It may be called again.
func (p *process) close(grace time.Duration) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		p.library.Kill() // hangs if the process is suspended
	}()
	select {
	case <-closed:
	case <-time.After(grace):
		_ = p.run.Kill(context.Background())
		<-closed
	}
	// A process that never started does not close exited.
	if p.run.ID() != "" {
		<-p.run.exited
	}
	if p.sockets != "" {
		os.RemoveAll(p.sockets)
	}
}

// gone reports whether an error came from the end of the process and not from the
// plugin. The connection breaks a moment before the process is seen to end; a
// process that has closed its connection and still runs is killed.
func (p *process) gone() bool {
	select {
	case <-p.run.exited:
		return true
	case <-time.After(2 * lastWords):
	}
	if p.conn.GetState() == connectivity.Ready {
		return false
	}
	p.end()
	return true
}
