package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// marketSplit is an equality knapsack in several dimensions with one planted solution, which
// takes branch and bound almost as long as enumeration: Cornuéjols and Dawande, "A class of
// hard small 0-1 programs", IPCO 1998.
func marketSplit() *problem.MILP {
	const rows, columns = 5, 40
	rng := rand.New(rand.NewPCG(19, 98))
	p := &problem.MILP{Columns: known.Integers(columns, 0, 1)}
	planted := make([]float64, columns)
	for i := range planted {
		planted[i] = float64(rng.IntN(2))
	}
	for range rows {
		coefs, side := make([]float64, columns), 0.0
		for i := range coefs {
			coefs[i] = float64(1 + rng.IntN(99))
			side += coefs[i] * planted[i]
		}
		p.Rows = append(p.Rows, known.Row(side, side, coefs...))
	}
	return p
}

// hard returns a problem in form f that takes a long time to solve; the MILP and the
// script are feasible.
func hard(f problem.Form) *problem.Problem {
	switch f {
	case problem.FormMILP:
		return &problem.Problem{Name: "market split", MILP: marketSplit()}
	case problem.FormSMT:
		return &problem.Problem{Name: "market split", SMT: splitScript(marketSplit())}
	}
	return &problem.Problem{Name: "large network", Query: largeQuery()}
}

// hardFeasible returns a hard problem that is feasible, in every form.
func hardFeasible(f problem.Form) *problem.Problem {
	p := hard(f)
	if q := p.Query; q != nil {
		q.Epsilon = big.NewRat(53, 100) // (0, 99, 60, 75, 0, 39, 87, 84, 99, 78) has a gap of 0.5312
	}
	return p
}

// splitScript writes a problem with 0-1 columns and equality rows as a script.
func splitScript(p *problem.MILP) *problem.Script {
	var b strings.Builder
	for _, c := range p.Columns {
		fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (<= 0 %s 1))\n", c.Name, c.Name)
	}
	for _, r := range p.Rows {
		b.WriteString("(assert (= (+")
		for _, t := range r.Terms {
			fmt.Fprintf(&b, " (* %.0f %s)", t.Coef, p.Columns[t.Column].Name)
		}
		fmt.Fprintf(&b, ") %.0f))\n", r.Lo)
	}
	return known.Script(b.String())
}

var milpLimitCases = append(commonCases(problem.FormMILP), []Case[*SolverEnv]{
	on(problem.Decide, "milp/work-limit", "a work limit stops the solver, each time with the same result", checkWorkLimit),
	asked(problem.Decide, "milp/after-infeasible", "one problem leaves nothing behind that changes the next", func() milps {
		above := func(v float64) *problem.MILP {
			return &problem.MILP{Columns: known.Integers(2, 0, 3), Rows: []problem.Row{known.Row(v, inf, 1, 1)}}
		}
		return milps{{"infeasible", above(7), known.Infeasible}, {"feasible", above(6), known.Feasible}, {"infeasible", above(7), known.Infeasible}, {"feasible", above(6), known.Feasible}}
	}),
	on(problem.Maximise, "milp/target", "a target ends the search at a point that reaches it, and at none that does not", checkTarget),
	on(problem.Maximise, "milp/gap", "a gap may end the search early, with a bound that still holds", checkGap),
	on(problem.Maximise, "milp/progress", "reported points are feasible, reported bounds hold, and nothing is reported afterwards", checkProgress),
	on(problem.Maximise, "milp/threads", "more threads, another seed: the same optimum", checkThreads),
	on(problem.Maximise, "milp/concurrent", "several calls at once do not disturb each other, if concurrency is claimed", checkConcurrent),
}...)

