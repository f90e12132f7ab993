package compare

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Open starts the solver of a task, or the members of its portfolio. The options name the solver
// and its lowering; close ends it.
type Open func(context.Context) (o *engine.Options, close func(), err error)

// Measures of a finished task, besides those that follow from its events.
const (
	measureFair      = "fair"      // regions proved fair
	measureUnfair    = "unfair"    // regions with a witness
	measureUndecided = "undecided" // regions undecided at the end
	measureAsked     = "asked"     // questions put to certify
	measureCertified = "certified" // share of the region proved fair
	measureLeftOpen  = leftOpen    // see Result.LeftOpen
	measureSpurious  = "spurious"  // points refused by the replay
	measureSolves    = "solves"    // questions put to the solver
	measureNodes     = "nodes"
)

const (
	// maxLosses losses of the solver in a row end a task.
	maxLosses = 3
	// maxFaultEvents bounds the faults that one task reports.
	maxFaultEvents = 20
	// replayTime is reserved at the end of the budget for the last replay, but at most a tenth of
	// the budget.
	replayTime = 250 * time.Millisecond
	// progressEvery is the least time between two progress events of a task.
	progressEvery = time.Second
)

// Work runs one task: it asks about region after region until none is left or the budget on the
// clock is used up, and emits the results as events. The last event is Finished, even if ctx
// ends first. An error means that the task could not begin; then nothing was emitted.
func Work(ctx context.Context, job *Job, c *clock.Clock, open Open, emit func(record.Event)) error {
	// Questions end early enough to replay what a solver found by its limit.
	budget := job.Timeout
	ctx, cancel := c.Until(ctx, budget-min(replayTime, budget/10))
	defer cancel()
	w := &worker{job: job, stream: &record.Stream{Clock: c, Sinks: []func(record.Event){emit}}}
	if err := w.begin(); err != nil {
		return err
	}
	solver, end, err := open(ctx)
	if err != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return err
	}
	w.started(solver)
	if solver != nil {
		defer end()
		w.options = *solver
		w.options.Climb, w.options.SolverOnly = job.Climb, true
		w.options.Maximise, w.options.Gap, w.options.Seed = job.Maximise, job.Gap, job.Seed
		w.options.Threads, w.options.Memory, w.options.Witnessed = job.Threads, job.Memory, w.witness
		if job.Single != "" {
			w.single(ctx)
		} else {
			w.loop(ctx)
		}
	}
	w.finished(ctx)
	return nil
}

// worker is the state of a running task.
type worker struct {
	job     *Job
	asked   *question.Question
	query   *problem.Query
	eval    *evaluate.Evaluator
	options engine.Options
	stream  *record.Stream
	rng     *rand.Rand
	// emitting guards stream; finding guards the fields that the method witness writes, since a
	// solver's goroutine calls it for incumbents.
	emitting, finding sync.Mutex

	queue []item
	seen  map[string]bool

	certified *big.Rat
	counts    map[string]int64
	leftOpen  *float64
	found     int64
	maxK      int
	faults    int
	losses    int
	lost      error
	told      time.Time
}

// item is a queued region.
type item struct {
	region space.Region
	// known is an individual that was found in the region. If not nil, the region is cut around
	// it instead of being asked about.
	known []float64
	// limit is the time limit of the next question; 0: the rest of the budget.
	limit time.Duration
	// tries counts the questions that left the region undecided.
	tries int
}

