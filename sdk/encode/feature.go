package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// featureColumns encodes one feature's value: as a constant, as a column
// (value = base + step·column), or with one binary per value.
type featureColumns struct {
	feature    *space.Feature
	base, step float64
	column     int // −1: none
	values     []float64
	binaries   []int // nil, or one per value
	// box is the copy's region of a non-protected feature.
	box space.Interval
}

// isConstant reports whether the feature has a single value.
func (f *featureColumns) isConstant() bool { return f.column < 0 && f.binaries == nil }

func (f *featureColumns) decode(v []float64) float64 {
	if f.binaries != nil {
		best := 0
		for k, col := range f.binaries {
			if v[col] > v[f.binaries[best]] {
				best = k
			}
		}
		return f.values[best]
	}
	if f.column < 0 {
		return f.base
	}
	if f.feature.Discrete() || f.feature.IsProtected() {
		return f.base + f.step*math.Round(v[f.column])
	}
	return math.Min(math.Max(v[f.column], f.box.Lo), f.box.Hi)
}

func (f *featureColumns) lift(value float64, start []float64) {
	for k, col := range f.binaries {
		start[col] = 0
		if f.values[k] == value {
			start[col] = 1
		}
	}
	if f.column >= 0 {
		start[f.column] = (value - f.base) / f.step
	}
}

// linear returns the feature's value as a linear form over its columns.
func (f *featureColumns) linear() form {
	out := form{constant: f.base}
	if f.column >= 0 {
		out.add(f.column, f.step)
	}
	for k, col := range f.binaries {
		out.add(col, f.values[k])
	}
	return out
}

// input returns, as a linear form over the feature's columns, a network input that the
// feature feeds.
func (f *featureColumns) input(in *space.Input) form {
	if in.Table == nil {
		out := form{constant: in.Offset}
		out.plus(f.linear(), in.Scale)
		return out
	}
	if f.binaries == nil {
		return form{constant: in.Table[int(f.base-f.feature.Lo)]}
	}
	var out form
	for k, col := range f.binaries {
		out.add(col, in.Table[int(f.values[k]-f.feature.Lo)])
	}
	return out
}

// needBinaries finds the features that a single integer column cannot encode:
// those that map through a table, those named in a category set, and
// protected ones whose values are not an arithmetic progression.
func (e *builder) needBinaries() []bool {
	s := e.q.Space
	need := make([]bool, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		for k := range f.Inputs {
			need[i] = need[i] || f.Inputs[k].Table != nil
		}
		if f.IsProtected() {
			_, ok := progression(e.first.Values[i])
			need[i] = need[i] || !ok
		}
	}
	for _, list := range [][]space.Predicate{s.Forbidden, e.q.Forbid, e.q.Require} {
		for _, p := range list {
			for i := range p {
				need[p[i].Feature] = need[p[i].Feature] || p[i].Set != nil
			}
		}
	}
	return need
}

// progression returns the step of an arithmetic progression whose every value is
// exact in float64.
func progression(values []float64) (step float64, ok bool) {
	if len(values) == 1 {
		return 1, true
	}
	step = values[1] - values[0]
	for k, v := range values {
		if values[0]+step*float64(k) != v {
			return 0, false
		}
	}
	return step, true
}

// feature encodes feature i over the region; copyName is the copy's suffix in column names.
func (e *builder) feature(i int, copyName string, region space.Region) featureColumns {
	f := &e.q.Space.Features[i]
	name := f.Name + copyName
	role := problem.RoleInput
	if f.IsProtected() {
		role = problem.RoleProtected
	}
	box, values := region.Box[i], region.Values[i]
	out := featureColumns{feature: f, column: -1, box: box}
	if f.Kind == space.Real && !f.IsProtected() {
		if box.Lo == box.Hi {
			out.base = box.Lo
			return out
		}
		out.step = 1
		out.column = e.column(problem.Column{Name: name, Lo: box.Lo, Hi: box.Hi, Role: role})
		return out
	}
	if !e.spelled[i] {
		return e.integerFeature(name, role, values, out)
	}
	out.values = values
	if !f.IsProtected() {
		for v := math.Ceil(box.Lo); v <= box.Hi; v++ {
			out.values = append(out.values, v)
		}
	}
	if len(out.values) == 1 {
		out.base = out.values[0]
		return out
	}
	var sum form
	for _, v := range out.values {
		col := e.column(problem.Column{Name: fmt.Sprintf("%s=%s", name, f.Label(v)), Hi: 1, Integer: true, Role: role})
		out.binaries = append(out.binaries, col)
		sum.add(col, 1)
	}
	e.row(name+" has one value", sum, 1, 1)
	return out
}

// integerFeature encodes a feature as one integer column: its value, or the index
// of a protected value in its progression.
func (e *builder) integerFeature(name string, role problem.Role, values []float64, out featureColumns) featureColumns {
	lo, hi := math.Ceil(out.box.Lo), math.Floor(out.box.Hi)
	out.base, out.step = 0, 1
	if values != nil {
		out.base = values[0]
		out.step, _ = progression(values)
		lo, hi = 0, float64(len(values)-1)
	}
	if lo == hi {
		out.base += out.step * lo
		return out
	}
	out.column = e.column(problem.Column{Name: name, Lo: lo, Hi: hi, Integer: true, Role: role})
	return out
}
