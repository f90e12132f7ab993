// Package encode lowers a fairness query to a problem in a solver's form: rows and
// columns, or a script. Each lowering says whether it is exact, and has Decode
// (from an answer to the copies) and Lift (from copies to start values).
package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Fidelity says how the lowered problem's points relate to the query's.
type Fidelity uint8

const (
	// Exact admits the same points, up to the solver's arithmetic.
	Exact Fidelity = iota + 1
	// Over admits a superset. Infeasible still proves fair; a point must be replayed.
	Over
	// Under admits a subset. A point is a witness; infeasible proves nothing.
	Under
)

// String gives the name used in messages.
func (f Fidelity) String() string {
	return named.Of(f, "exact", "over-approximation", "under-approximation")
}

// Lowered is a query in the MILP form: copies of the model that share the
// non-protected features, without rows for the fairness notion. Those rows are
// deltas, so that one loaded problem serves every question.
type Lowered struct {
	Problem  *problem.Problem
	Fidelity Fidelity
	// Logits are the columns of the copies' logits, in order.
	Logits []int
	// Slack is a free column that appears in no row: rows added later may use it as
	// a common margin to be maximised.
	Slack int
	// Sensitivity bounds how far a copy's logit column may lie from the true
	// logit, per unit by which each row, bound and integer value may be violated.
	// Its product with a solver's tolerance is the tolerance of claims in logits.
	Sensitivity float64

	query  *problem.Query
	bounds *bound.Bounds
	copies []copyColumns
	// edges and separators put the copies of a query for many bins into bins.
	edges      edges
	separators [][]int
}

// Region is the region that was lowered.
func (l *Lowered) Region() space.Region { return l.query.RegionOrWhole() }

// Decode turns an answer into the nearest points of the region, one for each copy.
// It repairs what the solver's tolerance left: values near an integer, beyond a
// bound or, in a relaxed feature, too far from the first copy.
func (l *Lowered) Decode(values []problem.Number) ([][]float64, error) {
	if len(values) != len(l.Problem.MILP.Columns) {
		return nil, fmt.Errorf("%d values for %d columns", len(values), len(l.Problem.MILP.Columns))
	}
	v := make([]float64, len(values))
	for i := range values {
		v[i] = values[i].Float64()
		if math.IsNaN(v[i]) {
			return nil, fmt.Errorf("column %s is NaN", l.Problem.MILP.Columns[i].Name)
		}
	}
	points := make([][]float64, len(l.copies))
	for c := range l.copies {
		points[c] = make([]float64, len(l.query.Space.Features))
		for i := range points[c] {
			points[c][i] = l.copies[c].features[i].decode(v)
		}
	}
	mend(l.query, points)
	return points, nil
}

// Witness is Decode for a query with two copies.
func (l *Lowered) Witness(values []problem.Number) (*sdk.Witness, error) {
	return witness(l.Decode(values))
}

func witness(points [][]float64, err error) (*sdk.Witness, error) {
	if err != nil {
		return nil, err
	}
	if len(points) != 2 {
		return nil, fmt.Errorf("a query with %d copies has no witness; want 2 copies", len(points))
	}
	return &sdk.Witness{Copy1: points[0], Copy2: points[1]}, nil
}

// Lift turns points of the region, one per copy, into start values. They are NaN for
// the slack, for auxiliary columns of constraints, and for the separators unless the
// points lie in bins of increasing order.
func (l *Lowered) Lift(points [][]float64) ([]float64, error) {
	if len(points) != len(l.copies) {
		return nil, fmt.Errorf("%d points for %d copies", len(points), len(l.copies))
	}
	start := make([]float64, len(l.Problem.MILP.Columns))
	for i := range start {
		start[i] = math.NaN()
	}
	for c, point := range points {
		for i := range point {
			l.copies[c].features[i].lift(point[i], start)
		}
		inputs := l.query.Space.NetworkInputs(nil, point)
		l.copies[c].lift(inputs, start)
		start[l.Logits[c]] = l.query.Model.Logit(inputs)
	}
	l.liftSeparators(start)
	return start, nil
}

// copyColumns are the columns of one copy of the model.
type copyColumns struct {
	features []featureColumns
	// lift fills in the start values of the model's columns.
	lift func(inputs, start []float64)
}
