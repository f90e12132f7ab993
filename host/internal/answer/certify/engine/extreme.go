package engine

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Extreme encloses the largest or the smallest value of a region's individuals: k, or the score
// gap.
type Extreme struct {
	// Bound is proved: no individual of the region has a larger value (a smaller one, if the
	// smallest is sought).
	Bound float64
	// X is the individual with the farthest evaluated value, and Found that value: k exactly; a
	// gap rounded down if the largest is sought, else up. X is nil and Found 0 if no individual
	// was found. Witness holds X's copies with the largest and the smallest score; nil for
	// gaps.
	Found   float64
	X       []float64
	Witness *individual.Witness
	// Nobody: it is proved that no individual of the region has such a value; Bound then means
	// nothing. Every individual has a k; only one with two counterfactuals has a gap.
	Nobody bool
	// Grade of the proof of Bound or Nobody, with its Tolerance and formula.
	Grade            sdk.Grade
	Tolerance        float64
	ToleranceFormula string
	// Reason says in words why Bound and Found do not meet; empty if they do. Faults lists what
	// was wrong with the solver's answers.
	Reason string
	Faults []string
	// Refuted lists those faults that an evaluated individual proves.
	Refuted          []Refutation
	Spurious, Solves int
	Nodes            int64
}

// Settled reports whether bound and individual meet, or Nobody is proved.
func (e *Extreme) Settled() bool {
	return e.Nobody || e.X != nil && math.Abs(e.Bound-e.Found) <= settledAbove+e.Tolerance
}

// Enclose bounds the value of q.Goal (MaxK, MinK, Maximise or Minimise) over the individuals
// of the query, and finds an individual near the bound. It asks a solver of the network form
// once. The solver's claim is checked against its own individual, random ones, and the known
// ones inside the query (nil: none); one contradiction discards it.
//
// For k, a region of at most Options.Enumerate individuals is enumerated instead. For the
// largest k, Options.Climb climbs first; a solver that does not take that goal is asked for
// one more bin as long as an individual reaches it.
//
// A limit ends in an Extreme whose Reason names it. A solver's error comes with what was known
// before; an invalid question returns no Extreme. The notion is the score; Require and Forbid
// restrict individuals, and Relax is not allowed.
func Enclose(ctx context.Context, q *problem.Query, o Options, known [][]float64) (*Extreme, error) {
	if len(o.Portfolio) > 0 {
		return encloseAll(ctx, q, o, known)
	}
	e := &enclosing{Extreme: &Extreme{Grade: sdk.GradeExact}, sign: 1}
	switch q.Goal {
	case problem.MaxK, problem.MinK:
		e.bins = true
	case problem.Maximise, problem.Minimise:
	default:
		return nil, fmt.Errorf("%w: the goal %s has no largest or smallest value", sdk.ErrInvalidProblem, q.Goal)
	}
	if q.Goal == problem.MinK || q.Goal == problem.Minimise {
		e.sign = -1
	}
	switch {
	case !q.Notion.Binned():
		return nil, fmt.Errorf("%w: k and gaps need a notion of scores, got %s", sdk.ErrInvalidProblem, q.Notion)
	case len(q.Relax) > 0 || q.K > 0:
		return nil, fmt.Errorf("%w: the goal %s takes no relaxations and no number of bins", sdk.ErrInvalidProblem, q.Goal)
	case q.TellsCopiesApart():
		return nil, fmt.Errorf("%w: a predicate on a protected feature selects copies, not individuals", sdk.ErrInvalidProblem)
	case o.Heuristic:
		return nil, fmt.Errorf("%w: heuristic pruning proves no bound", sdk.ErrInvalidOption)
	case q.Goal != problem.MaxK && !o.Description.Answers(problem.FormNetwork, q.Goal):
		return nil, fmt.Errorf("solver %s does not answer %s in the %s form: %w", o.Description.Name, q.Goal, problem.FormNetwork, sdk.ErrUnsupported)
	}
	if o.Maximise = false; q.Goal != problem.MaxK {
		o.Encoding = Direct
	}
	first := &Extreme{Grade: sdk.GradeExact}
	out, overdue, err := attend(ctx, o, first, func(left context.Context, o Options, keep func(*Extreme)) (out *Extreme, err error) {
		if e.run, err = newRun(q, o); err != nil {
			return nil, err
		}
		e.left, e.keep = left, func(*Report) { keep(e.known()) }
		if e.evaluator, err = e.replay.Evaluator(); err != nil {
			return nil, err
		}
		err = e.ask(ctx, known)
		return e.known(), err
	})
	if out == first {
		out.Bound = widest(q)
	}
	if overdue && !out.Settled() {
		out.Reason = Over(ctx)
	}
	return out, err
}

