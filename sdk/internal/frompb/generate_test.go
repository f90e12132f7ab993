package frompb_test

import (
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/linear"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Generators of everything that travels. What they make is valid: a receiver
// must accept it and see just the same.

func draw[T any](t *rapid.T, g *rapid.Generator[T]) T { return g.Draw(t, "") }

func below(t *rapid.T, n int) int { return draw(t, rapid.IntRange(0, n-1)) }

func float(t *rapid.T) float64 {
	return draw(t, rapid.OneOf(rapid.Float64Range(-1e3, 1e3), rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), rapid.Just(math.Copysign(0, -1))))
}

func floats(t *rapid.T, n int) []float64 { return list(t, n, n, float) }

func list[T any](t *rapid.T, least, most int, one func(*rapid.T) T) []T {
	n := draw(t, rapid.IntRange(least, most))
	if n == 0 {
		return nil
	}
	out := make([]T, n)
	for i := range out {
		out[i] = one(t)
	}
	return out
}

func maybe[T any](t *rapid.T, one func(*rapid.T) T) (out T) {
	if draw(t, rapid.Bool()) {
		out = one(t)
	}
	return out
}

func text(t *rapid.T) string { return draw(t, rapid.String()) }

// words are what a plugin says in a line: others are received with U+FFFD in place of what is no part of one.
func words(t *rapid.T) string {
	return draw(t, rapid.StringOf(rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs)))
}

func options(t *rapid.T) map[string]string {
	return maybe(t, func(t *rapid.T) map[string]string {
		return draw(t, rapid.MapOfN(rapid.String(), rapid.String(), 1, 3))
	})
}

func rational(t *rapid.T) *big.Rat {
	num := new(big.Int).SetBytes(draw(t, rapid.SliceOfN(rapid.Byte(), 0, 40)))
	den := new(big.Int).SetBytes(append([]byte{1}, draw(t, rapid.SliceOfN(rapid.Byte(), 0, 40))...))
	if draw(t, rapid.Bool()) {
		num.Neg(num)
	}
	return new(big.Rat).SetFrac(num, den)
}

func number(t *rapid.T) problem.Number {
	if draw(t, rapid.Bool()) {
		return problem.Number{Rat: rational(t)}
	}
	return problem.Number{Float: float(t)}
}

// values may be nil, empty or not: all three differ.
func values(t *rapid.T) []problem.Number {
	return maybe(t, func(t *rapid.T) []problem.Number { return append([]problem.Number{}, list(t, 0, 5, number)...) })
}

func net(t *rapid.T, inputs int) *relu.Network {
	n := &relu.Network{Head: relu.Head(1 + below(t, 3)), Precision: 32 * (1 + below(t, 2))}
	widths := append(list(t, 0, 2, func(t *rapid.T) int { return 1 + below(t, 3) }), 1)
	if n.Head == relu.HeadSoftmax {
		widths[len(widths)-1] = 2
	}
	for i, out := range widths {
		n.Layers = append(n.Layers, relu.Layer{
			Name: text(t), In: inputs, Out: out, ReLU: i < len(widths)-1,
			Weights: floats(t, inputs*out), Bias: floats(t, out),
		})
		inputs = out
	}
	return n
}

// anyModel is a network, or a model that is sent encoded.
func anyModel(t *rapid.T, inputs int) model.Model {
	if draw(t, rapid.Bool()) {
		return net(t, inputs)
	}
	return &linear.Unit{Weights: floats(t, inputs), Bias: float(t)}
}

