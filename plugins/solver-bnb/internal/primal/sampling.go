package primal

import (
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
)

// Sampling is the start heuristic: random individuals, and climbs from the most promising of them. It runs once.
type Sampling struct {
	*LocalSearch
	done bool
}

// Due reports whether Improve has not run yet.
func (s *Sampling) Due(*Work) bool { return !s.done }

// Improve draws individuals and climbs. It evaluates the query's point Near first, even if
// sampling is switched off.
func (s *Sampling) Improve(*Work) {
	type start struct {
		x       []float64
		promise float64
	}
	var best []start // the most promising first
	p := &s.Params.Local
	s.best, s.done = nil, true
	s.Listen = func(x []float64, v *goal.Individual) {
		s.best = s.Better(s.best, x, v)
		if !v.Asked {
			return
		}
		at := len(best)
		for at > 0 && best[at-1].promise < v.Promise {
			at--
		}
		if at == p.Starts {
			return
		}
		best = append(best, start{})
		copy(best[at+1:], best[at:])
		best[at] = start{append([]float64(nil), x...), v.Promise}
		best = best[:min(len(best), p.Starts)]
	}
	x := make([]float64, len(s.Grid.Dims))
	if s.Query.Near != nil {
		s.Grid.Coordinates(x, s.Query.Near, s.Query.Near)
		s.Add(x, true)
	}
	for i := 0; i < p.Samples && !s.Off(params.Sampling) && !s.stopped(); i++ {
		s.anywhere(x)
		if v := s.Query.Within; v != nil { // a row with about one value replaced
			row := v.Rows[s.Random.IntN(len(v.Rows))]
			for d := range x {
				if dim := &s.Grid.Dims[d]; s.Random.IntN(len(x)) > 0 {
					x[d] = dim.Nearest(row[dim.Feature])
				}
			}
		}
		s.Add(x, true)
	}
	s.Flush()
	s.Listen = nil
	for i := 0; i < len(best) && !s.Off(params.Sampling) && !s.stopped(); i++ {
		s.climb(best[i].x, best[i].promise)
	}
	s.hand(params.Sampling)
	s.Fresh = false
}
