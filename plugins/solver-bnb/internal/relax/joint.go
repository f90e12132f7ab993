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
	// Of the task's gaps: how many were bounded by neurons' differences, too, and how many the better for it. Less than one in
	// eight ends it.
	tried, better int
}

// Aim has gaps above a cutoff bounded from now on.
func (j *Joint) Aim(cutoff float64) {
	j.tangents = notion.Tangents(cutoff, j.tangents[:0])
	j.cutoff, j.tried, j.better = cutoff, 0, 0
}

// Idle reports that the cutoff has no tangents.
func (j *Joint) Idle() bool { return len(j.tangents) == 0 }

// Lead reports whether the logit of lane z of a slot, of two, may be as far above the other's as a gap above the cutoff needs.
func (j *Joint) Lead(slot, z int) bool {
	i, e := slot*j.Lanes, j.Error
	mid, rad := j.Batch.Mid()[i:i+2], j.Batch.Rad()[i:i+2]
	sign := float64(2*z - 1) // differences are from the first
	most := min(mid[z]-mid[1-z]+rad[0]+rad[1]+4*e, sign*j.Differences.Mid[i+1]+j.Differences.Rad[i+1])
	return most > j.tangents[0].Beyond
}

// Gap bounds by how much the score of lane a, of combination z, is above that of lane b, at least by the cutoff, and by how
// much the form that it leaves in column a of Pairs is above its tangent: −1 where it is not.
//
// Where neurons' differences alone say more, mostly in large boxes, the bound is theirs.
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

// tangent finds the tangent beyond which least of what the lanes hold is, by what is known of the logits
// of lanes a and b, with differences by Joint, and bounds its Up·p − Down·q, whose form it leaves in column a of Pairs.
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

// Yield is what joint bounds bring: by how much nodes' bounds were above the cutoff before and after, in sums of which the latest
// rounds make up the most.
type Yield struct{ Before, After float64 }

// Fade has past rounds count less.
func (y *Yield) Fade() { y.Before, y.After = fading*y.Before, fading*y.After }

// Add adds another's.
func (y *Yield) Add(z Yield) { y.Before, y.After = y.Before+z.Before, y.After+z.After }

// Pays reports whether so little is left that all nodes are worth it.
func (y *Yield) Pays() bool { return y.After < paying*y.Before }

const (
	paying = 0.6 // the share of what bounds were above the cutoff that may be left
	fading = 0.9 // what counts of a round in the next
)
