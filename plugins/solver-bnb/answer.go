package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/bnb"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// answer is the state of one Solve.
type answer struct {
	q     *problem.Query
	o     sdk.SolveOptions
	s     *bnb.Search
	start time.Time
	told  time.Time // when progress was last reported
}

// tellEvery is the least time between two reports of progress.
const tellEvery = 100 * time.Millisecond

func (a *answer) find(ctx context.Context, memory int64, with params.Params) (*sdk.Result, error) {
	a.start = time.Now()
	a.told = a.start
	t, err := bnb.New(a.q, a.o.Seed, max(1, a.o.Threads), with)
	switch {
	case errors.Is(err, bnb.ErrEmpty):
		return &sdk.Result{Status: sdk.Infeasible, Native: err.Error(), Elapsed: time.Since(a.start)}, nil
	case err != nil:
		return nil, err
	}
	a.s = t
	switch {
	case a.o.Pieces != nil && len(a.q.Relax) > 0:
		return nil, fmt.Errorf("%w: pieces of a region in which features that are not protected may differ: they would be boxes of pairs", sdk.ErrUnsupported)
	case a.o.Proofs && a.q.TellsCopiesApart():
		return nil, fmt.Errorf("%w: proofs with a condition on the first copy alone", sdk.ErrUnsupported)
	}
	l := bnb.Limits{Nodes: a.o.WorkLimit, Memory: memory, Done: a.look}
	if a.o.TimeLimit > 0 {
		l.Deadline = a.start.Add(a.o.TimeLimit)
	}
	if a.o.Pieces != nil {
		t.Proofs = a.o.Proofs
		t.Pieces = func(list []bnb.Piece) { a.o.Pieces(a.pieces(list)) }
	}
	end := t.Run(ctx, l)
	if a.o.Pieces != nil {
		a.rest()
	}
	r := a.result(end)
	r.Nodes, r.Elapsed = t.Nodes, time.Since(a.start)
	return r, nil
}

// look reports progress to the host, and returns whether what is known is enough to
// stop.
func (a *answer) look() bool {
	if a.o.Progress != nil && time.Since(a.told) >= tellEvery {
		a.told = time.Now()
		p := sdk.Progress{Nodes: a.s.Nodes, Elapsed: time.Since(a.start), Settled: a.s.Share()}
		if a.q.Goal == problem.Quantify {
			p.Shares = a.shares()
		}
		if a.values() {
			p.Bound, p.HasBound = a.s.Bound(), !math.IsInf(a.s.Bound(), 0)
			if b := a.s.Best; b != nil {
				p.Objective = a.objective(b)
			}
		}
		a.o.Progress(p)
	}
	if t := a.o.Target; t != nil && a.q.Goal == problem.Quantify {
		known := a.s.Known()
		return known.Fair.Add(known.Unfair).Float() >= *t*known.Of(a.s.Total).Float()
	}
	if !a.values() || a.s.Best == nil {
		return false
	}
	value, bound := a.objective(a.s.Best), a.s.Bound()
	if t := a.o.Target; t != nil && (a.least() && value <= *t || !a.least() && value >= *t) {
		return true
	}
	return math.Abs(bound-value) <= a.o.Gap*math.Abs(value)
}

func (a *answer) values() bool { return a.q.Goal != problem.Decide && a.q.Goal != problem.Quantify }

func (a *answer) least() bool { return a.q.Goal == problem.Minimise || a.q.Goal == problem.MinK }

// objective returns an individual's value as the query defines it: the search negates values
// that the query minimises.
func (a *answer) objective(b *goal.Incumbent) float64 {
	if a.least() {
		return -b.Value
	}
	return b.Value
}

var reasons = map[bnb.End]sdk.Reason{
	bnb.OutOfTime: sdk.TimeLimit, bnb.OutOfNodes: sdk.WorkLimit, bnb.OutOfMemory: sdk.MemoryLimit, bnb.Cancelled: sdk.Interrupted,
}

// result returns the answer that follows from what the search has found, given the
// reason for which it ended.
func (a *answer) result(end bnb.End) *sdk.Result {
	r := &sdk.Result{Reason: reasons[end], Native: fmt.Sprintf("%d boxes, %d left", a.s.Nodes, a.s.Size())}
	if best := a.s.Best; best != nil {
		r.Native += ", best by " + best.By
	}
	if end == bnb.Complete && a.s.Stuck > 0 {
		r.Reason = sdk.Incomplete
		r.Detail = fmt.Sprintf("%d boxes of a single cell could not be settled", a.s.Stuck)
	}
	complete := end == bnb.Complete && a.s.Stuck == 0
	if a.q.Goal == problem.Quantify {
		r.Shares = a.shares()
		r.Status = sdk.Unknown
		if complete {
			r.Status = sdk.Optimal
		}
		return r
	}
	best := a.s.Best
	if best != nil {
		if a.q.Goal == problem.Maximise || a.q.Goal == problem.Minimise {
			best = a.s.Exactly(*best)
		}
		r.Witness = a.witness(best)
		r.Status = sdk.Feasible
	}
	if !a.values() {
		switch {
		case r.Witness != nil:
			r.Reason = sdk.NoReason
		case complete:
			r.Status = sdk.Infeasible
		default:
			r.Status = sdk.Unknown
		}
		return r
	}
	bound := a.s.Bound()
	if r.Witness == nil {
		if r.Status = sdk.Unknown; complete {
			r.Status = sdk.Infeasible
		} else if !math.IsInf(bound, 0) {
			r.Bound, r.HasBound = bound, true
		}
		return r
	}
	r.Objective = a.objective(best)
	if !math.IsInf(bound, 0) {
		r.Bound, r.HasBound = bound, true
	}
	if complete || end == bnb.Enough && a.o.Target == nil {
		r.Status, r.Reason = sdk.Optimal, sdk.NoReason
	} else if end == bnb.Enough {
		r.Reason = sdk.NoReason
	}
	return r
}

// witness returns an individual's two copies.
func (a *answer) witness(b *goal.Incumbent) *sdk.Witness {
	g := a.s.Grid
	return &sdk.Witness{Copy1: g.Complete(b.X, b.Z1), Copy2: g.Complete(b.Y, b.Z2)}
}

// shares returns the shares proved so far.
func (a *answer) shares() *sdk.Shares {
	t := a.s
	s := &sdk.Shares{Fair: new(big.Rat), Unfair: new(big.Rat), Boxes: t.Nodes}
	known := t.Known()
	all := known.Of(t.Total).Big()
	if t.Settled() && t.Grid.Countable {
		s.Individuals = all
	}
	if all.Sign() > 0 {
		s.Fair.SetFrac(known.Fair.Big(), all)
		s.Unfair.SetFrac(known.Unfair.Big(), all)
	}
	return s
}

// integer converts a number of individuals, which must be an integer below +Inf.
func integer(v float64) *big.Int {
	out, _ := new(big.Float).SetFloat64(v).Int(nil)
	return out
}
