package population

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/space"
)

// rowsOf draws rows of a space whose first two free features depend on each other.
func rowsOf(s *space.Space, r *rand.Rand, n int) (rows [][]float64) {
	free := s.Free()
	for range n {
		x := s.Draw(s.Whole().Box, r)
		for _, i := range s.Protected() {
			x[i] = s.Features[i].Protected[0]
		}
		if len(free) > 1 && r.IntN(4) > 0 { // both at the same end
			for _, i := range free[:2] {
				f := &s.Features[i]
				if x[i] = f.Lo; r.IntN(2) == 0 {
					x[i] = f.Hi
				}
			}
			if end := x[free[0]] == s.Features[free[0]].Hi; end {
				x[free[1]] = s.Features[free[1]].Hi
			} else {
				x[free[1]] = s.Features[free[1]].Lo
			}
		}
		rows = append(rows, x)
	}
	return rows
}

// TestMass: the masses of all individuals add up to 1, and those in a box to the box's; draws are as frequent as masses say.
func TestMass(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		s := known.Space(r)
		p, err := Of(t.Context(), 1+r.IntN(4), s, rowsOf(s, r, 200), int64(seed))
		if err != nil {
			t.Fatal(err)
		}
		box := s.Whole().Box
		part := append(space.Box(nil), box...)
		for _, i := range s.Free() {
			a, b := s.Draw(box, r)[i], s.Draw(box, r)[i]
			part[i] = space.Interval{Lo: min(a, b), Hi: max(a, b)}
		}
		all, inside, n := 0.0, 0.0, 0
		for x := range s.Individuals(box) {
			point := append(space.Box(nil), box...)
			in := true
			for _, i := range s.Free() {
				point[i] = space.Interval{Lo: x[i], Hi: x[i]}
				in = in && part[i].Contains(x[i])
			}
			lo, hi := p.Mass(point)
			if !(0 < lo && lo <= hi && hi < lo*(1+1e-9)) {
				t.Fatalf("seed %d: %v has a mass of %v to %v", seed, x, lo, hi)
			}
			if all, n = all+lo, n+1; in {
				inside += lo
			}
		}
		lo, hi := p.Mass(part)
		if math.Abs(all-1) > 1e-9 || inside < lo-1e-9 || inside > hi+1e-9 {
			t.Errorf("seed %d: %d individuals have %v, those in a box %v, not %v to %v", seed, n, all, inside, lo, hi)
		}
		drawn := 0
		const draws = 20000
		for range draws {
			x, in := p.Draw(r), true
			for _, i := range s.Free() {
				in = in && part[i].Contains(x[i])
			}
			if in {
				drawn++
			}
		}
		if off := math.Abs(float64(drawn)/draws - lo); off > 5*math.Sqrt(lo*(1-lo)/draws)+1e-4 {
			t.Errorf("seed %d: %d of %d draws are in a box of mass %v", seed, drawn, draws, lo)
		}
	}
}

// TestFit: classes fit dependent features better than independent features do, and those better than uniform ones. All
// three fit uniform features alike.
func TestFit(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: 9}, {Name: "b", Kind: space.Integer, Hi: 1e6}, {Name: "c", Kind: space.Real, Hi: 1},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}},
	}}
	r := rand.New(rand.NewPCG(5, 5))
	var rows, even [][]float64
	for range 4000 {
		a := float64(r.IntN(10))
		b := math.Floor(1000*a + 100*r.Float64())
		if r.IntN(3) == 0 {
			b = 0 // a frequent value among a million
		}
		rows = append(rows, []float64{a, b, min(1, r.ExpFloat64()/10), 0})
		even = append(even, []float64{a, float64(r.IntN(1e6 + 1)), r.Float64(), 1})
	}
	p, err := Of(t.Context(), 12, s, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !(p.Fitted > p.Alone+0.5 && p.Alone > p.Even+1) || p.Rows != 3600 || p.Held != 400 {
		t.Errorf("log-likelihoods %v, %v, %v", p.Fitted, p.Alone, p.Even)
	}
	box := s.Whole().Box
	box[1] = space.Interval{}
	if lo, _ := p.Mass(box); math.Abs(lo-1.0/3) > 0.03 {
		t.Errorf("the frequent value has a mass of %v", lo)
	}
	again, err := Of(t.Context(), 12, s, rows, 1)
	if err != nil || again.Fitted != p.Fitted {
		t.Errorf("fitted again: %v, not %v", again.Fitted, p.Fitted)
	}
	if p, err = Of(t.Context(), 1, s, even, 1); err != nil || math.Abs(p.Fitted-p.Even) > 0.1 || p.Fitted != p.Alone {
		t.Errorf("of even rows: %v, %v; %v", p.Fitted, p.Even, err)
	}
	if _, err := Of(t.Context(), 1, s, rows[:10], 1); err == nil {
		t.Error("fitted to ten rows")
	}
}

