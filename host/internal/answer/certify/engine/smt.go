package engine

import (
	"context"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// exact decides a region in the SMT form, whose solvers do not maximise.
func (a *ask) exact(ctx context.Context) (outcome, error) {
	upper := a.trivialBound(a.b)
	if a.deciding {
		s, err := a.beyond(ctx, a.target)
		if err != nil {
			return outcome{}, err
		}
		switch s.found {
		case found:
			return outcome{decided: true, by: BySolver, bound: upper}, nil
		case none:
			return a.beyondNothing(a.best(), s), nil
		}
		return outcome{stopped: s.stopped, bound: upper, why: s.why}, nil
	}
	return a.closeIn(ctx, upper)
}

// beyondNothing is the outcome that no margin of the region exceeds bound.
func (a *ask) beyondNothing(bound float64, s sought) outcome {
	return outcome{decided: true, by: s.by, grade: s.grade, bound: bound}
}

// closeIn raises the best margin until nothing lies beyond it. Each question asks for a margin
// one step beyond the best, and each witness is polished, so that few questions are needed. If
// only the solver's points count, bisection between best and bound replaces the steps.
func (a *ask) closeIn(ctx context.Context, upper float64) (outcome, error) {
	grade := sdk.GradeRigorous // upper is an enclosure until a question lowers it
	closing := !a.o.SolverOnly
	for {
		best := a.best()
		step := a.apart(0)
		last := closing || upper-best <= 2*step
		target := a.next(upper, step, last)
		s, err := a.beyond(ctx, target)
		if err != nil {
			return outcome{}, err
		}
		switch s.found {
		case found:
			if !a.o.SolverOnly {
				a.polish(ctx, a.report.Witness)
			}
		case none:
			_, limit := fairness.Enclosure(target)
			if last {
				return a.beyondNothing(math.Max(limit, a.above()), s), nil
			}
			upper, grade = math.Nextafter(limit, math.Inf(1)), s.grade
		default:
			if s.stopped || last {
				return outcome{stopped: s.stopped, grade: grade, bound: upper, why: s.why}, nil
			}
			closing = true // too near to the border: ask the last question, and keep upper
		}
	}
}

// next is the margin that the next question must exceed. The last question takes the best
// margin itself, if points are exact. The score's border and real features are rounded, and
// might return the best point again: for them a step is added.
func (a *ask) next(upper, step float64, last bool) *big.Rat {
	best := a.best()
	switch {
	case !last:
		if target := new(big.Rat).SetFloat64(best + (upper-best)/2); target.Cmp(a.target) > 0 {
			return target
		}
	case !a.q.Notion.Linear() || a.q.Space.HasReals():
		return new(big.Rat).SetFloat64(best + step)
	}
	return new(big.Rat).Set(a.target)
}

// quest is the answer to a question for a margin beyond a target.
type quest uint8

const (
	unknown quest = iota
	found
	none
)

// sought is a quest with the method and grade of its proof, or with why it is unknown.
type sought struct {
	found   quest
	by      Method
	grade   sdk.Grade // of the proof, if none
	stopped bool
	why     string
}

// beyond asks whether anything in the region has a margin above target, which
// is at least the run's own target.
func (a *ask) beyond(ctx context.Context, target *big.Rat) (sought, error) {
	if !a.q.Notion.Linear() {
		return a.beyondBorder(ctx, target)
	}
	text, err := a.low.smt.Exceeding(a.q.Notion, target)
	if err != nil {
		return sought{}, err
	}
	out, err := a.solve(ctx, a.level(text), nil)
	if err != nil {
		return sought{}, err
	}
	s := a.judge(ctx, out, target)
	if s.found == unknown && out.Values != nil && a.q.Notion.Jumps() {
		// Rounding a real feature may have taken the point across the tie l2 = 0:
		// one a little inside keeps its decision.
		if out, err = a.solve(ctx, a.level(text+a.low.smt.LowerBelow(insideTie)), nil); err != nil {
			return sought{}, err
		}
		if out.witness != nil {
			a.found(out.witness)
			return sought{found: found}, nil
		}
	}
	return s, nil
}

// insideTie is the distance in logits that keeps a point off a tie of decisions: far more than
// the effect of rounding its features, far less than any margin of interest.
var insideTie = big.NewRat(-1, 1e9)

// level is a delta that replaces what the last question asserted.
func (a *ask) level(text string) problem.Delta {
	d := problem.Delta{Pop: a.depth, Push: 1, Assert: text}
	a.depth = 1
	return d
}

// judge concludes from an answer to the question for a margin above target.
func (a *ask) judge(ctx context.Context, out *answer, target *big.Rat) sought {
	switch {
	case out.witness != nil:
		a.found(out.witness)
		return sought{found: found}
	case out.fault == "" && out.Status == sdk.Infeasible:
		limit, _ := target.Float64()
		if a.audit(out, limit-a.best(), 0) {
			if a.deciding && a.report.Witness != nil {
				return sought{found: found}
			}
			return sought{why: out.why()}
		}
		return sought{found: none, by: BySolver, grade: a.o.Description.Exactness}
	}
	return sought{stopped: out.stops(ctx), why: out.why()}
}

// beyondBorder is the tangent loop of docs/reference/semantics.md for a solver that does not
// maximise: it first asks for a point with room to every tangent, a clear violation; if there
// is none, for any point. In exact arithmetic a refused point never returns, and over integers
// the loop ends.
func (a *ask) beyondBorder(ctx context.Context, target *big.Rat) (sought, error) {
	curve, ok := encode.NewCurve(target, a.b.Logit.Lo, a.b.Logit.Hi)
	if !ok {
		return sought{found: none, by: ByBounds, grade: sdk.GradeRigorous}, nil
	}
	grade := sdk.GradeExact
	for _, order := range a.low.smt.Orders() {
		s, err := a.beyondInOrder(ctx, target, curve, order)
		if err != nil || s.found != none {
			return s, err
		}
		grade = sdk.Weakest(grade, s.grade)
	}
	return sought{found: none, by: BySolver, grade: grade}, nil
}

func (a *ask) beyondInOrder(ctx context.Context, target *big.Rat, curve encode.Curve, order encode.Order) (sought, error) {
	smt := a.low.smt
	tangents := smt.Tangents(curve, order)
	s := sought{why: "too many tangents"}
	for _, room := range []*big.Rat{new(big.Rat).SetFloat64(stopSlack), new(big.Rat)} {
		delta := a.level(tangents + smt.SlackAtLeast(room))
		last := math.Inf(-1)
		for range maxRefinements {
			out, err := a.solve(ctx, delta, nil)
			if err != nil {
				return sought{}, err
			}
			if out.Status == sdk.Infeasible && room.Sign() > 0 && out.fault == "" {
				break // nothing clear: ask without the room
			}
			if s = a.judge(ctx, out, target); s.found != unknown {
				return s, nil
			}
			at, moved := a.at(out, order, last)
			if !moved || s.stopped {
				return s, nil
			}
			last = at
			a.report.Refinements++
			tangent := smt.Tangent(curve, order, at)
			tangents += tangent
			delta = problem.Delta{Assert: tangent}
		}
	}
	return s, nil
}
