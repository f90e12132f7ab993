package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// loan is the shipped study, as a question, with its rows.
func loan(t *testing.T, rules ...string) (Config, [][]float64) {
	t.Helper()
	return load(t, "../../../../studies/loan", study.Options{Rules: rules})
}

func load(t *testing.T, path string, o study.Options) (Config, [][]float64) {
	t.Helper()
	st, err := study.Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Model: st.Model, Space: st.Space, Region: st.Space.Whole(), Epsilon: st.Epsilon}, d.Points
}

// TestEveryApplicant compares the audit of the shipped study with the definitions: in the long
// tier for all people with the constraints off and every fifth with all on, else one in 40.
func TestEveryApplicant(t *testing.T) {
	tier.NeedUsual(t)
	for _, rules := range []string{"none", "all"} {
		t.Run(rules, func(t *testing.T) {
			c, rows := loan(t, rules)
			r, err := Run(context.Background(), c, rows)
			if err != nil {
				t.Fatal(err)
			}
			checkOrder(t, r, len(rows))
			reference := newSlow(c)
			first := map[string]*Person{}
			for i := range r.People {
				p := &r.People[i]
				key := fmt.Sprint(rows[p.Index])
				if same := first[key]; same != nil { // the data repeats its rows
					if d := cmp.Diff(*same, *p, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Index" }, cmp.Ignore())); d != "" {
						t.Fatalf("rows %d and %d are alike: %s", same.Index, p.Index, d)
					}
					continue
				}
				first[key] = p
				step := tier.Count(40, 1)
				if rules == "all" {
					step = tier.Count(40, 5)
				}
				if len(first)%step > 0 { // exact evaluation is what takes the time
					continue
				}
				reference.check(t, rows[p.Index], p)
			}
			for _, skipped := range r.Skipped {
				if skipped.Feature != -1 || c.Space.Allowed(rows[skipped.Index]) {
					t.Errorf("row %d, which is allowed, was skipped for feature %d", skipped.Index, skipped.Feature)
				}
			}
		})
	}
}

// TestAdultRows compares some rows of the Adult data in the same way.
func TestAdultRows(t *testing.T) {
	root := tier.NeedData(t, "adult", "models", "AC-1.h5")
	for _, rules := range []string{"none", "all"} {
		c, rows := load(t, "../../../../studies/adult.yaml", study.Options{DataRoot: root, Rules: []string{rules}})
		random := rand.New(rand.NewPCG(4, 17))
		var some [][]float64
		for range tier.Count(30, 150) {
			some = append(some, rows[random.IntN(len(rows))])
		}
		r, err := Run(context.Background(), c, some)
		if err != nil {
			t.Fatal(err)
		}
		checkOrder(t, r, len(some))
		reference := newSlow(c)
		for i := range r.People {
			reference.check(t, some[r.People[i].Index], &r.People[i])
		}
	}
}

// randomRow returns a point whose protected values may or may not be listed.
func randomRow(r *rand.Rand, s *space.Space) []float64 {
	row := make([]float64, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		row[i] = f.Lo + float64(r.IntN(int(f.Hi-f.Lo)+1))
	}
	return row
}

func randomCase(r *rand.Rand) Config {
	s := &space.Space{Inputs: 6, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: -3, Hi: 6, Inputs: []space.Input{{Index: 0, Scale: 0.5, Offset: 0.25}}},
		{Name: "age", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{-1, 3, 6, 12}, Inputs: []space.Input{{Index: 1, Scale: 0.25, Offset: -1}}},
		{Name: "group", Kind: space.Categorical, Hi: 2, Categories: []string{"x", "y", "z"}, Protected: []float64{0, 2},
			Inputs: []space.Input{{Index: 2, Table: []float64{1, 0, 0}}, {Index: 3, Table: []float64{0, 1, 0}}, {Index: 4, Table: []float64{0, 0, 1}}}},
		{Name: "b", Kind: space.Integer, Lo: 0, Hi: 3, Inputs: []space.Input{{Index: 5, Table: []float64{0, 2, -1, 1}}}},
	}}
	for range r.IntN(3) {
		lo := float64(r.IntN(8) - 2)
		s.Forbidden = append(s.Forbidden, space.Predicate{
			{Feature: r.IntN(4), Interval: space.Interval{Lo: lo, Hi: lo + 3}},
			{Feature: r.IntN(4), Interval: space.Interval{Lo: 1, Hi: 2}},
		})
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	scale := []float64{0, 0.5, 1, 2}[r.IntN(4)] // with 0 every logit is 0: a no
	for _, shape := range [][2]int{{6, 5}, {5, 1}} {
		l := relu.Layer{In: shape[0], Out: shape[1], ReLU: shape[1] > 1, Weights: make([]float64, shape[0]*shape[1]), Bias: make([]float64, shape[1])}
		for i := range l.Weights {
			// Multiples of 1/4 make logits of exactly 0 likely.
			l.Weights[i] = math.Round(4*scale*r.NormFloat64()) / 4
		}
		n.Layers = append(n.Layers, l)
	}
	if r.IntN(3) == 0 {
		n.Head = relu.HeadSoftmax
		last := &n.Layers[1]
		last.Out, last.Weights, last.Bias = 2, append(make([]float64, 5), last.Weights...), []float64{0.25, 0}
	}
	c := Config{Model: n, Space: s, Region: s.Whole(), Epsilon: big.NewRat(1, 20)}
	if notion := r.IntN(len(fairness.Notions) + 1); notion > 0 {
		c.Notion, c.Limit = fairness.Notions[notion-1], big.NewRat(1, 4)
	}
	return c
}

