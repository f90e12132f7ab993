package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// SolverEnv is the environment of a solver's case.
type SolverEnv struct {
	known.Referee
	Solver      sdk.Solver
	Description sdk.Description
	Options     Options
}

// SolverCases lists every case in the order of execution.
func SolverCases() []Case[*SolverEnv] {
	return slices.Concat(describeCases, milpCases, milpLimitCases, milpDeltaCases, networkCases, networkQueryCases, wholeCases, smtCases)
}

// Solver runs the suite as subtests of a Go test:
//
//	conformance.Solver(t, mySolver{}, conformance.Options{})
func Solver[S T[S]](t S, s sdk.Solver, o Options) {
	t.Helper()
	cases, _ := bindSolver(context.Background(), s, o)
	runTests(t, cases, o)
}

// CheckSolver runs the suite and collects the outcomes; each, if not nil, is called with every
// outcome as soon as it is known. The error reports an invalid case name or exclusion, or the
// end of ctx; the plugin's failures are outcomes.
func CheckSolver(ctx context.Context, s sdk.Solver, o Options, each func(Outcome)) (*Report, error) {
	cases, d := bindSolver(ctx, s, o)
	outcomes, err := runAll(ctx, cases, o, each)
	return &Report{Description: d, Outcomes: outcomes}, err
}

func bindSolver(ctx context.Context, s sdk.Solver, o Options) ([]runnable, sdk.Description) {
	return bind(ctx, s, SolverCases(), func(d sdk.Description) *SolverEnv {
		return &SolverEnv{Referee: known.Referee{Grade: d.Exactness}, Solver: s, Description: d, Options: o}
	})
}

// on makes a case that runs only for solvers that serve goal g in the case's form. The form is the
// part of the name before the slash.
func on(g problem.Goal, name, doc string, run func(context.Context, *SolverEnv) error) Case[*SolverEnv] {
	form, _, _ := strings.Cut(name, "/")
	return Case[*SolverEnv]{name, doc, run, func(d *sdk.Description) string {
		if !slices.ContainsFunc(problem.Forms, func(f problem.Form) bool { return f.String() == form && d.Answers(f, g) }) {
			return fmt.Sprintf("%s of the %s form is not claimed", g, form)
		}
		for _, l := range d.Libraries {
			if !l.Found {
				return fmt.Sprintf("library %s was not found: %s", l.Name, l.Hint)
			}
		}
		return ""
	}}
}

// question is a problem of one form with its right answer.
type question[P any] struct {
	name string
	p    P
	want known.Answer
}

type (
	milps   = []question[*problem.MILP]
	queries = []question[*problem.Query]
	scripts = []question[*problem.Script]
)

// problem wraps the question's MILP, script or query in a Problem with the question's name.
func (k question[P]) problem() *problem.Problem {
	out := &problem.Problem{Name: k.name}
	switch p := any(k.p).(type) {
	case *problem.MILP:
		out.MILP = p
	case *problem.Query:
		out.Query = p
	case *problem.Script:
		out.SMT = p
	}
	return out
}

// asked makes a case from problems with known answers.
func asked[P any](g problem.Goal, name, doc string, list func() []question[P]) Case[*SolverEnv] {
	return on(g, name, doc, func(ctx context.Context, e *SolverEnv) error { return askAll(ctx, e, g, list()) })
}

// askAll asks the questions; it sets the goal of those in the network form.
func askAll[P any](ctx context.Context, e *SolverEnv, g problem.Goal, list []question[P]) error {
	for _, k := range list {
		p := k.problem()
		o := sdk.SolveOptions{}
		if p.Query != nil {
			p.Query.Goal, o.Seed = g, 1
		}
		if _, err := e.ask(ctx, p, k.want, o); err != nil {
			return err
		}
	}
	return nil
}

// ask solves a problem and checks that the claim is consistent and true.
func (e *SolverEnv) ask(ctx context.Context, p *problem.Problem, want known.Answer, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := e.claim(ctx, p, o)
	if err != nil {
		return nil, err
	}
	limited := o.TimeLimit > 0 || o.WorkLimit > 0 || o.Target != nil || o.Gap > 0
	return r, e.Answer(p, r, want, limited)
}

// askMILP is ask for a MILP, which it wraps in a problem with the name.
func (e *SolverEnv) askMILP(ctx context.Context, name string, m *problem.MILP, want known.Answer, o sdk.SolveOptions) (*sdk.Result, error) {
	return e.ask(ctx, &problem.Problem{Name: name, MILP: m}, want, o)
}

// claim solves a problem and checks that the claim is consistent.
func (e *SolverEnv) claim(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := e.solve(ctx, p, o)
	if err != nil {
		return nil, err
	}
	return r, e.Claim(p, r)
}

// solve calls the solver, with the run's plugin options filled in.
func (e *SolverEnv) solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	var nan atomic.Bool
	told := o.Progress
	o.Progress = func(g sdk.Progress) {
		if g.HasBound && math.IsNaN(g.Bound) {
			nan.Store(true)
		}
		if told != nil {
			told(g)
		}
	}
	r, err := e.Solver.Solve(ctx, p, e.withSet(o))
	switch {
	case err != nil:
	case r == nil:
		err = errors.New("got neither a result nor an error")
	case nan.Load():
		err = errors.New("a progress report has the bound NaN")
	default:
		return r, nil
	}
	return nil, fmt.Errorf("problem %q: %w", p.Name, err)
}

