package reference

import (
	"math/big"
	"strings"
)

// inequality is Σ a·x ≤ b.
type inequality struct {
	a []*big.Rat
	b *big.Rat
}

// The outcomes of maximise.
type lpStatus int

const (
	lpOptimal lpStatus = iota
	lpInfeasible
	lpUnbounded
)

// maximise finds an x that satisfies every inequality and has the largest c·x,
// exactly, by eliminating one variable after the other (Fourier and Motzkin;
// see Schrijver, "Theory of Linear and Integer Programming", section 12.2).
// Where the objective is unbounded, x is some feasible point. The number of
// inequalities can grow doubly exponentially: for a handful of variables only.
func maximise(rows []inequality, c []*big.Rat) ([]*big.Rat, lpStatus) {
	// A variable in front stands for the objective: t = c·x.
	n := len(c) + 1
	system := make([]inequality, 0, len(rows)+2)
	for _, r := range rows {
		system = append(system, inequality{append([]*big.Rat{new(big.Rat)}, r.a...), r.b})
	}
	up, down := make([]*big.Rat, n), make([]*big.Rat, n)
	up[0], down[0] = big.NewRat(1, 1), big.NewRat(-1, 1)
	for i, v := range c {
		up[i+1], down[i+1] = new(big.Rat).Neg(v), v
	}
	system = append(system, inequality{up, new(big.Rat)}, inequality{down, new(big.Rat)})

	stages := make([][]inequality, n+1) // stages[k] speaks of the first k variables
	stages[n] = tidy(system)
	for k := n; k > 0; k-- {
		stages[k-1] = tidy(eliminate(stages[k], k-1))
	}
	for _, r := range stages[0] { // only 0 ≤ b is left
		if r.b.Sign() < 0 {
			return nil, lpInfeasible
		}
	}
	status := lpOptimal
	x := make([]*big.Rat, 0, n)
	for k := 1; k <= n; k++ {
		lo, hi := interval(stages[k], x)
		switch {
		case k == 1 && hi == nil:
			status = lpUnbounded
			x = append(x, first(lo, new(big.Rat)))
		case k == 1:
			x = append(x, hi)
		default:
			x = append(x, first(lo, hi, new(big.Rat)))
		}
	}
	return x[1:], status
}

func first(values ...*big.Rat) *big.Rat {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// eliminate projects variable k away: every inequality that bounds it from above is combined with
// every one that bounds it from below. Where an equality has k, it takes the place of k in all
// others, which adds no inequality.
func eliminate(system []inequality, k int) []inequality {
	var out, above, below []inequality
	for _, r := range system {
		switch r.a[k].Sign() {
		case 0:
			out = append(out, r)
		case 1:
			above = append(above, r)
		default:
			below = append(below, r)
		}
	}
	u, l, equal := equality(above, below)
	for i := range above {
		for j := range below {
			if !equal || (i == u) != (j == l) {
				out = append(out, combined(above[i], below[j], k))
			}
		}
	}
	return out
}

// equality finds an inequality and its opposite, as tidy scales them.
func equality(above, below []inequality) (u, l int, found bool) {
	for u := range above {
		for l := range below {
			if above[u].opposite(below[l]) {
				return u, l, true
			}
		}
	}
	return 0, 0, false
}

// opposite reports whether r and s are a·x ≤ b and −a·x ≤ −b.
func (r inequality) opposite(s inequality) bool {
	sum := new(big.Rat)
	for i := range r.a {
		if sum.Add(r.a[i], s.a[i]).Sign() != 0 {
			return false
		}
	}
	return sum.Add(r.b, s.b).Sign() == 0
}

// combined is the sum of u and l, scaled so that variable k cancels.
func combined(u, l inequality, k int) inequality {
	f, g := new(big.Rat).Neg(l.a[k]), u.a[k]
	r := inequality{make([]*big.Rat, len(u.a)), combination(f, u.b, g, l.b)}
	for i := range r.a {
		r.a[i] = combination(f, u.a[i], g, l.a[i])
	}
	return r
}

func combination(f, u, g, l *big.Rat) *big.Rat {
	v := new(big.Rat).Mul(f, u)
	return v.Add(v, new(big.Rat).Mul(g, l))
}

// interval bounds the variable after the given ones; nil is an absent side.
func interval(system []inequality, x []*big.Rat) (lo, hi *big.Rat) {
	k := len(x)
	for _, r := range system {
		if r.a[k].Sign() == 0 {
			continue
		}
		v := new(big.Rat).Set(r.b)
		for i, xi := range x {
			v.Sub(v, new(big.Rat).Mul(r.a[i], xi))
		}
		v.Quo(v, r.a[k])
		if r.a[k].Sign() > 0 && (hi == nil || v.Cmp(hi) < 0) {
			hi = v
		}
		if r.a[k].Sign() < 0 && (lo == nil || v.Cmp(lo) > 0) {
			lo = v
		}
	}
	return lo, hi
}

// tidy scales every inequality to a leading coefficient of ±1, keeps the
// tightest of those with equal left sides, and drops 0 ≤ b with b ≥ 0.
func tidy(system []inequality) []inequality {
	at := map[string]int{}
	var out []inequality
	for _, r := range system {
		scale := new(big.Rat)
		for _, a := range r.a {
			if a.Sign() != 0 {
				scale.Inv(scale.Abs(a))
				break
			}
		}
		if scale.Sign() == 0 {
			if r.b.Sign() < 0 {
				return []inequality{r}
			}
			continue
		}
		s := inequality{make([]*big.Rat, len(r.a)), new(big.Rat).Mul(r.b, scale)}
		var key strings.Builder
		for i, a := range r.a {
			s.a[i] = new(big.Rat).Mul(a, scale)
			key.WriteString(s.a[i].RatString())
			key.WriteByte(' ')
		}
		if i, seen := at[key.String()]; !seen {
			at[key.String()] = len(out)
			out = append(out, s)
		} else if s.b.Cmp(out[i].b) < 0 {
			out[i] = s
		}
	}
	return out
}
