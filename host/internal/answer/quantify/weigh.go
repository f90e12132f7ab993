package quantify

import (
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// weights adds up the people of a population that is not uniform, over the pieces that a solver settles. The
// solver itself counts each combination of values once.
type weights struct {
	of *population.Population // of the region
	// fair, unfair and outside are lower bounds of shares of all people, up to the rounding of n additions.
	fair, unfair, outside float64
	n                     int64
	// points is the number of points that may still be evaluated one by one.
	points int
}

// rounded returns a lower bound of a sum of n non-negative numbers, which was rounded.
func (w *weights) rounded(sum float64) *big.Rat {
	low := sum * (1 - float64(w.n+2)*0x1p-52)
	return new(big.Rat).SetFloat64(max(0, low))
}

// weigh adds a piece. If some points of its box are not individuals, a small piece is evaluated point by point,
// and a large one stays undecided.
func (r *run) weigh(p *sdk.Piece) {
	w := r.weights
	mass, _ := w.of.Mass(p.Box)
	switch {
	case p.Claim == sdk.PieceOutside:
		w.add(&w.outside, mass)
	case p.Claim == sdk.PieceFair && r.pure(p, p.Fair):
		w.add(&w.fair, mass)
	case p.Claim == sdk.PieceUnfair && r.pure(p, p.Unfair):
		w.add(&w.unfair, mass)
	default:
		r.weighEach(p)
	}
}

func (w *weights) add(to *float64, mass float64) {
	*to += mass
	w.n++
}

// pure reports whether all points of a piece are individuals of the question; n is the solver's count of them.
func (r *run) pure(p *sdk.Piece, n *big.Int) bool {
	s := r.q.Space
	part := space.Region{Box: p.Box, Values: r.q.RegionOrWhole().Values}
	meets := func(p space.Predicate) bool { // for some copy, as far as is known
		_, _, err := s.Cut(part, p)
		return err == nil
	}
	misses := func(p space.Predicate) bool { // for some copy
		cut, rest, err := s.Cut(part, p)
		return err != nil || len(rest) > 0 || cut.Count() != part.Count() || !slices.Equal(cut.Box, part.Box)
	}
	near := r.q.Within == nil || r.q.Within.Covers(p.Box)
	if near && !slices.ContainsFunc(s.Forbidden, meets) && !slices.ContainsFunc(r.q.Forbid, meets) && !slices.ContainsFunc(r.q.Require, misses) {
		return true
	}
	if n == nil || s.HasReals() {
		return false
	}
	points := big.NewInt(1)
	for _, i := range r.free {
		points.Mul(points, big.NewInt(int64(size(p.Box[i], true))))
	}
	return n.Cmp(points) == 0
}

// weighEach evaluates the points of a small piece.
func (r *run) weighEach(p *sdk.Piece) {
	w := r.weights
	xs, ok := r.points(p.Box, min(maxPoints, w.points))
	if !ok {
		return
	}
	w.points -= len(xs)
	verdicts, ok := r.all(r.ctx, xs)
	if !ok {
		return
	}
	to := map[individual.Verdict]*float64{individual.Fair: &w.fair, individual.Unfair: &w.unfair, individual.Outside: &w.outside}
	box := slices.Clone(p.Box)
	for k, x := range xs {
		for _, i := range r.free {
			box[i] = space.Interval{Lo: x[i], Hi: x[i]}
		}
		mass, _ := w.of.Mass(box)
		w.add(to[verdicts[k]], mass)
	}
}

// overlap reports whether the pieces hold more people than the region, which means that some overlap.
func (r *run) overlap() bool {
	w := r.weights
	_, region := w.of.Mass(r.q.RegionOrWhole().Box)
	return w.rounded(w.fair+w.unfair+w.outside).Cmp(new(big.Rat).SetFloat64(region)) > 0
}

// shares returns lower bounds of the shares of people in the region who are proved fair and unfair; 0 before a piece is settled.
func (r *run) shares() (fair, unfair *big.Rat) {
	w := r.weights
	_, region := w.of.Mass(r.q.RegionOrWhole().Box)
	people := new(big.Rat).SetFloat64(region)
	people.Sub(people, w.rounded(w.outside))
	if people.Sign() <= 0 {
		return new(big.Rat), new(big.Rat)
	}
	fair, unfair = w.rounded(w.fair), w.rounded(w.unfair)
	return fair.Quo(fair, people), unfair.Quo(unfair, people)
}
