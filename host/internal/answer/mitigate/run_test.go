package mitigate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/answer/train"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestParseArms(t *testing.T) {
	arms, err := ParseArms([]string{"blind", " retrained+guards", "original", "retrained", "blind"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range arms {
		names = append(names, a.String())
	}
	if d := cmp.Diff([]string{"original", "retrained", "retrained+guards", "blind"}, names); d != "" {
		t.Error(d)
	}
	if _, err := ParseArms([]string{"retrained+guard"}); err == nil || !strings.Contains(err.Error(), "the arms are original, retrained, consistent") {
		t.Errorf("an unknown arm: %v", err)
	}
	if _, err := ParseArms(DefaultArms()); err != nil {
		t.Error(err)
	}
}

// shopConfig is a comparison on the shop space; found gives the number and the k of the
// individuals by arm.
func shopConfig(t *testing.T, found func(name string) (k, count int), arms ...string) Config {
	t.Helper()
	s, n := shop(t)
	c := Config{Model: n, Space: s, Region: s.Whole(), Retraining: DefaultRetraining(), MostRefused: 1}
	c.Retraining.Epochs, c.Retraining.Patience = 1, 0
	c.Train, c.TrainLabels = rowsOf([]crowd{{[]float64{9, 0, 20}, 1, 20}, {[]float64{0, 1, 40}, 0, 20}, {[]float64{3, 1, 60}, 0, 10}})
	var err error
	if c.Arms, err = ParseArms(arms); err != nil {
		t.Fatal(err)
	}
	c.Search = func(_ context.Context, name string, _ Subject) (*Searched, error) {
		k, count := found(name)
		events := []record.Event{}
		out := &Searched{}
		for i := range count {
			f := record.Found{X: []float64{float64(i % 10), 0, 0}, K: k, Gap: 0.5}
			out.Found = append(out.Found, f)
			events = append(events, record.Event{Kind: record.KindFound, Found: &f})
		}
		events = append(events, record.Event{Kind: record.KindFinished, Finished: &record.Finished{Iter: 100}})
		out.Runs = []search.Measures{search.Measure(events)}
		return out, nil
	}
	return c
}

// always is a search whose result does not depend on the arm.
func always(k, count int) func(string) (int, int) {
	return func(string) (int, int) { return k, count }
}

// TestNothingToDo: an arm that cannot be tried is skipped with the reason; the others run.
func TestNothingToDo(t *testing.T) {
	c := shopConfig(t, always(0, 0), "original", "original+guards", "retrained", "consistent")
	c.Explain = func(_ context.Context, _ model.Model, found []record.Found) ([]space.Predicate, error) {
		if len(found) > 0 {
			t.Errorf("%d found", len(found))
		}
		return nil, ErrNoRules
	}
	outcomes, err := Run(t.Context(), c)
	if err != nil || len(outcomes) != 4 {
		t.Fatalf("%d outcomes, %v", len(outcomes), err)
	}
	for i, want := range []string{"", "no guardrails", "nothing to retrain on", ""} {
		if got := outcomes[i].Skipped; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: left out because %q, want %q", outcomes[i].Arm, got, want)
		}
	}
}

// TestGuardsRefuseNoMoreThanAsked: rules are taken in order while they refuse few enough
// rows together.
func TestGuardsRefuseNoMoreThanAsked(t *testing.T) {
	points := func(lo, hi float64) space.Predicate {
		return space.Predicate{{Feature: 0, Interval: space.Interval{Lo: lo, Hi: hi}}}
	}
	rules := []space.Predicate{points(0, 1), points(9, 9), points(3, 3), points(5, 5)} // 40 %, 40 %, 20 %, 0 %
	for _, test := range []struct {
		most float64
		kept []int
	}{{1, []int{0, 1, 2, 3}}, {0.6, []int{0, 2, 3}}, {0.4, []int{0, 3}}, {0.3, []int{2, 3}}, {0.01, []int{3}}} {
		c := shopConfig(t, always(2, 5), "original+guards")
		c.MostRefused = test.most
		c.Explain = func(context.Context, model.Model, []record.Found) ([]space.Predicate, error) { return rules, nil }
		outcomes, err := Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var want []space.Predicate
		for _, i := range test.kept {
			want = append(want, rules[i])
		}
		o := outcomes[0]
		if d := cmp.Diff(want, o.Subject.Guards); d != "" || o.LeftOut != len(rules)-len(want) {
			t.Errorf("at most %v: left out %d; %s", test.most, o.LeftOut, d)
		}
		if q := o.Quality.Refused; *q > test.most {
			t.Errorf("at most %v: refuses %v", test.most, *q)
		}
	}
	c := shopConfig(t, always(2, 5), "original+guards")
	c.MostRefused = 0.1
	c.Explain = func(context.Context, model.Model, []record.Found) ([]space.Predicate, error) {
		return rules[:2], nil
	}
	outcomes, err := Run(t.Context(), c)
	if err != nil || !strings.Contains(outcomes[0].Skipped, "each of the 2 rules derived refuses more than 10 %") {
		t.Errorf("%v, %+v", err, outcomes)
	}
}

