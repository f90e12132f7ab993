package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/modelv1"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// Model returns the plugin as a model. If it is a plugin of another kind, every Score fails with
// sdk.ErrUnsupported. A call that outlives its context is abandoned, and the process is then killed; the next
// call starts another one.
func (p *Plugin) Model() sdk.Model { return &launched{p} }

type launched struct{ p *Plugin }

// Describe returns what the plugin said at its start.
func (m *launched) Describe(context.Context) (sdk.Description, error) { return m.p.description, nil }

// Ready starts the plugin again if its process has ended.
func (m *launched) Ready(ctx context.Context) error { return m.p.ready(ctx) }

// Score implements sdk.Model.
func (m *launched) Score(ctx context.Context, rows [][]float64) ([]float64, error) {
	p := m.p
	if p.config.Kind != Model {
		return nil, fmt.Errorf("%w: %s is not a model", sdk.ErrUnsupported, p)
	}
	release, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	proc, err := p.live(ctx)
	if err != nil {
		return nil, err
	}
	scores, err := score(ctx, proc.conn, &p.description, rows)
	switch {
	case err == nil:
		return scores, nil
	case ctx.Err() != nil:
		proc.end() // it may be in a call that never returns
		return nil, ctx.Err()
	}
	return nil, p.callError(proc, "scoring", err)
}

// score makes one call and checks its answer.
func score(ctx context.Context, conn *grpc.ClientConn, d *sdk.Description, rows [][]float64) ([]float64, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	// The answer has 8 bytes a row; a message far beyond that is refused before it is read.
	limit := grpc.MaxCallRecvMsgSize(16*len(rows) + 1<<16)
	m, err := modelv1.NewModelClient(conn).Score(ctx, wire.ToRows(rows), limit)
	if status.Code(err) == codes.ResourceExhausted {
		return nil, garbage("score", fmt.Errorf("an answer far larger than the scores of %d rows", len(rows)))
	}
	if err != nil {
		return nil, err
	}
	return m.Scores, garbage("score", d.Scale.Check(len(rows), m.Scores))
}

// Address is where a running plugin listens: go-plugin's reattach configuration as JSON.
type Address struct {
	// Protocol is "grpc", ProtocolVersion that of this program's wire.
	Protocol        string `json:"protocol"`
	ProtocolVersion int    `json:"protocol_version"`
	// Network is "unix" or, on this machine only, "tcp".
	Network string `json:"network"`
	Address string `json:"address"`
	// Pid is the process's id, for messages.
	Pid int `json:"pid"`
}

// ReadAddress reads an address from a file.
func ReadAddress(path string) (a Address, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil {
		return a, err
	}
	switch host, _, _ := net.SplitHostPort(a.Address); {
	case a.Protocol != "grpc" || a.ProtocolVersion != wire.Version:
		return a, fmt.Errorf("the protocol is %q, version %d; want grpc, version %d: %w", a.Protocol, a.ProtocolVersion, wire.Version, sdk.ErrIncompatible)
	case a.Network == "unix" && a.Address != "":
	case a.Network == "tcp" && (host == "localhost" || net.ParseIP(host).IsLoopback()):
	default:
		return a, fmt.Errorf("the address is %s %q; want a unix socket, or tcp on this machine such as 127.0.0.1:7000: rows of people do not leave it unencrypted", a.Network, a.Address)
	}
	return a, nil
}

// Attached is a model in a running process, which Close leaves running.
type Attached struct {
	address     Address
	conn        *grpc.ClientConn
	description sdk.Description
	turn        chan struct{}
}

// Attach connects to a running model plugin and asks it to describe itself; timeout bounds that, 0: 10 s.
func Attach(ctx context.Context, a Address, timeout time.Duration) (*Attached, error) {
	target := "unix:" + a.Address
	if a.Network == "tcp" {
		target = "passthrough:///" + a.Address
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(wire.StreamWindow), grpc.WithInitialConnWindowSize(wire.ConnWindow))
	if err != nil {
		return nil, err
	}
	out := &Attached{address: a, conn: conn, turn: make(chan struct{}, 1)}
	asking, cancel := context.WithTimeout(ctx, cmp.Or(timeout, 10*time.Second))
	defer cancel()
	if out.description, err = describe(asking, Model, conn); err != nil {
		conn.Close()
		return nil, out.callError(err)
	}
	return out, nil
}

// String names the process in messages.
func (a *Attached) String() string {
	return fmt.Sprintf("model %s (process %d, %s %s)", cmp.Or(a.description.Name, "plugin"), a.address.Pid, a.address.Network, a.address.Address)
}

// Describe returns what the model said when it was attached.
func (a *Attached) Describe(context.Context) (sdk.Description, error) { return a.description, nil }

// Score implements sdk.Model.
func (a *Attached) Score(ctx context.Context, rows [][]float64) ([]float64, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	scores, err := score(ctx, a.conn, &a.description, rows)
	switch {
	case err == nil:
		return scores, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, a.callError(err)
}

// callError turns gRPC's error of a failed call into a sentence.
func (a *Attached) callError(err error) error {
	var failed *describeError
	if errors.As(err, &failed) {
		err = failed.err
	}
	switch {
	case errors.Is(err, ErrGarbage):
		return fmt.Errorf("%s %w", a, err)
	case status.Code(err) == codes.Unavailable:
		return &failure{text: fmt.Sprintf("%s does not answer, it has probably ended: start it and the command again; scores in the journal are not asked for twice (%s)", a, status.Convert(err).Message()), is: sdk.ErrPluginExited}
	}
	return fmt.Errorf("%s: %w", a, wire.FromStatus(err))
}

// Close closes the connection.
func (a *Attached) Close() error { return a.conn.Close() }
