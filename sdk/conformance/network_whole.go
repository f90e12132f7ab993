package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// The goals that speak of an individual with all its counterfactuals. Each
// problem is small enough to be enumerated.
var wholeCases = []SolverCase{
	{Name: "network/max-k", Doc: "the largest number of bins, with an individual that reaches it", Needs: needs(problem.FormNetwork, problem.MaxK),
		Run: func(ctx context.Context, e *SolverEnv) error { return checkWholes(ctx, e, problem.MaxK) }},
	{Name: "network/min-k", Doc: "the smallest number of bins, with an individual that reaches it", Needs: needs(problem.FormNetwork, problem.MinK),
		Run: func(ctx context.Context, e *SolverEnv) error { return checkWholes(ctx, e, problem.MinK) }},
	{Name: "network/minimise", Doc: "the smallest gap in scores and in logits, with an individual that has it", Needs: needs(problem.FormNetwork, problem.Minimise),
		Run: func(ctx context.Context, e *SolverEnv) error { return checkWholes(ctx, e, problem.Minimise) }},
	{Name: "network/quantify", Doc: "the shares of individuals treated fairly and unfairly", Needs: needs(problem.FormNetwork, problem.Quantify),
		Run: checkQuantify},
}

// wholly: a witness of the goal is an individual with all its counterfactuals.
// It may have one only, which then stands for both copies.
func wholly(g problem.Goal) bool {
	return g == problem.MaxK || g == problem.MinK || g == problem.Minimise
}

// checkWhole holds a claim against the individual it shows.
func (e *SolverEnv) checkWhole(q *problem.Query, r *sdk.Result, logits []*big.Rat) error {
	lo, hi := value(q, logits)
	eps := e.slack(hi)
	if !(r.Objective >= lo-eps && r.Objective <= hi+eps) {
		return fmt.Errorf("the objective claimed is %v; the individual held has %v", r.Objective, lo)
	}
	if over := sign(q.Goal == problem.MaxK) * (r.Objective - r.Bound); r.HasBound && over > eps {
		return fmt.Errorf("the bound %v contradicts the objective %v of the individual held", r.Bound, r.Objective)
	}
	return nil
}

// value encloses what goals with a value weigh of an individual with these
// logits: its gap or margin, or its number of bins.
func value(q *problem.Query, logits []*big.Rat) (lo, hi float64) {
	if q.Goal == problem.MaxK || q.Goal == problem.MinK {
		k := float64(q.Model.Link().KBins(logits, q.Epsilon))
		return k, k
	}
	return q.Notion.Gap(logits)
}

// checkShares checks what must hold of shares, whatever the problem.
func checkShares(r *sdk.Result) error {
	s := r.Shares
	if r.HasPoint() {
		return errors.New("a point for a problem that asks for shares")
	}
	if s == nil {
		if r.Status == sdk.Optimal || r.Status == sdk.Feasible {
			return fmt.Errorf("%s without shares", r.Status)
		}
		return nil
	}
	if s.Fair == nil || s.Unfair == nil || s.Fair.Sign() < 0 || s.Unfair.Sign() < 0 {
		return fmt.Errorf("the shares are %v and %v", s.Fair, s.Unfair)
	}
	switch all := new(big.Rat).Add(s.Fair, s.Unfair).Cmp(big.NewRat(1, 1)); {
	case all > 0:
		return fmt.Errorf("the shares %s and %s sum to more than 1", s.Fair.FloatString(6), s.Unfair.FloatString(6))
	case all < 0 && r.Status == sdk.Optimal:
		return fmt.Errorf("%s, and yet the shares %s and %s leave something open", r.Status, s.Fair.FloatString(6), s.Unfair.FloatString(6))
	}
	if s.Boxes < 0 {
		return fmt.Errorf("%d boxes", s.Boxes)
	}
	return nil
}

// wholeQueries are random queries of a notion with bins, some with a region and
// a predicate.
func wholeQueries(n int) queries {
	var out queries
	rng := rand.New(rand.NewPCG(8, 13))
	for i := range n {
		q := randomQuery(rng)
		q.Notion = fairness.Score
		if i%3 == 1 {
			q.Region = q.Space.Whole().Clone()
			q.Region.Box[0] = space.Interval{Lo: -1, Hi: 2}
			q.Region.Values[1] = []float64{1, 12}
		}
		out = append(out, struct {
			name string
			q    *problem.Query
			want truth
		}{name: fmt.Sprintf("random network %d", i), q: q})
	}
	return out
}

