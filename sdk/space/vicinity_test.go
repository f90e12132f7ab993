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

// TestExcludes compares, under random constraints, whether a region has an individual near a row with enumeration.
func TestExcludes(t *testing.T) {
	r, counts := rand.New(rand.NewPCG(2, 7)), map[bool]int{}
	for range 300 {
		s := &space.Space{Features: []space.Feature{
			{Name: "age", Kind: space.Integer, Lo: 17, Hi: 22},
			{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}},
			{Name: "job", Kind: space.Categorical, Hi: 2, Categories: []string{"a", "b", "missing"}, Missing: true},
			{Name: "years", Kind: space.Integer, Lo: 0, Hi: 4, Missing: true},
		}}
		draw := func() []float64 { return s.Draw(s.Whole().Box, r) }
		rows := [][]float64{draw(), draw()}
		for range r.IntN(8) {
			var p space.Predicate
			for i := range s.Features {
				switch f := &s.Features[i]; {
				case r.IntN(3) == 0:
				case f.Kind == space.Categorical:
					p = append(p, space.Condition{Feature: i, Set: [][]int{{0}, {1}, {0, 1}}[r.IntN(3)]})
				default:
					a, b := draw()[i], draw()[i]
					p = append(p, space.Condition{Feature: i, Interval: space.Interval{Lo: min(a, b) - 0.5, Hi: max(a, b) + 0.5}})
				}
			}
			if len(p) > 0 {
				s.Forbidden = append(s.Forbidden, p)
			}
		}
		v, err := space.NewVicinity(s, rows, big.NewRat(int64(r.IntN(5)), 10))
		if err != nil {
			t.Fatal(err)
		}
		region, want := s.Whole(), true
		a, b := draw(), draw()
		for _, i := range s.Free() {
			region.Box[i] = space.Interval{Lo: min(a[i], b[i]), Hi: max(a[i], b[i])}
		}
		for x := range s.Individuals(region.Box) {
			s.EachCombination(region, x, func(point []float64) { want = want && !(v.Has(x) && s.Allowed(point)) })
		}
		if got := v.Excludes(s, region); got != want {
			t.Fatalf("region %v, constraints %v, within %s of %v: nobody is near: %t, want %t", region.Box, s.Forbidden, v.Distance, rows, got, want)
		}
		if v.Meets(region.Box) {
			counts[want]++
		}
	}
	if min(counts[true], counts[false]) < 20 {
		t.Errorf("constraints decided too rarely: %v", counts)
	}
}
