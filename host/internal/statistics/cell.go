package statistics

import (
	"math"
	"slices"
)

// Cell is a measure of one arm over its runs: a field of a table. Mean is over the
// runs with a value, and nil if there are none; SD (n − 1) is nil for fewer than two.
type Cell struct {
	// The mean over the runs with a value; null if there are none.
	Mean *float64 `json:"mean"`
	// The standard deviation of these; null without one.
	SD *float64 `json:"sd"`
	// The values by run; null for a run that found nothing.
	Values []*float64 `json:"values"`
	// The arm is significantly better than every other arm, or than the control (docs/reference/semantics.md).
	Bold bool `json:"bold"`
	// The arm is significantly worse than the control; absent without a control.
	Worse bool `json:"worse,omitempty"`
	// The comparison with each other arm; absent for a measure that is not tested.
	Against []Against `json:"against,omitempty"`
	// The median; null without a value.
	Median *float64 `json:"median"`
	// The bootstrapped 95 % interval of the mean; null for fewer than two values.
	MeanCI *Interval `json:"mean_ci"`
	// The bootstrapped 95 % interval of the median; null for fewer than two values.
	MedianCI *Interval `json:"median_ci"`
}

// Against is the test of a cell against that of another arm.
type Against struct {
	// The other arm's name.
	Arm string `json:"arm"`
	// The p of the Mann-Whitney U test.
	P float64 `json:"p"`
	// The p after Holm's correction for the number of tested pairs of arms.
	PHolm float64 `json:"p_holm"`
	// The probability of doing better than the other arm; ties count half.
	A12 float64 `json:"a12"`
}

// The rule for bold cells, as in docs/reference/semantics.md.
const (
	// MinRunsForBold is the least number of runs of each arm.
	MinRunsForBold = 5
	// Significance is the bound that the corrected p must be below.
	Significance = 0.05
)

// Of returns the cell of these values, one per run. The fields of tests stay unset: see Test.
func Of(values []*float64) Cell {
	var known []float64
	for _, v := range values {
		if v != nil {
			known = append(known, *v)
		}
	}
	c := Cell{Values: values, Mean: Finite(Mean(known)), SD: Finite(SD(known)), Median: Finite(Median(known))}
	c.MeanCI, c.MedianCI = bootstrap(known)
	return c
}

// Finite returns a pointer to v; nil for NaN.
func Finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Test tests each cell of a measure against those of all other arms, or against the control's,
// and decides which is bold. arms are the cells' names, and control is an index in them, or
// negative for none. values are each cell's runs for the tests, including a substitute for runs
// without a value. Larger values are better: negate a measure that should be small.
func Test(cells []*Cell, arms []string, values [][]float64, control int) {
	var pairs [][2]int
	var p []float64
	for i := range values {
		for k := range i {
			if len(values[i]) > 0 && len(values[k]) > 0 && (control < 0 || i == control || k == control) {
				pairs, p = append(pairs, [2]int{i, k}), append(p, MannWhitney(values[i], values[k]))
			}
		}
	}
	against := make([][]*Against, len(values)) // by the index of the other
	for i := range against {
		against[i] = make([]*Against, len(values))
	}
	for n, adjusted := range Holm(p) {
		i, k := pairs[n][0], pairs[n][1]
		against[i][k] = &Against{arms[k], p[n], adjusted, A12(values[i], values[k])}
		against[k][i] = &Against{arms[i], p[n], adjusted, A12(values[k], values[i])}
	}
	enough := !slices.ContainsFunc(values, func(runs []float64) bool { return len(runs) < MinRunsForBold })
	for i, cell := range cells {
		cell.Bold = enough && len(cells) > 1 && cell.Mean != nil && i != control
		for _, a := range against[i] {
			if a != nil {
				cell.Against = append(cell.Against, *a)
				cell.Bold = cell.Bold && a.Better()
				cell.Worse = control >= 0 && i != control && enough && a.Worse()
			}
		}
	}
}

// Better reports whether the cell is significantly better than the other.
func (a *Against) Better() bool { return a.PHolm < Significance && a.A12 > 0.5 }

// Worse reports whether the cell is significantly worse than the other.
func (a *Against) Worse() bool { return a.PHolm < Significance && a.A12 < 0.5 }
