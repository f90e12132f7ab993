package space

import (
	"iter"
	"math"
	"math/rand/v2"
)

// CountIndividuals counts the points of a box over the non-protected features. ok is
// false if there are more than limit, or infinitely many because a real feature has
// more than one value.
func (s *Space) CountIndividuals(box Box, limit int) (n int, ok bool) {
	n = 1
	for i := range s.Features {
		f, iv := &s.Features[i], box[i]
		switch {
		case f.IsProtected():
		case !f.Discrete() && iv.Lo != iv.Hi:
			return n, false
		case f.Discrete() && n <= limit:
			n *= int(math.Min(math.Floor(iv.Hi)-math.Ceil(iv.Lo)+1, 1<<20))
		}
	}
	return n, n <= limit
}

// Draw returns a random individual of a box; all values of a feature are equally likely.
// Protected entries are 0. It ignores the constraints.
func (s *Space) Draw(box Box, rng *rand.Rand) []float64 {
	x := make([]float64, len(s.Features))
	for _, i := range s.Free() {
		iv := box[i]
		if s.Features[i].Discrete() {
			lo, hi := math.Ceil(iv.Lo), math.Floor(iv.Hi)
			x[i] = lo + float64(rng.Int64N(int64(hi-lo)+1))
		} else {
			x[i] = math.Min(iv.Lo+rng.Float64()*(iv.Hi-iv.Lo), iv.Hi)
		}
	}
	return x
}

// Individuals visits the points of a box over the non-protected features, which
// must be finitely many, in lexicographic order. Protected entries are 0, and the
// slice is reused. It ignores the constraints.
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
