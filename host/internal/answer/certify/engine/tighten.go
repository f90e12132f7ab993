package engine

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// BoundsLP names the bounds that the solver itself tightens: it starts from linear bounds, then
// minimises and maximises each unstable neuron over the linear relaxation of the layers before
// it. Every conclusion depends on the solver's arithmetic and is numerical at best.
const BoundsLP = "lp"

// maxTightenings bounds the linear programs solved for one region.
const maxTightenings = 2000

// BoundsNames lists what Options.Bounds can be.
func BoundsNames() []string {
	var names []string
	for _, m := range bound.Methods {
		names = append(names, m.Name)
	}
	return append(names, BoundsLP)
}

// LookupBounds finds a bounding method that needs no solver; for BoundsLP, the one to start
// from.
func LookupBounds(name string) (bound.Method, error) {
	if name == BoundsLP {
		return bound.Lookup("linear")
	}
	m, err := bound.Lookup(name)
	if err != nil {
		return m, fmt.Errorf("unknown bounds %q; known: %s", name, strings.Join(BoundsNames(), ", "))
	}
	return m, nil
}

// tightened narrows the bounds over a region by linear programs, layer by layer. The logit's
// bounds are widened by the solver's tolerance, and the width is returned as tolerance. If the
// solver gives no optimum, a bound stays unchanged.
func (r *run) tightened(ctx context.Context, region space.Region, b *bound.Bounds) (out *bound.Bounds, tolerance float64, err error) {
	out = &bound.Bounds{Pre: make([][]space.Interval, len(b.Pre)), Logit: b.Logit, Difference: b.Difference}
	for k := range b.Pre {
		out.Pre[k] = append([]space.Interval(nil), b.Pre[k]...)
	}
	left := maxTightenings
	// Over a box, the intervals of the first layer are optimal already.
	for k := 1; k < len(b.Pre) && left > 0 && ctx.Err() == nil; k++ {
		if tolerance, err = r.tightenLayer(ctx, region, out, k, &left); err != nil {
			return b, 0, err
		}
	}
	if len(b.Pre) > 1 {
		last := len(b.Pre) - 1
		if len(out.Pre[last]) == 1 {
			out.Pre[last][0] = out.Logit
		}
	}
	return out, tolerance, nil
}

// tightenLayer narrows the unstable neurons of layer k, or the logit.
func (r *run) tightenLayer(ctx context.Context, region space.Region, b *bound.Bounds, k int, left *int) (tolerance float64, err error) {
	relaxed, err := encode.Relax(r.part(region), b, k)
	if err != nil {
		return 0, nil //nolint:nilerr // infinite bounds, and those beyond float64, are not tightened
	}
	loaded, err := r.o.Solver.Load(ctx, relaxed.Problem)
	if err != nil {
		return 0, Failed(err)
	}
	defer loaded.Close()
	output := k == len(b.Pre)-1
	for j := range relaxed.Neurons {
		iv := &b.Pre[k][j]
		if output {
			iv = &b.Logit
		} else if !relaxed.ReLU || iv.Lo >= 0 || iv.Hi <= 0 {
			continue
		}
		for _, maximise := range []bool{true, false} {
			if *left <= 0 || ctx.Err() != nil {
				return tolerance, nil
			}
			*left--
			v, width, ok, err := r.optimum(ctx, loaded, relaxed, j, maximise)
			if err != nil {
				return 0, err
			}
			if !ok {
				continue
			}
			if output {
				tolerance = math.Max(tolerance, width)
			}
			if maximise {
				iv.Hi = math.Min(iv.Hi, math.Max(v, iv.Lo))
			} else {
				iv.Lo = math.Max(iv.Lo, math.Min(v, iv.Hi))
			}
		}
	}
	return tolerance, nil
}

// optimum returns a neuron's largest or smallest value, moved outward by width, the effect of
// the solver's tolerance; ok is false if the solver gives none.
func (r *run) optimum(ctx context.Context, loaded sdk.Loaded, relaxed *encode.Relaxation, j int, maximise bool) (v, width float64, ok bool, err error) {
	objective := relaxed.Neurons[j]
	objective.Maximise = maximise
	r.report.Solves++
	res, err := loaded.Solve(ctx, problem.Delta{Objective: &objective}, sdk.SolveOptions{
		Seed: r.o.Seed, Threads: r.o.Threads, Memory: r.o.Memory, Options: r.o.Set})
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, 0, false, nil
	case err != nil:
		return 0, 0, false, Failed(err)
	case res == nil || res.Status != sdk.Optimal || !(res.Tolerance >= 0 && res.Tolerance <= maxTolerance):
		return 0, 0, false, nil
	}
	v = res.Objective
	if res.HasBound {
		if v = math.Max(v, res.Bound); !maximise {
			v = math.Min(res.Objective, res.Bound)
		}
	}
	width = relaxed.Widths[j]*res.Tolerance + 1e-9*(1+math.Abs(v))
	if !maximise {
		width = -width
	}
	return v + width, math.Abs(width), !math.IsNaN(v) && !math.IsInf(v, 0), nil
}