func checkWorkLimit(ctx context.Context, e *SolverEnv) error {
	p := hard(problem.FormMILP)
	var results []*sdk.Result
	for range 2 {
		r, err := e.stopped(ctx, p, sdk.WorkLimit, 0, sdk.SolveOptions{WorkLimit: 1, Seed: 3})
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	a, b := results[0], results[1]
	if a.Status != b.Status || a.Nodes != b.Nodes || !sameValues(a.Values, b.Values) {
		return fmt.Errorf("two runs under the same work limit differ: %s at %v after %d nodes, %s at %v after %d", known.Said(a, nil), a.Values, a.Nodes, known.Said(b, nil), b.Values, b.Nodes)
	}
	return nil
}

func checkTarget(ctx context.Context, e *SolverEnv) error {
	ask := func(p *problem.MILP, target, best float64) error {
		r, err := e.askMILP(ctx, fmt.Sprintf("target %v", target), p, known.Optimum(best), sdk.SolveOptions{Target: &target})
		if err != nil {
			return err
		}
		s := -1.0
		if p.Objective.Maximise {
			s = 1
		}
		within := s*(best-target) >= 0
		switch {
		case r.Status == sdk.Feasible && within && s*(target-r.Objective) > e.Slack(target):
			return fmt.Errorf("stopped at %v, short of the target %v", r.Objective, target)
		case r.Status == sdk.Feasible && !within:
			return fmt.Errorf("target %v is beyond the optimum %v: want optimal, got %s", target, best, known.Said(r, nil))
		case r.Status == sdk.Unknown:
			return fmt.Errorf("no answer to a small problem: %s", known.Said(r, nil))
		}
		return nil
	}
	small := &problem.MILP{Columns: known.Integers(2, 0, 9), Rows: []problem.Row{known.Row(3, 5, 1, 1)}, Objective: known.Min(1, 1)}
	return errors.Join(
		ask(knapsack(), 12, knapsackOptimum), ask(knapsack(), knapsackOptimum, knapsackOptimum), ask(knapsack(), 40, knapsackOptimum),
		ask(small, 4, 3), ask(small, -2, 3),
	)
}

func checkGap(ctx context.Context, e *SolverEnv) error {
	const gap = 0.5
	r, err := e.claim(ctx, &problem.Problem{Name: "gap", MILP: knapsack()}, sdk.SolveOptions{Gap: gap})
	if err != nil {
		return err
	}
	if r.Status != sdk.Optimal && r.Status != sdk.Feasible {
		return fmt.Errorf("%s is claimed; the problem is feasible", known.Said(r, nil))
	}
	if r.HasBound && r.Bound < knapsackOptimum-e.Slack(knapsackOptimum) {
		return fmt.Errorf("the bound %v cuts off the optimum %v", r.Bound, knapsackOptimum)
	}
	if r.Objective < (1-gap)*knapsackOptimum-e.Slack(knapsackOptimum) {
		return fmt.Errorf("%s at %v: further than a gap of %v from the optimum %v", r.Status, r.Objective, gap, knapsackOptimum)
	}
	return nil
}

func checkProgress(ctx context.Context, e *SolverEnv) error {
	var mu sync.Mutex
	var reports []sdk.Progress
	returned, late := false, false
	o := sdk.SolveOptions{Progress: func(p sdk.Progress) {
		mu.Lock()
		defer mu.Unlock()
		late = late || returned
		p.Values = slices.Clone(p.Values)
		reports = append(reports, p)
	}}
	p := knapsack()
	if _, err := e.askMILP(ctx, "progress", p, known.Optimum(knapsackOptimum), o); err != nil {
		return err
	}
	mu.Lock()
	returned = true
	seen := slices.Clone(reports)
	mu.Unlock()
	for i, r := range seen {
		if err := e.checkReport(p, r); err != nil {
			return fmt.Errorf("progress report %d: %w", i, err)
		}
	}
	// Solving another problem leaves time for a late report on the first one.
	if _, err := e.askMILP(ctx, "after progress", knapsack(), known.Optimum(knapsackOptimum), sdk.SolveOptions{}); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if late {
		return errors.New("progress was reported after Solve had returned")
	}
	return nil
}

// checkReport checks a report's point, as a claim of the coarsest tolerance, and its bound
// against the optimum.
func (e *SolverEnv) checkReport(p *problem.MILP, g sdk.Progress) error {
	if g.HasBound && !(g.Bound >= knapsackOptimum-e.Slack(knapsackOptimum)) {
		return fmt.Errorf("the bound %v cuts off the optimum %v", g.Bound, knapsackOptimum)
	}
	as := &sdk.Result{Status: sdk.Feasible, Values: g.Values, Objective: g.Objective, Nodes: g.Nodes, Elapsed: g.Elapsed, Tolerance: known.MaxTolerance}
	if g.Values == nil {
		as.Status, as.Reason = sdk.Unknown, sdk.Other
	}
	return known.Referee{Grade: max(e.Grade, sdk.GradeRigorous)}.Claim(&problem.Problem{Name: "progress", MILP: p}, as)
}

func checkThreads(ctx context.Context, e *SolverEnv) error {
	for _, o := range []sdk.SolveOptions{{Threads: 1}, {Threads: 2}, {Seed: 1}, {Seed: math.MaxInt64}, {Seed: -1, Threads: 2}} {
		if _, err := e.askMILP(ctx, fmt.Sprintf("threads %d, seed %d", o.Threads, o.Seed), knapsack(), known.Optimum(knapsackOptimum), o); err != nil {
			return err
		}
	}
	return nil
}

func checkConcurrent(ctx context.Context, e *SolverEnv) error {
	if !e.Description.Concurrent {
		return skip("concurrent calls are not claimed")
	}
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range 5 {
				p := &problem.MILP{Columns: known.Integers(2, 0, 9), Rows: []problem.Row{known.Row(-inf, float64(i+3), 1, 1)}, Objective: known.Max(1, 1)}
				if _, err := e.askMILP(ctx, fmt.Sprintf("concurrent %d", i), p, known.Optimum(float64(i+3)), sdk.SolveOptions{}); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