// begin loads the study and the model, and fills the queue.
func (w *worker) begin() error {
	var err error
	if w.asked, err = question.Open(w.job.Spec); err != nil {
		return err
	}
	if w.query, err = w.asked.Query(problem.Decide); err != nil {
		return err
	}
	eps, err := w.asked.Study.EpsilonFor(fairness.Score, w.job.Measured)
	if err != nil {
		return err
	}
	if w.eval, err = evaluate.NewBanded(w.asked.Study.Model, w.asked.Space, w.asked.Region, eps, w.asked.Study.Bands); err != nil {
		return err
	}
	w.seen, w.counts, w.certified = map[string]bool{}, map[string]int64{}, new(big.Rat)
	regions := []space.Region{w.asked.Region}
	if w.job.Partition != "" {
		c, err := chunksOf(w.asked.Space, w.job.Partition)
		if err != nil {
			return err
		}
		if regions, err = c.Split(w.asked.Space, w.asked.Region); err != nil {
			return err
		}
	}
	// The order depends on the seed alone, so all arms with this partition have the same order.
	order := rand.New(rand.NewPCG(uint64(w.job.Seed), 1))
	order.Shuffle(len(regions), func(i, k int) { regions[i], regions[k] = regions[k], regions[i] })
	for _, r := range regions {
		w.queue = append(w.queue, item{region: r, limit: w.job.SoftTimeout})
	}
	w.rng = rand.New(rand.NewPCG(uint64(w.job.Seed), 2))
	return nil
}

// loop works through the queue.
func (w *worker) loop(ctx context.Context) {
	for len(w.queue) > 0 && ctx.Err() == nil && w.lost == nil {
		next := w.queue[0]
		w.queue = w.queue[1:]
		if next.known != nil {
			w.cut(next)
			continue
		}
		w.ask(ctx, next)
		w.progress()
	}
}

// single asks the one question of an arm's goal about the entire space.
func (w *worker) single(ctx context.Context) {
	w.counts[measureAsked]++
	q, o := *w.query, w.options
	var (
		settled bool
		open    float64
		reason  string
		err     error
	)
	switch w.job.Single {
	case GoalLargestGap:
		var rep *engine.Report
		if rep, err = engine.Run(ctx, &q, o); rep != nil {
			w.witness(rep.Witness)
			w.verdict(item{region: q.Region}, rep)
			w.faulty(rep)
			w.counts[measureSolves], w.counts[measureNodes] = int64(rep.Solves), rep.Nodes
			settled, open = rep.Closed, rep.Bound
			if !rep.HasBound {
				open = math.Inf(1)
			}
			if rep.Witness != nil {
				open -= rep.Witness.Margin
			}
		}
	case GoalLargestK:
		q.Goal = problem.MaxK
		var rep *engine.Extreme
		if rep, err = engine.Enclose(ctx, &q, o, nil); rep != nil {
			w.witness(rep.Witness)
			w.faulty(&engine.Report{Faults: rep.Faults, Refuted: rep.Refuted})
			w.counts[measureSolves], w.counts[measureNodes] = int64(rep.Solves), rep.Nodes
			settled, open, reason = rep.Settled(), rep.Bound-rep.Found, rep.Reason
		}
	case GoalShares:
		var rep *quantify.Report
		if rep, err = quantify.Run(ctx, &q, quantify.Options{Solver: o.Solver, Description: o.Description, Threads: o.Threads, Memory: o.Memory, Seed: o.Seed, Set: o.Set}); rep != nil {
			w.faulty(&engine.Report{Faults: rep.Faults})
			w.counts[measureSolves], w.counts[measureNodes] = 1, rep.Boxes
			open, _ = rep.Undecided.Float64()
			settled, reason = rep.Complete && open == 0, rep.Reason
		}
	}
	if err != nil && ctx.Err() == nil {
		w.lost = err
		w.fault(record.Fault{Error: err.Error()})
		return
	}
	if settled {
		open = 0
	} else {
		w.counts[measureUndecided]++
		if reason != "" {
			w.verdict(item{region: q.RegionOrWhole()}, &engine.Report{Verdict: engine.Undecided, Reason: reason})
		}
	}
	if !math.IsInf(open, 0) {
		w.leftOpen = &open
	}
}