func people(t *rapid.T) *space.Space {
	s := &space.Space{}
	for i := range 1 + below(t, 3) {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Kind(1 + below(t, 3))}
		switch f.Kind {
		case space.Integer:
			f.Lo = float64(below(t, 100) - 50)
			f.Hi = f.Lo + float64(below(t, 4))
		case space.Categorical:
			f.Categories = []string{"x", "y", "z"}[:1+below(t, 3)]
			f.Hi = float64(len(f.Categories) - 1)
		case space.Real:
			f.Lo = draw(t, rapid.Float64Range(-10, 0))
			f.Hi = draw(t, rapid.Float64Range(0, 10))
		}
		if f.Kind != space.Real && draw(t, rapid.Bool()) {
			for v := f.Lo; v <= f.Hi; v++ {
				f.Protected = append(f.Protected, v)
			}
		}
		for range below(t, 3) {
			in := space.Input{Index: s.Inputs, Scale: float(t), Offset: float(t)}
			if f.Kind != space.Real && draw(t, rapid.Bool()) {
				in = space.Input{Index: s.Inputs, Table: floats(t, int(f.Hi-f.Lo)+1)}
			}
			f.Inputs = append(f.Inputs, in)
			s.Inputs++
		}
		s.Features = append(s.Features, f)
	}
	if s.Inputs == 0 {
		s.Features[0].Inputs = []space.Input{{Scale: 1}}
		s.Inputs = 1
	}
	s.Forbidden = list(t, 0, 2, func(t *rapid.T) space.Predicate { return predicate(t, s, 1) })
	return s
}

func predicate(t *rapid.T, s *space.Space, least int) space.Predicate {
	return list(t, least, 2, func(t *rapid.T) space.Condition {
		i := below(t, len(s.Features))
		c := space.Condition{Feature: i}
		if s.Features[i].Kind == space.Categorical && draw(t, rapid.Bool()) {
			c.Set = []int{}
			for v := range s.Features[i].Categories {
				if draw(t, rapid.Bool()) {
					c.Set = append(c.Set, v)
				}
			}
			return c
		}
		c.Interval = space.Interval{Lo: orInfinite(t, -1), Hi: orInfinite(t, 1)}
		return c
	})
}

func orInfinite(t *rapid.T, sign int) float64 {
	if draw(t, rapid.Bool()) {
		return math.Inf(sign)
	}
	return float(t)
}

func region(t *rapid.T, s *space.Space) space.Region {
	return maybe(t, func(*rapid.T) space.Region {
		r := s.Whole().Clone()
		for i := range r.Values {
			if r.Values[i] != nil {
				r.Values[i] = r.Values[i][below(t, len(r.Values[i])):]
			}
		}
		return r
	})
}

func query(t *rapid.T) *problem.Query {
	s := people(t)
	predicates := func(t *rapid.T) []space.Predicate {
		return list(t, 0, 2, func(t *rapid.T) space.Predicate { return predicate(t, s, 0) })
	}
	point := func(t *rapid.T) []float64 { return floats(t, len(s.Features)) }
	q := &problem.Query{
		Model: anyModel(t, s.Inputs), Space: s, Region: region(t, s),
		Notion:  fairness.Notions[below(t, len(fairness.Notions))],
		K:       []int{0, 2, 3, 20}[below(t, 4)],
		Goal:    problem.Goals[below(t, len(problem.Goals))],
		Require: predicates(t), Forbid: predicates(t),
		Near: maybe(t, point), Exclude: list(t, 0, 2, point),
	}
	if q.Notion.UsesEpsilon() || draw(t, rapid.Bool()) {
		q.Epsilon = big.NewRat(int64(1+below(t, 99)), 100)
	}
	if q.Notion.Binned() && q.Goal != problem.Maximise && q.Goal != problem.Minimise {
		q.Bands = maybe(t, bands)
	}
	if free := s.Free(); len(free) > 0 {
		q.Relax = list(t, 0, 2, func(t *rapid.T) problem.RelaxedFeature {
			return problem.RelaxedFeature{Feature: free[below(t, len(free))], Tolerance: math.Abs(float(t))}
		})
	}
	return q
}

func bands(t *rapid.T) fairness.Bands {
	out := fairness.Bands{{Name: "0", Least: new(big.Rat)}}
	for i := range 1 + below(t, 3) {
		out = append(out, fairness.Band{Name: strconv.Itoa(i + 1), Least: big.NewRat(int64(100*i+1+below(t, 99)), 1000)})
	}
	return out
}

func terms(t *rapid.T, columns int) []problem.Term {
	var out []problem.Term
	for i := range columns {
		if draw(t, rapid.Bool()) {
			out = append(out, problem.Term{Column: i, Coef: float(t)})
		}
	}
	return out
}

