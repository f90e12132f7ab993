package quantify

import (
	"math"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Map sums up the pieces.
type Map struct {
	// Pieces counts the pieces by claim.
	Pieces map[sdk.PieceClaim]int64
	// Covered is the share of the region's box that the pieces cover: below 1 if the solver was
	// stopped before it had handed over all of them.
	Covered float64
	// Features has the shares by the values of each non-protected feature, in the
	// space's order.
	Features []Feature
	// Plane is nil in a space with fewer than two features that are not protected.
	Plane *Plane
}

// Feature has the shares by one feature's values.
type Feature struct {
	// Index is the feature's place in the space.
	Index  int
	Slices []Slice
}

// Slice has the shares of the individuals with one value, or with values in an interval.
type Slice struct {
	space.Interval
	// Fair and Unfair are lower bounds of the shares of the slice's individuals,
	// in float64; Undecided is the rest of 1.
	Fair, Unfair, Undecided float64
}

// maxSlices is the largest number of slices of a feature, missing values apart; with more
// values, slices hold several.
const maxSlices = 64

// tally adds up pieces, slice by slice.
type tally struct {
	q *problem.Query
	// features holds the sums of fair and unfair points by slice, and outside the sums of points
	// that are not individuals; all as shares of the slice.
	features []Feature
	outside  [][]float64
	pieces   map[sdk.PieceClaim]int64
	covered  float64
	plane    *plane // nil: none
	// points is the number of points that may still be evaluated one by one; see mixed.
	points int
}

const (
	// maxPoints bounds the points of a piece that are evaluated one by one, and
	// allPoints those of all pieces: a few seconds of work.
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

// slicesUpTo cuts an interval of a feature into slices. most bounds their number, apart from one
// more for missing numbers.
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

// size is the number of values in a discrete interval, or the length of a real one.
func size(iv space.Interval, discrete bool) float64 {
	if discrete {
		return max(0, iv.Hi-iv.Lo+1)
	}
	return max(0, iv.Hi-iv.Lo)
}

// part is the share of outer that inner covers; 1 if outer is a single point
// in inner.
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

// measure returns a piece's share of the region's points, and the number of its
// points.
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

// mixed reports whether a piece's points are worth evaluating, because its numbers do
// not say where in it individuals lie. most is the largest number of points to evaluate.
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

// count adds one point with this weight.
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

// add counts a piece. If only some of its points are fair or unfair, their places are
// not known: a slice gets at least those that the rest of the piece cannot hold.
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

// least returns a lower bound of a share within a part of a whole. all is the share in the whole;
// within is the part's size relative to the whole.
func least(all, within float64) float64 { return max(0, all-(1-within)) / within }

// meets returns the range of slices that a side can meet: pieces come by the million,
// and most meet few slices.
func (f *Feature) meets(side space.Interval, discrete bool) (first, last int) {
	last = len(f.Slices) - 1
	if !discrete {
		return 0, last
	}
	return f.of(side.Lo), f.of(side.Hi)
}

// parts returns the shares of a piece's points that are known to be fair, unfair,
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

// result returns the map, with shares of the points that may be individuals.
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

// close turns sums into shares of the points that may be individuals.
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

// rounding bounds the error of adding up shares in float64.
const rounding = 1e-9
