package encode

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// tinySpace has one feature of each kind and map, and few enough points to try
// every pair. Its names are chosen to be awkward in a script.
func tinySpace() *space.Space {
	return &space.Space{Inputs: 8, Features: []space.Feature{
		{Name: "and", Kind: space.Integer, Lo: -1, Hi: 2, Inputs: []space.Input{{Index: 0, Scale: 0.1, Offset: -1}}},
		{Name: "a|b", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{
			{Index: 1, Table: []float64{1, 0, 0}}, {Index: 2, Table: []float64{0, 1, 0}}, {Index: 3, Table: []float64{0.5, -0.25, 3}}}},
		{Name: "real number", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 4, Scale: 1}}},
		{Name: "x", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{1, 2, 7}, Inputs: []space.Input{{Index: 5, Scale: 0.25}}},
		{Name: "x@1", Kind: space.Real, Lo: 0, Hi: 1, Protected: []float64{0.1, 0.7}, Inputs: []space.Input{{Index: 6, Scale: 1, Offset: 0.5}}},
		{Name: "größe", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{
			{Index: 7, Table: []float64{-1, 1}}}},
	}}
}

// points lists every point over a few values a feature.
func points(s *space.Space) [][]float64 {
	all := [][]float64{nil}
	for i := range s.Features {
		f := &s.Features[i]
		values := f.Protected
		switch {
		case values != nil:
		case f.Kind == space.Real:
			values = []float64{f.Lo, 0.3, f.Hi}
		default:
			for v := f.Lo; v <= f.Hi; v++ {
				values = append(values, v)
			}
		}
		var next [][]float64
		for _, p := range all {
			for _, v := range values {
				next = append(next, append(slices.Clone(p), v))
			}
		}
		all = next
	}
	return all
}

// tinyNetwork has coarse weights, so that logits meet 0 and ε exactly now and
// then.
func tinyNetwork(r *rand.Rand, inputs int, head relu.Head) *relu.Network {
	n := &relu.Network{Head: head, Precision: 64}
	number := func() float64 { return float64(r.IntN(9)-4) / 4 }
	for range 1 + r.IntN(2) {
		out := 1 + r.IntN(3)
		n.Layers = append(n.Layers, known.Layer(inputs, out, r.IntN(5) > 0, number, number))
		inputs = out
	}
	units := 1
	if head == relu.HeadSoftmax {
		units = 2
	}
	n.Layers = append(n.Layers, known.Layer(inputs, units, false, number, number))
	return n
}

// smts are the encodings in the SMT form.
var smts = slices.DeleteFunc(slices.Clone(Encodings), func(e Encoding) bool { return e.Form != problem.FormSMT })

// drawQuery draws a question with cuts, constraints and the like.
func drawQuery(t *rapid.T) *problem.Query {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	s := tinySpace()
	head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}).Draw(t, "head")
	q := &problem.Query{Model: tinyNetwork(r, s.Inputs, head), Space: s, Region: s.Whole(), Goal: problem.Decide,
		Notion:  rapid.SampledFrom([]fairness.Notion{fairness.Logit, fairness.Decision, fairness.DecisionStrict}).Draw(t, "notion"),
		Epsilon: rapid.SampledFrom([]*big.Rat{new(big.Rat), big.NewRat(1, 4), big.NewRat(1, 20)}).Draw(t, "ε")}
	flag := func(name string) bool { return rapid.IntRange(0, 2).Draw(t, name) == 0 }
	if flag("cut") {
		q.Region.Box[0] = space.Interval{Lo: -0.5, Hi: 1}
		q.Region.Box[1] = space.Interval{Lo: 2, Hi: 2}
		q.Region.Box[2] = space.Interval{Lo: 0, Hi: 0.5}
		q.Region.Values[3] = []float64{2, 7}
	}
	if flag("constraints") {
		s.Forbidden = []space.Predicate{
			{{Feature: 0, Interval: space.Interval{Lo: 0.5, Hi: math.Inf(1)}}, {Feature: 5, Set: []int{1}}},
			{{Feature: 1, Set: []int{0, 2}}, {Feature: 3, Interval: space.Interval{Lo: 1.5, Hi: 3}}, {Feature: 2, Interval: space.Interval{Lo: 0, Hi: 0.3}}},
		}
	}
	if flag("require") {
		q.Require = []space.Predicate{{{Feature: 4, Interval: space.Interval{Lo: 0.5, Hi: 1}}, {Feature: 1, Set: []int{1, 2}}}}
	}
	if flag("forbid") {
		q.Forbid = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: math.Inf(-1), Hi: 0}}}, {{Feature: 5, Interval: space.Interval{Lo: 1, Hi: 1}}, {Feature: 2, Interval: space.Interval{Lo: -2, Hi: 0.3}}}}
	}
	if flag("exclude") {
		q.Exclude = [][]float64{{2, 2, 0.3, 0, 0, 0}, {1, 1, 1, 0, 0, 0}}
	}
	if flag("relax") {
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1.5}, {Feature: 2, Tolerance: 0.7}}
		if flag("relax category") {
			q.Relax = append(q.Relax, problem.RelaxedFeature{Feature: 1, Tolerance: 1})
		}
	}
	if err := q.Validate(); err != nil {
		t.Fatal(err)
	}
	return q
}

