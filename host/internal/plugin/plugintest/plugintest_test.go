package plugintest_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// many is a question for the shares of a space of 20⁶ individuals.
func many() *problem.Problem {
	r := rand.New(rand.NewPCG(3, 1))
	s := &space.Space{}
	for i := range 7 {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Hi: 19, Inputs: []space.Input{{Index: i, Scale: 0.1}}}
		if i == 6 {
			f.Hi, f.Protected = 1, []float64{0, 1}
		}
		s.Features = append(s.Features, f)
	}
	s.Inputs = len(s.Features)
	layer := func(in, out int, rectified bool) relu.Layer {
		l := relu.Layer{In: in, Out: out, ReLU: rectified}
		for range in * out {
			l.Weights = append(l.Weights, r.NormFloat64())
		}
		for range out {
			l.Bias = append(l.Bias, r.NormFloat64())
		}
		return l
	}
	return &problem.Problem{Name: "many", Query: &problem.Query{
		Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{layer(s.Inputs, 8, true), layer(8, 1, false)}},
		Space: s, Region: s.Whole(), Notion: fairness.Decision, Goal: problem.Quantify,
	}}
}

// The environment that is asked for reaches the plugin: a variant of the vector
// loops that there is changes nothing in an answer, and one that there is not is
// refused.
func TestEnvironment(t *testing.T) {
	const limit = 20_000
	var first *sdk.Result
	for _, kernel := range simd.Kernels() {
		t.Setenv(simd.Variable, "nonsense") // what is asked for comes before what is there
		solver, _ := plugintest.Solver(t, "bnb", simd.Variable+"="+kernel)
		r, err := solver.Solve(t.Context(), many(), sdk.SolveOptions{WorkLimit: limit})
		if err != nil {
			t.Fatalf("%s: %v", kernel, err)
		}
		if first == nil {
			first = r
		}
		if got, want := r.Shares, first.Shares; r.Nodes != first.Nodes || r.Nodes < limit || got.Fair.Cmp(want.Fair) != 0 || got.Unfair.Cmp(want.Unfair) != 0 {
			t.Errorf("%s: %d boxes, %v; %s: %d boxes, %v", kernel, r.Nodes, got, simd.Kernels()[0], first.Nodes, want)
		}
	}
	solver, _ := plugintest.Solver(t, "bnb")
	if _, err := solver.Solve(t.Context(), many(), sdk.SolveOptions{}); err == nil || !strings.Contains(err.Error(), simd.Variable+"=nonsense") {
		t.Errorf("a variant that this machine does not have: %v", err)
	}
}

// What docs/reference/limits.md says of the work limit of bnb: an answer depends on it alone,
// and it is passed by less than a round's last page.
func TestWorkLimit(t *testing.T) {
	t.Parallel()
	const overshoot = 1200
	solver, _ := plugintest.Solver(t, "bnb")
	ask := func(limit int64, threads int) (*sdk.Result, []sdk.Piece) {
		var pieces []sdk.Piece
		r, err := solver.Solve(t.Context(), many(), sdk.SolveOptions{
			WorkLimit: limit, Threads: threads, Pieces: func(list []sdk.Piece) { pieces = append(pieces, list...) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != sdk.WorkLimit || r.Nodes < limit || r.Nodes >= limit+overshoot {
			t.Errorf("a limit of %d, %d threads: %d boxes, reason %q", limit, threads, r.Nodes, r.Reason)
		}
		return r, pieces
	}
	for _, limit := range []int64{1, 1000, 5000, 12_345} {
		one, pieces := ask(limit, 1)
		two, same := ask(limit, 2)
		if one.Nodes != two.Nodes || one.Shares.Fair.Cmp(two.Shares.Fair) != 0 {
			t.Errorf("a limit of %d: %d and %d boxes, %v and %v", limit, one.Nodes, two.Nodes, one.Shares, two.Shares)
		}
		if diff := cmp.Diff(pieces, same, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("a limit of %d: other pieces on two threads: %s", limit, diff)
		}
	}
}
