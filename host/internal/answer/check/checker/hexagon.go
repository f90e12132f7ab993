package checker

import "math/big"

// hexagons are the possible sums of a layer in two copies: x, y and apart = y − x within their
// ranges, all over the same power of two.
type hexagons struct{ x, y, apart ranges }

func newHexagons(x, y, apart *ranges) *hexagons {
	shift := max(x.shift, y.shift, apart.shift)
	return &hexagons{x.over(shift), y.over(shift), apart.over(shift)}
}

// over converts the ranges to 2^shift.
func (r *ranges) over(shift uint) ranges {
	out := newRanges(len(r.lo), shift)
	for j := range out.lo {
		out.lo[j].Lsh(&r.lo[j], shift-r.shift)
		out.hi[j].Lsh(&r.hi[j], shift-r.shift)
	}
	return out
}

// most returns the largest value over hexagon j of c·x + d·y; nil if the hexagon is empty. c is
// right for positive x, else left; d is above for positive y, else below.
//
// For fixed x, y ranges from max(ly, x + ld) to min(uy, x + ud), and the optimum is at an end or at
// 0. So the optimum is linear in x, except at x = 0, where an end is 0, and where an end switches
// terms. The first and last of these points bound x.
func (h *hexagons) most(j int, right, above, left, below *big.Int) *big.Int {
	lx, ux, ly, uy, ld, ud := &h.x.lo[j], &h.x.hi[j], &h.y.lo[j], &h.y.hi[j], &h.apart.lo[j], &h.apart.hi[j]
	var turns [7]big.Int
	turns[1].Sub(ly, ld) // where the lower end switches terms
	turns[2].Sub(uy, ud) // and the upper one
	turns[3].Neg(ld)     // where they are 0
	turns[4].Neg(ud)
	first, last := turns[5].Sub(ly, ud), turns[6].Sub(uy, ld) // where they meet
	if first.Cmp(lx) < 0 {
		first.Set(lx)
	}
	if last.Cmp(ux) > 0 {
		last.Set(ux)
	}
	var most, x, y, atX, value big.Int
	found := false
	try := func() {
		by := below
		if y.Sign() > 0 {
			by = above
		}
		if value.Add(&atX, value.Mul(by, &y)); !found || value.Cmp(&most) > 0 {
			most.Set(&value)
			found = true
		}
	}
	for i := range turns {
		if x.Set(&turns[i]); x.Cmp(first) < 0 || x.Cmp(last) > 0 {
			continue
		}
		if x.Sign() > 0 {
			atX.Mul(right, &x)
		} else {
			atX.Mul(left, &x)
		}
		if y.Add(&x, ld); y.Cmp(ly) < 0 {
			y.Set(ly)
		}
		zero := y.Sign() < 0
		try()
		if y.Add(&x, ud); y.Cmp(uy) > 0 {
			y.Set(uy)
		}
		zero = zero && y.Sign() > 0
		try()
		if zero {
			y.SetInt64(0)
			try()
		}
	}
	if !found {
		return nil
	}
	return &most
}