// asked is the query's own definition: whether the two points are copies that
// the question is about.
func asked(q *problem.Query, a, b []float64) bool {
	s := q.Space
	if !s.Contains(a) || !s.Contains(b) || !s.RegionContains(q.Region, a) {
		return false
	}
	for _, i := range s.Protected() {
		if !slices.Contains(q.Region.Values[i], a[i]) || !slices.Contains(q.Region.Values[i], b[i]) {
			return false
		}
	}
	tolerance := make([]*big.Rat, len(a))
	for _, r := range q.Relax {
		tolerance[r.Feature] = new(big.Rat).SetFloat64(r.Tolerance)
	}
	for _, i := range s.Free() {
		apart := new(big.Rat).Sub(new(big.Rat).SetFloat64(a[i]), new(big.Rat).SetFloat64(b[i]))
		if t := tolerance[i]; t == nil && apart.Sign() != 0 || t != nil && apart.Abs(apart).Cmp(t) > 0 {
			return false
		}
	}
	if len(q.Relax) > 0 && !slices.ContainsFunc(s.Protected(), func(i int) bool { return a[i] != b[i] }) {
		return false
	}
	for _, p := range q.Require {
		if !p.Holds(a) {
			return false
		}
	}
	for _, p := range q.Forbid {
		if p.Holds(a) {
			return false
		}
	}
	return !slices.ContainsFunc(q.Exclude, func(x []float64) bool { return slices.Equal(s.Canonical(x), s.Canonical(a)) })
}

// referee assigns the script's constants at pairs of points, every neuron
// computed here from the network itself.
type referee struct {
	q   *problem.Query
	low *LoweredSMT
}

// assign is nil where a feature that is a constant has another value.
func (r *referee) assign(points ...[]float64) map[string]*big.Rat {
	out := map[string]*big.Rat{"slack": new(big.Rat)}
	for c, p := range points {
		for i, f := range r.low.copies[c] {
			switch {
			case f.symbol < 0 && f.constant != p[i]:
				return nil
			case f.symbol < 0:
				continue
			}
			name := r.low.Problem.SMT.Symbols[f.symbol].Name
			v := new(big.Rat).SetFloat64(p[i])
			if was := out[name]; was != nil && was.Cmp(v) != 0 {
				return nil // a shared feature, two values
			}
			out[name] = v
		}
		v := r.q.Space.ExactInputs(p)
		n, ok := r.q.Model.(*relu.Network)
		if !ok {
			n, v = &relu.Network{}, []*big.Rat{r.q.Model.Exact().Logit(v)}
		}
		for k := range n.Layers {
			l := &n.Layers[k]
			next := make([]*big.Rat, l.Out)
			for j := range next {
				next[j] = new(big.Rat).SetFloat64(l.Bias[j])
				for i, w := range l.Row(j) {
					next[j].Add(next[j], new(big.Rat).Mul(new(big.Rat).SetFloat64(w), v[i]))
				}
				if l.ReLU && next[j].Sign() < 0 {
					next[j] = new(big.Rat)
				}
				out[fmt.Sprintf("n%d.%d@%d", k+1, j+1, c+1)] = next[j]
			}
			v = next
		}
		logit := v[0]
		if len(v) == 2 {
			logit = new(big.Rat).Sub(v[1], v[0])
		}
		out[r.low.Problem.SMT.Symbols[r.low.Logits[c]].Name] = logit
	}
	return out
}

