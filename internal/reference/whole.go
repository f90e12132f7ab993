package reference

import (
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// served refuses questions that the enumeration cannot answer: bins of a notion without
// bins and, for goals other than Decide and Maximise, relaxations and predicates that
// distinguish an individual's copies.
func served(q *problem.Query) error {
	switch q.Goal {
	case problem.Decide, problem.Maximise:
		return nil
	case problem.MaxK, problem.MinK:
		if !q.Notion.UsesEpsilon() || q.Epsilon == nil {
			return fmt.Errorf("bins of the notion %s, or of a query without ε: %w", q.Notion, sdk.ErrUnsupported)
		}
	}
	if len(q.Relax) > 0 {
		return fmt.Errorf("goal %s with relaxations: %w", q.Goal, sdk.ErrUnsupported)
	}
	if q.TellsCopiesApart() {
		return fmt.Errorf("goal %s with a predicate on a protected feature: %w", q.Goal, sdk.ErrUnsupported)
	}
	return nil
}

// tally counts the evaluated points of the region, and the individuals among them.
type tally struct{ looked, fair, unfair int64 }

// whole evaluates an individual with all its counterfactuals.
func (e *query) whole(x []float64) {
	copies := e.q.Space.Counterfactuals(e.region, x)
	if len(copies) == 0 || !e.q.Describes(copies[0]) {
		e.pieces.point(x, sdk.PieceOutside)
		return
	}
	logits := e.q.Logits(e.exact, x)
	if e.q.Goal == problem.Quantify {
		if e.q.Violates(logits) {
			e.tally.unfair++
			e.pieces.point(x, sdk.PieceUnfair)
		} else {
			e.tally.fair++
			e.pieces.point(x, sdk.PieceFair)
		}
		if e.o.Progress != nil && e.work%64 == 0 {
			e.o.Progress(sdk.Progress{Nodes: e.work, Shares: e.shares()})
		}
		return
	}
	if e.q.Excludes(x) {
		e.pieces.point(x, sdk.PieceOutside)
		return
	}
	e.pieces.point(x, sdk.PieceFair)
	value, _ := known.Value(e.q, logits)
	better := func(a, b float64) bool { return a < b }
	if e.q.Goal == problem.MaxK {
		better = func(a, b float64) bool { return a > b }
	}
	if math.IsInf(value, 0) || e.witness != nil && !better(value, e.value) {
		return
	}
	high, low, _ := e.q.Notion.Pair(logits)
	e.hold(copies[high], copies[low], true, value)
	e.done = e.o.Target != nil && !better(*e.o.Target, value)
}

// quantified returns the answer about shares.
func (e *query) quantified() *sdk.Result {
	r := &sdk.Result{Status: sdk.Optimal, Reason: e.reason, Shares: e.shares()}
	switch {
	case e.reason != sdk.NoReason:
		r.Status = sdk.Unknown
	case r.Shares.Individuals == nil || r.Shares.Individuals.Sign() == 0:
		r.Status = sdk.Infeasible // the question is about no individual
		r.Shares = nil
	}
	return r
}

// shares returns the shares of the points decided so far. An open point may or may not be an
// individual, so while any is open, shares refer to all points.
func (e *query) shares() *sdk.Shares {
	all := big.NewInt(1)
	for i := range e.q.Space.Features {
		if f := &e.q.Space.Features[i]; !f.IsProtected() {
			n := int64(math.Floor(e.region.Box[i].Hi) - math.Ceil(e.region.Box[i].Lo) + 1)
			all.Mul(all, big.NewInt(max(n, 0)))
		}
	}
	s := &sdk.Shares{Fair: new(big.Rat), Unfair: new(big.Rat), Boxes: e.tally.looked}
	outside := e.tally.looked - e.tally.fair - e.tally.unfair
	if e.reason == sdk.NoReason && all.Cmp(big.NewInt(e.tally.looked)) == 0 {
		all.Sub(all, big.NewInt(outside))
		s.Individuals = all
	}
	if all.Sign() > 0 {
		s.Fair.SetFrac(big.NewInt(e.tally.fair), all)
		s.Unfair.SetFrac(big.NewInt(e.tally.unfair), all)
	}
	return s
}

// pieces hands over pieces of the region in batches.
type pieces struct {
	space  *space.Space
	tell   func([]sdk.Piece) // nil if pieces are not wanted
	proofs bool
	// counts is set if a fair piece means individuals treated fairly, not individuals
	// that stay within a bound.
	counts bool
	list   []sdk.Piece
	seen   map[string]bool // points handed over
}

const piecesTogether = 64

// point adds x as a piece of one point.
func (p *pieces) point(x []float64, claim sdk.PieceClaim) {
	if p.tell == nil {
		return
	}
	p.seen[fmt.Sprint(x)] = true
	box := make(space.Box, len(x))
	for i, v := range x {
		box[i] = space.Interval{Lo: v, Hi: v}
	}
	p.add(box, claim)
}

func (p *pieces) add(box space.Box, claim sdk.PieceClaim) {
	if p.tell == nil {
		return
	}
	piece := sdk.Piece{Box: box, Claim: claim, Fair: new(big.Int), Unfair: new(big.Int)}
	for _, i := range p.space.Protected() {
		piece.Box[i] = space.Interval{}
	}
	switch claim {
	case sdk.PieceFair:
		if p.counts {
			piece.Fair.SetInt64(1)
		}
		if p.proofs {
			piece.Proof = &sdk.Proof{Enumerated: true}
		}
	case sdk.PieceUnfair:
		piece.Unfair.SetInt64(1)
	}
	if p.list = append(p.list, piece); len(p.list) == piecesTogether {
		p.flush()
	}
}

func (p *pieces) flush() {
	if len(p.list) > 0 {
		p.tell(p.list)
		p.list = nil
	}
}

// rest hands over the points that were not evaluated.
func (e *query) rest() {
	for x := range e.q.Space.Individuals(e.region.Box) {
		if !e.pieces.seen[fmt.Sprint(x)] {
			e.pieces.point(x, sdk.PieceUndecided)
		}
	}
}
