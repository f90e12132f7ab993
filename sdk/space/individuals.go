package space

import (
	"iter"
	"math"
)

// CountIndividuals counts the points of a box over the non-protected features. ok
// is unset where they are more than limit, or no end of them: a real feature has more
// than one value.
func (s *Space) CountIndividuals(box Box, limit int) (n int, ok bool) {
	n = 1
	for _, i := range s.Free() {
		switch iv := box[i]; {
		case !s.Features[i].Discrete() && iv.Lo != iv.Hi:
			return n, false
		case s.Features[i].Discrete() && n <= limit:
			n *= int(math.Min(math.Floor(iv.Hi)-math.Ceil(iv.Lo)+1, 1<<20))
		}
	}
	return n, n <= limit
}

// Individuals visits the points of a box over the non-protected features, which
// must be finitely many, in lexicographic order. Protected entries are 0, and the
// slice is reused. Which points the constraints allow is not looked at.
func (s *Space) Individuals(box Box) iter.Seq[[]float64] {
	return func(visit func([]float64) bool) {
		free := s.Free()
		x := make([]float64, len(s.Features))
		first := func(i int) float64 {
			if s.Features[i].Discrete() {
				return math.Ceil(box[i].Lo)
			}
			return box[i].Lo
		}
		for _, i := range free {
			if x[i] = first(i); x[i] > box[i].Hi {
				return
			}
		}
		for visit(x) {
			k := len(free) - 1
			for ; k >= 0; k-- {
				i := free[k]
				if x[i]+1 <= box[i].Hi && s.Features[i].Discrete() {
					x[i]++
					break
				}
				x[i] = first(i)
			}
			if k < 0 {
				return
			}
		}
	}
}
