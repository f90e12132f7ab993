// Package search runs the loop between a strategy, which proposes individuals,
// and the host, which evaluates and counts them: the paper's Algorithm 1 with
// an exchangeable strategy.
package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// Evaluator is the part of evaluate.Evaluator that a run needs.
type Evaluator interface {
	EvaluateCopies(xs [][]float64, out []evaluate.Outcome, d evaluate.Detail) []evaluate.Copies
	Point(x []float64, combination int) []float64
}

// Config is one run. Guards, Detail, Pair, HoldsModel, Solver, Seeder, Refuted, Fast, the limits and
// Progress are optional.
type Config struct {
	Space  *space.Space
	Region space.Region
	// Within, if not nil, is where individuals have to be as well.
	Within *space.Vicinity
	// Evaluator gets individuals of the region's box only.
	Evaluator Evaluator
	// Guards are predicates: a move to an individual for which one holds is refused without
	// an evaluation.
	Guards []space.Predicate
	// Strategy is the strategy's name, for messages. Start opens a session, which Run
	// closes; errors of both name the plugin.
	Strategy string
	Start    func(context.Context) (sdk.Session, error)
	// Detail and Pair say what trials carry beyond k and the gap, as the strategy
	// describes it.
	Detail evaluate.Detail
	Pair   bool
	// HoldsModel: the strategy was handed the model, and can evaluate by itself.
	HoldsModel bool
	// Solver is the solver's name, for messages. Seeder is nil without a solver.
	Solver string
	Seeder Seeder
	// Refuted, if not nil, returns the texts of the solver's refuted claims.
	Refuted func() []string
	// SeedLimit is how long one question to the solver may take before it counts
	// as unanswered; 0: no limit but the budget's.
	SeedLimit time.Duration
	Seed      int64
	Budget    Budget
	// Fast, if not nil, makes it a fast run; nil: one move at a time, as in
	// the paper.
	Fast *Fast
	// Stream carries the run's clock and takes its events.
	Stream *record.Stream
	// Patience is how long the strategy may take to start or to answer one Next;
	// 0: a minute.
	Patience time.Duration
	// Progress, if not nil, is called several times a second.
	Progress func(Progress)
}

// Progress is a snapshot of a run.
type Progress struct {
	Iter, Found int64
	Evaluations int64
	MaxK        int // 0 before the first find
	Elapsed     time.Duration
	Budget      Budget
}

// Outcome is what a run found. It is complete up to the point where Interrupted
// or Err ended the run.
type Outcome struct {
	Measures Measures
	// Best is the individual with the largest k, among those the one with the
	// largest gap; nil if none was found.
	Best *record.Found
	// Evaluations counts evaluated individuals, including repeated ones and those that the strategy
	// evaluated by itself. Outside counts the moves outside the space, and Refused those that a
	// guard refused. NoSeed counts the questions to the solver that gave no individual, and
	// Spurious its answers that were not individuals of the region that violate the notion.
	Evaluations, Outside, NoSeed, Spurious, Refused int64
	// Uncounted: the strategy holds the model and reported fewer evaluations of its own than one
	// in two rounds. Its rounds and Evaluations are not comparable, its times are.
	Uncounted bool
	// Interrupted: ctx ended the run before its budget did.
	Interrupted bool
	// Ended is why a run without a fault ended before its budget: the constraints leave no
	// individuals, or too few.
	Ended string
	// Err is what ended the run early: a strategy that broke the rules or exited. SolverErr is
	// why the run continued without its solver.
	Err, SolverErr error
	// Refuted has the first ten of the solver's refuted claims.
	Refuted []string
	Seconds float64
}

const (
	defaultPatience  = time.Minute
	progressInterval = 200 * time.Millisecond
	snapshotInterval = time.Second
	// hangUp is how long Next may take to return after an interrupt before it is abandoned.
	hangUp = 100 * time.Millisecond
)

// run is the state of Run.
type run struct {
	Config
	session sdk.Session
	rounds  rounds
	meter   Meter
	finds   finds
	result  Outcome
	late    *timely
	own     int64 // evaluations that the session reports of its own
	// vain counts the moves since the last evaluation; reached is the number of evaluations then.
	vain, reached int64

	nextProgress, nextSnapshot time.Time
}

