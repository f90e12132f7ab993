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

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// marketSplit is an equality knapsack in several dimensions with one planted solution, which
// takes branch and bound almost as long as enumeration: Cornuéjols and Dawande, "A class of
// hard small 0-1 programs", IPCO 1998.
func marketSplit() *problem.MILP {
	const rows, columns = 5, 40
	rng := rand.New(rand.NewPCG(19, 98))
	p := &problem.MILP{Columns: integers(columns, 0, 1)}
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
		p.Rows = append(p.Rows, row(side, side, coefs...))
	}
	return p
}

// hard is a problem of the form that takes long; the MILP and the script are
// feasible.
func hard(f problem.Form) *problem.Problem {
	switch f {
	case problem.FormMILP:
		return &problem.Problem{Name: "market split", MILP: marketSplit()}
	case problem.FormSMT:
		return &problem.Problem{Name: "market split", SMT: splitScript(marketSplit())}
	}
	return &problem.Problem{Name: "large network", Query: largeQuery()}
}

// hardFeasible is hard, and feasible in every form.
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
	s := &problem.Script{}
	for _, c := range p.Columns {
		fmt.Fprintf(&b, "(declare-const %s Int)\n(assert (<= 0 %s 1))\n", c.Name, c.Name)
		s.Symbols = append(s.Symbols, problem.Symbol{Name: c.Name, Sort: "Int", Role: problem.RoleOther})
	}
	for _, r := range p.Rows {
		b.WriteString("(assert (= (+")
		for _, t := range r.Terms {
			fmt.Fprintf(&b, " (* %.0f %s)", t.Coef, p.Columns[t.Column].Name)
		}
		fmt.Fprintf(&b, ") %.0f))\n", r.Lo)
	}
	s.Text = b.String()
	return s
}

var milpLimitCases = append(commonCases(problem.FormMILP), []SolverCase{
	{Name: "milp/work-limit", Doc: "a work limit stops the solver, each time with the same result",
		Needs: needs(problem.FormMILP, problem.Decide), Run: checkWorkLimit},
	{Name: "milp/after-infeasible", Doc: "one problem leaves nothing behind that changes the next",
		Needs: needs(problem.FormMILP, problem.Decide), Run: checkAfterInfeasible},
	{Name: "milp/target", Doc: "a target ends the search at a point that reaches it, and at none that does not",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkTarget},
	{Name: "milp/gap", Doc: "a gap may end the search early, with a bound that still holds",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkGap},
	{Name: "milp/progress", Doc: "reported points are feasible, reported bounds hold, and nothing is reported afterwards",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkProgress},
	{Name: "milp/threads", Doc: "more threads, another seed: the same optimum",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkThreads},
	{Name: "milp/concurrent", Doc: "several calls at once do not disturb each other, where that is claimed",
		Needs: needs(problem.FormMILP, problem.Maximise), Run: checkConcurrent},
}...)

func checkWorkLimit(ctx context.Context, e *SolverEnv) error {
	p := hard(problem.FormMILP)
	var results []*sdk.Result
	for range 2 {
		var r *sdk.Result
		var err error
		late := within(e.Options.grace(), "Solve under a work limit of 1", func() { r, err = e.solve(ctx, p, sdk.SolveOptions{WorkLimit: 1, Seed: 3}) })
		if late != nil {
			return late
		}
		if err != nil {
			return err
		}
		if err := e.stoppedFor(p, r, sdk.WorkLimit); err != nil {
			return err
		}
		results = append(results, r)
	}
	a, b := results[0], results[1]
	if a.Status != b.Status || a.Nodes != b.Nodes || !sameValues(a.Values, b.Values) {
		return fmt.Errorf("two runs under the same work limit differ: %s after %d nodes, %s after %d", answer(a, nil), a.Nodes, answer(b, nil), b.Nodes)
	}
	return nil
}

