package relax

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// shifts are the inputs of features that may differ between the copies.
type shifts []shift

// shift is an input fed by a feature that may differ between the copies. Every lane of a
// box is bounded with the enclosure of its own copy's input; then forms are compared,
// with the second copy's input as the first's plus an amount.
type shift struct {
	of    *grid.Relaxed
	f     int // index among the feature's inputs
	input int
	tied  bool // the second copy's input is the first's plus an amount that depends on the shift only
	// By slot: the first copies' input, the amount that the second's exceeds it by if it
	// is tied, and how much the second's radius shrinks if the shift is split.
	first, more []ball
	cut         []float64
}

// ball is a centre and a radius.
type ball struct{ c, r float64 }

// newShifts prepares the inputs of features that may differ.
func newShifts(w *Workspace) (list shifts) {
	for i := range w.Grid.Relaxed {
		r := &w.Grid.Relaxed[i]
		inputs := w.Grid.Space.Features[r.Feature].Inputs
		for f := range inputs {
			room := func() []ball { return make([]ball, w.Slots) }
			list = append(list, shift{
				of: r, f: f, input: inputs[f].Index, tied: r.Tied(w.Grid, f),
				first: room(), more: room(), cut: make([]float64, w.Slots),
			})
			w.Inputs[r.Shift] = append(w.Inputs[r.Shift], int32(inputs[f].Index))
		}
	}
	return list
}

// place sets the inputs of a slot's second copies, whose lanes have the first copies' inputs so far.
func (s shifts) place(w *Workspace, box grid.Box, slot int) {
	for i := range s {
		r := &s[i]
		lane := slot * w.Lanes
		var second ball
		second.c, second.r = r.of.Second(w.Grid, r.f, box)
		if r.tied {
			r.first[slot] = ball{w.Batch.Centre(r.input)[lane], w.Batch.HalfWidth(r.input)[lane]}
			r.more[slot].c, r.more[slot].r = r.of.More(w.Grid, r.f, box)
		}
		r.cut[slot] = second.r * r.of.ShiftShare(w.Grid, box)
		r.setSecond(w, slot, second)
		cut := w.Batch.SplitReduction(r.input)[lane+w.Lanes/2 : lane+w.Lanes]
		for z := range cut {
			cut[z] = min(cut[z], second.r)
		}
	}
}

// setSecond sets the input of the second copies of a slot.
func (r *shift) setSecond(w *Workspace, slot int, in ball) {
	from, to := slot*w.Lanes+w.Lanes/2, (slot+1)*w.Lanes
	centre, radius := w.Batch.Centre(r.input)[from:to], w.Batch.HalfWidth(r.input)[from:to]
	for z := range centre {
		centre[z], radius[z] = in.c, in.r
	}
}

// cut sets the reductions that SplitWidths reads for a split across a shift: only second copies shrink.
func (s shifts) cut(w *Workspace, d int) {
	for i := range s {
		r := &s[i]
		if r.of.Shift != d {
			continue
		}
		cut := w.Batch.SplitReduction(r.input)
		for b := range w.N {
			lane := b * w.Lanes
			for z := range w.Lanes {
				if cut[lane+z] = 0; z >= w.Lanes/2 {
					cut[lane+z] = r.cut[b]
				}
			}
		}
	}
}

// tie replaces the second copies' tied inputs, once the lanes are bounded, by the first
// copies'.
func (s shifts) tie(w *Workspace) {
	for i := range s {
		if r := &s[i]; r.tied {
			for b := range w.N {
				r.setSecond(w, b, r.first[b])
			}
		}
	}
}

// addToAligned adds the amounts by which the second copies' tied inputs exceed the first
// copies'.
func (s shifts) addToAligned(w *Workspace) {
	a := w.Aligned
	for i := range s {
		r := &s[i]
		if !r.tied {
			continue
		}
		slopes := a.Form.Slope(r.input)
		for b := range w.N {
			for lane := b*w.Lanes + w.Lanes/2; lane < (b+1)*w.Lanes; lane++ {
				a.mid[lane] += slopes[lane] * r.more[b].c
				a.rad[lane] += math.Abs(slopes[lane]) * r.more[b].r
			}
		}
	}
}
