package quantify

import (
	"context"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/quantify/affine"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Convolution is the method of shares that were proved without boxes.
const Convolution = "convolution"

// Unproved is the solver's name in results about a model that no proof is possible about.
const Unproved = "none"

// Convolves reports whether convolution is tried before a solver is started: for linear models, except over spaces with
// few individuals.
func Convolves(q *problem.Query) bool {
	_, few := q.Space.CountIndividuals(q.RegionOrWhole().Box, allPoints)
	return !few && affine.Suits(q)
}

// convolve proves the shares of a linear model by convolution. It reports them if they leave no
// more than affine.Target open, and otherwise returns them. It returns nil if it has reported them,
// or if convolution does not suit the question.
func (r *run) convolve(ctx context.Context) *affine.Shares {
	if r.o.Start == nil || r.o.Pieces != nil || !Convolves(r.q) {
		return nil
	}
	region := r.q.RegionOrWhole()
	people := population.Even(r.q.Space, region.Box)
	if r.weights != nil {
		if people = r.weights.of; len(people.Classes()) > population.MostClasses {
			return nil // each class takes a convolution
		}
	}
	q := *r.q
	q.Region = region
	s, err := affine.Of(ctx, &q, people)
	if err != nil {
		return nil
	}
	if s.Individuals != nil && s.Individuals.Sign() == 0 {
		r.nobody()
		r.report.Convolved = true
		return nil
	}
	if s.Open() > affine.Target {
		return s
	}
	rep := r.report
	rep.Convolved, rep.Complete, rep.Reason = true, true, "the rounding of sums"
	rep.Grade = sdk.GradeRigorous
	if r.weights == nil {
		rep.Individuals = s.Individuals
	}
	rep.Fair, rep.Unfair = new(big.Rat).SetFloat64(s.Fair), new(big.Rat).SetFloat64(s.Unfair)
	rep.rest()
	if fault := r.beyond(rep.Fair, rep.Unfair); fault != "" {
		rep.contradicted("%s", fault)
	}
	return nil
}

// combine raises the reported shares to those that convolution proved, where these are larger.
// proved may be nil.
func (r *run) combine(proved *affine.Shares) {
	rep := r.report
	if proved == nil || len(rep.Faults) > 0 || rep.Nobody() {
		return
	}
	more := func(of *big.Rat, than float64) *big.Rat {
		if v := new(big.Rat).SetFloat64(than); v.Cmp(of) > 0 {
			rep.Grade = sdk.GradeRigorous
			return v
		}
		return of
	}
	rep.Fair, rep.Unfair = more(rep.Fair, proved.Fair), more(rep.Unfair, proved.Unfair)
	rep.rest()
	if rep.Undecided.Sign() < 0 {
		rep.contradicted("solver %s: its shares and those of convolution add up to more than 1", r.o.Description.Name)
	}
}
