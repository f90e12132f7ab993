package milptest

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Draw draws a pure integer program small enough to enumerate. All its numbers
// are small integers, so that feasibility is never a close call.
func Draw(t *rapid.T) *problem.MILP {
	m := &problem.MILP{Objective: problem.Objective{
		Maximise: rapid.Bool().Draw(t, "maximise"),
		Offset:   float64(rapid.IntRange(-3, 3).Draw(t, "offset")),
	}}
	n := rapid.IntRange(1, 5).Draw(t, "columns")
	for range n {
		lo := rapid.IntRange(-3, 2).Draw(t, "lo")
		m.Columns = append(m.Columns, problem.Column{Lo: float64(lo), Hi: float64(lo + rapid.IntRange(0, 4).Draw(t, "width")), Integer: true})
	}
	for range rapid.IntRange(0, 4).Draw(t, "rows") {
		m.Rows = append(m.Rows, drawRow(t, n))
	}
	if rapid.IntRange(0, 9).Draw(t, "no objective") > 0 {
		m.Objective.Terms = drawTerms(t, n)
	}
	return m
}

func drawRow(t *rapid.T, n int) problem.Row {
	row := problem.Row{Lo: -inf, Hi: inf, Terms: drawTerms(t, n)}
	side := float64(rapid.IntRange(-12, 12).Draw(t, "side"))
	switch rapid.IntRange(0, 3).Draw(t, "sense") {
	case 0:
		row.Lo = side
	case 1:
		row.Hi = side
	case 2:
		row.Lo, row.Hi = side, side
	default:
		row.Lo, row.Hi = side, side+float64(rapid.IntRange(0, 6).Draw(t, "range"))
	}
	return row
}

func drawTerms(t *rapid.T, n int) []problem.Term {
	coefs := make([]float64, n)
	for i := range coefs {
		coefs[i] = float64(rapid.IntRange(-7, 7).Draw(t, "coefficient"))
	}
	return Terms(coefs...)
}

// drawDelta draws a change of a problem as it stands, depth levels deep.
func drawDelta(t *rapid.T, m *problem.MILP, depth int) problem.Delta {
	n := len(m.Columns)
	d := problem.Delta{
		Pop:  rapid.IntRange(0, depth).Draw(t, "pop"),
		Push: rapid.IntRange(0, 2).Draw(t, "push"),
	}
	for i := range n {
		if rapid.IntRange(0, 3).Draw(t, "bound") == 0 {
			lo := m.Columns[i].Lo + float64(rapid.IntRange(0, 2).Draw(t, "up"))
			d.ColumnBounds = append(d.ColumnBounds, problem.ColumnBound{Column: i, Lo: lo, Hi: max(lo, m.Columns[i].Hi)})
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "new rows") {
		d.Rows = append(d.Rows, drawRow(t, n))
	}
	if rapid.Bool().Draw(t, "new objective") {
		d.Objective = &problem.Objective{Maximise: rapid.Bool().Draw(t, "maximise"), Terms: drawTerms(t, n)}
	}
	if rapid.IntRange(0, 3).Draw(t, "start") == 0 {
		d.Start = make([]float64, n)
		for i := range d.Start {
			d.Start[i] = math.NaN()
			if rapid.Bool().Draw(t, "given") {
				d.Start[i] = float64(rapid.IntRange(-4, 6).Draw(t, "value"))
			}
		}
	}
	return d
}

// enumerate finds the best objective over all points of a problem with bounded
// integer columns and small integer numbers, and whether there is a point.
func enumerate(m *problem.MILP) (best float64, found bool) {
	x := make([]float64, len(m.Columns))
	var walk func(i int)
	walk = func(i int) {
		if i == len(x) {
			if m.Violation(x) > 0 {
				return
			}
			v := problem.Evaluate(m.Objective.Terms, x) + m.Objective.Offset
			if !found || m.Objective.Maximise && v > best || !m.Objective.Maximise && v < best {
				best, found = v, true
			}
			return
		}
		for v := m.Columns[i].Lo; v <= m.Columns[i].Hi; v++ {
			x[i] = v
			walk(i + 1)
		}
	}
	walk(0)
	return best, found
}

// Agree fails unless a result of a problem such as Draw's is what the enumeration
// of its points finds: status, optimum and bound.
func Agree(t rapid.TB, m *problem.MILP, r *sdk.Result) {
	t.Helper()
	Check(t, m, r)
	best, found := enumerate(m)
	want := sdk.Optimal
	switch {
	case !found:
		want = sdk.Infeasible
	case len(m.Objective.Terms) == 0:
		want = sdk.Feasible
	}
	if r.Status != want || r.Reason != sdk.NoReason {
		t.Fatalf("%v (%v, native %q), want %v", r.Status, r.Reason, r.Native, want)
	}
	if found && math.Abs(r.Objective-best) > 1e-5 && want == sdk.Optimal {
		t.Fatalf("optimum %v, enumeration finds %v", r.Objective, best)
	}
	if want == sdk.Optimal && (!r.HasBound || math.Abs(r.Bound-best) > 1e-5) {
		t.Fatalf("bound %v (%v), enumeration finds %v", r.Bound, r.HasBound, best)
	}
}

// Optima asks problems drawn by rapid: status, optimum and bound are what the
// enumeration finds.
func Optima(t testing.TB, s sdk.Solver) {
	t.Helper()
	checks := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 2 { // rapid's 100 draws, two problems each
			m := Draw(t)
			Agree(t, m, Solve(t, s, m, sdk.SolveOptions{}))
			checks++
		}
	})
	t.Logf("%d problems", checks)
}

// Deltas applies a chain of deltas to one load: at each step the answer is what
// the enumeration of the problem as it then stands gives, so popping restores it
// exactly.
func Deltas(t testing.TB, s sdk.Incremental) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		p := &problem.Problem{MILP: Draw(t)}
		l, err := s.Load(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		referee, depth := problem.NewStack(p), 0
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			d := drawDelta(t, p.MILP, depth)
			depth += d.Push - d.Pop
			now, err := referee.Apply(d)
			if err != nil {
				t.Fatal(err)
			}
			r, err := l.Solve(context.Background(), d, sdk.SolveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			Agree(t, now.MILP, r)
		}
	})
}
