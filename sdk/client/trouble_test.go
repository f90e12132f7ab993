//go:build unix

package client_test

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
)

func TestErrorsKeepTheirIdentity(t *testing.T) {
	for _, want := range []error{sdk.ErrUnsupported, sdk.ErrInvalidProblem, sdk.ErrInvalidOption, sdk.ErrIncompatible, sdk.ErrPluginExited} {
		p := launch(t, config(client.Solver, "error:"+want.Error()))
		_, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "solver tiny: column 7") {
			t.Errorf("%v; want %v", err, want)
		}
		if p.Exited() {
			t.Errorf("%v was taken for the plugin's end", err)
		}
	}
	p := launch(t, config(client.Solver, "error:other"))
	_, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{})
	if err == nil || !strings.Contains(err.Error(), "solver tiny: something else") {
		t.Errorf("another error arrived as %v", err)
	}
	p = launch(t, config(client.Solver, "nothing"))
	if _, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{}); err == nil || !strings.Contains(err.Error(), "neither a result nor an error") {
		t.Errorf("no result and no error arrived as %v", err)
	}
}

func TestPanicInACall(t *testing.T) {
	p := launch(t, config(client.Solver, "crash"))
	pid := p.Pid()
	_, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Seed: 13})
	if err == nil || !regexp.MustCompile(`panicked: unlucky \(at solver\.go:\d+\)`).MatchString(err.Error()) || errors.Is(err, sdk.ErrPluginExited) {
		t.Errorf("panic: %v", err)
	}
	wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
	if p.Pid() != pid {
		t.Error("the plugin did not survive its panic")
	}
	wantPrinted(t, p, "goroutine")
}

func TestExitInACall(t *testing.T) {
	p := launch(t, config(client.Solver, "exit-in-solve"))
	r, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Seed: 13, Progress: func(sdk.Progress) {}})
	if !errors.Is(err, sdk.ErrPluginExited) {
		t.Fatal(err)
	}
	for _, text := range []string{"solver tiny exited while solving (exit status 11)", "segmentation fault, nearly"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v\ndoes not say %q", err, text)
		}
	}
	if r == nil || r.Status != sdk.Feasible || r.Objective != 33 || r.Reason != sdk.Other {
		t.Errorf("the last incumbent came back as %+v", r)
	}
	wantBest(t, solve(t, p, sdk.SolveOptions{}), 33) // in a new process
	if _, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Seed: 13}); !errors.Is(err, sdk.ErrPluginExited) || !p.Exited() {
		t.Fatal(err)
	}
	if err := p.Solver().(interface{ Ready(context.Context) error }).Ready(t.Context()); err != nil || p.Exited() {
		t.Errorf("made ready: %v, exited %v", err, p.Exited())
	}
}

func TestGarbage(t *testing.T) {
	for mode, says := range map[string]string{
		"statusless":       "status is unspecified",
		"unknown status":   "status 77 is unknown",
		"reasonless":       "reason is unspecified",
		"short point":      "1 values for 3 columns",
		"NaN point":        "value 0: number NaN",
		"odd fraction":     "is not a fraction",
		"NaN bound":        "bound is NaN",
		"NaN objective":    "objective NaN",
		"pointless":        "status optimal without a point",
		"infeasible point": "status infeasible with a point",
		"witness":          "a witness for a problem in the milp form",
		"silent":           "ended without a result",
		"empty event":      "neither progress, nor pieces",
		"shares":           "shares, which the problem does not ask for",
		"unasked pieces":   "pieces, which were not asked for",
	} {
		t.Run(mode, func(t *testing.T) {
			p := launch(t, config(client.Solver, "liar:"+mode))
			r, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{})
			if !errors.Is(err, client.ErrGarbage) || r != nil {
				t.Fatalf("%v, %v", r, err)
			}
			for _, text := range []string{"solver liar answered garbage to solve: ", says} {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v\ndoes not say %q", err, text)
				}
			}
		})
	}
}

// A plugin that floods its progress stream, or reports nonsense, still gives
// its result.
func TestOddProgress(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	for _, mode := range []string{"flood", "odd progress"} {
		p := launch(t, config(client.Solver, "liar:"+mode))
		reports := 0
		r, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Progress: func(p sdk.Progress) {
			if reports++; len(p.Values) != 3 {
				t.Errorf("%s: %d values", mode, len(p.Values))
			}
		}})
		if err != nil || r.Status != sdk.Optimal {
			t.Errorf("%s: %v, %v", mode, r, err)
		}
		if mode == "flood" && (reports == 0 || reports > 100_000) {
			t.Errorf("%s: %d reports", mode, reports)
		}
	}
}

