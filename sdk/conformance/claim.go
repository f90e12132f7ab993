package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

const (
	// maxTolerance is the coarsest tolerance that a claim may come with: above
	// it a point proves nothing.
	maxTolerance = 1e-4
	// relative is how far a numerical solver's objective may be from the true
	// optimum, relative to max(1, |optimum|); relativeExact holds for solvers
	// that claim exact or rigorous arithmetic, and covers the rounding of the
	// objective to float64.
	relative      = 1e-5
	relativeExact = 1e-9
)

// slack is the amount by which an objective near v may be off.
func (e *SolverEnv) slack(v float64) float64 {
	if e.Description.Exactness == sdk.GradeNumerical {
		return relative * math.Max(1, math.Abs(v))
	}
	return relativeExact * math.Max(1, math.Abs(v))
}

// checkShape checks what must hold of every claim, whatever the problem.
func (e *SolverEnv) checkShape(r *sdk.Result) error {
	stopped := r.Reason != sdk.NoReason
	switch {
	case r.Status < sdk.Feasible || r.Status > sdk.Unknown:
		return fmt.Errorf("the status is %s", r.Status)
	case r.Reason > sdk.Other:
		return fmt.Errorf("the reason is %s", r.Reason)
	case r.Status == sdk.Unknown && !stopped:
		return errors.New("unknown without a reason")
	case (r.Status == sdk.Optimal || r.Status == sdk.Infeasible) && stopped:
		return fmt.Errorf("%s, and yet stopped short: %s", r.Status, r.Reason)
	case (r.Status == sdk.Unknown || r.Status == sdk.Infeasible) && r.HasPoint() && (len(r.Values) > 0 || r.Witness != nil):
		return fmt.Errorf("%s, and yet a point is held", r.Status)
	case !(r.Tolerance >= 0 && r.Tolerance <= maxTolerance):
		return fmt.Errorf("tolerance %v is outside 0 to %v", r.Tolerance, maxTolerance)
	case e.Description.Exactness == sdk.GradeExact && r.Tolerance != 0:
		return fmt.Errorf("tolerance %v from a solver that claims to be exact", r.Tolerance)
	case r.HasBound && math.IsNaN(r.Bound):
		return errors.New("the bound is NaN")
	case r.HasPoint() && math.IsNaN(r.Objective):
		return errors.New("the objective is NaN")
	case r.Nodes < 0 || r.Elapsed < 0:
		return fmt.Errorf("%d nodes in %v", r.Nodes, r.Elapsed)
	}
	return nil
}

// checkMILP checks a claim about a MILP against the claim's own point, in
// exact arithmetic.
func (e *SolverEnv) checkMILP(p *problem.MILP, r *sdk.Result) error {
	if err := e.checkShape(r); err != nil {
		return err
	}
	if r.Witness != nil {
		return errors.New("a witness for a MILP: its points are Values")
	}
	if r.Status == sdk.Infeasible || r.Status == sdk.Unknown {
		return nil
	}
	if len(r.Values) != len(p.Columns) {
		return fmt.Errorf("%s with %d values for %d columns", r.Status, len(r.Values), len(p.Columns))
	}
	point, err := exactly(r.Values)
	if err != nil {
		return err
	}
	if v, where := violation(p, point); v > r.Tolerance {
		return fmt.Errorf("the point breaks %s by %g; the tolerance claimed is %g", where, v, r.Tolerance)
	}
	if len(p.Objective.Terms) == 0 {
		return nil
	}
	own := new(big.Rat).Add(sum(p.Objective.Terms, point), new(big.Rat).SetFloat64(p.Objective.Offset))
	value, _ := own.Float64()
	if !(math.Abs(r.Objective-value) <= e.slack(value)) {
		return fmt.Errorf("the objective claimed is %v; at the point held it is %v", r.Objective, value)
	}
	better := sign(p.Objective.Maximise) * (r.Objective - r.Bound)
	if r.HasBound && better > e.slack(value) {
		return fmt.Errorf("the bound %v contradicts the objective %v of the point held", r.Bound, r.Objective)
	}
	return nil
}

func sign(maximise bool) float64 {
	if maximise {
		return 1
	}
	return -1
}

// exactly turns values into rational numbers and refuses what is not finite.
func exactly(values []problem.Number) ([]*big.Rat, error) {
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		out[i] = v.Rat
		if v.Rat == nil {
			if out[i] = new(big.Rat).SetFloat64(v.Float); out[i] == nil {
				return nil, fmt.Errorf("value %d is %v", i, v.Float)
			}
		}
	}
	return out, nil
}

func sum(terms []problem.Term, point []*big.Rat) *big.Rat {
	out := new(big.Rat)
	for _, t := range terms {
		out.Add(out, new(big.Rat).Mul(new(big.Rat).SetFloat64(t.Coef), point[t.Column]))
	}
	return out
}

