package export_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// spy is a solver that keeps the problem it is first asked to solve and gives
// up.
type spy struct {
	loaded, asked *problem.Problem
}

var errSpy = errors.New("seen enough")

func (*spy) Describe(context.Context) (sdk.Description, error) { return sdk.Description{}, errSpy }

func (*spy) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	return nil, errSpy
}

func (s *spy) Load(_ context.Context, p *problem.Problem) (sdk.Loaded, error) {
	s.loaded = p
	return spied{s}, nil
}

// TestNearIsRefused: no format states that individuals are near rows, and none leaves it out.
func TestNearIsRefused(t *testing.T) {
	q := tiny(fairness.Decision)
	near, err := space.NewVicinity(q.Space, [][]float64{{0, 0}}, big.NewRat(1, 10))
	if err != nil {
		t.Fatal(err)
	}
	q.Within = near
	for _, f := range export.Formats {
		_, err := export.Lower(q, f, export.Options{Encoding: map[problem.Form]string{problem.FormMILP: "bigm", problem.FormSMT: "smt"}[f.Form], Bounds: engine.DefaultBounds})
		if !errors.Is(err, sdk.ErrUnsupported) || !strings.Contains(err.Error(), "--near") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

type spied struct{ *spy }

func (s spied) Solve(_ context.Context, d problem.Delta, _ sdk.SolveOptions) (*sdk.Result, error) {
	if s.asked != nil {
		return nil, errSpy
	}
	d.Start = nil // a hint, and no part of the problem
	p, err := problem.NewStack(s.loaded).Apply(d)
	if err != nil {
		return nil, err
	}
	s.spy.asked = p
	return nil, errSpy
}

func (spied) Close() error { return nil }

// TestExportedIsWhatCertifyAsks compares the problem to be written with the one
// that certify hands to a solver.
func TestExportedIsWhatCertifyAsks(t *testing.T) {
	compared := map[string]int{}
	for i := range 120 {
		for _, e := range encode.Encodings {
			encoding := e.Name
			q := random(rand.New(rand.NewPCG(uint64(i), 11)), fairness.Notions[i%4])
			bounds := []string{"interval", "linear"}[i/4%2]
			kind := "two alike"
			switch {
			case i%5 == 0:
				kind = "relaxed"
				q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
			case i%5 == 1 && q.Notion == fairness.Score:
				kind = "three bins"
				q.K = 3
			}
			seen := &spy{}
			description := sdk.Description{Name: "spy", SOS1: true, Serves: []sdk.Service{{Form: e.Form, Goal: problem.Decide}, {Form: e.Form, Goal: problem.Maximise}}, Exactness: sdk.GradeExact}
			_, err := engine.Run(t.Context(), q, engine.Options{Solver: seen, Description: description, Encoding: encoding, Bounds: bounds, Enumerate: -1})
			if err != nil && !errors.Is(err, errSpy) {
				t.Fatal(err)
			}
			format := map[problem.Form]string{problem.FormMILP: "mps", problem.FormSMT: "smt2"}[e.Form]
			f, err := export.Lookup(format)
			if err != nil {
				t.Fatal(err)
			}
			lowered, err := export.Lower(q, f, export.Options{Encoding: encoding, Bounds: bounds})
			switch {
			case err != nil && seen.asked != nil:
				t.Errorf("query %d: certify asks, export says %v", i, err)
			case seen.asked != nil && q.Notion == fairness.Score && e.Form == problem.FormSMT:
				// certify asks for some room first; the file asks for none.
			case seen.asked != nil:
				compared[encoding]++
				compared[kind]++
				if diff := cmp.Diff(seen.asked, lowered[0].Problem); diff != "" {
					t.Fatalf("query %d (%s, %s): the file's problem is another (-certify +export):\n%s", i, q.Notion, encoding, diff)
				}
			}
		}
	}
	kinds := []string{"two alike", "relaxed", "three bins"}
	for _, e := range encode.Encodings {
		kinds = append(kinds, e.Name)
	}
	for _, what := range kinds {
		if compared[what] < 10 {
			t.Errorf("only %d problems compared of %s", compared[what], what)
		}
	}
}

// TestBothWaysRound: if the copies are not interchangeable, two problems are written.
func TestBothWaysRound(t *testing.T) {
	q := tiny(fairness.Logit)
	q.Forbid = []space.Predicate{{{Feature: 1, Interval: space.Interval{Lo: 2, Hi: 2}}}}
	f, err := export.Lookup("lp")
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := export.Lower(q, f, export.Options{Encoding: "bigm", Bounds: "interval"})
	if err != nil {
		t.Fatal(err)
	}
	if len(lowered) != 2 || lowered[0].Suffix != "" || lowered[1].Suffix != "-swapped" || len(lowered[0].Meaning) != 2 {
		t.Fatalf("%d problems for copies that differ", len(lowered))
	}
	if a, b := write(t, "lp", lowered[0].Problem), write(t, "lp", lowered[1].Problem); a == b {
		t.Error("both files ask the same")
	}
}

func TestQuestionsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		format string
		o      export.Options
		change func(*problem.Query)
		want   error
		text   string
	}{
		"an encoding of another form": {"mps", export.Options{Encoding: "smt", Bounds: "interval"}, nil, sdk.ErrInvalidOption, "does not write"},
		"no encoding":                 {"mps", export.Options{Encoding: "magic", Bounds: "interval"}, nil, sdk.ErrInvalidOption, "magic"},
		"no bounds":                   {"lp", export.Options{Encoding: "bigm", Bounds: "magic"}, nil, sdk.ErrInvalidOption, "magic"},
		"the largest score gap":       {"lp", export.Options{Encoding: "bigm", Bounds: "interval", Maximise: true}, nil, sdk.ErrInvalidOption, "sequence"},
		"a vnnlib objective":          {"vnnlib", export.Options{Maximise: true}, func(q *problem.Query) { q.Notion = fairness.Decision }, sdk.ErrInvalidOption, "no objective"},
		"a relaxed vnnlib":            {"vnnlib", export.Options{}, func(q *problem.Query) { q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}} }, sdk.ErrUnsupported, "relaxed"},
		"a vnnlib of many copies":     {"vnnlib", export.Options{}, func(q *problem.Query) { q.K = 3 }, sdk.ErrUnsupported, "3 bins"},
		"one counterfactual":          {"mps", export.Options{Encoding: "bigm", Bounds: "interval"}, func(q *problem.Query) { q.Space.Features[1].Protected = []float64{0} }, export.ErrDecided, ""},
		"a gap beyond reach":          {"mps", export.Options{Encoding: "bigm", Bounds: "interval"}, func(q *problem.Query) { q.Epsilon = big.NewRat(999999, 1000000) }, export.ErrDecided, ""},
		"a query of no network":       {"mps", export.Options{}, func(q *problem.Query) { q.Model = nil }, sdk.ErrInvalidProblem, "without a model"},
	} {
		q := tiny(fairness.Score)
		if c.change != nil {
			c.change(q)
		}
		f, err := export.Lookup(c.format)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := export.Lower(q, f, c.o); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v; want %v that says %q", name, err, c.want, c.text)
		}
	}
}

