package main

import (
	"errors"
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/rig"
	"github.com/hyfair/hyfair/sdk/space"
)

var twentieth = big.NewRat(1, 20)

// study is a random network over a space small enough to enumerate.
type study struct {
	space   *space.Space
	network *relu.Network
	rows    [][]float64
	eval    *evaluate.Evaluator
	refuse  func(x []float64) bool
}

// grid has the given number of free features with the given number of values,
// and 24 counterfactuals.
func grid(free, values int) *study {
	st := &study{space: &space.Space{Inputs: free + 2}}
	add := func(f space.Feature) {
		f.Inputs = []space.Input{{Index: len(st.space.Features), Scale: 1 / f.Hi}}
		st.space.Features = append(st.space.Features, f)
	}
	add(space.Feature{Name: "age", Kind: space.Integer, Lo: 0, Hi: 11, Protected: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}})
	for i := range free {
		add(space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Lo: 0, Hi: float64(values - 1)})
	}
	add(space.Feature{Name: "sex", Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{0, 1}})
	rng := rand.New(rand.NewPCG(7, 7))
	in := st.space.Inputs
	st.network = &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	for _, out := range []int{8, 1} {
		l := relu.Layer{In: in, Out: out, ReLU: out > 1}
		for range in * out {
			l.Weights = append(l.Weights, 2*rng.NormFloat64())
		}
		for range out {
			l.Bias = append(l.Bias, rng.NormFloat64())
		}
		st.network.Layers = append(st.network.Layers, l)
		in = out
	}
	for range 20 {
		row := make([]float64, len(st.space.Features))
		for i := range row {
			row[i] = float64(rng.IntN(int(st.space.Features[i].Hi) + 1))
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
	return sdk.StartOptions{Seed: seed, Epsilon: twentieth, Region: st.space.Whole(), Rows: st.rows, Model: st.network}
}

// start opens a session in this process.
func (st *study) start(t *testing.T, o sdk.StartOptions) *session {
	t.Helper()
	s, err := strategy{}.Start(t.Context(), st.space, o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*session)
}

// host answers moves, and requests want at a time.
func (st *study) host(want int) rig.Host { return rig.Host{Answer: st.answer, Want: want} }

func (st *study) answer(m sdk.Move) sdk.Trial {
	if st.refuse != nil && st.refuse(m.Point) {
		return sdk.Trial{Status: sdk.TrialRefused}
	}
	o := st.eval.Evaluate(m.Point)
	return sdk.Trial{Status: sdk.TrialEvaluated, Point: m.Point, K: o.K, Gap: o.Gap, Violates: o.Violates}
}

// each visits all individuals.
func (st *study) each(visit func(x []float64)) {
	free := st.space.Free()
	x := make([]float64, len(st.space.Features))
	for {
		visit(x)
		at := 0
		for ; at < len(free) && x[free[at]] == st.space.Features[free[at]].Hi; at++ {
			x[free[at]] = 0
		}
		if at == len(free) {
			return
		}
		x[free[at]]++
	}
}

func (st *study) height(x []float64) chain.Rank {
	o := st.eval.Evaluate(x)
	return chain.Rank{K: o.K, Shannon: o.Shannon}
}

// The climb finds the largest k, known from an enumeration of all 32,768 individuals,
// with a fraction of the evaluations.
func TestFindsTheLargestK(t *testing.T) {
	st := grid(5, 8)
	most := 0
	st.each(func(x []float64) { most = max(most, st.eval.Evaluate(x).K) })
	if most < 4 {
		t.Fatalf("the largest k is %d; that is no test", most)
	}
	for seed := range int64(5) {
		for _, rows := range [][][]float64{st.rows, nil} {
			o := st.options(seed)
			o.Rows = rows
			s := st.start(t, o)
			found := 0
			for _, m := range st.host(8).Drive(t, s, 80) {
				found = max(found, st.eval.Evaluate(m.Point).K)
			}
			if found != most || s.Evaluations() > 32768/2 {
				t.Errorf("seed %d, %d rows: k = %d of %d in %d evaluations", seed, len(rows), found, most, s.Evaluations())
			}
		}
	}
}

// A climb that leaves an individual without an improvement was at a local optimum: no
// change of a single feature is better.
func TestTopsAreTops(t *testing.T) {
	st := grid(4, 8)
	s := st.start(t, st.options(3))
	tops, steps := 0, 0
	var told []sdk.Trial
	for range 300 {
		moves, err := s.Next(t.Context(), told, 8)
		if err != nil {
			t.Fatal(err)
		}
		told = nil
		for _, m := range moves {
			told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point})
			c := s.All[m.Chain]
			if c.reached.nowhere() {
				if before := c.before; !before.nowhere() {
					steps++
					if changed := differ(before.x, m.Point); changed != 1 || st.height(m.Point).Compare(st.height(before.x)) <= 0 {
						t.Fatalf("a step from %v to %v changes %d features and k from %d to %d", before.x, m.Point, changed, before.K, st.height(m.Point).K)
					}
				}
				continue
			}
			tops++
			for _, i := range st.space.Free() {
				x := slices.Clone(c.reached.x)
				for x[i] = 0; x[i] <= st.space.Features[i].Hi; x[i]++ {
					if st.height(x).Compare(st.height(c.reached.x)) > 0 {
						t.Fatalf("%v was taken for a local optimum; %v is higher", c.reached.x, x)
					}
				}
			}
		}
	}
	if tops < 100 || steps < 100 {
		t.Errorf("%d tops and %d steps up in 300 rounds of 8 climbs", tops, steps)
	}
	for i, optimum := range s.terrain.optima {
		if i > 0 && optimum.Compare(s.terrain.optima[i-1].Rank) > 0 {
			t.Errorf("optimum %d is higher than the one before", i)
		}
	}
}