func (e *SolverEnv) withSet(o sdk.SolveOptions) sdk.SolveOptions {
	o.Options = merged(e.Options.Set, o.Options)
	return o
}

func merged(a, b map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// another returns the environment of a second solver of the same kind, if the run can open
// one, else that of the same solver.
func (e *SolverEnv) another(ctx context.Context) (*SolverEnv, error) {
	other := *e
	var err error
	if e.Options.NewSolver != nil {
		other.Solver, err = e.Options.NewSolver(ctx)
	}
	return &other, err
}

var describeCases = []Case[*SolverEnv]{
	{Name: "describe", Doc: "the description is complete and sound, and the same each time", Run: checkSolverDescription},
	{Name: "unserved", Doc: "a form or goal that is not claimed is refused with ErrUnsupported", Run: checkUnserved},
}

func checkSolverDescription(ctx context.Context, e *SolverEnv) error {
	return checkDescription(ctx, e.Solver, checkServices)
}

func checkServices(d *sdk.Description) error {
	if len(d.Serves) == 0 {
		return errors.New("the description's Serves is empty: want at least one form and goal")
	}
	for i, s := range d.Serves {
		if !slices.Contains(problem.Forms, s.Form) || !slices.Contains(problem.Goals, s.Goal) {
			return fmt.Errorf("the description's Serves names %s of %s; want a known goal and form", s.Goal, s.Form)
		}
		if slices.Contains(d.Serves[:i], s) {
			return fmt.Errorf("the description's Serves names %s of %s twice", s.Goal, s.Form)
		}
		if s.Form != problem.FormNetwork && s.Goal != problem.Decide && s.Goal != problem.Maximise {
			return fmt.Errorf("the description's Serves names %s of %s; that form knows decide and maximise only", s.Goal, s.Form)
		}
	}
	if d.Exactness < sdk.GradeExact || d.Exactness > sdk.GradeNumerical {
		return fmt.Errorf("the description's Exactness is %s; want exact, rigorous or numerical", d.Exactness)
	}
	if len(d.Presets) > 0 {
		return errors.New("the description has Presets, which are for strategies")
	}
	return nil
}

// checkDescription checks the fields that solvers and strategies share. The other fields
// are checked by own.
func checkDescription(ctx context.Context, plugin describer, own func(*sdk.Description) error) error {
	d, err := plugin.Describe(ctx)
	if err != nil {
		return err
	}
	if d.Name == "" || strings.Trim(d.Name, "abcdefghijklmnopqrstuvwxyz0123456789+-_.") != "" {
		return fmt.Errorf("the description's Name is %q: want lower-case letters, digits and + - _ . only", d.Name)
	}
	if !semantic(d.Version) {
		return fmt.Errorf("the description's Version %q is not semantic: want major.minor.patch", d.Version)
	}
	if d.Summary == "" || strings.ContainsAny(d.Summary, "\r\n") {
		return fmt.Errorf("the description's Summary is %q: want one line", d.Summary)
	}
	names := map[string]bool{}
	for _, o := range d.Options {
		if o.Name == "" || strings.ContainsAny(o.Name, "= \t\r\n") {
			return fmt.Errorf("option name %q cannot be given as --set name=value", o.Name)
		}
		if names[o.Name] {
			return fmt.Errorf("option %q appears twice", o.Name)
		}
		names[o.Name] = true
		if o.Help == "" {
			return fmt.Errorf("option %q has no help", o.Name)
		}
	}
	for _, l := range d.Libraries {
		if l.Name == "" || !l.Found && l.Hint == "" {
			return fmt.Errorf("library %q: want a name, and a hint if it was not found", l.Name)
		}
	}
	if err := own(&d); err != nil {
		return err
	}
	again, err := plugin.Describe(ctx)
	if err == nil && !reflect.DeepEqual(d, again) {
		err = fmt.Errorf("two descriptions differ: %+v and %+v", d, again)
	}
	return err
}

func semantic(version string) bool {
	core, _, _ := strings.Cut(version, "+")
	core, _, _ = strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 3
}

func checkUnserved(ctx context.Context, e *SolverEnv) error {
	asked := false
	for _, f := range problem.Forms {
		for _, g := range problem.Goals {
			p := sample(f, g)
			if p == nil || e.Description.Answers(f, g) {
				continue
			}
			asked = true
			if r, err := e.solve(ctx, p, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
				return fmt.Errorf("%s of the %s form is not claimed: want ErrUnsupported, got %s", g, f, known.Said(r, err))
			}
		}
	}
	if !asked {
		return skip("everything is claimed")
	}
	return nil
}

// sample returns a small problem of the form and goal; nil if there is none.
func sample(f problem.Form, g problem.Goal) *problem.Problem {
	switch {
	case f == problem.FormNetwork:
		q := stepQuery("1/5")
		q.Goal = g
		return &problem.Problem{Name: "sample", Query: q}
	case f == problem.FormMILP && g == problem.Decide:
		m := knapsack()
		m.Objective = problem.Objective{}
		return &problem.Problem{Name: "sample", MILP: m}
	case f == problem.FormMILP && g == problem.Maximise:
		return &problem.Problem{Name: "sample", MILP: knapsack()}
	case f == problem.FormSMT && g == problem.Decide:
		return &problem.Problem{Name: "sample", SMT: smallScript()}
	case f == problem.FormSMT && g == problem.Maximise:
		s := smallScript()
		s.Objective, s.Maximise = "x", true
		return &problem.Problem{Name: "sample", SMT: s}
	}
	return nil
}
