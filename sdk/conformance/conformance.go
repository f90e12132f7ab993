// Package conformance is the test suite that every plugin must pass, in any
// language: a register of named cases that ask a solver, a strategy or a model
// small questions, and check everything that it returns.
//
// The suite runs the cases for what the plugin's description claims, and reports
// the other cases as skipped. An exclusion needs a reason. A case that could not
// judge the plugin is inconclusive, and does not count as passed. No case depends
// on a plugin's name. In a Go test:
//
//	func TestConformance(t *testing.T) {
//		conformance.Solver(t, mySolver{}, conformance.Options{})
//	}
//
// CheckSolver, CheckStrategy and CheckModel collect the outcomes instead, for programs
// that test a plugin over the wire.
package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk"
)

// Options configures a run. The zero value is sensible.
type Options struct {
	// NewSolver, NewStrategy and NewModel open the plugin a second time, if possible in a
	// separate process, to compare the answers of both; nil: the same value is
	// asked again. The suite does not close the plugins.
	NewSolver   func(context.Context) (sdk.Solver, error)
	NewStrategy func(context.Context) (sdk.Strategy, error)
	NewModel    func(context.Context) (sdk.Model, error)
	// Rows are rows for a model. Without them each value is 0 or 1, of the features that the
	// description names.
	Rows [][]float64
	// Set holds the plugin's own options, sent with every question.
	Set map[string]string
	// Only, if not empty, lists the cases to run, by name or by patterns for
	// path.Match such as milp/*; the others are not reported.
	Only []string
	// Exclude maps the names or patterns of cases that must not run to the reason.
	Exclude map[string]string
	// Timeout ends a case that has not returned; 0: two minutes.
	Timeout time.Duration
	// Grace is how long a plugin may take to return after a cancel or a time
	// limit; 0: ten seconds. A host waits for far less; this is so long that no
	// plugin fails because the machine is busy.
	Grace time.Duration
}

func (o Options) timeout() time.Duration { return cmp.Or(o.Timeout, 2*time.Minute) }
func (o Options) grace() time.Duration   { return cmp.Or(o.Grace, 10*time.Second) }

// Verdict is the outcome of a case.
type Verdict uint8

const (
	// Passed means that the plugin did what the case requires.
	Passed Verdict = iota + 1
	// Failed means that it did not; Outcome.Why says how.
	Failed
	// Skipped means that the plugin does not claim what the case needs.
	Skipped
	// Excluded means that Options.Exclude names the case.
	Excluded
	// Inconclusive means that the case could not judge the plugin; Outcome.Why says why.
	Inconclusive
)

// String gives the name used in listings and JSON.
func (v Verdict) String() string {
	return named.Of(v, "passed", "failed", "skipped", "excluded", "inconclusive")
}

// Outcome is one case's verdict.
type Outcome struct {
	// Case and Doc are the case's name and what it asks of a plugin.
	Case, Doc string
	Verdict   Verdict
	// Why is set unless the case passed.
	Why     string
	Elapsed time.Duration
}

// Report is the result of a run.
type Report struct {
	// Description is the plugin's own; zero if Describe failed.
	Description sdk.Description
	Outcomes    []Outcome
}

// Count is the number of outcomes with the verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Verdict == v {
			n++
		}
	}
	return n
}

// OK reports whether no case failed and at least one passed.
func (r *Report) OK() bool { return r.Count(Failed) == 0 && r.Count(Passed) > 0 }

// T holds the methods of *testing.T that the suite uses.
type T[Self any] interface {
	Helper()
	Run(name string, f func(Self)) bool
	Skip(args ...any)
	Error(args ...any)
}

// skipError ends a case that turned out not to apply.
type skipError string

func (e skipError) Error() string { return string(e) }

// skip is returned by a case that does not apply.
func skip(format string, args ...any) error { return skipError(fmt.Sprintf(format, args...)) }

// inconclusiveError ends a case that could not judge.
type inconclusiveError string

func (e inconclusiveError) Error() string { return string(e) }

// Case is one thing that every plugin of a kind must get right, if it claims what the case
// needs. E is the environment that the case runs in.
type Case[E any] struct {
	// Name identifies the case; for solvers it is form/what, such as milp/equality.
	Name string
	// Doc is one sentence: what a plugin must do.
	Doc string
	// Run asks and checks; an error is a failure.
	Run func(ctx context.Context, e E) error
	// Lacks, if not nil, says what the description lacks for the case to apply; the
	// case applies if it returns "".
	Lacks func(*sdk.Description) string
}

// describer is what plugins of every kind have in common.
type describer interface {
	Describe(context.Context) (sdk.Description, error)
}

// bind prepares every case for the plugin, according to its description.
func bind[E any](ctx context.Context, plugin describer, cases []Case[E], env func(sdk.Description) E) ([]runnable, sdk.Description) {
	d, describeErr := plugin.Describe(ctx)
	e := env(d)
	var out []runnable
	for _, c := range cases {
		b := runnable{name: c.Name, doc: c.Doc, plugin: plugin, run: func(ctx context.Context) error { return c.Run(ctx, e) }}
		switch {
		case describeErr != nil && c.Name != "describe":
			b.unclaimed = "Describe fails"
		case c.Lacks != nil:
			b.unclaimed = c.Lacks(&d)
		}
		out = append(out, b)
	}
	return out, d
}

