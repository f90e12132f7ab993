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
	d := &dictionary{n: n, by: big.NewInt(1)}
	first, second := integers(n+len(rows)+2), scaled(c, new(big.Rat), len(rows)+1)
	first[n+len(rows)].SetInt64(-1)
	d.goals = [][]*big.Int{first, second}
	worst := -1
	for i, r := range rows {
		row := scaled(r.a, r.b, len(rows)+1)
		row[n+i].SetInt64(1)
		row[n+len(rows)].Neg(row[n+len(rows)])
		d.rows, d.basis = append(d.rows, row), append(d.basis, 2*n+i)
		if r.b.Sign() < 0 && (worst < 0 || r.b.Cmp(rows[worst].b) < 0) {
			worst = i
		}
	}
	if worst >= 0 {
		d.pivot(worst, added)
		d.climb(first, added+1)
		if first[len(first)-1].Sign() != 0 {
			return nil, lpInfeasible
		}
	}
	// The artificial variable is 0 from now on: it leaves the basis and never enters
	// again.
	for i, k := range d.basis {
		if k == added {
			for j := range added {
				if d.sign(d.rows[i], j) != 0 {
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
		switch v := new(big.Rat).SetFrac(d.rows[i][len(first)-1], d.by); {
		case k < n:
			x[k].Add(x[k], v)
		case k < 2*n:
			x[k-n].Sub(x[k-n], v)
		}
	}
	return x, status
}

// scaled returns coefficients and a right-hand side, times their least common denominator. Between
// them are other entries, all zero but the last one, which is the denominator.
func scaled(a []*big.Rat, b *big.Rat, others int) []*big.Int {
	out := integers(len(a) + others + 1)
	by := out[len(a)+others-1].SetInt64(1)
	for _, v := range append(a[:len(a):len(a)], b) {
		by.Mul(by, new(big.Int).Quo(v.Denom(), new(big.Int).GCD(nil, nil, by, v.Denom())))
	}
	for k, v := range a {
		out[k].Mul(v.Num(), out[k].Quo(by, v.Denom()))
	}
	last := out[len(out)-1]
	last.Mul(b.Num(), last.Quo(by, b.Denom()))
	return out
}

func integers(n int) []*big.Int {
	out := make([]*big.Int, n)
	for i := range out {
		out[i] = new(big.Int)
	}
	return out
}

// dictionary is a simplex tableau: a row for each basic variable, with the coefficients of the
// variables and the right-hand side last. goals are the objectives; the last entry is the
// negative of the value. All entries are integers over one positive denominator, so that a
// pivot divides without a remainder (Bareiss, "Sylvester's identity and multistep
// integer-preserving Gaussian elimination", 1968). A row has no entry for x⁻: it is the
// negative of that for x⁺.
type dictionary struct {
	n           int // number of x⁺
	rows, goals [][]*big.Int
	by          *big.Int // denominator
	basis       []int
}

// column returns where a row has a variable's coefficient.
func (d *dictionary) column(variable int) int {
	if variable < d.n {
		return variable
	}
	return variable - d.n
}

// sign returns the sign of a variable's coefficient.
func (d *dictionary) sign(row []*big.Int, variable int) int {
	sign := row[d.column(variable)].Sign()
	if d.n <= variable && variable < 2*d.n {
		return -sign
	}
	return sign
}

// climb maximises an objective over the variables below the given number; it returns false
// if the objective is unbounded.
func (d *dictionary) climb(goal []*big.Int, variables int) bool {
	for {
		enter, leave := 0, -1
		for enter < variables && d.sign(goal, enter) <= 0 {
			enter++
		}
		if enter == variables {
			return true
		}
		at, last := d.column(enter), len(goal)-1
		var one, other big.Int
		for i, r := range d.rows {
			if d.sign(r, enter) <= 0 {
				continue
			}
			order := -1
			if leave >= 0 { // ratios of the right-hand side, multiplied out
				l := d.rows[leave]
				order = one.Mul(r[last], l[at]).CmpAbs(other.Mul(l[last], r[at]))
			}
			if order < 0 || order == 0 && d.basis[i] < d.basis[leave] {
				leave = i
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
	pivot, at := d.rows[row], d.column(enter)
	if d.sign(pivot, enter) < 0 {
		for _, v := range pivot {
			v.Neg(v)
		}
	}
	by := new(big.Int).Abs(pivot[at])
	flip := pivot[at].Sign() < 0 // x⁻ enters
	var factor, product, rest big.Int
	clear := func(r []*big.Int) {
		if factor.Set(r[at]); flip {
			factor.Neg(&factor)
		}
		for k, v := range r {
			if v.Sign() == 0 && (factor.Sign() == 0 || pivot[k].Sign() == 0) {
				continue
			}
			product.Mul(v, by)
			if factor.Sign() != 0 && pivot[k].Sign() != 0 {
				product.Sub(&product, rest.Mul(&factor, pivot[k]))
			}
			v.QuoRem(&product, d.by, &rest)
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
	d.basis[row], d.by = enter, by
}
