package frompb

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Problem converts and validates a problem, so that it may be handed to an
// implementation. Errors wrap sdk.ErrInvalidProblem, or sdk.ErrUnsupported if the
// model's family is not known here.
func Problem(m *problemv1.Problem) (*problem.Problem, error) {
	p, err := form(m)
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		return nil, invalid(err)
	}
	return p, nil
}

// invalid wraps sdk.ErrInvalidProblem around an error, unless the error is that the
// model's family is not known here.
func invalid(err error) error {
	if errors.Is(err, sdk.ErrUnsupported) {
		return err
	}
	return fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
}

func form(m *problemv1.Problem) (p *problem.Problem, err error) {
	p = &problem.Problem{Name: m.GetName()}
	switch f := m.GetForm().(type) {
	case *problemv1.Problem_Network:
		p.Query, err = query(f.Network)
	case *problemv1.Problem_Milp:
		p.MILP, err = milp(f.Milp)
	case *problemv1.Problem_Smt:
		p.SMT, err = script(f.Smt)
	default:
		err = errors.New("problem without a form")
	}
	return p, err
}

func query(m *problemv1.Query) (*problem.Query, error) {
	q := &problem.Query{Notion: fairness.Notion(m.GetNotion()), K: int(m.GetK()), Goal: problem.Goal(m.GetGoal())}
	err := errors.Join(enum(m.GetNotion()), enum(m.GetGoal()))
	if err != nil {
		return nil, err
	}
	if q.Model, err = modelOf(m.GetNetwork(), m.GetOther()); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if q.Space, err = Space(m.Space); err != nil {
		return nil, fmt.Errorf("space: %w", err)
	}
	if q.Model == nil || q.Space == nil {
		return nil, errors.New("query without a model or a space")
	}
	if q.Region, err = Region(m.Region, q.Space); err != nil {
		return nil, err
	}
	if q.Epsilon, err = rat(m.Epsilon); err != nil {
		return nil, fmt.Errorf("epsilon: %w", err)
	}
	if q.Bands, err = bands(m.Bands); err != nil {
		return nil, err
	}
	if q.Relax, err = each(m.Relax, "relaxation", relaxation); err != nil {
		return nil, err
	}
	if q.Require, err = predicates(m.Require, q.Space); err != nil {
		return nil, fmt.Errorf("require: %w", err)
	}
	if q.Forbid, err = predicates(m.Forbid, q.Space); err != nil {
		return nil, fmt.Errorf("forbid: %w", err)
	}
	if q.Within, err = vicinity(m.Within, q.Space); err != nil {
		return nil, fmt.Errorf("within: %w", err)
	}
	if q.Near, err = point(m.Near); err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	if q.Exclude, err = points(m.Exclude); err != nil {
		return nil, fmt.Errorf("exclude: %w", err)
	}
	return q, nil
}

// bands converts the least scores of all bands but the lowest, which begins at 0. Names do
// not cross the wire: the bands are called 0, 1 and so on.
func bands(least []*problemv1.Number) (fairness.Bands, error) {
	if len(least) == 0 {
		return nil, nil
	}
	out := fairness.Bands{{Name: "0", Least: new(big.Rat)}}
	for i, m := range least {
		at, err := rat(m)
		if err != nil || at == nil {
			return nil, fmt.Errorf("band %d: no least score: %w", i+1, cmp.Or(err, errors.New("it is missing")))
		}
		out = append(out, fairness.Band{Name: strconv.Itoa(i + 1), Least: at})
	}
	return out, nil
}

func vicinity(m *problemv1.Vicinity, s *space.Space) (*space.Vicinity, error) {
	if m == nil {
		return nil, nil
	}
	rows, err := points(m.Rows)
	if err != nil {
		return nil, err
	}
	distance, err := rat(m.Distance)
	if err != nil {
		return nil, err
	}
	return space.NewVicinity(s, rows, distance)
}

func relaxation(m *problemv1.Relaxation) (problem.RelaxedFeature, error) {
	r := problem.RelaxedFeature{Feature: int(m.GetFeature()), Tolerance: m.GetTolerance()}
	if !finite(r.Tolerance) {
		return r, fmt.Errorf("tolerance %v: want a finite number", r.Tolerance)
	}
	return r, nil
}

func predicates(list []*problemv1.Predicate, s *space.Space) ([]space.Predicate, error) {
	out, err := each(list, "predicate", predicate)
	for i := 0; err == nil && i < len(out); i++ {
		err = out[i].Validate(s)
	}
	return out, err
}

