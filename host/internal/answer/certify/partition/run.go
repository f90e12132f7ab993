package partition

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Options are the settings of a Run.
type Options struct {
	// Chunks cut the query's region; Adaptive splits undecided parts before it raises the soft
	// limit.
	Chunks   Chunks
	Adaptive bool
	// All decides every part; otherwise the run ends at the first witness.
	All bool
	// SoftTimeout bounds one question to a solver; 0: the published 100 s.
	SoftTimeout time.Duration
	// Solvers are asked in parallel, each one question at a time; none: only bounds and
	// sampling decide.
	Solvers []engine.Options
	// Seed determines the order of the parts for the solvers, and the sampling.
	Seed int64
	// Shard selects the parts to decide; the others stay undecided, unless the Store has their
	// results.
	Shard record.Shard
	// Store, if not nil, provides earlier results and keeps new ones.
	Store record.Store
	// Progress, if not nil, is called with the report so far, by one goroutine at a time.
	Progress func(Report)
}

// DefaultSoftTimeout is Fairify's (section 5.1: 100 s per partition).
const DefaultSoftTimeout = 100 * time.Second

// Report is the outcome of a Run, or its state while it runs.
type Report struct {
	// The verdict on the entire question, with the weakest grade and the largest tolerance of
	// the fair parts' proofs, the witness with the largest margin, and the solvers' work and
	// faults.
	engine.Report `json:"-"`
	// The number of parts.
	Total int `json:"total"`
	// The number of parts proved fair.
	Fair int `json:"fair"`
	// The number of parts with a witness.
	Unfair int `json:"unfair"`
	// The number of undecided parts, including those not yet examined.
	Undecided int `json:"undecided"`
	// The number of decided parts, by method: bounds, sampling, solver or enumeration.
	By map[engine.Method]int `json:"by"`
	// The number of parts whose result was taken from the interrupted run.
	Resumed int `json:"resumed"`
	// Stage names the current stage.
	Stage   string        `json:"-"`
	Elapsed time.Duration `json:"-"`
}

// String formats the state of a run as one line.
func (r Report) String() string {
	decided := r.Fair + r.Unfair
	text := fmt.Sprintf("%d of %d partitions decided (%d fair, %d unfair) · %s · %s", decided, r.Total, r.Fair, r.Unfair, r.Stage, r.Elapsed.Round(time.Second))
	if fresh := decided - r.Resumed; fresh > 0 && r.Undecided > 0 {
		text += fmt.Sprintf(" · at this pace %v more", (r.Elapsed * time.Duration(r.Undecided) / time.Duration(fresh)).Round(time.Second))
	}
	return text
}

// result is a part's result as the store keeps it.
type result struct {
	Verdict   string        `json:"verdict"`
	By        engine.Method `json:"by"`
	Grade     sdk.Grade     `json:"grade,omitempty"`
	Tolerance float64       `json:"tolerance,omitempty"`
	Formula   string        `json:"tolerance_formula,omitempty"`
	// X is the witness's individual, with the first copy's protected values.
	X []float64 `json:"x,omitempty"`
	// Y is the second copy.
	Y []float64 `json:"y,omitempty"`
}

// part is a region to decide, with its key in the store and the seed of its sampling.
type part struct {
	region space.Region
	key    string
	seed   uint64
}

// maxFaults solver failures in a row end the solver's passes.
const maxFaults = 3

// Run decides the parts of the query's region. Cheap methods first try all parts in parallel;
// then the solvers decide the rest, with a soft limit that grows from pass to pass. The error
// is the store's, or an invalid query or chunks; a lost solver is a fault in the report.
func Run(ctx context.Context, q *problem.Query, o Options) (*Report, error) {
	if err := q.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	if q.Reach() > 0 {
		return nil, fmt.Errorf("%w: a question for k = %d bins or bands cannot be partitioned", sdk.ErrInvalidProblem, q.Reach())
	}
	q, err := engine.Inward(q)
	if err != nil {
		return nil, err
	}
	whole := q.RegionOrWhole()
	regions, err := o.Chunks.Split(q.Space, whole)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidOption, err)
	}
	if o.SoftTimeout <= 0 {
		o.SoftTimeout = DefaultSoftTimeout
	}
	r := &run{q: q, o: o, whole: whole, start: time.Now(), replay: individual.NewJudge(q)}
	r.report = Report{Total: len(regions), Undecided: len(regions), By: map[engine.Method]int{}}
	parts := make([]part, len(regions))
	for i, region := range regions {
		parts[i] = part{region, Text(q.Space, whole, region), uint64(i)}
	}
	overtime.Within(ctx, func(context.Context) error {
		r.all(ctx, parts)
		return nil
	})
	return r.conclude()
}

