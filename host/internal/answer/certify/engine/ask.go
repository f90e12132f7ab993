package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
)

// maxTolerance is the largest tolerance of an acceptable claim: beyond it rounding to
// integers is ambiguous.
const maxTolerance = 1e-2

// ask puts questions about one region, in one order of the copies, to the solver.
type ask struct {
	*run
	low    *lowering
	order  encode.Order
	b      *bound.Bounds
	loaded sdk.Loaded
	// begin, if not nil, holds a start point for each copy.
	begin [][]float64
	// model mirrors the problem that the solver holds, to check its claims against.
	model *problem.Stack
	now   *problem.Problem
	// depth counts the levels pushed, 0 or 1; see level.
	depth int
	// workLimit bounds each Solve, in the solver's own unit; 0: none.
	workLimit int64
}

func (r *run) ask(ctx context.Context, low *lowering, b *bound.Bounds, o encode.Order) (*ask, error) {
	loaded, err := r.o.Solver.Load(ctx, low.problem)
	if err != nil {
		return nil, Failed(err)
	}
	return &ask{run: r, low: low, order: o, b: b, loaded: loaded, model: problem.NewStack(low.problem), now: low.problem}, nil
}

func (a *ask) close() { a.loaded.Close() }

// start adds start values to the delta, if there are any.
func (a *ask) start(d problem.Delta) problem.Delta {
	if a.begin == nil || a.low.milp == nil || len(a.begin) != len(a.low.logits) {
		return d
	}
	if values, err := a.low.milp.Lift(a.begin); err == nil {
		values[a.low.milp.Slack] = room(d.Rows, a.low.milp.Slack, values)
		d.Start = values
	}
	a.begin = nil
	return d
}

// room is the largest slack that rows allow at a point, so that a solver need not solve for
// it; 0 if no row contains the slack.
func room(rows []problem.Row, slack int, values []float64) float64 {
	most := math.Inf(1)
	for i := range rows {
		own, rest := 0.0, 0.0
		for _, t := range rows[i].Terms {
			if t.Column == slack {
				own = t.Coef
			} else {
				rest += t.Coef * values[t.Column]
			}
		}
		switch {
		case own > 0:
			most = math.Min(most, (rows[i].Hi-rest)/own)
		case own < 0:
			most = math.Min(most, (rows[i].Lo-rest)/own)
		}
	}
	if math.IsInf(most, 0) || math.IsNaN(most) {
		return 0
	}
	return most
}

// answer is a claim that passed the host's checks, with the witness replayed from it, if any.
type answer struct {
	*sdk.Result
	point   [][]float64 // decoded, nil without a point
	witness *individual.Witness
	// seen is the best incumbent that was replayed while the solver ran.
	seen *individual.Witness
	// upper is a proved dual bound of the objective; +Inf if the solver gave none.
	upper float64
	// tolerance is the error of one logit, derived from the solver's tolerance.
	tolerance float64
	// fault: the claim contradicts itself or a known fact, and proves nothing.
	fault string
}

// solve asks once and replays the answer's point. Incumbents reported meanwhile are replayed too,
// but their timing varies between runs: one counts only if the answer itself has no valid point,
// after a limit, a fault or a crash. So without limits the same seed gives the same result. A
// witness is valid even if its solver crashes: a verdict uses it and records the loss as a fault;
// while maximising it is kept, and the error is returned.
func (a *ask) solve(ctx context.Context, d problem.Delta, target *float64) (*answer, error) {
	d = a.start(d)
	now, err := a.model.Apply(d)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	a.now = now
	a.report.Solves++
	a.note()
	var mu sync.Mutex
	var seen *individual.Witness // the best replayed incumbent
	o := a.o.Solving(ctx)
	o.Target, o.WorkLimit = target, a.workLimit
	a.glimpse(math.Inf(1), &sdk.Progress{}) // some solvers report no progress
	o.Progress = func(p sdk.Progress) {
		mu.Lock()
		defer mu.Unlock()
		a.glimpse(math.Inf(1), &p)
		points := a.decoded(p.Values)
		if points == nil {
			return
		}
		if w := a.try(points); w != nil && (seen == nil || w.Margin > seen.Margin) {
			seen = w
			a.witnessed(w)
		}
	}
	res, err := a.loaded.Solve(ctx, d, o)
	mu.Lock()
	defer mu.Unlock()
	if res, err = Answered(ctx, a.o.Description.Name, res, err); err != nil {
		if res != nil { // the solver's last report
			if points := a.decoded(res.Values); points != nil {
				if w := a.try(points); w != nil && (seen == nil || w.Margin > seen.Margin) {
					seen = w
				}
			}
		}
		switch {
		case seen == nil:
			return nil, err
		case !a.deciding:
			a.found(seen)
			return nil, err
		}
		a.faultText(err.Error()) // the question is answered nevertheless
		res = &sdk.Result{Status: sdk.Unknown, Reason: sdk.Interrupted}
	}
	a.report.Nodes += res.Nodes
	out := &answer{Result: res, upper: math.Inf(1), tolerance: res.Tolerance * a.low.sensitivity, seen: seen}
	a.adopt()
	a.readPoint(out)
	a.check(out)
	if out.witness == nil && (out.Values == nil || out.fault != "" || out.stops(ctx)) {
		out.witness = seen
	}
	if out.Status == sdk.Unknown && out.fault == "" {
		a.faults++ // no answer is not a fault, but too many end a sweep, as faults do
	}
	return out, nil
}

