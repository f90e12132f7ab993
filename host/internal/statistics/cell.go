package statistics

import (
	"math"
)

// Cell is a measure of one arm over its runs: a field of a table. Mean is over
// the runs that have a value, nil where none has; SD (n − 1) is nil below two
// values.
type Cell struct {
	Mean *float64 `json:"mean"`
	SD   *float64 `json:"sd"`
	// Values by run, null where nothing was found.
	Values []*float64 `json:"values"`
	// Bold: significantly better than every other arm (docs/semantics.md).
	Bold    bool      `json:"bold"`
	Against []Against `json:"against,omitempty"`
}

// Against is the test of a cell against that of another arm.
type Against struct {
	Arm string `json:"arm"`
	// P of the Mann-Whitney U test, and corrected after Holm for the number of
	// other arms.
	P     float64 `json:"p"`
	PHolm float64 `json:"p_holm"`
	// A12 is the probability to do better than the other arm, ties counting half.
	A12 float64 `json:"a12"`
}

// The rule for bold cells, of docs/semantics.md.
const (
	// MinRunsForBold is how many runs each arm needs.
	MinRunsForBold = 5
	// Significance is what the corrected p must stay below.
	Significance = 0.05
)

// Of makes a cell of its runs' values.
func Of(values []*float64) Cell {
	var known []float64
	for _, v := range values {
		if v != nil {
			known = append(known, *v)
		}
	}
	return Cell{Values: values, Mean: Finite(Mean(known)), SD: Finite(SD(known))}
}

// Finite points to v; nil for NaN.
func Finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Test tests each cell of a measure against those of all other arms and decides
// which is bold. arms are the cells' names, and values stand for each cell's
// runs in the tests, also for runs without a value, larger being better: a
// measure of which less is more comes negated.
func Test(cells []*Cell, arms []string, values [][]float64) {
	for i, cell := range cells {
		var p []float64
		for k := range values {
			if k == i || len(values[i]) == 0 || len(values[k]) == 0 {
				continue
			}
			p = append(p, MannWhitney(values[i], values[k]))
			cell.Against = append(cell.Against, Against{Arm: arms[k], P: p[len(p)-1], A12: A12(values[i], values[k])})
		}
		cell.Bold = len(p) > 0 && len(p) == len(values)-1 && cell.Mean != nil
		for k, adjusted := range Holm(p) {
			a := &cell.Against[k]
			a.PHolm = adjusted
			cell.Bold = cell.Bold && a.Better()
		}
		for k := range values {
			cell.Bold = cell.Bold && len(values[k]) >= MinRunsForBold
		}
	}
}

// Better reports that the cell is significantly better than the other.
func (a *Against) Better() bool { return a.PHolm < Significance && a.A12 > 0.5 }

// Worse reports that the cell is significantly worse than the other.
func (a *Against) Worse() bool { return a.PHolm < Significance && a.A12 < 0.5 }
