package main

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-highs/internal/highs"
)

// startNodes bounds the branch-and-bound nodes spent to complete a start.
const startNodes = 500

// start passes the problem's start values to the model. If they are not a feasible point,
// it completes them first: it fixes the integer columns that have a start value and lets
// a short run find the rest. (HiGHS can do this itself, but if it fails it gives up the
// entire run, and meanwhile it reports bounds of the restricted problem.) It returns the
// number of nodes spent. Start values that lead to no point are not an error.
func (q *question) start(model *highs.Model, l *listener) (nodes int64, err error) {
	if q.MILP.Start == nil || !q.hasIntegers() {
		return 0, nil
	}
	point := q.WholeStart()
	if point == nil || !(q.MILP.Violation(point) <= q.settings[primalTolerance].Number) {
		if point, nodes, err = q.complete(model, l); err != nil {
			return 0, err
		}
	}
	if point == nil {
		return nodes, nil
	}
	columns := make([]int32, len(point))
	values := make([]float64, len(point))
	for i := range point {
		c := &q.MILP.Columns[i]
		// HiGHS refuses a start outside the bounds, even by rounding.
		columns[i], values[i] = int32(i), min(max(point[i], c.Lo), c.Hi)
	}
	if model.SetStart(columns, values) != nil {
		return nodes, model.Forget()
	}
	return nodes, nil
}

// complete looks for a feasible point that agrees with the start's integers.
func (q *question) complete(model *highs.Model, l *listener) ([]float64, int64, error) {
	var columns []int32
	var lo, hi, fixed []float64
	for i, v := range q.MILP.Start {
		c := &q.MILP.Columns[i]
		near := math.Round(v)
		if c.Integer && math.Abs(v-near) <= q.settings[mipTolerance].Number && near >= c.Lo && near <= c.Hi {
			columns, fixed = append(columns, int32(i)), append(fixed, near)
			lo, hi = append(lo, c.Lo), append(hi, c.Hi)
		}
	}
	if columns == nil {
		return nil, 0, nil
	}
	limited := q.Options
	limited.WorkLimit = startNodes
	if q.Options.WorkLimit > 0 {
		limited.WorkLimit = min(q.Options.WorkLimit, startNodes)
	}
	if err := q.settings.apply(model, limited, q.Left()); err != nil {
		return nil, 0, err
	}
	if err := model.ChangeBounds(columns, fixed, fixed); err != nil {
		return nil, 0, err
	}
	l.aside.Store(true)
	err := model.Run(l.event)
	l.aside.Store(false)
	point, nodes := model.Solution(), model.Nodes()
	if restore := model.ChangeBounds(columns, lo, hi); err == nil {
		err = restore
	}
	if err == nil {
		err = model.Forget()
	}
	return point, nodes, err
}