// Run searches until the budget is used up, the strategy is finished or broken,
// or ctx ends.
func Run(ctx context.Context, c Config) *Outcome {
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	r := &run{Config: c, finds: finds{seen: map[[2]uint64]struct{}{}}}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Budget.Time > 0 {
		limited, cancel = c.Stream.Clock.Until(ctx, c.Budget.Time)
	}
	defer cancel()
	r.late = &timely{ctx: limited, of: c.Evaluator}
	r.Evaluator = r.late
	if k, exact := c.Space.MaxCounterfactuals(c.Region); exact && k == 0 {
		r.result.Ended = "the constraints leave no individual in the space"
	} else {
		r.result.Err = r.start(limited)
	}
	if r.session != nil {
		if c.Fast != nil {
			r.result.Err = r.fast(limited)
		} else {
			r.result.Err = r.loop(limited)
		}
	}
	r.result.Interrupted = ctx.Err() != nil
	r.finish()
	if r.session != nil {
		r.session.Close() // Err has the error of a session that failed
	}
	return &r.result
}

// start opens the session. No error and no session: ctx ended.
func (r *run) start(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	session, err := r.Start(patient)
	switch {
	case err == nil:
		r.session = session
		return nil
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return r.blame(fmt.Errorf("the budget of %s was used up before the search began: %s", r.Budget, r.Budget.tooSmall()))
	case ctx.Err() != nil:
		return nil
	case patient.Err() != nil:
		return r.blame(fmt.Errorf("did not start within %v", r.Patience))
	}
	return r.fault(r.Strategy, err)
}

// loop runs one round at a time. It returns nil if the budget, the strategy or ctx ended it.
func (r *run) loop(ctx context.Context) error {
	var told []sdk.Trial
	for ctx.Err() == nil {
		moves, err := r.ask(ctx, told, 1).answer() // one candidate per round, as in the paper
		if moves == nil || err != nil {
			return err
		}
		told = make([]sdk.Trial, 0, len(moves))
		for i := range moves {
			if err := r.admit(&moves[i]); err != nil {
				return r.blame(err)
			}
			if r.spent(0) {
				return nil
			}
			trial := r.try(ctx, &moves[i])
			if ctx.Err() != nil && trial.Status != sdk.TrialEvaluated {
				return nil // the budget ended inside the solver: no answer
			}
			told = append(told, trial)
			r.report()
		}
	}
	return nil
}

// maxVain is the number of moves without an evaluation that ends a run with a budget in
// evaluations, which might never be used up in an almost empty space.
const maxVain = 100_000

// admit counts a move and checks its numbering. An error says how the strategy broke the rules.
func (r *run) admit(m *sdk.Move) error {
	if evaluations := r.result.Evaluations + r.own; evaluations > r.reached {
		r.reached, r.vain = evaluations, 0
	}
	r.vain++
	return r.rounds.admit(m)
}

// spent reports whether the budget of rounds or evaluations is used up, the evaluations under way
// (more) included, or the search has ended, such as after maxVain proposals without an evaluation.
func (r *run) spent(more int) bool {
	if r.Budget.Evals > 0 && r.vain-int64(more) > maxVain && r.result.Evaluations+r.own <= r.reached {
		r.result.Ended = fmt.Sprintf("%d proposals in a row led to no evaluation", maxVain)
	}
	return r.result.Ended != "" || r.Budget.Iter > 0 && r.rounds.closed >= r.Budget.Iter ||
		r.Budget.Evals > 0 && r.result.Evaluations+r.own+int64(more) >= r.Budget.Evals
}

// blame names the strategy in an error made here, and records it.
func (r *run) blame(err error) error {
	return r.fault(r.Strategy, fmt.Errorf("strategy %s: %w", r.Strategy, err))
}

// fault records a plugin's error, which names the plugin.
func (r *run) fault(plugin string, err error) error {
	r.emit(record.Event{Kind: record.KindFault, Fault: &record.Fault{Plugin: plugin, Error: err.Error()}})
	return err
}

// try returns the trial of one move: its evaluation, or why it was not evaluated.
func (r *run) try(ctx context.Context, m *sdk.Move) sdk.Trial {
	if m.Kind == sdk.MoveSeedFrom {
		return r.trySeed(ctx, m)
	}
	if r.refuses(m.Point) {
		return r.refused(m)
	}
	if trial, ok := r.evaluate(m, m.Point); ok {
		return trial
	}
	return r.outside(m)
}

