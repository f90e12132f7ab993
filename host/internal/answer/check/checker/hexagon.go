package checker

import "math/big"

// hexagons are where a layer's sums in two copies may be: x, y, and apart, which is y − x, in their
// ranges, all over the same power of two.
type hexagons struct{ x, y, apart ranges }

func newHexagons(x, y, apart *ranges) *hexagons {
	shift := max(x.shift, y.shift, apart.shift)
	return &hexagons{x.over(shift), y.over(shift), apart.over(shift)}
}

// over is the same ranges over 2^shift.
func (r *ranges) over(shift uint) ranges {
	out := newRanges(len(r.lo), shift)
	for j := range out.lo {
		out.lo[j].Lsh(&r.lo[j], shift-r.shift)
		out.hi[j].Lsh(&r.hi[j], shift-r.shift)
	}
	return out
}

// most is the largest sum of a multiple of x and one of y in hexagon j: of x by right where x is positive and else by
// left, of y by above and else by below; nil where the hexagon is empty.
//
// For an x, y goes from the larger of its least value and x + the least distance to the smaller
// of its largest value and x + the largest distance, and the best is at an end, or 0. So the best is linear in x but where x is 0,
// an end is 0, or an end goes from one of its two terms to the other; beyond the first and the last of these there is nothing more.
func (h *hexagons) most(j int, right, above, left, below *big.Int) *big.Int {
	lx, ux, ly, uy, ld, ud := &h.x.lo[j], &h.x.hi[j], &h.y.lo[j], &h.y.hi[j], &h.apart.lo[j], &h.apart.hi[j]
	var turns [7]big.Int
	turns[1].Sub(ly, ld) // where the lower end turns
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
