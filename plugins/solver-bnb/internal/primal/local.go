package primal

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
)

// LocalSearch is iterated local search (Lourenço, Martin and Stützle, "Iterated local search", Handbook of Metaheuristics,
// 2003). It climbs from a new incumbent, and then from perturbations. For bins, a perturbation gives some features random
// values; after many without success, a random individual follows, every other time with closeness to all bins as the
// promise instead of k. For gaps, it takes a step in two features at once; when none is better, it starts in turn from a
// random individual and from a perturbation of the incumbent, until annealing takes over.
type LocalSearch struct {
	*Env
	looked int64 // number of individuals evaluated
	// The current local optimum; nil if there is none.
	x       []float64
	promise float64
	vain    int  // climbs since promise rose
	paired  bool // no individual two features away has more promise
	starts  int  // number of restarts
}

// Due reports whether the budget allows more.
func (s *LocalSearch) Due(w *Work) bool {
	if !s.Values || s.Off(params.Climbing) || w.Escalated(s.Store) && !s.Off(params.Annealing) {
		return false // annealing finds better individuals
	}
	most := s.allowed(w)
	if s.Binned {
		most = min(most, s.Params.Local.ManyBins+float64(w.Nodes))
	}
	return float64(s.looked) < most && w.Open && !s.Stop.Load()
}

// allowed returns how many individuals may be evaluated, given the nodes bounded, the leaves walked through and the work of
// linear programs.
func (s *LocalSearch) allowed(w *Work) float64 {
	done := w.Nodes + w.Leaves/leavesOfNode + w.LP/(WorkOfOctet*int64((s.Grid.Lanes()+7)/8))
	if s.Binned {
		return s.Params.Local.PerNodeBins * float64(done)
	}
	return s.Params.Local.PerNode * float64(done)
}

// Improve climbs from a new incumbent, and then while it is due.
func (s *LocalSearch) Improve(w *Work) {
	if !s.Values || s.Off(params.Climbing) {
		return
	}
	s.best = nil
	x := make([]float64, len(s.Grid.Dims))
	if s.Fresh {
		s.Grid.Coordinates(x, s.Best.X, s.Best.Y)
		s.promise, s.Closest = math.Inf(-1), false
		s.ascend(x)
	}
	s.Fresh = false
	for s.Due(w) {
		s.hand(params.Climbing)
		switch {
		case s.x != nil && s.Binned && s.vain < s.Params.Local.Perturbations:
			copy(x, s.x)
			s.perturb(x)
		case s.x != nil && !s.Binned && !s.paired && s.mayStepTwice(w):
			if promise, better := s.stepTwice(x); better {
				s.x, s.promise = s.climb(x, promise)
			} else {
				s.paired = true
			}
			continue
		default:
			s.restart(x)
		}
		s.ascend(x)
	}
	s.hand(params.Climbing)
}

// restart sets x to the start of the next climb.
func (s *LocalSearch) restart(x []float64) {
	s.starts++
	second := s.starts%2 == 0
	s.promise = math.Inf(-1)
	switch {
	case s.Binned:
		s.anywhere(x)
		s.Closest = second && !s.Least
	case second && s.Best != nil:
		s.Grid.Coordinates(x, s.Best.X, s.Best.Y)
		s.perturb(x)
	default:
		s.anywhere(x)
		s.towardsEnds(x)
	}
}

// towardsEnds moves about half of an individual's features to an end of their range,
// where large gaps often are. With probability ½ it leaves the individual unchanged.
func (s *LocalSearch) towardsEnds(x []float64) {
	if s.Random.IntN(2) == 0 {
		return
	}
	for d := range x {
		dim := &s.Grid.Dims[d]
		lo, _ := dim.Values(0)
		_, hi := dim.Values(uint64(dim.Cells - 1))
		switch s.Random.IntN(4) {
		case 0:
			x[d] = lo
		case 1:
			x[d] = hi
		}
	}
}