// all decides the parts in stages: bounds and sampling, the solvers, then bounds on smaller boxes.
func (r *run) all(ctx context.Context, parts []part) {
	left := slices.DeleteFunc(r.resume(parts), func(p part) bool { return !r.o.Shard.Has(p.key) })
	left = r.cheap(ctx, left, "bounds and sampling", rootBoxes)
	left = r.cheap(ctx, left, "bounds, boxes split", splitBoxes)
	left = r.solve(ctx, left)
	if len(left) > 0 && ctx.Err() == nil {
		r.cheap(ctx, left, "bounds, boxes split further", lastBoxes)
	}
	if found := r.worst(); found != nil {
		w := *found
		w.K, _ = r.replay.K(w.Copy1) // 0 if ε is too small to count bins
		r.mu.Lock()
		defer r.mu.Unlock()
		r.report.Witness = &w
	}
}

func (r *run) worst() *individual.Witness {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.report.Witness
}

// The number of boxes that a part may be split into, by stage.
const (
	rootBoxes  = 1
	splitBoxes = 64
	lastBoxes  = 4096
)

type run struct {
	q      *problem.Query
	o      Options
	whole  space.Region
	start  time.Time
	replay *individual.Judge

	mu     sync.Mutex
	report Report
	err    error
	lost   int
	// concluded: the report is being returned; later results do not change it, and no progress is
	// reported.
	concluded bool
}

// over reports whether the run ends here.
func (r *run) over(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return ctx.Err() != nil || r.err != nil || !r.o.All && r.report.Unfair > 0
}

// failed reports whether the store has failed.
func (r *run) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// resume takes the results that the store has and returns the other parts.
func (r *run) resume(parts []part) []part {
	if r.o.Store == nil {
		return parts
	}
	var left []part
	for _, p := range parts {
		text, _, ok := r.o.Store.Done(p.key)
		var res result
		if !ok || json.Unmarshal(text, &res) != nil || !r.recall(res) {
			left = append(left, p)
			continue
		}
	}
	return left
}

// recall counts a stored result; a witness is replayed again.
func (r *run) recall(res result) bool {
	f := finding{by: res.By, grade: res.Grade}
	switch res.Verdict {
	case engine.Fair.String():
		if res.Grade < sdk.GradeExact || res.Grade > sdk.GradeNumerical || !(res.Tolerance >= 0) {
			return false // not a proof
		}
		f.verdict = engine.Fair
	case engine.Unfair.String():
		if len(res.X) != len(r.q.Space.Features) {
			return false
		}
		w := r.replay.Pair(res.X, res.Y, r.q.Notion.Threshold(r.q.Epsilon))
		if w == nil {
			return false
		}
		f.verdict, f.witness = engine.Unfair, w
	default:
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(f, res.Tolerance, res.Formula)
	r.report.Resumed++
	return true
}

// waveParts is the number of parts tried in parallel if the first witness ends the run.
const waveParts = 64

// cheap tries all parts without a solver, in parallel, and returns the undecided ones. Without
// All it takes them in order, waveParts at a time, so that the same witness ends the run on
// every machine.
func (r *run) cheap(ctx context.Context, parts []part, stage string, boxes int) (left []part) {
	pruners := make([]*pruner, runtime.GOMAXPROCS(0))
	for i := range pruners {
		pruners[i] = newPruner(r.q)
	}
	wave := len(parts)
	if !r.o.All {
		wave = waveParts
	}
	for len(parts) > 0 {
		if r.over(ctx) {
			return append(left, parts...)
		}
		now := parts[:min(wave, len(parts))]
		parts = parts[len(now):]
		left = append(left, undecided(now, pruners, func(p *pruner, at part) bool { return r.tryCheap(ctx, p, at, stage, boxes) })...)
	}
	return left
}

// undecided lets workers decide parts in parallel, each one at a time, and returns the
// undecided parts in their order.
func undecided[W any](parts []part, workers []W, decide func(W, part) bool) (left []part) {
	decided, next := make([]bool, len(parts)), make(chan int)
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() {
			for i := range next {
				decided[i] = decide(w, parts[i])
			}
		})
	}
	for i := range parts {
		next <- i
	}
	close(next)
	group.Wait()
	for i, at := range parts {
		if !decided[i] {
			left = append(left, at)
		}
	}
	return left
}

