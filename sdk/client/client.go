// Package client is the host's side of the wire: it starts a plugin as a
// separate process and presents it as an sdk.Solver, sdk.Strategy or sdk.Model.
//
//	p, err := client.Launch(ctx, client.Config{Path: "plugins/hyfair-solver-highs", Kind: client.Solver})
//	if err != nil { ... }
//	defer p.Close()
//	result, err := p.Solver().Solve(ctx, problem, sdk.SolveOptions{TimeLimit: 10 * time.Second})
//
// Every call returns, whatever the plugin does. A plugin that hangs is interrupted and then
// killed; a crash becomes one error with the end of the plugin's output; an invalid answer
// is refused. The next call starts the plugin again and reloads its problems.
package client

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk"
)

// Kind says which interface a plugin serves.
type Kind uint8

const (
	// Solver plugins serve sdk.Solver.
	Solver Kind = iota + 1
	// Strategy plugins serve sdk.Strategy.
	Strategy
	// Model plugins serve sdk.Model.
	Model
)

// String gives the name used in messages.
func (k Kind) String() string { return named.Of(k, "solver", "strategy", "model") }

// ErrGarbage is wrapped by errors about invalid answers: an unknown status, a point of the
// wrong length, a NaN, a move out of order.
var ErrGarbage = errors.New("answered garbage")

// Config says what to start and how long to wait. Path and Kind are required;
// the other fields have sensible zero values.
type Config struct {
	// Path is the program, Args its arguments.
	Path string
	Args []string
	// Env is added to the host's environment, as "key=value".
	Env []string
	// Dir is the working directory; empty: the host's.
	Dir  string
	Kind Kind
	// Logger gets the plugin's output line by line at debug level; nil: none.
	Logger hclog.Logger
	// StartTimeout bounds a start, up to the answer to Describe; 0: 10 s.
	StartTimeout time.Duration
	// KillGrace is how long a plugin that was asked to stop may be silent before it is
	// killed; 0: 1 s. Every message with pieces restarts it.
	KillGrace time.Duration
	// HandOver is how long a plugin that was asked to stop may hand over pieces before it
	// is killed; 0: 10 min. Time within SolveOptions.Pieces does not count.
	HandOver time.Duration
	// NoTLS says that the plugin is known not to support TLS, and starts it without.
	// Otherwise TLS is tried first, and a plugin that does not offer it is started
	// again without it. Without TLS only a Unix socket is accepted.
	NoTLS bool
}

// Plugin is a launched plugin. Its methods may be called concurrently; unless
// the description says Concurrent, solves wait for one another.
type Plugin struct {
	config      Config
	description sdk.Description
	output      *ring
	calls       atomic.Uint64
	turn        chan struct{} // holds a token while a call of a solver runs

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu   sync.Mutex // held while starting
	proc *process
	tls  bool
}

// outputSize is the number of bytes that are kept, from the end of a plugin's output.
const outputSize = 64 << 10

// Launch starts the plugin and asks it to describe itself. An error wraps
// sdk.ErrIncompatible if the program is not a plugin of this kind or speaks
// another version, and sdk.ErrPluginExited if it ended, hung, or could not be
// started. The error ends with the plugin's output.
func Launch(ctx context.Context, c Config) (*Plugin, error) {
	if c.Kind < Solver || c.Kind > Model {
		return nil, fmt.Errorf("launch %s: unknown kind %d; want Solver, Strategy or Model", c.Path, c.Kind)
	}
	if c.Logger == nil {
		c.Logger = hclog.NewNullLogger()
	}
	if c.StartTimeout <= 0 {
		c.StartTimeout = 10 * time.Second
	}
	if c.KillGrace <= 0 {
		c.KillGrace = time.Second
	}
	if c.HandOver <= 0 {
		c.HandOver = 10 * time.Minute
	}
	p := &Plugin{config: c, output: newRing(outputSize), turn: make(chan struct{}, 1), tls: !c.NoTLS}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	proc, err := p.live(ctx)
	if err != nil {
		p.cancel()
		return nil, err
	}
	p.description = proc.description
	return p, nil
}

// live returns the running process, a new one if the last one has ended.
func (p *Plugin) live(ctx context.Context) (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return nil, fmt.Errorf("%s was closed: %w", p, sdk.ErrPluginExited)
	}
	if p.proc != nil {
		if p.proc.alive() {
			return p.proc, nil
		}
		p.proc.end() // removes its connection and its socket
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	proc, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	p.proc = proc
	return proc, nil
}

func (p *Plugin) ready(ctx context.Context) error {
	_, err := p.live(ctx)
	return err
}

// String names the plugin in messages: "solver highs".
func (p *Plugin) String() string {
	name := p.description.Name
	if name == "" {
		name = filepath.Base(p.config.Path)
	}
	return p.config.Kind.String() + " " + name
}

// Description is what the plugin said of itself at its first start.
func (p *Plugin) Description() sdk.Description { return p.description }

// Stderr is the end of what the plugin printed, at most 64 KiB, over all its
// starts.
func (p *Plugin) Stderr() string { return p.output.String() }

// Pid is the process id of the last process started.
func (p *Plugin) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.proc.run.pid
}

// Exited reports whether the plugin's process has ended. The next call starts
// another, unless Close was called.
func (p *Plugin) Exited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.proc.alive()
}

// Close asks the plugin to end, and kills it after the grace period. It returns
// when no process is left, and may be called again. Running calls fail with
// sdk.ErrPluginExited.
func (p *Plugin) Close() error {
	p.cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.proc.close(p.config.KillGrace)
	return nil
}
