package problem_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func smallMILP() *problem.MILP {
	return &problem.MILP{
		Columns:   []problem.Column{{Name: "x", Lo: 0, Hi: 4, Integer: true}, {Name: "y", Lo: math.Inf(-1), Hi: math.Inf(1)}},
		Rows:      []problem.Row{{Name: "sum", Lo: math.Inf(-1), Hi: 3, Terms: []problem.Term{{Column: 0, Coef: 1}, {Column: 1, Coef: 2}}}},
		Objective: problem.Objective{Maximise: true, Terms: []problem.Term{{Column: 1, Coef: 1}}},
	}
}

func smallQuery() *problem.Query {
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 32, Layers: []relu.Layer{{In: 2, Out: 1, Weights: []float64{1, 2}, Bias: []float64{0}}}}
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "z", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
	}}
	return &problem.Query{Model: n, Space: s, Notion: fairness.Score, Epsilon: big.NewRat(1, 20), Goal: problem.Decide}
}

func TestValidateNamesTheFault(t *testing.T) {
	milp := func(spoil func(*problem.MILP)) *problem.Problem {
		m := smallMILP()
		spoil(m)
		return &problem.Problem{MILP: m}
	}
	query := func(spoil func(*problem.Query)) *problem.Problem {
		q := smallQuery()
		spoil(q)
		return &problem.Problem{Query: q}
	}
	for name, c := range map[string]struct {
		p    *problem.Problem
		want string // empty: valid
	}{
		"a good MILP":         {milp(func(*problem.MILP) {}), ""},
		"a good query":        {query(func(*problem.Query) {}), ""},
		"a good script":       {&problem.Problem{SMT: &problem.Script{Text: "(assert true)"}}, ""},
		"no form":             {&problem.Problem{}, "0 forms"},
		"two forms":           {&problem.Problem{MILP: smallMILP(), SMT: &problem.Script{Text: "(assert true)"}}, "2 forms"},
		"crossed bounds":      {milp(func(m *problem.MILP) { m.Columns[0].Lo = 5 }), "column 0 (x)"},
		"NaN bound":           {milp(func(m *problem.MILP) { m.Columns[1].Hi = math.NaN() }), "column 1 (y)"},
		"no such column":      {milp(func(m *problem.MILP) { m.Rows[0].Terms[1].Column = 2 }), "row 0 (sum): no column 2"},
		"column twice":        {milp(func(m *problem.MILP) { m.Rows[0].Terms[1].Column = 0 }), "appears twice"},
		"infinite term":       {milp(func(m *problem.MILP) { m.Objective.Terms[0].Coef = math.Inf(1) }), "objective: coefficient"},
		"set of no column":    {milp(func(m *problem.MILP) { m.SOS1 = []problem.SOS1{{Name: "s", Columns: []int{0, 5}}} }), "set 0 (s): no column 5"},
		"set with a twin":     {milp(func(m *problem.MILP) { m.SOS1 = []problem.SOS1{{Columns: []int{1, 1}}} }), "appears twice"},
		"crossed sides":       {milp(func(m *problem.MILP) { m.Rows[0].Lo = 9 }), "row 0 (sum): sides"},
		"short start":         {milp(func(m *problem.MILP) { m.Start = []float64{1} }), "1 start values for 2 columns"},
		"empty script":        {&problem.Problem{SMT: &problem.Script{Text: " \n"}}, "empty SMT-LIB script"},
		"unknown sort":        {&problem.Problem{SMT: &problem.Script{Text: "(assert true)", Symbols: []problem.Symbol{{Name: "x", Sort: "Float"}}}}, `sort "Float"`},
		"no network":          {query(func(q *problem.Query) { q.Model = nil }), "without a model"},
		"width mismatch":      {query(func(q *problem.Query) { q.Space.Inputs = 1; q.Space.Features = q.Space.Features[:1] }), "the model takes 2 inputs, but the space feeds 1"},
		"ε of one":            {query(func(q *problem.Query) { q.Epsilon = big.NewRat(1, 1) }), "outside 0 < ε < 1"},
		"no ε":                {query(func(q *problem.Query) { q.Epsilon = nil }), "ε is missing"},
		"no ε needed":         {query(func(q *problem.Query) { q.Epsilon, q.Notion = nil, fairness.Decision }), ""},
		"unknown goal":        {query(func(q *problem.Query) { q.Goal = 99 }), "unknown goal"},
		"k of one":            {query(func(q *problem.Query) { q.K = 1 }), "k = 1"},
		"short region":        {query(func(q *problem.Query) { q.Region.Box = space.Box{{}} }), "region has 1 intervals"},
		"no protected value":  {query(func(q *problem.Query) { q.Region = q.Space.Whole(); q.Region.Values[1] = nil }), "leaves protected feature"},
		"relaxed protected":   {query(func(q *problem.Query) { q.Relax = []problem.RelaxedFeature{{Feature: 1, Tolerance: 1}} }), "want a feature that is not protected"},
		"NaN relaxation":      {query(func(q *problem.Query) { q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: math.NaN()}} }), "relaxation of \"a\""},
		"foreign predicate":   {query(func(q *problem.Query) { q.Forbid = []space.Predicate{{{Feature: 7}}} }), "no feature 7"},
		"short excluded":      {query(func(q *problem.Query) { q.Exclude = [][]float64{{1}} }), "point has 1 entries for 2 features"},
		"network without end": {query(func(q *problem.Query) { q.Model.(*relu.Network).Layers[0].ReLU = true }), "output layer has a ReLU"},
	} {
		err := c.p.Validate()
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want one that says %q", name, err, c.want)
		}
	}
}

