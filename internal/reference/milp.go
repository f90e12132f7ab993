package reference

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// milp is one enumeration: it sets the integer columns one after the other, then chooses
// in each special ordered set the column that may differ from zero. Once all are set, a
// linear program in the continuous columns remains.
type milp struct {
	*meter
	p          *problem.MILP
	o          sdk.SolveOptions
	integer    []int
	continuous []int
	bands      []band // of the continuous columns, then of the rows
	values     []*big.Rat
	zero       []int // by column: how many sets keep it at zero
	sign       int   // +1 to maximise, −1 to minimise, 0 for feasibility

	best      []*big.Rat
	objective *big.Rat // of best, in the problem's own direction
	unbounded bool
	done      bool
}

func solveMILP(m *meter, p *problem.MILP, o sdk.SolveOptions) (*sdk.Result, error) {
	s := &milp{meter: m, p: p, o: o, values: make([]*big.Rat, len(p.Columns)), zero: make([]int, len(p.Columns))}
	for i := range p.Columns {
		c := &p.Columns[i]
		if !c.Integer {
			s.continuous = append(s.continuous, i)
			continue
		}
		if math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) {
			return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete,
				Detail: fmt.Sprintf("integer column %d (%s) has no finite bounds", i, c.Name)}, nil
		}
		s.integer = append(s.integer, i)
	}
	if len(p.Objective.Terms) > 0 {
		s.sign = -1
		if p.Objective.Maximise {
			s.sign = 1
		}
	}
	for _, i := range s.continuous {
		s.bands = append(s.bands, s.band([]problem.Term{{Column: i, Coef: 1}}, p.Columns[i].Lo, p.Columns[i].Hi))
	}
	for _, r := range p.Rows {
		s.bands = append(s.bands, s.band(r.Terms, r.Lo, r.Hi))
	}
	s.set(0)
	return s.result(), nil
}

// set tries every value of the k-th and all later integer columns.
func (s *milp) set(k int) {
	if s.stop() || s.done {
		return
	}
	if k == len(s.integer) {
		s.choose(0)
		return
	}
	i := s.integer[k]
	lo, hi := math.Ceil(s.p.Columns[i].Lo), math.Floor(s.p.Columns[i].Hi)
	for v := 0.0; v <= hi-lo && !s.done && s.reason == sdk.NoReason; v++ {
		at := lo + v
		if s.o.Options["order"] == "down" {
			at = hi - v
		}
		s.values[i] = new(big.Rat).SetFloat64(at)
		s.set(k + 1)
	}
}

// choose tries, for the k-th and each later set, every column as the one that may differ
// from zero.
func (s *milp) choose(k int) {
	if k == len(s.p.SOS1) {
		s.leaf()
		return
	}
	columns := s.p.SOS1[k].Columns
	if len(columns) == 0 {
		s.choose(k + 1)
		return
	}
	for _, free := range columns {
		if s.done || s.stop() {
			return
		}
		possible := true
		for _, c := range columns {
			if c != free {
				s.zero[c]++
				possible = possible && (!s.p.Columns[c].Integer || s.values[c].Sign() == 0)
			}
		}
		if possible {
			s.choose(k + 1)
		}
		for _, c := range columns {
			if c != free {
				s.zero[c]--
			}
		}
	}
}

// leaf completes the integer values with the best continuous ones.
func (s *milp) leaf() {
	rows, ok := s.reduced()
	if !ok {
		return
	}
	c := make([]*big.Rat, len(s.continuous))
	for k := range c {
		c[k] = new(big.Rat)
		for _, t := range s.p.Objective.Terms {
			if t.Column == s.continuous[k] {
				c[k].Mul(new(big.Rat).SetFloat64(t.Coef), big.NewRat(int64(s.sign), 1))
			}
		}
	}
	x, status := maximise(rows, c)
	if status == lpInfeasible {
		return
	}
	point := append(make([]*big.Rat, 0, len(s.values)), s.values...)
	for k, i := range s.continuous {
		point[i] = x[k]
	}
	value := new(big.Rat).SetFloat64(s.p.Objective.Offset)
	for _, t := range s.p.Objective.Terms {
		value.Add(value, new(big.Rat).Mul(new(big.Rat).SetFloat64(t.Coef), point[t.Column]))
	}
	if s.best == nil || value.Cmp(s.objective)*s.sign > 0 {
		s.best, s.objective = point, value
		s.report()
	}
	s.unbounded = s.unbounded || status == lpUnbounded
	s.done = s.sign == 0 || s.unbounded || s.reached()
}

