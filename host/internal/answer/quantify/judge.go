package quantify

import (
	"context"
	"math/big"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// verdict is what is true of an individual.
type verdict uint8

const (
	// outside: no individual of the question.
	outside verdict = iota
	fair
	unfair
)

// judge decides single individuals exactly. Safe for concurrent use.
type judge struct {
	q *problem.Query
	// eval evaluates at ε, or at ½ where only decisions count.
	eval *evaluate.Evaluator
}

// half stands for ε in notions without bins.
var half = big.NewRat(1, 2)

func newJudge(q *problem.Query) (*judge, error) {
	eps := half
	if q.Notion == fairness.Score {
		eps = q.Epsilon
	}
	e, err := evaluate.New(q.Model, q.Space, q.RegionOrWhole(), eps)
	return &judge{q: q, eval: e}, err
}

// of decides an individual of the region's box.
func (j *judge) of(x []float64) verdict {
	if !j.describes(x) {
		return outside
	}
	o := j.eval.Evaluate(x)
	switch {
	case o.N == 0:
		return outside
	case o.N < 2:
		return fair
	}
	violates := false
	switch n := j.q.Notion; {
	case j.q.K > 2:
		violates = o.K >= j.q.K
	case n == fairness.Score:
		violates = o.Violates
	case n == fairness.Logit:
		violates = j.eval.LogitsApart(x, j.q.Epsilon)
	default:
		violates = j.eval.DecisionsDiffer(x, n == fairness.DecisionStrict)
	}
	if violates {
		return unfair
	}
	return fair
}

// describes reports that the query's predicates speak of the individual. They
// are about non-protected features: a solver that takes others is asked about
// copies, not individuals.
func (j *judge) describes(x []float64) bool {
	for _, p := range j.q.Require {
		if !p.Holds(x) {
			return false
		}
	}
	for _, p := range j.q.Forbid {
		if p.Holds(x) {
			return false
		}
	}
	return true
}

// all decides many individuals, the i-th verdict of xs[i], on all processors. ok is
// unset where ctx ended before; then whoever is being evaluated is left behind.
func (j *judge) all(ctx context.Context, xs [][]float64) (out []verdict, ok bool) {
	verdicts := make([]verdict, len(xs))
	done := make(chan struct{})
	go func() {
		defer close(done)
		parallel(ctx, len(xs), func(i int) { verdicts[i] = j.of(xs[i]) })
	}()
	select {
	case <-done:
		return verdicts, ctx.Err() == nil
	case <-ctx.Done():
		return nil, false
	}
}

// inBox reports that the non-protected entries of x are values of the region.
func inBox(s *space.Space, region space.Region, x []float64) bool {
	return s.ContainsIndividual(x) && s.RegionContains(region, x)
}
