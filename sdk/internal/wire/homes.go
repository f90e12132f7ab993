package wire

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk"
)

// Homes remembers the moves that wait for their trials, on both sides of the
// wire, so that a trial's point need not be sent back. A trial is at home if its
// point is its move's point with zeros for the protected features. The zero value
// is for a space without protected features. Not safe for concurrent use.
type Homes struct {
	// Protected are the protected features.
	Protected []int
	waiting   []home // identifiers increase
}

type home struct {
	id    int64
	point []float64
}

// maxWaiting is the largest number of remembered moves: far more than are ever in
// flight.
const maxWaiting = 1 << 16

// Add remembers moves, whose identifiers must be above all earlier ones. It copies
// points whose protected entries are not zero.
func (h *Homes) Add(moves []sdk.Move) {
	for i := range moves {
		x := moves[i].Point
		for _, p := range h.Protected {
			if p < len(x) && math.Float64bits(x[p]) != 0 { // -0 is not at home
				x = slices.Clone(x)
				for _, p := range h.Protected {
					x[p] = 0
				}
				break
			}
		}
		h.waiting = append(h.waiting, home{moves[i].ID, x})
	}
	if extra := len(h.waiting) - maxWaiting; extra > 0 {
		h.waiting = slices.Delete(h.waiting, 0, extra)
	}
}

// Take returns the point of a move, nil if it is unknown, and forgets the move and
// all moves before it: trials come in the order of their moves.
func (h *Homes) Take(id int64) []float64 {
	for i := range h.waiting {
		if h.waiting[i].id == id {
			x := h.waiting[i].point
			h.waiting = h.waiting[i+1:]
			return x
		}
		if h.waiting[i].id > id {
			break
		}
	}
	return nil
}
