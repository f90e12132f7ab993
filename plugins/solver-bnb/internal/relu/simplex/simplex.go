// Package simplex solves small dense linear programs repeatedly, while the bounds of their variables change: by the
// dual simplex method with bounds on all variables and Devex pricing (Koberstein, "The Dual Simplex Method, Techniques
// for a fast and stable implementation", 2005, chapters 3 and 6).
//
// It computes in floating point, so its outcomes are not proofs. It returns multipliers, which Tableau.Refuted checks.
package simplex

import (
	"math"

	"github.com/hyfair/hyfair/internal/simd"
)

// Program is a linear program: columns with bounds, rows of coefficients, and bounds of the rows' values. It
// must not change while a Tableau uses it.
type Program struct {
	Columns int
	// Rows are the coefficients, row after row.
	Rows []float64
	// Lo and Hi are the bounds of the columns, then of the rows. Those of columns are finite.
	Lo, Hi []float64
	// Errors bounds, by row, how far the row's value may be from the exact one.
	Errors []float64
	// Objective is the column to maximise.
	Objective int
	// Kernel names the variant of the vector loops; the fastest is used if there is none of that
	// name.
	Kernel string
}

// Outcome is the result of Solve.
type Outcome uint8

// Outcomes of Solve.
const (
	Open      Outcome = iota // the pivots were used up
	Optimal                  // the values are optimal
	Refutable                // in floating point: infeasible, or the objective is negative
)

// Tableau is a program on the way to its optimum. The zero value is ready for Begin or Copy, which reuse its memory. Not
// safe for concurrent use.
type Tableau struct {
	p     *Program
	lanes *lanes
	shape
	scratch
	rows  []float64 // the basic variables in terms of the others, then the costs
	costs []float64 // the objective in terms of the others
	basic []float64 // values of the basic variables, and an unused one
	other []float64 // values of the others, each at one of its bounds
	free  []float64 // by column: 1 if its variable may rise, −1 if it may fall, 0 if it is fixed
	// lo and hi are the bounds of all variables: columns, then rows' values.
	lo, hi []float64
	basis  []int32   // the variable of each row
	rest   []int32   // the variable of each column
	at     []int32   // by variable: its row, or ^ its column
	size   []float64 // approximate reference weight, by row
}

// shape is the layout of the coefficient matrix.
type shape struct {
	m, n   int
	stride int // from row to row: n rounded up to a multiple of eight
}

// scratch is memory that Copy does not copy.
type scratch struct {
	multiply []float64 // by row of the program: see Refuted
	sums     []float64
	steps    []step
}

type step struct {
	column      int32
	ratio, size float64
}

// Begin makes t the tableau of a program. Its first basis is the rows.
func (t *Tableau) Begin(p *Program) {
	t.p, t.n, t.m, t.stride = p, p.Columns, len(p.Rows)/p.Columns, (p.Columns+7)&^7
	if t.lanes == nil || t.lanes.name != p.Kernel {
		t.lanes = simd.Named(variants, p.Kernel)
	}
	t.rows = append(t.rows[:0], make([]float64, (t.m+1)*t.stride)...)
	for i := range t.m {
		copy(t.row(i), p.Rows[i*t.n:])
	}
	t.costs = t.row(t.m)
	t.lo, t.hi = append(t.lo[:0], p.Lo...), append(t.hi[:0], p.Hi...)
	t.other, t.rest, t.at = t.other[:0], t.rest[:0], t.at[:0]
	for j := range t.n {
		// Tiny costs break ties of ratios and prevent cycling.
		cost, at := -perturbed*(1+float64(j*7919%101)/101), t.lo[j]
		if j == p.Objective {
			cost, at = 1, t.hi[j]
		}
		t.costs[j], t.other, t.rest, t.at = cost, append(t.other, at), append(t.rest, int32(j)), append(t.at, ^int32(j))
	}
	t.free = append(t.free[:0], make([]float64, t.n)...)
	for j := range t.n {
		t.follow(j)
	}
	t.basic, t.basis = t.basic[:0], t.basis[:0]
	for i := range t.m {
		v := 0.0
		for j, c := range t.row(i) {
			v += c * t.other[j]
		}
		t.basic, t.basis, t.at = append(t.basic, v), append(t.basis, int32(t.n+i)), append(t.at, int32(i))
	}
	t.basic = append(t.basic, 0)
	t.size = t.size[:0]
	for range t.m {
		t.size = append(t.size, 1)
	}
}

