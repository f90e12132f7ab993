package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Direct stands in for an encoding's name: the solver gets the model itself.
const Direct = "network"

var direct = encode.Encoding{
	Name: Direct, Summary: "the question itself, for a solver that takes networks; nothing is lowered",
	Form: problem.FormNetwork, Fidelity: encode.Exact,
}

// LookupEncoding finds an encoding, or Direct, by name.
func LookupEncoding(name string) (encode.Encoding, error) {
	if name == Direct {
		return direct, nil
	}
	e, err := encode.Find(name)
	if err != nil {
		err = fmt.Errorf("%w, %s", err, Direct)
	}
	return e, err
}

// ownTolerance is the formula of an answer's tolerance if the solver got the model itself.
const ownTolerance = "the solver's own"

const (
	// settledAbove is the relative optimality gap at which a maximum counts as settled: far
	// above float64 summation error, far below a difference that matters.
	settledAbove = 1e-7
	// misstated is the largest accepted relative error of a claimed objective: a solver may
	// compute in single precision.
	misstated = 1e-6
)

// network asks the solver about a region of the model itself.
func (r *run) network(ctx context.Context, region space.Region) (outcome, error) {
	q := r.part(region)
	trivial := r.trivialBound(r.bounds(region))
	if !r.deciding {
		q.Goal = problem.Maximise
	}
	res, err := r.question(ctx, q)
	if err != nil {
		return outcome{}, err
	}
	r.adopt()
	out := outcome{bound: trivial, grade: r.o.Description.Exactness, tolerance: res.Tolerance}
	if res.Tolerance > 0 {
		out.formula = ownTolerance
	}
	if fault := r.odd(q, res); fault != "" {
		r.blame(fault)
		return outcome{bound: trivial, stopped: true, why: "the solver contradicted itself: " + fault}, nil
	}
	fault := r.credit(res)
	switch {
	case r.deciding && r.report.Witness != nil:
		return outcome{decided: true, by: BySolver, bound: trivial}, nil
	case fault != "":
		r.refutation(fault, region, nil, 0)
		return outcome{bound: trivial, stopped: true, why: "the solver's point did not survive the replay"}, nil
	case r.deciding && res.Status == sdk.Infeasible:
		out.bound = r.above()
		out.decided, out.by = true, BySolver
	case !r.deciding:
		out.bound = math.Min(upperOf(res), trivial)
		out.decided, out.by = r.closed(res, out.bound), BySolver
	}
	if !r.deciding || out.decided {
		limit := out.bound + out.tolerance
		if w := r.refuted(region, limit); w != nil {
			fault := r.contradiction(limit, w)
			r.refutation(fault, region, w, limit)
			found := r.deciding && r.report.Witness != nil
			return outcome{decided: found, by: BySampling, stopped: true, bound: trivial, why: "the solver was refuted: " + fault}, nil
		}
	}
	if !out.decided {
		out.stopped, out.why = true, whyNot(ctx, res)
	}
	return out, nil
}

// question asks once. If the solver fails, the points that it showed before are lost.
func (r *run) question(ctx context.Context, q *problem.Query) (*sdk.Result, error) {
	r.report.Solves++
	r.note()
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	o := r.o.Solving(ctx)
	o.WorkLimit, o.Progress = r.workLimit, func(p sdk.Progress) {
		r.told(shown(q, p))
		if w := r.o.team.bestWitness(); w != nil && !r.deciding && q.Goal == problem.Maximise && p.HasBound && p.Bound <= w.Margin+settledAbove*math.Max(w.Margin, 1e-3) {
			enough() // another member has a better witness
		}
	}
	if !r.deciding && q.Notion.Binned() { // scores end at 1: a finer gap than settledAbove is of no use
		o.Gap = math.Max(o.Gap, 0.9*settledAbove)
	}
	r.glimpse(math.Inf(1), &sdk.Progress{})
	res, err := r.o.Solver.Solve(ctx, &problem.Problem{Name: q.Goal.String(), Query: q}, o)
	if res, err = Answered(ctx, r.o.Description.Name, res, err); err != nil {
		return nil, err
	}
	r.report.Nodes += res.Nodes
	return res, nil
}

// shown caps the reported bound of a score gap at 1, which a solver's sums may exceed.
func shown(q *problem.Query, p sdk.Progress) sdk.Progress {
	if q.Goal == problem.Maximise && q.Notion.Binned() {
		p.Bound = min(p.Bound, 1)
	}
	return p
}

// told reports the progress of a solver that was asked about the model itself.
func (r *run) told(p sdk.Progress) {
	if p.HasBound && !math.IsNaN(p.Bound) {
		r.glimpse(p.Bound, &p)
		return
	}
	r.glimpse(math.Inf(1), &p)
}

// glimpse reports progress on a running question. bound is on the margin; infinite if the
// solver gives none.
func (r *run) glimpse(bound float64, p *sdk.Progress) {
	if r.o.Progress == nil {
		return
	}
	now := r.state()
	if !math.IsInf(bound, 0) {
		now.Bound, now.HasBound = bound, true
	}
	if r.decided == nil {
		now.Open++ // this region
	}
	now.Nodes += p.Nodes
	now.Settled = p.Settled
	r.o.Progress(now)
}

