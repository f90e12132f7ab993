package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// MaxK is what is known of the largest number of bins that one individual's
// scores fall into.
type MaxK struct {
	// Lo bins are reached by the Witness, nil and 0 for nobody; nobody reaches more
	// than Hi.
	Lo, Hi  int
	Witness *individual.Witness
	// Grade of the proof behind Hi, with Tolerance and where it comes from, in
	// logits from a bin's edge.
	Grade            sdk.Grade
	Tolerance        float64
	ToleranceFormula string
	// Reason says, for a person, why the two do not meet; Faults lists what was
	// wrong with a solver's answers.
	Reason           string
	Faults           []string
	Spurious, Solves int
	Nodes            int64
}

// Certified reports that bound and witness meet.
func (m *MaxK) Certified() bool { return m.Lo == m.Hi }

// BoundMaxK encloses Max.K of the query's region: from below by a climb and by
// the solver's own individuals, from above by the enclosure of the logits and by
// the solver. A region as small as Options.Enumerate says is enumerated instead. One
// of the network form is asked for it at once, another for one bin more as long as
// somebody reaches it. Limits end in a MaxK that says so;
// an error comes with what was known before, or without where the question is
// malformed. q.Goal and q.K are ignored; the notion is the score.
func BoundMaxK(ctx context.Context, q *problem.Query, o Options) (*MaxK, error) {
	question := *q
	question.Goal, question.K = problem.MaxK, 3 // the replay is one of bins
	o.Maximise = false
	switch {
	case !q.Notion.Binned():
		return nil, fmt.Errorf("%w: bins are of scores, and the notion is %s", sdk.ErrInvalidProblem, q.Notion)
	case o.Heuristic:
		return nil, fmt.Errorf("%w: heuristic pruning bounds nothing", sdk.ErrInvalidOption)
	}
	first := &MaxK{Grade: sdk.GradeExact}
	out, overdue, err := attend(ctx, o, first, func(left context.Context, o Options, keep func(*MaxK)) (*MaxK, error) {
		r, err := newRun(&question, o)
		if err != nil {
			return nil, err
		}
		r.deciding, r.target = true, q.Epsilon
		m := &maxK{run: r, MaxK: &MaxK{Hi: mostBins(q), Grade: sdk.GradeExact}}
		r.left, r.keep = left, func(*Report) { keep(m.summed()) }
		r.note()
		err = m.bound(ctx)
		return m.summed(), err
	})
	if out == first {
		out.Hi = mostBins(q)
	}
	if overdue && !out.Certified() {
		out.Reason = over(ctx)
	}
	return out, err
}

// mostBins is what k is at most for any network.
func mostBins(q *problem.Query) int {
	return min(q.RegionOrWhole().Count(), fairness.Bins(q.Epsilon))
}

// summed is what is known so far, of all questions put on the way.
func (m *maxK) summed() *MaxK {
	out, r := *m.MaxK, m.report
	out.Faults = slices.Concat(out.Faults, r.Faults)
	out.Spurious, out.Solves, out.Nodes = out.Spurious+r.Spurious, out.Solves+r.Solves, out.Nodes+r.Nodes
	return &out
}

// maxK is one question for Max.K under way.
type maxK struct {
	*run
	*MaxK
}

func (m *maxK) bound(ctx context.Context) error {
	m.enclose()
	region, limit := m.q.RegionOrWhole(), m.o.Enumerate
	if _, few := m.q.Space.CountIndividuals(region.Box, limit); few {
		return m.enumerate(ctx)
	}
	if m.Hi > 1 && m.o.Climb && !m.o.SolverOnly {
		m.climb(ctx)
	}
	switch {
	case m.Certified() || m.Hi == 0:
		return nil
	case ctx.Err() != nil:
		m.MaxK.Reason = m.run.reason(ctx)
		return nil
	case m.o.Description.Answers(problem.FormNetwork, problem.MaxK) && m.lower.Form == problem.FormNetwork:
		return m.askAtOnce(ctx)
	}
	return m.askUpwards(ctx)
}

// enclose bounds k by what the enclosure of the logits, the copies and ε allow.
func (m *maxK) enclose() {
	region := m.q.RegionOrWhole()
	copies, _ := m.q.Space.MaxCounterfactuals(region)
	m.Hi = min(copies, fairness.Bins(m.q.Epsilon))
	if b := m.bounds(region); !math.IsInf(b.Logit.Lo, 0) && !math.IsInf(b.Logit.Hi, 0) {
		lo, hi := new(big.Rat).SetFloat64(b.Logit.Lo), new(big.Rat).SetFloat64(b.Logit.Hi)
		if within := binsWithin(lo, hi, m.q.Epsilon); within < m.Hi {
			m.Hi, m.MaxK.Grade = within, sdk.GradeRigorous
		}
	}
}