// cut replaces a region by its parts around the known individual, along a random feature in
// which the region has several values. The part that holds the individual is cut again later.
func (w *worker) cut(it item) {
	features := wide(w.asked.Space, it.region)
	if len(features) == 0 {
		return // the region holds only the known individual
	}
	i := features[w.rng.IntN(len(features))]
	below, at, above := around(&w.asked.Space.Features[i], i, it.region, it.known[i])
	for _, r := range append(below, above...) {
		w.queue = append(w.queue, item{region: r, limit: w.job.SoftTimeout})
	}
	for _, r := range at {
		w.queue = append(w.queue, item{region: r, known: it.known})
	}
}

// ask asks the solver about one region.
func (w *worker) ask(ctx context.Context, it item) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if it.limit > 0 {
		limited, cancel = w.stream.Clock.Within(ctx, it.limit)
	}
	defer cancel()
	q := *w.query
	q.Region = it.region
	w.counts[measureAsked]++
	rep, err := engine.Run(limited, &q, w.options)
	if rep == nil { // the question is malformed, for every region
		w.lost = err
		w.fault(record.Fault{Error: err.Error()})
		return
	}
	w.counts[measureSpurious] += int64(rep.Spurious)
	w.counts[measureSolves] += int64(rep.Solves)
	w.counts[measureNodes] += rep.Nodes
	w.faulty(rep)
	switch {
	case err == nil:
		w.losses = 0
	case limited.Err() == nil: // a solver that was stopped at its limit was not lost
		if w.losses++; w.losses == maxLosses {
			w.lost = fmt.Errorf("the solver was lost %d times in a row: %w", maxLosses, err)
		}
	}
	// Unless time ran out or the solver failed, a second question would get the same answer.
	w.learn(it, rep, limited.Err() != nil || err != nil)
}

// doubled returns twice the limit, or the limit itself if that would overflow.
func doubled(d time.Duration) time.Duration {
	if d > math.MaxInt64/2 {
		return d
	}
	return 2 * d
}

// learn processes the answer to a question. The last argument says whether an undecided region is
// queued again.
func (w *worker) learn(it item, rep *engine.Report, again bool) {
	w.witness(rep.Witness)
	w.verdict(it, rep)
	switch {
	case rep.Verdict == engine.Fair:
		w.counts[measureFair]++
		w.certified.Add(w.certified, share(w.asked.Space, w.asked.Region, it.region))
	case rep.Witness != nil:
		w.counts[measureUnfair]++
		w.queue = append(w.queue, item{region: it.region, known: rep.Witness.Copy1})
	case again:
		it.tries++
		it.limit = doubled(it.limit)
		w.queue = append(w.queue, it)
	default:
		w.counts[measureUndecided]++
	}
}

// witness records an individual unless it is known already. Safe for concurrent use.
func (w *worker) witness(found *individual.Witness) {
	if found == nil {
		return
	}
	w.finding.Lock()
	defer w.finding.Unlock()
	if w.stream.Clock.Elapsed() > w.job.Timeout {
		return // too late to count
	}
	x := w.asked.Space.Canonical(found.Copy1)
	key := identity(x)
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	o := w.eval.Evaluate(x)
	event := found.Event()
	event.Witness.K = o.K
	w.emit(event)
	if o.Violates {
		w.found++
		w.maxK = max(w.maxK, o.K)
		w.emit(record.Event{Kind: record.KindFound, Found: &record.Found{X: x, K: o.K, Gap: o.Gap, Round: w.counts[measureAsked] - 1, Seed: true}})
	}
}

// identity encodes the values of a canonical individual as a key.
func identity(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)) // −0 is 0
	}
	return string(b)
}

