//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// tiny solves MILPs by setting every column to its better bound, which is right
// where there are no rows.
type tiny struct{ mode, argument string }

func (t tiny) Describe(context.Context) (sdk.Description, error) {
	if t.mode == "describe-error" {
		return sdk.Description{}, fmt.Errorf("libtiny 2 is needed, 1 was found: %w", sdk.ErrIncompatible)
	}
	return sdk.Description{
		Name: "tiny", Version: "1.2.3", Summary: "for tests",
		Options:   []sdk.Option{{Name: "speed", Default: "1", Help: "how fast"}},
		Libraries: []sdk.Library{{Name: "libtiny", Hint: "apt-get install libtiny", Problem: "not found"}},
		Serves: []sdk.Service{
			{Form: problem.FormMILP, Goal: problem.Decide},
			{Form: problem.FormMILP, Goal: problem.Maximise},
			{Form: problem.FormNetwork, Goal: problem.Decide},
		},
		Exactness:  sdk.GradeNumerical,
		Concurrent: t.mode == "concurrent",
	}, nil
}

// descriptor1 is where a native library prints.
var descriptor1 = os.NewFile(1, "descriptor 1")

// running counts calls under way: above one, a solver that is not concurrent was called
// twice at once.
var running atomic.Int32

func (t tiny) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	began := time.Now()
	if running.Add(1) > 1 && t.mode != "concurrent" {
		return nil, fmt.Errorf("two calls at once")
	}
	defer running.Add(-1)
	r := best(p, o)
	switch t.mode {
	case "crash":
		if o.Seed == 13 {
			panic("unlucky")
		}
	case "exit-in-solve":
		if o.Seed == 13 {
			if o.Progress != nil {
				o.Progress(sdk.Progress{Values: r.Values, Objective: r.Objective})
				time.Sleep(300 * time.Millisecond)
			}
			fmt.Fprintln(os.Stderr, "segmentation fault, nearly")
			os.Exit(11)
		}
	case "error":
		return nil, sentinel(t.argument)
	case "nothing":
		return nil, nil
	case "slow":
		// Reports every 10 ms until it is interrupted, then returns its point.
		for {
			o.Progress(sdk.Progress{Values: r.Values, Objective: r.Objective, Bound: 99, HasBound: true, Nodes: 7})
			select {
			case <-ctx.Done():
				r.Status, r.Reason = sdk.Feasible, sdk.Interrupted
				r.Native = "stopped by itself"
				return r, nil
			case <-time.After(10 * time.Millisecond):
			}
		}
	case "deaf", "exit-on-restart":
		// Reports once, then ignores its context.
		if o.Seed == 13 {
			o.Progress(sdk.Progress{Values: r.Values, Objective: r.Objective, Bound: 99, HasBound: true, Nodes: 7})
			time.Sleep(time.Hour)
		}
	case "stop-in-solve":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour) // it may take a moment to work
	case "flood-progress":
		values := make([]problem.Number, len(p.MILP.Columns))
		n := 0
		for time.Since(began) < time.Second {
			n++
			o.Progress(sdk.Progress{Values: values, Nodes: int64(n)})
		}
		r.Nodes = int64(n)
	case "flood-stderr":
		flood(os.Stderr, 100<<20)
	case "flood-stdout":
		flood(descriptor1, 10<<20)
		fmt.Print(string(bytes.Repeat([]byte("as Go would "), 1<<18)))
	case "long-line":
		_, _ = os.Stderr.Write(bytes.Repeat([]byte("x"), 1<<20))
		fmt.Fprintln(os.Stderr, "\nlast words")
	}
	r.Elapsed = time.Since(began)
	return r, nil
}

func flood(f *os.File, size int) {
	line := append(bytes.Repeat([]byte("blah "), 200), '\n')
	for written := 0; written < size; written += len(line) {
		if _, err := f.Write(line); err != nil {
			panic(err)
		}
	}
}

func sentinel(name string) error {
	for _, err := range []error{sdk.ErrUnsupported, sdk.ErrInvalidProblem, sdk.ErrInvalidOption, sdk.ErrIncompatible, sdk.ErrPluginExited} {
		if err.Error() == name {
			return fmt.Errorf("column 7: %w", err)
		}
	}
	return fmt.Errorf("something else")
}

// best sets every column to its better bound; Nodes echoes the seed and Native
// the options, so that tests see what arrived.
func best(p *problem.Problem, o sdk.SolveOptions) *sdk.Result {
	r := &sdk.Result{Status: sdk.Optimal, Nodes: o.Seed, Native: o.Options["speed"], Tolerance: 1e-9}
	if p.MILP == nil {
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete}
	}
	coef := map[int]float64{}
	for _, t := range p.MILP.Objective.Terms {
		coef[t.Column] = t.Coef
	}
	values := make([]float64, len(p.MILP.Columns))
	for i, c := range p.MILP.Columns {
		values[i] = c.Lo
		if (coef[i] > 0) == p.MILP.Objective.Maximise {
			values[i] = c.Hi
		}
	}
	r.Values = problem.Floats(values)
	r.Objective = problem.Evaluate(p.MILP.Objective.Terms, values) + p.MILP.Objective.Offset
	r.Bound, r.HasBound = r.Objective, true
	if p.MILP.Violation(values) > 0 {
		return &sdk.Result{Status: sdk.Infeasible, Native: strconv.Itoa(len(p.MILP.Rows)) + " rows", Bound: math.Inf(-1), HasBound: true}
	}
	return r
}

// keeper is tiny as an incremental solver.
type keeper struct{ tiny }

func (k *keeper) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	return &kept{k: k, stack: problem.NewStack(p)}, nil
}

type kept struct {
	k     *keeper
	stack *problem.Stack
}

func (l *kept) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	p, err := l.stack.Apply(d)
	if err != nil {
		return nil, err
	}
	if o.Seed == 13 {
		os.Exit(11)
	}
	r, err := l.k.tiny.Solve(ctx, p, o)
	if err == nil {
		r.Native = "kept"
	}
	return r, err
}

func (l *kept) Close() error { return nil }