// violation is problem.MILP.Violation in exact arithmetic: the largest amount
// by which the point breaks something, and what.
func violation(p *problem.MILP, point []*big.Rat) (worst float64, where string) {
	note := func(v *big.Rat, lo, hi float64, what string, i int, name string) {
		for _, side := range []struct {
			limit float64
			sign  int64
		}{{lo, -1}, {hi, 1}} {
			limit := new(big.Rat).SetFloat64(side.limit)
			if limit == nil {
				continue
			}
			by, _ := limit.Mul(limit.Sub(v, limit), big.NewRat(side.sign, 1)).Float64()
			if by > worst {
				worst, where = by, fmt.Sprintf("%s %d (%s)", what, i, name)
			}
		}
	}
	for i, c := range p.Columns {
		note(point[i], c.Lo, c.Hi, "column", i, c.Name)
		if c.Integer {
			f, _ := point[i].Float64()
			nearest := new(big.Rat).SetFloat64(math.Round(f))
			by, _ := nearest.Sub(point[i], nearest).Float64()
			if math.Abs(by) > worst {
				worst, where = math.Abs(by), fmt.Sprintf("the integrality of column %d (%s)", i, c.Name)
			}
		}
	}
	for i, row := range p.Rows {
		note(sum(row.Terms, point), row.Lo, row.Hi, "row", i, row.Name)
	}
	for i, set := range p.SOS1 {
		largest, second := new(big.Rat), new(big.Rat)
		for _, c := range set.Columns {
			switch v := new(big.Rat).Abs(point[c]); {
			case v.Cmp(largest) > 0:
				largest, second = v, largest
			case v.Cmp(second) > 0:
				second = v
			}
		}
		note(second, 0, 0, "set", i, set.Name)
	}
	return worst, where
}

// truth is what is known of a problem.
type truth struct {
	feasible bool
	// optimum is known where best is set.
	optimum float64
	best    bool
}

var (
	feasible   = truth{feasible: true}
	infeasible = truth{}
)

func optimum(v float64) truth { return truth{feasible: true, optimum: v, best: true} }

// checkTruth checks a claim against what is known. The problem is small: it
// must be answered, unless a limit that was set stopped the solver.
func (e *SolverEnv) checkTruth(r *sdk.Result, want truth, maximise, limited bool) error {
	switch r.Status {
	case sdk.Infeasible:
		if want.feasible {
			return errors.New("infeasible is claimed; the problem is feasible")
		}
		return nil
	case sdk.Unknown:
		if !limited {
			return fmt.Errorf("no answer to a small problem: %s", answer(r, nil))
		}
		return nil
	}
	if !want.feasible {
		return fmt.Errorf("%s is claimed; the problem is infeasible", r.Status)
	}
	if !want.best {
		if !limited && r.Reason != sdk.NoReason {
			return fmt.Errorf("no answer to a small problem: %s", answer(r, nil))
		}
		return nil
	}
	s, eps := sign(maximise), e.slack(want.optimum)
	switch {
	case s*(r.Objective-want.optimum) > eps:
		return fmt.Errorf("the objective %v is better than the optimum %v", r.Objective, want.optimum)
	case r.HasBound && s*(want.optimum-r.Bound) > eps:
		return fmt.Errorf("the bound %v cuts off the optimum %v", r.Bound, want.optimum)
	case r.Status == sdk.Optimal && s*(want.optimum-r.Objective) > eps:
		return fmt.Errorf("optimal is claimed at %v; the optimum is %v", r.Objective, want.optimum)
	case r.Status == sdk.Feasible && !limited:
		return fmt.Errorf("%s is claimed of a small problem to optimise; want optimal", answer(r, nil))
	}
	return nil
}

// askMILP solves the problem and checks the claim against itself and the truth.
func (e *SolverEnv) askMILP(ctx context.Context, name string, p *problem.MILP, want truth, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := e.solve(ctx, &problem.Problem{Name: name, MILP: p}, o)
	if err != nil {
		return nil, err
	}
	limited := o.TimeLimit > 0 || o.WorkLimit > 0 || o.Target != nil || o.Gap > 0
	return r, e.judge(name, p, r, want, limited)
}

// judge checks a claim about the problem against itself and the truth.
func (e *SolverEnv) judge(name string, p *problem.MILP, r *sdk.Result, want truth, limited bool) error {
	if err := e.checkMILP(p, r); err != nil {
		return fmt.Errorf("problem %q: %w", name, err)
	}
	if err := e.checkTruth(r, want, p.Objective.Maximise, limited); err != nil {
		return fmt.Errorf("problem %q: %w", name, err)
	}
	return nil
}
