package tree

import (
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound/batch"
	"github.com/hyfair/hyfair/sdk/space"
)

// Claim is what is known of a piece.
type Claim uint8

// Claims.
const (
	PieceFair    Claim = iota + 1 // all individuals are treated fairly
	PieceUnfair                   // none is
	PieceOutside                  // the question is about none of them
	PieceBounded                  // values are at most the bound found
	PieceCounted                  // all settled, by counting or one by one
	PieceUndecided
)

// Piece is a box that is done with.
type Piece struct {
	Box          grid.Box
	Claim        Claim
	Fair, Unfair float64
	Enumerated   bool
	Copies       []Copy // where proofs are wanted and the box was bounded
	Cases        []sdk.CaseProof
}

// Copy is the bounds of one combination's logit.
type Copy struct {
	Combination int
	Logit       space.Interval
	Slopes      []batch.Slope
	// Of two copies that were bounded jointly: by which slopes, and the weights of this logit and of the other.
	Joint    []batch.JointSlope
	Up, Down float64
}

// piece keeps a piece where pieces are wanted.
func (w *worker) piece(box grid.Box, lane int, c Claim, fair, unfair float64) {
	if w.t.Pieces == nil {
		return
	}
	p := Piece{Box: append(grid.Box(nil), box...), Claim: c, Fair: fair, Unfair: unfair}
	if w.t.Proofs && c != PieceOutside && w.trees == nil { // of trees a checker needs the box alone
		e := w.t.plan.Error()
		if w.splitter != nil {
			p.Cases = w.splitter.shown
		}
		for z := range w.k {
			mid, r := w.space.Mid()[lane+z], w.space.Rad()[lane+z]+e
			c := Copy{Combination: z, Logit: space.Interval{Lo: mid - r, Hi: mid + r}, Slopes: w.space.Slopes(lane + z)}
			if s := w.shown[z]; s.Up != 0 && p.Cases == nil {
				c.Joint = slices.Clone(w.space.JointSlopes(lane + z))
				if w.t.jointly {
					c.Up, c.Down = s.Up, s.Down
				}
			}
			p.Copies = append(p.Copies, c)
		}
	}
	w.out.pieces = append(w.out.pieces, p)
}

func (w *worker) bounded(box grid.Box, lane int) { w.piece(box, lane, PieceBounded, 0, 0) }

func (w *worker) enumerated(box grid.Box, fair, unfair float64) {
	w.out.pieces = append(w.out.pieces, Piece{Box: append(grid.Box(nil), box...), Claim: PieceCounted, Fair: fair, Unfair: unfair, Enumerated: true})
}

// Rest gives the leaves that are left, as pieces that are undecided; the region where it was
// never bounded.
func (t *Tree) Rest(visit func(Piece)) {
	if t.Boxes == 0 && t.front.size == 0 { // as where somebody was found at first sight
		visit(Piece{Box: t.grid.Whole(), Claim: PieceUndecided})
	}
	t.front.each(func(p *page, i int) {
		box := make(grid.Box, 2*len(t.grid.Dims))
		t.front.box(p, i, box)
		visit(Piece{Box: box, Claim: PieceUndecided, Fair: float64(p.fair[i]), Unfair: float64(p.unfair[i])})
	})
}

// Grid is the region's.
func (t *Tree) Grid() *grid.Grid { return t.grid }
