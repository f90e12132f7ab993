package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// relaxed is an input fed by a feature that may differ between the copies. Every
// lane of a box is bounded with the enclosure of its own copy's input; then forms are
// compared, where the second copy's input is the first's and more.
type relaxed struct {
	of    *grid.Relaxed
	f     int // which of the feature's inputs
	input int
	tied  bool // the second copy's is the first's and more, which the shift alone says
	// By box: the first copies' input, what the second's is more if it is tied, and by
	// how much the second's radius shrinks where the shift is cut.
	first, more []ball
	cut         []float64
}

// ball is a centre and a radius.
type ball struct{ c, r float64 }

// relaxAll prepares the inputs of features that may differ.
func (w *worker) relaxAll() {
	for i := range w.g.Relaxed {
		r := &w.g.Relaxed[i]
		inputs := w.g.Space.Features[r.Feature].Inputs
		for f := range inputs {
			room := func() []ball { return make([]ball, w.each) }
			w.relaxed = append(w.relaxed, relaxed{
				of: r, f: f, input: inputs[f].Index, tied: w.g.Tied(r, f),
				first: room(), more: room(), cut: make([]float64, w.each),
			})
			w.inputs[r.Shift] = append(w.inputs[r.Shift], int32(inputs[f].Index))
		}
	}
}

// relax gives the second copies of box b, whose lanes have the first copies' inputs
// so far, their own.
func (w *worker) relax(box grid.Box, b int) {
	for i := range w.relaxed {
		r := &w.relaxed[i]
		lane := b * w.k
		var second ball
		second.c, second.r = w.g.Second(r.of, r.f, box)
		if r.tied {
			r.first[b] = ball{w.space.Centre(r.input)[lane], w.space.HalfWidth(r.input)[lane]}
			r.more[b].c, r.more[b].r = w.g.More(r.of, r.f, box)
		}
		r.cut[b] = second.r * w.g.ShiftShare(r.of, box)
		w.seconds(r, b, second)
		cut := w.space.SplitReduction(r.input)[lane+w.k/2 : lane+w.k]
		for z := range cut {
			cut[z] = min(cut[z], second.r)
		}
	}
}

// seconds makes an input of the second copies of box b what it is.
func (w *worker) seconds(r *relaxed, b int, in ball) {
	from, to := b*w.k+w.k/2, (b+1)*w.k
	centre, radius := w.space.Centre(r.input)[from:to], w.space.HalfWidth(r.input)[from:to]
	for z := range centre {
		centre[z], radius[z] = in.c, in.r
	}
}

// cutShifts says, for SplitWidths to read, what would shrink where boxes are cut across
// a shift: second copies do.
func (w *worker) cutShifts(d int) {
	for i := range w.relaxed {
		r := &w.relaxed[i]
		if r.of.Shift != d {
			continue
		}
		cut := w.space.SplitReduction(r.input)
		for b := range w.n {
			lane := b * w.k
			for z := range w.k {
				if cut[lane+z] = 0; z >= w.k/2 {
					cut[lane+z] = r.cut[b]
				}
			}
		}
	}
}

// tie makes the second copies' tied inputs, once the lanes are bounded, the first
// copies': what they are more is left to shift.
func (w *worker) tie() {
	for i := range w.relaxed {
		if r := &w.relaxed[i]; r.tied {
			for b := range w.n {
				w.seconds(r, b, r.first[b])
			}
		}
	}
}

// shift adds to aligned forms what the second copies' tied inputs are more.
func (w *worker) shift(a *aligned) {
	for i := range w.relaxed {
		r := &w.relaxed[i]
		if !r.tied {
			continue
		}
		slopes := a.form.Slope(r.input)
		for b := range w.n {
			for lane := b*w.k + w.k/2; lane < (b+1)*w.k; lane++ {
				a.mid[lane] += slopes[lane] * r.more[b].c
				a.rad[lane] += math.Abs(slopes[lane]) * r.more[b].r
			}
		}
	}
}

// relax gives the second copy of the individual that is put into the lanes its
// inputs.
func (p *points) relax(x []float64) {
	k := len(p.lo)
	for i := range p.t.grid.Relaxed {
		r := &p.t.grid.Relaxed[i]
		y := r.Value(p.t.grid, x)
		for f, in := range p.t.q.Space.Features[r.Feature].Inputs {
			c, row := p.t.grid.Fed(r.Feature, f, y), p.space.Centre(in.Index)[p.n*k+k/2:(p.n+1)*k]
			for z := range row {
				row[z] = c
			}
		}
	}
}
