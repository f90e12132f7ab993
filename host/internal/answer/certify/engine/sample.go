package engine

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// auditSamples is the number of random individuals that test each proof of a solver.
	auditSamples = 200
	// auditCopies is roughly the number of an individual's copies that are evaluated, if it has
	// more.
	auditCopies = 100
)

// trivialBound is the largest margin that the enclosures of the logits and of their difference
// allow.
func (r *run) trivialBound(b *bound.Bounds) float64 {
	return r.q.Notion.Most(b.Logit.Hi, b.Logit.Lo, b.Apart())
}

// excludedBound returns the bound of a region whose enclosures leave nothing above the target, or
// no copies to compare: the trivial bound, but at most the next float64 above the target.
func (r *run) excludedBound(b *bound.Bounds) float64 {
	beyond := math.Nextafter(r.best(), math.Inf(1))
	if m := r.trivialBound(b); !math.IsInf(m, -1) {
		return math.Min(m, beyond)
	}
	return beyond
}

// audit tries random individuals of the region against a claim that nothing in it exceeds the
// target by more than margin, and reports whether one does. If one exceeds the tolerance, too,
// the claim is a fault.
func (a *ask) audit(out *answer, margin, tolerance float64) bool {
	if a.o.Heuristic {
		return false // the claim is about another network
	}
	region, rng := a.low.region, a.auditor()
	limit := a.best() + margin
	if w := out.seen; a.deciding && w != nil && w.Margin > limit {
		// A witness that the solver itself reported outweighs its final claim.
		a.found(w)
		if w.Margin > limit+tolerance {
			out.fault = fmt.Sprintf("it claims that nothing exceeds %.9g; a witness that it reported earlier has %.9g", limit, w.Margin)
			a.refutation(out.fault, region, w, limit+tolerance)
		}
		return true
	}
	for range auditSamples { // however little time is left, see attend
		if a.abandoned() {
			break
		}
		x := a.q.Space.Draw(region.Box, rng)
		if m := a.floatMargin(x); !(m > a.best()) {
			continue
		}
		w := a.replay.Extreme(x, a.target)
		if w == nil {
			continue
		}
		if !a.o.SolverOnly {
			a.found(w)
		}
		if w.Margin > limit+tolerance {
			out.fault = fmt.Sprintf("it claims that nothing exceeds %.9g; a replayed witness has %.9g", limit, w.Margin)
			a.refutation(out.fault, region, w, limit+tolerance)
		}
		if w.Margin > limit {
			return true
		}
	}
	return false
}

// beaten tries random individuals against bounds that the solver tightened, and reports whether
// one exceeds the target by more than they allow: a fault of the solver.
func (r *run) beaten(region space.Region) bool {
	w := r.counterexample(region, r.best()+encode.LeastMargin, r.target)
	if w == nil {
		return false
	}
	what := fmt.Sprintf("its bounds exclude a replayed witness with %.9g", w.Margin)
	if !slices.Contains(r.report.Faults, r.o.faulty(what)) {
		r.refutation(what, region, w, r.best()+encode.LeastMargin)
	}
	return true
}

// counterexample draws random individuals of a region and returns the first witness for the
// target; nil if there is none. Unless the question is about bins, only individuals with a
// float64 margin above least are replayed. The witness is recorded, unless only the solver's
// points count.
func (r *run) counterexample(region space.Region, least float64, target *big.Rat) *individual.Witness {
	rng := r.auditor()
	for i := 0; i < auditSamples && !r.abandoned(); i++ { // however little time is left, see attend
		x := r.q.Space.Draw(region.Box, rng)
		if r.q.Reach() == 0 && !(r.floatMargin(x) > least) {
			continue
		}
		if w := r.settle(x, target); w != nil {
			if !r.o.SolverOnly {
				r.found(w)
			}
			return w
		}
	}
	return nil
}

// auditor returns the random source of the individuals that test a claim.
func (r *run) auditor() *rand.Rand {
	return rand.New(rand.NewPCG(uint64(r.o.Seed), uint64(r.report.Solves)))
}

// floatMargin is the notion's margin at x in float64; of many copies, only some are evaluated.
// It is not above 0 if x has fewer than two counterfactuals or no pair that the notion
// compares.
func (r *run) floatMargin(x []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	inputs := make([]float64, r.q.Space.Inputs)
	n, seen := r.q.RegionOrWhole().Count(), 0
	step := max(1, n/auditCopies)
	r.q.Space.EachCombination(r.q.RegionOrWhole(), x, func(point []float64) {
		seen++
		if (seen-1)%step != 0 || !r.q.Space.Allowed(point) {
			return
		}
		l := r.q.Model.Logit(r.q.Space.NetworkInputs(inputs, point))
		lo, hi = math.Min(lo, l), math.Max(hi, l)
	})
	return r.q.Notion.Between(hi, lo)
}

// polish climbs from a witness by changing one feature at a time to values near and across its
// domain, as long as the margin grows, and replays the result. No proof rests on it.
func (a *ask) polish(ctx context.Context, w *individual.Witness) {
	s, region := a.q.Space, a.q.RegionOrWhole()
	x := append([]float64(nil), w.Copy1...)
	best := a.floatMargin(x)
	for improved := true; improved && ctx.Err() == nil; {
		improved = false
		for _, i := range s.Free() {
			at := x[i]
			keep := at
			for _, v := range candidates(&s.Features[i], region.Box[i], at) {
				if ctx.Err() != nil {
					break
				}
				x[i] = v
				if m := a.floatMargin(x); m > best+1e-9 {
					best, keep, improved = m, v, true
				}
			}
			x[i] = keep
		}
	}
	if better := a.replay.Extreme(x, a.target); better != nil {
		a.found(better)
	}
}

// candidates returns the values that a climb tries: all of a small discrete domain, else the
// ends and steps of growing size around the current value.
func candidates(f *space.Feature, iv space.Interval, at float64) []float64 {
	var out []float64
	if f.Discrete() && iv.Hi-iv.Lo <= 16 {
		for v := math.Ceil(iv.Lo); v <= iv.Hi; v++ {
			out = append(out, v)
		}
		return out
	}
	out = append(out, iv.Lo, iv.Hi)
	least := (iv.Hi - iv.Lo) / 1024
	if f.Discrete() {
		out[0], out[1] = math.Ceil(iv.Lo), math.Floor(iv.Hi)
		least = 1
	}
	for step := least; step <= iv.Hi-iv.Lo && step > 0; step *= 2 {
		for _, v := range []float64{at - step, at + step} {
			if iv.Contains(v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// weigh evaluates an individual exactly and returns its witness for the current target, or nil.
func (r *run) weigh(ctx context.Context, x []float64) *individual.Witness {
	if r.q.Reach() > 0 {
		return r.replay.Reaching(x, r.q.Reach())
	}
	return r.replay.Worst(ctx, x, r.target)
}

// enumerate decides a small region by evaluating every individual exactly.
func (r *run) enumerate(ctx context.Context, region space.Region) outcome {
	done := outcome{decided: true, by: ByEnumeration, grade: sdk.GradeExact}
	for x := range r.q.Space.Individuals(region.Box) {
		// Each witness raises the target, until no pair of x exceeds it.
		for w := r.weigh(ctx, x); w != nil; w = r.weigh(ctx, x) {
			if r.found(w); r.deciding {
				return outcome{decided: true, by: ByEnumeration, bound: r.trivialBound(r.bounds(region))}
			}
		}
		if ctx.Err() != nil {
			return outcome{stopped: true, bound: r.trivialBound(r.bounds(region)), why: r.reason(ctx)}
		}
	}
	done.bound = r.above()
	return done
}
