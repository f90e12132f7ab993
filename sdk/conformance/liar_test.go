package conformance_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// solverLiar is a solver that is right in everything but one thing, which the
// conformance case named must catch.
type solverLiar struct {
	// Case is the name of the conformance case.
	Case string
	// Lie says what the solver does wrong.
	Lie    string
	Solver sdk.Solver
}

// stubborn is how long the liars that do not come back in time take.
const stubborn = 3 * time.Second

// bent is an Enumerator with one thing changed. Hooks that are nil do nothing.
type bent struct {
	describe func(*sdk.Description)
	// ask changes what is asked: the problem is a private copy.
	ask func(*problem.Problem, *sdk.SolveOptions)
	// tell changes the answer to p.
	tell func(p *problem.Problem, r *sdk.Result)
	// solve takes the place of Solve; right is the honest one.
	solve func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error)
	// delta changes a delta before it is applied.
	delta func(*problem.Delta)
	// ignoresDeltas treats a faulty delta as an empty one.
	ignoresDeltas bool
}

func (b *bent) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := reference.Enumerator{}.Describe(ctx)
	if b.describe != nil {
		b.describe(&d)
	}
	return d, err
}

func (b *bent) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if b.solve != nil {
		return b.solve(ctx, p, o, reference.Enumerator{})
	}
	asked := p
	if b.ask != nil {
		asked = copyProblem(p)
		b.ask(asked, &o)
	}
	r, err := reference.Enumerator{}.Solve(ctx, asked, o)
	if err == nil && b.tell != nil {
		b.tell(p, r)
	}
	return r, err
}

func (b *bent) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	return &bentLoaded{b, problem.NewStack(p)}, nil
}

type bentLoaded struct {
	liar  *bent
	stack *problem.Stack
}

func (l *bentLoaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	if l.liar.delta != nil {
		l.liar.delta(&d)
	}
	p, err := l.stack.Apply(d)
	if err != nil && l.liar.ignoresDeltas {
		p, err = l.stack.Apply(problem.Delta{})
	}
	if err != nil {
		return nil, errors.Join(sdk.ErrInvalidProblem, err)
	}
	return l.liar.Solve(ctx, p, o)
}

func (*bentLoaded) Close() error { return nil }

// copyProblem copies what the liars change.
func copyProblem(p *problem.Problem) *problem.Problem {
	out := *p
	if p.MILP != nil {
		m := *p.MILP
		m.Columns, m.Rows = slices.Clone(m.Columns), slices.Clone(m.Rows)
		out.MILP = &m
	}
	if p.SMT != nil {
		s := *p.SMT
		out.SMT = &s
	}
	if p.Query != nil {
		q, s := *p.Query, *p.Query.Space
		s.Features = slices.Clone(s.Features)
		q.Space = &s
		if of, ok := q.Model.(*relu.Network); ok {
			n := *of
			n.Layers = slices.Clone(n.Layers)
			q.Model = &n
		}
		out.Query = &q
	}
	return &out
}

// solverLiars lists at least one liar for every conformance case of solvers.
// The liars keep state: take a fresh list for every run.
func solverLiars() []solverLiar {
	return slices.Concat(
		generalLiars(),
		commonLiars(problem.FormMILP), milpLiars(), milpDeltaLiars(),
		commonLiars(problem.FormNetwork), networkLiars(), wholeLiars(), pieceLiars(),
		commonLiars(problem.FormSMT), scriptLiars(), nanLiars(),
	)
}

// nanLiars are sound except for NaNs in their answers.
func nanLiars() (liars []solverLiar) {
	bound := func(_ *problem.Problem, r *sdk.Result) { r.Bound, r.HasBound = math.NaN(), true }
	objective := func(_ *problem.Problem, r *sdk.Result) { r.Objective = math.NaN() }
	progress := func(_ *problem.Problem, o *sdk.SolveOptions) {
		if o.Progress != nil {
			o.Progress(sdk.Progress{Bound: math.NaN(), HasBound: true})
		}
	}
	for _, name := range []string{"milp/optimum", "milp/threads", "network/random-maximise", "network/max-k", "network/minimise"} {
		liars = append(liars, solverLiar{name, "its bound is NaN", &bent{tell: bound}}, solverLiar{name, "its objective is NaN", &bent{tell: objective}},
			solverLiar{name, "a bound on its way is NaN", &bent{ask: progress}})
	}
	return liars
}