// TestMissing: a missing real number is possible, also where no row that was fitted misses it.
func TestMissing(t *testing.T) {
	s := &space.Space{Features: []space.Feature{
		{Name: "income", Kind: space.Real, Hi: 11, Missing: true},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}},
	}}
	var rows [][]float64
	for i := range 40 {
		rows = append(rows, []float64{float64(i) / 4, 0})
	}
	rows[0][0] = 11
	held := false
	for seed := range int64(30) {
		p, err := Of(t.Context(), 2, s, rows, seed)
		if err != nil {
			t.Fatal(err)
		}
		box := s.Whole().Box
		all, _ := p.Mass(box)
		box[0] = space.Interval{Lo: 11, Hi: 11}
		missing, _ := p.Mass(box)
		held = held || missing < 0.02 // all rows that were fitted have a number
		if math.IsInf(p.Fitted, 0) || math.IsNaN(p.Fitted) || missing <= 0 || math.Abs(all-1) > 1e-9 {
			t.Fatalf("seed %d: log-likelihood %v, mass %v of missing numbers, %v of all", seed, p.Fitted, missing, all)
		}
	}
	if !held {
		t.Error("the missing number was held back by no seed")
	}
}

func TestFitEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := rand.New(rand.NewPCG(1, 1))
	s := known.Space(r)
	if _, err := Of(ctx, 3, s, rowsOf(s, r, 100), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("fitted in no time: %v", err)
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]Source{"": {}, "uniform": {}, "independent": {Classes: 1}, "classes:16": {Classes: 16}, "weights:a:b.csv": {Kind: "weights", File: "a:b.csv"}, "network:n.json": {Kind: "network", File: "n.json"}} {
		if got, err := Parse(name); err != nil || got != want {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"classes", "classes:0", "classes:1e3", "classes:257", "classes:-1", "mixture", "weights:", "network:", "network"} {
		if _, err := Parse(name); err == nil {
			t.Errorf("%q was read", name)
		}
	}
}

// TestWithin: masses within a box are those of its parts over the box's, and all draws are in it.
func TestWithin(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 12))
		s := known.Space(r)
		s.Features = append(s.Features, space.Feature{Name: "income", Kind: space.Real, Hi: 5})
		p, err := Of(t.Context(), 1+r.IntN(4), s, rowsOf(s, r, 200), int64(seed))
		if err != nil {
			t.Fatal(err)
		}
		within := func(of space.Box) space.Box {
			part := append(space.Box(nil), of...)
			for _, i := range s.Free() {
				a, b := s.Draw(of, r)[i], s.Draw(of, r)[i]
				part[i] = space.Interval{Lo: min(a, b), Hi: max(a, b)}
			}
			return part
		}
		region := within(s.Whole().Box)
		part := within(region)
		q := p.Within(region)
		least, most := q.Mass(part)
		some, _ := p.Mass(part)
		all, _ := p.Mass(region)
		if want := some / all; !(least <= want*(1+1e-13) && want*(1-1e-13) <= most && most <= least*(1+1e-9)) {
			t.Errorf("seed %d: %v to %v of the region are in a part, want %v", seed, least, most, want)
		}
		income := len(s.Features) - 1
		region[income] = space.Interval{Lo: 2, Hi: 2}
		fixed := p.Within(region)
		if one, _ := fixed.Mass(region); math.Abs(one-1) > 1e-9 {
			t.Errorf("seed %d: a mass of %v has an income of 2", seed, one)
		}
		for range 100 {
			x := fixed.Draw(r)
			for _, i := range s.Free() {
				if !region[i].Contains(x[i]) {
					t.Fatalf("seed %d: %v is outside %v", seed, x, region)
				}
			}
		}
	}
}

// TestClassesOf: the classes have the masses of the population, of which the even one gives each value of a feature the
// same.
func TestClassesOf(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	s := known.Space(r)
	box := s.Whole().Box
	fitted, err := Of(t.Context(), 3, s, rowsOf(s, r, 200), 1)
	if err != nil {
		t.Fatal(err)
	}
	i := s.Free()[0]
	first := append(space.Box(nil), box...)
	first[i].Hi = first[i].Lo
	values := box[i].Hi - box[i].Lo + 1
	for name, p := range map[string]*Population{"fitted": fitted, "even": Even(s, box)} {
		lo, hi := p.Mass(first)
		sum := 0.0
		for _, c := range p.Classes() {
			if len(c.Sides) != len(s.Free()) || c.Sides[0].Feature != i {
				t.Fatalf("%s: sides %+v", name, c.Sides)
			}
			cell := c.Sides[0].Cells[0]
			sum += c.Weight * c.Sides[0].Shares[0] / (cell.Hi - cell.Lo + 1)
		}
		if math.Abs(sum-lo) > 1e-9 || name == "even" && math.Abs(hi-1/values) > 1e-9 {
			t.Errorf("%s: a mass of %v to %v, and classes say %v", name, lo, hi, sum)
		}
	}
}