// perturb gives some of an individual's features random values.
func (s *LocalSearch) perturb(x []float64) {
	for range 2 + s.Random.IntN(3) {
		d := s.Random.IntN(len(x))
		x[d] = s.Grid.Dims[d].Random(s.Random)
	}
}

// ascend climbs from x, and keeps the new local optimum unless it is worse than the current
// one.
func (s *LocalSearch) ascend(x []float64) {
	top, promise := s.climb(x, math.Inf(-1))
	if s.vain++; promise >= s.promise {
		if promise > s.promise {
			s.vain, s.paired = 0, false
		}
		s.x, s.promise = top, promise
	}
}

// remember returns a listener for evaluated individuals: it copies one with more promise than promise to
// x, and sets better.
func (s *LocalSearch) remember(x []float64, promise *float64, better *bool) func([]float64, *goal.Individual) {
	return func(y []float64, v *goal.Individual) {
		s.looked++
		s.best = s.Better(s.best, y, v)
		if v.Asked && v.Promise > *promise {
			*better, *promise = true, v.Promise
			copy(x, y)
		}
	}
}

// climb moves from x to better individuals that differ in one feature, until there is none, and returns where it ends.
// For bins it takes the best of all features; for gaps the best of each feature in turn. The order of features changes
// each time around: with a fixed order, few local optima are reached.
func (s *LocalSearch) climb(x []float64, promise float64) (top []float64, reached float64) {
	defer func() { s.Listen = nil }()
	x = append([]float64(nil), x...)
	next := append([]float64(nil), x...)
	gaps := s.Values && !s.Binned
	order := make([]int, len(x))
	for d := range order {
		order[d] = d
	}
	for !s.stopped() {
		better := false
		s.Listen = s.remember(next, &promise, &better)
		if gaps {
			order = s.Random.Perm(len(x))
		}
		for _, d := range order {
			if s.Stop.Load() {
				break
			}
			s.tryValues(x, d)
			if gaps { // gaps have many local optima: a near one is enough
				if s.Flush(); better {
					copy(x, next)
				}
			}
		}
		s.Flush()
		if !better {
			break
		}
		copy(x, next)
	}
	return x, promise
}

// tryValues adds individuals that differ from x in dimension d.
func (s *LocalSearch) tryValues(x []float64, d int) {
	was, dim := x[d], &s.Grid.Dims[d]
	try := func(v float64) {
		if v != was {
			x[d] = v
			s.Add(x, true)
		}
	}
	dim.Try(s.Params.Local.Values, try)
	if dim.Cells > s.Params.Local.Values {
		dim.Steps(was, try)
	}
	x[d] = was
}

// mayStepTwice reports whether all steps in two features are at most a quarter of the
// budget.
func (s *LocalSearch) mayStepTwice(w *Work) bool {
	return !s.Off(params.TwoSteps) && s.twoAway() <= s.allowed(w)/4
}

// twoAway estimates the number of individuals that stepTwice evaluates.
func (s *LocalSearch) twoAway() float64 {
	sum, squares := 0.0, 0.0
	for d := range s.Grid.Dims {
		n := 2 * math.Log2(float64(s.Grid.Dims[d].Cells))
		sum, squares = sum+n, squares+n*n
	}
	return (sum*sum - squares) / 2
}

// stepTwice sets x to the most promising individual that differs from the local optimum
// in two features, by powers of two. A single step leaves the border where scores are
// steep; a second one may lead back to it. It returns x's promise, and whether that
// exceeds the local optimum's.
func (s *LocalSearch) stepTwice(x []float64) (promise float64, better bool) {
	defer func() { s.Listen = nil }()
	at := append([]float64(nil), s.x...)
	promise = s.promise
	s.Listen = s.remember(x, &promise, &better)
	for d := range at {
		for e := range d {
			one, other := at[d], at[e]
			s.Grid.Dims[d].Steps(one, func(v float64) {
				at[d] = v
				s.Grid.Dims[e].Steps(other, func(v float64) {
					at[e] = v
					s.Add(at, true)
				})
			})
			at[d], at[e] = one, other
		}
		if s.Stop.Load() {
			break
		}
	}
	s.Flush()
	return promise, better
}
