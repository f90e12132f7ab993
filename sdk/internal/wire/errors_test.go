package wire_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/wire"
)

// The codes are part of the protocol: plugins in other languages return them.
func TestErrorsAndCodes(t *testing.T) {
	seen := map[codes.Code]bool{}
	for _, c := range []struct {
		err  error
		code codes.Code
	}{
		{sdk.ErrUnsupported, codes.Unimplemented},
		{sdk.ErrInvalidProblem, codes.InvalidArgument},
		{sdk.ErrInvalidOption, codes.OutOfRange},
		{sdk.ErrIncompatible, codes.FailedPrecondition},
		{sdk.ErrPluginExited, codes.Unavailable},
		{context.Canceled, codes.Canceled},
		{context.DeadlineExceeded, codes.DeadlineExceeded},
	} {
		sent := fmt.Errorf("column 3 (x): %w", c.err)
		over := wire.ToStatus(sent)
		if status.Code(over) != c.code {
			t.Errorf("%v travels as %v; want %v", c.err, status.Code(over), c.code)
		}
		got := wire.FromStatus(over)
		if !errors.Is(got, c.err) || got.Error() != sent.Error() {
			t.Errorf("%v arrived as %v", sent, got)
		}
		if seen[c.code] {
			t.Errorf("%v stands for two errors", c.code)
		}
		seen[c.code] = true
	}
}

func TestOtherErrors(t *testing.T) {
	got := wire.FromStatus(wire.ToStatus(errors.New("disk full")))
	if got.Error() != "disk full" || errors.Is(got, sdk.ErrUnsupported) {
		t.Errorf("arrived as %v", got)
	}
	if err := wire.ToStatus(nil); err != nil {
		t.Error(err)
	}
	if err := wire.FromStatus(nil); err != nil {
		t.Error(err)
	}
	own := status.Error(codes.Internal, "the plugin panicked")
	if got := wire.ToStatus(own); status.Code(got) != codes.Internal {
		t.Errorf("a status of its own became %v", got)
	}
	if got := wire.FromStatus(status.Error(codes.Internal, "")); got.Error() == "" {
		t.Error("an error without a word")
	}
	plain := errors.New("never travelled")
	if got := wire.FromStatus(plain); got != plain { //nolint:errorlint // the same error, not one around it
		t.Errorf("%v", got)
	}
}