// widest is the bound that holds for any network.
func widest(q *problem.Query) float64 {
	switch q.Goal {
	case problem.MaxK:
		bins := q.Binning()
		return float64(min(q.RegionOrWhole().Count(), bins.Count()))
	case problem.Minimise:
		return 0
	}
	return 1 // the least number of bins, or the largest gap of scores
}

// known returns the result so far.
func (e *enclosing) known() *Extreme {
	out, r := *e.Extreme, e.report
	out.Faults, out.Refuted, out.Spurious, out.Solves, out.Nodes = slices.Clone(r.Faults), slices.Clone(r.Refuted), r.Spurious, r.Solves, r.Nodes
	return &out
}

// enclosing is the state of one Enclose.
type enclosing struct {
	*run
	*Extreme
	evaluator *evaluate.Evaluator
	// bins: values are k, not gaps. sign is 1 if the largest is sought, else −1; the farther of
	// two values has the larger sign·value.
	bins bool
	sign float64
}

func (e *enclosing) ask(ctx context.Context, known [][]float64) error {
	e.trivial()
	e.note()
	if _, few := e.q.Space.CountIndividuals(e.q.RegionOrWhole().Box, e.o.Enumerate); few && e.bins {
		e.enumerate(ctx)
		return nil
	}
	for _, x := range known {
		e.meet(x)
	}
	if rng := e.auditor(); e.q.Goal == problem.MaxK && e.Bound == 1 { // any individual has one bin
		for i := 0; i < auditSamples && e.X == nil && !e.abandoned(); i++ {
			e.meet(e.q.Space.Draw(e.q.RegionOrWhole().Box, rng))
		}
	}
	if e.o.Climb && !e.o.SolverOnly && e.q.Goal == problem.MaxK && e.Bound > 1 {
		e.climb(ctx, climbEvaluations/max(1, e.evaluator.Combinations()), e.Bound)
	}
	switch {
	case e.Settled() || ctx.Err() != nil:
		e.Reason = e.why(ctx, nil)
		return nil
	case e.lower.Form != problem.FormNetwork || !e.o.Description.Answers(problem.FormNetwork, e.q.Goal):
		return e.askUpwards(ctx)
	}
	res, err := e.question(ctx, e.q)
	if err != nil {
		e.Reason = FailureReason(err)
		return err
	}
	if fault := e.odd(e.q, res); fault != "" {
		e.blame(fault)
	} else if fault := e.judge(ctx, res); fault != "" {
		e.refutation(fault, e.q.RegionOrWhole(), nil, 0)
	}
	e.Reason = e.why(ctx, res)
	return nil
}

// judge tests a claim against its own individual, then against others.
func (e *enclosing) judge(ctx context.Context, res *sdk.Result) (fault string) {
	if res.Witness != nil {
		if fault = e.show(res); fault != "" {
			e.report.Spurious++
			return fault
		}
	}
	return e.adopt(ctx, res)
}

// enumerate evaluates the individuals of a small region, which settles k.
func (e *enclosing) enumerate(ctx context.Context) {
	for x := range e.q.Space.Individuals(e.q.RegionOrWhole().Box) {
		if e.meet(x); ctx.Err() != nil {
			e.Reason = e.run.reason(ctx)
			return
		}
	}
	e.Bound, e.Nobody, e.Grade = e.Found, e.X == nil, sdk.GradeExact
}