func generalLiars() []solverLiar {
	return []solverLiar{
		{"describe", "its name cannot be typed", &bent{describe: func(d *sdk.Description) { d.Name = "My Solver" }}},
		{"describe", "its version is not a version", &bent{describe: func(d *sdk.Description) { d.Version = "new" }}},
		{"describe", "it serves nothing", &bent{describe: func(d *sdk.Description) { d.Serves = nil }}},
		{"describe", "its exactness is left out", &bent{describe: func(d *sdk.Description) { d.Exactness = 0 }}},
		{"describe", "an option appears twice", &bent{describe: func(d *sdk.Description) { d.Options = append(d.Options, d.Options[0]) }}},
		{"unserved", "it answers goals that it does not claim", &bent{describe: func(d *sdk.Description) {
			d.Serves = d.Serves[2:]
		}}},
		{"unserved", "it takes an unknown goal for another", &bent{
			describe: func(d *sdk.Description) {
				d.Serves = slices.DeleteFunc(d.Serves, func(s sdk.Service) bool { return s.Goal == problem.Quantify })
			},
			ask: func(p *problem.Problem, _ *sdk.SolveOptions) {
				if p.Query != nil {
					p.Query.Goal = problem.Decide
				}
			}}},
	}
}

// commonLiars lie about problems of one form.
func commonLiars(f problem.Form) []solverLiar {
	calls := 0
	liar := func(name, lie string, b *bent) solverLiar { return solverLiar{f.String() + "/" + name, lie, b} }
	return []solverLiar{
		liar("twice", "it answers by turns", &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) {
			if calls++; calls%2 == 0 {
				o.Options = map[string]string{"order": "down"}
			}
		}}),
		liar("untouched", "it scribbles on the problem", &bent{tell: func(p *problem.Problem, _ *sdk.Result) {
			switch {
			case p.MILP != nil && len(p.MILP.Columns) > 0:
				p.MILP.Columns[0].Lo--
			case p.SMT != nil:
				p.SMT.Text += " "
			case p.Query != nil:
				p.Query.Space.Features[0].Hi++
			}
		}}),
		liar("unknown-option", "it takes any option", &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) { o.Options = nil }}),
		liar("default-options", "it refuses its own default", &bent{ask: func(_ *problem.Problem, o *sdk.SolveOptions) {
			if o.Options["order"] == "up" {
				o.Options = map[string]string{"order": "upwards"}
			}
		}}),
		liar("cancel", "it does not hear a cancel", &bent{solve: deafFor(0)}),
		liar("cancel", "it calls a cancel a time limit", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Reason == sdk.Interrupted {
				r.Reason = sdk.TimeLimit
			}
		}}),
		liar("cancelled", "interrupted, it claims to have optimised", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Reason == sdk.Interrupted {
				r.Status = sdk.Optimal
			}
		}}),
		liar("time-limit", "it knows no time limit", &bent{solve: deafFor(stubborn)}),
		liar("long-time-limit", "it stops early, and concludes", &bent{solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			if o.TimeLimit > time.Second {
				return &sdk.Result{Status: sdk.Infeasible}, nil
			}
			return right.Solve(ctx, p, o)
		}}),
		liar("long-time-limit", "out of time after a second, it concludes", &bent{solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			slow := o.TimeLimit > time.Second
			r, err := right.Solve(ctx, p, o)
			if err == nil && slow && r.Reason == sdk.TimeLimit {
				r.Status, r.Reason, r.Values = sdk.Infeasible, sdk.NoReason, nil
			}
			return r, err
		}}),
		liar("time-limit", "out of time, it concludes", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Reason == sdk.TimeLimit {
				r.Status = sdk.Infeasible
			}
		}}),
	}
}

// deafFor solves without listening to the context; a time limit is replaced by
// another where it is not 0. Either way it gives up when it has been stubborn.
func deafFor(limit time.Duration) func(context.Context, *problem.Problem, sdk.SolveOptions, sdk.Solver) (*sdk.Result, error) {
	return func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
		o.TimeLimit = max(limit, o.TimeLimit)
		if o.TimeLimit == 0 {
			o.TimeLimit = stubborn
		}
		return right.Solve(context.WithoutCancel(ctx), p, o)
	}
}
