package engine

import (
	"context"
	"errors"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// outcome is the result for one region.
type outcome struct {
	decided bool
	// stopped: a limit or a lost solver; splitting would not help.
	stopped bool
	by      Method
	// grade and tolerance of the bound and the decision. No grade: the bound follows from an
	// enclosure of the logits.
	grade     sdk.Grade
	tolerance float64
	formula   string
	// bound: no individual of the region has a larger margin.
	bound float64
	why   string
}

// and combines the outcomes for the two orders of a region's copies: decided if both are, with the
// larger bound and the weaker grade.
func (o outcome) and(p outcome) outcome {
	if !p.decided {
		o, p = p, o
	}
	o.decided = o.decided && p.decided
	o.grade, o.bound = sdk.Weakest(o.grade, p.grade), math.Max(o.bound, p.bound)
	if p.tolerance > o.tolerance {
		o.tolerance, o.formula = p.tolerance, p.formula
	}
	return o
}

// part returns the run's question about one region.
func (r *run) part(region space.Region) *problem.Query {
	q := *r.q
	q.Region = region
	return &q
}

// bounds encloses the logits of all copies of a region's individuals, and the difference of two
// copies' logits.
func (r *run) bounds(region space.Region) *bound.Bounds {
	return encode.Enclose(r.part(region), r.method)
}

// region decides one region at the current target, or says why it cannot.
func (r *run) region(ctx context.Context, region space.Region) (outcome, error) {
	if region.Count() < max(2, r.q.Reach()) {
		// No individual has as many counterfactuals as the question needs: all are fair
		// (docs/reference/semantics.md), and the gap is 0.
		return outcome{decided: true, by: ByBounds, grade: sdk.GradeExact}, nil
	}
	limit := max(1, r.o.Enumerate)
	if _, few := r.q.Space.CountIndividuals(region.Box, limit); few && len(r.q.Relax) == 0 {
		return r.enumerate(ctx, region), nil
	}
	b := r.bounds(region)
	if r.boundsSuffice(b) {
		return outcome{decided: true, by: ByBounds, grade: sdk.GradeRigorous, bound: r.excludedBound(b)}, nil
	}
	if r.lower.Form == problem.FormNetwork {
		return r.network(ctx, region)
	}
	slack := 0.0
	if r.o.Bounds == BoundsLP {
		tight, loss, err := r.tightened(ctx, region, b)
		if err != nil {
			return outcome{}, err
		}
		slack = loss
		switch {
		case !r.boundsSuffice(tight):
			b = tight
		case !r.beaten(region):
			return r.numerically(outcome{decided: true, by: ByBounds, bound: r.excludedBound(tight)}, slack), nil
		case r.deciding && r.report.Witness != nil:
			return outcome{decided: true, by: BySampling, bound: r.trivialBound(b)}, nil
		}
	}
	var start [][]float64
	if r.o.Climb {
		start = r.lookAround(ctx, region)
		if r.deciding && r.report.Witness != nil {
			return outcome{decided: true, by: BySampling, bound: r.trivialBound(b)}, nil
		}
	}
	out, err := r.askAbout(ctx, region, b, start)
	if r.o.Bounds == BoundsLP {
		out = r.numerically(out, slack)
	}
	return out, err
}

// numerically grades an outcome that rests on a solver's bounds: a logit may be off by slack.
func (r *run) numerically(out outcome, slack float64) outcome {
	out.grade = sdk.GradeNumerical
	if slack = 2 * slack; slack > out.tolerance {
		out.tolerance, out.formula = slack, "2 copies × width of the bounds that the solver tightened (its tolerance over every row, column and phase)"
	}
	return out
}

// askAbout puts a region's question to the solver.
func (r *run) askAbout(ctx context.Context, region space.Region, b *bound.Bounds, start [][]float64) (outcome, error) {
	if r.o.Heuristic {
		b = r.assumed(r.q.Model.(*relu.Network), region, b) // see takes
	}
	low, err := r.lowered(r.part(region), b)
	if errors.Is(err, encode.ErrUnbounded) {
		return outcome{stopped: true, bound: r.trivialBound(b), why: err.Error()}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	if low == nil { // the enclosure reaches fewer bins than the question
		return outcome{decided: true, by: ByBounds, grade: sdk.GradeRigorous}, nil
	}
	var all outcome
	for i, o := range low.orders {
		ask, err := r.ask(ctx, low, b, o)
		if err != nil {
			return outcome{}, err
		}
		ask.begin = start
		out, err := ask.decide(ctx)
		ask.close()
		if err != nil {
			return outcome{}, err
		}
		if low.proofless != "" && out.grade != 0 {
			// Splitting the region would not change that.
			out = outcome{stopped: true, bound: r.trivialBound(b), why: low.proofless}
		}
		if i > 0 {
			out = all.and(out)
		}
		if all = out; !all.decided || r.deciding && r.report.Witness != nil {
			break
		}
	}
	return all, nil
}

// decide asks the question in the form that it was lowered to.
func (a *ask) decide(ctx context.Context) (outcome, error) {
	switch {
	case a.q.Reach() > 0:
		return a.manyBins(ctx)
	case a.low.smt != nil:
		return a.exact(ctx)
	case !a.q.Notion.Linear():
		return a.score(ctx)
	}
	return a.linear(ctx)
}