// The plugin's side of the stream is bounded too.
func TestProgressIsThrottled(t *testing.T) {
	p := launch(t, config(client.Solver, "flood-progress"))
	var reports, last int64
	r, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Progress: func(p sdk.Progress) { reports++; last = p.Nodes }})
	if err != nil {
		t.Fatal(err)
	}
	if last != r.Nodes {
		t.Errorf("the last report was number %d of %d", last, r.Nodes)
	}
	if limit := int64(r.Elapsed/(50*time.Millisecond)) + 3; reports < 2 || reports > limit {
		t.Errorf("%d reports in %v; want 2 to %d", reports, r.Elapsed, limit)
	}
}

func TestFloods(t *testing.T) {
	for _, mode := range []string{"flood-stderr", "flood-stdout", "long-line"} {
		t.Run(mode, func(t *testing.T) {
			p := launch(t, config(client.Solver, mode))
			for range 2 {
				wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
			}
			wantPrinted(t, p, map[string]string{"flood-stderr": "blah", "flood-stdout": "as Go would", "long-line": "last words"}[mode])
			if n := len(p.Stderr()); n > 64<<10 {
				t.Errorf("%d bytes kept", n)
			}
		})
	}
}

// wantPrinted waits for text in the plugin's output, which travels beside its
// answers and may come after them.
func wantPrinted(t *testing.T, p *client.Plugin, text string) {
	t.Helper()
	for ctx := within(t, 10*time.Second); !strings.Contains(p.Stderr(), text); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("%q was not printed, but %.80q", text, p.Stderr())
		}
	}
}

// stopping is every way to stop a call.
func stopping() map[string]func(context.Context) (context.Context, sdk.SolveOptions, sdk.Reason) {
	return map[string]func(context.Context) (context.Context, sdk.SolveOptions, sdk.Reason){
		"cancelled": func(ctx context.Context) (context.Context, sdk.SolveOptions, sdk.Reason) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, sdk.SolveOptions{}, sdk.Interrupted
		},
		"deadline": func(ctx context.Context) (context.Context, sdk.SolveOptions, sdk.Reason) {
			ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			context.AfterFunc(ctx, cancel)
			return ctx, sdk.SolveOptions{}, sdk.TimeLimit
		},
		"time limit": func(ctx context.Context) (context.Context, sdk.SolveOptions, sdk.Reason) {
			return ctx, sdk.SolveOptions{TimeLimit: 300 * time.Millisecond}, sdk.TimeLimit
		},
	}
}

