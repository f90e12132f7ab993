package client

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// failure is an error with a complete text that wraps another for errors.Is
// without repeating its text.
type failure struct {
	text string
	is   error
}

func (e *failure) Error() string { return e.text }
func (e *failure) Unwrap() error { return e.is }

// garbage wraps ErrGarbage around what is wrong with the answer to a call; nil
// stays nil.
func garbage(call string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w to %s: %w", ErrGarbage, call, err)
}

// maxTail bounds the part of a plugin's output that an error repeats, in bytes.
const maxTail = 2 << 10

// printed is the end of the plugin's output, to be added to an error.
func (p *Plugin) printed() string {
	if text := tail(p.output.String(), maxTail); text != "" {
		return "\nit printed:\n  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	return ""
}

// callError turns gRPC's error of a failed call into the plugin's message, or into
// a report of how the plugin ended. doing completes "it exited while ...".
func (p *Plugin) callError(proc *process, doing string, err error) error {
	// The code is Canceled if this side has closed the connection.
	if code := status.Code(err); (code == codes.Unavailable || code == codes.Canceled) && proc.gone() {
		what := fmt.Sprintf("%s exited while %s (%s)%s", p, doing, proc.run.status(), p.printed())
		if p.ctx.Err() != nil {
			what = fmt.Sprintf("%s was closed while %s", p, doing)
		}
		return &failure{text: what, is: sdk.ErrPluginExited}
	}
	if errors.Is(err, ErrGarbage) {
		return fmt.Errorf("%s %w", p, err)
	}
	return fmt.Errorf("%s: %w", p, wire.FromStatus(err))
}
