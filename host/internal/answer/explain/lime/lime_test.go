package lime

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// shop is a space with a feature of each kind.
func shop() *space.Space {
	return &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "hours", Kind: space.Integer, Lo: 0, Hi: 100, Inputs: []space.Input{{Index: 0, Scale: 1}}},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"baker", "clerk", "cook", "none"}, Inputs: []space.Input{{Index: 1, Table: []float64{0, 1, 2, 3}}}},
		{Name: "debt", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 2, Scale: 1}}},
	}}
}

// shopRows are drawn uniformly, without the last job.
func shopRows(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{float64(rng.IntN(101)), float64(rng.IntN(3)), 2*rng.Float64() - 1}
	}
	return rows
}

func explainer(t testing.TB, s *space.Space, rows [][]float64) *Explainer {
	t.Helper()
	e, err := New(s, rows)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// The weights recover an additive score's contributions from the point's bins, reduced by
// α.
func TestAdditiveScoreComesBack(t *testing.T) {
	s := shop()
	e := explainer(t, s, shopRows(400))
	e.columns[0].integer = false // a rounded number may leave its bin and score as another
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 3).Draw(t, "weights")
		point := []float64{float64(rapid.IntRange(0, 100).Draw(t, "hours")), float64(rapid.IntRange(0, 2).Draw(t, "job")), rapid.Float64Range(-1, 1).Draw(t, "debt")}
		score := func(x []float64) (sum float64) {
			for i := range e.columns {
				if e.columns[i].place(x[i]) == e.columns[i].place(point[i]) {
					sum += want[i]
				}
			}
			return sum
		}
		x, err := e.Explain(point, score, Options{Samples: 3000, Features: 3}, random(rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, x.Weights, cmpopts.EquateApprox(0, 0.01)); d != "" {
			t.Error(d)
		}
		if x.Score != score(point) || math.Abs(x.Local-x.Score) > 0.02 {
			t.Errorf("the score is %v, the model's %v", x.Score, x.Local)
		}
		largest := slices.MaxFunc(want, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
		if math.Abs(largest) > 0.1 && x.R2 < 0.99 {
			t.Errorf("R² is %v", x.R2)
		}
	})
}

// A linear score's features are ranked by their effect.
func TestDominantFeatureComesFirst(t *testing.T) {
	e := explainer(t, shop(), shopRows(1000))
	for seed := range uint64(20) {
		x, err := e.Explain([]float64{95, 0, -0.9}, func(x []float64) float64 { return x[0]/100 + 0.1*x[2] }, Options{Samples: 2000, Features: 3}, random(seed))
		if err != nil {
			t.Fatal(err)
		}
		if top := x.Top(5); !slices.Equal(top, []int{0, 2, 1}) || x.Weights[0] <= 0 || x.Weights[2] >= 0 {
			t.Errorf("seed %d: order %v of %v", seed, top, x.Weights)
		}
	}
}

func TestSeedDecides(t *testing.T) {
	e := explainer(t, shop(), shopRows(300))
	explain := func(seed uint64) *Explanation {
		x, err := e.Explain([]float64{50, 1, 0}, func(x []float64) float64 { return math.Sin(x[0] + x[1]*x[2]) }, Options{Samples: 500, Features: 2}, random(seed))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if d := cmp.Diff(explain(5), explain(5)); d != "" {
		t.Error(d)
	}
	if cmp.Equal(explain(5), explain(6)) {
		t.Error("another seed gives the same explanation")
	}
}

// Explanations use at most the requested features, and none for a constant score.
func TestFewFeatures(t *testing.T) {
	e := explainer(t, shop(), shopRows(300))
	for features := 1; features <= 4; features++ {
		x, err := e.Explain([]float64{50, 1, 0}, func(x []float64) float64 { return x[0] + 50*x[1] + 10*x[2] }, Options{Samples: 500, Features: features}, random(1))
		if err != nil {
			t.Fatal(err)
		}
		used := 0
		for _, w := range x.Weights {
			if w != 0 {
				used++
			}
		}
		if used != min(features, 3) {
			t.Errorf("%d features wanted: %v", features, x.Weights)
		}
	}
	x, err := e.Explain([]float64{50, 1, 0}, func([]float64) float64 { return 0.3 }, Options{Samples: 500, Features: 3}, random(1))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&Explanation{Weights: []float64{0, 0, 0}, Intercept: 0.3, R2: 1, Score: 0.3, Local: 0.3}, x); d != "" {
		t.Error(d)
	}
}

func TestKernel(t *testing.T) {
	s := shop()
	for d, want := range []float64{1, math.Exp(-0.5 / (0.5625 * 3)), math.Exp(-1 / (0.5625 * 3)), math.Exp(-1.5 / (0.5625 * 3))} {
		if got := explainer(t, s, shopRows(10)).kernel[d]; math.Abs(got-want) > 1e-15 {
			t.Errorf("%d features apart weigh %v, want %v", d, got, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	s := shop()
	for name, rows := range map[string][][]float64{
		"none":                {},
		"too short":           {{1, 2}},
		"no number":           {{math.NaN(), 0, 0}},
		"infinite":            {{0, 0, math.Inf(1)}},
		"no category":         {{0, 4, 0}},
		"between categories":  {{0, 0.5, 0}},
		"the second is wrong": {{0, 0, 0}, {0, -1, 0}},
	} {
		if _, err := New(s, rows); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	s.Features[0].Inputs[0].Table = make([]float64, 101)
	if _, err := New(s, [][]float64{{101, 0, 0}}); err == nil {
		t.Error("a number beyond the table is taken")
	}
	e := explainer(t, shop(), shopRows(10))
	constant := func([]float64) float64 { return 0 }
	for name, c := range map[string]struct {
		point   []float64
		score   func([]float64) float64
		options Options
	}{
		"point":         {[]float64{1}, constant, Options{10, 3}},
		"samples":       {[]float64{1, 1, 1}, constant, Options{1, 3}},
		"features":      {[]float64{1, 1, 1}, constant, Options{10, 0}},
		"score":         {[]float64{1, 1, 1}, func([]float64) float64 { return math.NaN() }, Options{10, 3}},
		"score, auto":   {[]float64{1, 1, 1}, func(x []float64) float64 { return math.Inf(int(x[1])) }, Options{10, 7}},
		"score, no sum": {[]float64{1, 1, 1}, func(x []float64) float64 { return math.MaxFloat64 * (x[1] - 1) }, Options{100, 3}},
	} {
		if x, err := e.Explain(c.point, c.score, c.options, random(1)); err == nil {
			t.Errorf("%s: explained by %+v", name, x)
		}
	}
}