// sides are bounds of a column or a row, ordered, perhaps infinite.
func sides(t *rapid.T) (lo, hi float64) {
	lo, hi = float(t), float(t)
	if lo > hi {
		lo, hi = hi, lo
	}
	if draw(t, rapid.Bool()) {
		lo = math.Inf(-1)
	}
	if draw(t, rapid.Bool()) {
		hi = math.Inf(1)
	}
	return lo, hi
}

func row(t *rapid.T, columns int) problem.Row {
	lo, hi := sides(t)
	return problem.Row{Name: text(t), Lo: lo, Hi: hi, Terms: terms(t, columns)}
}

func objective(t *rapid.T, columns int) problem.Objective {
	return problem.Objective{Maximise: draw(t, rapid.Bool()), Offset: float(t), Terms: terms(t, columns)}
}

func startValues(t *rapid.T, columns int) []float64 {
	out := make([]float64, columns)
	for i := range out {
		out[i] = math.NaN()
		if draw(t, rapid.Bool()) {
			out[i] = float(t)
		}
	}
	return out
}

func role(t *rapid.T) problem.Role { return problem.RoleOther + problem.Role(below(t, 6)) }

func milp(t *rapid.T) *problem.MILP {
	m := &problem.MILP{}
	m.Columns = list(t, 0, 4, func(t *rapid.T) problem.Column {
		lo, hi := sides(t)
		return problem.Column{Name: text(t), Lo: lo, Hi: hi, Integer: draw(t, rapid.Bool()), Role: role(t), Priority: draw(t, rapid.Int())}
	})
	n := len(m.Columns)
	m.Rows = list(t, 0, 3, func(t *rapid.T) problem.Row { return row(t, n) })
	m.SOS1 = list(t, 0, 2, func(t *rapid.T) problem.SOS1 { return set(t, n) })
	m.Objective = objective(t, n)
	m.Start = maybe(t, func(t *rapid.T) []float64 { return startValues(t, n) })
	return m
}

func set(t *rapid.T, columns int) problem.SOS1 {
	s := problem.SOS1{Name: text(t)}
	for c := range columns {
		if draw(t, rapid.Bool()) {
			s.Columns = append(s.Columns, c)
		}
	}
	return s
}

func script(t *rapid.T) *problem.Script {
	return &problem.Script{
		Text: "(assert true)" + text(t),
		Symbols: list(t, 0, 3, func(t *rapid.T) problem.Symbol {
			return problem.Symbol{Name: "s" + text(t), Sort: []string{"Int", "Real", "Bool"}[below(t, 3)], Role: role(t)}
		}),
		Objective: text(t), Maximise: draw(t, rapid.Bool()),
	}
}

func anyProblem(t *rapid.T) *problem.Problem {
	p := &problem.Problem{Name: text(t)}
	switch below(t, 3) {
	case 0:
		p.Query = query(t)
	case 1:
		p.MILP = milp(t)
	case 2:
		p.SMT = script(t)
	}
	return p
}

func delta(t *rapid.T) problem.Delta {
	d := problem.Delta{
		Pop: below(t, 5), Push: below(t, 5), Assert: text(t),
		ColumnBounds: list(t, 0, 3, func(t *rapid.T) problem.ColumnBound {
			lo, hi := sides(t)
			return problem.ColumnBound{Column: below(t, 9), Lo: lo, Hi: hi}
		}),
		Rows:  list(t, 0, 3, func(t *rapid.T) problem.Row { return row(t, 4) }),
		Start: maybe(t, func(t *rapid.T) []float64 { return startValues(t, 3) }),
	}
	if draw(t, rapid.Bool()) {
		o := objective(t, 4)
		d.Objective = &o
	}
	return d
}

func description(t *rapid.T) sdk.Description {
	return sdk.Description{
		Name: "n" + words(t), Version: words(t), Summary: words(t),
		Options: list(t, 0, 2, func(t *rapid.T) sdk.Option {
			return sdk.Option{Name: words(t), Default: words(t), Help: words(t)}
		}),
		Libraries: list(t, 0, 2, func(t *rapid.T) sdk.Library {
			return sdk.Library{Name: words(t), Found: draw(t, rapid.Bool()), Version: words(t), Path: words(t), Hint: words(t), Problem: words(t)}
		}),
		Interpreter: maybe(t, func(t *rapid.T) *sdk.Interpreter {
			return &sdk.Interpreter{Version: text(t), Path: text(t), Folders: list(t, 0, 2, text)}
		}),
	}
}

