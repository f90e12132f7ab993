package trees

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// Coded is the ensemble for the points of a space: where a feature may be missing, borders say where
// the input goes that stands for that. It is above all others, so one more border at most, between it and
// them, makes a comparison of numbers tell both. Without such features it is the ensemble itself.
func (e *Ensemble) Coded(s *space.Space) *Ensemble {
	cuts := map[int32]float64{}
	for i := range s.Features {
		if f := &s.Features[i]; f.Missing {
			below, above := f.Beside()
			cuts[int32(f.Inputs[0].Index)] = below + (above-below)/2
		}
	}
	if len(cuts) == 0 {
		return e
	}
	out := &Ensemble{Columns: e.Columns, Output: e.Output, Base: e.Base}
	for _, t := range e.Trees {
		t = slices.Clone(t)
		for i := range t {
			if cut, ok := cuts[t[i].Input]; ok {
				t[i].code(cut)
			}
		}
		out.Trees = append(out.Trees, t)
	}
	return out
}

// code makes a comparison send what is above the border cut to where it sends what is missing.
func (n *Node) code(cut float64) {
	var borders []float64
	n.Borders(func(b float64) {
		if b < cut {
			borders = append(borders, b)
		}
	})
	if goesLeft := len(borders)%2 == 0; goesLeft != n.Missing {
		borders = append(borders, cut)
	}
	if borders == nil { // every input goes left
		borders = []float64{math.MaxFloat64}
	}
	n.Value, n.More = borders[0], borders[1:]
}

// Absent is the ensemble that takes value for a missing value in all inputs, as XGBoost does where missing= said so
// and, with 0, where inputs were the rows of a sparse matrix. Inputs count as value that are
// rounded to it in single precision.
func (e *Ensemble) Absent(value float32) *Ensemble {
	if value == 0 {
		value = 0 // and not −0, whose neighbours are others
	}
	out := &Ensemble{Columns: e.Columns, Output: e.Output, Base: e.Base}
	for _, t := range e.Trees {
		t = slices.Clone(t)
		for i := range t {
			if !t[i].IsLeaf() {
				t[i].absent(value)
			}
		}
		out.Trees = append(out.Trees, t)
	}
	return out
}

// absent makes a comparison send an input that is rounded to value to where it sends what is missing: between two
// borders around it, and everything else to where it went.
func (n *Node) absent(value float32) {
	least, most := n.at(Rounded(value, false)), n.at(Rounded(value, true))
	var below, above []float64
	before, behind := true, true // whether inputs just below value, and just above, go left
	n.Borders(func(b float64) {
		if b < least {
			below, before = append(below, b), !before
		}
		if b <= most {
			behind = !behind
		} else {
			above = append(above, b)
		}
	})
	if before != n.Missing {
		below = append(below, least)
	}
	if behind != n.Missing {
		below = append(below, most)
	}
	if below = append(below, above...); len(below) == 0 { // every input goes left
		below = []float64{math.MaxFloat64}
	}
	n.Value, n.More = below[0], below[1:]
}

// at is a border of the node that splits float64 numbers as border does, on which an input goes left where closed
// is set.
func (n *Node) at(border float64, closed bool) float64 {
	switch {
	case n.Closed == closed:
		return border
	case closed:
		return math.Nextafter(border, math.Inf(1))
	}
	return math.Nextafter(border, math.Inf(-1))
}