// A question that is unfair is written, however near ε lies to the gap: only what certify
// proves by bounds is refused as decided.
func TestNoUnfairQuestionIsDecidedByBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 26))
	for range 300 {
		low, high := r.Float64()*80-40, r.Float64()*40
		high += low
		if r.IntN(3) == 0 {
			high = low + math.Ldexp(r.Float64(), -r.IntN(60))
		}
		q := tiny(fairness.Score)
		q.Model = &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{Name: "score", In: 2, Out: 1, Weights: []float64{0, high - low}, Bias: []float64{low + (high-low)/2}},
		}}
		exact := individual.NewJudge(q)
		a, b := exact.Logit([]float64{0, 2}), exact.Logit([]float64{0, 0})
		if a.Cmp(b) <= 0 {
			continue
		}
		gap, _ := fairness.Score.Margin(a, b)
		for _, f := range export.Formats {
			for _, e := range encode.Encodings {
				if e.Form != f.Form && !(f.Name == "vnnlib" && e.Name == "bigm") {
					continue
				}
				o := export.Options{Encoding: e.Name, Bounds: "interval"}
				below, _ := fairness.Enclosure(gap)
				for q.Epsilon = new(big.Rat).SetFloat64(below); q.Epsilon.Sign() > 0; q.Epsilon = new(big.Rat).Mul(q.Epsilon, big.NewRat(1, 3)) {
					_, err := export.Lower(q, f, o)
					if errors.Is(err, export.ErrDecided) {
						t.Fatalf("%s, %s: logits %v and %v, ε %s: %v", f.Name, e.Name, low, high, q.Epsilon.FloatString(40), err)
					}
					if r.IntN(2) == 0 {
						break
					}
				}
			}
		}
	}
}