func solverDescription(t *rapid.T) sdk.Description {
	d := description(t)
	d.Serves = list(t, 0, 3, func(t *rapid.T) sdk.Service {
		return sdk.Service{Form: problem.Forms[below(t, 3)], Goal: problem.Goals[below(t, 6)]}
	})
	d.Exactness = sdk.GradeExact + sdk.Grade(below(t, 3))
	d.Concurrent, d.SOS1, d.Bands, d.Families = draw(t, rapid.Bool()), draw(t, rapid.Bool()), draw(t, rapid.Bool()), list(t, 0, 2, text)
	return d
}

func strategyDescription(t *rapid.T) sdk.Description {
	d := description(t)
	d.Presets = list(t, 0, 2, func(t *rapid.T) sdk.Preset {
		return sdk.Preset{Name: "p" + words(t), Summary: words(t), Options: options(t)}
	})
	d.NeedsScores, d.NeedsBins, d.NeedsPair = draw(t, rapid.Bool()), draw(t, rapid.Bool()), draw(t, rapid.Bool())
	d.NeedsModel, d.NeedsRows, d.Lag = draw(t, rapid.Bool()), draw(t, rapid.Bool()), below(t, 9)
	d.Families = list(t, 0, 2, text)
	return d
}

func nonNegative(t *rapid.T) int64 { return draw(t, rapid.Int64Range(0, math.MaxInt64)) }

func solveOptions(t *rapid.T) sdk.SolveOptions {
	o := sdk.SolveOptions{
		Seed: draw(t, rapid.Int64()), Threads: below(t, 99), Memory: nonNegative(t),
		TimeLimit: time.Duration(nonNegative(t)), WorkLimit: nonNegative(t),
		Gap: math.Abs(float(t)), Options: options(t), Proofs: draw(t, rapid.Bool()),
	}
	if draw(t, rapid.Bool()) {
		target := orInfinite(t, 1)
		o.Target = &target
	}
	return o
}

func bound(t *rapid.T) (float64, bool) {
	if draw(t, rapid.Bool()) {
		return 0, false
	}
	return orInfinite(t, -1), true
}

func progress(t *rapid.T) sdk.Progress {
	p := sdk.Progress{Values: values(t), Objective: float(t), Nodes: draw(t, rapid.Int64()), Elapsed: time.Duration(nonNegative(t)), Settled: draw(t, rapid.Float64Range(0, 1))}
	p.Shares = maybe(t, shares)
	p.Bound, p.HasBound = bound(t)
	return p
}

func result(t *rapid.T) *sdk.Result {
	r := &sdk.Result{
		Status: sdk.Statuses[below(t, len(sdk.Statuses))], Reason: sdk.Reasons[below(t, len(sdk.Reasons))],
		Native: words(t), Detail: words(t), Values: values(t), Objective: float(t),
		Tolerance: math.Abs(float(t)), Nodes: draw(t, rapid.Int64()), Elapsed: time.Duration(nonNegative(t)),
	}
	r.Bound, r.HasBound = bound(t)
	r.Shares = maybe(t, shares)
	r.Witness = maybe(t, func(t *rapid.T) *sdk.Witness {
		return &sdk.Witness{Copy1: floats(t, 3), Copy2: floats(t, 3)}
	})
	return r
}

func shares(t *rapid.T) *sdk.Shares {
	den := 1 + draw(t, rapid.Int64Range(0, math.MaxInt64-1))
	fair := draw(t, rapid.Int64Range(0, den))
	return &sdk.Shares{
		Fair: big.NewRat(fair, den), Unfair: big.NewRat(draw(t, rapid.Int64Range(0, den-fair)), den),
		Individuals: maybe(t, count), Boxes: nonNegative(t),
	}
}

func count(t *rapid.T) *big.Int {
	return new(big.Int).SetBytes(draw(t, rapid.SliceOfN(rapid.Byte(), 0, 40)))
}

