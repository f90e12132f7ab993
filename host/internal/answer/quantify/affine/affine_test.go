package affine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// linear draws a question about an affine model of some thousand individuals: every kind of feature, constraints, and
// either weights that are multiples of ¼, so that ties occur, or any.
func linear(r *rand.Rand, n fairness.Notion) *problem.Query {
	s := &space.Space{}
	feed := func(in ...space.Input) []space.Input {
		for k := range in {
			in[k].Index = s.Inputs
			s.Inputs++
		}
		return in
	}
	s.Features = []space.Feature{
		{Name: "a", Kind: space.Integer, Lo: -2, Hi: float64(2 + r.IntN(90)), Inputs: feed(space.Input{Scale: 0.5})},
		{Name: "c", Kind: space.Categorical, Hi: 2, Categories: []string{"x", "y", "z"}, Inputs: feed(space.Input{Table: []float64{0, 1, -1}}, space.Input{Table: []float64{1, 0, 0.25}})},
		{Name: "b", Kind: space.Integer, Hi: float64(3 + r.IntN(4)), Inputs: feed(space.Input{Scale: 0.25, Offset: -0.5})},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: feed(space.Input{Scale: 1})},
		{Name: "age", Kind: space.Integer, Hi: 9, Protected: []float64{1, 4, 5}, Inputs: feed(space.Input{Scale: 0.25, Offset: -0.5})},
		{Name: "d", Kind: space.Integer, Hi: 3, Inputs: feed(space.Input{Table: []float64{0, 2, 1, 0.5}}, space.Input{Scale: 1})},
	}
	interval := func(f int, lo, hi float64) space.Condition {
		return space.Condition{Feature: f, Interval: space.Interval{Lo: lo, Hi: hi}}
	}
	if r.IntN(2) == 0 {
		s.Forbidden = []space.Predicate{
			{interval(0, 0, 1), {Feature: 3, Set: []int{r.IntN(2)}}},
			{{Feature: 1, Set: []int{0, 2}}, {Feature: 3, Set: []int{1}}},
			{interval(2, 2, 2)},
			{interval(2, 3, math.Inf(1)), interval(5, 0, 1)},
		}[:1+r.IntN(4)]
	}
	weight := func() float64 { return float64(r.IntN(17)-8) / 4 }
	if r.IntN(2) == 0 {
		weight = r.NormFloat64
	}
	net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{{In: s.Inputs, Out: 1}}}
	if r.IntN(3) == 0 {
		net.Head, net.Layers[0].Out = relu.HeadSoftmax, 2
	}
	l := &net.Layers[0]
	for range l.In * l.Out {
		l.Weights = append(l.Weights, weight())
	}
	for range l.Out {
		l.Bias = append(l.Bias, weight())
	}
	if l.Out == 1 && r.IntN(3) == 0 {
		net.Layers = append(net.Layers, relu.Layer{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0x1p-60}})
	}
	q := &problem.Query{Model: net, Space: s, Region: s.Whole(), Notion: n, Goal: problem.Quantify}
	switch n {
	case fairness.Score:
		q.Epsilon = big.NewRat(int64(1+r.IntN(8)), 20)
	case fairness.Logit:
		q.Epsilon = big.NewRat(int64(r.IntN(8)), 4)
	}
	if r.IntN(2) == 0 {
		q.Region.Box[0].Hi = 1
		q.Region.Values[4] = []float64{1, 5}
	}
	if r.IntN(3) == 0 {
		q.Require = []space.Predicate{{{Feature: 1, Set: []int{0, 2}}}}
	}
	if r.IntN(3) == 0 {
		q.Forbid = []space.Predicate{{interval(2, 1, 1), interval(0, 1, 9)}}
	}
	return q
}

