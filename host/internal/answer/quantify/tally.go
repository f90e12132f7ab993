package quantify

import (
	"math"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Map is what the pieces say together.
type Map struct {
	// Pieces counts them by claim.
	Pieces map[sdk.PieceClaim]int64
	// Covered is the share of the region's box that they make up: below 1 where
	// the solver was stopped before it had handed over all of them.
	Covered float64
	// Features has the shares by the values of each non-protected feature, in the
	// space's order.
	Features []Feature
	// Plane is nil in a space with fewer than two features that are not protected.
	Plane *Plane
}

// Feature is the shares by one feature's values.
type Feature struct {
	// Index of the feature in the space.
	Index  int
	Slices []Slice
}

// Slice is the individuals with one value, or with values of an interval.
type Slice struct {
	space.Interval
	// Fair and Unfair are lower bounds of the shares of the slice's individuals,
	// in float64; Undecided is what they leave of 1.
	Fair, Unfair, Undecided float64
}

// maxSlices is how many slices a feature has at most; one of more values has
// slices of several.
const maxSlices = 64

// tally adds up pieces, slice by slice.
type tally struct {
	q *problem.Query
	// features has the points of a feature's slice that are fair and unfair, and
	// outside those that are no individuals, as shares of the slice.
	features []Feature
	outside  [][]float64
	pieces   map[sdk.PieceClaim]int64
	covered  float64
	plane    *plane // nil: none
	// points may still be evaluated one by one; see mixed.
	points int
}

const (
	// maxPoints bounds the points of a piece that are evaluated one by one, and
	// allPoints those of all pieces: some seconds' work.
	maxPoints = 1 << 12
	allPoints = 1 << 20
)

func newTally(q *problem.Query) *tally {
	t := &tally{q: q, pieces: map[sdk.PieceClaim]int64{}, points: allPoints}
	region := q.RegionOrWhole()
	for _, i := range q.Space.Free() {
		f := Feature{Index: i, Slices: slicesUpTo(&q.Space.Features[i], region.Box[i], maxSlices)}
		t.features = append(t.features, f)
		t.outside = append(t.outside, make([]float64, len(f.Slices)))
	}
	return t
}

// slicesUpTo cuts an interval of a feature into as many slices at most, not counting that of a missing number.
func slicesUpTo(f *space.Feature, iv space.Interval, most float64) []Slice {
	if numbers := iv.Intersect(f.Numbers()); numbers != iv && !numbers.Empty() {
		return append(slicesUpTo(f, numbers, most), Slice{Interval: space.Interval{Lo: iv.Hi, Hi: iv.Hi}})
	}
	if !f.Discrete() {
		const parts = 10
		if iv.Lo == iv.Hi {
			return []Slice{{Interval: iv}}
		}
		out := make([]Slice, parts)
		for k := range out {
			at := func(k int) float64 { return iv.Lo + (iv.Hi-iv.Lo)*float64(k)/parts }
			out[k].Interval = space.Interval{Lo: at(k), Hi: at(k + 1)}
		}
		out[parts-1].Hi = iv.Hi
		return out
	}
	values := iv.Hi - iv.Lo + 1
	step := math.Ceil(values / most)
	var out []Slice
	for v := iv.Lo; v <= iv.Hi; v += step {
		out = append(out, Slice{Interval: space.Interval{Lo: v, Hi: math.Min(v+step-1, iv.Hi)}})
	}
	return out
}

// size is how many values, or how much length, an interval has.
func size(iv space.Interval, discrete bool) float64 {
	if discrete {
		return max(0, iv.Hi-iv.Lo+1)
	}
	return max(0, iv.Hi-iv.Lo)
}

// part is the share of the outer interval that the common part is; all of an
// outer interval that is a single point.
func part(inner, outer space.Interval, discrete bool) float64 {
	common := space.Interval{Lo: max(inner.Lo, outer.Lo), Hi: min(inner.Hi, outer.Hi)}
	if common.Empty() {
		return 0
	}
	if whole := size(outer, discrete); whole > 0 {
		return size(common, discrete) / whole
	}
	return 1
}

// measure is the share of the region's points that a piece has, and how many
// they are.
func (t *tally) measure(p *sdk.Piece) (share, points float64) {
	region := t.q.RegionOrWhole()
	share, points = 1.0, 1.0
	for n := range t.features {
		i := t.features[n].Index
		discrete := t.q.Space.Features[i].Discrete()
		share *= part(p.Box[i], region.Box[i], discrete)
		points *= size(p.Box[i], discrete)
	}
	return share, points
}

// mixed reports a piece of which the points are worth evaluating, since its numbers
// do not say where in it they lie; it says how many of them may be.
func (t *tally) mixed(p *sdk.Piece) (most int, ok bool) {
	if p.Claim != sdk.PieceUndecided || p.Fair == nil || p.Unfair == nil || p.Fair.Sign()+p.Unfair.Sign() == 0 {
		return 0, false
	}
	return min(maxPoints, t.points), true
}

// addEach counts a piece whose points were evaluated.
func (t *tally) addEach(p *sdk.Piece, xs [][]float64, verdicts []individual.Verdict) {
	t.pieces[p.Claim]++
	t.points -= len(xs)
	share, points := t.measure(p)
	t.covered += share
	one := share / points
	region := t.q.RegionOrWhole()
	for n := range t.features {
		f := &t.features[n]
		all := size(region.Box[f.Index], true)
		step := size(f.Slices[0].Interval, true)
		for at, x := range xs {
			k := int((x[f.Index] - region.Box[f.Index].Lo) / step)
			s := &f.Slices[k]
			s.count(verdicts[at], one*all/size(s.Interval, true), &t.outside[n][k])
		}
	}
	if p := t.plane; p != nil {
		x, y := region.Box[p.X.Index], region.Box[p.Y.Index]
		all := one * size(x, true) * size(y, true)
		for at, point := range xs {
			row, column := p.Y.of(point[p.Y.Index]), p.X.of(point[p.X.Index])
			cell := size(p.X.Slices[column].Interval, true) * size(p.Y.Slices[row].Interval, true)
			p.Cells[row][column].count(verdicts[at], all/cell, &p.outside[row][column])
		}
	}
}

// count takes one point in, of this weight.
func (s *Slice) count(v individual.Verdict, weight float64, outside *float64) {
	switch v {
	case individual.Fair:
		s.Fair += weight
	case individual.Unfair:
		s.Unfair += weight
	default:
		*outside += weight
	}
}

// add counts a piece. Of a piece with numbers between nothing and all, it is not
// known where in it the individuals lie: a slice of it has at least those that
// the rest of the piece cannot hold.
func (t *tally) add(p *sdk.Piece) {
	t.pieces[p.Claim]++
	region := t.q.RegionOrWhole()
	share, points := t.measure(p)
	t.covered += share
	fair, unfair, nobody := t.parts(p, points)
	if fair+unfair+nobody == 0 || share == 0 {
		return
	}
	for n := range t.features {
		f := &t.features[n]
		discrete := t.q.Space.Features[f.Index].Discrete()
		side := p.Box[f.Index]
		others := share / part(side, region.Box[f.Index], discrete)
		first, last := f.meets(side, discrete)
		for k := first; k <= last; k++ {
			s := &f.Slices[k]
			within := part(s.Interval, side, discrete) // of the piece
			if within == 0 {
				continue
			}
			weight := others * part(side, s.Interval, discrete)
			s.Fair += weight * least(fair, within)
			s.Unfair += weight * least(unfair, within)
			t.outside[n][k] += weight * least(nobody, within)
		}
	}
	if t.plane != nil {
		t.plane.add(t, p, share, fair, unfair, nobody)
	}
}

// least is the share of a part that a share of the whole has there at least.
func least(all, within float64) float64 { return max(0, all-(1-within)) / within }

// meets is the range of slices outside of which a side has nothing: pieces come by
// the million, and most meet few.
func (f *Feature) meets(side space.Interval, discrete bool) (first, last int) {
	last = len(f.Slices) - 1
	if !discrete {
		return 0, last
	}
	return f.of(side.Lo), f.of(side.Hi)
}

// parts are the shares of a piece's points that are known to be fair, unfair,
// and no individuals.
func (t *tally) parts(p *sdk.Piece, points float64) (fair, unfair, nobody float64) {
	if p.Fair == nil || p.Unfair == nil || t.q.Space.HasReals() {
		switch p.Claim {
		case sdk.PieceFair:
			fair = 1
		case sdk.PieceUnfair:
			unfair = 1
		case sdk.PieceOutside:
			nobody = 1
		}
		return fair, unfair, nobody
	}
	f, _ := p.Fair.Float64()
	u, _ := p.Unfair.Float64()
	fair, unfair = math.Min(1, f/points), math.Min(1, u/points)
	if p.Claim != sdk.PieceUndecided {
		nobody = math.Max(0, 1-fair-unfair)
	}
	return fair, unfair, nobody
}

// result is the map. Shares are of a slice's points that may be individuals.
func (t *tally) result() *Map {
	for n := range t.features {
		for k := range t.features[n].Slices {
			t.features[n].Slices[k].close(t.outside[n][k])
		}
	}
	m := &Map{Pieces: t.pieces, Covered: t.covered, Features: t.features}
	if t.plane != nil {
		m.Plane = t.plane.result()
	}
	if math.Abs(m.Covered-1) < rounding {
		m.Covered = 1
	}
	return m
}

// close turns what was added up into shares of those who may be individuals.
func (s *Slice) close(outside float64) {
	if people := 1 - outside; people > rounding {
		s.Fair, s.Unfair = math.Min(1, s.Fair/people), math.Min(1, s.Unfair/people)
	}
	if s.Undecided = 1 - s.Fair - s.Unfair; s.Undecided < rounding {
		s.Undecided = 0
		if s.Fair > s.Unfair {
			s.Fair = 1 - s.Unfair
		} else {
			s.Unfair = 1 - s.Fair
		}
	}
}

// rounding is more than adding up shares in float64 leaves.
const rounding = 1e-9
