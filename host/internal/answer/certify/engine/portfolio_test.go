package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// member is a solver as one of a portfolio.
func member(t *testing.T, s sdk.Incremental) engine.Options {
	t.Helper()
	d := described(t, s)
	return engine.Options{Solver: s, Description: d, Encoding: engine.DefaultEncoding(&d)}
}

// TestPortfolioAgainstTheReferee: branch and bound, rows and columns, and scripts together
// are as right as each of them.
func TestPortfolioAgainstTheReferee(t *testing.T) {
	tier.NeedUsual(t)
	t.Parallel()
	var all []engine.Options
	for _, name := range []string{"bnb", "highs", "z3"} {
		s, d := plugintest.Solver(t, name)
		all = append(all, engine.Options{Solver: s, Description: d, Encoding: engine.DefaultEncoding(&d)})
	}
	by := map[string]int{}
	for _, c := range refereed() {
		t.Run(fmt.Sprintf("%d/%s/%+v", c.i, c.q.Notion, c.kind), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			rep, err := engine.Run(ctx, c.q, engine.Options{Portfolio: all, Maximise: true, Enumerate: -1, Threads: 2, Seed: int64(c.i)})
			if err != nil {
				t.Fatal(err)
			}
			by[rep.By]++
			compare(t, c.q, rep, c.best, c.some)
		})
	}
	t.Log("settled by", by)
}

// A lie of one member neither makes a bound wrong nor hides what the other knows.
func TestALiarInAPortfolio(t *testing.T) {
	for name, lie := range map[string]func(*problem.Query, *sdk.Result){
		"half the bound": func(q *problem.Query, r *sdk.Result) {
			if q.Goal == problem.Maximise {
				r.Bound /= 2
			}
		},
		"its copies are one": func(_ *problem.Query, r *sdk.Result) { r.Witness.Copy2 = r.Witness.Copy1 },
		"nothing": func(_ *problem.Query, r *sdk.Result) {
			*r = sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete}
		},
	} {
		t.Run(name, func(t *testing.T) {
			q := tenure(fairness.Logit, 100)
			rep, err := engine.Run(t.Context(), q, engine.Options{
				Portfolio: []engine.Options{member(t, lying{lie: lie}), member(t, reference.Enumerator{})}, Maximise: true, Enumerate: -1, Seed: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			if sound(t, q, rep); !rep.Closed {
				t.Errorf("not closed: %+v", rep)
			}
		})
	}
}

// A false claim that the audit does not refute in time is refuted by another member's
// witness: one individual in a million, which random draws do not meet.
func TestAPortfolioRefutesItsMember(t *testing.T) {
	q, asked := seldom(0), make(chan struct{})
	rep, err := engine.Run(t.Context(), q, engine.Options{
		Portfolio: []engine.Options{member(t, late{asked: asked}), member(t, knowing{after: asked})}, Maximise: true, Enumerate: -1, Doubt: 1, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Verdict != engine.Unfair || !rep.Closed || rep.By != "enumerate" || !slices.ContainsFunc(engine.Texts(rep.Refuted), func(text string) bool {
		return strings.Contains(text, "a replayed witness of solver enumerate")
	}) {
		t.Errorf("%+v", rep)
	}
}

// What a portfolio calls closed is as close as what a solver alone does: a coarse tolerance does
// not make up for a bound that is more than a thousandth above the best witness.
func TestACoarseBoundClosesNothing(t *testing.T) {
	rough := coarse{lying{lie: func(q *problem.Query, r *sdk.Result) {
		if r.Tolerance = 1e-2; q.Goal == problem.Maximise && r.Status == sdk.Optimal {
			r.Status, r.Reason, r.Bound = sdk.Feasible, sdk.TimeLimit, r.Objective+9e-3
		}
	}}}
	far := 0
	for _, c := range refereed() {
		rep, err := engine.Run(t.Context(), c.q, engine.Options{
			Portfolio: []engine.Options{member(t, rough), member(t, rough)}, Maximise: true, Enumerate: -1, Seed: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Witness == nil || !rep.HasBound || rep.Bound <= 1.001*rep.Witness.Margin+1e-6 {
			continue
		}
		if far++; rep.Closed {
			t.Errorf("closed with the bound %v, at %v", rep.Bound, rep.Witness.Margin)
		}
	}
	if far == 0 {
		t.Error("every bound was near")
	}
}

// coarse answers to within a tolerance.
type coarse struct{ lying }

func (c coarse) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := c.lying.Describe(ctx)
	d.Exactness = sdk.GradeNumerical
	return d, err
}

// knowing knows the individual that seldom is about.
type knowing struct {
	reference.Enumerator
	after <-chan struct{}
}

func (k knowing) Solve(_ context.Context, p *problem.Problem, _ sdk.SolveOptions) (*sdk.Result, error) {
	<-k.after
	years, gap := p.Query.Space.Features[0].Hi, largest(fairness.Score)
	return &sdk.Result{
		Status: sdk.Optimal, Witness: &sdk.Witness{Copy1: []float64{years, 0}, Copy2: []float64{years, 1}},
		Objective: gap, Bound: gap + 1e-12, HasBound: true,
	}, nil
}

// late claims infeasibility once it is interrupted.
type late struct {
	denier
	asked chan struct{}
}

func (l late) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	close(l.asked)
	<-ctx.Done()
	return l.denier.Solve(ctx, p, o)
}

// patient answers when others have.
type patient struct {
	reference.Enumerator
	after <-chan struct{}
}

func (p patient) Solve(ctx context.Context, q *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	<-p.after
	return p.Enumerator.Solve(ctx, q, o)
}

// lost dies when asked; stuck answers when interrupted.
type lost struct {
	reference.Enumerator
	asked chan struct{}
}

func (l lost) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	close(l.asked)
	return nil, errors.New("the process ended")
}

type stuck struct{ reference.Enumerator }

func (stuck) Solve(ctx context.Context, _ *problem.Problem, _ sdk.SolveOptions) (*sdk.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// The first proof ends a question, however the other members end. Without a proof their
// error is returned.
func TestAMemberThatIsLost(t *testing.T) {
	q := tenure(fairness.Logit, 100)
	for _, goal := range []problem.Goal{problem.Decide, problem.MaxK} {
		portfolio := func(all ...sdk.Incremental) engine.Options {
			o := engine.Options{Enumerate: -1, Seed: 1}
			for _, s := range all {
				o.Portfolio = append(o.Portfolio, member(t, s))
			}
			return o
		}
		question := *q
		ask := func(o engine.Options) (faults []string, settled bool, err error) {
			if goal == problem.MaxK {
				question.Notion, question.Goal = fairness.Score, goal
				question.Epsilon = seldom(3).Epsilon
				m, err := engine.Enclose(t.Context(), &question, o, nil)
				return m.Faults, m.Settled(), err
			}
			rep, err := engine.Run(t.Context(), &question, o)
			return rep.Faults, rep.Verdict == engine.Unfair, err
		}
		first := lost{asked: make(chan struct{})}
		faults, settled, err := ask(portfolio(first, stuck{}, patient{after: first.asked}))
		if !settled || err != nil || !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, "the process ended") }) {
			t.Errorf("%s: settled %v, faults %q, error %v", goal, settled, faults, err)
		}
		if _, settled, err = ask(portfolio(lost{asked: make(chan struct{})}, lost{asked: make(chan struct{})})); settled || err == nil {
			t.Errorf("%s: two that are lost: settled %v, error %v", goal, settled, err)
		}
	}
}
