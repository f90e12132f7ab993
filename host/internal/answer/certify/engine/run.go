package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// minSplit: a real feature is not bisected below this share of its domain. Else a tie (a margin
// that equals the threshold along an entire edge) would be bisected for ever.
const minSplit = 1.0 / (1 << 10)

// maxFaults useless answers end a sweep: smaller regions help a solver in
// numerical trouble, not one that is broken or cannot answer.
const maxFaults = 10

// run is the state of one question.
type run struct {
	q      *problem.Query
	o      Options
	lower  encode.Encoding
	method bound.Method
	replay *individual.Judge
	report *Report
	start  time.Time

	// target is what a witness must exceed: ε (0 for the decision notions), and
	// while maximising the best margin so far.
	target *big.Rat
	// deciding: stop at the first witness.
	deciding bool
	open     []space.Region
	reasons  []string
	// faults counts the useless answers of the sweep under way.
	faults int
	// climbing is made for the first climb.
	climbing *climber
	// workLimit bounds each question to a solver of the network form, in the
	// solver's own unit; 0: none.
	workLimit int64
	// keep, if not nil, takes the report to return if time ends. decided is the report at the
	// verdict; nil before.
	keep    func(*Report)
	decided *Report
	// left ends when the answer is abandoned, see attend.
	left context.Context
}

// Run answers the query. Limits, faults and interruptions end in a Report that says so. If the
// solver is lost, Run returns a Failure along with a Report of what was known before: a witness
// remains a verdict. Without a Report, the query or the options are invalid. Run ignores
// q.Goal: it decides and then, with o.Maximise, maximises.
func Run(ctx context.Context, q *problem.Query, o Options) (*Report, error) {
	if len(o.Portfolio) > 0 {
		return runAll(ctx, q, o)
	}
	rep, overdue, err := attend(ctx, o, &Report{Regions: map[Method]int{}}, func(left context.Context, o Options, keep func(*Report)) (*Report, error) {
		return answerTo(ctx, left, q, o, keep)
	})
	if overdue && (o.Maximise || rep.Verdict == Undecided) {
		rep.Reason = Over(ctx)
	}
	return rep, err
}

// answerTo does the work of Run for a single solver, and does not abandon it if it outlives ctx.
func answerTo(ctx, left context.Context, q *problem.Query, o Options, keep func(*Report)) (*Report, error) {
	question := *q
	question.Goal = problem.Decide
	r, err := newRun(&question, o)
	if err != nil {
		return nil, err
	}
	r.left, r.keep = left, keep
	if Nobody(r.q) {
		r.report.Verdict, r.report.Grade, r.report.Nobody, r.report.Closed = Fair, sdk.GradeExact, true, o.Maximise
		return r.report, nil
	}
	err = r.decide(ctx)
	decided := *r.report
	r.decided = &decided
	r.note()
	switch {
	case err != nil || !o.Maximise || r.report.Verdict == Undecided:
	case ctx.Err() != nil:
		r.report.Reason = r.reason(ctx)
	default:
		err = r.maximise(ctx)
		r.reconsider(r.report)
	}
	if r.report.Witness != nil {
		w := *r.report.Witness // a copy: others hold the witness already
		k, unknown := r.replay.K(w.Copy1)
		if w.K = k; unknown != nil {
			r.report.Faults = append(r.report.Faults, "k of the witness: "+unknown.Error())
		}
		r.report.Witness = &w
	}
	return r.report, err
}

// Nobody reports whether a query has no individual: the constraints leave none in its region, or none
// that is near a row, if it is about such individuals only.
func Nobody(q *problem.Query) bool {
	region := q.RegionOrWhole()
	k, exact := q.Space.MaxCounterfactuals(region)
	return exact && k == 0 || q.Within != nil && q.Within.Excludes(q.Space, region)
}

