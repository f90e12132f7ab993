package lime

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// Bins of few values, computed by hand.
func TestBins(t *testing.T) {
	number, category := &space.Feature{Kind: space.Integer}, &space.Feature{Kind: space.Categorical}
	sd := math.Sqrt
	for _, c := range []struct {
		name   string
		f      *space.Feature
		values []float64
		cuts   []float64
		bins   []bin
	}{
		{"one to nine", number, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{3, 5, 7}, []bin{
			{0, 3. / 9, 1, 3, 2, sd(2. / 3)}, {1, 5. / 9, 3, 5, 4.5, 0.5}, {2, 7. / 9, 5, 7, 6.5, 0.5}, {3, 1, 7, 9, 8.5, 0.5},
		}},
		{"quartiles between values", number, []float64{0, 10, 20, 30}, []float64{7.5, 15, 22.5}, []bin{
			{0, 0.25, 0, 7.5, 0, 0}, {1, 0.5, 7.5, 15, 10, 0}, {2, 0.75, 15, 22.5, 20, 0}, {3, 1, 22.5, 30, 30, 0},
		}},
		{"mostly zero", number, []float64{0, 0, 0, 0, 0, 0, 0, 6}, []float64{0}, []bin{
			{0, 0.875, 0, 0, 0, 0}, {1, 1, 0, 6, 6, 0},
		}},
		{"a bin without rows", number, []float64{1, 5, 5, 5, 5}, []float64{5}, []bin{{0, 1, 1, 5, 4.2, sd(2.56)}}},
		{"one value", number, []float64{4}, []float64{4}, []bin{{0, 1, 4, 4, 4, 0}}},
		{"categories", category, []float64{0, 2, 2, 3}, nil, []bin{{0, 0.25, 0, 0, 0, 0}, {2, 0.75, 2, 2, 2, 0}, {3, 1, 3, 3, 3, 0}}},
	} {
		got := describe(c.f, c.values)
		if d := cmp.Diff(c.cuts, got.cuts); d != "" {
			t.Errorf("%s: quartiles:\n%s", c.name, d)
		}
		if d := cmp.Diff(c.bins, got.bins, cmp.AllowUnexported(bin{}), cmpopts.EquateApprox(0, 1e-15)); d != "" {
			t.Errorf("%s: bins:\n%s", c.name, d)
		}
	}
}

// For any rows, draws lie between them and within their bin, integers are whole, and bins
// are as frequent as among the rows.
func TestDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]space.Kind{space.Integer, space.Categorical, space.Real}).Draw(t, "kind")
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Float64Range(-1e9, 1e9), rapid.Just(math.MaxFloat64)), 1, 40).Draw(t, "values")
		if kind != space.Real {
			for i := range values {
				values[i] = math.Round(values[i])
			}
		}
		slices.Sort(values)
		c := describe(&space.Feature{Kind: kind}, values)
		times := map[float64]float64{}
		rng := random(rapid.Uint64().Draw(t, "seed"))
		const draws = 2000
		for range draws {
			v, place := c.draw(rng)
			times[place]++
			at := slices.IndexFunc(c.bins, func(b bin) bool { return b.place == place })
			if at < 0 {
				t.Fatalf("%v comes from a bin that does not exist: %v", v, place)
			}
			b := c.bins[at]
			low, high := b.low, b.high
			if kind == space.Integer {
				low, high = math.Round(low), math.Round(high)
				if v != math.Round(v) {
					t.Fatalf("%v is drawn of an integer", v)
				}
			}
			if !(v >= low && v <= high) || kind == space.Categorical && v != place {
				t.Fatalf("%v is drawn from %+v", v, b)
			}
		}
		for _, b := range c.bins {
			rows := 0.0
			for _, v := range values {
				if c.place(v) == b.place {
					rows++
				}
			}
			// At most five standard deviations of a binomial distribution.
			if share := rows / float64(len(values)); math.Abs(times[b.place]/draws-share) > 5*math.Sqrt(0.25/draws) {
				t.Errorf("bin %v has a share of %v and is drawn %v times of %d", b.place, share, times[b.place], draws)
			}
		}
	})
}

// Numbers within a bin follow the truncated normal distribution: mean and variance match
// the formula.
func TestNumbersWithinABin(t *testing.T) {
	c := column{bins: []bin{{upTo: 1, low: 0, high: 3, mean: 1, sd: 0.8}}}
	density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	a, b := -1/0.8, 2/0.8
	mass := below(b) - below(a)
	shift := (density(a) - density(b)) / mass
	mean := 1 + 0.8*shift
	variance := 0.64 * (1 + (a*density(a)-b*density(b))/mass - shift*shift)
	const n = 200000
	rng := random(3)
	var sum, squares float64
	for range n {
		v, _ := c.draw(rng)
		sum += v
		squares += v * v
	}
	if got := sum / n; math.Abs(got-mean) > 0.01 {
		t.Errorf("mean %v, want %v", got, mean)
	}
	if got := squares/n - sum/n*sum/n; math.Abs(got-variance) > 0.01 {
		t.Errorf("variance %v, want %v", got, variance)
	}
}

// Rounding may move an integer to the end of the bin below. It keeps the bin that it was
// drawn from, as in the package, which scores before rounding.
func TestRoundedNumbersKeepTheirBin(t *testing.T) {
	c := column{integer: true, cuts: []float64{0}, bins: []bin{{place: 1, upTo: 1, low: 0, high: 1, mean: 0.5, sd: 0.5}}}
	seen := map[float64]int{}
	rng := random(1)
	for range 1000 {
		v, place := c.draw(rng)
		if seen[v]++; place != 1 {
			t.Fatalf("%v is of bin %v", v, place)
		}
	}
	if seen[0] < 400 || seen[1] < 400 {
		t.Errorf("drawn: %v", seen)
	}
}
