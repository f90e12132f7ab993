package checker

import "math/big"

// ranges are the ranges of a layer's numbers: each from lo to hi, over 2^shift.
type ranges struct {
	shift  uint
	lo, hi []big.Int
}

func newRanges(n int, shift uint) ranges {
	return ranges{shift: shift, lo: make([]big.Int, n), hi: make([]big.Int, n)}
}

// cross reports whether some range contains both signs.
func (r *ranges) cross() bool {
	for j := range r.lo {
		if crosses(&r.lo[j], &r.hi[j]) {
			return true
		}
	}
	return false
}

// narrow intersects the ranges with a second enclosure of the same numbers, whose shift must not be
// larger. The second enclosure is overwritten.
func (r *ranges) narrow(by ranges) {
	for j := range r.lo {
		if lo := by.lo[j].Lsh(&by.lo[j], r.shift-by.shift); lo.Cmp(&r.lo[j]) > 0 {
			r.lo[j].Set(lo)
		}
		if hi := by.hi[j].Lsh(&by.hi[j], r.shift-by.shift); hi.Cmp(&r.hi[j]) < 0 {
			r.hi[j].Set(hi)
		}
	}
}

// pass maps ranges of the layer's sums to ranges of its outputs.
func (l *layer) pass(of *ranges) *ranges {
	if !l.relu {
		return of
	}
	out := newRanges(l.out, of.shift)
	for j := range out.lo {
		if of.lo[j].Sign() > 0 {
			out.lo[j].Set(&of.lo[j])
		}
		if of.hi[j].Sign() > 0 {
			out.hi[j].Set(&of.hi[j])
		}
	}
	return &out
}

// sums are the ranges of the layer's sums, given the ranges of its inputs, by interval
// arithmetic, with or without biases.
func (l *layer) sums(of *ranges, biased bool) ranges {
	out := newRanges(l.out, of.shift+l.shift)
	var product big.Int
	for j := range out.lo {
		lo, hi := &out.lo[j], &out.hi[j]
		if biased {
			lo.Lsh(&l.bias[j], of.shift)
			hi.Set(lo)
		}
		for i := range of.lo {
			least, most := &of.lo[i], &of.hi[i]
			w := &l.weights[j*l.in+i]
			if w.Sign() < 0 {
				least, most = most, least
			}
			if least.Sign() != 0 {
				lo.Add(lo, product.Mul(w, least))
			}
			if most.Sign() != 0 {
				hi.Add(hi, product.Mul(w, most))
			}
		}
	}
	return out
}
