package nearest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/space"
	"pgregory.net/rapid"
)

// The ranges are powers of two, so that every distance is exact and ties are
// ties.
func space4() *space.Space {
	return &space.Space{Features: []space.Feature{
		{Name: "hours", Kind: space.Integer, Lo: 1, Hi: 17},
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"a", "b", "c"}},
		{Name: "rate", Kind: space.Real, Lo: -2, Hi: 2},
		{Name: "only", Kind: space.Integer, Lo: 5, Hi: 5},
	}}
}

func gower(s *space.Space, a, b []float64) (sum float64) {
	for _, i := range s.Free() {
		f := &s.Features[i]
		switch {
		case f.Kind == space.Categorical && a[i] != b[i]:
			sum++
		case f.Kind != space.Categorical && f.Hi > f.Lo:
			sum += math.Abs(a[i]-b[i]) / (f.Hi - f.Lo)
		}
	}
	return sum
}

// slowFind sorts everything.
func slowFind(s *space.Space, rows [][]float64, x []float64, k int) [][]float64 {
	var out [][]float64
	for _, row := range rows {
		same := func(other []float64) bool { return gower(s, row, other) == 0 }
		if !same(x) && !slices.ContainsFunc(out, same) {
			out = append(out, row)
		}
	}
	slices.SortStableFunc(out, func(a, b []float64) int { return cmp.Compare(gower(s, x, a), gower(s, x, b)) })
	return out[:min(k, len(out))]
}

func drawRow(t *rapid.T) []float64 {
	return []float64{
		float64(rapid.IntRange(1, 17).Draw(t, "hours")),
		float64(rapid.IntRange(0, 1).Draw(t, "sex")),
		float64(rapid.IntRange(0, 2).Draw(t, "job")),
		float64(rapid.IntRange(-8, 8).Draw(t, "rate")) / 4,
		5,
	}
}

func TestFindAgreesWithSorting(t *testing.T) {
	s := space4()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(drawRow), 0, 60).Draw(t, "rows")
		x, k := drawRow(t), rapid.IntRange(0, 12).Draw(t, "k")
		if len(rows) > 0 && rapid.Bool().Draw(t, "from a row") {
			x = rows[0]
		}
		got, want := New(s, rows).Find(x, k), slowFind(s, rows, x, k)
		if !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
			t.Fatalf("nearest %d of %v:\n got %v\nwant %v", k, x, got, want)
		}
	})
}

func TestLenCountsIndividuals(t *testing.T) {
	rows := [][]float64{{3, 0, 1, 0, 5}, {3, 1, 1, 0, 5}, {4, 0, 1, 0, 5}}
	if n := New(space4(), rows).Len(); n != 2 {
		t.Errorf("%d individuals in %v; want 2, since sex is protected", n, rows)
	}
}

// drawSpace has the given numbers of categorical and numeric features, in turn; ranges are
// powers of two.
func drawSpace(rng *rand.Rand, categorical, numeric int) *space.Space {
	s := &space.Space{}
	for categorical > 0 || numeric > 0 {
		if categorical > 0 {
			n := 1 + rng.IntN(40)
			s.Features = append(s.Features, space.Feature{Kind: space.Categorical, Hi: float64(n - 1), Categories: make([]string, n)})
			categorical--
		}
		if numeric > 0 {
			kind := []space.Kind{space.Integer, space.Real}[rng.IntN(2)]
			s.Features = append(s.Features, space.Feature{Kind: kind, Lo: -8, Hi: float64(int(16)<<rng.IntN(4) - 8)})
			numeric--
		}
	}
	return s
}

// drawRows draws rows that crowd in the lower values of each feature, so that
// there are ties, whole buckets and rows that are the same individual.
func drawRows(rng *rand.Rand, s *space.Space, n int, crowd float64) [][]float64 {
	rows := make([][]float64, n)
	for r := range rows {
		for i := range s.Features {
			f := &s.Features[i]
			v := math.Pow(rng.Float64(), crowd) * (f.Hi - f.Lo + 1)
			if f.Kind == space.Real {
				v = math.Floor(4*v) / 4
			} else {
				v = math.Floor(v)
			}
			rows[r] = append(rows[r], min(f.Lo+v, f.Hi))
		}
	}
	return rows
}

// Shapes of data sets: categories or numbers alone, many rows in one bucket,
// signatures of several words, more categories than levels.
func TestFindAgreesWithSortingWhateverTheShape(t *testing.T) {
	tier.NeedUsual(t)
	shapes := []struct{ categorical, numeric, rows int }{
		{0, 0, 5}, {0, 1, 200}, {1, 0, 200}, {0, 4, 300}, {1, 3, 300}, {6, 5, 300}, {3, 2, 300}, {40, 3, 100}, {300, 2, 40},
	}
	for _, shape := range shapes {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 1))
			s := drawSpace(rng, shape.categorical, shape.numeric)
			rows := drawRows(rng, s, shape.rows, 1+3*float64(seed%3))
			x := New(s, rows)
			queries := append(drawRows(rng, s, 10, 1), rows[:5]...)
			far := slices.Clone(rows[0]) // with numbers and categories that no row has
			for i := range far {
				far[i] = s.Features[i].Hi + 0.5
			}
			for _, q := range append(queries, far) {
				all := slowFind(s, rows, q, len(rows))
				for _, k := range []int{1, 10, len(rows)} {
					got, want := x.Find(q, k), all[:min(k, len(all))]
					if !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
						t.Fatalf("%+v, seed %d: nearest %d of %v:\n got %v\nwant %v", shape, seed, k, q, got, want)
					}
				}
			}
		}
	}
}

// BenchmarkFind is one query for the ten nearest of 45,000 rows.
func BenchmarkFind(b *testing.B) {
	categories := func(n int) space.Feature {
		return space.Feature{Kind: space.Categorical, Hi: float64(n - 1), Categories: make([]string, n)}
	}
	numbers := func(lo, hi float64) space.Feature { return space.Feature{Kind: space.Integer, Lo: lo, Hi: hi} }
	shapes := []struct {
		name     string
		crowd    float64
		features []space.Feature
	}{
		// The features of the Adult data, crowded so that, as there, every row has a
		// handful of others with the same categories.
		{"adult", 6, []space.Feature{
			categories(7), categories(16), numbers(1, 16), categories(7), categories(14), categories(6),
			numbers(0, 19), numbers(0, 19), numbers(1, 100), categories(41),
		}},
		{"uniform", 1, []space.Feature{
			categories(7), numbers(0, 99), categories(7), numbers(0, 99), categories(7), numbers(0, 99),
			categories(7), numbers(0, 99), categories(7), numbers(0, 99),
		}},
		{"numbers", 1, []space.Feature{numbers(0, 99), numbers(0, 99), numbers(0, 9999), numbers(0, 999), numbers(0, 9)}},
	}
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			s := &space.Space{Features: shape.features}
			rows := drawRows(rand.New(rand.NewPCG(1, 1)), s, 45_000, shape.crowd)
			x := New(s, rows)
			b.ResetTimer()
			for i := range b.N {
				x.Find(rows[i*7919%len(rows)], 10)
			}
		})
	}
}

// BenchmarkNew is the building of an index on 45,000 rows.
func BenchmarkNew(b *testing.B) {
	s := drawSpace(rand.New(rand.NewPCG(2, 2)), 4, 5)
	rows := drawRows(rand.New(rand.NewPCG(1, 1)), s, 45_000, 2)
	for b.Loop() {
		New(s, rows)
	}
}