// TestRulesGivenAreNotExplained: the user's rules apply to every network.
func TestRulesGivenAreNotExplained(t *testing.T) {
	c := shopConfig(t, always(2, 5), "original+guards", "retrained+guards")
	c.Rules = []space.Predicate{}
	c.Explain = func(context.Context, model.Model, []record.Found) ([]space.Predicate, error) {
		t.Error("explained")
		return nil, nil
	}
	outcomes, err := Run(t.Context(), c)
	if err != nil || len(outcomes) != 2 || outcomes[0].Skipped != "" || len(outcomes[1].Subject.Guards) != 0 {
		t.Errorf("%v, %+v", err, outcomes)
	}
}

// TestIterated: rounds continue while the search finds less, and the best network is kept.
func TestIterated(t *testing.T) {
	type result struct{ k, count int }
	for _, test := range []struct {
		name   string
		rounds []result // the original's first
		want   int      // rounds tried
		kept   int      // the round whose network is kept, 0 for none
	}{
		{"k falls until it does not", []result{{9, 5}, {5, 5}, {4, 5}, {4, 5}}, 3, 2},
		{"fewer individuals count, too", []result{{9, 5}, {9, 4}, {9, 3}, {9, 2}}, 3, 3},
		{"nobody is found", []result{{9, 5}, {0, 0}, {1, 1}}, 1, 1},
		{"worse at once", []result{{9, 5}, {10, 1}}, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var nets []*relu.Network
			c := shopConfig(t, nil, "iterated")
			base := shopConfig(t, func(name string) (int, int) {
				r := test.rounds[0]
				if name != "original" {
					r = test.rounds[min(len(nets), len(test.rounds)-1)]
				}
				return r.k, r.count
			}, "iterated")
			c.Retraining.MaxLoss = 1
			c.Search = func(ctx context.Context, name string, s Subject) (*Searched, error) {
				if strings.Contains(name, "round") {
					nets = append(nets, s.Model.(*relu.Network))
				}
				return base.Search(ctx, name, s)
			}
			outcomes, err := Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			o := outcomes[0]
			if len(nets) != test.want {
				t.Errorf("%d rounds, want %d", len(nets), test.want)
			}
			if test.kept == 0 {
				if !strings.Contains(o.Skipped, "no round gave a better network") {
					t.Errorf("%+v", o)
				}
				return
			}
			if o.Subject.Model != nets[test.kept-1] || o.Rounds != test.want {
				t.Errorf("the network of round %d is kept, want that of round %d", slices.Index(nets, o.Subject.Model.(*relu.Network))+1, test.kept)
			}
		})
	}
}

// TestIteratedIsNotDear: a round that costs too much accuracy is not kept.
func TestIteratedIsNotDear(t *testing.T) {
	c := shopConfig(t, always(9, 5), "iterated")
	c.Retraining.Rate, c.Retraining.MaxLoss = 50, 0 // steps that destroy the network
	c.Train, c.TrainLabels = rowsOf([]crowd{{[]float64{9, 0, 20}, 1, 20}, {[]float64{0, 1, 40}, 0, 20}, {[]float64{5, 1, 60}, 1, 10}, {[]float64{4, 0, 60}, 0, 10}})
	outcomes, err := Run(t.Context(), c)
	if err != nil || !strings.Contains(outcomes[0].Skipped, "points of accuracy") {
		t.Errorf("%v, %+v", err, outcomes)
	}
}

