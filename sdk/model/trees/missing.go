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
	if borders == nil { // everybody goes left
		borders = []float64{math.MaxFloat64}
	}
	n.Value, n.More = borders[0], borders[1:]
}
