package conformance

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// stepQuery asks about a network small enough to evaluate by hand. The feature a
// is an integer from 0 to 3, s is protected with the values 0 and 1, and
//
//	logit = max(0, a + 3s − 3) − 1 = a − 1 if s = 1, and −1 if s = 0.
//
// So the logit gap at a is a; the score gap is 0, 0.2311, 0.4621, 0.6119; the
// decisions differ at a = 2 and above, with the margins 1 and 2.
func stepQuery(epsilon string) *problem.Query {
	return &problem.Query{
		Model: &relu.Network{
			Layers: []relu.Layer{
				{Name: "hidden", In: 2, Out: 1, Weights: []float64{1, 3}, Bias: []float64{-3}, ReLU: true},
				{Name: "output", In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{-1}},
			},
			Head: relu.HeadSigmoid, Precision: 64,
		},
		Space: &space.Space{
			Features: []space.Feature{
				{Name: "a", Kind: space.Integer, Lo: 0, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 1}}},
				{Name: "s", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			},
			Inputs: 2,
		},
		Notion: fairness.Score, Epsilon: ratio(epsilon), Goal: problem.Decide,
	}
}

func ratio(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("conformance: " + text + " is not a number")
	}
	return r
}

// bent returns the step query with a change made to it.
func bent(epsilon string, change func(*problem.Query)) *problem.Query {
	q := stepQuery(epsilon)
	change(q)
	return q
}

var networkCases = append(commonCases(problem.FormNetwork), []Case[*SolverEnv]{
	asked(problem.Decide, "network/violating", "a violating individual is found, and survives the replay", func() queries {
		return queries{{"one of four violates", stepQuery("3/5"), known.Feasible}, {"three of four violate", stepQuery("1/5"), known.Feasible}}
	}),
	asked(problem.Decide, "network/fair", "if no individual violates, none is claimed", func() queries {
		return queries{{"gap 0.6119, ε = 0.62", stepQuery("31/50"), known.Infeasible}, {"ε just above the gap", stepQuery("0.611856"), known.Infeasible}}
	}),
	asked(problem.Decide, "network/notions", "logit and both decision notions mean what semantics says", func() queries {
		notion := func(n fairness.Notion, eps string, hi float64) *problem.Query {
			return bent(eps, func(q *problem.Query) { q.Notion, q.Space.Features[0].Hi = n, hi })
		}
		// With a ≤ 1 the largest logit is 0: a score of ½, which is a negative decision.
		return queries{
			{"logit gap 3 > 2.9", notion(fairness.Logit, "29/10", 3), known.Feasible},
			{"logit gap 3 is not > 3", notion(fairness.Logit, "3", 3), known.Infeasible},
			{"decisions differ", notion(fairness.Decision, "1", 2), known.Feasible},
			{"decisions agree at logit 0", notion(fairness.Decision, "1", 1), known.Infeasible},
			{"strict decisions differ", notion(fairness.DecisionStrict, "1", 2), known.Feasible},
			{"strict decisions agree", notion(fairness.DecisionStrict, "1", 1), known.Infeasible},
		}
	}),
	asked(problem.Maximise, "network/maximise", "the largest gap or margin, for each notion", func() queries {
		notion := func(n fairness.Notion) *problem.Query { return bent("1/20", func(q *problem.Query) { q.Notion = n }) }
		return queries{
			{"score", notion(fairness.Score), known.Optimum(fairness.Sigmoid(2) - fairness.Sigmoid(-1))},
			{"logit", notion(fairness.Logit), known.Optimum(3)},
			{"decision", notion(fairness.Decision), known.Optimum(2)},
			{"strict decision", notion(fairness.DecisionStrict), known.Optimum(1)},
		}
	}),
	on(problem.Decide, "network/other-family", "a model of a family that is not claimed is refused with ErrUnsupported, by name", checkSolverFamily),
	on(problem.Decide, "network/shares", "the gaps of trees whose output is a share are gaps of shares, if trees are claimed", checkShareLink),
	on(problem.Decide, "network/no-time", "with no time at all, a violation is found or not, and never ruled out", checkNoTime),
	asked(problem.Decide, "network/random", "random tiny networks have the verdict that enumeration finds", drawn(problem.Decide, known.Small)),
	asked(problem.Decide, "network/fixed", "features with a single value keep it, and rule out no individual", drawn(problem.Decide, fixedQuery)),
	asked(problem.Maximise, "network/random-maximise", "random tiny networks have the largest gap that enumeration finds", drawn(problem.Maximise, known.Small)),
}...)

// fixedQuery is a random query in which an integer, a category and a protected feature have one
// value each, and another feature has too many values for a solver to enumerate.
func fixedQuery(rng *rand.Rand) *problem.Query {
	q := known.Small(rng)
	b := &q.Space.Features[4]
	b.Hi, b.Inputs[0].Scale = 399, 1.0/128
	q.Region = q.Space.Whole()
	q.Region.Box[0], q.Region.Box[2] = space.Interval{Lo: 1, Hi: 1}, space.Interval{Lo: 1, Hi: 1}
	q.Region.Values[1] = []float64{4}
	return q
}

// drawn draws queries, and finds their answers by enumeration.
func drawn(goal problem.Goal, draw func(*rand.Rand) *problem.Query) func() queries {
	return func() (list queries) {
		rng := rand.New(rand.NewPCG(3, 5))
		for i := range 12 {
			q := draw(rng)
			q.Goal = goal
			list = append(list, question[*problem.Query]{fmt.Sprintf("random network %d, %s", i, q.Notion), q, known.Enumerate(q).Answer(q)})
		}
		return list
	}
}

// largeQuery has some 10¹⁸ individuals, and a network that treats most of them
// fairly.
func largeQuery() *problem.Query {
	rng := rand.New(rand.NewPCG(17, 4))
	s := &space.Space{Inputs: 10}
	for i := range s.Inputs {
		f := space.Feature{Name: fmt.Sprintf("x%d", i), Kind: space.Integer, Lo: 0, Hi: 99, Inputs: []space.Input{{Index: i, Scale: 0.01}}}
		if i == 0 {
			f.Protected = []float64{0, 50, 99}
		}
		s.Features = append(s.Features, f)
	}
	return &problem.Query{Model: known.Dyadic(rng, s.Inputs, 24), Space: s, Notion: fairness.Score, Epsilon: big.NewRat(9, 10), Goal: problem.Decide}
}

// checkNoTime asks a question with a violation under limits that are over before,
// or soon after, the search begins.
func checkNoTime(ctx context.Context, e *SolverEnv) error {
	for _, limit := range []time.Duration{1, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond} {
		p := &problem.Problem{Name: "one of four violates", Query: stepQuery("3/5")}
		if _, err := e.ask(ctx, p, known.Feasible, sdk.SolveOptions{Seed: 1, TimeLimit: limit}); err != nil {
			return fmt.Errorf("in %v: %w", limit, err)
		}
	}
	return nil
}