// byAge lowers the model of linear by another number at each age and sex.
func byAge(t *testing.T, r *rand.Rand, q *problem.Query) {
	t.Helper()
	net := q.Model.(*relu.Network)
	by := model.Offset{Bits: 20, Most: 1 << 12}
	for _, i := range q.Space.Protected() {
		by.Inputs = append(by.Inputs, q.Space.Features[i].Inputs[0].Index)
		q.Rule.Groups = append(q.Rule.Groups, fairness.Group{In: []fairness.Having{{Feature: q.Space.Features[i].Name}}})
	}
	q.Space.EachCombination(q.Space.Whole(), make([]float64, len(q.Space.Features)), func(point []float64) {
		in, c := q.Space.ExactInputs(point), model.Case{By: big.NewRat(r.Int64N(200)-100, 64)}
		for _, i := range by.Inputs {
			c.At = append(c.At, in[i])
		}
		by.Cases = append(by.Cases, c)
	})
	lowered, err := net.Less(by)
	if err != nil {
		t.Fatal(err)
	}
	q.Scored, q.Model = net, lowered
}

// written is the path of a file with this text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// peopleOf is a population of a question's space, within its region; nil rows: the even one.
func peopleOf(t *testing.T, r *rand.Rand, q *problem.Query) *population.Population {
	t.Helper()
	if r.IntN(3) == 0 {
		return population.Even(q.Space, q.Region.Box)
	}
	rows := make([][]float64, 60)
	for i := range rows {
		rows[i] = q.Space.Draw(q.Space.Whole().Box, r)
		if r.IntN(2) == 0 {
			rows[i] = rows[0]
		}
	}
	source := population.Source{Classes: 1 + r.IntN(3)}
	if r.IntN(5) == 0 {
		source = population.Source{Kind: "weights", File: written(t, known.Weights(r, q.Space))}
	}
	people, err := source.Of(t.Context(), q.Space, rows, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if within := people.Within(q.Region.Box); within != nil {
		return within
	}
	return population.Even(q.Space, q.Region.Box)
}

// truth sums up the masses of all individuals.
func truth(q *problem.Query, people *population.Population) (unfair, all float64, n int64) {
	exact, box := q.Model.Exact(), slices.Clone(q.Region.Box)
	for x := range q.Space.Individuals(q.Region.Box) {
		logits := q.Logits(exact, x)
		if len(logits) == 0 || !q.Describes(x) {
			continue
		}
		for _, i := range q.Space.Free() {
			box[i] = space.Interval{Lo: x[i], Hi: x[i]}
		}
		mass, _ := people.Mass(box)
		n++
		if all += mass; q.Violates(logits) {
			unfair += mass
		}
	}
	return unfair, all, n
}

// TestEnumerated compares proved shares with sums over all individuals.
func TestEnumerated(t *testing.T) {
	some, exact := 0, 0
	for seed := range uint64(tier.Count(36, 500)) {
		r := rand.New(rand.NewPCG(seed, 23))
		q := linear(r, fairness.Notions[seed%uint64(len(fairness.Notions))])
		if q.Notion == fairness.Decision && r.IntN(2) == 0 {
			byAge(t, r, q)
		}
		people := peopleOf(t, r, q)
		bad, all, n := truth(q, people)
		got, err := Of(t.Context(), q, people)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Individuals.Int64() != n {
			t.Errorf("seed %d: %v individuals, not %d", seed, got.Individuals, n)
		}
		if all == 0 {
			continue
		}
		want := bad / all
		if got.Unfair > want+1e-12 || 1-got.Fair < want-1e-12 || got.Open() > Target {
			t.Errorf("seed %d: %v to %v are unfair, want %v", seed, got.Unfair, 1-got.Fair, want)
		}
		if want > 0 && want < 1 {
			some++
		}
		if got.Open() < 1e-11 {
			exact++
		}
	}
	t.Logf("%d questions about some people, %d answered without rounding", some, exact)
	if some < 15 || exact < 15 {
		t.Errorf("only %d questions about some people, %d answered without rounding", some, exact)
	}
}

// TestReal compares shares with a real feature, in a region with constraints, with the masses of the intervals in which
// the feature makes an individual unfair.
func TestReal(t *testing.T) {
	tier.NeedUsual(t)
	for seed := range uint64(tier.Count(20, 100)) {
		r := rand.New(rand.NewPCG(seed, 29))
		q := linear(r, []fairness.Notion{fairness.Decision, fairness.DecisionStrict}[seed%2])
		f := &q.Space.Features[2]
		f.Kind = space.Real
		q.Region.Box[2] = space.Interval{Lo: 0.25, Hi: f.Hi}
		people := peopleOf(t, r, q)
		got, err := Of(t.Context(), q, people)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		// The feature's values between its ends, conditions and the zeros of copies' logits have one verdict.
		bad, all := 0.0, 0.0
		others := slices.Clone(q.Region.Box)
		others[2] = space.Interval{}
		for x := range q.Space.Individuals(others) {
			ends := []float64{q.Region.Box[2].Lo, q.Region.Box[2].Hi, 1, 2, 3}
			point := slices.Clone(x)
			q.Space.EachCombination(q.Region, x, func(p []float64) {
				at := func(v float64) float64 {
					copy(point, p)
					point[2] = v
					l, _ := q.Model.Exact().Logit(q.Space.ExactInputs(point)).Float64()
					return l
				}
				if zero := -at(0) / (at(1) - at(0)); zero > 0.25 && zero < f.Hi {
					ends = append(ends, zero)
				}
			})
			slices.Sort(ends)
			box := slices.Clone(q.Region.Box)
			for _, i := range q.Space.Free() {
				box[i] = space.Interval{Lo: x[i], Hi: x[i]}
			}
			for k := 1; k < len(ends); k++ {
				if box[2] = (space.Interval{Lo: ends[k-1], Hi: ends[k]}); box[2].Lo < 0.25 || box[2].Hi > f.Hi || box[2].Lo == box[2].Hi {
					continue
				}
				copy(point, x)
				point[2] = box[2].Lo + (box[2].Hi-box[2].Lo)/2
				logits := q.Logits(q.Model.Exact(), point)
				if len(logits) == 0 || !q.Describes(point) {
					continue
				}
				mass, _ := people.Mass(box)
				if all += mass; q.Violates(logits) {
					bad += mass
				}
			}
		}
		if all == 0 {
			continue
		}
		if want := bad / all; got.Unfair > want+1e-9 || 1-got.Fair < want-1e-9 || got.Open() > Target || got.Individuals != nil {
			t.Errorf("seed %d: %v to %v are unfair, want %v", seed, got.Unfair, 1-got.Fair, want)
		}
	}
}

// many is a question about n features of any kind, too many to count.
func many(r *rand.Rand, n int) *problem.Query {
	s := &space.Space{Inputs: n}
	l := relu.Layer{In: n, Out: 1, Bias: []float64{r.NormFloat64()}}
	for i := range n {
		f := space.Feature{Name: fmt.Sprint("f", i), Kind: space.Integer, Hi: 1, Inputs: []space.Input{{Index: i, Scale: 1}}}
		switch i % 4 {
		case 1:
			f.Hi = 1e6
		case 2:
			f.Kind, f.Hi = space.Real, 10
		case 3:
			f.Kind, f.Hi, f.Categories = space.Categorical, 3, []string{"a", "b", "c", "d"}
			f.Inputs[0] = space.Input{Index: i, Table: []float64{0, 1, 2, -1}}
		}
		if i == 0 {
			f.Protected = []float64{0, 1}
		}
		s.Features = append(s.Features, f)
		w := r.NormFloat64() / max(1, f.Hi)
		l.Weights = append(l.Weights, w)
		l.Bias[0] -= w * f.Hi / 2
	}
	net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{l}}
	return &problem.Query{Model: net, Space: s, Region: s.Whole(), Notion: fairness.Decision, Goal: problem.Quantify}
}

