package quantify

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Plane has the shares by the values of two features together.
type Plane struct {
	// X and Y have the features' places in the space and their slices.
	X, Y Feature
	// Cells has the shares of individuals with values in both slices, indexed by Y's and then by X's.
	Cells [][]Slice
}

// WrittenPlane is Plane as results show it.
type WrittenPlane struct {
	// The first feature.
	X string `json:"x"`
	// The second feature.
	Y string `json:"y"`
	// Labels of the first feature's values, or of up to 20 ranges.
	XValues []string `json:"x_values"`
	// Labels of the second feature's values, or of up to 20 ranges.
	YValues []string `json:"y_values"`
	// The proved unfair share of the individuals with both values, by values of y and then of x.
	Unfair [][]float64 `json:"unfair"`
	// The undecided share of the same individuals.
	Undecided [][]float64 `json:"undecided"`
}

// maxPlane is the largest number of slices on a side of a plane, missing values apart.
const maxPlane = 20

// plane adds up pieces by two features.
type plane struct {
	Plane
	outside [][]float64
}

// newPlane picks the two features that best separate fair from unfair among the evaluated
// individuals; nil if fewer than two have several values.
func newPlane(t *tally, known []settled) *plane {
	region := t.q.RegionOrWhole()
	type candidate struct {
		Feature
		tells float64
	}
	var all []candidate
	for n := range t.features {
		i := t.features[n].Index
		f := Feature{Index: i, Slices: slicesUpTo(&t.q.Space.Features[i], region.Box[i], maxPlane)}
		if len(f.Slices) > 1 {
			all = append(all, candidate{f, f.tells(known)})
		}
	}
	if len(all) < 2 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.tells, a.tells) })
	p := &plane{Plane: Plane{X: all[0].Feature, Y: all[1].Feature}}
	for _, y := range p.Y.Slices {
		row := make([]Slice, len(p.X.Slices))
		for k := range row {
			row[k].Interval = y.Interval
		}
		p.Cells, p.outside = append(p.Cells, row), append(p.outside, make([]float64, len(row)))
	}
	return p
}

// tells is the sum of squares between a feature's slices: how well they separate fair from unfair.
func (f *Feature) tells(known []settled) (sum float64) {
	n, unfair, all := make([]float64, len(f.Slices)), make([]float64, len(f.Slices)), 0.0
	for i := range known {
		k := f.of(known[i].x[f.Index])
		if n[k]++; known[i].unfair {
			unfair[k]++
			all++
		}
	}
	all /= float64(max(1, len(known)))
	for k := range n {
		if n[k] > 0 {
			sum += n[k] * math.Pow(unfair[k]/n[k]-all, 2)
		}
	}
	return sum
}

// of returns the index of the slice that contains a value.
func (f *Feature) of(v float64) int {
	k, _ := slices.BinarySearchFunc(f.Slices, v, func(s Slice, v float64) int { return cmp.Compare(s.Hi, v) })
	return min(k, len(f.Slices)-1)
}

// add counts a piece as tally.add does, cell by cell.
func (p *plane) add(t *tally, piece *sdk.Piece, share, fair, unfair, nobody float64) {
	region := t.q.RegionOrWhole()
	side := func(f *Feature) (side space.Interval, discrete bool, of float64) {
		side, discrete = piece.Box[f.Index], t.q.Space.Features[f.Index].Discrete()
		return side, discrete, part(side, region.Box[f.Index], discrete)
	}
	sideX, discreteX, ofX := side(&p.X)
	sideY, discreteY, ofY := side(&p.Y)
	others := share / ofX / ofY
	firstX, lastX := p.X.meets(sideX, discreteX)
	firstY, lastY := p.Y.meets(sideY, discreteY)
	for y := firstY; y <= lastY; y++ {
		sliceY := p.Y.Slices[y].Interval
		withinY, weightY := part(sliceY, sideY, discreteY), part(sideY, sliceY, discreteY)
		for x := firstX; x <= lastX && withinY > 0; x++ {
			sliceX := p.X.Slices[x].Interval
			within := withinY * part(sliceX, sideX, discreteX)
			if within == 0 {
				continue
			}
			weight := others * weightY * part(sideX, sliceX, discreteX)
			c := &p.Cells[y][x]
			c.Fair += weight * least(fair, within)
			c.Unfair += weight * least(unfair, within)
			p.outside[y][x] += weight * least(nobody, within)
		}
	}
}

// result returns the plane with shares of the points that may be individuals.
func (p *plane) result() *Plane {
	for y := range p.Cells {
		for x := range p.Cells[y] {
			p.Cells[y][x].close(p.outside[y][x])
		}
	}
	return &p.Plane
}

// written converts the plane for results, with the space's names.
func (p *Plane) written(s *space.Space) *WrittenPlane {
	x, y := &s.Features[p.X.Index], &s.Features[p.Y.Index]
	out := &WrittenPlane{X: x.Name, Y: y.Name}
	for _, slice := range p.X.Slices {
		out.XValues = append(out.XValues, slice.label(x))
	}
	for row, slice := range p.Y.Slices {
		out.YValues = append(out.YValues, slice.label(y))
		unfair, undecided := make([]float64, len(p.X.Slices)), make([]float64, len(p.X.Slices))
		for k, c := range p.Cells[row] {
			unfair[k], undecided[k] = c.Unfair, c.Undecided
		}
		out.Unfair, out.Undecided = append(out.Unfair, unfair), append(out.Undecided, undecided)
	}
	return out
}

// label names the values of a slice.
func (s *Slice) label(f *space.Feature) string {
	if s.Hi > s.Lo {
		return f.Label(s.Lo) + ".." + f.Label(s.Hi)
	}
	return f.Label(s.Lo)
}
