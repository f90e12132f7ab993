package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// predicates adds the conditions on copy c. The space's constraints bind every copy;
// Require, Forbid and Exclude are about the individual and bind the first copy.
func (e *builder) predicates(c int, features []featureColumns) {
	for i, p := range e.q.Space.Forbidden {
		e.forbid(fmt.Sprintf("constraint %d #%d", i+1, c+1), p, features)
	}
	if c > 0 {
		return
	}
	for i, p := range e.q.Require {
		for k := range p {
			e.require(fmt.Sprintf("required %d.%d", i+1, k+1), &p[k], features)
		}
	}
	for i, p := range e.q.Forbid {
		e.forbid(fmt.Sprintf("forbidden %d", i+1), p, features)
	}
	for i, x := range e.q.Exclude {
		e.forbid(fmt.Sprintf("excluded %d", i+1), pointPredicate(e.q.Space, x), features)
	}
}

// pointPredicate holds at the individual x alone.
func pointPredicate(s *space.Space, x []float64) space.Predicate {
	var p space.Predicate
	for _, i := range s.Free() {
		p = append(p, space.Condition{Feature: i, Interval: space.Interval{Lo: x[i], Hi: x[i]}})
	}
	return p
}

// require adds a row that holds if and only if the condition does. For a condition that
// cannot hold, the row is infeasible.
func (e *builder) require(name string, c *space.Condition, features []featureColumns) {
	f := &features[c.Feature]
	if f.binaries != nil {
		var outside form
		for k, col := range f.binaries {
			if !c.Holds(f.values[k]) {
				outside.add(col, 1)
			}
		}
		if len(outside.terms) > 0 {
			e.row(name, outside, 0, 0)
		}
		return
	}
	if f.column < 0 {
		if !c.Holds(f.base) {
			e.row(name+" cannot hold", form{}, 1, math.Inf(1))
		}
		return
	}
	e.row(name, f.linear(), c.Interval.Lo, c.Interval.Hi)
}

// forbid adds a row that requires at least one condition of p to fail.
func (e *builder) forbid(name string, p space.Predicate, features []featureColumns) {
	var ways form
	for k := range p {
		failing, always := e.failing(name, &p[k], &features[p[k].Feature])
		if always {
			return
		}
		ways.plus(failing, 1)
	}
	// If no condition can fail, this is the empty row 0 ≥ 1: infeasible, as it must be.
	e.row(name, ways, 1, math.Inf(1))
}

// failing returns a form over binaries that is at most 0 if the condition holds and
// can be 1 if it fails. If the condition fails everywhere, the second result is true and
// the form is not needed.
func (e *builder) failing(name string, c *space.Condition, f *featureColumns) (failing form, always bool) {
	if f.binaries != nil {
		holds := false
		for k, col := range f.binaries {
			if c.Holds(f.values[k]) {
				holds = true
			} else {
				failing.add(col, 1)
			}
		}
		return failing, !holds
	}
	if f.column < 0 {
		return form{}, !c.Holds(f.base)
	}
	// The column holds t from lo to hi, and the feature's value is base + step·t.
	// The condition fails below c.Lo or above c.Hi.
	col := e.milp.Columns[f.column]
	if f.feature.Kind == space.Real && !f.feature.IsProtected() {
		return e.failingReal(name, c, f, col)
	}
	first := f.firstAtLeast(c.Interval.Lo, col)
	last := f.firstAtLeast(math.Nextafter(c.Interval.Hi, math.Inf(1)), col) - 1
	if first > last {
		return form{}, true
	}
	if first > col.Lo {
		e.side(&failing, name+" below", f.column, col.Hi, first-1, 1)
	}
	if last < col.Hi {
		e.side(&failing, name+" above", f.column, col.Lo, last+1, -1)
	}
	return failing, false
}

// firstAtLeast returns the least integer t in the column's range at which the
// feature is at least v, or one past the range if there is none.
func (f *featureColumns) firstAtLeast(v float64, col problem.Column) float64 {
	t := math.Ceil((v - f.base) / f.step)
	t = math.Max(col.Lo, math.Min(t, col.Hi+1))
	for t > col.Lo && f.base+f.step*(t-1) >= v { // the division may have rounded up
		t--
	}
	for t <= col.Hi && f.base+f.step*t < v {
		t++
	}
	return t
}

// failingReal is failing for a real feature. The complement of a closed interval is
// open; closed half-lines replace it, so the problem over-approximates at the two
// boundary points.
func (e *builder) failingReal(name string, c *space.Condition, f *featureColumns, col problem.Column) (failing form, always bool) {
	if c.Interval.Hi < col.Lo || c.Interval.Lo > col.Hi {
		return form{}, true
	}
	if c.Interval.Lo > col.Lo {
		e.fidelity = max(e.fidelity, Over)
		e.side(&failing, name+" below", f.column, col.Hi, c.Interval.Lo, 1)
	}
	if c.Interval.Hi < col.Hi {
		e.fidelity = max(e.fidelity, Over)
		e.side(&failing, name+" above", f.column, col.Lo, c.Interval.Hi, -1)
	}
	return failing, false
}

// side adds a binary d to the form with d = 1 ⇒ column ≤ at (sign +1) or
// column ≥ at (sign −1); extreme is the column's bound if d = 0.
func (e *builder) side(f *form, name string, column int, extreme, at, sign float64) {
	d := e.column(problem.Column{Name: fmt.Sprintf("%s %d", name, column), Hi: 1, Integer: true, Role: problem.RoleOther})
	f.add(d, 1)
	// sign·column + sign·(extreme − at)·d ≤ sign·extreme
	var r form
	r.add(column, sign)
	r.add(d, sign*(extreme-at))
	e.row(name, r, math.Inf(-1), sign*extreme)
}
