package engine

import (
	"context"
	"math/big"
	"math/rand/v2"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// climbEvaluations bounds the copies that one climb evaluates: about 0.1 s on the public
	// networks.
	climbEvaluations = 400_000
	// climbDraws is the number of random individuals drawn for a climb; the best one starts it.
	climbDraws = 32
)

// climber searches for individuals with a large margin, by random restarts and coordinate
// ascent. It works in floating point and proves nothing: its finds are replayed. Not safe for
// concurrent use.
type climber struct {
	*run
	eval *evaluate.Evaluator
	// left is the remaining number of evaluations.
	left int
}

// climber returns the run's climber; nil if the region's table of combinations is too large.
func (r *run) climber() *climber {
	if r.climbing == nil {
		e, err := r.replay.Evaluator()
		if err != nil {
			return nil
		}
		r.climbing = &climber{run: r, eval: e}
	}
	return r.climbing
}

// merit ranks individuals: by k, if the question is about bins, then by margin. For the
// decision notions it is negative if all copies have the same decision: the distance to the
// nearest flip.
func (c *climber) merit(x []float64) (merit float64, ok bool) {
	if c.left--; c.q.Within != nil && !c.q.Within.Has(x) {
		return 0, false
	}
	o := c.eval.Evaluate(x)
	if o.N < 2 {
		return 0, false
	}
	if c.q.Reach() > 0 || c.q.Goal == problem.MaxK {
		return float64(o.K) + o.Gap/2, true
	}
	hi := c.q.Model.Logit(c.q.Space.NetworkInputs(nil, c.eval.Point(x, o.ArgMax)))
	lo := c.q.Model.Logit(c.q.Space.NetworkInputs(nil, c.eval.Point(x, o.ArgMin)))
	if merit = c.q.Notion.Promise(hi, lo); !c.q.Notion.Linear() {
		merit += 1e-6 * (hi - lo) // the sigmoid may be flat; logits still differ
	}
	return merit, true
}

// effort is the number of individuals that a climb evaluates before a solver is asked. It falls
// with each split, since a climb has covered the region before.
func (c *climber) effort() int {
	return climbEvaluations >> min(c.report.Splits, 8) / max(1, c.eval.Combinations())
}

// climb returns the best individual of several restarts, within the given number of evaluations, or
// the first for which enough returns true. ok is false if it met no individual with two
// counterfactuals.
func (c *climber) climb(ctx context.Context, region space.Region, individuals int, rng *rand.Rand, enough func(x []float64, merit float64) bool) (best []float64, ok bool) {
	top := 0.0
	c.left = individuals
	if n, ok := c.q.Space.CountIndividuals(region.Box, c.left); ok {
		c.left = min(c.left, 4*n) // a small region needs few evaluations
	}
	for c.left > 0 && ctx.Err() == nil {
		x, merit, found := c.draw(ctx, region, rng)
		if !found {
			continue
		}
		if !enough(x, merit) {
			x, merit = c.ascend(ctx, region, x, merit, enough)
		}
		if !ok || merit > top {
			best, top, ok = x, merit, true
		}
		if enough(x, merit) {
			return x, true
		}
	}
	return best, ok
}

// draw returns the best of climbDraws random individuals; ok is false if none has a merit.
func (c *climber) draw(ctx context.Context, region space.Region, rng *rand.Rand) (best []float64, top float64, ok bool) {
	for range climbDraws {
		if ctx.Err() != nil || c.left <= 0 {
			break
		}
		x := c.q.Space.Draw(region.Box, rng)
		if v := c.q.Within; v != nil { // a row, about one of its values replaced
			row, free := v.Rows[rng.IntN(len(v.Rows))], c.q.Space.Free()
			for _, i := range free {
				if rng.IntN(len(free)) > 0 {
					x[i] = max(region.Box[i].Lo, min(row[i], region.Box[i].Hi))
				}
			}
		}
		if m, counts := c.merit(x); counts && (!ok || m > top) {
			best, top, ok = x, m, true
		}
	}
	return best, top, ok
}

// ascend changes one feature at a time until none improves.
func (c *climber) ascend(ctx context.Context, region space.Region, x []float64, merit float64, enough func([]float64, float64) bool) ([]float64, float64) {
	for improved := true; improved; {
		improved = false
		for _, i := range c.q.Space.Free() {
			keep := x[i]
			for _, v := range candidates(&c.q.Space.Features[i], region.Box[i], keep) {
				if c.left <= 0 || ctx.Err() != nil {
					x[i] = keep
					return x, merit
				}
				x[i] = v
				if m, ok := c.merit(x); ok && m > merit+1e-9 {
					keep, merit, improved = v, m, true
				}
			}
			x[i] = keep
			if improved && enough(x, merit) {
				return x, merit
			}
		}
	}
	return x, merit
}

// lookAround climbs in a region. A violation is recorded, unless only the solver's points
// count. It returns the extreme pair of the best individual, as a start for a solver; nil if
// there is none.
func (r *run) lookAround(ctx context.Context, region space.Region) (start [][]float64) {
	c := r.climber()
	if c == nil {
		return nil
	}
	rng := rand.New(rand.NewPCG(uint64(r.o.Seed), uint64(r.report.Solves)^0xc11b))
	promising := c.promising(r.target)
	credit := func(x []float64) bool {
		w := r.settle(x, r.target)
		if w != nil {
			r.found(w)
		}
		return w != nil
	}
	x, ok := c.climb(ctx, region, c.effort(), rng, func(x []float64, merit float64) bool {
		return r.deciding && merit > promising && (r.o.SolverOnly || credit(x))
	})
	if !ok {
		return nil
	}
	if !r.deciding && !r.o.SolverOnly {
		credit(x)
	}
	o := c.eval.Evaluate(x)
	return [][]float64{c.eval.Point(x, o.ArgMax), c.eval.Point(x, o.ArgMin)}
}

// promising is the merit above which an individual is replayed for a target.
func (c *climber) promising(target *big.Rat) float64 {
	if c.q.Reach() > 0 {
		return float64(c.q.Reach()) - 0.25
	}
	t, _ := target.Float64()
	return t
}

// settle replays an individual exactly. It returns the witness for the target, or nil.
func (r *run) settle(x []float64, target *big.Rat) *individual.Witness {
	if r.q.Reach() > 0 {
		return r.replay.Reaching(x, r.q.Reach())
	}
	return r.replay.Extreme(x, target)
}
