package encode

import (
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/problem"
)

// relaxedGain bounds how far a relaxed real feature of copy 2 may lie from its
// column, per unit by which columns and rows may be violated: one for its bound,
// and three, for the row and both columns, when Decode pulls it back to within the
// tolerance.
const relaxedGain = 4

// relaxations binds copy 2 to copy 1: each relaxed feature lies within its
// tolerance, and at least one protected value differs.
func (e *builder) relaxations(one, two []featureColumns) {
	if len(e.q.Relax) == 0 {
		return
	}
	for _, r := range e.q.Relax {
		f := e.q.Space.Features[r.Feature]
		if one[r.Feature].isConstant() || math.IsInf(r.Tolerance, 1) {
			continue // the region of copy 2 implies it, or there is no limit
		}
		apart := one[r.Feature].linear()
		apart.plus(two[r.Feature].linear(), -1)
		t := r.Tolerance
		if f.Discrete() {
			t = math.Floor(t)
		}
		e.row(f.Name+" apart", apart, -t, t)
	}
	var ways form
	for _, i := range e.q.Space.Protected() {
		ways.plus(e.differing(e.q.Space.Features[i].Name, &one[i], &two[i]), 1)
	}
	e.row("a protected value differs", ways, 1, math.Inf(1))
}

// differing returns a form over new columns that can be 1 if the copies differ in
// the feature, and is at most 0 if they do not.
func (e *builder) differing(name string, one, two *featureColumns) (ways form) {
	if one.isConstant() {
		return ways
	}
	if one.binaries != nil {
		// If d = 1, no value belongs to both. The binaries make d integral.
		d := e.column(problem.Column{Name: name + " differs", Hi: 1, Role: problem.RoleOther})
		for k := range one.binaries {
			both := form{terms: []problem.Term{{Column: d, Coef: 1}, {Column: one.binaries[k], Coef: 1}, {Column: two.binaries[k], Coef: 1}}}
			e.row(fmt.Sprintf("%s differs %d", name, k+1), both, math.Inf(-1), 2)
		}
		ways.add(d, 1)
		return ways
	}
	// In steps between the values: d = 1 ⇒ ±(t1 − t2) ≥ 1.
	steps := e.milp.Columns[one.column].Hi - e.milp.Columns[one.column].Lo
	for _, sign := range []float64{1, -1} {
		side := fmt.Sprintf("%s differs %+v", name, sign)
		d := e.column(problem.Column{Name: side, Hi: 1, Integer: true, Role: problem.RoleOther})
		implied := form{terms: []problem.Term{{Column: one.column, Coef: sign}, {Column: two.column, Coef: -sign}, {Column: d, Coef: -steps - 1}}}
		e.row(side, implied, -steps, math.Inf(1))
		ways.add(d, 1)
	}
	return ways
}

// within returns the value nearest to y whose exact distance from x is at most the
// tolerance.
func within(x, y, tolerance float64) float64 {
	if math.IsInf(tolerance, 1) || !apart(x, y, tolerance) {
		return y
	}
	y = x + math.Copysign(tolerance, y-x)
	if apart(x, y, tolerance) { // the sum was rounded outward
		y = math.Nextafter(y, x)
	}
	return y
}

// apart reports whether |x − y| > tolerance, in exact arithmetic.
func apart(x, y, tolerance float64) bool {
	d := new(big.Rat).Sub(exactly(x), exactly(y))
	return d.Abs(d).Cmp(exactly(tolerance)) > 0
}

// mend pulls relaxed real features of the later copies, which rounding may have
// left too far away, back to within the tolerance of the first.
func mend(q *problem.Query, points [][]float64) {
	for _, r := range q.Relax {
		if q.Space.Features[r.Feature].Discrete() {
			continue
		}
		for _, p := range points[1:] {
			p[r.Feature] = within(points[0][r.Feature], p[r.Feature], r.Tolerance)
		}
	}
}