func TestViolationMeasuresTheWorstBreach(t *testing.T) {
	m := smallMILP()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, 1}, 0},
		{[]float64{1.25, 0}, 0.25}, // not an integer
		{[]float64{5, -1}, 1},      // above its bound
		{[]float64{1, 2}, 2},       // the row by 2
		{[]float64{-3, 0}, 3},
	} {
		if got := m.Violation(c.values); got != c.want {
			t.Errorf("%v breaks the problem by %v, want %v", c.values, got, c.want)
		}
	}
	m.SOS1 = []problem.SOS1{{Columns: []int{0, 1}}}
	if got := m.Violation([]float64{1, -0.5}); got != 0.5 {
		t.Errorf("two columns of a set at 1 and -0.5 break it by %v, want 0.5", got)
	}
	m.SOS1 = nil
	if got := m.Violation([]float64{1, math.NaN()}); !math.IsNaN(got) {
		t.Errorf("a NaN value breaks the problem by %v, want NaN", got)
	}
}

// TestStackIsAHistory applies random deltas and holds the stack against a
// plain list of problems, one a level.
func TestStackIsAHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stack := problem.NewStack(&problem.Problem{MILP: smallMILP()})
		model := []*problem.MILP{smallMILP()}
		for range rapid.IntRange(1, 12).Draw(t, "deltas") {
			d := problem.Delta{
				Pop:  rapid.IntRange(0, len(model)-1).Draw(t, "pop"),
				Push: rapid.IntRange(0, 2).Draw(t, "push"),
			}
			model = model[:len(model)-d.Pop]
			for range d.Push {
				model = append(model, copyOf(model[len(model)-1]))
			}
			top := model[len(model)-1]
			if rapid.Bool().Draw(t, "bound") {
				hi := float64(rapid.IntRange(0, 9).Draw(t, "hi"))
				d.ColumnBounds = []problem.ColumnBound{{Column: 0, Lo: 0, Hi: hi}}
				top.Columns[0].Hi = hi
			}
			if rapid.Bool().Draw(t, "row") {
				row := problem.Row{Name: "more", Lo: 0, Hi: 1, Terms: []problem.Term{{Column: 1, Coef: 1}}}
				d.Rows = []problem.Row{row}
				top.Rows = append(top.Rows, row)
			}
			if rapid.Bool().Draw(t, "objective") {
				d.Objective = &problem.Objective{Offset: float64(len(model))}
				top.Objective = *d.Objective
			}
			now, err := stack.Apply(d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(top, now.MILP); diff != "" {
				t.Fatalf("the stack holds another problem (-want +got):\n%s", diff)
			}
		}
	})
}

func copyOf(m *problem.MILP) *problem.MILP {
	out := *m
	out.Columns = append([]problem.Column(nil), m.Columns...)
	out.Rows = append([]problem.Row(nil), m.Rows...)
	return &out
}