func (w *worker) verdict(it item, rep *engine.Report) {
	v := &record.Verdict{Region: partition.Text(w.asked.Space, w.asked.Region, it.region), Verdict: rep.Verdict.String(), Reason: rep.Reason}
	if rep.Verdict == engine.Fair {
		v.Grade, v.Tolerance = rep.Grade.String(), rep.Tolerance
	}
	if rep.Verdict == engine.Unfair && rep.Closed && rep.HasBound && !math.IsInf(rep.Bound, 0) {
		bound := rep.Bound
		v.Bound, v.Grade, v.Tolerance = &bound, rep.BoundGrade.String(), rep.BoundTolerance
	}
	for _, m := range []engine.Method{engine.ByBounds, engine.BySolver, engine.BySampling, engine.ByEnumeration} {
		if rep.Regions[m] > 0 {
			v.By = string(m)
		}
	}
	w.emit(record.Event{Kind: record.KindVerdict, Verdict: v})
}

// faulty records an answer's faults and refuted claims.
func (w *worker) faulty(rep *engine.Report) {
	for i := range rep.Refuted {
		r := &rep.Refuted[i]
		claim := &record.Refuted{Region: partition.Text(w.asked.Space, w.asked.Region, r.Region), Grade: r.Grade.String()}
		if r.Witness != nil {
			claim.Limit, claim.Witness = view.Finite(r.Limit), r.Witness.Event().Witness
		}
		w.fault(record.Fault{Error: r.Text, Refuted: claim})
	}
	refuted := engine.Texts(rep.Refuted)
	for _, f := range rep.Faults {
		if !slices.Contains(refuted, f) {
			w.fault(record.Fault{Error: f})
		}
	}
}

func (w *worker) fault(f record.Fault) {
	if w.faults++; w.faults <= maxFaultEvents {
		f.Plugin = w.job.Solver
		w.emit(record.Event{Kind: record.KindFault, Fault: &f})
	}
}

func (w *worker) progress() {
	if time.Since(w.told) < progressEvery {
		return
	}
	w.told = time.Now()
	w.finding.Lock()
	defer w.finding.Unlock()
	w.emit(record.Event{Kind: record.KindProgress, Progress: &record.Progress{
		Found: w.found, MaxK: w.maxK, Open: len(w.queue), Decided: int(w.counts[measureFair] + w.counts[measureUnfair]),
	}})
}

func (w *worker) emit(e record.Event) {
	w.emitting.Lock()
	defer w.emitting.Unlock()
	w.stream.Emit(e)
}

func (w *worker) started(solver *engine.Options) {
	s := &record.Started{
		Task: record.Task{
			Command: "compare", Network: w.job.ModelSHA256, Study: w.job.StudySHA256, Arm: w.job.Arm, Seed: w.job.Seed, Region: w.asked.Spec.Where,
		},
		At: w.stream.Clock.Begun.UTC(), Features: w.asked.Space.Names(), Study: w.asked.Study.Name, Model: w.asked.Study.ModelPath,
		Machine: session.Machine(),
	}
	if solver != nil {
		s.Versions = map[string]string{}
		for _, m := range solver.Members() {
			s.Versions[m.Description.Name] = m.Description.Version
		}
	}
	w.stream.Run = s.Task.NewRun(s.At)
	w.emit(record.Event{Kind: record.KindStarted, Started: s})
}

func (w *worker) finished(ctx context.Context) {
	for _, it := range w.queue {
		if it.tries > 0 {
			w.counts[measureUndecided]++
		}
	}
	end := &record.Finished{Iter: w.counts[measureAsked], Measures: map[string]*float64{}}
	for _, name := range []string{measureFair, measureUnfair, measureUndecided, measureAsked, measureSpurious, measureSolves, measureNodes} {
		v := float64(w.counts[name])
		end.Measures[name] = &v
	}
	certified, _ := w.certified.Float64()
	end.Measures[measureCertified], end.Measures[measureLeftOpen] = &certified, w.leftOpen
	end.Interrupted = ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	if w.lost != nil {
		end.Error = w.lost.Error()
	}
	w.emit(record.Event{Kind: record.KindFinished, Finished: end})
}