func milp(m *problemv1.Milp) (*problem.MILP, error) {
	if m.GetObjective() == nil {
		return nil, errors.New("no objective")
	}
	out := &problem.MILP{}
	var err error
	if out.Columns, err = each(m.Columns, "column", column); err != nil {
		return nil, err
	}
	if out.Rows, err = each(m.Rows, "row", row); err != nil {
		return nil, err
	}
	if out.SOS1, err = each(m.Sets, "set", set); err != nil {
		return nil, err
	}
	if out.Objective, err = objective(m.Objective); err != nil {
		return nil, fmt.Errorf("objective: %w", err)
	}
	out.Start, err = start(m.Start)
	return out, err
}

func column(m *problemv1.Column) (problem.Column, error) {
	return problem.Column{
		Name: m.GetName(), Lo: m.GetLo(), Hi: m.GetHi(), Integer: m.GetInteger(),
		Role: problem.Role(m.GetRole()), Priority: int(m.GetPriority()),
	}, enum(m.GetRole())
}

func row(m *problemv1.Row) (problem.Row, error) {
	list, err := terms(m.GetColumns(), m.GetCoefs())
	r := problem.Row{Name: m.GetName(), Lo: m.GetLo(), Hi: m.GetHi(), Terms: list}
	if math.IsInf(r.Lo, 1) || math.IsInf(r.Hi, -1) {
		return r, fmt.Errorf("sides %v to %v allow no finite value", r.Lo, r.Hi)
	}
	return r, err
}

func set(m *problemv1.Set) (problem.SOS1, error) {
	s := problem.SOS1{Name: m.GetName()}
	for _, c := range m.GetColumns() {
		s.Columns = append(s.Columns, int(c))
	}
	return s, nil
}

func objective(m *problemv1.Objective) (problem.Objective, error) {
	list, err := terms(m.GetColumns(), m.GetCoefs())
	return problem.Objective{Maximise: m.GetMaximise(), Offset: m.GetOffset(), Terms: list}, err
}

func terms(columns []int32, coefs []float64) ([]problem.Term, error) {
	if len(columns) != len(coefs) {
		return nil, fmt.Errorf("%d columns with %d coefficients: want equally many", len(columns), len(coefs))
	}
	if len(columns) == 0 {
		return nil, nil
	}
	out := make([]problem.Term, len(columns))
	for i, c := range columns {
		out[i] = problem.Term{Column: int(c), Coef: coefs[i]}
	}
	return out, nil
}

// start allows NaN, which stands for "no start value here".
func start(m *problemv1.Start) ([]float64, error) {
	if m == nil {
		return nil, nil
	}
	for i, v := range m.Values {
		if math.IsInf(v, 0) {
			return nil, fmt.Errorf("start value %d is %v, want a finite number or NaN", i, v)
		}
	}
	return append([]float64{}, m.Values...), nil
}

func script(m *problemv1.Script) (*problem.Script, error) {
	symbols, err := each(m.GetSymbols(), "symbol", func(y *problemv1.Symbol) (problem.Symbol, error) {
		return problem.Symbol{Name: y.GetName(), Sort: y.GetSort(), Role: problem.Role(y.GetRole())}, enum(y.GetRole())
	})
	return &problem.Script{
		Text: m.GetText(), Symbols: symbols, Objective: m.GetObjective(), Maximise: m.GetMaximise(),
	}, err
}

// Delta converts a delta; problem.Stack checks whether it fits the problem. Errors
// wrap sdk.ErrInvalidProblem.
func Delta(m *problemv1.Delta) (problem.Delta, error) {
	d, err := delta(m)
	if err != nil {
		return problem.Delta{}, fmt.Errorf("%w: delta: %w", sdk.ErrInvalidProblem, err)
	}
	return d, nil
}

// maxLevels bounds the pushes of one delta, each of which costs a copy.
const maxLevels = 1 << 10

func delta(m *problemv1.Delta) (d problem.Delta, err error) {
	d = problem.Delta{Pop: int(m.GetPop()), Push: int(m.GetPush()), Assert: m.GetAssert()}
	if d.Pop < 0 || d.Push < 0 || d.Push > maxLevels {
		return d, fmt.Errorf("pop %d and push %d: want 0 or more, and at most %d to push", d.Pop, d.Push, maxLevels)
	}
	d.ColumnBounds, err = each(m.GetColumnBounds(), "bound", func(b *problemv1.ColumnBound) (problem.ColumnBound, error) {
		return problem.ColumnBound{Column: int(b.GetColumn()), Lo: b.GetLo(), Hi: b.GetHi()}, nil
	})
	if err != nil {
		return d, err
	}
	if d.Rows, err = each(m.GetRows(), "row", row); err != nil {
		return d, err
	}
	if m.GetObjective() != nil {
		o, err := objective(m.Objective)
		if err != nil {
			return d, fmt.Errorf("objective: %w", err)
		}
		d.Objective = &o
	}
	d.Start, err = start(m.GetStart())
	return d, err
}
