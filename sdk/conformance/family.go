package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// strange is the name of a family that no plugin supports.
const strange = "conformance-stranger"

// stranger is a network that claims to be of the family strange.
type stranger struct{ model.Model }

func (stranger) Family() string { return strange }

// MarshalBinary implements model.Portable.
func (stranger) MarshalBinary() ([]byte, error) { return []byte(strange), nil }

func checkSolverFamily(ctx context.Context, e *SolverEnv) error {
	q := stepQuery("1/20")
	q.Model = stranger{q.Model}
	r, err := e.solve(ctx, &problem.Problem{Name: "a model of another family", Query: q}, sdk.SolveOptions{})
	return refusedByName(known.Said(r, err), err)
}

// checkShareLink asks solvers that support trees about an ensemble whose output is a
// share.
func checkShareLink(ctx context.Context, e *SolverEnv) error {
	if !slices.Contains(e.Description.Families, trees.Family) {
		return nil
	}
	about := func(epsilon string) *problem.Query {
		return bent(epsilon, func(q *problem.Query) {
			q.Space = &space.Space{Inputs: 2, Features: []space.Feature{
				{Name: "a", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 1}}},
				{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			}}
			q.Model = &trees.Ensemble{Columns: 2, Output: fairness.LinkShare, Base: -fairness.Half, Trees: []trees.Tree{
				{{Input: 0, Value: 2, Left: 1, Right: 2}, trees.Leaf(0.25), {Input: 1, Value: 0.5, Left: 3, Right: 4}, trees.Leaf(0.25), trees.Leaf(0.75)},
			}}
			q.Notion = fairness.Share
		})
	}
	return askAll(ctx, e, problem.Decide, queries{
		{"shares 1/2 apart, ε = 0.49", about("49/100"), known.Feasible}, {"shares 1/2 apart, ε = 0.5", about("1/2"), known.Infeasible},
	})
}

func checkStrategyFamily(ctx context.Context, e *StrategyEnv) error {
	st := mixedStudy()
	s, err := e.start(ctx, st, sdk.StartOptions{
		Model: stranger{known.Dyadic(rand.New(rand.NewPCG(4, 4)), st.space.Inputs, 5)},
	})
	if err == nil {
		s.Close()
	}
	return refusedByName(fmt.Sprint("a session; ", err), err)
}

func refusedByName(got string, err error) error {
	if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), strange) {
		return fmt.Errorf("models of the family %s are not claimed: want ErrUnsupported that names it, got %s", strange, got)
	}
	return nil
}
