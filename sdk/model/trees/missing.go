package trees

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// Coded returns the ensemble for the points of a space, in which a number above all values stands for a
// missing value. At most one more border per comparison, below that number, sends it to the side of missing
// values. If no feature may be missing, Coded returns e.
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

// code changes a comparison so that inputs greater than cut go where missing values go. Smaller inputs go
// where they went.
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

// Absent returns the ensemble in which value means missing in all inputs, as in XGBoost with missing=value or, for
// 0, with rows of a sparse matrix. An input counts as value if single precision rounds it to value.
func (e *Ensemble) Absent(value float32) *Ensemble {
	if value == 0 {
		value = 0 // not −0, which has other neighbours
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

// absent makes a comparison send inputs that are rounded to value, between two borders around it, to the side of
// missing values. All other inputs go where they went.
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

// at converts a border to the node's own Closed: it returns a border that splits the float64 numbers as the
// given one does with closed.
func (n *Node) at(border float64, closed bool) float64 {
	switch {
	case n.Closed == closed:
		return border
	case closed:
		return math.Nextafter(border, math.Inf(1))
	}
	return math.Nextafter(border, math.Inf(-1))
}