const (
	perturbed = 1e-8
	violated  = 1e-9  // a bound is violated by more than this
	nearly    = 1e-9  // costs may have the wrong sign by this much, in exchange for a larger pivot
	tiny      = 1e-10 // smaller coefficients are not pivots
)

func (t *Tableau) row(i int) []float64 { return t.rows[i*t.stride : i*t.stride+t.n] }

// Copy makes t the same as u.
func (t *Tableau) Copy(u *Tableau) {
	t.p, t.lanes, t.m, t.n, t.stride = u.p, u.lanes, u.m, u.n, u.stride
	t.rows = append(t.rows[:0], u.rows...)
	t.costs = t.row(t.m)
	t.basic, t.other, t.free = append(t.basic[:0], u.basic...), append(t.other[:0], u.other...), append(t.free[:0], u.free...)
	t.lo, t.hi = append(t.lo[:0], u.lo...), append(t.hi[:0], u.hi...)
	t.size = append(t.size[:0], u.size...)
	t.basis, t.rest, t.at = append(t.basis[:0], u.basis...), append(t.rest[:0], u.rest...), append(t.at[:0], u.at...)
}

// Size returns the number of the tableau's coefficients: about the cost of a pivot.
func (t *Tableau) Size() int { return t.m * t.n }

// Bounds returns the bounds of variable v. Columns come first, then the values of rows.
func (t *Tableau) Bounds(v int) (lo, hi float64) { return t.lo[v], t.hi[v] }

// Bound changes the bounds of a variable. If it is not basic, it moves to the bound
// that suits its cost.
func (t *Tableau) Bound(v int, lo, hi float64) {
	t.lo[v], t.hi[v] = lo, hi
	if j := int(^t.at[v]); j >= 0 {
		to := lo
		if t.costs[j] > 0 {
			to = hi
		}
		t.move(j, to)
		t.follow(j)
	}
}

// follow updates the directions in which the variable of column j may move, after it or its bounds changed.
func (t *Tableau) follow(j int) {
	switch v := t.rest[j]; {
	case t.lo[v] == t.hi[v]:
		t.free[j] = 0
	case t.other[j] == t.lo[v]:
		t.free[j] = 1
	default:
		t.free[j] = -1
	}
}

// move sets the variable of column j, and updates the basic variables.
func (t *Tableau) move(j int, to float64) {
	if by := to - t.other[j]; by != 0 {
		t.other[j] = to
		for i, k := 0, j; i < t.m; i, k = i+1, k+t.stride {
			t.basic[i] += t.rows[k] * by
		}
	}
}

// Value returns the value of variable v.
func (t *Tableau) Value(v int) float64 {
	if i := t.at[v]; i >= 0 {
		return t.basic[i]
	}
	return t.other[^t.at[v]]
}

// Values writes the values of all variables to out, the columns first, then the rows.
func (t *Tableau) Values(out []float64) {
	for i, w := range t.basis {
		out[w] = t.basic[i]
	}
	for j, w := range t.rest {
		out[w] = t.other[j]
	}
}

// Loss returns, in floating point, a lower bound of the fall of the objective if variable v is lowered to the given
// value: the objective's change in one dual simplex step. Further steps can only lower the objective.
func (t *Tableau) Loss(v int, to float64) float64 {
	i := int(t.at[v])
	if i < 0 {
		return math.Abs(t.costs[^i]) * (t.other[^i] - to)
	}
	ratio := math.Inf(1)
	for j, c := range t.row(i) {
		if c*t.free[j] <= -tiny { // moving it can lower the row
			ratio = min(ratio, math.Abs(t.costs[j]/c))
		}
	}
	return ratio * (t.basic[i] - to)
}

