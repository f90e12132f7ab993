package grid

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// mixed returns a space with features of every kind, a protected one, and constraints.
func mixed() *space.Space {
	return &space.Space{
		Inputs: 6,
		Features: []space.Feature{
			{Name: "n", Kind: space.Integer, Lo: -3, Hi: 8, Inputs: []space.Input{{Index: 0, Scale: -0.3, Offset: 1}}},
			{Name: "wide", Kind: space.Integer, Lo: 0, Hi: 200_000, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			{Name: "c", Kind: space.Categorical, Hi: 3, Categories: []string{"a", "b", "c", "d"},
				Inputs: []space.Input{{Index: 2, Table: []float64{0, 1, 0, 0}}, {Index: 3, Table: []float64{4, -2, 9, 1}}}},
			{Name: "r", Kind: space.Real, Lo: -1.5, Hi: 2, Inputs: []space.Input{{Index: 4, Scale: 7}}},
			{Name: "p", Kind: space.Integer, Hi: 2, Protected: []float64{0, 1, 2}, Inputs: []space.Input{{Index: 5, Scale: 1}}},
		},
		Forbidden: []space.Predicate{
			{{Feature: 0, Interval: space.Interval{Lo: 2, Hi: 5}}, {Feature: 4, Interval: space.Interval{Lo: 1, Hi: 1}}},
			{{Feature: 2, Set: []int{0, 3}}, {Feature: 3, Interval: space.Interval{Lo: 0.25, Hi: 9}}},
		},
	}
}

func mixedGrid(t testing.TB) (*Grid, *Rules) {
	q := &problem.Query{Space: mixed(), Require: []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: -2, Hi: 9}}}}}
	if err := q.Space.Validate(); err != nil {
		t.Fatal(err)
	}
	g, err := New(q)
	if err != nil {
		t.Fatal(err)
	}
	return g, NewRules(g, q)
}

// randomBox returns a box and a point in it.
func randomBox(r *rand.Rand, g *Grid) (Box, []float64) {
	b, x := g.Whole(), make([]float64, len(g.Dims))
	for d := range g.Dims {
		i, j := r.IntN(g.Dims[d].Cells), r.IntN(g.Dims[d].Cells)
		if r.IntN(3) == 0 {
			j = i
		}
		b[2*d], b[2*d+1] = uint64(min(i, j)), uint64(max(i, j))
		iv := g.Box(b)[g.Dims[d].Feature]
		lo, hi := iv.Lo, iv.Hi
		x[d] = g.Dims[d].Nearest(lo + r.Float64()*(hi-lo))
		if r.IntN(3) == 0 {
			x[d] = []float64{lo, hi}[r.IntN(2)]
		}
	}
	return b, x
}

// The inputs of every point of a box, computed exactly, lie in the feeds' enclosures, and
// the point lies in the box's intervals.
func TestEnclosuresHoldExactInputs(t *testing.T) {
	g, _ := mixedGrid(t)
	rapid.Check(t, func(t *rapid.T) {
		b, x := randomBox(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), g)
		inputs := g.Space.ExactInputs(g.Complete(g.Point(x), 1))
		box := g.Box(b)
		for d := range g.Dims {
			if !box[g.Dims[d].Feature].Contains(x[d]) {
				t.Fatalf("%v is outside %v", x[d], box[g.Dims[d].Feature])
			}
			for f := range g.Dims[d].Feeds {
				feed := &g.Dims[d].Feeds[f]
				c, r := feed.Enclose(b[2*d], b[2*d+1])
				apart := new(big.Rat).Sub(inputs[feed.Input], new(big.Rat).SetFloat64(c))
				if apart.Abs(apart).Cmp(new(big.Rat).SetFloat64(r)) > 0 {
					t.Fatalf("input %d: %v is outside %v ± %v", feed.Input, inputs[feed.Input], c, r)
				}
				at, _ := inputs[feed.Input].Float64()
				if got := g.Input(d, f, x[d]); math.Abs(got-at) > 1e-15*max(1, math.Abs(at)) {
					t.Fatalf("input %d is about %v, said %v", feed.Input, at, got)
				}
			}
		}
	})
}