// enumerate evaluates the individuals of a small region, which settles it.
func (m *maxK) enumerate(ctx context.Context) error {
	for x := range m.q.Space.Individuals(m.q.RegionOrWhole().Box) {
		if m.replay.Describes(x) {
			m.reach(x)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		m.MaxK.Reason = m.run.reason(ctx)
		return nil
	}
	m.Hi, m.MaxK.Grade = m.Lo, sdk.GradeExact
	return nil
}

// climb looks for individuals in many bins.
func (m *maxK) climb(ctx context.Context) {
	c := m.climber()
	if c == nil {
		return
	}
	rng := rand.New(rand.NewPCG(uint64(m.o.Seed), 0x6d6178))
	x, ok := c.climb(ctx, m.q.RegionOrWhole(), rng, func(_ []float64, merit float64) bool { return merit >= float64(m.Hi) })
	if ok {
		m.reach(x)
	}
}

// reach takes an individual into account by its exact k, and returns that.
func (m *maxK) reach(x []float64) int {
	w := m.replay.Reaching(x, 1)
	if w == nil {
		return 0
	}
	if w.K > m.Lo {
		m.Lo, m.Witness = w.K, w
		m.witnessed(w)
		m.note()
	}
	return w.K
}

// askAtOnce asks a solver of the network form.
func (m *maxK) askAtOnce(ctx context.Context) error {
	q := *m.q
	q.K = 0
	res, err := m.question(ctx, &q)
	if err != nil {
		if Unanswered(err) == nil {
			m.report.Faults = append(m.report.Faults, err.Error())
		}
		return m.unanswered(err)
	}
	fault := m.odd(&q, res)
	if fault == "" && res.Witness != nil {
		fault = m.shown(res)
	}
	if fault == "" {
		fault = m.heed(res)
	}
	if fault != "" {
		m.blame(fault)
		m.MaxK.Reason = "the solver contradicted what was evaluated exactly"
	} else if !m.Certified() {
		m.MaxK.Reason = whyNot(ctx, res)
	}
	return nil
}

// shown replays the individual that the solver holds.
func (m *maxK) shown(res *sdk.Result) (fault string) {
	if x := res.Witness.Copy1; !m.replay.Describes(x) || !m.q.Space.RegionContains(m.q.RegionOrWhole(), x) {
		m.Spurious++
		return "its individual is none of the question's"
	}
	if k := m.reach(res.Witness.Copy1); float64(k) != res.Objective {
		m.Spurious++
		return fmt.Sprintf("it claims k = %v of an individual that has %d", res.Objective, k)
	}
	return ""
}

// heed takes over the solver's bound, unless an individual exceeds it.
func (m *maxK) heed(res *sdk.Result) (fault string) {
	upper := upperOf(res)
	if !(upper < float64(m.Hi)) {
		return ""
	}
	hi := max(0, int(math.Floor(upper)))
	rng, region := m.auditor(), m.q.RegionOrWhole()
	for i := 0; i < auditSamples && m.Lo <= hi && !m.abandoned(); i++ { // however little time is left, see attend
		m.reach(randomIndividual(m.q.Space, region, rng))
	}
	if m.Lo > hi {
		return fmt.Sprintf("it claims that nobody reaches more than %d bins; a replayed individual reaches %d", hi, m.Lo)
	}
	m.Hi = hi
	m.MaxK.Grade, m.MaxK.Tolerance = m.o.Description.Exactness, res.Tolerance
	if res.Tolerance > 0 {
		m.MaxK.ToleranceFormula = ownTolerance
	}
	return ""
}

// unanswered is the end of a question whose solver declined it, which is a reason
// and no error, or was lost.
func (m *maxK) unanswered(err error) error {
	if m.MaxK.Reason = FailureReason(err); errors.Is(err, sdk.ErrUnsupported) {
		return nil
	}
	return err
}

// askUpwards asks whether somebody reaches one bin more, until nobody does.
func (m *maxK) askUpwards(ctx context.Context) error {
	o := m.o
	o.SolverOnly = false
	for m.Lo < m.Hi {
		q := *m.q
		q.K = max(3, m.Lo+1)
		if q.K > m.Hi { // 2 bins are reached without a gap above ε: that is not asked
			m.MaxK.Reason = "a solver of this form is asked for 3 bins or more"
			return nil
		}
		m.note()
		rep, err := answerTo(ctx, m.left, &q, o, nil)
		if rep == nil {
			return err
		}
		m.Faults = append(m.Faults, rep.Faults...)
		m.Spurious, m.Solves, m.Nodes = m.Spurious+rep.Spurious, m.Solves+rep.Solves, m.Nodes+rep.Nodes
		switch {
		case rep.Witness != nil && m.reach(rep.Witness.Copy1) >= q.K:
		case rep.Verdict == Fair:
			m.Hi, m.MaxK.Grade, m.MaxK.Tolerance, m.MaxK.ToleranceFormula = q.K-1, rep.Grade, rep.Tolerance, rep.ToleranceFormula
		case err != nil:
			return m.unanswered(err)
		default:
			m.MaxK.Reason = rep.Reason
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
