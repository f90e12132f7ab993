package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Enclose bounds the model over all copies of a query's individuals, and the difference of
// two copies of one individual.
func Enclose(q *problem.Query, by bound.Method) *bound.Bounds {
	b := by.Bound(q.Model, bound.Inputs(q.Space, RelaxedRegion(q)))
	b.Difference = Difference(q, b)
	return b
}

// Difference bounds the difference of two copies of one individual of the query. b must
// enclose the model over RelaxedRegion(q).
func Difference(q *problem.Query, b *bound.Bounds) *bound.Difference {
	tolerances := make([]float64, len(q.Space.Features))
	for i := range tolerances {
		tolerances[i], _ = q.Tolerance(i)
	}
	return bound.Differences(q.Model, q.Space, RelaxedRegion(q), tolerances, b)
}

// logitsApart returns the largest distance between two copies' logits. ok reports that it is
// less than half the width of a logit's enclosure; otherwise a row is not worth its cost.
func logitsApart(b *bound.Bounds) (most float64, ok bool) {
	most = b.Apart()
	return most, most < (b.Logit.Hi-b.Logit.Lo)/2
}

// remember keeps the value before the activation of neuron j of layer k, in the
// copy being added.
func (e *reluRows) remember(k, j int, y form) {
	layers := e.before[len(e.before)-1]
	if layers[k] == nil {
		layers[k] = make([]form, e.n.Layers[k].Out)
	}
	layers[k][j] = clone(y)
}

// relate relates the copies of each neuron. With δ = y1 − y2 in [a, b]
// and d = x1 − x2 the difference after the ReLU, which is monotone and never
// moves further than its argument:
//
//	a < 0 < b:  a·(b − δ)/(b − a) ≤ d ≤ b·(δ − a)/(b − a),  a ≤ δ ≤ b
//	a ≥ 0:      0 ≤ d ≤ δ
//	b ≤ 0:      δ ≤ d ≤ 0
//
// The first line is the convex hull of d over δ if nothing else is known about y1
// and y2; it does not hold in the other two cases.
func (e *reluRows) relate() {
	if e.differences == nil {
		return
	}
	for k := range e.n.Layers {
		if !e.n.Layers[k].ReLU {
			continue
		}
		for j, iv := range e.differences.Pre[k] {
			one, two := e.columns[0][k][j], e.columns[1][k][j]
			if one.value < 0 || two.value < 0 || one.phase < 0 || one == two {
				continue // a constant, d = δ already, or one neuron
			}
			delta := clone(e.before[0][k][j])
			delta.plus(e.before[1][k][j], -1)
			var d form
			d.add(one.value, 1)
			d.add(two.value, -1)
			e.difference(fmt.Sprintf("n%d.%d difference", k+1, j+1), delta, d, iv, k > 0)
		}
	}
}

// difference adds the rows of one neuron; deep neurons also get a ≤ δ ≤ b,
// which in the first layer the inputs' own bounds imply.
func (e *reluRows) difference(name string, delta, d form, iv space.Interval, deep bool) {
	a, b := iv.Lo, iv.Hi
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return
	}
	upTo := func(slope, constant float64) { // d ≤ slope·δ + constant
		row := clone(d)
		row.plus(delta, -slope)
		e.row(name+" above", row, math.Inf(-1), constant)
	}
	from := func(slope, constant float64) { // d ≥ slope·δ + constant
		row := clone(d)
		row.plus(delta, -slope)
		e.row(name+" below", row, constant, math.Inf(1))
	}
	switch {
	case a >= 0:
		upTo(1, 0)
		e.row(name+" sign", clone(d), 0, math.Inf(1))
	case b <= 0:
		from(1, 0)
		e.row(name+" sign", clone(d), math.Inf(-1), 0)
	default:
		upTo(b/(b-a), -a*b/(b-a))
		from(-a/(b-a), a*b/(b-a))
	}
	if deep {
		e.row(name, clone(delta), a, b)
	}
}