// TestRefusals: data that cannot be trained on is refused before any search.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*Config)
		want string
		is   error
	}{
		{"one class", func(c *Config) { clear(c.TrainLabels) }, "none of the 50 rows to train on has the outcome 1", train.ErrOneClass},
		{"no rows", func(c *Config) { c.Train, c.TrainLabels = nil, nil }, "0 rows to train on", nil},
		{"a third class", func(c *Config) { c.TrainLabels[3] = 2 }, "row 3 has the label 2", nil},
		{"labels missing", func(c *Config) { c.TrainLabels = c.TrainLabels[1:] }, "50 rows but 49 labels", nil},
		{"epochs", func(c *Config) { c.Retraining.Epochs = 0 }, "0 epochs", nil},
		{"rate", func(c *Config) { c.Retraining.Rate = 0 }, "learning rate 0", nil},
		{"patience", func(c *Config) { c.Retraining.Patience = -1 }, "patience of -1", nil},
		{"hold back", func(c *Config) { c.Retraining.HeldBack = 1 }, "share 1 held back", nil},
		{"augment", func(c *Config) { c.Retraining.Augment = 0 }, "0 individuals to add", nil},
		{"label", func(c *Config) { c.Retraining.Label = "best" }, "the policies are majority and mean", nil},
		{"weight", func(c *Config) { c.Retraining.Weight = 0 }, "weight 0", nil},
		{"copies", func(c *Config) { c.Retraining.Copies = 1 }, "over 1 copies", nil},
		{"rounds", func(c *Config) { c.Retraining.Rounds = 0 }, "0 rounds", nil},
		{"loss", func(c *Config) { c.Retraining.MaxLoss = 2 }, "an accuracy loss of 2", nil},
		{"most refused", func(c *Config) { c.MostRefused = 0 }, "at most a share of 0", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := shopConfig(t, always(2, 1), "original")
			c.Search = func(context.Context, string, Subject) (*Searched, error) {
				t.Error("searched all the same")
				return nil, nil
			}
			test.edit(&c)
			outcomes, err := Run(t.Context(), c)
			if err == nil || len(outcomes) > 0 || !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// TestDivergedTraining: a NaN loss ends the run with the arms before it, and advises.
func TestDivergedTraining(t *testing.T) {
	c := shopConfig(t, always(2, 3), "original", "retrained")
	c.Retraining.Rate = 1e200
	outcomes, err := Run(t.Context(), c)
	if !errors.Is(err, train.ErrDiverged) || !strings.Contains(err.Error(), "arm retrained") || len(outcomes) != 1 {
		t.Errorf("%d outcomes, error %v", len(outcomes), err)
	}
}

// TestInterrupted: finished arms are kept, the interrupted one is not.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := shopConfig(t, always(2, 3), "original", "retrained")
	finds := c.Search
	c.Search = func(ctx context.Context, name string, s Subject) (*Searched, error) {
		if name == "retrained" {
			cancel()
		}
		return finds(ctx, name, s)
	}
	outcomes, err := Run(ctx, c)
	if !errors.Is(err, context.Canceled) || len(outcomes) != 1 || outcomes[0].Arm.String() != "original" {
		t.Errorf("%+v, error %v", outcomes, err)
	}
}

// TestLabels: the policies differ if most copies get a no and a few a certain yes.
func TestLabels(t *testing.T) {
	s, _ := shop(t)
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{Name: "output", In: 3, Out: 1, Weights: []float64{1, 0, 0}, Bias: []float64{0}},
	}}
	row := func(points float64) []float64 { return []float64{points, 0, 20} }
	for _, test := range []struct {
		copies         [][]float64
		majority, mean int
	}{
		{[][]float64{row(9), row(-0.1), row(-0.1)}, 0, 1},
		{[][]float64{row(-9), row(0.1), row(0.1)}, 1, 0},
		{[][]float64{row(9), row(-0.1)}, 1, 1}, // a tie
		{[][]float64{row(0.1), row(-9)}, 0, 0},
	} {
		for policy, want := range map[string]int{LabelMajority: test.majority, LabelMean: test.mean} {
			m := material{Retraining: Retraining{Label: policy}, space: s}
			if got := m.label(n, test.copies); got != want {
				t.Errorf("%s of %v is %d, want %d", policy, test.copies, got, want)
			}
		}
	}
}

// TestWorst: individuals by largest k, then gap, without duplicates.
func TestWorst(t *testing.T) {
	found := func(x float64, k int, gap float64) record.Found { return record.Found{X: []float64{x}, K: k, Gap: gap} }
	m := material{Retraining: Retraining{Augment: 3}, found: []record.Found{
		found(1, 2, 0.9), found(2, 5, 0.5), found(3, 5, 0.6), found(2, 5, 0.5), found(4, 3, 0.3), found(3, 5, 0.6),
	}}
	if d := cmp.Diff([][]float64{{3}, {2}, {4}}, m.worst()); d != "" {
		t.Error(d)
	}
}

// TestTreesAreGuardedAndNotTrained: for trees, guardrails are tried and every training is
// skipped with the reason.
func TestTreesAreGuardedAndNotTrained(t *testing.T) {
	c := shopConfig(t, always(2, 5), "original", "original+guards", "retrained", "iterated", "blind+guards")
	c.Model = &trees.Ensemble{Columns: c.Space.Inputs, Output: fairness.LinkSigmoid, Trees: []trees.Tree{{{Input: 1, Left: 1, Right: 2}, trees.Leaf(-1), trees.Leaf(1)}}}
	c.Rules = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 9, Hi: 9}}}}
	outcomes, err := Run(t.Context(), c)
	if err != nil || len(outcomes) != 5 {
		t.Fatalf("%d outcomes, %v", len(outcomes), err)
	}
	for i, o := range outcomes {
		if trained := i >= 2; trained != strings.Contains(o.Skipped, "family trees can be guarded, but not trained") || !trained && o.Quality.Accuracy == nil {
			t.Errorf("%s: %q", o.Arm, o.Skipped)
		}
	}
}
