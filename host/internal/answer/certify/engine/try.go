package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tryTime limits the question of Try, which a solver answers at once or refuses.
const tryTime = 5 * time.Second

// Try asks about the copies of one individual of the region, to learn before the work begins
// whether the solver refuses an option's value, the model or the form. Only a refusal is an
// error.
func Try(ctx context.Context, q *problem.Query, o Options) error {
	for _, m := range o.Portfolio {
		if err := Try(ctx, q, o.as(m)); err != nil {
			return err
		}
	}
	if len(o.Portfolio) > 0 {
		return nil
	}
	r, err := newRun(q, o)
	if err != nil {
		return err
	}
	region := r.q.RegionOrWhole()
	region.Box = append(space.Box(nil), region.Box...)
	x := r.q.Space.Draw(region.Box, rand.New(rand.NewPCG(uint64(o.Seed), 0)))
	for _, i := range r.q.Space.Free() {
		region.Box[i] = space.Interval{Lo: x[i], Hi: x[i]}
	}
	p := &problem.Problem{Name: problem.Decide.String(), Query: r.part(region)}
	if r.lower.Form != problem.FormNetwork {
		low, err := r.lowered(r.part(region), r.bounds(region))
		if low == nil || err != nil {
			return nil
		}
		p = low.problem
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	_, err = r.o.Solver.Solve(ctx, p, r.o.Solving(ctx))
	if failure := (*Failure)(nil); errors.As(Failed(err), &failure) {
		return nil
	}
	return err
}
