//go:build unix

package pythontest

import (
	"bufio"
	"context"
	"errors"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// box is a problem of n columns, whose name tells the solver what to do.
func box(name string, n int) *problem.Problem {
	m := &problem.MILP{Objective: problem.Objective{Maximise: true, Terms: []problem.Term{{Column: 0, Coef: 1}}}}
	for range n {
		m.Columns = append(m.Columns, problem.Column{Hi: math.Inf(1), Role: problem.RoleOther})
	}
	return &problem.Problem{Name: name, MILP: m}
}

func TestExactNumbers(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	r, err := p.Solver().Solve(t.Context(), box("exact", 5), sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range r.Values {
		got = append(got, v.String())
	}
	if want := "-22/7 1000000000000000000000000000001 -5 0.1 2"; strings.Join(got, " ") != want {
		t.Errorf("got %v; want %s", got, want)
	}
	if r.Status != sdk.Optimal || r.Objective != 1.5 || r.Nodes != 7 || r.Elapsed != 250*time.Millisecond || r.HasBound || r.Native != "ok" || r.Detail != "fine" {
		t.Errorf("%+v", r)
	}
}

func TestSolveOptions(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	target := -2.5
	for want, o := range map[string]sdk.SolveOptions{
		"(0, 1, None, None, None, 0.0, None)":                {},
		"(-7, 3, 4096, 2.5, 100, 0.25, -2.5)":                {Seed: -7, Threads: 3, Memory: 4096, TimeLimit: 2500 * time.Millisecond, WorkLimit: 100, Gap: 0.25, Target: &target},
		"(9223372036854775807, 1, None, None, 1, 0.0, None)": {Seed: math.MaxInt64, WorkLimit: 1},
	} {
		r, err := p.Solver().Solve(t.Context(), box("options", 1), o)
		if err != nil || r.Detail != want {
			t.Errorf("%+v, %v; want %s", r, err, want)
		}
	}
}

func TestSolverErrors(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	for name, c := range map[string]struct {
		is   error
		want string
	}{
		"Unsupported":    {sdk.ErrUnsupported, "solver odd: unsupported: of my own"},
		"InvalidProblem": {sdk.ErrInvalidProblem, "solver odd: invalid problem: of my own"},
		"InvalidOption":  {sdk.ErrInvalidOption, "solver odd: invalid option: of my own"},
		"Incompatible":   {sdk.ErrIncompatible, "solver odd: incompatible: of my own"},
		"raise":          {nil, "the plugin raised ZeroDivisionError"},
		"nothing":        {nil, "TypeError: solve returned a NoneType, not a Result"},
		"die":            {sdk.ErrPluginExited, "exited while solving (exit status 3)"},
	} {
		_, err := p.Solver().Solve(t.Context(), box(name, 1), sdk.SolveOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %q", name, err, c.want)
		}
		for _, is := range []error{sdk.ErrUnsupported, sdk.ErrInvalidProblem, sdk.ErrInvalidOption, sdk.ErrIncompatible, sdk.ErrPluginExited} {
			if errors.Is(err, is) != errors.Is(c.is, is) {
				t.Errorf("%s: %v is %q: %v", name, err, is, errors.Is(err, is))
			}
		}
	}
}

// An interrupted solve hands over what it holds; its reports came meanwhile.
func TestInterruptedSolve(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var seen []sdk.Progress
	o := sdk.SolveOptions{Progress: func(g sdk.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if seen = append(seen, g); len(seen) == 3 {
			cancel()
		}
	}}
	r, err := p.Solver().Solve(ctx, box("patient", 2), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != sdk.Feasible || r.Reason != sdk.Interrupted || len(r.Values) != 2 || r.Bound != 33 || !r.HasBound {
		t.Errorf("%+v", r)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, g := range seen { // a later report without a point keeps the earlier's
		if len(g.Values) != 2 || g.Objective != 9 || !g.HasBound || g.Bound != 33 {
			t.Errorf("%+v", g)
		}
	}
}

// One that does not listen is killed, and the next call starts another.
func TestDeafSolve(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	r, err := p.Solver().Solve(t.Context(), box("deaf", 1), sdk.SolveOptions{TimeLimit: 100 * time.Millisecond})
	if err != nil || r.Status != sdk.Unknown || r.Reason != sdk.TimeLimit {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = p.Solver().Solve(t.Context(), box("any", 1), sdk.SolveOptions{}); err != nil || r.Status != sdk.Infeasible {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestLoaded(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	l, err := p.Solver().Load(t.Context(), box("kept", 2))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	row := problem.Row{Hi: 4, Terms: []problem.Term{{Column: 1, Coef: 2}}}
	for _, want := range []string{"held, 1 asked, 1 rows", "held, 2 asked, 1 rows"} {
		r, err := l.Solve(t.Context(), problem.Delta{Rows: []problem.Row{row}}, sdk.SolveOptions{})
		if err != nil || r.Native != want {
			t.Errorf("%+v, %v; want %s", r, err, want)
		}
	}
	bad := problem.Row{Hi: 4, Terms: []problem.Term{{Column: 1, Coef: math.NaN()}}}
	if _, err = l.Solve(t.Context(), problem.Delta{Rows: []problem.Row{bad}}, sdk.SolveOptions{}); err == nil {
		t.Error("a row with NaN was taken")
	}
}

// The network and the space arrive whole: the scores are those of Go.
func TestNetworkForm(t *testing.T) {
	need(t)
	p := launch(t, script(client.Solver))
	q := &problem.Query{
		Model: &relu.Network{Head: relu.HeadSoftmax, Precision: 32, Layers: []relu.Layer{
			{Name: "a", In: 2, Out: 2, Weights: []float64{0.5, -0.25, 0.125, 1}, Bias: []float64{0.5, -1}, ReLU: true},
			{Name: "b", In: 2, Out: 2, Weights: []float64{1, 0, 0.5, -1}, Bias: []float64{0, 0.25}},
		}},
		Space: people(), Notion: fairness.Score, Epsilon: big.NewRat(1, 20), Goal: problem.Decide,
	}
	q.Space.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 50, Hi: math.Inf(1)}}, {Feature: 1, Set: []int{1}}}}
	r, err := p.Solver().Solve(t.Context(), &problem.Problem{Name: "network", Query: q}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var scores []string
	for _, x := range [][]float64{r.Witness.Copy1, r.Witness.Copy2} {
		score := fairness.Sigmoid(q.Model.Logit(q.Space.NetworkInputs(make([]float64, 2), x)))
		scores = append(scores, strconv.FormatFloat(score, 'g', -1, 64))
	}
	if want := "(Fraction(1, 20), [" + strings.Join(scores, ", ") + "], 'SCORE')"; r.Detail != want {
		t.Errorf("got %s; want %s", r.Detail, want)
	}
	script := &problem.Script{Text: "(declare-const x Int)", Symbols: []problem.Symbol{{Name: "x", Sort: "Int", Role: problem.RoleOther}}}
	if r, err = p.Solver().Solve(t.Context(), &problem.Problem{SMT: script}, sdk.SolveOptions{}); err != nil || r.Native != script.Text || len(r.Values) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A plugin whose host is killed is gone, and what it started with it: idle, in
// the middle of a call that does not listen, and with SciPy at work.
func TestOrphans(t *testing.T) {
	tier.NeedUsual(t)
	needModule(t, "scipy")
	host := filepath.Join(t.TempDir(), "testhost")
	if err := program.Build("sdk/client/testdata/testhost", host); err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "odd")
	text, err := filepath.Abs("testdata/solver.py")
	if err != nil {
		t.Fatal(err)
	}
	write(t, odd, "#!/bin/sh\nexec "+python+" "+text+"\n")
	scipy := filepath.Join(t.TempDir(), "scipy")
	write(t, scipy, "#!/bin/sh\nexec "+example(t, "hyfair-solver-scipy", client.Solver).Path+"\n")
	for name, args := range map[string][]string{
		"idle": {odd, ""}, "busy": {odd, "", "busy"}, "with a child": {scipy, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(host, args...)
			cmd.Stderr = os.Stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			line, err := bufio.NewReader(stdout).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(300 * time.Millisecond) // into the call, or until its child is there
			pids := append(children(pid), pid)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				waitGone(t, pid)
			}
		})
	}
}

// children lists a process's, as far as the system tells.
func children(pid int) []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}

// waitGone waits up to five seconds for a process to end.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if ended(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d outlived the host", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// ended reports that a process is no more, or only a zombie.
func ended(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}