// newRun checks query and options and fills in the defaults.
func newRun(q *problem.Query, o Options) (*run, error) {
	if o.Encoding == "" {
		o.Encoding = DefaultEncoding(&o.Description)
	}
	if o.Encoding == "" {
		return nil, fmt.Errorf("solver %s decides problems in none of the forms that hyfair asks in: %w", o.Description.Name, sdk.ErrUnsupported)
	}
	if o.Bounds == "" {
		o.Bounds = DefaultBounds
	}
	if o.SolverOnly {
		o.Enumerate = -1
	}
	if o.Enumerate == 0 {
		o.Enumerate = 16
	}
	lowering, err := LookupEncoding(o.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidOption, err)
	}
	method, err := LookupBounds(o.Bounds)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidOption, err)
	}
	if err := q.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	if err := suits(q, &lowering, &o); err != nil {
		return nil, err
	}
	if q, err = Inward(q); err != nil {
		return nil, err
	}
	r := &run{
		q: q, o: o, lower: lowering, method: method, replay: individual.NewJudge(q), start: time.Now(), left: context.Background(),
		report: &Report{Regions: map[Method]int{}},
	}
	if q.Reach() > 0 {
		if _, err = r.replay.Evaluator(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// takes refuses models that the solver does not take, or that cannot be lowered for
// it as the options say: mistakes of the request.
func takes(q *problem.Query, e *encode.Encoding, o *Options) error {
	m := q.Model
	err := e.Takes(m)
	if err == nil && q.Within != nil {
		err = fmt.Errorf("%w: the encoding %s cannot ask only about individuals near rows of data (--near): use solver bnb", sdk.ErrUnsupported, e.Name)
	}
	if e.Form == problem.FormNetwork {
		err = o.Description.RefusesQuery(q)
	}
	if err == nil && o.Heuristic {
		_, err = relu.Of(m, "heuristic pruning")
	}
	if err == nil && o.Bounds == BoundsLP {
		_, err = relu.Of(m, "the bounds "+BoundsLP)
	}
	return session.Mistake(err)
}

// outcomes formats the number of bins or bands that are asked for.
func outcomes(q *problem.Query) string {
	if q.Bands != nil {
		return fmt.Sprintf("k = %d bands", q.Reach())
	}
	return fmt.Sprintf("k = %d bins", q.Reach())
}

// suits refuses questions that the solver or this package cannot answer.
func suits(q *problem.Query, e *encode.Encoding, o *Options) error {
	if err := takes(q, e, o); err != nil {
		return fmt.Errorf("solver %s: %w", o.Description.Name, err)
	}
	switch {
	case !o.Description.Answers(e.Form, problem.Decide):
		return fmt.Errorf("solver %s does not answer problems in the %s form, the form of the encoding %s: %w", o.Description.Name, e.Form, e.Name, sdk.ErrUnsupported)
	case e.Form == problem.FormNetwork && o.Maximise && !o.Description.Answers(e.Form, problem.Maximise):
		return fmt.Errorf("solver %s decides problems in the %s form, but does not maximise them: %w", o.Description.Name, e.Form, sdk.ErrUnsupported)
	case e.Form == problem.FormNetwork && o.Heuristic:
		return fmt.Errorf("%w: heuristic pruning needs an encoding that lowers the network, such as bigm", sdk.ErrInvalidOption)
	case o.Bounds == BoundsLP && !o.Description.Answers(problem.FormMILP, problem.Maximise):
		return fmt.Errorf("solver %s solves no linear programs, which the bounds %s need: %w", o.Description.Name, BoundsLP, sdk.ErrUnsupported)
	case e.SOS1 && !o.Description.SOS1:
		return fmt.Errorf("solver %s knows no special ordered sets, which the encoding %s needs: %w", o.Description.Name, e.Name, sdk.ErrUnsupported)
	case q.Reach() > 0 && !q.Notion.Binned():
		return fmt.Errorf("%w: %s need a notion of scores, got %s", sdk.ErrInvalidProblem, outcomes(q), q.Notion)
	case q.Reach() > 0 && len(q.Relax) > 0:
		return fmt.Errorf("%w: %s count for one individual, but relaxations compare two", sdk.ErrInvalidProblem, outcomes(q))
	case q.Reach() > 0 && q.TellsCopiesApart():
		return fmt.Errorf("%w: %s count for one individual, but a predicate on a protected feature selects among its copies", sdk.ErrInvalidProblem, outcomes(q))
	case o.Heuristic && o.Maximise:
		return fmt.Errorf("%w: heuristic pruning finds witnesses, but proves no bound", sdk.ErrInvalidOption)
	case q.Reach() > 0 && o.Maximise:
		return fmt.Errorf("%w: a question for %s has no gap to maximise", sdk.ErrInvalidOption, outcomes(q))
	}
	return nil
}

// epsilon is the threshold of the notion as an exact number.
func (r *run) epsilon() *big.Rat { return r.q.Notion.Threshold(r.q.Epsilon) }

func (r *run) decide(ctx context.Context) error {
	r.deciding, r.target = true, r.epsilon()
	left, err := r.sweep(ctx)
	switch {
	case r.report.Witness != nil:
		r.report.Verdict = Unfair
	case err != nil:
		r.report.Reason = FailureReason(err)
	case left:
		r.report.Verdict = Undecided
		r.report.Reason = r.reason(ctx)
	case r.o.Heuristic:
		r.report.Verdict = Undecided
		r.report.Reason = "heuristic pruning proves nothing"
	default:
		r.report.Verdict = Fair
		eps := r.above()
		r.setBound(eps)
		if r.doubted(ctx, eps); r.report.Witness != nil {
			r.report.Verdict = Unfair
		}
	}
	r.report.BoundGrade, r.report.BoundTolerance = r.report.Grade, r.report.Tolerance
	if r.report.Verdict != Fair {
		r.report.unproved()
	}
	return err
}

// unproved clears the grade and tolerance of a proof that the report no longer holds.
func (r *Report) unproved() {
	r.Grade, r.Tolerance, r.ToleranceFormula = 0, 0, ""
}

// reconsider withdraws a numerical Fair if maximising found a witness above ε within the
// tolerance: an exact replay outweighs any proof.
func (r *run) reconsider(rep *Report) {
	w := rep.Witness
	if rep.Verdict == Fair && w != nil && r.q.Notion.Exceeds(w.Exact1, w.Exact2, r.epsilon()) {
		rep.Verdict = Unfair
		rep.unproved()
	}
}

// maximise raises the target to each witness's margin until nothing is left
// above it. A witness of the decision stays the best until it is beaten.
func (r *run) maximise(ctx context.Context) error {
	grade, tolerance, formula := r.report.Grade, r.report.Tolerance, r.report.ToleranceFormula
	r.deciding = false
	r.report.HasBound = false
	r.target = new(big.Rat)
	if w := r.report.Witness; w != nil {
		r.raise(w)
	}
	r.adopt()
	r.report.unproved()
	left, err := r.sweep(ctx)
	refuted := err == nil && !left && r.report.HasBound && r.doubted(ctx, r.report.Bound)
	r.report.BoundGrade, r.report.BoundTolerance = r.report.Grade, r.report.Tolerance
	r.report.Grade, r.report.Tolerance, r.report.ToleranceFormula = grade, tolerance, formula
	if err != nil {
		r.report.Reason = FailureReason(err)
		return err
	}
	switch {
	case refuted:
		r.report.Reason = "the solver was refuted"
	case left:
		r.report.Reason = r.reason(ctx)
	case r.report.HasBound && r.best() > 0 && r.report.Bound > r.best()+r.apart(r.stretch()*r.report.BoundTolerance):
		r.report.Reason = "the solver's tolerance is too coarse to close so small a maximum"
	default:
		r.report.Closed = true
	}
	return nil
}

// best is the target in float64.
func (r *run) best() float64 {
	t, _ := r.target.Float64()
	return t
}

// above is the least float64 that is not below the target.
func (r *run) above() float64 {
	_, hi := fairness.Enclosure(r.target)
	return hi
}

const (
	// leastStep is the least distance of a bound from the best margin, unless the margin is
	// small.
	leastStep = 1e-6
	// coarsest is the largest distance at which a maximum counts as found, in units of the
	// proof's tolerance.
	coarsest = 40
	// smallStep is the largest distance from a small margin, relative to it.
	smallStep = 1e-3
	// tiniest is the least distance from any margin: score bounds cover rounding errors of some
	// 10⁻¹⁴.
	tiniest = 1e-12
)

// apart is the largest distance between bound and best margin at which the maximum counts as
// found: 10⁻⁶ or the tolerance, but at most the larger of 10⁻¹² and a thousandth of the margin,
// unless Options.Gap allows more.
func (r *run) apart(tolerance float64) float64 { return apart(r.best(), tolerance, r.o.Gap) }

func apart(best, tolerance, gap float64) float64 {
	allowed := math.Max(leastStep, tolerance)
	if best > 0 {
		allowed = math.Max(math.Min(allowed, smallStep*best), tiniest)
	}
	return math.Max(allowed, gap*math.Abs(best))
}

// stretch is the number of tolerances between bound and best margin that is accepted: coarsest
// if one solver found both, and 1 if another may have found the margin.
func (r *run) stretch() float64 {
	if r.o.team != nil {
		return 1
	}
	return coarsest
}

// sweep works through the open regions, splitting what stays undecided. left reports whether a
// region remains undecided.
func (r *run) sweep(ctx context.Context) (left bool, err error) {
	r.open = []space.Region{r.q.RegionOrWhole()}
	r.reasons, r.faults = nil, 0
	for len(r.open) > 0 {
		if ctx.Err() != nil {
			r.noteOpen()
			return true, nil
		}
		region := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		out, err := r.region(ctx, region)
		if err != nil {
			r.open = append(r.open, region)
			r.noteOpen()
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return true, nil
			}
			if !errors.Is(err, sdk.ErrUnsupported) { // declining is not a fault
				r.report.Faults = append(r.report.Faults, err.Error())
			}
			return true, err
		}
		r.progress()
		out.stopped = out.stopped || r.faults >= maxFaults
		switch {
		case out.decided:
			r.report.Regions[out.by]++
			r.merge(out)
			if r.deciding && r.report.Witness != nil {
				r.noteOpen()
				return false, nil
			}
		case out.stopped || !r.split(region):
			left = true
			r.merge(out)
			r.reasons = append(r.reasons, out.why)
			if out.stopped {
				r.noteOpen()
				return true, nil
			}
		default:
			r.report.Splits++
		}
	}
	return left, nil
}

// noteOpen merges the trivial bounds of the open regions into the report.
func (r *run) noteOpen() {
	for _, region := range r.open {
		r.merge(outcome{bound: r.trivialBound(r.bounds(region))})
	}
}

// merge updates the report by a region's outcome.
func (r *run) merge(out outcome) {
	if out.grade == 0 {
		out.grade = sdk.GradeRigorous // an enclosure of the logits
	}
	r.report.Grade = sdk.Weakest(r.report.Grade, out.grade)
	if out.tolerance > r.report.Tolerance {
		r.report.Tolerance, r.report.ToleranceFormula = out.tolerance, out.formula
	}
	if !r.report.HasBound || out.bound > r.report.Bound {
		r.setBound(out.bound)
	}
}

// setBound records a bound on the margin. A question about bins proves none, nor does a
// heuristically pruned network.
func (r *run) setBound(b float64) {
	if r.q.Reach() == 0 && !r.o.Heuristic {
		r.report.Bound, r.report.HasBound = b, true
	}
}

func (r *run) progress() {
	if r.o.Progress != nil {
		r.o.Progress(r.state())
	}
}

// state returns the progress of the question.
func (r *run) state() Progress {
	decided := 0
	for _, n := range r.report.Regions {
		decided += n
	}
	return Progress{
		Open: len(r.open), Decided: decided, Witness: r.report.Witness,
		Bound: r.report.Bound, HasBound: r.report.HasBound, Nodes: r.report.Nodes, Elapsed: time.Since(r.start),
	}
}

func (r *run) reason(ctx context.Context) string {
	if why := Over(ctx); why != "" || len(r.reasons) == 0 {
		return cmp.Or(why, "unknown")
	}
	return r.reasons[0]
}

// Over says why a context has ended; empty if it has not.
func Over(ctx context.Context) string {
	switch {
	case ctx.Err() == nil:
		return ""
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return sdk.TimeLimit.String()
	}
	return sdk.Interrupted.String()
}

// found records a replayed witness, or a pair of the same individual's copies with a larger
// margin, and raises the target while maximising.
func (r *run) found(w *individual.Witness) {
	if worse := r.replay.Extreme(w.Copy1, r.target); worse != nil && worse.Margin > w.Margin {
		w = worse
	}
	if r.report.Witness == nil || w.Margin > r.report.Witness.Margin {
		r.report.Witness = w
	}
	r.witnessed(w)
	r.o.team.tell(w)
	if !r.deciding {
		r.raise(w)
	}
	r.note()
}

func (r *run) witnessed(w *individual.Witness) {
	if r.o.Witnessed != nil {
		r.o.Witnessed(w)
	}
}

// raise sets the target to the upper end of the witness's margin, so that the
// same witness does not exceed it again.
func (r *run) raise(w *individual.Witness) {
	_, m := r.q.Notion.Margin(w.Exact1, w.Exact2)
	if m.Cmp(r.target) > 0 {
		r.target = m
	}
}

// split bisects the region along the non-protected feature that is widest relative to its
// domain; false if nothing is left to split.
func (r *run) split(region space.Region) bool {
	best, width := -1, 0.0
	for _, i := range r.q.Space.Free() {
		f := &r.q.Space.Features[i]
		iv := region.Box[i]
		if iv.Hi <= iv.Lo || (f.Discrete() && iv.Hi-iv.Lo < 1) {
			continue
		}
		share := (iv.Hi - iv.Lo) / (f.Hi - f.Lo)
		if f.Kind == space.Real && share < minSplit {
			continue
		}
		if share > width {
			best, width = i, share
		}
	}
	if best < 0 {
		return false
	}
	low, high := space.Bisect(region.Box[best], r.q.Space.Features[best].Discrete())
	for _, half := range []space.Interval{high, low} {
		part := region.Clone()
		part.Box[best] = half
		r.open = append(r.open, part)
	}
	return true
}
