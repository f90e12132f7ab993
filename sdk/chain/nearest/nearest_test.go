package nearest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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

// BenchmarkFind is one query among 45,000 rows of ten features.
func BenchmarkFind(b *testing.B) {
	s := &space.Space{}
	for range 5 {
		s.Features = append(s.Features,
			space.Feature{Kind: space.Categorical, Lo: 0, Hi: 6, Categories: make([]string, 7)},
			space.Feature{Kind: space.Integer, Lo: 0, Hi: 99})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rows := make([][]float64, 45_000)
	for i := range rows {
		for j := range s.Features {
			rows[i] = append(rows[i], float64(rng.IntN(int(s.Features[j].Hi)+1)))
		}
	}
	x := New(s, rows)
	b.ResetTimer()
	for i := range b.N {
		x.Find(rows[i%len(rows)], 10)
	}
}
