package space_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/space"
)

// TestVicinity compares a vicinity with the sum of distances to each row, at individuals of which many are at
// exactly the distance, and holds what it says about boxes against their individuals.
func TestVicinity(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 17, Hi: 27},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}},
		{Name: "job", Kind: space.Categorical, Hi: 3, Categories: []string{"a", "b", "c", "missing"}, Missing: true},
		{Name: "pay", Kind: space.Real, Lo: -1, Hi: 2},
		{Name: "years", Kind: space.Integer, Lo: 0, Hi: 6, Missing: true},
		{Name: "one", Kind: space.Integer, Lo: 3, Hi: 3},
	}}
	r, near, far := rand.New(rand.NewPCG(1, 1)), 0, 0
	draw := func() []float64 {
		x := s.Draw(s.Whole().Box, r)
		x[3] = math.Round(x[3]*8) / 8
		return x
	}
	apart := func(a, b []float64) *big.Rat {
		sum, one := new(big.Rat), big.NewRat(1, 1)
		add := func(d float64, width int64) {
			part := new(big.Rat).SetFloat64(math.Abs(d))
			sum.Add(sum, part.Quo(part, big.NewRat(width, 1)))
		}
		add(a[0]-b[0], 10)
		if a[2] != b[2] {
			sum.Add(sum, one)
		}
		add(a[3]-b[3], 3)
		if a[4] != b[4] && max(a[4], b[4]) == 6 {
			sum.Add(sum, one)
		} else {
			add(a[4]-b[4], 5)
		}
		return sum.Quo(sum, big.NewRat(5, 1))
	}
	for range 200 {
		var rows [][]float64
		for range 1 + r.IntN(20) {
			rows = append(rows, draw())
		}
		v, err := space.NewVicinity(s, rows, apart(draw(), rows[0]))
		if err != nil {
			t.Fatal(err)
		}
		has := func(x []float64) bool {
			for _, row := range rows {
				if apart(x, row).Cmp(v.Distance) <= 0 {
					return true
				}
			}
			return false
		}
		for range 20 {
			a, b := draw(), draw()
			box := make(space.Box, len(a))
			for i := range a {
				if r.IntN(3) > 0 {
					b[i] = a[i]
				}
				box[i] = space.Interval{Lo: min(a[i], b[i]), Hi: max(a[i], b[i])}
			}
			meets, covers := v.Meets(box), v.Covers(box)
			for range 10 {
				x := s.Draw(box, r)
				want := has(x)
				if want {
					near++
				} else {
					far++
				}
				if got := v.Has(x); got != want || want && !meets || !want && covers {
					t.Fatalf("%v within %s of %v: got %t, want %t; of the box %v: some %t, all %t", x, v.Distance, v.Rows, got, want, box, meets, covers)
				}
			}
		}
	}
	if min(near, far) < 1000 {
		t.Errorf("%d individuals were near a row, %d were not; want more of both", near, far)
	}
	for _, distance := range []*big.Rat{nil, big.NewRat(-1, 2), big.NewRat(3, 2)} {
		if _, err := space.NewVicinity(s, [][]float64{draw()}, distance); err == nil {
			t.Errorf("a distance of %v was taken", distance)
		}
	}
	if _, err := space.NewVicinity(s, [][]float64{{16, 0, 0, 0, 0, 3}}, new(big.Rat)); err == nil {
		t.Error("a row outside the domain was taken")
	}
}
