// Package record provides a testing.TB that records calls, for tests of checks.
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
	Skipped  string // why; empty if not skipped
}

// Failed returns all failures, one per line; empty if there are none.
func (o Outcome) Failed() string { return strings.Join(o.Failures, "\n") }

// Of runs a check without failing t and returns its outcome. The check may end its
// goroutine; what it logs is dropped.
func Of(t testing.TB, check func(testing.TB)) Outcome {
	r, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r.out
}

// recorder stands in for a test; methods that it lacks are the real test's.
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
