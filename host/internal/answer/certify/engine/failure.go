package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/sdk"
)

// Failure is the error of a solver that was asked and gave no answer: its process ended, it
// panicked, its answer was invalid, or it returned an error. Earlier results stand, and the
// question is undecided.
type Failure struct{ err error }

// Error is the message of the solver or its process.
func (f *Failure) Error() string { return f.err.Error() }

// Unwrap returns the solver's error.
func (f *Failure) Unwrap() error { return f.err }

// Failed marks the error of a solver that was asked as a Failure, unless it is nil or blames
// the question, an option or the installation.
func Failed(err error) error {
	for _, refusal := range []error{nil, sdk.ErrUnsupported, sdk.ErrInvalidProblem, sdk.ErrInvalidOption, sdk.ErrIncompatible} {
		if errors.Is(err, refusal) {
			return err
		}
	}
	return &Failure{err}
}

// Answered checks a solver's return values: one of result and error must be set. If ctx has
// ended, the solver was interrupted; Failed marks any other error.
func Answered(ctx context.Context, solver string, res *sdk.Result, err error) (*sdk.Result, error) {
	switch {
	case err == nil && res == nil:
		err = fmt.Errorf("solver %s returned neither a result nor an error", solver)
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Interrupted}, nil
	}
	return res, Failed(err)
}

// Unanswered returns nil if err is or wraps a Failure, which the report already shows, else err.
func Unanswered(err error) error {
	if failure := (*Failure)(nil); errors.As(err, &failure) {
		return nil
	}
	return err
}

// FailureReason says in one line why a question has no answer.
func FailureReason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if Unanswered(err) == nil {
		line = "the solver failed: " + line
	}
	return line
}
