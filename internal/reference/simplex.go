package reference

import "math/big"

// inequality is Σ a·x ≤ b.
type inequality struct {
	a []*big.Rat
	b *big.Rat
}

// lpStatus is the outcome of maximise.
type lpStatus int

const (
	lpOptimal lpStatus = iota
	lpInfeasible
	lpUnbounded
)

// maximise finds an x that satisfies every inequality and has the largest c·x, exactly, by the
// simplex method with Bland's rule, which ends (Chvátal, "Linear Programming", chapters 2, 3
// and 8). If the objective is unbounded, x is some feasible point.
func maximise(rows []inequality, c []*big.Rat) ([]*big.Rat, lpStatus) {
	// The variables are x⁺ and x⁻, whose difference is x, the slack of each row, and an
	// artificial one that relaxes every row. Phase one minimises the latter.
	n := len(c)
	added := 2*n + len(rows)
	d := &dictionary{}
	for i, r := range rows {
		d.rows = append(d.rows, append(zeros(added+1), r.b))
		d.basis = append(d.basis, 2*n+i)
		for k, a := range r.a {
			d.rows[i][k], d.rows[i][n+k] = a, new(big.Rat).Neg(a)
		}
		d.rows[i][2*n+i], d.rows[i][added] = big.NewRat(1, 1), big.NewRat(-1, 1)
	}
	first, second := zeros(added+2), zeros(added+2)
	first[added].SetInt64(-1)
	for k, v := range c {
		second[k], second[n+k] = v, new(big.Rat).Neg(v)
	}
	d.goals = [][]*big.Rat{first, second}
	worst := -1
	for i, r := range rows {
		if r.b.Sign() < 0 && (worst < 0 || r.b.Cmp(rows[worst].b) < 0) {
			worst = i
		}
	}
	if worst >= 0 {
		d.pivot(worst, added)
		d.climb(first, added+1)
		if first[added+1].Sign() != 0 {
			return nil, lpInfeasible
		}
	}
	// The artificial variable is 0 from now on: it leaves the basis and never enters
	// again.
	for i, k := range d.basis {
		if k == added {
			for j := range added {
				if d.rows[i][j].Sign() != 0 {
					d.pivot(i, j)
					break
				}
			}
		}
	}
	status := lpOptimal
	if !d.climb(second, added) {
		status = lpUnbounded
	}
	x := zeros(n)
	for i, k := range d.basis {
		switch v := d.rows[i][added+1]; {
		case k < n:
			x[k].Add(x[k], v)
		case k < 2*n:
			x[k-n].Sub(x[k-n], v)
		}
	}
	return x, status
}

// dictionary is a simplex tableau: a row for each basic variable, with the coefficients of all
// variables and the right-hand side last. goals are the objectives; the last entry is the
// negative of the value.
type dictionary struct {
	rows, goals [][]*big.Rat
	basis       []int
}

// climb maximises a goal over the first variables; it returns false if the goal is
// unbounded.
func (d *dictionary) climb(goal []*big.Rat, variables int) bool {
	for {
		enter, leave := 0, -1
		for enter < variables && goal[enter].Sign() <= 0 {
			enter++
		}
		if enter == variables {
			return true
		}
		var least *big.Rat
		for i, r := range d.rows {
			if r[enter].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(r[len(r)-1], r[enter])
			if leave < 0 || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && d.basis[i] < d.basis[leave] {
				leave, least = i, ratio
			}
		}
		if leave < 0 {
			return false
		}
		d.pivot(leave, enter)
	}
}

// pivot makes a variable enter the basis in place of a row's.
func (d *dictionary) pivot(row, enter int) {
	by := new(big.Rat).Inv(d.rows[row][enter])
	pivot := make([]*big.Rat, len(d.rows[row]))
	for k, v := range d.rows[row] {
		pivot[k] = new(big.Rat).Mul(v, by)
	}
	d.rows[row], d.basis[row] = pivot, enter
	clear := func(r []*big.Rat) {
		if factor := r[enter]; factor.Sign() != 0 {
			for k := range r {
				r[k] = new(big.Rat).Sub(r[k], new(big.Rat).Mul(factor, pivot[k]))
			}
		}
	}
	for i, r := range d.rows {
		if i != row {
			clear(r)
		}
	}
	for _, g := range d.goals {
		clear(g)
	}
}
