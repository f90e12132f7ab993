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

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// SolverCase is one thing every solver must get right that claims what the
// case needs.
type SolverCase struct {
	// Name is form/what, such as milp/equality.
	Name string
	// Doc is one sentence: what a solver must do.
	Doc string
	// Needs lists the services of which the solver must claim all.
	Needs []sdk.Service
	// Run asks and checks; an error is a failure.
	Run func(ctx context.Context, e *SolverEnv) error
}

// SolverEnv is what a case works with.
type SolverEnv struct {
	Solver      sdk.Solver
	Description sdk.Description
	Options     Options
}

// SolverCases lists every case in the order in which they run.
func SolverCases() []SolverCase {
	return slices.Concat(describeCases, milpCases, milpSetCases, milpLimitCases, milpDeltaCases, networkCases, networkQueryCases, wholeCases, pieceCases, pieceGoalCases, smtCases)
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
// outcome as it is known. The error reports an invalid exclusion or the end of ctx; the
// plugin's own failures are outcomes.
func CheckSolver(ctx context.Context, s sdk.Solver, o Options, each func(Outcome)) (*Report, error) {
	cases, d := bindSolver(ctx, s, o)
	outcomes, err := runAll(ctx, cases, o, each)
	return &Report{Description: d, Outcomes: outcomes}, err
}

// bindSolver readies every case for the solver, according to its description.
func bindSolver(ctx context.Context, s sdk.Solver, o Options) ([]runnable, sdk.Description) {
	d, describeErr := s.Describe(ctx)
	e := &SolverEnv{Solver: s, Description: d, Options: o}
	var cases []runnable
	for _, c := range SolverCases() {
		b := runnable{name: c.Name, doc: c.Doc, plugin: s, run: func(ctx context.Context) error { return c.Run(ctx, e) }}
		switch {
		case describeErr != nil && c.Name != "describe":
			b.unclaimed = "Describe fails"
		case len(c.Needs) > 0:
			b.unclaimed = unclaimed(&d, c.Needs)
		}
		cases = append(cases, b)
	}
	return cases, d
}

func unclaimed(d *sdk.Description, needs []sdk.Service) string {
	for _, s := range needs {
		if !d.Answers(s.Form, s.Goal) {
			return fmt.Sprintf("%s of the %s form is not claimed", s.Goal, s.Form)
		}
	}
	for _, l := range d.Libraries {
		if !l.Found {
			return fmt.Sprintf("library %s was not found: %s", l.Name, l.Hint)
		}
	}
	return ""
}

func needs(f problem.Form, goals ...problem.Goal) []sdk.Service {
	var out []sdk.Service
	for _, g := range goals {
		out = append(out, sdk.Service{Form: f, Goal: g})
	}
	return out
}

// solve asks the solver with the run's own plugin options filled in.
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
	r, err := solveWith(ctx, e.Solver, p, e.withSet(o))
	if err == nil && nan.Load() {
		err = fmt.Errorf("problem %q: a bound that it reported on its way is NaN", p.Name)
	}
	return r, err
}

func solveWith(ctx context.Context, s sdk.Solver, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := s.Solve(ctx, p, o)
	if err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	if r == nil {
		return nil, fmt.Errorf("problem %q: neither a result nor an error", p.Name)
	}
	return r, nil
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

// another is a second solver of the same kind, in a process of its own where
// the run can open one.
func (e *SolverEnv) another(ctx context.Context) (sdk.Solver, error) {
	if e.Options.NewSolver == nil {
		return e.Solver, nil
	}
	return e.Options.NewSolver(ctx)
}

var describeCases = []SolverCase{
	{Name: "describe", Doc: "the description is complete and sound, and the same each time", Run: checkSolverDescription},
	{Name: "unserved", Doc: "a form or goal that is not claimed is refused with ErrUnsupported", Run: checkUnserved},
}

func checkSolverDescription(ctx context.Context, e *SolverEnv) error {
	d, err := e.Solver.Describe(ctx)
	if err != nil {
		return err
	}
	if err := checkDescription(&d); err != nil {
		return err
	}
	if len(d.Serves) == 0 {
		return errors.New("Serves is empty: a solver must answer something")
	}
	for i, s := range d.Serves {
		if !slices.Contains(problem.Forms, s.Form) || !slices.Contains(problem.Goals, s.Goal) {
			return fmt.Errorf("Serves names %s of %s", s.Goal, s.Form)
		}
		if slices.Contains(d.Serves[:i], s) {
			return fmt.Errorf("Serves names %s of %s twice", s.Goal, s.Form)
		}
		if s.Form != problem.FormNetwork && s.Goal != problem.Decide && s.Goal != problem.Maximise {
			return fmt.Errorf("Serves names %s of %s; that form knows decide and maximise only", s.Goal, s.Form)
		}
	}
	if d.Exactness < sdk.GradeExact || d.Exactness > sdk.GradeNumerical {
		return fmt.Errorf("Exactness is %s", d.Exactness)
	}
	if len(d.Presets) > 0 {
		return errors.New("Presets are for strategies")
	}
	again, err := e.Solver.Describe(ctx)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(d, again) {
		return fmt.Errorf("two descriptions differ: %+v and %+v", d, again)
	}
	return nil
}

// checkDescription checks what solvers and strategies share.
func checkDescription(d *sdk.Description) error {
	if d.Name == "" || strings.Trim(d.Name, "abcdefghijklmnopqrstuvwxyz0123456789+-_.") != "" {
		return fmt.Errorf("Name %q: want lower-case letters, digits and + - _ . only", d.Name)
	}
	if !semantic(d.Version) {
		return fmt.Errorf("Version %q is not semantic: want major.minor.patch", d.Version)
	}
	if d.Summary == "" || strings.ContainsAny(d.Summary, "\r\n") {
		return fmt.Errorf("Summary %q: want one line", d.Summary)
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
			return fmt.Errorf("library %q: want a name, and a hint where it was not found", l.Name)
		}
	}
	return nil
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
				return fmt.Errorf("%s of the %s form is not claimed: want ErrUnsupported, got %s", g, f, answer(r, err))
			}
		}
	}
	if !asked {
		return skip("everything is claimed")
	}
	return nil
}

// answer writes what a solver said, for messages.
func answer(r *sdk.Result, err error) string {
	if err != nil {
		return "the error " + err.Error()
	}
	if r == nil {
		return "nothing"
	}
	text := r.Status.String()
	if r.Reason != sdk.NoReason {
		text += ", " + r.Reason.String()
	}
	if r.Native != "" {
		text += " (" + r.Native + ")"
	}
	return text
}

// sample is a small problem of the form and goal; nil where there is none.
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