func piece(t *rapid.T) sdk.Piece {
	return sdk.Piece{
		Box: append(space.Box{}, list(t, 0, 3, func(t *rapid.T) space.Interval {
			lo, hi := float(t), float(t)
			return space.Interval{Lo: math.Min(lo, hi), Hi: math.Max(lo, hi)}
		})...),
		Claim: sdk.PieceClaims[below(t, len(sdk.PieceClaims))],
		Fair:  maybe(t, count), Unfair: maybe(t, count), Proof: maybe(t, proof),
	}
}

func proof(t *rapid.T) *sdk.Proof {
	return &sdk.Proof{Enumerated: draw(t, rapid.Bool()), Copies: list(t, 0, 3, func(t *rapid.T) sdk.CopyProof {
		lo, hi := sides(t)
		return sdk.CopyProof{
			Protected: append([]float64{}, list(t, 0, 2, float)...), Logit: space.Interval{Lo: lo, Hi: hi},
			Slopes: list(t, 0, 3, func(t *rapid.T) sdk.Slope {
				return sdk.Slope{Layer: below(t, 9), Neuron: below(t, 99), Value: draw(t, rapid.Float64Range(0, 1))}
			}),
			Joint: list(t, 0, 3, func(t *rapid.T) sdk.JointSlope {
				return sdk.JointSlope{Layer: below(t, 9), Neuron: below(t, 99), Own: float(t), Other: float(t)}
			}),
			Up: draw(t, rapid.Float64Range(0, 1)), Down: draw(t, rapid.Float64Range(0, 1)),
		}
	}), Cases: list(t, 0, 2, func(t *rapid.T) sdk.CaseProof {
		return sdk.CaseProof{First: caseSide(t), Second: caseSide(t), Bin: below(t, 20), Steps: list(t, 0, 4, func(t *rapid.T) sdk.CaseStep {
			switch below(t, 3) {
			case 0:
				return sdk.CaseStep{Kind: sdk.CaseReLU, ReLU: below(t, 9)}
			case 1:
				return sdk.CaseStep{Kind: sdk.CaseCut, Feature: below(t, 9), At: float(t)}
			}
			return sdk.CaseStep{Kind: sdk.CaseEnd, Up: draw(t, rapid.Float64Range(0, 9)), Down: draw(t, rapid.Float64Range(0, 9)), Slopes: list(t, 0, 3, float)}
		})}
	})}
}

func caseSide(t *rapid.T) sdk.CaseSide {
	return sdk.CaseSide{
		Copies:  list(t, 0, 3, func(t *rapid.T) int { return below(t, 99) }),
		Neurons: list(t, 0, 3, func(t *rapid.T) sdk.Neuron { return sdk.Neuron{Layer: below(t, 9), Index: below(t, 99)} }),
	}
}

func startOptions(t *rapid.T, s *space.Space) sdk.StartOptions {
	return sdk.StartOptions{
		Seed: draw(t, rapid.Int64()), Epsilon: maybe(t, rational), Region: region(t, s),
		Model: maybe(t, func(t *rapid.T) model.Model { return anyModel(t, s.Inputs) }), Options: options(t),
		Chains: below(t, 99), Bands: maybe(t, bands),
	}
}

func trial(t *rapid.T) sdk.Trial {
	return sdk.Trial{
		ID: draw(t, rapid.Int64()), Status: sdk.TrialStatuses[below(t, len(sdk.TrialStatuses))],
		Point: list(t, 0, 3, float), K: below(t, 99), Gap: float(t), Violates: draw(t, rapid.Bool()),
		Shannon: float(t), MinEntropy: float(t),
		Scores: list(t, 0, 3, float), Bins: list(t, 0, 3, func(t *rapid.T) int { return below(t, 99) }),
		Highest: list(t, 0, 3, float), Lowest: list(t, 0, 3, float),
	}
}

func move(t *rapid.T) sdk.Move {
	return sdk.Move{
		ID: draw(t, rapid.Int64()), Round: draw(t, rapid.Int64()), Chain: below(t, 99),
		Kind: sdk.MovePoint + sdk.MoveKind(below(t, 2)), Point: list(t, 0, 3, float),
	}
}
