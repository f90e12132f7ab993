package main

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/space"
)

// study is a space whose individuals have a k by formula: one plus the number of its ten
// features that have their peak's value.
type study struct {
	space  *space.Space
	rows   [][]float64
	peak   []float64
	refuse func(x []float64) bool
}

func hill() *study {
	st := &study{space: &space.Space{}}
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 10 {
		st.space.Features = append(st.space.Features, space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Lo: 0, Hi: 9})
		st.peak = append(st.peak, float64(rng.IntN(10)))
	}
	st.space.Features = append(st.space.Features, space.Feature{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}})
	for range 100 {
		row := []float64{}
		for i := range st.space.Features {
			row = append(row, float64(rng.IntN(int(st.space.Features[i].Hi)+1)))
		}
		st.rows = append(st.rows, row)
	}
	return st
}

func (st *study) k(x []float64) int {
	k := 1
	for i, v := range st.peak {
		if x[i] == v {
			k++
		}
	}
	return k
}

func (st *study) options(seed int64) sdk.StartOptions {
	return sdk.StartOptions{Seed: seed, Region: st.space.Whole(), Rows: st.rows, Options: map[string]string{"population": "40"}}
}

func (st *study) start(t *testing.T, o sdk.StartOptions) *session {
	t.Helper()
	s, err := strategy{}.Start(t.Context(), st.space, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*session)
}

// host answers moves, and requests want at a time.
func (st *study) host(want, lag int) rig.Host {
	return rig.Host{Answer: st.answer, Want: want, Lag: lag}
}

func (st *study) answer(m sdk.Move) sdk.Trial {
	if st.refuse != nil && st.refuse(m.Point) {
		return sdk.Trial{Status: sdk.TrialRefused}
	}
	return sdk.Trial{Status: sdk.TrialEvaluated, Point: m.Point, K: st.k(m.Point)}
}

func (st *study) best(moves []sdk.Move) (k int) {
	for _, m := range moves {
		if st.refuse == nil || !st.refuse(m.Point) {
			k = max(k, st.k(m.Point))
		}
	}
	return k
}

// One individual in ten thousand million has k = 11. The search finds it in some
// thousands, one at a time or many, with lag or without, with any operators.
func TestFindsThePeak(t *testing.T) {
	tier.NeedUsual(t)
	st := hill()
	operators := []map[string]string{
		{}, {"selection": "roulette", "elite": "0.2"}, {"cross": "one-point"}, {"exchange": "0"}, {"crossover": "0"},
	}
	for _, set := range operators {
		o := st.options(3)
		maps.Copy(o.Options, set)
		for _, how := range []struct{ want, lag int }{{1, 0}, {20, 0}, {20, 1}, {7, 1}, {1000, 1}} {
			moves := st.host(how.want, how.lag).Drive(t, st.start(t, o), 20_000/min(how.want, 20))
			if best := st.best(moves); best != 11 {
				t.Errorf("%v, %+v: k = %d in %d individuals", set, how, best, len(moves))
			}
		}
	}
}

// An island's next generation follows when all trials of the current one have arrived,
// elites are not evaluated again, and the two islands take turns.
func TestGenerations(t *testing.T) {
	st := hill()
	s := st.start(t, st.options(1))
	moves := st.host(1000, 1).Drive(t, s, 60)
	count := map[[2]int64]int{}
	seen := map[string]bool{}
	for i, m := range moves {
		count[[2]int64{int64(m.Chain), m.Round}]++
		if i > 0 && m.Round == moves[i-1].Round && m.Chain < moves[i-1].Chain {
			t.Fatalf("move %d of island %d comes after island %d in round %d", m.ID, m.Chain, moves[i-1].Chain, m.Round)
		}
		b := string(rune(0))
		for _, v := range m.Point {
			b += string(rune('0' + int(v)))
		}
		if seen[b] {
			t.Errorf("%v was asked twice", m.Point)
		}
		seen[b] = true
	}
	for at, n := range count {
		round := at[1]
		want := 20 - 2 // without an elite of a tenth
		switch {
		case round == 0:
			want = 20
		case round%10 == 0:
			want = 20 - 4 // without the other island's elite, too
		}
		if n > 20 || n < want-2 || round%10 != 0 && n != want {
			t.Errorf("island %d, generation %d: %d individuals asked, want %d", at[0], round, n, want)
		}
	}
	if len(count) != 60 {
		t.Errorf("%d generations in 60 calls", len(count))
	}
}

// Refused individuals have no children, and the best of the others is found.
func TestRefusedIndividualsHaveNoChildren(t *testing.T) {
	st := hill()
	st.refuse = func(x []float64) bool { return x[0] == st.peak[0] }
	s := st.start(t, st.options(2))
	moves := st.host(20, 1).Drive(t, s, 1500)
	if best := st.best(moves); best != 10 {
		t.Errorf("k = %d, want 10, the largest that is not refused", best)
	}
	for _, land := range s.islands {
		for _, p := range land.people[:land.asked] {
			if p.K > 0 && st.refuse(p.x) {
				t.Errorf("%v is refused and has the fitness %d", p.x, p.K)
			}
		}
	}
	everybody := hill()
	everybody.refuse = func([]float64) bool { return true }
	if n := len(everybody.host(20, 1).Drive(t, everybody.start(t, everybody.options(2)), 100)); n != 2000 {
		t.Errorf("%d moves in 100 calls where everybody is refused; want 2000, rows all of them", n)
	}
}

