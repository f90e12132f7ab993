package main

import (
	"errors"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/space"
)

var twentieth = big.NewRat(1, 20)

// study is a random network over features of every kind, with rows.
type study struct {
	space   *space.Space
	network *relu.Network
	rows    [][]float64
	eval    *evaluate.Evaluator
	refuse  func(x []float64) bool
}

func mixed() *study {
	oneHot := func(at, n int) (inputs []space.Input) {
		for k := range n {
			table := make([]float64, n)
			table[k] = 1
			inputs = append(inputs, space.Input{Index: at + k, Table: table})
		}
		return inputs
	}
	st := &study{space: &space.Space{Inputs: 9, Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 0, Hi: 99, Protected: []float64{20, 30, 40, 50, 60, 70, 80}, Inputs: []space.Input{{Index: 0, Scale: 0.02}}},
		{Name: "hours", Kind: space.Integer, Lo: 0, Hi: 60, Inputs: []space.Input{{Index: 1, Scale: 0.05, Offset: -1}}},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"a", "b", "c", "d"}, Inputs: oneHot(2, 4)},
		{Name: "debt", Kind: space.Real, Lo: -2, Hi: 2, Inputs: []space.Input{{Index: 6, Scale: -1}}},
		{Name: "town", Kind: space.Categorical, Lo: 0, Hi: 4, Categories: []string{"v", "w", "x", "y", "z"}, Inputs: []space.Input{{Index: 7, Scale: 0.5}}},
		{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 8, Scale: 1}}},
	}}}
	rng := rand.New(rand.NewPCG(5, 5))
	st.network = known.Dense(relu.HeadSigmoid, rng.NormFloat64, rng.NormFloat64, 9, 12, 6)
	for range 60 {
		row := make([]float64, len(st.space.Features))
		for i := range row {
			f := &st.space.Features[i]
			row[i] = f.Lo + rng.Float64()*(f.Hi-f.Lo)
			if f.Discrete() {
				row[i] = math.Round(row[i])
			}
		}
		st.rows = append(st.rows, row)
	}
	var err error
	if st.eval, err = evaluate.New(st.network, st.space, st.space.Whole(), twentieth); err != nil {
		panic(err)
	}
	return st
}

func (st *study) options(seed int64) sdk.StartOptions {
	return sdk.StartOptions{
		Seed: seed, Epsilon: twentieth, Region: st.space.Whole(), Rows: st.rows, Model: st.network,
		Chains: 8, Options: map[string]string{"local": "20"},
	}
}

// start opens a session in this process.
func (st *study) start(t *testing.T, o sdk.StartOptions) *chain.Walks[*walk] {
	t.Helper()
	s, err := strategy{}.Start(t.Context(), st.space, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*chain.Walks[*walk])
}

// host answers moves, and requests want at a time.
func (st *study) host(want int) rig.Host { return rig.Host{Answer: st.answer, Want: want} }

func (st *study) answer(m sdk.Move) sdk.Trial {
	if st.refuse != nil && st.refuse(m.Point) {
		return sdk.Trial{Status: sdk.TrialRefused}
	}
	return sdk.Trial{Status: sdk.TrialEvaluated, Point: m.Point, K: st.eval.Evaluate(m.Point).K}
}

// A step of the global phase increases the gap: over many individuals and both kinds of
// features, the gap after a step along the gradient is larger far more often than after a
// step in the opposite direction.
func TestStepsWidenTheGap(t *testing.T) {
	st := mixed()
	gap := func(x []float64) float64 { return st.eval.Evaluate(x).Gap }
	up, down := 0, 0
	w := st.start(t, st.options(1)).All[0]
	for range 500 {
		x := w.domain.Uniform(w.rng)
		o := st.eval.Evaluate(x)
		if o.Gap > 0.9 { // little can be gained
			continue
		}
		clear(w.slopes)
		if w.x = x; w.follow(o.ArgMax, o.ArgMin) && gap(w.x) > o.Gap {
			up++
		}
		clear(w.slopes)
		if w.x = x; w.follow(o.ArgMin, o.ArgMax) && gap(w.x) > o.Gap {
			down++
		}
	}
	if up < 100 || up < 2*down {
		t.Errorf("the gap grew %d times along the gradient and %d times against it", up, down)
	}
}

// Following gradients finds a larger k than as many random rows and individuals.
func TestBeatsChance(t *testing.T) {
	st := mixed()
	for _, local := range []string{"0", "50"} {
		found, chance := 0, 0
		for seed := range int64(5) {
			o := st.options(seed)
			o.Options["local"] = local
			s := st.start(t, o)
			moves := st.host(8).Drive(t, s, 60)
			best, drawn := 0, 0
			g := chain.NewDomain(st.space, o)
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			for _, m := range moves {
				best = max(best, st.eval.Evaluate(m.Point).K)
				drawn = max(drawn, st.eval.Evaluate(g.Row(rng)).K, st.eval.Evaluate(g.Uniform(rng)).K)
			}
			found, chance = found+best, chance+drawn
			if s.Evaluations() < int64(len(moves)-8) {
				t.Errorf("%d evaluations for %d moves", s.Evaluations(), len(moves))
			}
		}
		if found <= chance {
			t.Errorf("local=%s: over five seeds k = %d in all, by chance %d", local, found, chance)
		}
	}
}

