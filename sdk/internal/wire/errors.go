package wire

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/hyfair/hyfair/sdk"
)

// pairs maps the SDK's errors to gRPC codes, one to one, so that a plugin in
// any language can return them. If an error wraps several, the first in the list wins.
var pairs = []struct {
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
}

// ToStatus gives an error of the SDK its code; nil stays nil. Errors that carry
// a gRPC status keep it; any other becomes Unknown.
func ToStatus(err error) error {
	if err == nil {
		return nil
	}
	for _, p := range pairs {
		if errors.Is(err, p.err) {
			return status.Error(p.code, err.Error())
		}
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.Error(codes.Unknown, err.Error())
}

// FromStatus is the inverse of ToStatus on the other side: the result has the
// sender's text, and errors.Is finds the SDK's error in it.
func FromStatus(err error) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	remote := &remoteError{text: strings.ReplaceAll(s.Message(), "\n", "\n  ")} // indent its further lines
	if remote.text == "" {
		remote.text = s.Code().String()
	}
	for _, p := range pairs {
		if s.Code() == p.code {
			remote.is = p.err
		}
	}
	return remote
}

// remoteError is an error as the other side wrote it.
type remoteError struct {
	text string
	is   error // nil for errors outside the SDK
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.is }
