package relax

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
)

// Joint bounds the score gaps of two copies by linear forms of both logits at once (docs/developer/solver-bnb.md, Bounds of networks).
type Joint struct {
	*Workspace
	tangents []notion.Tangent // of gaps above the cutoff
	cutoff   float64
	// Counts of the task: gaps bounded by neurons' differences as well, and those improved by them. If fewer than one in
	// eight improve, differences are not used again.
	tried, better int
}

// Aim sets the cutoff above which gaps are bounded.
func (j *Joint) Aim(cutoff float64) {
	j.tangents = notion.Tangents(cutoff, j.tangents[:0])
	j.cutoff, j.tried, j.better = cutoff, 0, 0
}

// Idle reports whether the cutoff has no tangents.
func (j *Joint) Idle() bool { return len(j.tangents) == 0 }

// Lead reports whether the logit of lane z, one of a slot's two, may exceed the other's by as much as a gap above the
// cutoff needs.
func (j *Joint) Lead(slot, z int) bool {
	i, e := slot*j.Lanes, j.Error
	mid, rad := j.Batch.Mid()[i:i+2], j.Batch.Rad()[i:i+2]
	sign := float64(2*z - 1) // differences are from the first lane
	most := min(mid[z]-mid[1-z]+rad[0]+rad[1]+4*e, sign*j.Differences.Mid[i+1]+j.Differences.Rad[i+1])
	return most > j.tangents[0].Beyond
}

// Gap bounds by how much the score of lane a, with combination z, exceeds that of lane b; the bound is at least the cutoff.
// It leaves a form in column a of Batch.Pairs. The result above bounds by how much that form exceeds its tangent; it is −1
// if the form does not.
//
// If the form with neurons' differences gives a tighter bound, mostly in large boxes, it returns that bound.
func (j *Joint) Gap(z, a, b int) (most, above float64) {
	most = 1
	if j.tried < 8 || 8*j.better >= j.tried {
		j.tried++
		t, up := j.tangent(a, b, true)
		j.Shown[z] = t
		if up <= t.Beyond {
			j.better++
			return j.cutoff, -1
		}
		most = t.Most(up)
	}
	t, up := j.tangent(a, b, false)
	j.Shown[z] = t
	if up <= t.Beyond {
		return j.cutoff, -1
	}
	if of := t.Most(up); of <= most {
		most = of
	} else {
		j.better++
	}
	return most, up - t.Beyond + j.ClipError() + 0x1p-50*(math.Abs(up)+math.Abs(t.Beyond))
}

// tangent finds the tangent that the lanes exceed least, and returns a bound of its Up·p − Down·q. It uses
// Batch.Joint's bounds of the logits of lanes a and b, with or without neurons' differences, and leaves the form in
// column a of Batch.Pairs.
func (j *Joint) tangent(a, b int, differences bool) (least notion.Tangent, most float64) {
	both, room := j.Batch.Joint(a, b, j.Lanes, differences), math.Inf(-1)
	for _, t := range j.tangents {
		if m := both.Most(t.Up, t.Down); t.Beyond-m > room {
			room, most, least = t.Beyond-m, m, t
		}
	}
	both.Form(least.Up, least.Down)
	return least, most
}

// Yield is the benefit of joint bounds: how far nodes' bounds were above the cutoff before and after, summed with more
// weight on recent rounds.
type Yield struct{ Before, After float64 }

// Fade reduces the weight of past rounds.
func (y *Yield) Fade() { y.Before, y.After = fading*y.Before, fading*y.After }

// Add sets y to the sum of both yields.
func (y *Yield) Add(z Yield) { y.Before, y.After = y.Before+z.Before, y.After+z.After }

// Pays reports whether joint bounds are worth their cost for all nodes.
func (y *Yield) Pays() bool { return y.After < paying*y.Before }

const (
	paying = 0.6 // largest share of Before that may remain
	fading = 0.9 // weight of a round in the next
)