func (r *run) tryCheap(ctx context.Context, p *pruner, at part, stage string, boxes int) bool {
	if ctx.Err() != nil || r.failed() {
		return false
	}
	begin := time.Now()
	f := p.decide(ctx, at.region, boxes, rand.New(rand.NewPCG(uint64(r.o.Seed), at.seed)))
	if f.verdict == engine.Undecided {
		r.glimpse(stage)
		return false
	}
	r.settle(at, f, 0, "", time.Since(begin), stage)
	return true
}

// settle counts a decided part and stores it.
func (r *run) settle(at part, f finding, tolerance float64, formula string, took time.Duration, stage string) {
	res := result{Verdict: f.verdict.String(), By: f.by, Grade: f.grade, Tolerance: tolerance, Formula: formula}
	var events []record.Event
	if f.witness != nil {
		res.X, res.Y, res.Grade = f.witness.Copy1, f.witness.Copy2, 0
		events = append(events, f.witness.Event())
	}
	verdict := &record.Verdict{Region: at.key, Verdict: res.Verdict, By: string(f.by), Tolerance: tolerance}
	if f.verdict == engine.Fair {
		verdict.Grade = f.grade.String()
	}
	events = append(events, record.Event{Kind: record.KindVerdict, Verdict: verdict})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.concluded {
		return
	}
	if r.o.Store != nil {
		if err := r.o.Store.Complete(at.key, res, took.Seconds(), events...); err != nil {
			if r.err == nil { // the first error suffices
				r.err = err
			}
			return
		}
	}
	r.count(f, tolerance, formula)
	r.show(stage)
}

// count adds a decided part to the report. The caller holds the lock.
func (r *run) count(f finding, tolerance float64, formula string) {
	r.report.Undecided--
	r.report.By[f.by]++
	if f.verdict == engine.Fair {
		r.report.Fair++
		r.report.Grade = sdk.Weakest(r.report.Grade, f.grade)
		if tolerance > r.report.Tolerance {
			r.report.Tolerance, r.report.ToleranceFormula = tolerance, formula
		}
		return
	}
	r.report.Unfair++
	if w := r.report.Witness; w == nil || worse(f.witness, w) {
		r.report.Witness = f.witness
	}
}

// worse orders witnesses by margin, then by individual, so that the order in which parts end
// does not matter.
func worse(v, w *individual.Witness) bool {
	if v.Margin != w.Margin {
		return v.Margin > w.Margin
	}
	return slices.Compare(v.Copy1, w.Copy1) < 0
}

func (r *run) glimpse(stage string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.show(stage)
}

func (r *run) show(stage string) {
	if r.o.Progress == nil || r.concluded {
		return
	}
	r.report.Stage, r.report.Elapsed = stage, time.Since(r.start)
	r.o.Progress(r.report)
}

// conclude returns the report and the store's error; later results do not count.
func (r *run) conclude() (*Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.concluded = true
	out := r.report
	out.By, out.Faults, out.Refuted, out.Elapsed = maps.Clone(out.By), slices.Clone(out.Faults), slices.Clone(out.Refuted), time.Since(r.start)
	switch {
	case out.Unfair > 0:
		out.Verdict = engine.Unfair
	case out.Undecided == 0:
		out.Verdict = engine.Fair
	}
	return &out, r.err
}
