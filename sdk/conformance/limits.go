package conformance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// pause is how long a solver works on a hard problem before it is cancelled,
// and the time limit it is given.
const pause = 150 * time.Millisecond

// longPause is a time limit within which a solver that starts slowly has begun as well: what it
// makes of its own limit shows only then.
const longPause = 2 * time.Second

// unknownOption is a name that no plugin has.
const unknownOption = "no-such-option-anywhere"

// commonCases are asked of every form alike, about its sample and its hard
// problem.
func commonCases(f problem.Form) []SolverCase {
	form := func(name, doc string, run func(context.Context, *SolverEnv, problem.Form) error) SolverCase {
		return SolverCase{Name: f.String() + "/" + name, Doc: doc, Needs: needs(f, problem.Decide),
			Run: func(ctx context.Context, e *SolverEnv) error { return run(ctx, e, f) }}
	}
	return []SolverCase{
		form("twice", "the same problem, options and seed give the same result, in another process too", checkTwice),
		form("untouched", "the problem handed over is not modified", checkUntouched),
		form("unknown-option", "an unknown option is refused with ErrInvalidOption", checkUnknownOption),
		form("default-options", "every option set to its default changes nothing", checkDefaultOptions),
		form("cancel", "a cancel during a hard problem brings the solver back, with what it holds", checkCancel),
		form("cancelled", "a context that has ended already is noticed", checkCancelled),
		form("time-limit", "a tiny time limit brings the solver back from a hard problem, with what it holds", func(ctx context.Context, e *SolverEnv, f problem.Form) error {
			return checkTimeLimit(ctx, e, hard(f), pause)
		}),
		form("long-time-limit", "a time limit of seconds brings the solver back from a hard problem, and is no proof", func(ctx context.Context, e *SolverEnv, f problem.Form) error {
			return checkTimeLimit(ctx, e, hardFeasible(f), longPause)
		}),
	}
}

