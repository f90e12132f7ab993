package bnb

import (
	"slices"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Claim is what is proved of a piece.
type Claim uint8

// Each claim is about all individuals of a piece; PieceUndecided claims nothing.
const (
	PieceFair    Claim = iota + 1 // all individuals are treated fairly
	PieceUnfair                   // no individual is treated fairly
	PieceOutside                  // the query asks about none of the individuals
	PieceBounded                  // values are at most the bound found
	PieceCounted                  // every individual is decided, by counting or enumeration
	PieceUndecided
)

// claims maps verdicts to the claims of their pieces.
var claims = map[goal.Verdict]Claim{goal.Fair: PieceFair, goal.Unfair: PieceUnfair, goal.Outside: PieceOutside, goal.Pruned: PieceBounded}

// Piece is a finished box, or an open one at the end.
type Piece struct {
	Box          grid.Box
	Claim        Claim
	Fair, Unfair float64
	Enumerated   bool
	Copies       []Copy // with proofs, if the box was bounded
	Cases        []sdk.CaseProof
}

// Copy holds the bounds of one combination's logit.
type Copy struct {
	Combination int
	Logit       space.Interval
	Slopes      []batch.Slope
	// For two copies that were bounded jointly: the slopes, and the weights of this logit and of the other.
	Joint    []batch.JointSlope
	Up, Down float64
}

// settleProved settles a box within a slot's box in which no individual has a value above the cutoff or, for
// goals without values, violates the notion.
func (w *worker) settleProved(box grid.Box, slot int) {
	v := goal.Fair
	if w.Values {
		v = goal.Pruned
	}
	w.settle(box, slot, v)
}

// settlePart is settleProved for a part of the slot's box. The piece encloses the logits over that part.
func (w *worker) settlePart(part grid.Box, slot int) {
	w.settleProved(part, slot)
	if w.Pieces == nil || !w.Proofs {
		return
	}
	copies := w.task.pieces[len(w.task.pieces)-1].Copies
	for i := range copies {
		copies[i].Logit = w.ws.Within(part, slot*w.ws.Lanes+copies[i].Combination)
	}
}

// settle settles a box within a slot's box with a verdict.
func (w *worker) settle(box grid.Box, slot int, v goal.Verdict) {
	fair, unfair := 0.0, 0.0
	if v != goal.Pruned {
		size := w.Grid.Size(box)
		w.task.Add(w.goal.Contribution(v, w.Grid.Mass(box, size)))
		switch v {
		case goal.Fair:
			fair = size
		case goal.Unfair:
			unfair = size
		}
	}
	w.piece(box, slot, claims[v], fair, unfair)
}

// piece records a piece if pieces are wanted.
func (w *worker) piece(box grid.Box, slot int, c Claim, fair, unfair float64) {
	if w.Pieces == nil {
		return
	}
	p := Piece{Box: slices.Clone(box), Claim: c, Fair: fair, Unfair: unfair}
	if w.Proofs && c != PieceOutside && w.ws != nil { // for trees a checker needs only the box
		if w.relu != nil {
			p.Cases = w.relu.Shown
		}
		for z := range w.ws.Lanes {
			p.Copies = append(p.Copies, copyOf(w.ws, slot, z, p.Cases == nil, w.ideas.joint))
		}
	}
	w.task.pieces = append(w.task.pieces, p)
}

// copyOf returns the bounds of lane z of a slot. If shown is set, they include the slopes of the lane's joint bound; if
// gaps is set as well, also the weights of the two logits.
func copyOf(w *relax.Workspace, slot, z int, shown, gaps bool) Copy {
	e, lane := w.Network.Error(), slot*w.Lanes+z
	mid, r := w.Batch.Mid()[lane], w.Batch.Rad()[lane]+e
	c := Copy{Combination: z, Logit: space.Interval{Lo: mid - r, Hi: mid + r}, Slopes: w.Batch.Slopes(lane)}
	if s := w.Shown[z]; s.Up != 0 && shown {
		c.Joint = slices.Clone(w.Batch.JointSlopes(lane))
		if gaps {
			c.Up, c.Down = s.Up, s.Down
		}
	}
	return c
}

// Rest visits the open nodes, as undecided pieces; the region if it was never bounded.
func (s *Search) Rest(visit func(Piece)) {
	if s.Nodes == 0 && s.queue.size == 0 { // for instance, the first individual was a witness
		visit(Piece{Box: s.Grid.Whole(), Claim: PieceUndecided})
	}
	s.queue.each(func(n grid.Node) {
		visit(Piece{Box: n.Box, Claim: PieceUndecided, Fair: n.Fair, Unfair: n.Unfair})
	})
}
