package client_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hyfair/hyfair/internal/program"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// bin is where the programs the tests need are built.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "client-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	bin = dir
	for _, name := range []string{"testplugin", "testhost"} {
		if err := program.Build("sdk/client/testdata/"+name, filepath.Join(dir, name)); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// config is for the test plugin in a mode.
func config(kind client.Kind, mode string) client.Config {
	return client.Config{
		Path: filepath.Join(bin, "testplugin"), Kind: kind,
		Env: []string{"TESTPLUGIN_MODE=" + mode}, KillGrace: 400 * time.Millisecond,
	}
}

func launch(t testing.TB, c client.Config) *client.Plugin {
	t.Helper()
	p, err := client.Launch(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// box is max x0 + 2 x1 - x2 + 3 over 0 ≤ x ≤ 10, integers; 33 at (10, 10, 0).
func box() *problem.Problem {
	return &problem.Problem{Name: "box", MILP: &problem.MILP{
		Columns: []problem.Column{
			{Name: "x0", Hi: 10, Integer: true, Role: problem.RoleInput},
			{Name: "x1", Hi: 10, Integer: true, Role: problem.RoleReLU, Priority: 2},
			{Name: "x2", Hi: 10, Integer: true, Role: problem.RoleOther},
		},
		Objective: problem.Objective{Maximise: true, Offset: 3, Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 1, Coef: 2}, {Column: 2, Coef: -1}}},
	}}
}

func solve(t testing.TB, p *client.Plugin, o sdk.SolveOptions) *sdk.Result {
	t.Helper()
	r, err := p.Solver().Solve(t.Context(), box(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantBest(t testing.TB, r *sdk.Result, objective float64) {
	t.Helper()
	if r.Status != sdk.Optimal || r.Objective != objective {
		t.Fatalf("got %s with objective %v; want optimal with %v", r.Status, r.Objective, objective)
	}
}

// people is a space of two features.
func people() *space.Space {
	return &space.Space{
		Features: []space.Feature{
			{Name: "age", Kind: space.Integer, Lo: 10, Hi: 100, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		},
		Inputs: 2,
	}
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// shortTemp is a temporary folder whose name leaves room for a socket's.
func shortTemp(t testing.TB) string {
	dir, err := os.MkdirTemp("/tmp", "t")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func runByHand(t testing.TB) (out string, code int) {
	cmd := exec.Command(filepath.Join(bin, "testplugin"))
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}
