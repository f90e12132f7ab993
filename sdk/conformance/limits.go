package conformance

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// pause is how long a solver works on a hard problem before it is cancelled,
// and the time limit it is given.
const pause = 150 * time.Millisecond

// longPause is a time limit within which even a slow solver begins to search, so that a case
// with it tests how the search itself keeps the limit.
const longPause = 2 * time.Second

// unknownOption is a name that no plugin has.
const unknownOption = "no-such-option-anywhere"

// commonCases are the cases that all forms share, about the form's sample and its
// hard problem.
func commonCases(f problem.Form) []Case[*SolverEnv] {
	form := func(name, doc string, run func(context.Context, *SolverEnv, problem.Form) error) Case[*SolverEnv] {
		return on(problem.Decide, f.String()+"/"+name, doc, func(ctx context.Context, e *SolverEnv) error { return run(ctx, e, f) })
	}
	return []Case[*SolverEnv]{
		form("twice", "the same problem, options and seed give the same result, in another process too", checkTwice),
		form("untouched", "the problem handed over is not modified", checkUntouched),
		form("unknown-option", "an unknown option is refused with ErrInvalidOption", checkUnknownOption),
		form("default-options", "every option set to its default changes nothing", checkDefaultOptions),
		form("cancel", "a cancel during a hard problem makes the solver return what it holds", checkCancel),
		form("cancelled", "a context that has ended already is noticed", checkCancelled),
		form("time-limit", "a tiny time limit on a hard problem makes the solver return what it holds", func(ctx context.Context, e *SolverEnv, f problem.Form) error {
			_, err := e.stopped(ctx, hard(f), sdk.TimeLimit, pause, sdk.SolveOptions{TimeLimit: pause})
			return err
		}),
		form("long-time-limit", "a time limit of seconds on a hard problem makes the solver return, without a false proof", checkLongTimeLimit),
	}
}

func checkTwice(ctx context.Context, e *SolverEnv, f problem.Form) error {
	p := sample(f, problem.Decide)
	other, err := e.another(ctx)
	if err != nil {
		return err
	}
	var one *sdk.Result
	for _, env := range []*SolverEnv{e, e, other} {
		two, err := env.ask(ctx, p, known.Feasible, sdk.SolveOptions{Seed: 5})
		if err != nil {
			return err
		}
		if one == nil {
			one = two
		}
		if one.Status != two.Status || one.Objective != two.Objective || !sameValues(one.Values, two.Values) || !reflect.DeepEqual(one.Witness, two.Witness) {
			return fmt.Errorf("two answers to the same question differ: %s %v %v %+v, and %s %v %v %+v",
				one.Status, one.Objective, one.Values, one.Witness, two.Status, two.Objective, two.Values, two.Witness)
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
		return fmt.Errorf("the option %s=1: want ErrInvalidOption, got %s", unknownOption, known.Said(r, err))
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
	_, err := e.ask(ctx, sample(f, problem.Decide), known.Feasible, o)
	return err
}

// stopped solves a hard problem, which is feasible unless it is in the network form, and checks
// that the solver returns within the grace period after it should have stopped, and names the
// reason. A complete answer is inconclusive, as the solver was not stopped.
func (e *SolverEnv) stopped(ctx context.Context, p *problem.Problem, reason sdk.Reason, after time.Duration, o sdk.SolveOptions) (*sdk.Result, error) {
	before := ctx.Err()
	r, err := within(after+e.Options.grace(), "Solve, "+reason.String(), func() (*sdk.Result, error) { return e.claim(ctx, p, o) })
	switch {
	case err != nil && before != nil && errors.Is(err, before): // a ctx that had ended before the call may be the error
		return nil, nil
	case err != nil:
		return nil, err
	case p.Form() != problem.FormNetwork && r.Status == sdk.Infeasible:
		return nil, errors.New("infeasible is claimed; the problem is feasible")
	case r.Reason == sdk.NoReason:
		return r, inconclusiveError(fmt.Sprintf("it answered %s before it could be stopped", known.Said(r, nil)))
	case r.Reason != reason:
		return nil, fmt.Errorf("it answered %s; want the reason %s", known.Said(r, nil), reason)
	}
	return r, nil
}

func checkCancel(ctx context.Context, e *SolverEnv, f problem.Form) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(pause, cancel).Stop()
	_, err := e.stopped(ctx, hard(f), sdk.Interrupted, pause, sdk.SolveOptions{})
	return err
}

func checkCancelled(ctx context.Context, e *SolverEnv, f problem.Form) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_, err := e.stopped(ctx, hard(f), sdk.Interrupted, pause, sdk.SolveOptions{})
	return err
}

func checkLongTimeLimit(ctx context.Context, e *SolverEnv, f problem.Form) error {
	r, err := e.stopped(ctx, hardFeasible(f), sdk.TimeLimit, longPause, sdk.SolveOptions{TimeLimit: longPause})
	if r != nil && r.Status == sdk.Infeasible {
		return errors.New("infeasible is claimed; the problem is feasible")
	}
	return err
}
