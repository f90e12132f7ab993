package encode

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// With a softmax head the difference of the outputs' weights is exact, though
// no float64 is.
func TestSMTSoftmaxDifferenceIsExact(t *testing.T) {
	s := &space.Space{Inputs: 1, Features: []space.Feature{
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 0, Scale: 1}}}}}
	n := &relu.Network{Head: relu.HeadSoftmax, Precision: 64, Layers: []relu.Layer{
		{In: 1, Out: 2, Weights: []float64{-1, 0x1p-80}, Bias: []float64{0x1p-90, 1}}}}
	q := &problem.Query{Model: n, Space: s, Notion: fairness.Logit, Epsilon: new(big.Rat), Goal: problem.Decide}
	low := lowerTo(t, q, SMT)
	r := &referee{q, low}
	values := r.assign([]float64{1}, []float64{0})
	if !holds(t, parse(t, low.Problem.SMT.Text), values) {
		t.Errorf("the exact logits do not satisfy\n%s", low.Problem.SMT.Text)
	}
	a, _ := r.logits(values)
	values["logit@1"] = new(big.Rat).Add(a, new(big.Rat).SetFloat64(0x1p-100))
	if holds(t, parse(t, low.Problem.SMT.Text), values) {
		t.Error("a logit off by 2⁻¹⁰⁰ satisfies the script")
	}
}

// Every neuron that the bounds settle costs no choice.
func TestSMTRemovesStableNeurons(t *testing.T) {
	s := &space.Space{Inputs: 1, Features: []space.Feature{
		{Name: "z", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 0, Scale: 1}}}}}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 1, Out: 3, ReLU: true, Weights: []float64{1, 1, 1}, Bias: []float64{2, -3, -0.5}},
		{In: 3, Out: 1, Weights: []float64{1, 1, 1}, Bias: []float64{0}}}}
	q := &problem.Query{Model: n, Space: s, Notion: fairness.Decision, Goal: problem.Decide}
	for lower, want := range map[string]string{"smt": "(or (<=", "smt-ite": "(ite (<="} {
		e, err := Find(lower)
		if err != nil {
			t.Fatal(err)
		}
		text := lowerTo(t, q, e.LowerSMT).Problem.SMT.Text
		if got := strings.Count(text, want); got != 2 {
			t.Errorf("%s: %d choices, want one a copy for the one open neuron:\n%s", lower, got, text)
		}
	}
}

func TestSMTCopies(t *testing.T) {
	s := tinySpace()
	q := &problem.Query{Model: tinyNetwork(rand.New(rand.NewPCG(4, 4)), s.Inputs, relu.HeadSigmoid), Space: s,
		Notion: fairness.Score, Epsilon: big.NewRat(1, 20), K: 3, Goal: problem.Decide}
	low := lowerTo(t, q, SMT)
	p := []float64{1, 2, 0.3, 1, 0.1, 0}
	other, third := slices.Clone(p), slices.Clone(p)
	other[3], third[5] = 7, 1
	values := (&referee{q, low}).assign(p, other, third)
	if len(low.Logits) != 3 || !holds(t, parse(t, low.Problem.SMT.Text), values) {
		t.Errorf("%d copies; three of one person do not satisfy the script", len(low.Logits))
	}
}

func TestSMTNamesStayApart(t *testing.T) {
	s := &space.Space{}
	for i, name := range []string{"x", "x@1", "x!1", "x_1", "a|b", "a\\b", "a_b", "slack", "logit@1", "+", "(", "true", "zürich", "zurich"} {
		f := space.Feature{Name: name, Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: i, Scale: 1}}}
		if i%2 == 0 {
			f.Protected = []float64{0, 1}
		}
		s.Features = append(s.Features, f)
		s.Inputs++
	}
	q := &problem.Query{Model: tinyNetwork(rand.New(rand.NewPCG(1, 1)), s.Inputs, relu.HeadSigmoid), Space: s, Notion: fairness.Decision, Goal: problem.Decide}
	low := lowerTo(t, q, SMT)
	declared := parse(t, low.Problem.SMT.Text).Symbols // a name declared twice does not parse
	for _, y := range low.Problem.SMT.Symbols {
		if !slices.Contains(declared, script.Symbol{Name: y.Name, Sort: y.Sort}) {
			t.Errorf("symbol %q is not declared", y.Name)
		}
	}
}

func TestSMTRefuses(t *testing.T) {
	s := tinySpace()
	fresh := func() *problem.Query {
		return &problem.Query{Model: tinyNetwork(rand.New(rand.NewPCG(1, 1)), s.Inputs, relu.HeadSigmoid), Space: s,
			Region: s.Whole(), Notion: fairness.Decision, Goal: problem.Decide}
	}
	bounds := bound.Intervals(fresh().Model, bound.Inputs(s, s.Whole()))
	for want, spoil := range map[string]func(*problem.Query){
		`protected feature "x"`:          func(q *problem.Query) { q.Region.Values[3] = nil },
		`feature "and" no value`:         func(q *problem.Query) { q.Region.Box[0] = space.Interval{Lo: 0.2, Hi: 0.8} },
		`feature "real number" no value`: func(q *problem.Query) { q.Region.Box[2] = space.Interval{Lo: 2, Hi: 3} },
		"unknown notion":                 func(q *problem.Query) { q.Notion = 9 },
		"bounds of":                      func(q *problem.Query) { q.Model = tinyDeep(s.Inputs) },
	} {
		q := fresh()
		spoil(q)
		if _, err := SMT(q, bounds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	low := lowerTo(t, fresh(), SMT)
	if _, err := low.Violating(fairness.Score, big.NewRat(1, 20)); err == nil {
		t.Error("the score notion is no linear one")
	}
	if _, err := low.Violating(fairness.Logit, nil); err == nil {
		t.Error("the logit notion without ε")
	}
}

func tinyDeep(inputs int) *relu.Network {
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	for range 4 {
		n.Layers = append(n.Layers, relu.Layer{In: inputs, Out: 1, Weights: make([]float64, inputs), Bias: []float64{0}})
		inputs = 1
	}
	return n
}

func TestSMTDecodeRefusesForeignValues(t *testing.T) {
	s := tinySpace()
	q := &problem.Query{Model: tinyNetwork(rand.New(rand.NewPCG(1, 1)), s.Inputs, relu.HeadSigmoid), Space: s, Notion: fairness.Decision, Goal: problem.Decide}
	low := lowerTo(t, q, SMT)
	good := func() []problem.Number {
		out := make([]problem.Number, len(low.Problem.SMT.Symbols))
		for i, y := range low.Problem.SMT.Symbols {
			switch {
			case strings.HasPrefix(y.Name, "in.x@"):
				out[i].Float = 7
			case strings.HasPrefix(y.Name, "in.x_1"):
				out[i].Float = 0.7
			}
		}
		return out
	}
	if _, err := low.Decode(good()); err != nil {
		t.Fatal(err)
	}
	for i, y := range low.Problem.SMT.Symbols {
		if y.Role != problem.RoleInput && y.Role != problem.RoleProtected || y.Name == "in.real number" {
			continue
		}
		for _, bad := range []float64{0.5, 99, math.NaN(), math.Inf(1)} {
			v := good()
			v[i].Float = bad
			if _, err := low.Decode(v); err == nil {
				t.Errorf("%s = %v is decoded", y.Name, bad)
			}
		}
	}
	if _, err := low.Decode(good()[1:]); err == nil {
		t.Error("too few values are decoded")
	}
}