func checkAfterInfeasible(ctx context.Context, e *SolverEnv) error {
	bad := &problem.MILP{Columns: integers(2, 0, 3), Rows: []problem.Row{row(7, inf, 1, 1)}}
	good := &problem.MILP{Columns: integers(2, 0, 3), Rows: []problem.Row{row(6, inf, 1, 1)}}
	for range 2 {
		if _, err := e.askMILP(ctx, "infeasible", bad, infeasible, sdk.SolveOptions{}); err != nil {
			return err
		}
		if _, err := e.askMILP(ctx, "feasible", good, feasible, sdk.SolveOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func checkTarget(ctx context.Context, e *SolverEnv) error {
	ask := func(p *problem.MILP, target, best float64) error {
		r, err := e.askMILP(ctx, fmt.Sprintf("target %v", target), p, optimum(best), sdk.SolveOptions{Target: &target})
		if err != nil {
			return err
		}
		s := sign(p.Objective.Maximise)
		within := s*(best-target) >= 0
		switch {
		case r.Status == sdk.Feasible && within && s*(target-r.Objective) > e.slack(target):
			return fmt.Errorf("stopped at %v, short of the target %v", r.Objective, target)
		case r.Status == sdk.Feasible && !within:
			return fmt.Errorf("target %v is beyond the optimum %v: want optimal, got %s", target, best, answer(r, nil))
		case r.Status == sdk.Unknown:
			return fmt.Errorf("no answer to a small problem: %s", answer(r, nil))
		}
		return nil
	}
	small := &problem.MILP{Columns: integers(2, 0, 9), Rows: []problem.Row{row(3, 5, 1, 1)}, Objective: minimise(1, 1)}
	return errors.Join(
		ask(knapsack(), 12, knapsackOptimum), ask(knapsack(), knapsackOptimum, knapsackOptimum), ask(knapsack(), 40, knapsackOptimum),
		ask(small, 4, 3), ask(small, -2, 3),
	)
}

func checkGap(ctx context.Context, e *SolverEnv) error {
	const gap = 0.5
	p := knapsack()
	r, err := e.solve(ctx, &problem.Problem{Name: "gap", MILP: p}, sdk.SolveOptions{Gap: gap})
	if err != nil {
		return err
	}
	if err := e.checkMILP(p, r); err != nil {
		return err
	}
	if r.Status != sdk.Optimal && r.Status != sdk.Feasible {
		return fmt.Errorf("%s is claimed; the problem is feasible", answer(r, nil))
	}
	if r.HasBound && r.Bound < knapsackOptimum-e.slack(knapsackOptimum) {
		return fmt.Errorf("the bound %v cuts off the optimum %v", r.Bound, knapsackOptimum)
	}
	if r.Objective < (1-gap)*knapsackOptimum-e.slack(knapsackOptimum) {
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
	if _, err := e.askMILP(ctx, "progress", p, optimum(knapsackOptimum), o); err != nil {
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
	// Another problem gives a straggler of the first one time to show.
	if _, err := e.askMILP(ctx, "after progress", knapsack(), optimum(knapsackOptimum), sdk.SolveOptions{}); err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	if late {
		return errors.New("progress was reported after Solve had returned")
	}
	return nil
}

func (e *SolverEnv) checkReport(p *problem.MILP, r sdk.Progress) error {
	eps := e.slack(knapsackOptimum)
	if r.HasBound && !(r.Bound >= knapsackOptimum-eps) {
		return fmt.Errorf("the bound %v cuts off the optimum %v", r.Bound, knapsackOptimum)
	}
	if r.Nodes < 0 || r.Elapsed < 0 {
		return fmt.Errorf("%d nodes in %v", r.Nodes, r.Elapsed)
	}
	if r.Values == nil {
		return nil
	}
	if len(r.Values) != len(p.Columns) {
		return fmt.Errorf("%d values for %d columns", len(r.Values), len(p.Columns))
	}
	point, err := exactly(r.Values)
	if err != nil {
		return err
	}
	if v, where := violation(p, point); v > maxTolerance {
		return fmt.Errorf("the point breaks %s by %g", where, v)
	}
	own, _ := sum(p.Objective.Terms, point).Float64()
	if !(math.Abs(own-r.Objective) <= eps) {
		return fmt.Errorf("the objective reported is %v; at the point it is %v", r.Objective, own)
	}
	return nil
}

func checkThreads(ctx context.Context, e *SolverEnv) error {
	for _, o := range []sdk.SolveOptions{{Threads: 1}, {Threads: 2}, {Seed: 1}, {Seed: math.MaxInt64}, {Seed: -1, Threads: 2}} {
		if _, err := e.askMILP(ctx, fmt.Sprintf("threads %d, seed %d", o.Threads, o.Seed), knapsack(), optimum(knapsackOptimum), o); err != nil {
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
				p := &problem.MILP{Columns: integers(2, 0, 9), Rows: []problem.Row{row(-inf, float64(i+3), 1, 1)}, Objective: maximise(1, 1)}
				if _, err := e.askMILP(ctx, fmt.Sprintf("concurrent %d", i), p, optimum(float64(i+3)), sdk.SolveOptions{}); err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
