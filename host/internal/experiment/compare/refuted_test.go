package compare

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// bent is an Enumerator whose answers are bent.
type bent struct {
	reference.Enumerator
	answer func(p *problem.Problem, r *sdk.Result)
}

func (b bent) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	o.Progress = nil
	r, err := b.Enumerator.Solve(ctx, p, o)
	if err == nil {
		b.answer(p, r)
	}
	return r, err
}

func (b bent) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	return bentLoaded{b, problem.NewStack(p)}, nil
}

type bentLoaded struct {
	bent
	stack *problem.Stack
}

func (l bentLoaded) Close() error { return nil }

func (l bentLoaded) Solve(ctx context.Context, d problem.Delta, o sdk.SolveOptions) (*sdk.Result, error) {
	p, err := l.stack.Apply(d)
	if err != nil {
		return nil, err
	}
	return l.bent.Solve(ctx, p, o)
}

// A claim that the host refutes within the task is a disagreement in every format. A fault that
// refutes nothing is shown with its text.
func TestClaimsRefutedInTheTaskAreDisagreements(t *testing.T) {
	deny := func(_ *problem.Problem, r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} }
	calls := 0
	for name, c := range map[string]struct {
		answer   func(p *problem.Problem, r *sdk.Result)
		encoding string
		goal     string
		// refuted: else it is a fault alone.
		refuted bool
		says    string
	}{
		"denies, in rows":      {deny, "bigm", GoalDecide, true, "nothing exceeds 0.05"},
		"denies, of the model": {deny, engine.Direct, GoalDecide, true, "nothing exceeds 0.05"},
		"denies, maximising":   {deny, engine.Direct, GoalMaximise, true, "nothing exceeds"},
		"denies every other": {func(p *problem.Problem, r *sdk.Result) {
			if calls++; calls%2 == 0 {
				deny(p, r)
			}
		}, "bigm", GoalDecide, true, "nothing exceeds 0.05"},
		"too low a bound": {func(p *problem.Problem, r *sdk.Result) {
			if p.Query != nil && p.Query.Goal == problem.Maximise {
				*r = sdk.Result{Status: sdk.Unknown, Reason: sdk.WorkLimit, Bound: 0.01, HasBound: true}
			}
		}, engine.Direct, GoalMaximise, true, "a replayed witness has"},
		"a witness that is none": {func(_ *problem.Problem, r *sdk.Result) {
			if r.Witness != nil {
				r.Witness.Copy2 = r.Witness.Copy1
			}
		}, engine.Direct, GoalDecide, true, "its witness, replayed, has no margin above"},
		"a wrong optimum":         {func(_ *problem.Problem, r *sdk.Result) { r.Objective, r.Bound = r.Objective+0.25, r.Bound+0.25 }, engine.Direct, GoalMaximise, true, "its own point has"},
		"NaN":                     {func(_ *problem.Problem, r *sdk.Result) { r.Bound, r.HasBound = math.NaN(), true }, "bigm", GoalDecide, false, "NaN"},
		"a point, and infeasible": {func(_ *problem.Problem, r *sdk.Result) { r.Status = sdk.Infeasible }, "bigm", GoalDecide, false, "infeasible and holds a point"},
	} {
		t.Run(name, func(t *testing.T) {
			p := tinyPlan(t, tinyStudy(t, [6]float64{0.5, 1}), 2, Arm{Name: "honest"}, Arm{Name: "liar", Goal: c.goal}) // one neuron, of few rows
			kept := newMemory()
			lying := inProcess(func(ctx context.Context) (*engine.Options, func(), error) {
				d, err := reference.Enumerator{}.Describe(ctx)
				return &engine.Options{Solver: bent{answer: c.answer}, Description: d, Encoding: c.encoding, Bounds: "interval"}, func() {}, err
			})
			work := func(ctx context.Context, job *Job, cores []int, event func(record.Event) error) (workers.Usage, error) {
				if job.Arm == "liar" {
					return lying(ctx, job, cores, event)
				}
				return inProcess(enumerator)(ctx, job, cores, event)
			}
			if err := runOn(t.Context(), p, kept, work, nil, nil); err != nil {
				t.Fatal(err)
			}
			table, err := p.Tabulate(kept)
			if refuted := errors.Is(err, session.ErrContradiction); refuted != c.refuted {
				t.Fatalf("error %v", err)
			}
			shown := table.(*Comparison)
			if row := shown.Rows[1]; row.Faults == 0 || !strings.Contains(row.Fault, c.says) {
				t.Errorf("row %+v", row)
			}
			byHost := shown.refutations("liar", theHost, nil)
			if (byHost > 0) != c.refuted || shown.refutations("honest", theHost, nil) != 0 {
				t.Errorf("%d refuted by the host: %+v", byHost, shown.Disagreements)
			}
			for _, format := range []string{view.Text, "markdown", "html", "latex", "csv", formatJSON} {
				var out strings.Builder
				if format == formatJSON {
					err = view.JSON(&out, shown, "")
				} else {
					err = shown.Document().Write(&out, format, view.Options{})
				}
				text := strings.Join(strings.Fields(out.String()), " ")
				if err != nil || !strings.Contains(text, c.says) {
					t.Errorf("%s does not say %q: %v\n%s", format, c.says, err, text)
				}
				if says := strings.Contains(text, "DISAGREEMENT tiny/"); says != (c.refuted && format != "csv" && format != formatJSON) {
					t.Errorf("%s: a disagreement: %v\n%s", format, says, text)
				}
			}
		})
	}
}

const formatJSON = "json"
