package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
}

func TestMeanAndSD(t *testing.T) {
	for _, c := range []struct {
		values   []float64
		mean, sd float64
	}{
		{nil, math.NaN(), math.NaN()},
		{[]float64{3}, 3, math.NaN()},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5, math.Sqrt(32.0 / 7)},
		{[]float64{1, 1, 1}, 1, 0},
	} {
		if m, s := Mean(c.values), SD(c.values); !near(m, c.mean, 0) || !near(s, c.sd, 1e-15) {
			t.Errorf("%v: mean %v, sd %v", c.values, m, s)
		}
	}
}

// everyArrangement calls visit with each way to deal the values into a first
// sample of m and a rest.
func everyArrangement(values []float64, m int, visit func(x, y []float64)) {
	for mask := range 1 << len(values) {
		var x, y []float64
		for i, v := range values {
			if mask>>i&1 == 1 {
				x = append(x, v)
			} else {
				y = append(y, v)
			}
		}
		if len(x) == m {
			visit(x, y)
		}
	}
}

// permutationP is the p of the permutation test on U, by its definition.
func permutationP(x, y []float64) float64 {
	u := func(x, y []float64) (wins float64) {
		for _, a := range x {
			for _, b := range y {
				if a > b {
					wins++
				}
				if a == b {
					wins += 0.5
				}
			}
		}
		return wins
	}
	seen := u(x, y)
	var total, below, above float64
	everyArrangement(append(slices.Clone(x), y...), len(x), func(x, y []float64) {
		total++
		if v := u(x, y); v <= seen {
			below++
		}
		if v := u(x, y); v >= seen {
			above++
		}
	})
	return math.Min(1, 2*math.Min(below, above)/total)
}

// Samples with many and with few ties, and of unequal sizes; an infinity stands for a run
// without a find (docs/reference/semantics.md).
func TestExactTestEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.SampledFrom([]int{1, 2, 4, 8, 100}).Draw(t, "top")
		value := rapid.Custom(func(t *rapid.T) float64 {
			if v := rapid.IntRange(-1, top).Draw(t, "value"); v >= 0 {
				return float64(v)
			}
			return math.Inf(-1)
		})
		x, y := rapid.SliceOfN(value, 1, 6).Draw(t, "x"), rapid.SliceOfN(value, 1, 6).Draw(t, "y")
		if got, want := MannWhitney(x, y), permutationP(x, y); !near(got, want, 1e-12) {
			t.Fatalf("%v against %v: p %v, enumeration %v", x, y, got, want)
		}
	})
}

// Figures that other programs print for the same samples.
func TestKnownP(t *testing.T) {
	for _, c := range []struct {
		name string
		x, y []float64
		p    float64
	}{
		// The two most different samples of five: 2 of 252 arrangements.
		{"five against five", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"ten against ten", seq(1, 10), seq(11, 20), 2.0 / 184756},
		// scipy: mannwhitneyu(x, y, method=PermutationMethod(n_resamples=10**7)), which enumerates; with two pairs of
		// ties, W = 58. The normal approximation is 0.1329.
		{"depression", []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
			[]float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}, 0.12990538872891813},
		{"k of two arms", []float64{18, 18, 19, 19, 20}, []float64{17, 17, 18, 18, 18}, 0.07936507936507936}, // not 0.0434
		{"unequal sizes", []float64{1, 2, 2, 3}, []float64{2, 3, 3, 4, 4, 5}, 0.09523809523809523},
		{"two values", []float64{5, 5, 5, 5, 5}, []float64{4, 4, 4, 4, 4}, 2.0 / 252}, // not 0.0040
		{"all equal", []float64{4, 4, 4}, []float64{4, 4}, 1},
		{"empty", nil, []float64{1}, 1},
		{"the same values", []float64{1, 2, 3}, []float64{1, 2, 3}, 1},
	} {
		if got := MannWhitney(c.x, c.y); !near(got, c.p, 1e-12) {
			t.Errorf("%s: p = %v, want %v", c.name, got, c.p)
		}
	}
}

func seq(from, to int) (out []float64) {
	for v := from; v <= to; v++ {
		out = append(out, float64(v))
	}
	return out
}

// Above 60 values the test approximates; there the two are near.
func TestApproximationIsNearTheExactTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		x, y := make([]float64, 30), make([]float64, 30)
		for i := range x {
			x[i], y[i] = float64(rng.IntN(12)), float64(rng.IntN(12)+rng.IntN(3))
		}
		if exact, normal := MannWhitney(x, y), normalP(u(x, y), 30, 30, tieTerm(x, y)); !near(exact, normal, 0.005) {
			t.Errorf("%v against %v: p %v, approximated %v", x, y, exact, normal)
		}
	}
}

func TestSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 9).Draw(t, "v")) }), 1, 40)
		x, y := sample.Draw(t, "x"), sample.Draw(t, "y")
		if a, b := MannWhitney(x, y), MannWhitney(y, x); a != b || a < 0 || a > 1 {
			t.Fatalf("p %v and %v", a, b)
		}
		if a, b := A12(x, y), A12(y, x); !near(a+b, 1, 1e-12) {
			t.Fatalf("effects %v and %v", a, b)
		}
		if A12(x, x) != 0.5 {
			t.Fatal("an effect of a sample against itself")
		}
	})
}

func TestA12(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{5, 6}, []float64{1, 2, 3}, 1},
		{[]float64{1}, []float64{1, 2}, 0.25},
		{nil, []float64{1}, math.NaN()},
	} {
		if got := A12(c.x, c.y); !near(got, c.want, 0) {
			t.Errorf("%v against %v: %v", c.x, c.y, got)
		}
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		// Holm's steps by hand: 0.005·4, 0.01·3, 0.03·2, and 0.04·1 raised to 0.06.
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.9, 0.8}, []float64{1, 1}},
	} {
		got := Holm(c.p)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return near(a, b, 1e-12) }) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

// Holm rejects what Bonferroni rejects, and maybe more; order is kept.
func TestHolmLiesBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 8).Draw(t, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > math.Min(1, p[i]*float64(len(p)))+1e-12 {
				t.Fatalf("%v: %v", p, adjusted)
			}
			for k := range p {
				if p[i] < p[k] && adjusted[i] > adjusted[k] {
					t.Fatalf("%v: %v", p, adjusted)
				}
			}
		}
	})
}