// decoded returns the copies of a point; nil if the values decode to none.
func (a *ask) decoded(values []problem.Number) [][]float64 {
	if values == nil {
		return nil
	}
	points, err := a.low.decode(values)
	if err != nil {
		return nil
	}
	return points
}

// try replays two points; a witness must exceed the present target.
func (a *ask) try(points [][]float64) *individual.Witness {
	if a.q.Reach() > 0 {
		return a.replay.Reaching(points[0], a.q.Reach())
	}
	return a.replay.Pair(points[0], points[1], a.target)
}

func (a *ask) readPoint(out *answer) {
	if out.Values == nil {
		return
	}
	points, err := a.low.decode(out.Values)
	if err != nil {
		out.fault = err.Error()
		return
	}
	out.point = points
	if w := a.try(points); w != nil {
		out.witness = w
	} else if !a.o.Heuristic && a.isSpurious(out) {
		a.report.Spurious++
	}
}

// isSpurious reports whether the replay contradicts the point's logits, or the point lies
// outside the space. A correct point that refutes nothing, since the tangents are still loose,
// is not spurious.
func (a *ask) isSpurious(out *answer) bool {
	if !a.replay.Admits(out.point[0], out.point[1]) {
		return true
	}
	allowed := math.Max(1e-6, out.tolerance)
	for c, p := range out.point {
		l, _ := a.replay.Logit(p).Float64()
		if math.Abs(l-out.Values[a.low.logits[c]].Float64()) > allowed {
			return true
		}
	}
	return false
}

// check tests a claim against the solver's own point and bound; in the SMT form, by checkExact.
func (a *ask) check(out *answer) {
	if a.low.smt != nil {
		a.checkExact(out)
		return
	}
	m := a.now.MILP
	best := math.Inf(-1)
	if out.Values != nil && out.fault == "" {
		values := make([]float64, len(out.Values))
		for i := range values {
			values[i] = out.Values[i].Float64()
		}
		// A solver applies its tolerance to the problem that it scaled. In the unscaled rows, no
		// correct point is off by more than ten thousand times as much.
		if v, allowed := m.Violation(values), 1e-6+1e4*out.Tolerance; !(v <= allowed) {
			out.fault = fmt.Sprintf("its point breaks its own rows by %.3g", v)
		}
		best = problem.Evaluate(m.Objective.Terms, values) + m.Objective.Offset
	}
	slack := 1e-6*(1+math.Abs(best)) + out.Tolerance
	switch {
	case out.fault != "":
	case !(out.Tolerance >= 0 && out.Tolerance <= maxTolerance):
		out.fault = fmt.Sprintf("it claims a tolerance of %.3g; at least 0 and at most %g is accepted", out.Tolerance, maxTolerance)
	case out.HasBound && math.IsNaN(out.Bound) || out.Values != nil && math.IsNaN(out.Objective):
		out.fault = "its bound or its objective is NaN"
	case out.Status == sdk.Infeasible && out.Values != nil:
		out.fault = "it claims infeasible and holds a point"
	case (out.Status == sdk.Optimal || out.Status == sdk.Feasible) && out.Values == nil:
		out.fault = fmt.Sprintf("it claims %s and holds no point", out.Status)
	case out.Values != nil && len(m.Objective.Terms) > 0 && math.Abs(out.Objective-best) > slack:
		out.fault = fmt.Sprintf("it claims the objective %.9g, its own point has %.9g", out.Objective, best)
	case out.Values != nil && len(m.Objective.Terms) > 0 && out.HasBound && out.Bound < best-slack:
		out.fault = fmt.Sprintf("it claims the bound %.9g, its own point has %.9g", out.Bound, best)
	}
	if out.fault != "" {
		a.fault(out.fault)
		return
	}
	switch {
	case out.Status == sdk.Infeasible:
		out.upper = math.Inf(-1)
	case out.HasBound:
		out.upper = out.Bound
	case out.Status == sdk.Optimal:
		out.upper = out.Objective
	}
}

// checkExact tests a claim in the SMT form: satisfiable with values, or unsatisfiable without.
func (a *ask) checkExact(out *answer) {
	switch {
	case out.fault != "":
	case out.Tolerance != 0:
		out.fault = fmt.Sprintf("it claims a tolerance of %.3g where its arithmetic must be exact", out.Tolerance)
	case out.Status == sdk.Infeasible && out.Values != nil:
		out.fault = "it claims infeasible and holds a point"
	case (out.Status == sdk.Optimal || out.Status == sdk.Feasible) && out.Values == nil:
		out.fault = fmt.Sprintf("it claims %s and holds no point", out.Status)
	case out.Values != nil && out.witness == nil && !a.o.Heuristic && a.isSpurious(out):
		out.fault = "its point does not have the logits that it claims"
	}
	if out.fault != "" {
		a.fault(out.fault)
	}
}

// fault records a fault of an answer.
func (a *ask) fault(what string) {
	a.faultText(a.o.faulty(what))
}

// faultText counts a fault; equal texts are reported once.
func (a *ask) faultText(text string) {
	a.faults++
	if !slices.Contains(a.report.Faults, text) {
		a.report.Faults = append(a.report.Faults, text)
	}
}

// stops reports whether a limit makes further questions useless.
func (out *answer) stops(ctx context.Context) bool {
	return ctx.Err() != nil || out.Reason == sdk.TimeLimit || out.Reason == sdk.Interrupted || out.Reason == sdk.MemoryLimit
}

// why states why an answer decided nothing.
func (out *answer) why() string {
	if out.fault != "" {
		return "the solver contradicted itself: " + out.fault
	}
	if out.Reason != sdk.NoReason {
		return out.Reason.String()
	}
	return "within the solver's tolerance"
}
