package engine

import (
	"context"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// manyBins decides whether an individual of the region reaches the question's number of bins. The
// lowered problem has one copy of the network per bin, each copy in a higher bin than the one
// before.
func (a *ask) manyBins(ctx context.Context) (outcome, error) {
	if a.low.smt != nil {
		return a.manyBinsExactly(ctx)
	}
	delta, err := a.low.milp.InBins(a.q.Epsilon, a.q.Reach())
	if err != nil {
		return outcome{}, err
	}
	// The distance of every copy from its bin's edges is maximised, so that a point is clear
	// of rounding; for the replay stopSlack suffices.
	delta.Objective = a.low.milp.MostRoom()
	stop := stopSlack
	out, err := a.solve(ctx, delta, &stop)
	if err != nil {
		return outcome{}, err
	}
	tolerance := 2 * out.tolerance
	switch {
	case out.witness != nil:
		a.found(out.witness)
		return outcome{decided: true, by: BySolver}, nil
	case out.fault == "" && out.upper < -tolerance:
		if a.auditBins(out) {
			break
		}
		return outcome{decided: true, by: BySolver, grade: sdk.GradeNumerical, tolerance: tolerance,
			formula: "2 × sensitivity of a logit × the solver's tolerance, in logits from a bin's edge"}, nil
	}
	return outcome{stopped: out.stops(ctx), why: out.why()}, nil
}

// manyBinsExactly first asks for points so far from the bins' edges that rounding a real
// feature crosses none, then for any point. Only the second answer is a proof.
func (a *ask) manyBinsExactly(ctx context.Context) (outcome, error) {
	text, err := a.low.smt.InBins(a.q.Epsilon, a.q.Reach())
	if err != nil {
		return outcome{}, err
	}
	room := a.low.smt.SlackAtLeast(new(big.Rat).SetFloat64(stopSlack))
	var out *answer
	for _, question := range []string{text + room, text} {
		if out, err = a.solve(ctx, a.level(question), nil); err != nil {
			return outcome{}, err
		}
		if out.witness != nil {
			a.found(out.witness)
			return outcome{decided: true, by: BySolver}, nil
		}
		if out.stops(ctx) {
			break
		}
	}
	if out.fault == "" && out.Status == sdk.Infeasible && !a.auditBins(out) {
		return outcome{decided: true, by: BySolver, grade: a.o.Description.Exactness}, nil
	}
	return outcome{stopped: out.stops(ctx), why: out.why()}, nil
}

// auditBins tests a claim that no individual reaches the question's number of bins, on the solver's
// own incumbents and on random individuals. It reports whether a witness refutes the claim, which is
// then a fault.
func (a *ask) auditBins(out *answer) bool {
	if out.seen != nil {
		out.fault = "it claims that no individual reaches that many bins; a witness that it reported earlier does"
		a.refutation(out.fault, a.low.region, nil, 0)
		a.found(out.seen)
		return true
	}
	if a.counterexample(a.low.region, 0, a.target) == nil {
		return false
	}
	out.fault = "it claims that no individual reaches that many bins; a replayed individual does"
	a.refutation(out.fault, a.low.region, nil, 0)
	return true
}

// binsWithin counts the bins that logits from lo to hi can fall into.
func binsWithin(q *problem.Query, lo, hi *big.Rat) int {
	bins := q.Binning()
	return bins.Of(hi) - bins.Of(lo) + 1
}