// Parents are selected by fitness: by tournament, the best of several; by roulette, in
// proportion.
func TestSelection(t *testing.T) {
	people := []person{{[]float64{0}, chain.Rank{K: 6}}, {[]float64{1}, chain.Rank{K: 2, Shannon: 1}}, {[]float64{2}, chain.Rank{K: 1}}}
	const draws = 20_000
	shares := func(set map[string]string) (out [3]float64) {
		parsed, err := parse(set)
		if err != nil {
			t.Fatal(err)
		}
		l := &island{settings: &parsed, rng: rand.New(rand.NewPCG(1, 2))}
		draw := l.drawing(people)
		for range draws {
			out[int(draw()[0])] += 1.0 / draws
		}
		return out
	}
	for _, c := range []struct {
		set  map[string]string
		want [3]float64
	}{
		{map[string]string{"tournament": "1"}, [3]float64{1. / 3, 1. / 3, 1. / 3}},
		{map[string]string{"tournament": "2"}, [3]float64{5. / 9, 3. / 9, 1. / 9}},
		{map[string]string{"selection": "roulette"}, [3]float64{0.6, 0.3, 0.1}},
	} {
		got := shares(c.set)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 0.015 {
				t.Errorf("%v: shares %.3f, want %.3f", c.set, got, c.want)
				break
			}
		}
	}
}

// A child has each feature from one of its parents, in the order of the
// operator, as long as nothing mutates.
func TestCrossover(t *testing.T) {
	st := hill()
	low, high := make([]float64, 11), slices.Repeat([]float64{9}, 11)
	for cross, changes := range map[string][2]int{"uniform": {0, 9}, "one-point": {0, 1}} {
		set, err := parse(map[string]string{"cross": cross, "mutation": "0", "crossover": "1"})
		if err != nil {
			t.Fatal(err)
		}
		most, turn := 0, 0
		for seed := range uint64(200) {
			l := &island{settings: &set, domain: chain.NewDomain(st.space, sdk.StartOptions{}), rng: rand.New(rand.NewPCG(seed, 1)), seen: &chain.Memory{}}
			x := l.child(func() []float64 {
				turn++
				return [][]float64{low, high}[turn%2]
			})
			n := 0
			for i := 1; i < 10; i++ {
				if x[i] != 0 && x[i] != 9 {
					t.Fatalf("%s: %v has a value of neither parent", cross, x)
				}
				if x[i] != x[i-1] {
					n++
				}
			}
			most = max(most, n)
			if n > changes[1] {
				t.Fatalf("%s: %v changes parents %d times", cross, x, n)
			}
		}
		if cross == "uniform" && most < 5 {
			t.Errorf("uniform: no child changes parents more than %d times", most)
		}
	}
}

func TestPopulation(t *testing.T) {
	st := hill()
	for _, c := range []struct {
		chains int
		option string
		a, b   int
	}{{0, "0", 50, 50}, {1, "0", 50, 50}, {2, "0", 2, 2}, {256, "0", 128, 128}, {256, "31", 15, 16}} {
		o := st.options(1)
		o.Options["population"] = c.option
		o.Chains = c.chains
		s := st.start(t, o)
		if a, b := len(s.islands[0].people), len(s.islands[1].people); a != c.a || b != c.b {
			t.Errorf("%+v: islands of %d and %d", c, a, b)
		}
	}
}

// The moves depend on the seed, but not on the number of processors.
func TestMovesFollowFromTheSeed(t *testing.T) {
	st := hill()
	st.host(20, 1).SameSeed(t, func() sdk.Strategy { return strategy{} }, st.space, st.options(7), 100)
}

func TestOptionsAreChecked(t *testing.T) {
	rig.Options(t, options, parse, map[string][]string{
		"population": {"", "3", "2.5", "1e9", "NaN"},
		"elite":      {"1", "-0.1"},
		"fresh":      {"1.1", "x"},
		"selection":  {"", "rank"},
		"tournament": {"0", "1.5"},
		"crossover":  {"2", "NaN"},
		"cross":      {"two-point"},
		"mutation":   {"-1", "Inf"},
		"exchange":   {"-1", "0.5"},
	})
}

func TestTrialsThatDoNotFit(t *testing.T) {
	st := hill()
	s := st.start(t, st.options(1))
	if _, err := s.Next(t.Context(), nil, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context(), []sdk.Trial{{ID: 999}}, 1000); err == nil {
		t.Error("told of a move that was not made, without an error")
	}
	if _, err := s.Next(t.Context(), nil, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context(), nil, 1000); err == nil {
		t.Error("trials lag by two calls, without an error")
	}
}