func TestAgreesWithDefinitions(t *testing.T) {
	tier.Checks(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		c := randomCase(r)
		if err := errors.Join(c.Space.Validate(), c.Model.Validate()); err != nil {
			t.Fatal(err)
		}
		rows := make([][]float64, 15)
		for i := range rows {
			rows[i] = randomRow(r, c.Space)
		}
		result, err := Run(context.Background(), c, rows)
		if err != nil {
			t.Fatal(err)
		}
		reference := newSlow(c)
		for i := range result.People {
			reference.check(t, rows[result.People[i].Index], &result.People[i])
		}
		if len(result.People)+len(result.Skipped) != len(rows) {
			t.Fatalf("%d people and %d others of %d", len(result.People), len(result.Skipped), len(rows))
		}
	})
}

func TestWhoIsNotAudited(t *testing.T) {
	c := randomCase(rand.New(rand.NewPCG(1, 1)))
	c.Space.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 6, Hi: 6}}}}
	c.Where = space.Predicate{{Feature: 3, Interval: space.Interval{Lo: 1, Hi: 3}}}
	rows := [][]float64{
		{7, 3, 0, 1},          // a outside its domain
		{0, 12, 0, 1},         // outside the domain of age, and listed
		{0, 10, 0, 1},         // outside the domain of age
		{0, 3, 0, 1.5},        // no integer
		{0, math.NaN(), 0, 1}, // no number
		{6, 3, 0, 1},          // forbidden
		{0, 3, 0, 0},          // left out
		{9, 3, 0, 0},          // left out, and outside
		{0, 4, 1, 1},
	}
	r, err := Run(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Skipped{{0, 0}, {2, 1}, {3, 3}, {4, 1}, {5, -1}}, r.Skipped); d != "" {
		t.Error(d)
	}
	var audited []int
	for i := range r.People {
		audited = append(audited, r.People[i].Index)
	}
	slices.Sort(audited)
	if !slices.Equal(audited, []int{1, 8}) || r.Excluded != 2 {
		t.Errorf("rows %v audited, %d excluded", audited, r.Excluded)
	}
	sum := r.Summarise(c.Space, c.Region, rows)
	if d := cmp.Diff(map[string]int{"a": 1, "age": 2, "b": 1}, sum.Outside); d != "" || sum.Forbidden != 1 || sum.Excluded != 2 || sum.People != 2 {
		t.Errorf("%+v: %s", sum, d)
	}
}

// TestCutValues: copies take the values that the region leaves, and the person's own.
func TestCutValues(t *testing.T) {
	c := randomCase(rand.New(rand.NewPCG(2, 2)))
	c.Space.Forbidden = nil
	c.Where = space.Predicate{{Feature: 1, Interval: space.Interval{Lo: 3, Hi: 5}}}
	var err error
	if c.Region, _, err = c.Space.Cut(c.Space.Whole(), c.Where); err != nil {
		t.Fatal(err)
	}
	rows := [][]float64{{0, 5, 1, 1}, {0, 3, 0, 1}, {0, 6, 0, 1}}
	r, err := Run(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	reference := newSlow(c)
	n := map[int]int{}
	for i := range r.People {
		p := &r.People[i]
		reference.check(t, rows[p.Index], p)
		n[p.Index] = p.N
	}
	if d := cmp.Diff(map[int]int{0: 2 * 3, 1: 1 * 2}, n); d != "" {
		t.Errorf("counterfactuals by row: %s", d)
	}
}

// TestInterrupted: people audited before the end are complete, the others are counted.
func TestInterrupted(t *testing.T) {
	c, rows := loan(t)
	ctx, stop := context.WithCancel(context.Background())
	calls := 0
	c.Progress = func(done, total int) {
		if calls++; calls == 3 {
			stop()
		}
		if total != len(rows) || done == 0 || done > total {
			t.Errorf("%d of %d people", done, total)
		}
	}
	r, err := Run(ctx, c, rows)
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	checkOrder(t, r, len(rows))
	if calls < 3 || len(r.People) == 0 || r.Unreached == 0 {
		t.Errorf("%d calls, %d people, %d unreached", calls, len(r.People), r.Unreached)
	}
	full, err := Run(context.Background(), Config{Model: c.Model, Space: c.Space, Region: c.Region, Epsilon: c.Epsilon}, rows)
	if err != nil {
		t.Fatal(err)
	}
	byRow := map[int]Person{}
	for _, p := range full.People {
		byRow[p.Index] = p
	}
	for _, p := range r.People {
		if d := cmp.Diff(byRow[p.Index], p); d != "" {
			t.Fatalf("row %d: %s", p.Index, d)
		}
	}
}

func TestRefused(t *testing.T) {
	c := randomCase(rand.New(rand.NewPCG(3, 3)))
	c.Epsilon = new(big.Rat)
	if r, err := Run(context.Background(), c, [][]float64{{0, 3, 0, 1}}); err == nil || r != nil {
		t.Errorf("ε = 0: %v, %v", r, err)
	}
	c = randomCase(rand.New(rand.NewPCG(3, 3)))
	c.Space.Features[1].Protected, c.Space.Features[2].Protected = nil, nil
	c.Region = c.Space.Whole()
	if r, err := Run(context.Background(), c, nil); err == nil || r != nil {
		t.Errorf("nothing protected: %v, %v", r, err)
	}
}