// Solve pivots until the optimum is reached, the objective is less than the number below, or the number of pivots
// reaches the limit most. It returns the number of pivots done.
func (t *Tableau) Solve(below float64, most int) (o Outcome, pivots int) {
	for ; pivots < most; pivots++ {
		if at := t.at[t.p.Objective]; at >= 0 && t.basic[at] < below {
			t.dual(t.row(int(at)), -1)
			return Refutable, pivots
		}
		row, worst, short, first := -1, 0.0, false, 0.0
		for i, v := range t.basis {
			by, under := t.lo[v]-t.basic[i], true
			if over := t.basic[i] - t.hi[v]; over > by {
				by, under = over, false
			}
			if by > violated && by*by > first*t.size[i] {
				row, worst, short, first = i, by, under, by*by/t.size[i]
			}
		}
		if row < 0 {
			return Optimal, pivots
		}
		column := t.enter(row, worst, short)
		if column < 0 {
			sign := 1.0
			if !short {
				sign = -1
			}
			t.dual(t.row(row), -sign)
			if v := int(t.basis[row]); v >= t.n {
				t.multiply[v-t.n] = sign
			}
			return Refutable, pivots + 1
		}
		t.pivot(row, column, short)
	}
	return Open, pivots
}

// Bounded computes the multipliers that bound the objective in the current basis.
func (t *Tableau) Bounded() {
	if at := t.at[t.p.Objective]; at >= 0 {
		t.dual(t.row(int(at)), -1)
	} else {
		t.dual(nil, 0)
	}
}

// dual sets the multipliers from a row of the tableau: those of the program's rows that are not basic.
func (t *Tableau) dual(row []float64, sign float64) {
	t.multiply = append(t.multiply[:0], make([]float64, t.m)...)
	for j, c := range row {
		if v := int(t.rest[j]) - t.n; v >= 0 {
			t.multiply[v] = sign * c
		}
	}
}

// Multipliers returns the multipliers that Refuted checked last, by row of the program.
func (t *Tableau) Multipliers() []float64 { return t.multiply }

// enter returns the column that enters the basis in a row whose value is below its lower bound (if short is set) or
// above its upper one, by worst: the column with the least ratio. Columns whose variable can go to its other bound without
// repairing the row do so and are passed (long steps). It returns −1 if there is none.
func (t *Tableau) enter(row int, worst float64, short bool) int {
	t.steps = t.steps[:0]
	sign := -1.0
	if short {
		sign = 1
	}
	for j, c := range t.row(row) {
		if c*t.free[j]*sign >= tiny { // moving it can move the row to its bound
			t.steps = append(t.steps, step{int32(j), math.Abs(t.costs[j] / c), math.Abs(c)})
		}
	}
	for passed := 0; passed < len(t.steps); passed++ {
		rest := t.steps[passed:]
		limit := math.Inf(1)
		for i := range rest {
			limit = min(limit, rest[i].ratio+nearly/rest[i].size)
		}
		least := -1
		for i := range rest {
			if s := &rest[i]; s.ratio <= limit && (least < 0 || s.size > rest[least].size) {
				least = i
			}
		}
		s := rest[least]
		v := t.rest[s.column]
		if worst -= s.size * (t.hi[v] - t.lo[v]); worst > violated {
			rest[0], rest[least] = rest[least], rest[0]
			continue
		}
		for _, p := range t.steps[:passed] {
			v := t.rest[p.column]
			to := t.lo[v]
			if t.other[p.column] == to {
				to = t.hi[v]
			}
			t.move(int(p.column), to)
			t.follow(int(p.column))
		}
		return int(s.column)
	}
	return -1
}