// If the host asks for more moves than climbs make, individuals as good as the best local optimum
// are added: each once, without further evaluations.
func TestOthersComeAlong(t *testing.T) {
	st := grid(3, 40)
	one, many := st.start(t, st.options(6)), st.start(t, st.options(6))
	best, others, all := 0, 0, map[string]bool{}
	evaluated := func(moves []sdk.Move) (told []sdk.Trial) {
		for _, m := range moves {
			told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated})
		}
		return told
	}
	var steps, moves []sdk.Move
	for range 100 {
		var err error
		if steps, err = one.Next(t.Context(), evaluated(steps), 8); err != nil {
			t.Fatal(err)
		}
		if moves, err = many.Next(t.Context(), evaluated(moves), 64); err != nil {
			t.Fatal(err)
		}
		perClimb := map[int]int{}
		for _, m := range moves {
			if perClimb[m.Chain]++; perClimb[m.Chain] > 1 {
				others++
				if all[chain.Key(m.Point)] || st.height(m.Point).K < best {
					t.Fatalf("%v with k = %d came along, known: %v; the best optimum has %d", m.Point, st.height(m.Point).K, all[chain.Key(m.Point)], best)
				}
			} else if !slices.Equal(m.Point, steps[m.Chain].Point) {
				t.Fatalf("climb %d goes to %v, and to %v where fewer are wanted", m.Chain, m.Point, steps[m.Chain].Point)
			}
			all[chain.Key(m.Point)] = true
		}
		if len(many.terrain.optima) > 0 {
			best = many.terrain.optima[0].K
		}
	}
	if one.Evaluations() != many.Evaluations() || others < 20 {
		t.Errorf("%d individuals came along, with %d evaluations in place of %d", others, many.Evaluations(), one.Evaluations())
	}
}