// check checks a claim about a problem of any form.
func (e *SolverEnv) check(p *problem.Problem, r *sdk.Result) error {
	var err error
	switch p.Form() {
	case problem.FormMILP:
		err = e.checkMILP(p.MILP, r)
	case problem.FormSMT:
		err = e.checkScript(p.SMT, r)
	default:
		err = e.checkQuery(p.Query, r)
	}
	if err != nil {
		return fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return nil
}

func checkTwice(ctx context.Context, e *SolverEnv, f problem.Form) error {
	p := sample(f, problem.Decide)
	ask := func(s sdk.Solver) (*sdk.Result, error) {
		r, err := solveWith(ctx, s, p, e.withSet(sdk.SolveOptions{Seed: 5}))
		if err != nil {
			return nil, err
		}
		if err := e.check(p, r); err != nil {
			return nil, err
		}
		r.Elapsed = 0
		return r, nil
	}
	one, err := ask(e.Solver)
	if err != nil {
		return err
	}
	if one.Status != sdk.Feasible && one.Status != sdk.Optimal {
		return fmt.Errorf("%s is claimed; the problem is feasible", answer(one, nil))
	}
	other, err := e.another(ctx)
	if err != nil {
		return err
	}
	for _, s := range []sdk.Solver{e.Solver, other} {
		two, err := ask(s)
		if err != nil {
			return err
		}
		if one.Status != two.Status || one.Objective != two.Objective || !sameValues(one.Values, two.Values) || !reflect.DeepEqual(one.Witness, two.Witness) {
			return fmt.Errorf("two answers to the same question differ: %s %v %+v, and %s %v %+v",
				one.Status, one.Values, one.Witness, two.Status, two.Values, two.Witness)
		}
	}
	return nil
}

func sameValues(a, b []problem.Number) bool {
	return slices.EqualFunc(a, b, func(v, w problem.Number) bool { return v.String() == w.String() })
}

func checkUntouched(ctx context.Context, e *SolverEnv, f problem.Form) error {
	p, pristine := sample(f, problem.Decide), sample(f, problem.Decide)
	if _, err := e.solve(ctx, p, sdk.SolveOptions{}); err != nil {
		return err
	}
	if !reflect.DeepEqual(p, pristine) {
		return errors.New("the problem was modified")
	}
	return nil
}

func checkUnknownOption(ctx context.Context, e *SolverEnv, f problem.Form) error {
	o := sdk.SolveOptions{Options: map[string]string{unknownOption: "1"}}
	r, err := e.solve(ctx, sample(f, problem.Decide), o)
	if !errors.Is(err, sdk.ErrInvalidOption) {
		return fmt.Errorf("the option %s=1: want ErrInvalidOption, got %s", unknownOption, answer(r, err))
	}
	return nil
}

func checkDefaultOptions(ctx context.Context, e *SolverEnv, f problem.Form) error {
	if len(e.Description.Options) == 0 {
		return skip("there are no options")
	}
	o := sdk.SolveOptions{Options: map[string]string{}}
	for _, d := range e.Description.Options {
		if d.Default != "" {
			o.Options[d.Name] = d.Default
		}
	}
	p := sample(f, problem.Decide)
	r, err := e.solve(ctx, p, o)
	if err != nil {
		return err
	}
	if err := e.check(p, r); err != nil {
		return err
	}
	if !r.HasPoint() {
		return fmt.Errorf("%s is claimed; the problem is feasible", answer(r, nil))
	}
	return nil
}

// stoppedFor accepts a stop, for the reason given, as an answer to a hard problem, feasible but
// for those of the network form. A sound answer judges nothing: what the solver does when it is
// stopped was not seen.
func (e *SolverEnv) stoppedFor(p *problem.Problem, r *sdk.Result, reason sdk.Reason) error {
	if err := e.check(p, r); err != nil {
		return err
	}
	if p.Form() != problem.FormNetwork && r.Status == sdk.Infeasible {
		return errors.New("infeasible is claimed; the problem is feasible")
	}
	if r.Reason != sdk.NoReason && r.Reason != reason {
		return fmt.Errorf("%s is claimed; the reason to stop was: %s", answer(r, nil), reason)
	}
	if r.Reason == sdk.NoReason {
		return inconclusiveError(fmt.Sprintf("it answered %s before it could be stopped", answer(r, nil)))
	}
	return nil
}

func checkCancel(ctx context.Context, e *SolverEnv, f problem.Form) error {
	p := hard(f)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(pause, cancel).Stop()
	return e.interrupted(ctx, p)
}

func checkCancelled(ctx context.Context, e *SolverEnv, f problem.Form) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return e.interrupted(ctx, hard(f))
}

// interrupted solves under a context that ends soon, or has ended. Where it
// had ended before the call, its own error is an answer too.
func (e *SolverEnv) interrupted(ctx context.Context, p *problem.Problem) error {
	before := ctx.Err()
	var r *sdk.Result
	var err error
	late := within(pause+e.Options.grace(), "Solve after a cancel", func() { r, err = e.solve(ctx, p, sdk.SolveOptions{}) })
	switch {
	case late != nil:
		return late
	case err != nil && before != nil && errors.Is(err, before):
		return nil
	case err != nil:
		return err
	}
	return e.stoppedFor(p, r, sdk.Interrupted)
}

func checkTimeLimit(ctx context.Context, e *SolverEnv, p *problem.Problem, limit time.Duration) error {
	var r *sdk.Result
	var err error
	late := within(limit+e.Options.grace(), "Solve under a time limit", func() { r, err = e.solve(ctx, p, sdk.SolveOptions{TimeLimit: limit}) })
	switch {
	case late != nil:
		return late
	case err != nil:
		return err
	}
	if r.Status == sdk.Infeasible && limit == longPause {
		return errors.New("infeasible is claimed; the problem is feasible")
	}
	return e.stoppedFor(p, r, sdk.TimeLimit)
}