func (r *referee) logits(values map[string]*big.Rat) (a, b *big.Rat) {
	name := func(c int) string { return r.low.Problem.SMT.Symbols[r.low.Logits[c]].Name }
	return values[name(0)], values[name(1)]
}

func lowerTo(t fatalist, q *problem.Query, lower func(*problem.Query, *bound.Bounds) (*LoweredSMT, error)) *LoweredSMT {
	t.Helper()
	low, err := lower(q, bound.Intervals(q.Model, bound.Inputs(q.Space, RelaxedRegion(q))))
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := low.Problem.Validate(); err != nil {
		t.Fatalf("%v", err)
	}
	return low
}

type fatalist interface {
	Helper()
	Fatalf(format string, args ...any)
}

func parse(t fatalist, text string) *script.Script {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s
}

func holds(t fatalist, s *script.Script, values map[string]*big.Rat) bool {
	t.Helper()
	ok, err := s.Holds(values)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ok
}

// TestSMTMeansTheQuery tries every pair of points of a tiny space: the script
// holds exactly where the query is about the pair, and with the notion's
// assertion exactly where the definition of the notion says so. Both readings
// of a ReLU, neurons that the bounds settle, and models of another family are in it.
func TestSMTMeansTheQuery(t *testing.T) {
	tier.NeedUsual(t)
	pairs, violating := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuery(t)
		if rapid.IntRange(0, 4).Draw(t, "another family") == 0 {
			weights := rapid.SliceOfN(rapid.Float64Range(-4, 4), q.Space.Inputs, q.Space.Inputs)
			q.Model = linear.Capable{Unit: &linear.Unit{Weights: weights.Draw(t, "weights"), Bias: rapid.Float64Range(-4, 4).Draw(t, "bias")}}
		}
		low := lowerTo(t, q, rapid.SampledFrom(smts).Draw(t, "encoding").LowerSMT)
		notion, err := low.Violating(q.Notion, q.Epsilon)
		if err != nil {
			t.Fatal(err)
		}
		base, full := parse(t, low.Problem.SMT.Text), parse(t, low.Problem.SMT.Text+notion)
		r := &referee{q, low}
		all := points(q.Space)
		for range tier.Count(25, 300) {
			a := rapid.SampledFrom(all).Draw(t, "a")
			b := slices.Clone(rapid.SampledFrom(all).Draw(t, "b"))
			if len(q.Relax) == 0 {
				for _, i := range q.Space.Free() {
					b[i] = a[i]
				}
			}
			values := r.assign(a, b)
			want := asked(q, a, b)
			if values == nil {
				if want {
					t.Fatalf("the script cannot say %v and %v", a, b)
				}
				continue
			}
			pairs++
			if got := holds(t, base, values); got != want {
				t.Fatalf("at %v and %v the script holds: %v, want %v\n%s", a, b, got, want, low.Problem.SMT.Text)
			}
			one, two := r.logits(values)
			want = want && q.Notion.Violates([]*big.Rat{one, two}, q.Epsilon) && (len(low.Orders()) == 2 || one.Cmp(two) > 0)
			if want {
				violating++
			}
			if got := holds(t, full, values); got != want {
				t.Fatalf("at %v and %v (logits %s, %s) %s is violated: %v, want %v", a, b, one, two, q.Notion, got, want)
			}
			checkDecode(t, low, values, a, b)
		}
	})
	if violating == 0 || violating == pairs {
		t.Errorf("%d of %d pairs violate: the test shows nothing", violating, pairs)
	}
}

func checkDecode(t *rapid.T, low *LoweredSMT, values map[string]*big.Rat, want ...[]float64) {
	if len(low.query.Relax) > 0 {
		return // pairs apart by more than the reach have no values to decode
	}
	var numbers []problem.Number
	for _, y := range low.Problem.SMT.Symbols {
		numbers = append(numbers, problem.Number{Rat: values[y.Name]})
	}
	got, err := low.Decode(numbers)
	if !low.query.Space.RegionContains(low.Region(), want[0]) {
		return
	}
	for _, p := range want {
		for _, i := range low.query.Space.Protected() {
			if !slices.Contains(low.Region().Values[i], p[i]) {
				return
			}
		}
	}
	if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
		t.Fatalf("decoded %v (%v), want %v", got, err, want)
	}
}
