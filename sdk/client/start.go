package client

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// errNoTLS: the plugin was asked for TLS and its handshake has no certificate.
var errNoTLS = errors.New("no TLS")

// checkTransport looks at a handshake that go-plugin has accepted: core
// version, protocol version, network, address, protocol, certificate.
func checkTransport(line string, tls bool) error {
	parts := strings.Split(line, "|")
	if tls && (len(parts) < 6 || len(parts[5]) < 64) {
		return errNoTLS
	}
	if !tls && parts[2] != "unix" {
		return fmt.Errorf("it offers %s without TLS, which other users of this machine could speak to: "+
			"listen on a Unix socket in $PLUGIN_UNIX_SOCKET_DIR: %w", parts[2], sdk.ErrIncompatible)
	}
	return nil
}

// describeError is a Describe that failed, as gRPC reports it.
type describeError struct{ err error }

func (e *describeError) Error() string { return e.err.Error() }

// startError says in one sentence why a plugin did not start. late reports that it
// was killed for taking too long. run has ended.
func (p *Plugin) startError(run *runner, late bool, err error) error {
	what, is := p.explain(run, late, err)
	return &failure{text: p.String() + " " + what + p.printed(), is: is}
}

func (p *Plugin) explain(run *runner, late bool, err error) (what string, is error) {
	if run.ID() == "" {
		return fmt.Sprintf("(%s) could not be started: %v%s", p.config.Path, cmp.Or(run.err, err), aboutTemp()), sdk.ErrPluginExited
	}
	line, spoke := run.handshake()
	version, isHandshake := protocolVersion(line)
	var failed *describeError
	switch {
	case !spoke && late:
		return fmt.Sprintf("hung at its start: it printed nothing in %v and was killed", p.config.StartTimeout), sdk.ErrPluginExited
	case !spoke && strings.Contains(p.output.String(), "not meant to be executed directly"):
		return "is a plugin of another program: it does not accept the handshake cookie of this one", sdk.ErrIncompatible
	case !spoke:
		return fmt.Sprintf("ended at its start (%s)", run.status()), sdk.ErrPluginExited
	case !isHandshake:
		return fmt.Sprintf("printed %.80q where its handshake should be: nothing else may go to standard output", line), sdk.ErrIncompatible
	case version != fmt.Sprint(wire.Version):
		return fmt.Sprintf("speaks version %s of the plugin protocol, this program version %d", version, wire.Version), sdk.ErrIncompatible
	case errors.As(err, &failed) && status.Code(failed.err) == codes.Unimplemented:
		return fmt.Sprintf("does not serve the %s interface: it is a plugin of another kind", p.config.Kind), sdk.ErrIncompatible
	case late:
		return fmt.Sprintf("hung at its start: it did not describe itself in %v and was killed", p.config.StartTimeout), sdk.ErrPluginExited
	case errors.As(err, &failed) && status.Code(failed.err) == codes.Unavailable:
		return fmt.Sprintf("cannot be reached at the address of its handshake, %s", address(line)), sdk.ErrPluginExited
	case errors.As(err, &failed):
		err = wire.FromStatus(failed.err)
		return "failed to describe itself: " + err.Error(), err
	case errors.Is(err, ErrGarbage):
		return err.Error(), err
	}
	return "did not start: " + err.Error(), orIncompatible(err)
}

// aboutTemp returns advice if no temporary folder can be made, which a plugin's socket needs; else "".
func aboutTemp() string {
	folder, err := os.MkdirTemp("", "hyfair-")
	if err == nil {
		_ = os.Remove(folder) // it is empty
		return ""
	}
	return fmt.Sprintf(": set TMPDIR, which is %q, to a folder that exists and may be written to", os.Getenv("TMPDIR"))
}

// orIncompatible returns err if it wraps sdk.ErrIncompatible, else
// sdk.ErrIncompatible, which go-plugin's errors about the handshake amount to.
func orIncompatible(err error) error {
	if errors.Is(err, sdk.ErrIncompatible) {
		return err
	}
	return sdk.ErrIncompatible
}

// protocolVersion finds the protocol version in line; ok reports that line is a
// handshake.
func protocolVersion(line string) (version string, ok bool) {
	parts := strings.Split(line, "|")
	return parts[min(1, len(parts)-1)], len(parts) >= 4 && parts[0] == "1"
}

// address returns the network and address in a handshake line.
func address(line string) string {
	parts := strings.Split(line, "|")
	return parts[2] + " " + parts[3]
}
