package lpsolve

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/native"
)

// Infinity is the least number that lp_solve treats as infinite.
const Infinity = 1e30

// Kinds of rows (lp_lib.h).
const (
	atMost  = 1
	atLeast = 2
	equal   = 3
)

// Problem is a MILP to minimise. Columns are in the order in which lp_solve is to branch.
// Infinite bounds and sides are ±Inf; every row has at least one finite side.
type Problem struct {
	Cost    []float64
	Lo, Hi  []float64
	Integer []bool
	Rows    []Row
	// Sets lists columns of which at most one may be nonzero. lp_solve needs their lower
	// bounds to be 0 and their upper bounds finite.
	Sets [][]int32
}

// Row is Lo ≤ Σ Value[i]·column Index[i] ≤ Hi; no column appears twice.
type Row struct {
	Lo, Hi float64
	Index  []int32
	Value  []float64
}

// Settings are the parameters of one run.
type Settings struct {
	// Scaling, Rule, Floor, Improve, Simplex and Epsilons are the numbers that lp_solve's
	// functions of similar names take.
	Scaling, Rule, Floor, Improve, Simplex, Epsilons int32
	// RelativeGap and AbsoluteGap prune branches that promise a smaller improvement.
	RelativeGap, AbsoluteGap float64
	// BreakFirst ends the run at the first integer point.
	BreakFirst bool
}

// Outcome is the result of a run.
type Outcome struct {
	// Status is the return value of solve. It has no meaning if the Handler stopped the run:
	// lp_solve then returns the last branch's status, which may be OPTIMAL or INFEASIBLE. (For
	// the same reason the plugin does not use lp_solve's own time limit: the status does not
	// show that a run reached it.)
	Status int
	// Values is the point that lp_solve holds, nil if there is none. Whatever the status,
	// it may violate integrality or the rows.
	Values []float64
	// Nodes is the number of branch-and-bound nodes.
	Nodes int64
	// Relaxation and Relaxed: see Event.
	Relaxation float64
	Relaxed    bool
}

// Run solves the problem once. It returns an error if lp_solve does not accept the
// problem.
func (l *Lib) Run(p *Problem, s Settings, handle Handler) (Outcome, error) {
	lp := l.fn.make(0, int32(len(p.Cost)))
	if lp == 0 {
		return Outcome{}, errors.New("lp_solve has no memory for another model")
	}
	defer l.fn.free(lp)
	l.fn.setVerbose(lp, 0)
	if err := l.fill(lp, p); err != nil {
		return Outcome{}, err
	}
	if err := l.set(lp, s); err != nil {
		return Outcome{}, err
	}
	listen := &listener{lib: l, lp: lp, columns: len(p.Cost), handle: handle}
	id := listeners.Add(listen)
	defer listeners.Remove(id)
	l.fn.putAbort(lp, abortTrampoline(), id)
	l.fn.putMessage(lp, messageTrampoline(), id, messageRelaxed|messageFirst|messageImproved)
	o := Outcome{Status: int(l.fn.solve(lp))}
	o.Nodes = l.fn.nodes(lp)
	o.Relaxation, o.Relaxed = listen.latest.Relaxation, listen.latest.Relaxed
	if l.fn.solutions(lp) > 0 {
		o.Values = l.values(lp, len(p.Cost))
	}
	return o, nil
}

// fill builds the model. Adding row by row is fast in row mode only.
func (l *Lib) fill(lp uintptr, p *Problem) error {
	if l.fn.setCost(lp, int32(len(p.Cost)), native.Array(p.Cost), native.Array(numbers(len(p.Cost)))) == 0 {
		return errors.New("lp_solve refuses the objective")
	}
	for i := range p.Cost {
		column := int32(i + 1)
		ok := l.fn.setBounds(lp, column, clamp(p.Lo[i]), clamp(p.Hi[i])) != 0
		if p.Integer[i] {
			ok = ok && l.fn.setInteger(lp, column, 1) != 0
		}
		if !ok {
			return fmt.Errorf("lp_solve refuses column %d", i)
		}
	}
	l.fn.rowMode(lp, 1)
	for i := range p.Rows {
		r := &p.Rows[i]
		index := make([]int32, len(r.Index))
		for j, c := range r.Index {
			index[j] = c + 1
		}
		kind, side := int32(atLeast), r.Lo
		switch {
		case r.Lo == r.Hi:
			kind = equal
		case math.IsInf(r.Lo, -1):
			kind, side = atMost, r.Hi
		}
		// lp_solve sorts the arrays in place.
		if l.fn.addRow(lp, int32(len(index)), native.Array(slices.Clone(r.Value)), native.Array(index), kind, side) == 0 {
			return fmt.Errorf("lp_solve refuses row %d", i)
		}
	}
	l.fn.rowMode(lp, 0)
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Lo < r.Hi && !math.IsInf(r.Lo, -1) && !math.IsInf(r.Hi, 1) && l.fn.setRange(lp, int32(i+1), r.Hi-r.Lo) == 0 {
			return fmt.Errorf("lp_solve refuses the range of row %d", i)
		}
	}
	for i, set := range p.Sets {
		index, weight := make([]int32, len(set)), make([]float64, len(set))
		for j, c := range set {
			index[j], weight[j] = c+1, float64(j+1)
		}
		if l.fn.addSet(lp, native.Array([]byte("s\x00")), 1, int32(i+1), int32(len(set)), native.Array(index), native.Array(weight)) == 0 {
			return fmt.Errorf("lp_solve refuses set %d", i)
		}
	}
	return nil
}

// set applies every setting; other parameters keep make_lp's defaults.
func (l *Lib) set(lp uintptr, s Settings) error {
	if l.fn.setEpsilons(lp, s.Epsilons) == 0 { // first: it sets the gaps, too
		return fmt.Errorf("lp_solve refuses the epsilon level %d", s.Epsilons)
	}
	l.fn.setGap(lp, 1, s.AbsoluteGap)
	l.fn.setGap(lp, 0, s.RelativeGap)
	l.fn.setScaling(lp, s.Scaling)
	l.fn.setRule(lp, s.Rule)
	l.fn.setFloor(lp, s.Floor)
	l.fn.setImprove(lp, s.Improve)
	l.fn.setSimplex(lp, s.Simplex)
	l.fn.setDepthLimit(lp, 0) // beyond a limit, lp_solve would drop branches silently
	// lp_solve guesses the least step between two objectives of integer points from the
	// coefficients, unless the limit is other than 1. 5.5.2.5 guesses wrong if the
	// objective has a continuous column that is in no row, and cuts off optima: in 18 of
	// 1000 random programs of up to five integers.
	l.fn.setSolutions(lp, 0)
	if s.BreakFirst {
		l.fn.setBreakFirst(lp, 1)
	}
	return nil
}

// values returns the point that lp_solve holds.
func (l *Lib) values(lp uintptr, columns int) []float64 {
	rows := l.fn.rows(lp)
	out := make([]float64, columns)
	for i := range out {
		out[i] = l.fn.value(lp, rows+int32(i)+1)
	}
	return out
}

func clamp(v float64) float64 { return max(-Infinity, min(Infinity, v)) }

// numbers returns 1, 2, … n: lp_solve counts columns from 1.
func numbers(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i + 1)
	}
	return out
}
