package lime

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// office is a network that depends on sex above 6 hours, increasingly with the hours, and
// on nothing else: logit = max(0, sex + 2·hours − 12) − 3.
func office(t *testing.T) Config {
	s := &space.Space{Inputs: 5, Features: []space.Feature{
		{Name: "hours", Kind: space.Integer, Lo: 0, Hi: 10},
		{Name: "colour", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"red", "green", "blue"}},
		{Name: "rooms", Kind: space.Integer, Lo: 1, Hi: 6},
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 6, Protected: []float64{0, 1, 2, 3, 4, 5, 6}},
		{Name: "floor", Kind: space.Integer, Lo: 7, Hi: 7},
	}}
	for i := range s.Features {
		s.Features[i].Inputs = []space.Input{{Index: i, Scale: 1}}
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{In: 5, Out: 1, Weights: []float64{2, 0, 0, 1, 0}, Bias: []float64{-12}, ReLU: true},
		{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{-3}},
	}}
	e, err := evaluate.New(n, s, s.Whole(), big.NewRat(1, 20))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	rng := rand.New(rand.NewPCG(8, 8))
	for range 300 {
		rows = append(rows, []float64{float64(rng.IntN(11)), float64(rng.IntN(3)), float64(1 + rng.IntN(6)), float64(rng.IntN(7)), 7})
	}
	return Config{Model: n, Space: s, Region: s.Whole(), Evaluator: e, Rows: rows, Individual: []float64{6, 1, 2, 0, 7}, Samples: 2000, Seed: 4}
}

// bins is k by its definition, from scores alone.
func bins(c *Config, x []float64) float64 {
	seen := map[float64]bool{}
	score := Score(c.Model, c.Space)
	for _, z := range c.Space.Features[3].Protected {
		seen[math.Floor(20*score([]float64{x[0], x[1], x[2], z, x[4]}))] = true
	}
	return float64(len(seen))
}

func TestBaseline(t *testing.T) {
	c := office(t)
	told := 0
	c.Progress = func(done, total int) {
		if told++; done != told || total != 7 {
			t.Errorf("told of %d of %d, the %d. time", done, total, told)
		}
	}
	b, err := Explain(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if told != 7 || b.Explanations != 7 || float64(b.K) != bins(&c, c.Individual) || b.R2 <= 0 || b.R2 > 1 {
		t.Errorf("%d times told; %+v", told, b)
	}
	byIndex := map[int]Feature{}
	times := 0
	for _, f := range b.Union.Features {
		byIndex[f.Index] = f
		times += f.Times
	}
	if times != top*b.Explanations {
		t.Errorf("%d features are among the strongest three of %d explanations", times, b.Explanations)
	}
	// Hours matter everywhere; their effect on k is a sum over ten other values.
	var ks []float64
	sum := 0.0
	for hours := range 11 {
		if hours != 6 {
			sum += bins(&c, []float64{float64(hours), 1, 2, 0, 7}) / 10
		}
	}
	if f := byIndex[0]; f.Times != 7 || f.K == nil || math.Abs(*f.K-sum) > 1e-9 {
		t.Errorf("hours: %+v; want a mean k of %v in all 7", f, sum)
	}
	for index, f := range byIndex {
		switch index {
		case 0:
		case 1, 2: // does nothing
			if f.K == nil || *f.K != float64(b.K) {
				t.Errorf("feature %d: %+v", index, f)
			}
		case 3: // protected
			if f.K != nil || f.Times < 1 {
				t.Errorf("sex: %+v", f)
			}
		case 4: // has one value
			if f.K != nil {
				t.Errorf("floor: %+v", f)
			}
		}
		if f.K != nil {
			ks = append(ks, *f.K)
		}
	}
	mean := 0.0
	for _, k := range ks {
		mean += k / float64(len(ks))
	}
	if b.Union.Mean == nil || math.Abs(*b.Union.Mean-mean) > 1e-9 {
		t.Errorf("mean k of the union %v, want %v", b.Union.Mean, mean)
	}
	for _, f := range b.Intersection.Features {
		if f.Times != b.Explanations || !cmp.Equal(f, byIndex[f.Index]) {
			t.Errorf("%+v is in the intersection, %+v in the union", f, byIndex[f.Index])
		}
	}
	if len(b.Intersection.Features) == 0 || b.Intersection.Features[0].Index != 0 {
		t.Errorf("the intersection is %+v", b.Intersection)
	}

	c.Progress = nil
	again, err := Explain(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b, again); d != "" {
		t.Errorf("the same again:\n%s", d)
	}
}

// A set has a mean if some feature can change, and a deviation if two can.
func TestMeasuresOfSmallSets(t *testing.T) {
	k := 4.0
	for _, c := range []struct {
		features []Feature
		mean     *float64
	}{
		{nil, nil}, {[]Feature{{Index: 3}}, nil}, {[]Feature{{Index: 3}, {K: &k}}, &k},
	} {
		s := Set{Features: c.features}
		s.measure()
		if d := cmp.Diff(Set{Features: c.features, Mean: c.mean}, s); d != "" {
			t.Error(d)
		}
	}
}

// A feature with few values is tried at all of them, another at a sample within the region.
func TestValues(t *testing.T) {
	c := office(t)
	c.Region.Box[0] = space.Interval{Lo: 2, Hi: 5}
	if d := cmp.Diff([]float64{2, 3, 4, 5}, c.values(0)); d != "" {
		t.Error(d)
	}
	for _, kind := range []space.Kind{space.Integer, space.Real} {
		c.Space.Features[0].Kind = kind
		c.Region.Box[0] = space.Interval{Lo: -3, Hi: 1e6}
		values := c.values(0)
		if len(values) < mostValues*9/10 || len(values) > mostValues {
			t.Errorf("%d %v values", len(values), kind)
		}
		if d := cmp.Diff(values, c.values(0), cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		for _, v := range values {
			if v < -3 || v > 1e6 || kind == space.Integer && v != math.Trunc(v) {
				t.Errorf("%v is no %v of the region", v, kind)
			}
		}
	}
}

func TestBaselineStops(t *testing.T) {
	c := office(t)
	ctx, cancel := context.WithCancel(t.Context())
	c.Progress = func(done, _ int) {
		if done > 2 {
			t.Errorf("goes on to %d", done)
		}
		if done == 2 {
			cancel()
		}
	}
	if b, err := Explain(ctx, c); !errors.Is(err, context.Canceled) || b != nil {
		t.Errorf("%+v, %v", b, err)
	}
}
