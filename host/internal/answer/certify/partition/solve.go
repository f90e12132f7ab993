package partition

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// firstSoft is the soft limit of the solver's first pass, softGrowth its factor from pass
	// to pass: easy parts come first.
	firstSoft  = time.Second
	softGrowth = 4
	// heuristicFrom is the first pass, from 0, in which an undecided question is asked again
	// about a heuristically pruned network.
	heuristicFrom = 1
)

// solve asks the solvers about the parts left, pass by pass, in an order shuffled by the seed.
// It returns the parts that stay undecided.
func (r *run) solve(ctx context.Context, left []part) []part {
	if len(r.o.Solvers) == 0 {
		return left
	}
	rng := rand.New(rand.NewPCG(uint64(r.o.Seed), 0x9a27))
	rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	soft := min(firstSoft, r.o.SoftTimeout)
	for pass := 0; len(left) > 0 && !r.over(ctx) && r.lost < maxFaults; pass++ {
		stage := fmt.Sprintf("solver, at most %v a question", soft)
		left = r.pass(ctx, left, soft, pass, stage)
		if r.o.Adaptive && !r.over(ctx) {
			if halves := r.splitAll(left); len(halves) > len(left) {
				left = r.cheap(ctx, r.resume(halves), "bounds of split parts", splitBoxes)
				continue
			} // no part can be halved: only a longer question can help
		}
		if soft == r.o.SoftTimeout {
			break
		}
		soft = min(soft*softGrowth, r.o.SoftTimeout)
	}
	return left
}

// pass asks about each part once.
func (r *run) pass(ctx context.Context, parts []part, soft time.Duration, pass int, stage string) []part {
	return undecided(parts, r.o.Solvers, func(solver engine.Options, at part) bool {
		return !r.over(ctx) && !r.gone() && r.ask(ctx, solver, at, soft, pass, stage)
	})
}

func (r *run) gone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost >= maxFaults
}

// ask asks a solver about one part. From heuristicFrom on, an undecided part is asked about
// again with a pruned network, which can only find a witness; not if the solver takes the
// network itself.
func (r *run) ask(ctx context.Context, solver engine.Options, at part, soft time.Duration, pass int, stage string) bool {
	begin := time.Now()
	for _, heuristic := range []bool{false, true} {
		if heuristic && (pass < heuristicFrom || solver.Direct()) || ctx.Err() != nil {
			break
		}
		limited, cancel := context.WithTimeout(ctx, soft)
		q := *r.q
		q.Region = at.region
		solver.Heuristic = heuristic
		solver.Doubt = max(1, engine.DoubtCopies/r.report.Total) // DoubtCopies for all parts together
		rep, err := engine.Run(limited, &q, solver)
		cancel()
		r.note(rep, err)
		if rep == nil || rep.Verdict == engine.Undecided {
			continue
		}
		f := finding{verdict: rep.Verdict, by: by(rep), witness: rep.Witness}
		tolerance, formula := 0.0, ""
		if rep.Verdict == engine.Fair {
			f.grade, f.witness = rep.Grade, nil
			tolerance, formula = rep.Tolerance, rep.ToleranceFormula
		}
		r.settle(at, f, tolerance, formula, time.Since(begin), stage)
		return true
	}
	r.glimpse(stage)
	return false
}

// by is the method that counts for a part: the solver, if one of its regions needed it.
func by(rep *engine.Report) engine.Method {
	for _, m := range []engine.Method{engine.BySolver, engine.BySampling, engine.ByEnumeration} {
		if rep.Regions[m] > 0 {
			return m
		}
	}
	return engine.ByBounds
}

// note adds a question's counters and faults to the report.
func (r *run) note(rep *engine.Report, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fault := func(text string) {
		if !slices.Contains(r.report.Faults, text) {
			r.report.Faults = append(r.report.Faults, text)
		}
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		r.lost++
		fault(err.Error())
		if errors.Is(err, sdk.ErrUnsupported) || errors.Is(err, sdk.ErrInvalidOption) {
			r.lost = maxFaults // asking again cannot help
		}
	}
	if rep == nil {
		return
	}
	if err == nil {
		r.lost = 0
	}
	r.report.Spurious += rep.Spurious
	r.report.Solves += rep.Solves
	r.report.Nodes += rep.Nodes
	for _, f := range rep.Faults {
		fault(f)
	}
	r.report.Refuted = append(r.report.Refuted, rep.Refuted...)
}

// splitAll halves each part; those that cannot be halved stay.
func (r *run) splitAll(parts []part) []part {
	p := newPruner(r.q)
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []part
	for _, at := range parts {
		low, high, ok := p.split(at.region, centre(r.q.Space, at.region))
		if !ok || r.report.Total >= MaxParts {
			out = append(out, at)
			continue
		}
		for k, half := range []space.Region{low, high} {
			out = append(out, part{half, Text(r.q.Space, r.whole, half), at.seed*2 + uint64(k) + 1})
		}
		r.report.Total++
		r.report.Undecided++
	}
	return out
}