// A solver that stops when told hands over what it holds, and lives.
func TestStoppedSolverAnswers(t *testing.T) {
	t.Parallel()
	p := launch(t, config(client.Solver, "slow"))
	pid := p.Pid()
	for name, stop := range stopping() {
		ctx, o, reason := stop(t.Context())
		r, err := p.Solver().Solve(ctx, box(), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Status != sdk.Feasible || r.Reason != reason || r.Native != "stopped by itself" || r.Objective != 33 {
			t.Errorf("%s: %+v; want what the solver held, with reason %q", name, r, reason)
		}
	}
	if p.Pid() != pid || p.Exited() {
		t.Error("the plugin did not live")
	}
}

// One that does not is killed, its last incumbent kept, and started again.
func TestDeafSolverIsKilled(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	p := launch(t, config(client.Solver, "deaf"))
	for name, stop := range stopping() {
		ctx, o, reason := stop(t.Context())
		o.Seed = 13
		pid := p.Pid()
		r, err := p.Solver().Solve(ctx, box(), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Status != sdk.Feasible || r.Reason != reason || r.Objective != 33 || len(r.Values) != 3 || !r.HasBound || r.Bound != 99 || r.Tolerance == 0 {
			t.Errorf("%s: %+v; want the last incumbent, with reason %q", name, r, reason)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: process %d: %v", name, pid, err)
		}
		wantBest(t, solve(t, p, sdk.SolveOptions{}), 33)
		if p.Pid() == pid {
			t.Errorf("%s: the dead answered", name)
		}
	}
}

func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	p := launch(t, config(client.Solver, "stop-in-solve"))
	r, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{TimeLimit: 200 * time.Millisecond})
	if err != nil || r.Status != sdk.Unknown || r.Reason != sdk.TimeLimit || r.HasPoint() {
		t.Errorf("%+v, %v; want unknown, time limit", r, err)
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	p := launch(t, config(client.Solver, "good"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := p.Solver().Solve(ctx, box(), sdk.SolveOptions{})
	if err != nil || r.Status != sdk.Unknown || r.Reason != sdk.Interrupted {
		t.Errorf("%+v, %v; want unknown, interrupted", r, err)
	}
}

func TestRelaunchFails(t *testing.T) {
	t.Parallel()
	p := launch(t, config(client.Solver, "exit-on-restart:"+filepath.Join(t.TempDir(), "started")))
	if _, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{Seed: 13, TimeLimit: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{})
		if !errors.Is(err, sdk.ErrPluginExited) || !strings.Contains(err.Error(), "solver tiny ended at its start (exit status 4)") {
			t.Errorf("%v", err)
		}
	}
}

// Calls wait for one another unless the plugin allows more: tiny answers two
// at once with an error.
func TestCallsTakeTurns(t *testing.T) {
	for _, mode := range []string{"good", "concurrent"} {
		p := launch(t, config(client.Solver, mode))
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() {
				if r, err := p.Solver().Solve(t.Context(), box(), sdk.SolveOptions{}); err != nil || r.Objective != 33 {
					t.Errorf("%s: %v, %v", mode, r, err)
				}
			})
		}
		calls.Wait()
	}
}

// A loaded problem survives its process, levels and all.
func TestLoadedIsLoadedAgain(t *testing.T) {
	tier.NeedUsual(t)
	for _, mode := range []string{"deaf", "incremental"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := launch(t, config(client.Solver, mode))
			l, err := p.Solver().Load(t.Context(), box())
			if err != nil {
				t.Fatal(err)
			}
			for i, step := range deltas() {
				// The seed 13 makes the one hang until it is killed, and the other exit.
				pid := p.Pid()
				o := sdk.SolveOptions{Seed: 13}
				if mode == "deaf" {
					o.TimeLimit = 50 * time.Millisecond
				}
				next, again := step.delta, step.delta
				r, err := l.Solve(t.Context(), next, o)
				if mode == "deaf" {
					if err != nil || r.Reason != sdk.TimeLimit || r.Objective != step.want {
						t.Fatalf("%s: %v, %v", step.name, r, err)
					}
					again = problem.Delta{} // a result: the delta is applied
				} else if !errors.Is(err, sdk.ErrPluginExited) {
					t.Fatalf("%s: %v, %v", step.name, r, err)
				}
				if r, err = l.Solve(t.Context(), again, sdk.SolveOptions{}); err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}
				wantBest(t, r, step.want)
				if p.Pid() == pid {
					t.Errorf("step %d was answered by the dead", i)
				}
			}
		})
	}
}

// Stopped before it was sent, a delta counts as applied all the same: its
// result said so.
func TestLoadedCancelledBeforeItBegan(t *testing.T) {
	p := launch(t, config(client.Solver, "good"))
	l, err := p.Solver().Load(t.Context(), box())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	half := problem.Delta{ColumnBounds: []problem.ColumnBound{{Column: 0, Hi: 5}}}
	if r, err := l.Solve(ctx, half, sdk.SolveOptions{}); err != nil || r.Reason != sdk.Interrupted {
		t.Fatalf("%v, %v", r, err)
	}
	r, err := l.Solve(t.Context(), problem.Delta{}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantBest(t, r, 28)
}

// A plugin that does not load is sent the whole problem each time.
func TestLoadedWithoutLoad(t *testing.T) {
	p := launch(t, config(client.Solver, "liar:honest"))
	l, err := p.Solver().Load(t.Context(), box())
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Solve(t.Context(), problem.Delta{Rows: []problem.Row{{Lo: 0, Hi: 1}, {Lo: 0, Hi: 1}}}, sdk.SolveOptions{})
	if err != nil || r.Nodes != 2 {
		t.Errorf("%+v, %v; want a problem of two rows", r, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
