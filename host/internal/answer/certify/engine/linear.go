package engine

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

const linearFormula = "2 copies × sensitivity of a logit × the solver's tolerance + 1e-6"

// linear decides a region in a notion that is linear in the logits, by one feasibility question
// or one optimisation.
func (a *ask) linear(ctx context.Context) (outcome, error) {
	if a.deciding {
		return a.feasible(ctx)
	}
	return a.optimise(ctx)
}

// feasible asks for any violation. If the replay refuses the point, its margin ties with ε, and
// the largest margin decides: a numerical proof means a margin of at most ε + tolerance.
func (a *ask) feasible(ctx context.Context) (outcome, error) {
	eps, trivial := a.best(), a.trivialBound(a.b)
	out, err := a.solve(ctx, a.low.milp.Violating(a.q.Notion, eps, encode.LeastMargin, a.order), nil)
	if err != nil {
		return outcome{}, err
	}
	tied := out.fault == "" && out.witness == nil && out.Values != nil
	if tied {
		if out, err = a.solve(ctx, a.low.milp.MaximiseMargin(a.q.Notion, a.order), nil); err != nil {
			return outcome{}, err
		}
	}
	tolerance := a.linearTolerance(out)
	fair := out.fault == "" && (out.Status == sdk.Infeasible || tied && out.upper <= eps+tolerance)
	switch {
	case out.witness != nil:
		a.found(out.witness)
		return outcome{decided: true, by: BySolver, bound: trivial}, nil
	case fair && a.audit(out, 0, tolerance):
		return outcome{decided: a.report.Witness != nil, by: BySampling, bound: trivial, why: out.why()}, nil
	case fair:
		return outcome{decided: true, by: BySolver, grade: sdk.GradeNumerical, bound: eps, tolerance: tolerance, formula: linearFormula}, nil
	}
	if out.Reason == sdk.Numerical && !a.o.Heuristic && !a.o.SolverOnly && a.counterexample(a.low.region, eps, a.target) != nil {
		return outcome{decided: true, by: BySampling, bound: trivial}, nil // cheaper than asking about both halves
	}
	return outcome{stopped: out.stops(ctx), bound: trivial, why: out.why()}, nil
}

func (a *ask) linearTolerance(out *answer) float64 { return 2*out.tolerance + encode.LeastMargin }

func (a *ask) optimise(ctx context.Context) (outcome, error) {
	out, err := a.solve(ctx, a.low.milp.MaximiseMargin(a.q.Notion, a.order), nil)
	if err != nil {
		return outcome{}, err
	}
	if out.witness != nil {
		a.found(out.witness)
	}
	tolerance := a.linearTolerance(out)
	trivial := a.trivialBound(a.b)
	upper := math.Min(out.upper, trivial)
	a.refute(out, upper+tolerance)
	if out.fault != "" {
		return outcome{bound: trivial, why: out.why()}, nil
	}
	if out.Status != sdk.Optimal && out.Status != sdk.Infeasible {
		return outcome{stopped: out.stops(ctx), grade: sdk.GradeNumerical, tolerance: tolerance, formula: linearFormula, bound: upper, why: out.why()}, nil
	}
	if out.witness == nil && out.Values != nil && a.q.Notion.Jumps() {
		if err := a.inside(ctx, tolerance); err != nil {
			return outcome{}, err
		}
	}
	best := a.best()
	if out.Status == sdk.Optimal && upper > best+tolerance+a.o.Gap*math.Abs(best) {
		return outcome{grade: sdk.GradeNumerical, tolerance: tolerance, formula: linearFormula, bound: upper, why: "the optimum claimed did not survive the replay"}, nil
	}
	return outcome{decided: true, by: BySolver, grade: sdk.GradeNumerical, bound: math.Max(upper, best), tolerance: tolerance, formula: linearFormula}, nil
}

// inside searches for the best witness a tolerance away from the tie l2 = 0, at which rounding
// invalidated the optimum itself.
func (a *ask) inside(ctx context.Context, tolerance float64) error {
	second := problem.ColumnBound{Column: a.low.logits[a.order.Low], Lo: a.b.Logit.Lo, Hi: math.Max(a.b.Logit.Lo, -tolerance)}
	out, err := a.solve(ctx, problem.Delta{ColumnBounds: []problem.ColumnBound{second}}, nil)
	if err == nil && out.witness != nil {
		a.found(out.witness)
	}
	return err
}

// refute tests a claimed bound against the best known witness of the region, and against random
// individuals.
func (a *ask) refute(out *answer, upper float64) {
	if out.fault != "" || out.upper == math.Inf(1) {
		return
	}
	if len(a.low.orders) > 1 { // the witness may be of the other order, which this claim does not cover
		a.audit(out, 0, math.Inf(1))
		return
	}
	if a.audit(out, upper-a.best(), 0) {
		return
	}
	if w := a.report.Witness; w != nil && a.q.Space.RegionContains(a.low.region, w.Copy1) && upper < w.Margin {
		out.fault = fmt.Sprintf("it claims that nothing exceeds %.9g; a replayed witness has %.9g", upper, w.Margin)
		a.refutation(out.fault, a.low.region, w, upper)
	}
}

// boundsSuffice reports whether the enclosures of the logits and of their difference prove that
// nothing in the region exceeds the target.
func (r *run) boundsSuffice(b *bound.Bounds) bool {
	lo, hi := b.Logit.Lo, b.Logit.Hi
	if t, _ := fairness.Enclosure(r.target); b.Apart() <= 0 || r.q.Reach() == 0 && !r.q.Notion.Possible(hi, lo, b.Apart(), t) {
		return true // copies with one logit have one decision, one score and one bin
	}
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return false
	}
	L, U := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
	if r.q.Reach() > 0 {
		return binsWithin(r.q, L, U) < r.q.Reach()
	}
	return !r.q.Notion.Exceeds(U, L, r.target)
}