// reached reports whether the incumbent meets the target.
func (s *milp) reached() bool {
	if s.o.Target == nil || s.sign == 0 {
		return false
	}
	target := new(big.Rat).SetFloat64(*s.o.Target)
	return target != nil && s.objective.Cmp(target)*s.sign >= 0
}

// band is lo ≤ a·x + Σ fixed ≤ hi, with x the continuous columns; a limit is nil if it is infinite.
type band struct {
	a, minus []*big.Rat // minus is −a; both are nil if a is zero
	fixed    []problem.Term
	lo, hi   *big.Rat
}

func (s *milp) band(terms []problem.Term, lo, hi float64) band {
	limit := func(v float64) *big.Rat {
		if math.IsInf(v, 0) {
			return nil
		}
		return new(big.Rat).SetFloat64(v)
	}
	out := band{a: zeros(len(s.continuous)), lo: limit(lo), hi: limit(hi)}
	for _, t := range terms {
		if k := slices.Index(s.continuous, t.Column); k >= 0 {
			out.a[k].Add(out.a[k], new(big.Rat).SetFloat64(t.Coef))
		} else {
			out.fixed = append(out.fixed, t)
		}
	}
	if !slices.ContainsFunc(out.a, func(v *big.Rat) bool { return v.Sign() != 0 }) {
		out.a = nil
	}
	for _, v := range out.a {
		out.minus = append(out.minus, new(big.Rat).Neg(v))
	}
	return out
}

// reduced returns the rows that remain for the continuous columns once the integer ones are
// set. ok is false if a row without continuous columns fails, or a column that must be 0
// cannot be.
func (s *milp) reduced() (rows []inequality, ok bool) {
	ok = true
	atMost := func(a []*big.Rat, b *big.Rat) {
		if a != nil {
			rows = append(rows, inequality{a, b})
		} else if b.Sign() < 0 {
			ok = false
		}
	}
	for k, b := range s.bands {
		if k < len(s.continuous) && s.zero[s.continuous[k]] > 0 {
			if b.lo != nil && b.lo.Sign() > 0 || b.hi != nil && b.hi.Sign() < 0 {
				return nil, false
			}
			b.lo, b.hi = new(big.Rat), new(big.Rat)
		}
		fixed := new(big.Rat)
		for _, t := range b.fixed {
			coef := new(big.Rat).SetFloat64(t.Coef)
			fixed.Add(fixed, coef.Mul(coef, s.values[t.Column]))
		}
		if b.lo != nil {
			atMost(b.minus, new(big.Rat).Sub(fixed, b.lo))
		}
		if b.hi != nil {
			atMost(b.a, new(big.Rat).Sub(b.hi, fixed))
		}
	}
	return rows, ok
}

func zeros(n int) []*big.Rat {
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	return out
}

func (s *milp) report() {
	if s.o.Progress == nil {
		return
	}
	objective, _ := s.objective.Float64()
	s.o.Progress(sdk.Progress{Values: numbers(s.best), Objective: objective, Nodes: s.work})
}

func (s *milp) result() *sdk.Result {
	r := &sdk.Result{}
	r.Status, r.Reason = s.conclude(s.best != nil, s.sign != 0, !s.done || s.sign == 0)
	if s.best == nil {
		return r
	}
	r.Values = numbers(s.best)
	r.Objective, _ = s.objective.Float64()
	if s.unbounded {
		r.Status, r.Reason, r.Native = sdk.Feasible, sdk.Other, "unbounded"
		r.Detail = "the objective is unbounded"
	}
	if r.Status == sdk.Optimal {
		r.Bound, r.HasBound = r.Objective, true
	}
	return r
}

func numbers(values []*big.Rat) []problem.Number {
	out := make([]problem.Number, len(values))
	for i, v := range values {
		out[i] = problem.Number{Rat: new(big.Rat).Set(v)}
		if f, exact := v.Float64(); exact {
			out[i] = problem.Number{Float: f}
		}
	}
	return out
}