// Climbs also search a network so large that a step has evaluations for one feature only:
// a climb in the middle of a step hands over the best so far.
func TestStepsAreBounded(t *testing.T) {
	st := grid(4, 8)
	s := st.start(t, st.options(3))
	s.terrain.share = 1
	before := s.Evaluations()
	var told []sdk.Trial
	for round := range 200 {
		moves, err := s.Next(t.Context(), told, 8)
		if err != nil || len(moves) != 8 {
			t.Fatalf("round %d: %d moves, error %v", round, len(moves), err)
		}
		told = nil
		for _, m := range moves {
			told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point})
		}
		if n := s.Evaluations(); round > 0 && n-before > 8*(7+32) {
			t.Fatalf("round %d: %d evaluations by 8 climbs, more than along a feature of 8 values and for a start", round, n-before)
		}
		before = s.Evaluations()
	}
	if len(s.terrain.optima) == 0 {
		t.Error("no local optimum was reached in 200 rounds")
	}
}

func differ(a, b []float64) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// The moves depend on the seed, but neither on the number of processors nor on how many
// moves the host requests at a time.
func TestMovesFollowFromTheSeed(t *testing.T) {
	st := grid(4, 8)
	st.host(8).SameSeed(t, func() sdk.Strategy { return strategy{} }, st.space, st.options(7), 100)
	many := st.host(8).Drive(t, st.start(t, st.options(7)), 100)
	if diff := cmp.Diff(many, st.host(1).Drive(t, st.start(t, st.options(7)), 800)); diff != "" {
		t.Errorf("eight moves at a time and one differ:\n%s", diff)
	}
}

// A guard refuses the individuals with the largest k. No individual is refused twice, and
// the largest k elsewhere is found.
func TestRefusedIndividualsAreLeftAlone(t *testing.T) {
	st := grid(4, 8)
	st.refuse = func(x []float64) bool { return x[1] >= 4 }
	most := 0
	st.each(func(x []float64) {
		if !st.refuse(x) {
			most = max(most, st.eval.Evaluate(x).K)
		}
	})
	refused, found := map[string]int64{}, 0
	for _, m := range st.host(8).Drive(t, st.start(t, st.options(2)), 200) {
		if !st.refuse(m.Point) {
			found = max(found, st.eval.Evaluate(m.Point).K)
		} else if round, again := refused[chain.Key(m.Point)]; !again {
			refused[chain.Key(m.Point)] = m.Round
		} else if round < m.Round { // two climbs may come there in one round
			t.Errorf("%v was proposed in round %d and refused in round %d", m.Point, m.Round, round)
		}
	}
	if found != most || len(refused) == 0 {
		t.Errorf("k = %d of %d found, %d individuals refused", found, most, len(refused))
	}
}

// If every individual is refused, the search ends.
func TestEndsWhereEverybodyIsRefused(t *testing.T) {
	st := grid(1, 3)
	s := st.start(t, st.options(1))
	var told []sdk.Trial
	for range 100 {
		moves, err := s.Next(t.Context(), told, 8)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		told = nil
		for _, m := range moves {
			told = append(told, sdk.Trial{ID: m.ID, Status: sdk.TrialRefused})
		}
	}
	t.Error("all three individuals are refused, and the search goes on")
}

func TestOptionsAreChecked(t *testing.T) {
	rig.Options(t, options, parse, map[string][]string{
		"climbs":   {"", "0", "2.5", "1025", "NaN"},
		"draws":    {"0", "-1", "1e9"},
		"values":   {"1", "x"},
		"kick":     {"0", "Inf"},
		"patience": {"-1", "0.5"},
		"mix":      {"-0.1", "1.1", "NaN"},
	})
}

func TestTrialsMustBeThoseOfTheMoves(t *testing.T) {
	st := grid(2, 4)
	for name, told := range map[string][]sdk.Trial{"none": nil, "another": {{ID: 9}}, "two": {{ID: 1}, {ID: 2}}} {
		s := st.start(t, st.options(1))
		if _, err := s.Next(t.Context(), nil, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(t.Context(), told, 1); err == nil {
			t.Errorf("%s: told of %v after move 1, without an error", name, told)
		}
	}
	if _, err := st.start(t, st.options(1)).Next(t.Context(), nil, 0); err == nil {
		t.Error("no move is wanted, and there is no error")
	}
	o := st.options(1)
	o.Model = nil
	if _, err := (strategy{}).Start(t.Context(), st.space, o); err == nil {
		t.Error("started without a network")
	}
}
