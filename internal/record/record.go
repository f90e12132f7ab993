// Package record is a testing.TB that records calls, to test checks with.
package record

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Outcome is the result of a check.
type Outcome struct {
	Failures []string
	Skipped  string // why; empty for not at all
}

// Failed is all failures, a line each; empty for none.
func (o Outcome) Failed() string { return strings.Join(o.Failures, "\n") }

// Of runs a check, which may end its goroutine, without failing t. Helper
// functions of the check may be called, and what it logs is dropped.
func Of(t testing.TB, check func(testing.TB)) Outcome {
	r, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r.out
}

// recorder stands in for a test; what it has not it takes from a real one.
type recorder struct {
	testing.TB
	out Outcome
}

func (r *recorder) Helper()             {}
func (r *recorder) Log(...any)          {}
func (r *recorder) Logf(string, ...any) {}

func (r *recorder) Errorf(format string, args ...any) {
	r.out.Failures = append(r.out.Failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) {
	r.out.Failures = append(r.out.Failures, strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Failed() bool { return r.out.Failures != nil }
func (r *recorder) FailNow()     { runtime.Goexit() }

func (r *recorder) Skip(args ...any) {
	r.out.Skipped = strings.TrimSuffix(fmt.Sprintln(args...), "\n")
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.out.Skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