// runnable is a case bound to a plugin: its type no longer depends on the plugin's kind.
type runnable struct {
	name, doc string
	// unclaimed says what the plugin does not claim, excluded why the case must not
	// run; both are empty for a case that runs.
	unclaimed, excluded string
	run                 func(context.Context) error
	// plugin is the plugin under test; see readier.
	plugin any
}

// readier is implemented by plugins in other processes, such as those of sdk/client.
// The last case may have killed the process; the time of starting it again must not
// count towards the next case.
type readier interface {
	Ready(context.Context) error
}

// choose picks the cases of Only and marks those of Exclude. It refuses names and patterns
// that match no case, and exclusions without a reason.
func choose(cases []runnable, o Options) ([]runnable, error) {
	of := func(pattern string) (named []int) {
		for i := range cases {
			if ok, _ := path.Match(pattern, cases[i].name); ok {
				named = append(named, i)
			}
		}
		return named
	}
	for _, pattern := range slices.Sorted(maps.Keys(o.Exclude)) {
		named, reason := of(pattern), o.Exclude[pattern]
		if len(named) == 0 {
			return nil, fmt.Errorf("exclusion of %q: there is no such case", pattern)
		}
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("exclusion of %q needs a reason", pattern)
		}
		for _, i := range named {
			cases[i].excluded = reason
		}
	}
	if len(o.Only) == 0 {
		return cases, nil
	}
	wanted := map[string]bool{}
	for _, pattern := range o.Only {
		named := of(pattern)
		if len(named) == 0 {
			return nil, fmt.Errorf("case %q: there is no such case", pattern)
		}
		for _, i := range named {
			wanted[cases[i].name] = true
		}
	}
	return slices.DeleteFunc(cases, func(c runnable) bool { return !wanted[c.name] }), nil
}

// execute runs one case, and neither panics nor hangs. A case that does not return
// in time is abandoned with its context cancelled.
func execute(ctx context.Context, c runnable, o Options) Outcome {
	out := Outcome{Case: c.name, Doc: c.doc}
	if c.excluded != "" {
		out.Verdict, out.Why = Excluded, c.excluded
		return out
	}
	if c.unclaimed != "" {
		out.Verdict, out.Why = Skipped, c.unclaimed
		return out
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if p, ok := c.plugin.(readier); ok {
		if err := p.Ready(ctx); err != nil {
			out.Verdict, out.Why = Failed, fmt.Sprintf("it cannot be started again: %v", err)
			return out
		}
	}
	start := time.Now()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		done <- c.run(ctx)
	}()
	timer := time.NewTimer(o.timeout())
	defer timer.Stop()
	var err error
	select {
	case err = <-done:
	case <-timer.C:
		err = fmt.Errorf("no answer after %v", o.timeout())
	case <-ctx.Done():
		err = ctx.Err()
	}
	out.Elapsed = time.Since(start)
	var skipped skipError
	var inconclusive inconclusiveError
	switch {
	case err == nil:
		out.Verdict = Passed
	case errors.As(err, &skipped):
		out.Verdict, out.Why = Skipped, err.Error()
	case errors.As(err, &inconclusive):
		out.Verdict, out.Why = Inconclusive, err.Error()
	default:
		out.Verdict, out.Why = Failed, err.Error()
	}
	return out
}

// runAll executes the cases, and calls each, if not nil, after every case.
func runAll(ctx context.Context, cases []runnable, o Options, each func(Outcome)) ([]Outcome, error) {
	cases, err := choose(cases, o)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return outcomes, err
		}
		out := execute(ctx, c, o)
		outcomes = append(outcomes, out)
		if each != nil {
			each(out)
		}
	}
	return outcomes, nil
}

// runTests executes the cases as subtests.
func runTests[S T[S]](t S, cases []runnable, o Options) {
	t.Helper()
	cases, err := choose(cases, o)
	if err != nil {
		t.Error(err)
		return
	}
	for _, c := range cases {
		t.Run(c.name, func(t S) {
			t.Helper()
			switch out := execute(context.Background(), c, o); out.Verdict {
			case Failed:
				t.Error(out.Doc + ": " + out.Why)
			case Skipped, Excluded, Inconclusive:
				t.Skip(out.Verdict.String() + ": " + out.Why)
			}
		})
	}
}

// within runs f and fails if it has not returned after grace.
func within[R any](grace time.Duration, what string, f func() (R, error)) (R, error) {
	type returned struct {
		r   R
		err error
	}
	done := make(chan returned, 1)
	go func() {
		var out returned
		defer func() {
			if p := recover(); p != nil {
				out.err = fmt.Errorf("panic: %v", p)
			}
			done <- out
		}()
		out.r, out.err = f()
	}()
	select {
	case out := <-done:
		return out.r, out.err
	case <-time.After(grace):
		var none R
		return none, fmt.Errorf("%s has not returned after %v", what, grace)
	}
}