// odd states what makes a claim self-contradictory; empty if nothing does.
func (r *run) odd(q *problem.Query, res *sdk.Result) string {
	best := q.Goal != problem.Decide && res.Witness != nil
	down := q.Goal == problem.MinK || q.Goal == problem.Minimise
	switch {
	case !(res.Tolerance >= 0 && res.Tolerance <= maxTolerance):
		return fmt.Sprintf("it claims a tolerance of %.3g; at least 0 and at most %g is accepted", res.Tolerance, maxTolerance)
	case r.o.Description.Exactness != sdk.GradeNumerical && res.Tolerance > 0:
		return fmt.Sprintf("it claims a tolerance of %.3g, and to be %s", res.Tolerance, r.o.Description.Exactness)
	case res.HasBound && math.IsNaN(res.Bound) || best && math.IsNaN(res.Objective):
		return "its bound or its objective is NaN"
	case res.Values != nil:
		return "it gives values of columns for a question in the network form"
	case res.Witness != nil && (len(res.Witness.Copy1) != len(q.Space.Features) || len(res.Witness.Copy2) != len(q.Space.Features)):
		return fmt.Sprintf("its witness has copies of %d and %d features, not %d", len(res.Witness.Copy1), len(res.Witness.Copy2), len(q.Space.Features))
	case res.Status == sdk.Infeasible && res.Witness != nil:
		return "it claims infeasible and holds a point"
	case (res.Status == sdk.Optimal || res.Status == sdk.Feasible) && res.Witness == nil:
		return fmt.Sprintf("it claims %s and holds no point", res.Status)
	case best && res.HasBound && !down && res.Bound < res.Objective-slip(res.Objective):
		return fmt.Sprintf("it claims the bound %.9g, its own point has %.9g", res.Bound, res.Objective)
	}
	return ""
}

// slip is the largest difference at which two float64s near v count as equal.
func slip(v float64) float64 { return 1e-9 * math.Max(1, math.Abs(v)) }

// credit replays a claim's witness, if any, and raises the target to it. An invalid witness,
// or one whose objective differs from its replayed value, is a fault.
func (r *run) credit(res *sdk.Result) (fault string) {
	if res.Witness == nil {
		return ""
	}
	x, y := res.Witness.Copy1, res.Witness.Copy2
	if r.q.Reach() > 0 {
		if w := r.replay.Reaching(x, r.q.Reach()); w != nil {
			r.found(w)
			return ""
		}
		r.report.Spurious++
		return fmt.Sprintf("its witness does not reach %d bins", r.q.Reach())
	}
	if !r.replay.Admits(x, y) {
		r.report.Spurious++
		return "its witness is outside the question's space or region"
	}
	if w := r.replay.Pair(x, y, r.target); w != nil {
		r.found(w)
		if m := w.Margin; !r.deciding && math.Abs(res.Objective-m) > misstated*math.Max(1, math.Abs(m))+res.Tolerance {
			return fmt.Sprintf("it claims the objective %.9g, its own point has %.9g", res.Objective, m)
		}
		return ""
	}
	best, _ := r.target.Float64()
	if !r.deciding && res.Objective <= best+misstated*math.Max(1, math.Abs(best))+res.Tolerance {
		return "" // a known witness is as good
	}
	r.report.Spurious++
	return fmt.Sprintf("its witness, replayed, has no margin above %.9g", best)
}

// upperOf is the claim's dual bound; +Inf without one.
func upperOf(res *sdk.Result) float64 {
	switch {
	case res.Status == sdk.Infeasible:
		return math.Inf(-1)
	case res.HasBound:
		return res.Bound
	case res.Status == sdk.Optimal:
		return res.Objective
	}
	return math.Inf(1)
}

// closed reports whether the optimality gap to the best witness is small enough. If the solver is
// Incomplete, with only single cells of real features left open, a gap of apart suffices.
func (r *run) closed(res *sdk.Result, bound float64) bool {
	best, _ := r.target.Float64()
	most := r.apart(0)
	if res.Reason != sdk.Incomplete {
		most = math.Min(most, math.Max(r.o.Gap, settledAbove)*math.Max(math.Abs(best), 1e-3))
	}
	return bound <= best+most+res.Tolerance
}

// refuted tests random individuals, and the best known witness, against a claim that no
// margin exceeds the limit or, in a question about bins, that no individual reaches their number.
func (r *run) refuted(region space.Region, limit float64) *individual.Witness {
	if math.IsInf(limit, 1) {
		return nil
	}
	claimed := r.target
	if !r.deciding && !math.IsInf(limit, -1) {
		claimed = new(big.Rat).SetFloat64(limit + slip(limit))
	}
	if w := r.report.Witness; w != nil && r.q.Space.RegionContains(region, w.Copy1) && r.q.Notion.Exceeds(w.Exact1, w.Exact2, claimed) {
		return w
	}
	return r.counterexample(region, limit, claimed)
}

// blame records a fault of an answer.
func (r *run) blame(what string) {
	a := ask{run: r}
	a.fault(what)
}

// refutation records that an evaluated individual refutes an answer about a region. With a
// witness, the refuted claim is that nothing there exceeds the limit.
func (r *run) refutation(what string, region space.Region, w *individual.Witness, limit float64) {
	r.blame(what)
	if r.q.Reach() > 0 {
		w = nil // its margin refutes nothing
	}
	r.report.Refuted = append(r.report.Refuted, Refutation{r.o.faulty(what), r.o.Description.Exactness, region, w, limit})
}

// faulty is a fault of an answer, as in Report.Faults.
func (o *Options) faulty(what string) string {
	return fmt.Sprintf("solver %s: %s", o.Description.Name, what)
}

// whyNot states why an answer settled nothing.
func whyNot(ctx context.Context, res *sdk.Result) string {
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return sdk.TimeLimit.String()
	case res.Reason != sdk.NoReason:
		return res.Reason.String()
	}
	return "the solver's bound stays above its best point"
}
