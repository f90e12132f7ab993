package chain

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// mixed has every kind of feature, a protected one in the middle, and a
// constraint that leaves no copy where job = c and years > 2.
func mixed() *space.Space {
	return &space.Space{
		Features: []space.Feature{
			{Name: "years", Kind: space.Integer, Lo: -2, Hi: 4},
			{Name: "group", Kind: space.Integer, Lo: 0, Hi: 9, Protected: []float64{1, 5}},
			{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 2, Categories: []string{"a", "b", "c"}},
			{Name: "rate", Kind: space.Real, Lo: -1.5, Hi: 2.5},
		},
		Forbidden: []space.Predicate{{
			{Feature: 0, Interval: space.Interval{Lo: 3, Hi: 4}},
			{Feature: 2, Set: []int{2}},
		}},
	}
}

func region(t interface{ Fatal(...any) }, s *space.Space, where string) space.Region {
	p, err := space.ParsePredicate(s, where)
	if err != nil {
		t.Fatal(err)
	}
	r, rest, err := s.Cut(s.Whole(), p)
	if err != nil || rest != nil {
		t.Fatal(where, rest, err)
	}
	return r
}

func TestNeighbourChangesOneFreeFeatureAndStaysInside(t *testing.T) {
	s := mixed()
	cuts := []string{"", "years=0..3", "job=b..c", "rate=0.25..0.5", "years=3,job=a|b", "years=1,rate=0"}
	rapid.Check(t, func(t *rapid.T) {
		g := NewDomain(s, sdk.StartOptions{Region: region(t, s, rapid.SampledFrom(cuts).Draw(t, "cut"))})
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		x := g.Uniform(rng)
		x[1] = 5
		if !g.Inside(x) {
			t.Fatalf("%v lies outside", x)
		}
		before := slices.Clone(x)
		y := g.Neighbour(rng, x)
		if !slices.Equal(x, before) {
			t.Fatalf("the point was changed from %v to %v", before, x)
		}
		changed := 0
		for i := range x {
			if x[i] != y[i] {
				changed++
			}
		}
		if changed != 1 || y[1] != 5 || !g.Inside(y) {
			t.Fatalf("neighbour %v of %v changes %d features; inside: %v", y, x, changed, g.Inside(y))
		}
	})
}

// Each of the features, and each of its other values, must come up about
// equally often.
func TestNeighbourIsUniform(t *testing.T) {
	s := mixed()
	s.Forbidden = nil
	g := NewDomain(s, sdk.StartOptions{})
	rng := rand.New(rand.NewPCG(1, 2))
	x := []float64{1, 1, 0, 0.5}
	const draws = 30_000
	features, years := map[int]int{}, map[float64]int{}
	var low int
	for range draws {
		y := g.Neighbour(rng, x)
		for i := range x {
			if x[i] != y[i] {
				features[i]++
			}
		}
		if y[0] != x[0] {
			years[y[0]]++
		}
		if y[3] < 0.5 {
			low++
		}
	}
	within := func(name string, n int, share float64) {
		if got := float64(n) / draws; got < share*0.9 || got > share*1.1 {
			t.Errorf("%s: share %.4f, want about %.4f", name, got, share)
		}
	}
	for _, i := range []int{0, 2, 3} {
		within(s.Features[i].Name, features[i], 1.0/3)
	}
	for _, v := range []float64{-2, -1, 0, 2, 3, 4} {
		within("years", years[v], 1.0/18)
	}
	within("lower half of rate", low, 1.0/6)
}

func TestNeighbourWithNothingToChange(t *testing.T) {
	s := mixed()
	g := NewDomain(s, sdk.StartOptions{Region: region(t, s, "years=2,job=a,rate=1")})
	x := []float64{2, 0, 0, 1}
	if y := g.Neighbour(rand.New(rand.NewPCG(1, 1)), x); !slices.Equal(x, y) {
		t.Errorf("neighbour %v of the only point %v", y, x)
	}
}

func TestRowsAreThoseOfTheRegion(t *testing.T) {
	s := mixed()
	inside := []float64{1, 7, 1, 0}
	rows := [][]float64{
		inside,
		{-1, 1, 1, 0},  // cut away
		{1, 1, 1, 9},   // beyond the domain
		{1.5, 1, 1, 0}, // no integer
		{1, 1},         // no row of this space
	}
	g := NewDomain(s, sdk.StartOptions{Rows: rows, Region: region(t, s, "years=0..4")})
	if len(g.Rows()) != 1 || !slices.Equal(g.Rows()[0], inside) {
		t.Fatalf("rows %v, want %v alone", g.Rows(), inside)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	drawn := g.Row(rng)
	if !slices.Equal(drawn, inside) {
		t.Errorf("drew %v", drawn)
	}
	if drawn[0] = 3; inside[0] != 1 {
		t.Error("a drawn row aliases the data set")
	}
}

// Two rows, one without counterfactuals: only the other is drawn. No rows: the
// draws are points of the region.
func TestRowAvoidsWhatConstraintsForbid(t *testing.T) {
	s := mixed()
	rng := rand.New(rand.NewPCG(3, 3))
	forbidden, allowed := []float64{4, 1, 2, 0}, []float64{2, 1, 2, 0}
	g := NewDomain(s, sdk.StartOptions{Rows: [][]float64{forbidden, allowed}})
	empty := NewDomain(s, sdk.StartOptions{Region: region(t, s, "years=2..4,job=c")})
	for range 200 {
		if x := g.Row(rng); !slices.Equal(x, allowed) {
			t.Fatalf("drew %v", x)
		}
		if x := empty.Row(rng); !empty.Inside(x) || x[0] != 2 {
			t.Fatalf("drew %v, which lies outside", x)
		}
	}
}
