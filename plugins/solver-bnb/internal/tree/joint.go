package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// joint bounds the score gaps of two copies by linear forms of both logits at once.
type joint struct {
	tangents []notion.Tangent // of gaps above the cutoff
	// always: every box is bounded jointly; otherwise so many more boxes of the task are probed, of
	// which nothing is kept but the yield.
	always bool
	probes int
	// Of the task's gaps, how many were bounded by differences, too, and how many the better for it:
	// less than one in eight ends it.
	tried, better int
}

// yield is what bounding boxes jointly brings: by how much their bounds were above the cutoff
// before and after, in sums of which the latest rounds make up the most.
type yield struct{ before, after float64 }

func (y *yield) fade() { y.before, y.after = fading*y.before, fading*y.after }

func (y *yield) add(z yield) { y.before, y.after = y.before+z.before, y.after+z.after }

// pays reports whether so little is left that other boxes are worth it, too.
func (y *yield) pays() bool { return y.after < paying*y.before }

const (
	// paying is the share of what bounds were above the cutoff that may be left.
	paying = 0.6
	// fading is what counts of a round in the next.
	fading = 0.9
	// As long as it does not pay, probes boxes are probed in each probed-th task.
	probes, probed = 4, 16
)

// begin makes the joint ready for a task.
func (j *joint) begin(cutoff float64, k task) {
	j.tangents = notion.Tangents(cutoff, j.tangents[:0])
	j.always, j.probes, j.tried, j.better = k.jointly, k.probes, 0, 0
}

// together bounds the score gaps in box, which is what clip left of bounded box b, by tangents,
// and cuts off what cannot be above the cutoff. It returns the lower of that and bound,
// and whether anything is left.
func (w *worker) together(box grid.Box, b int, bound float64) (least float64, rest bool) {
	j, lane := w.joint, b*w.k
	if j == nil || len(j.tangents) == 0 || !j.always && j.probes == 0 {
		return bound, true
	}
	w.out.yield.before += bound - w.cutoff
	w.place(box, b) // from here on the lanes hold what clip left
	f := functional{sign: 1, most: w.needs}
	least = w.cutoff
	for z := range f.most {
		if f.most[z] = -1; w.lead(b, z) > j.tangents[0].Beyond {
			var gap float64
			gap, f.most[z] = w.gap(z, lane+z, lane+1-z)
			least = max(least, gap)
		}
		if f.most[z] > f.most[f.widest] {
			f.widest = z
		}
	}
	f.form, least = w.space.Pairs(), min(bound, least)
	if w.out.yield.after += least - w.cutoff; !j.always {
		j.probes--
		return bound, true
	}
	if f.most[f.widest] < 0 {
		w.settlePart(box, lane)
		return least, false
	}
	if !w.shrink(box, lane, &f) {
		return least, false
	}
	if w.g.Countable && w.g.Size(box) <= enumerable {
		w.points.enumerate(w, box)
		return least, false
	}
	return least, true
}

// gap bounds by how much the score of lane a, of combination z, is above that of lane b, at least by the cutoff, and by how
// much the form that it leaves in column a of Pairs is above its tangent: −1 where it is not.
//
// Where neurons' differences alone say more, mostly in large boxes, the bound is theirs.
func (w *worker) gap(z, a, b int) (most, above float64) {
	j := w.joint
	most = 1
	if j.tried < 8 || 8*j.better >= j.tried {
		j.tried++
		t, up := w.tangent(a, b, true)
		w.shown[z] = t
		if up <= t.Beyond {
			j.better++
			return w.cutoff, -1
		}
		most = t.Most(up)
	}
	t, up := w.tangent(a, b, false)
	w.shown[z] = t
	if up <= t.Beyond {
		return w.cutoff, -1
	}
	if of := t.Most(up); of <= most {
		most = of
	} else {
		j.better++
	}
	return most, up - t.Beyond + w.clipError() + 0x1p-50*(math.Abs(up)+math.Abs(t.Beyond))
}

// tangent finds the tangent beyond which least of what the lanes hold is, by what is known of the logits
// of lanes a and b, with differences by Joint, and bounds its Up·p − Down·q, whose form it leaves in column a of Pairs.
func (w *worker) tangent(a, b int, differences bool) (least notion.Tangent, most float64) {
	both, room := w.space.Joint(a, b, w.k, differences), math.Inf(-1)
	for _, t := range w.joint.tangents {
		if m := both.Most(t.Up, t.Down); t.Beyond-m > room {
			room, most, least = t.Beyond-m, m, t
		}
	}
	both.Form(least.Up, least.Down)
	return least, most
}

// lead is by how much the logit of lane z of bounded box b, of two, is above the other's at most.
func (w *worker) lead(b, z int) float64 {
	i, e := b*w.k, w.t.off
	mid, rad := w.space.Mid()[i:i+2], w.space.Rad()[i:i+2]
	sign := float64(2*z - 1) // differences are from the first
	return min(mid[z]-mid[1-z]+rad[0]+rad[1]+4*e, sign*w.diffMid[i+1]+w.diffRad[i+1])
}