// outside answers a move without an evaluation.
func (r *run) outside(m *sdk.Move) sdk.Trial {
	if !r.late.left {
		r.result.Outside++
	}
	return sdk.Trial{ID: m.ID, Status: sdk.TrialOutside}
}

// evaluate evaluates an individual and records it; ok is false outside the region.
func (r *run) evaluate(m *sdk.Move, x []float64) (trial sdk.Trial, ok bool) {
	if !r.inside(x) {
		return trial, false
	}
	x = r.Space.Canonical(x)
	out, copies := r.assess(x)
	if out.N == 0 {
		return trial, false
	}
	r.result.Evaluations++
	if out.Violates {
		r.found(m, x, out)
	}
	return r.evaluated(m.ID, x, &out, copies), true
}

// inside reports whether a move is to a point that the question is about.
func (r *run) inside(x []float64) bool {
	return len(x) == len(r.Space.Features) && r.Space.RegionContains(r.Region, x) && (r.Within == nil || r.Within.Has(x))
}

// assess evaluates one individual in the detail that the strategy wants.
func (r *run) assess(x []float64) (evaluate.Outcome, []evaluate.Copies) {
	var out [1]evaluate.Outcome
	copies := r.Evaluator.EvaluateCopies([][]float64{x}, out[:], r.Detail)
	return out[0], copies
}

// refuses reports whether a guard refuses an individual of the region.
func (r *run) refuses(x []float64) bool {
	if len(r.Guards) == 0 || !r.inside(x) {
		return false
	}
	for _, g := range r.Guards {
		if g.Holds(x) {
			return true
		}
	}
	return false
}

func (r *run) refused(m *sdk.Move) sdk.Trial {
	r.result.Refused++
	return sdk.Trial{ID: m.ID, Status: sdk.TrialRefused}
}

// evaluated returns the trial of an evaluated individual; copies begin with its own, or are
// empty.
func (r *run) evaluated(id int64, x []float64, out *evaluate.Outcome, copies []evaluate.Copies) sdk.Trial {
	t := sdk.Trial{
		ID: id, Status: sdk.TrialEvaluated, Point: x, K: out.K, Gap: out.Gap, Violates: out.Violates,
		Shannon: out.Shannon, MinEntropy: out.MinEntropy,
	}
	if r.Pair {
		t.Highest, t.Lowest = r.Evaluator.Point(x, out.ArgMax), r.Evaluator.Point(x, out.ArgMin)
	}
	if len(copies) > 0 {
		t.Scores, t.Bins = copies[0].Scores, copies[0].Bins
	}
	return t
}

func (r *run) emit(e record.Event) {
	e = r.Stream.Emit(e)
	r.meter.Add(&e)
}

// report emits progress when it is due.
func (r *run) report() {
	now := time.Now()
	if r.Progress != nil && now.After(r.nextProgress) {
		r.nextProgress = now.Add(progressInterval)
		r.Progress(Progress{
			Iter: r.rounds.closed, Found: r.meter.found, MaxK: r.meter.MaxK, Evaluations: r.result.Evaluations + r.own,
			Elapsed: r.Stream.Clock.Elapsed(), Budget: r.Budget,
		})
	}
	if now.After(r.nextSnapshot) {
		r.nextSnapshot = now.Add(snapshotInterval)
		r.sumUp()
		r.emit(record.Event{Kind: record.KindProgress, Progress: &record.Progress{
			Iter: r.rounds.closed, Found: r.meter.found, MaxK: r.meter.MaxK,
		}})
	}
}

func (r *run) finish() {
	r.sumUp()
	r.result.Evaluations += r.own
	r.result.Uncounted = r.HoldsModel && 2*r.own < r.rounds.closed
	r.meter.iter = r.rounds.closed
	r.result.Measures = r.meter.Measures()
	if r.Refuted != nil {
		r.result.Refuted = firstFew(r.Refuted())
		for _, text := range r.result.Refuted {
			r.emit(record.Event{Kind: record.KindFault, Fault: &record.Fault{Plugin: r.Solver, Error: text, Refuted: &record.Refuted{}}})
		}
	}
	end := &record.Finished{Iter: r.rounds.closed, Uncounted: r.result.Uncounted, Interrupted: r.result.Interrupted, Measures: r.result.Measures.Map()}
	if r.result.Err != nil {
		end.Error = r.result.Err.Error()
	}
	r.emit(record.Event{Kind: record.KindFinished, Finished: end})
	r.result.Seconds = r.Stream.Clock.Elapsed().Seconds()
}
