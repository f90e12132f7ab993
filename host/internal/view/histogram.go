package view

import (
	"cmp"
	"slices"
)

// Bin is a bin of a histogram.
type Bin struct {
	// The lower end.
	From float64 `json:"from"`
	// The upper end.
	To float64 `json:"to"`
	// The number counted.
	N int `json:"n"`
}

// Histogram returns a figure of the bins.
func Histogram(name, title string, x, y Axis, bins []Bin) *Figure {
	s, most := Series{Shade: 0.6, Apart: 0.05, Boxes: []Box{}}, 1.0
	for i, b := range bins {
		if i == 0 {
			x.Min, x.Max = b.From, b.To
		}
		x.Min, x.Max, most = min(x.Min, b.From), max(x.Max, b.To), max(most, float64(b.N))
		if b.N > 0 {
			s.Boxes = append(s.Boxes, Box{Point{b.From, 0}, Point{b.To, float64(b.N)}})
		}
	}
	y.Max = 1.05 * most
	return &Figure{Name: name, Title: title, X: x, Y: y, Series: []Series{s}}
}

// GapBins counts the gaps, each from 0 to 1, in twenty bins of equal width.
func GapBins(gaps []float64) []Bin {
	const parts = 20
	bins := make([]Bin, parts)
	for i := range bins {
		bins[i].From, bins[i].To = float64(i)/parts, float64(i+1)/parts
	}
	for _, gap := range gaps {
		bins[min(max(int(gap*parts), 0), parts-1)].N++
	}
	return bins
}

// WholeBins returns a bin around each whole number, with its count.
func WholeBins(count map[int]int) (bins []Bin) {
	for k, n := range count {
		bins = append(bins, Bin{float64(k) - 0.5, float64(k) + 0.5, n})
	}
	slices.SortFunc(bins, func(a, b Bin) int { return cmp.Compare(a.From, b.From) })
	return bins
}
