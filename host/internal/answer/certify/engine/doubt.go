package engine

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// DoubtCopies bounds the copies evaluated to refute a proof that rests on a solver's word
	// alone: some tens of milliseconds on the public networks.
	DoubtCopies = 100_000
	// leastCopies is the least cost of an individual, in copies.
	leastCopies = 16
	// doubtTime bounds the time of a doubt, on slow networks.
	doubtTime = time.Second
)

// Doubt tries to refute claims about parts of a question's region.
type Doubt struct{ r *run }

// NewDoubt makes a Doubt for a valid question.
func NewDoubt(q *problem.Query, seed int64) *Doubt {
	return &Doubt{&run{q: q, o: Options{Seed: seed}, replay: individual.NewJudge(q), report: &Report{}}}
}

// Refute searches a region for a witness with a margin above the claimed one, or one that reaches
// the question's bins; nil if it finds none. The seed chooses the copies that are evaluated, and
// copies bounds their number.
func (d *Doubt) Refute(ctx context.Context, region space.Region, copies int, claimed *big.Rat) *individual.Witness {
	return d.r.refute(ctx, region, copies, claimed)
}

// refute implements Doubt.Refute.
func (r *run) refute(ctx context.Context, region space.Region, copies int, claimed *big.Rat) (found *individual.Witness) {
	ctx, cancel := context.WithTimeout(ctx, doubtTime)
	defer cancel()
	c := r.climber()
	if c == nil {
		return nil
	}
	promising := c.promising(claimed)
	enough := func(x []float64, merit float64) bool {
		if found == nil && merit > promising {
			found = r.settle(x, claimed)
		}
		return found != nil
	}
	individuals := max(1, copies/max(leastCopies, c.eval.Combinations()))
	if _, few := r.q.Space.CountIndividuals(region.Box, individuals); !few {
		c.climb(ctx, region, individuals, rand.New(rand.NewPCG(uint64(r.o.Seed), 0xd0b7)), enough)
		return found
	}
	for x := range r.q.Space.Individuals(region.Box) {
		if merit, ok := c.merit(x); ctx.Err() != nil || ok && enough(x, merit) {
			break
		}
	}
	return found
}

// doubted tries to refute a proof that rests on the solver's word: that no margin exceeds a limit
// by more than the report's tolerance. It returns true if a witness refutes the proof: the witness
// then replaces it, and the solver is at fault. A witness within the tolerance leaves the bound as
// it is. Nothing is tried if a climb has searched before, or if only the solver's points count.
func (r *run) doubted(ctx context.Context, limit float64) (out bool) {
	climbed := r.o.Climb && r.lower.Form != problem.FormNetwork && r.o.Bounds != BoundsLP
	if r.report.Solves == 0 || r.o.SolverOnly || climbed {
		return false
	}
	claimed, copies, region := r.target, r.o.Doubt, r.q.RegionOrWhole()
	if !r.deciding && !math.IsInf(limit, -1) {
		claimed = new(big.Rat).SetFloat64(limit + slip(limit) + r.report.Tolerance)
	}
	if copies == 0 {
		copies = DoubtCopies
	}
	w := r.refute(ctx, region, copies, claimed)
	if w == nil {
		return false
	}
	r.found(w)
	if r.q.Reach() == 0 && w.Margin <= limit+slip(limit)+r.report.Tolerance {
		return false
	}
	r.refutation(r.contradiction(limit, w), region, w, limit+r.report.Tolerance)
	r.report.Regions = map[Method]int{BySampling: 1}
	r.report.HasBound = false
	r.report.unproved()
	r.merge(outcome{bound: r.trivialBound(r.bounds(region))})
	return true
}

// contradiction says how a witness refutes a claim.
func (r *run) contradiction(limit float64, w *individual.Witness) string {
	if r.q.Reach() > 0 {
		return fmt.Sprintf("it claims that no individual reaches %d bins; a replayed individual does", r.q.Reach())
	}
	return fmt.Sprintf("it claims that nothing exceeds %.9g; a replayed witness has %.9g", limit, w.Margin)
}