// climb searches for an individual that reaches at least the given number of bins.
func (e *enclosing) climb(ctx context.Context, individuals int, bins float64) {
	c := e.climber()
	if c == nil {
		return
	}
	rng := rand.New(rand.NewPCG(uint64(e.o.Seed), 0x6d6178))
	if x, ok := c.climb(ctx, e.q.RegionOrWhole(), individuals, rng, func(_ []float64, merit float64) bool { return merit >= bins }); ok {
		e.meet(x)
	}
}

// askUpwards asks whether an individual reaches one more bin, until none does.
func (e *enclosing) askUpwards(ctx context.Context) error {
	o := e.o
	o.SolverOnly = false
	for e.Found < e.Bound {
		q := *e.q
		least := 3 // no question asks about 2 bins of ε, which do not need a gap above ε
		if q.Bands != nil {
			least = 2
		}
		if q.K = max(least, int(e.Found)+1); float64(q.K) > e.Bound {
			e.Reason = "a solver of this form can only be asked for " + outcomes(&q) + " or more"
			return nil
		}
		e.note()
		rep, err := answerTo(ctx, e.left, &q, o, nil)
		if rep == nil {
			return err
		}
		all := e.report
		all.Faults, all.Refuted = append(all.Faults, rep.Faults...), append(all.Refuted, rep.Refuted...)
		all.Spurious, all.Solves, all.Nodes = all.Spurious+rep.Spurious, all.Solves+rep.Solves, all.Nodes+rep.Nodes
		if rep.Witness != nil {
			e.meet(rep.Witness.Copy1)
		}
		switch {
		case e.Found >= float64(q.K):
		case rep.Verdict == Fair:
			e.Bound, e.Grade, e.Tolerance, e.ToleranceFormula = float64(q.K-1), rep.Grade, rep.Tolerance, rep.ToleranceFormula
		case err != nil:
			e.Reason = FailureReason(err)
		default:
			e.Reason = rep.Reason
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// why says why bound and individual do not meet.
func (e *enclosing) why(ctx context.Context, res *sdk.Result) string {
	switch {
	case e.Settled():
		return ""
	case len(e.report.Faults) > 0:
		return "the solver contradicted itself or an exact evaluation"
	case res == nil:
		return e.run.reason(ctx)
	}
	return whyNot(ctx, res)
}

// trivial sets the bound that needs no solver. The smallest value is at least one bin or a gap
// of 0; the largest is at most what the number of copies, ε and the logits' enclosure allow.
func (e *enclosing) trivial() {
	e.Bound = widest(e.q)
	e.note()
	if e.sign < 0 {
		return
	}
	region := e.q.RegionOrWhole()
	if !e.bins {
		e.Bound, e.Grade = e.trivialBound(e.bounds(region)), sdk.GradeRigorous
		return
	}
	copies, _ := e.q.Space.MaxCounterfactuals(region)
	bins := e.q.Binning()
	most := min(copies, bins.Count())
	b := e.bounds(region)
	switch {
	case b.Apart() <= 0 && most > 1:
		most, e.Grade = 1, sdk.GradeRigorous // copies with one logit are in one bin
	case !math.IsInf(b.Logit.Lo, 0) && !math.IsInf(b.Logit.Hi, 0):
		lo, hi := new(big.Rat).SetFloat64(b.Logit.Lo), new(big.Rat).SetFloat64(b.Logit.Hi)
		if within := binsWithin(e.q, lo, hi); within < most {
			most, e.Grade = within, sdk.GradeRigorous
		}
	}
	e.Bound, e.Nobody = float64(most), most == 0
}

// value returns x's value in float64 arithmetic and its number of counterfactuals: 0 if x is
// not an individual of the query. With one counterfactual the gap is 0, whatever the network
// computes.
func (e *enclosing) value(x []float64) (v float64, copies int) {
	if !e.replay.Asked(x) {
		return 0, 0
	}
	out := e.evaluator.Evaluate(x)
	if e.bins {
		return float64(out.K), out.N
	}
	return out.Gap, out.N
}

// meet evaluates an individual and keeps it if its value is the farthest so far.
func (e *enclosing) meet(x []float64) {
	v, copies := e.value(x)
	farther := func() bool { return e.X == nil || e.sign*v > e.sign*e.Found }
	if counts := copies > 1 || copies == 1 && e.bins; !counts || !farther() {
		return
	}
	if v = e.exactly(x, v); !farther() {
		return
	}
	e.X, e.Found = e.q.Space.Canonical(x), v
	if e.bins {
		if e.Witness = e.replay.Reaching(x, 1); e.Witness != nil {
			e.witnessed(e.Witness)
		}
	}
	e.note()
}

// exactly returns the cautious end of the enclosure of x's gap; k is exact already. If large
// values cancel, a float64 gap is wrong by far more than its last digits.
func (e *enclosing) exactly(x []float64, v float64) float64 {
	if e.bins {
		return v
	}
	lo, hi := e.evaluator.Gap(x)
	if e.sign > 0 {
		return lo
	}
	return hi
}

// show evaluates the solver's individual. One with a single counterfactual is a valid answer,
// but no evidence about gaps.
func (e *enclosing) show(res *sdk.Result) (fault string) {
	v, copies := e.value(res.Witness.Copy1)
	if copies == 0 {
		return "its individual is outside the question's space or region"
	}
	allowed := 0.0
	if !e.bins {
		allowed = misstated + res.Tolerance
	}
	// A solver in plain float64, without the evaluator's refinement, errs if large values
	// cancel: that is not a fault.
	if near := func(v float64) bool { return math.Abs(res.Objective-v) <= allowed }; !near(v) && !near(e.exactly(res.Witness.Copy1, v)) {
		return fmt.Sprintf("it claims the objective %.9g, its own individual has %.9g", res.Objective, v)
	}
	e.meet(res.Witness.Copy1)
	return ""
}

// adopt takes over the solver's bound, unless an evaluated individual refutes it.
func (e *enclosing) adopt(ctx context.Context, res *sdk.Result) (fault string) {
	claim := math.Inf(1) // times the sign
	switch {
	case res.Status == sdk.Infeasible:
		claim = math.Inf(-1)
	case res.HasBound:
		claim = e.sign * res.Bound
	case res.Status == sdk.Optimal:
		claim = e.sign * res.Objective
	}
	if !(claim < e.sign*e.Bound) && res.Status != sdk.Infeasible {
		return "" // nothing new
	}
	if e.bins {
		claim = math.Floor(claim) // a number of bins is an integer
	}
	rng, region := e.auditor(), e.q.RegionOrWhole()
	for range auditSamples { // however little time is left, see attend
		if e.abandoned() {
			break
		}
		e.meet(e.q.Space.Draw(region.Box, rng))
	}
	if e.q.Goal == problem.MaxK && !e.o.Climb {
		e.climb(ctx, DoubtCopies/max(leastCopies, e.evaluator.Combinations()), claim+1)
	}
	switch {
	case e.X != nil && res.Status == sdk.Infeasible:
		return "it claims that the region is empty; a replayed individual lies in it"
	case e.X != nil && e.sign*e.Found > claim+slip(claim)+res.Tolerance:
		return fmt.Sprintf("it claims the bound %.9g; a replayed individual has %.9g", e.sign*claim, e.Found)
	}
	if e.Nobody = res.Status == sdk.Infeasible || e.q.Goal == problem.MaxK && claim < 1; !e.Nobody {
		e.Bound = e.sign * claim
	} else if e.q.Goal == problem.MaxK {
		e.Bound = 0
	}
	e.Grade, e.Tolerance = e.o.Description.Exactness, res.Tolerance
	if res.Tolerance > 0 {
		e.ToleranceFormula = ownTolerance
	}
	return ""
}