// The local phase changes one feature at a time of the best individual.
func TestLocalPhase(t *testing.T) {
	st := mixed()
	o := st.options(2)
	o.Chains = 1
	s := st.start(t, o)
	w := s.All[0]
	perturbed := map[int]int{}
	var told []sdk.Trial
	for range 600 {
		moves, err := s.Next(t.Context(), told, 1)
		if err != nil {
			t.Fatal(err)
		}
		told = []sdk.Trial{{ID: moves[0].ID, Status: sdk.TrialEvaluated}}
		if !w.local {
			continue
		}
		changed := 0
		for i := range w.x {
			if w.x[i] != w.best.x[i] {
				changed++
				perturbed[i]++
			}
		}
		if changed != 1 {
			t.Fatalf("%v differs from %v in %d features", w.x, w.best.x, changed)
		}
	}
	if len(perturbed) != 4 {
		t.Errorf("features perturbed: %v; want all four", perturbed)
	}
}

// The moves depend on the seed, but neither on the number of processors nor on how many
// moves the host requests at a time.
func TestMovesFollowFromTheSeed(t *testing.T) {
	st := mixed()
	st.host(8).SameSeed(t, func() sdk.Strategy { return strategy{} }, st.space, st.options(7), 100)
	many := st.host(8).Drive(t, st.start(t, st.options(7)), 100)
	if diff := cmp.Diff(many, st.host(1).Drive(t, st.start(t, st.options(7)), 800)); diff != "" {
		t.Errorf("eight moves at a time and one differ:\n%s", diff)
	}
}

// No individual is proposed after it was refused, and none kept from a walk was refused.
func TestRefusedIndividualsAreLeftAlone(t *testing.T) {
	st := mixed()
	st.refuse = func(x []float64) bool { return x[2] >= 2 }
	s := st.start(t, st.options(4))
	refused := map[string]int64{}
	accepted := 0
	for _, m := range st.host(8).Drive(t, s, 300) {
		if !st.refuse(m.Point) {
			accepted++
			continue
		}
		round, again := refused[chain.Key(m.Point)]
		if again && round < m.Round { // two walks may come there in one round
			t.Fatalf("%v was proposed in round %d and refused in round %d", m.Point, m.Round, round)
		}
		refused[chain.Key(m.Point)] = m.Round
	}
	for _, w := range s.All {
		if w.best.x != nil && st.refuse(w.best.x) {
			t.Errorf("%v is the best of its walk, though refused", w.best.x)
		}
	}
	if accepted < 300 || len(refused) == 0 {
		t.Errorf("%d moves accepted, %d refused", accepted, len(refused))
	}
}

// If every individual is refused, the search ends.
func TestEndsWhereEverybodyIsRefused(t *testing.T) {
	st := mixed()
	o := st.options(1)
	o.Region = st.space.Whole()
	for _, i := range st.space.Free() {
		o.Region.Box[i] = space.Interval{Lo: 1, Hi: 1}
	}
	s := st.start(t, o)
	moves, err := s.Next(t.Context(), nil, 8)
	if err != nil {
		t.Fatal(err)
	}
	var told []sdk.Trial
	for _, m := range moves {
		told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialRefused})
	}
	if _, err := s.Next(t.Context(), told, 8); !errors.Is(err, io.EOF) {
		t.Errorf("error %v after the only individual was refused, want io.EOF", err)
	}
}

// Rows of two distant groups form two clusters, each complete; equal rows form one.
func TestCluster(t *testing.T) {
	st := mixed()
	var rows [][]float64
	for i := range 40 {
		rows = append(rows, []float64{0, float64(i % 4), 0, -1.9, 0, 0}, []float64{0, float64(60 - i%4), 3, 1.9, 4, 1})
	}
	for seed := range int64(5) {
		clusters := cluster(st.space, rows, 4, seed)
		total := 0
		for _, c := range clusters {
			total += len(c)
			for _, row := range c {
				if row[2] != c[0][2] {
					t.Fatalf("seed %d: %v and %v are in one cluster", seed, row, c[0])
				}
			}
		}
		if total != len(rows) || len(clusters) < 2 {
			t.Errorf("seed %d: %d clusters of %d rows in all", seed, len(clusters), total)
		}
	}
	alike := slices.Repeat(rows[:1], 9)
	if c := cluster(st.space, alike, 4, 1); len(c) != 1 || len(c[0]) != 9 {
		t.Errorf("nine equal rows: %d clusters", len(c))
	}
	if c := cluster(st.space, nil, 4, 1); c != nil {
		t.Errorf("no rows: %v", c)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	rig.Options(t, options, parse, map[string][]string{
		"clusters":   {"", "0", "2.5", "65", "NaN"},
		"iterations": {"0", "-1", "1e9"},
		"momentum":   {"-0.1", "1", "x"},
		"step":       {"0", "1.5", "Inf"},
		"local":      {"-1", "0.5"},
	})
}

func TestTrialsMustBeThoseOfTheMoves(t *testing.T) {
	st := mixed()
	for name, told := range map[string][]sdk.Trial{"none": nil, "another": {{ID: 9}}, "two": {{ID: 1}, {ID: 2}}} {
		s := st.start(t, st.options(1))
		if _, err := s.Next(t.Context(), nil, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(t.Context(), told, 1); err == nil {
			t.Errorf("%s: told of %v after move 1, without an error", name, told)
		}
	}
	o := st.options(1)
	o.Model = nil
	if _, err := (strategy{}).Start(t.Context(), st.space, o); err == nil {
		t.Error("started without a network")
	}
}
