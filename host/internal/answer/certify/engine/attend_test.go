package engine_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// crowded is a question about 20,164 copies of each individual and a network of
// 4,000 neurons: auditing a claim takes minutes.
func crowded() *problem.Query {
	rng := rand.New(rand.NewPCG(1, 1))
	weights := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(float32(rng.NormFloat64()))
		}
		return out
	}
	const width = 4000
	s := &space.Space{Inputs: 3}
	for i, name := range []string{"a", "b", "free"} {
		f := space.Feature{Name: name, Kind: space.Integer, Hi: 141, Inputs: []space.Input{{Index: i, Scale: 1.0 / 128}}}
		if name != "free" {
			for v := range 142 {
				f.Protected = append(f.Protected, float64(v))
			}
		}
		s.Features = append(s.Features, f)
	}
	return &problem.Query{Space: s, Notion: fairness.Score, Epsilon: big.NewRat(1, 20), Model: &relu.Network{Precision: 32, Head: relu.HeadSigmoid, Layers: []relu.Layer{
		{In: 3, Out: width, Weights: weights(3 * width), Bias: weights(width), ReLU: true}, {In: width, Out: 1, Weights: weights(width), Bias: []float64{0}},
	}}}
}

// quick claims infeasibility at once.
type quick struct{ sdk.Incremental }

func (quick) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Infeasible}, nil
}

// TestAnAuditThatTakesTooLongIsNoProof: host loops that ignore the end of the context are
// abandoned, and a claim without a finished audit proves nothing. Parallel tests run last: what is abandoned
// takes both cores until the process ends.
func TestAnAuditThatTakesTooLongIsNoProof(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	d := sdk.Description{Name: "quick", Exactness: sdk.GradeExact}
	for _, g := range []problem.Goal{problem.Decide, problem.Maximise, problem.MaxK} {
		d.Serves = append(d.Serves, sdk.Service{Form: problem.FormNetwork, Goal: g})
	}
	o := engine.Options{Solver: quick{}, Description: d, Climb: true}
	cases := map[string]func(context.Context, *problem.Query) (reason string, nothing bool, err error){
		"k copies": func(ctx context.Context, q *problem.Query) (string, bool, error) {
			q.K = 3
			rep, err := engine.Run(ctx, q, o)
			if rep == nil {
				return "", false, err
			}
			return rep.Reason, rep.Verdict == engine.Undecided, err
		},
		"a bound": func(ctx context.Context, q *problem.Query) (string, bool, error) {
			q.Goal = problem.MaxK
			e, err := engine.Enclose(ctx, q, o, nil)
			if e == nil {
				return "", false, err
			}
			return e.Reason, e.Bound >= 20 && !e.Nobody, err
		},
	}
	for name, ask := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				if reason, nothing, err := ask(ctx, crowded()); err != nil || !nothing || reason != "time limit" {
					t.Errorf("reason %q, nothing claimed: %v, error %v", reason, nothing, err)
				}
			}()
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Fatal("the time limit did not hold")
			}
		})
	}
}