func TestARefusedDeltaChangesNothing(t *testing.T) {
	stack := problem.NewStack(&problem.Problem{MILP: smallMILP()})
	for _, d := range []problem.Delta{
		{Pop: 1},
		{Push: -1},
		{Assert: "(assert true)"},
		{ColumnBounds: []problem.ColumnBound{{Column: 9}}},
		{Push: 1, ColumnBounds: []problem.ColumnBound{{Column: 0, Lo: 3, Hi: 2}}},
		{Start: []float64{1}},
	} {
		if _, err := stack.Apply(d); err == nil {
			t.Errorf("%+v was applied", d)
		}
	}
	now, err := stack.Apply(problem.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(smallMILP(), now.MILP); diff != "" {
		t.Errorf("refused deltas left a trace (-want +got):\n%s", diff)
	}
	if _, err := stack.Apply(problem.Delta{Pop: 1}); err == nil {
		t.Error("a level was popped that a refused delta had pushed")
	}
}

func TestAssertionsArePoppedToo(t *testing.T) {
	stack := problem.NewStack(&problem.Problem{SMT: &problem.Script{Text: "(declare-const x Int)"}})
	if now, err := stack.Apply(problem.Delta{Push: 1, Assert: "(assert (> x 1))"}); err != nil || !strings.HasSuffix(now.SMT.Text, "(assert (> x 1))") {
		t.Fatalf("%v, %v", now, err)
	}
	now, err := stack.Apply(problem.Delta{Pop: 1})
	if err != nil || now.SMT.Text != "(declare-const x Int)" {
		t.Fatalf("%v, %v", now, err)
	}
}

func TestNumbersAreExact(t *testing.T) {
	third := problem.Number{Rat: big.NewRat(1, 3)}
	if third.String() != "1/3" || third.Float64() != 1.0/3 {
		t.Errorf("a third is %s, %v", third, third.Float64())
	}
	if n := (problem.Number{Float: 0.1}); n.String() != "0.1" || n.Float64() != 0.1 {
		t.Errorf("0.1 is %s", n)
	}
}

func TestFloatsAndBack(t *testing.T) {
	in := []problem.Number{{Float: -1.5}, {Rat: big.NewRat(1, 4)}, {Rat: big.NewRat(1, 3)}}
	if got, want := problem.Float64s(in), []float64{-1.5, 0.25, 1.0 / 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if back := problem.Float64s(problem.Floats([]float64{2, -0.5})); !slices.Equal(back, []float64{2, -0.5}) {
		t.Errorf("2 and -0.5 come back as %v", back)
	}
}

func TestWhatAQueryIsAbout(t *testing.T) {
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "s", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
	}}
	about := func(feature int, lo, hi float64) []space.Predicate {
		return []space.Predicate{{{Feature: feature, Interval: space.Interval{Lo: lo, Hi: hi}}}}
	}
	q := &problem.Query{
		Model: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{{In: 2, Out: 1, Weights: []float64{1, 2}, Bias: []float64{-4}}}},
		Space: s, Notion: fairness.Decision, Goal: problem.Decide, Require: about(0, 2, 9), Forbid: about(0, 5, 6), Exclude: [][]float64{{7, 1}},
		Relax: []problem.RelaxedFeature{{Feature: 0, Tolerance: 3}, {Feature: 0, Tolerance: 2}},
	}
	if err := q.Validate(); err != nil {
		t.Fatal(err)
	}
	for x := range s.Individuals(s.Whole().Box) {
		a := x[0]
		if got, want := q.Describes(x), a >= 2 && a != 5 && a != 6; got != want {
			t.Errorf("a = %v is described: %v", a, got)
		}
		if got := q.Excludes(x); got != (a == 7) {
			t.Errorf("a = %v is excluded: %v", a, got)
		}
		// The logits are a − 4 and a − 2: they differ in sign at 3 and 4.
		logits := q.Logits(q.Model.Exact(), x)
		if len(logits) != 2 || logits[1].Cmp(new(big.Rat).SetFloat64(a-2)) != 0 {
			t.Errorf("a = %v: the logits are %v", a, logits)
		}
		if got := q.Violates(logits); got != (a == 3 || a == 4) {
			t.Errorf("a = %v violates: %v", a, got)
		}
	}
	if by, relaxed := q.Tolerance(0); by != 2 || !relaxed {
		t.Errorf("a may differ by %v, %v", by, relaxed)
	}
	if _, relaxed := q.Tolerance(1); relaxed || q.TellsCopiesApart() {
		t.Errorf("s may differ: %v; the copies are told apart: %v", relaxed, q.TellsCopiesApart())
	}
	q.Forbid = about(1, 0, 0)
	if !q.TellsCopiesApart() {
		t.Error("a predicate about s tells the copies apart")
	}
	q.Notion, q.Epsilon, q.K = fairness.Score, big.NewRat(1, 4), 3
	for k, logits := range map[bool][]*big.Rat{true: {big.NewRat(-9, 1), new(big.Rat), big.NewRat(9, 1)}, false: {big.NewRat(-9, 1), big.NewRat(9, 1)}} {
		if q.Violates(logits) != k {
			t.Errorf("%v reaches three bins: %v", logits, !k)
		}
	}
}