// TestMany: 23 and 300 features of a mixture, most of them real or of a million values. A sample does not refute the
// interval.
func TestMany(t *testing.T) {
	for _, n := range []int{23, 300}[:tier.Count(1, 2)] {
		r := rand.New(rand.NewPCG(uint64(n), 31))
		q := many(r, n)
		var rows [][]float64
		for range 500 {
			x := q.Space.Draw(q.Region.Box, r)
			if r.IntN(2) == 0 {
				for i := range x {
					x[i] = math.Floor(x[i] / 2)
				}
			}
			rows = append(rows, x)
		}
		people, err := population.Of(t.Context(), 2, q.Space, rows, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Of(t.Context(), q, people)
		if err != nil || got.Open() > Target {
			t.Fatalf("%d features: %+v, %v", n, got, err)
		}
		unfair, draws := 0, 20000
		for range draws {
			x := people.Draw(r)
			least := q.Model.Logit(q.Space.NetworkInputs(nil, x))
			x[0] = 1
			if most := q.Model.Logit(q.Space.NetworkInputs(nil, x)); (least > 0) != (most > 0) {
				unfair++
			}
		}
		share := float64(unfair) / float64(draws)
		if off := 5*math.Sqrt(share*(1-share)/float64(draws)) + 1e-3; share < got.Unfair-off || share > 1-got.Fair+off {
			t.Errorf("%d features: proved %v to %v, and %v of a sample", n, got.Unfair, 1-got.Fair, share)
		}
		t.Logf("%d features: %v to %v, %d steps", n, got.Unfair, 1-got.Fair, got.Steps)
	}
}

// TestUnsuited: networks with neurons, networks of features, bins, rows to be near and endless constraints are not for convolution; and time may be over.
func TestUnsuited(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 37))
	q := many(r, 23)
	even := population.Even(q.Space, q.Region.Box)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Of(ctx, q, even); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
	bins := *q
	bins.K, bins.Notion, bins.Epsilon = 3, fairness.Score, big.NewRat(1, 10)
	if _, err := Of(t.Context(), &bins, even); !errors.Is(err, ErrUnsuited) {
		t.Errorf("three bins: %v", err)
	}
	network, err := population.Source{Kind: "network", File: written(t, known.Tree(r, q.Space))}.Of(t.Context(), q.Space, nil, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(t.Context(), q, network); !errors.Is(err, ErrUnsuited) {
		t.Errorf("a network of features: %v", err)
	}
	near := *q
	if near.Within, err = space.NewVicinity(q.Space, [][]float64{q.Space.Draw(q.Region.Box, r)}, big.NewRat(1, 2)); err != nil {
		t.Fatal(err)
	}
	if _, err := Of(t.Context(), &near, even); !errors.Is(err, ErrUnsuited) {
		t.Errorf("near a row: %v", err)
	}
	for i := range 300 {
		p := space.Predicate{{Feature: 1, Interval: space.Interval{Lo: float64(10 * i), Hi: float64(10*i + 1)}}, {Feature: 5, Interval: space.Interval{Lo: float64(10 * i), Hi: float64(10 * i)}}}
		q.Space.Forbidden = append(q.Space.Forbidden, p)
	}
	if _, err := Of(t.Context(), q, even); !errors.Is(err, ErrUnsuited) {
		t.Errorf("300 constraints: %v", err)
	}
	net := *q.Model.(*relu.Network)
	net.Layers = append([]relu.Layer{{In: 23, Out: 1, ReLU: true, Weights: make([]float64, 23), Bias: []float64{1}}}, relu.Layer{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0}})
	q.Model, q.Space.Forbidden = &net, nil
	if _, err := Of(t.Context(), q, even); !errors.Is(err, ErrUnsuited) {
		t.Errorf("a ReLU: %v", err)
	}
}
