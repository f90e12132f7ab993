package encode

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// pinQuery is over one number and one protected value, so that what is left of
// the rows at a point is the network.
func pinQuery(seed uint64) *problem.Query {
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: -2, Hi: 2, Inputs: []space.Input{{Index: 0, Scale: 0.5}}},
		{Name: "z", Kind: space.Integer, Lo: -1, Hi: 1, Protected: []float64{-1, 0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
	}}
	r := rand.New(rand.NewPCG(seed, 11))
	weights := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(r.IntN(17)-8) / 4
		}
		return out
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 2, Out: 2, ReLU: true, Weights: weights(4), Bias: weights(2)},
		{In: 2, Out: 1, ReLU: true, Weights: weights(2), Bias: weights(1)},
		{In: 1, Out: 1, Weights: weights(1), Bias: weights(1)},
	}}
	return &problem.Query{Model: n, Space: s, Region: s.Whole(), Notion: fairness.Logit, Epsilon: new(big.Rat), Goal: problem.Decide}
}

// TestRowsPinTheLogits fixes the features of both copies and maximises and
// minimises their logits by enumeration, over every phase and over every choice
// of the sets' columns: what is left is exactly what the network computes.
func TestRowsPinTheLogits(t *testing.T) {
	tier.NeedUsual(t)
	choices := map[string]int{}
	for _, seed := range []uint64{0, 1, 3, 6} { // with 6, sides rounded inward leave nothing
		q := pinQuery(seed)
		one, two := []float64{float64(seed%5) - 2, -1}, []float64{float64(seed%5) - 2, 1}
		for _, e := range milps {
			low := lowerToMILP(t, e, q)
			fixed := fixFeatures(t, low, one, two)
			for c, p := range [][]float64{one, two} {
				want, _ := q.Model.Exact().Logit(q.Space.ExactInputs(p)).Float64()
				for _, up := range []bool{true, false} {
					best, tried := extreme(t, fixed, low.Logits[c], up)
					choices[e.Name] += tried
					if math.Abs(best-want) > 1e-9 {
						t.Errorf("network %d, %s: the logit of copy %d reaches %v, not only %v", seed, e.Name, c+1, best, want)
					}
				}
			}
		}
	}
	if choices["sos1"] <= choices["bigm"] {
		t.Errorf("choices of sets %v: sos1 has none", choices)
	}
}

// fixFeatures is the lowered problem at two points.
func fixFeatures(t *testing.T, low *Lowered, points ...[]float64) *problem.MILP {
	t.Helper()
	values, err := low.Lift(points)
	if err != nil {
		t.Fatal(err)
	}
	m := *low.Problem.MILP
	m.Columns = slices.Clone(m.Columns)
	for i := range m.Columns {
		if role := m.Columns[i].Role; role == problem.RoleInput || role == problem.RoleProtected {
			m.Columns[i].Lo, m.Columns[i].Hi = values[i], values[i]
		}
	}
	m.Columns[low.Slack].Lo, m.Columns[low.Slack].Hi = 0, 0
	return &m
}

// extreme optimises a column over every choice of the one column a set that may
// differ from 0, and counts the choices.
func extreme(t *testing.T, m *problem.MILP, column int, up bool) (best float64, choices int) {
	t.Helper()
	if len(m.SOS1) > 0 {
		set := m.SOS1[0]
		best = math.Inf(1)
		if up {
			best = math.Inf(-1)
		}
		for _, keep := range set.Columns {
			next := *m
			next.Columns, next.SOS1 = slices.Clone(m.Columns), m.SOS1[1:]
			for _, c := range set.Columns {
				if c != keep {
					next.Columns[c].Lo, next.Columns[c].Hi = 0, 0
				}
			}
			v, n := extreme(t, &next, column, up)
			choices += n
			if up && v > best || !up && v < best {
				best = v
			}
		}
		return best, choices
	}
	m.Objective = problem.Objective{Maximise: up, Terms: []problem.Term{{Column: column, Coef: 1}}}
	r, err := reference.Enumerator{}.Solve(context.Background(), &problem.Problem{MILP: m}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status == sdk.Infeasible {
		if up {
			return math.Inf(-1), 1
		}
		return math.Inf(1), 1
	}
	if r.Status != sdk.Optimal {
		t.Fatalf("%v (%s)", r.Status, r.Detail)
	}
	return r.Objective, 1
}

// Sides of rows are rounded outward, by one float64 and only where they must.
func TestMinusRoundsOutward(t *testing.T) {
	inexact := 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-10, 10).Draw(t, "a"), rapid.Float64Range(-1e6, 1e6).Draw(t, "b")
		exact := new(big.Rat).Sub(exactly(a), exactly(b))
		lo, hi := minus(a, b, math.Inf(-1)), minus(a, b, math.Inf(1))
		if exactly(lo).Cmp(exact) > 0 || exactly(hi).Cmp(exact) < 0 || math.Nextafter(lo, math.Inf(1)) < hi {
			t.Fatalf("%v − %v lies outside %v to %v", a, b, lo, hi)
		}
		if _, same := exact.Float64(); same != (lo == hi) {
			t.Fatalf("%v − %v is a float64: %v; its sides are %v and %v", a, b, same, lo, hi)
		}
		if lo != hi {
			inexact++
		}
	})
	if inexact == 0 {
		t.Error("every difference was exact")
	}
	if v := minus(math.Inf(-1), 3, math.Inf(-1)); !math.IsInf(v, -1) {
		t.Errorf("an absent side became %v", v)
	}
}

// The register names every encoding once, with the function of its form.
func TestRegister(t *testing.T) {
	for _, e := range Encodings {
		if found, err := Find(e.Name); err != nil || found.Summary != e.Summary {
			t.Errorf("%s: found %q, %v", e.Name, found.Summary, err)
		}
		if (e.LowerMILP != nil) != (e.Form == problem.FormMILP) || (e.LowerSMT != nil) != (e.Form == problem.FormSMT) {
			t.Errorf("%s: its functions are not those of the form %s", e.Name, e.Form)
		}
		if e.Form != problem.FormMILP {
			continue
		}
		low := lowerToMILP(t, e, pinQuery(1))
		if low.Fidelity != e.Fidelity || (len(low.Problem.MILP.SOS1) > 0) != e.SOS1 || low.Problem.Name != e.Name {
			t.Errorf("%s lowers to %s, %s, with %d sets", e.Name, low.Problem.Name, low.Fidelity, len(low.Problem.MILP.SOS1))
		}
	}
	if _, err := Find("bigM"); err == nil {
		t.Error("an unknown encoding was found")
	}
}