func checkWholes(ctx context.Context, e *SolverEnv, goal problem.Goal) error {
	for i, k := range wholeQueries(12) {
		if k.q.Goal = goal; goal == problem.Minimise && i%2 == 1 {
			k.q.Notion = fairness.Logit
		}
		known := referee(k.q)
		switch goal {
		case problem.MaxK:
			k.want = optimum(float64(known.most))
		case problem.MinK:
			k.want = optimum(float64(known.fewest))
		case problem.Minimise:
			k.want = optimum(known.least)
		}
		if known.fair+known.unfair == 0 {
			k.want = infeasible
		}
		if err := e.askQuery(ctx, k.name, k.q, k.want); err != nil {
			return err
		}
	}
	return nil
}

func checkQuantify(ctx context.Context, e *SolverEnv) error {
	ask := wholeQueries(12)
	for i := range ask {
		// Every notion, and many bins.
		ask[i].q.Notion = fairness.Notions[i%len(fairness.Notions)]
		if ask[i].q.Notion == fairness.Score && i > 0 {
			ask[i].q.K, ask[i].q.Epsilon = 3, big.NewRat(1, 20)
		}
	}
	for _, k := range ask {
		k.q.Goal = problem.Quantify
		if err := e.askShares(ctx, k.name, k.q); err != nil {
			return err
		}
	}
	return nil
}

// askShares asks for shares, and holds them against what enumeration counts: at
// the end, and on the way there.
func (e *SolverEnv) askShares(ctx context.Context, name string, q *problem.Query) error {
	known := referee(q)
	var mu sync.Mutex
	var early error
	o := sdk.SolveOptions{Seed: 1, Progress: func(p sdk.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Shares != nil && early == nil {
			early = known.checkBounds(p.Shares)
		}
	}}
	p := &problem.Problem{Name: name, Query: q}
	r, err := e.solve(ctx, p, o)
	if err != nil {
		return err
	}
	if err := e.check(p, r); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if early != nil {
		return fmt.Errorf("problem %q, %s: on the way, %w", name, q.Notion, early)
	}
	if err := checkKnownShares(r, known); err != nil {
		return fmt.Errorf("problem %q, %s: %w", name, q.Notion, err)
	}
	return nil
}

// checkBounds checks that shares do not exceed the number of individuals.
func (d *decided) checkBounds(s *sdk.Shares) error {
	all := max(d.fair+d.unfair, 1)
	if s.Fair.Cmp(big.NewRat(d.fair, all)) > 0 || s.Unfair.Cmp(big.NewRat(d.unfair, all)) > 0 {
		return fmt.Errorf("the shares %s and %s exceed the truth, %d and %d of %d", s.Fair.RatString(), s.Unfair.RatString(), d.fair, d.unfair, all)
	}
	return nil
}

// checkKnownShares holds an answer against what enumeration counted. A problem
// that small must be answered in full.
func checkKnownShares(r *sdk.Result, known decided) error {
	all := known.fair + known.unfair
	if all == 0 {
		if r.Status != sdk.Infeasible {
			return fmt.Errorf("the question is about no individual; want infeasible, got %s", answer(r, nil))
		}
		return nil
	}
	if r.Status != sdk.Optimal {
		return fmt.Errorf("no answer to a small problem: %s", answer(r, nil))
	}
	if want := big.NewRat(known.unfair, all); r.Shares.Unfair.Cmp(want) != 0 {
		return fmt.Errorf("the unfair share is %s; counting finds %s", r.Shares.Unfair.RatString(), want.RatString())
	}
	if n := r.Shares.Individuals; n != nil && n.Cmp(big.NewInt(all)) != 0 {
		return fmt.Errorf("%s individuals; counting finds %d", n, all)
	}
	return nil
}

// realQuery has the real feature a from 0 to 2.5: the score gap at a is
// σ(a−1) − σ(−1), which is ½ at some 2.2028.
func realQuery() (q *problem.Query, fair float64) {
	q = bent("1/2", func(q *problem.Query) {
		q.Goal = problem.Quantify
		q.Space.Features[0].Kind, q.Space.Features[0].Hi = space.Real, 2.5
	})
	score := 0.5 + fairness.Sigmoid(-1)
	at := math.Log(score/(1-score)) + 1
	return q, at / 2.5
}