// What the rules say about a box holds for every point of it.
func TestStandingHoldsForPoints(t *testing.T) {
	g, rules := mixedGrid(t)
	seen := map[Truth]int{}
	for seed := range uint64(1000) {
		b, x := randomBox(rand.New(rand.NewPCG(seed, 2)), g)
		var s Standing
		rules.Stand(b, &s)
		seen[s.Asked]++
		point := g.Point(x)
		if asks := rules.Asks(point); asks && s.Asked == Nowhere || !asks && s.Asked == Everywhere {
			t.Fatalf("asked %v, but at %v: %v", s.Asked, x, asks)
		}
		some := false
		for z, allowed := range rules.Allowed(point) {
			some = some || allowed
			if allowed && !s.Possible[z] || !allowed && s.Sure[z] {
				t.Fatalf("combination %d at %v: allowed %v, possible %v, sure %v", z, x, allowed, s.Possible[z], s.Sure[z])
			}
		}
		if some && s.None || !some && s.Individuals {
			t.Fatalf("at %v an individual: %v; none %v, individuals %v", x, some, s.None, s.Individuals)
		}
	}
	if seen[Nowhere] == 0 || seen[Somewhere] == 0 || seen[Everywhere] == 0 {
		t.Errorf("boxes by truth: %v", seen)
	}
}

// The halves of a split box have all of its individuals, and no others.
func TestCountsAddUp(t *testing.T) {
	g, _ := mixedGrid(t)
	whole, ok := g.Exactly(g.Whole())
	want := big.NewInt(12 * 200_001 * 4)
	if want.Mul(want, big.NewInt(RealCells)); !ok || whole.Big().Cmp(want) != 0 {
		t.Fatalf("%v individuals and cells, want %v", whole.Big(), want)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		b, _ := randomBox(r, g)
		d := r.IntN(len(g.Dims))
		if b[2*d] == b[2*d+1] {
			return
		}
		low, high := append(Box(nil), b...), append(Box(nil), b...)
		low[2*d+1] = b[2*d] + (b[2*d+1]-b[2*d])/2
		high[2*d] = low[2*d+1] + 1
		all, _ := g.Exactly(b)
		one, _ := g.Exactly(low)
		two, _ := g.Exactly(high)
		if one.Add(two) != all || all.Without(two) != one || g.Size(b) != all.Float() {
			t.Fatalf("%v and %v of %v", one.Big(), two.Big(), all.Big())
		}
	})
}

func TestCountOverflows(t *testing.T) {
	s := &space.Space{}
	for i := range 9 {
		s.Features = append(s.Features, space.Feature{Name: string(rune('a' + i)), Kind: space.Real, Hi: 1, Inputs: []space.Input{{Index: i, Scale: 1}}})
		s.Inputs++
	}
	s.Features = append(s.Features, space.Feature{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 9, Scale: 1}}})
	s.Inputs++
	g, err := New(&problem.Query{Space: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := g.Exactly(g.Whole()); ok {
		t.Error("2¹⁴⁴ cells fit into 128 bits")
	}
}

// Steps end in the domain, and their logarithms are evenly distributed, in either direction.
func TestStepsAreOfAllMagnitudes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 55))
	g, _ := mixedGrid(t)
	long := 0
	for d := range g.Dims {
		dim := &g.Dims[d]
		lo, _ := dim.Values(0)
		_, hi := dim.Values(uint64(dim.Cells - 1))
		least := 1.0
		if dim.Real {
			least = (hi - lo) / RealCells
		}
		octaves := int(math.Log2((hi - lo) / least))
		if octaves < 3 {
			continue
		}
		long++
		ups, steps := 0, make([]int, octaves+1)
		const draws = 20000
		for range draws {
			from := (lo + hi) / 2
			if !dim.Real {
				from = math.Round(from)
			}
			to := dim.Step(from, r)
			if to < lo || to > hi || !dim.Real && to != math.Trunc(to) || to == from {
				t.Fatalf("dimension %d: from %v to %v, of %v to %v", d, from, to, lo, hi)
			}
			if to > from {
				ups++
			}
			steps[min(octaves, int(math.Log2(math.Abs(to-from)/least)+1e-9))]++
		}
		if ups < draws*47/100 || ups > draws*53/100 {
			t.Errorf("dimension %d: %d steps of %d went up", d, ups, draws)
		}
		for o, n := range steps[:octaves-1] { // the last ones are as long as the domain goes
			if want := float64(draws) / math.Log2((hi-lo)/least+1); math.Abs(float64(n)-want) > want/4 {
				t.Errorf("dimension %d: %d steps of 2^%d or longer, but not twice; want about %v", d, n, o, want)
			}
		}
	}
	if long < 2 {
		t.Errorf("%d dimensions have long steps", long)
	}
}