// pivot makes the variable of a column basic in a row, whose own variable goes to the bound that it
// violates.
func (t *Tableau) pivot(row, column int, short bool) {
	r := t.row(row)
	out := t.basis[row]
	to := t.hi[out]
	if short {
		to = t.lo[out]
	}
	by := (to - t.basic[row]) / r[column]
	entered := t.other[column] + by
	inverse := 1 / r[column]
	t.resize(row, column, inverse)
	for j := range r {
		r[j] *= -inverse
	}
	r[column] = inverse
	t.add(row, column, by, 0, row)
	t.add(row, column, by, row+1, t.m+1)
	t.basis[row], t.rest[column] = t.rest[column], out
	t.at[t.basis[row]], t.at[out] = int32(row), ^int32(column)
	t.basic[row], t.other[column] = entered, to
	t.follow(column)
}

// resize updates the rows' reference weights for a pivot (Forrest and Goldfarb, "Steepest-edge simplex algorithms for
// linear programming", 1992, section 5). The violation of a row with a large weight counts less, because it takes smaller
// moves of other variables to repair.
func (t *Tableau) resize(row, column int, inverse float64) {
	w := t.size[row]
	for i, k := 0, column; i < t.m; i, k = i+1, k+t.stride {
		if a := t.rows[k] * inverse; a != 0 {
			t.size[i] = max(t.size[i], a*a*w)
		}
	}
	t.size[row] = max(1, w*inverse*inverse)
}

// add eliminates a column's variable from the rows [from, to), by means of the row in which it
// becomes basic, and updates their values.
func (t *Tableau) add(row, column int, by float64, from, to int) {
	if from < to {
		t.lanes.add(&update{
			rows: &t.rows[from*t.stride], r: &t.rows[row*t.stride], values: &t.basic[from],
			count: to - from, stride: t.stride, column: column, by: by,
		})
	}
}

// Refuted reports whether the multipliers that Solve left prove, with all rounding covered, that no values within the
// tableau's bounds have row values within theirs, up to Errors, and an objective that is not negative.
//
// Assume that there are such values v, and let λ be the multipliers. Then Σλᵢ·rowᵢ(v) is at least the sum of λᵢ times the
// lower bound of row i less its error for λᵢ > 0, and times the upper bound plus the error for λᵢ < 0. If its maximum over
// the columns' bounds is less, that is a contradiction. Any λ is valid here, so nothing in the tableau has to be trusted.
//
// Rounding: each product has a relative error of 2⁻⁵³, and a sum of n terms one of n−1 times that, relative to the sum of
// the terms' magnitudes (Higham, section 3.1). The magnitudes are summed as well, and multiplied by (rows + columns +
// 16)·2⁻⁵², which also covers their own rounding.
func (t *Tableau) Refuted() bool {
	t.sums = append(t.sums[:0], make([]float64, 2*t.n)...)
	sums, sizes := t.sums[:t.n], t.sums[t.n:]
	least, magnitude := 0.0, 0.0
	for i, l := range t.multiply {
		if l == 0 {
			continue
		}
		side := t.lo[t.n+i] - t.p.Errors[i]
		if l < 0 {
			side = t.hi[t.n+i] + t.p.Errors[i]
		}
		if math.IsInf(side, 0) {
			t.multiply[i] = 0 // an infinite side implies nothing
			continue
		}
		least += l * side
		magnitude += math.Abs(l) * (math.Abs(side) + t.p.Errors[i])
		for j, c := range t.p.Rows[i*t.n : (i+1)*t.n] {
			c *= l
			sums[j] += c
			sizes[j] += math.Abs(c)
		}
	}
	most := 0.0
	for j, s := range sums {
		lo, hi := t.lo[j], t.hi[j]
		if j == t.p.Objective {
			lo = max(lo, 0)
		}
		if lo > hi {
			return true
		}
		at := hi
		if s < 0 {
			at = lo
		}
		most += s * at
		magnitude += sizes[j] * max(math.Abs(lo), math.Abs(hi))
	}
	return most+float64(t.m+t.n+16)*0x1p-52*magnitude+0x1p-900 < least
}
