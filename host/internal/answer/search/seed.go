package search

import (
	"context"
	"math"

	"github.com/hyfair/hyfair/sdk"
)

// Seeder is the solver in the loop.
type Seeder interface {
	// Seed asks for an individual with gap > ε near another one. ok is false
	// if none was found; an error means that the solver is lost.
	Seed(ctx context.Context, from []float64, seed int64) (x []float64, ok bool, err error)
}

// trySeed asks the solver and evaluates its answer.
func (r *run) trySeed(ctx context.Context, m *sdk.Move) sdk.Trial {
	trial := sdk.Trial{ID: m.ID, Status: sdk.TrialNoSolver}
	if !r.readable(m.Point) {
		r.result.Outside++
		trial.Status = sdk.TrialOutside
		return trial
	}
	if r.Seeder == nil {
		return trial
	}
	asking, cancel := ctx, context.CancelFunc(func() {})
	if r.SeedLimit > 0 {
		asking, cancel = r.Stream.Clock.Within(ctx, r.SeedLimit)
	}
	defer cancel()
	x, ok, err := r.Seeder.Seed(asking, m.Point, mix(r.Seed, m.ID))
	trial.Status = sdk.TrialNoSeed
	switch {
	case ctx.Err() != nil && !ok:
		return trial
	case err != nil && asking.Err() == nil:
		r.result.SolverErr = r.fault(r.Solver, err)
		r.Seeder = nil
		trial.Status = sdk.TrialNoSolver
		return trial
	case err != nil || !ok:
		r.result.NoSeed++
		return trial
	}
	if r.refuses(x) {
		return r.refused(m)
	}
	if found, ok := r.evaluate(m, x); ok && found.Violates {
		return found
	}
	r.result.Spurious++
	return trial
}

// readable reports whether a point has the space's width and finite entries.
func (r *run) readable(x []float64) bool {
	if len(x) != len(r.Space.Features) {
		return false
	}
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// mix derives the seed of one question to the solver (the finaliser of
// splitmix64). It is non-negative, which some solvers require.
func mix(seed, id int64) int64 {
	z := uint64(seed) + uint64(id)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int64((z ^ z>>31) >> 1)
}
