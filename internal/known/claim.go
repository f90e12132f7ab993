package known

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

const (
	// MaxTolerance is the largest tolerance of a point; a point that needs more proves
	// nothing.
	MaxTolerance = 1e-4
	// relative bounds the distance of a numerical solver's objective from the true optimum,
	// relative to max(1, |optimum|). relativeExact is for solvers that claim exact or
	// rigorous arithmetic; it covers the rounding of the objective to float64.
	relative      = 1e-5
	relativeExact = 1e-9
)

// Referee checks a solver's claims against its own points and against the truth. Every
// error names what is false.
type Referee struct {
	// Grade is the solver's claim about its arithmetic.
	Grade sdk.Grade
	// Coarsest is the largest tolerance that a claim may have; 0 means MaxTolerance.
	Coarsest float64
}

// Slack returns the largest error of an objective near v.
func (e Referee) Slack(v float64) float64 {
	if e.Grade == sdk.GradeNumerical {
		return relative * math.Max(1, math.Abs(v))
	}
	return relativeExact * math.Max(1, math.Abs(v))
}

// Claim checks a claim about a problem of any form against the claim's own point, in exact
// arithmetic, and checks what must hold for every claim.
func (e Referee) Claim(p *problem.Problem, r *sdk.Result) error {
	err := e.shape(r)
	if err == nil {
		switch p.Form() {
		case problem.FormMILP:
			err = e.milp(p.MILP, r)
		case problem.FormSMT:
			err = checkScript(p.SMT, r)
		default:
			err = e.query(p.Query, r)
		}
	}
	if err != nil {
		return fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return nil
}

// shape checks what must hold for every claim about any problem.
func (e Referee) shape(r *sdk.Result) error {
	stopped, coarsest := r.Reason != sdk.NoReason, cmp.Or(e.Coarsest, MaxTolerance)
	switch {
	case r.Status < sdk.Feasible || r.Status > sdk.Unknown:
		return fmt.Errorf("the status is %s; want feasible, optimal, infeasible or unknown", r.Status)
	case r.Reason > sdk.Other:
		return fmt.Errorf("the reason is %s; want a known one", r.Reason)
	case r.Status == sdk.Unknown && !stopped:
		return errors.New("the status is unknown without a reason")
	case (r.Status == sdk.Optimal || r.Status == sdk.Infeasible) && stopped:
		return fmt.Errorf("the status is %s, and yet stopped short: %s", r.Status, r.Reason)
	case !hasPoint(r) && r.HasPoint() && (len(r.Values) > 0 || r.Witness != nil):
		return fmt.Errorf("the status is %s, and yet there is a point", r.Status)
	case !(r.Tolerance >= 0 && r.Tolerance <= coarsest):
		return fmt.Errorf("the tolerance %v is outside 0 to %v", r.Tolerance, coarsest)
	case e.Grade == sdk.GradeExact && r.Tolerance != 0:
		return fmt.Errorf("the tolerance is %v, from a solver that claims to be exact", r.Tolerance)
	case r.HasBound && math.IsNaN(r.Bound):
		return errors.New("the bound is NaN")
	case r.HasPoint() && math.IsNaN(r.Objective):
		return errors.New("the objective is NaN")
	case r.Nodes < 0 || r.Elapsed < 0:
		return fmt.Errorf("%d nodes in %v; neither may be negative", r.Nodes, r.Elapsed)
	}
	return nil
}

// hasPoint reports whether the status requires a point.
func hasPoint(r *sdk.Result) bool { return r.Status == sdk.Feasible || r.Status == sdk.Optimal }

// at returns the point of a claim about columns or symbols, nil if none is claimed.
func at(r *sdk.Result, n int, what string) ([]*big.Rat, error) {
	switch {
	case r.Witness != nil:
		return nil, errors.New("the claim has a witness; points of this problem belong in Values")
	case !hasPoint(r):
		return nil, nil
	case len(r.Values) != n:
		return nil, fmt.Errorf("%s with %d values for %d %s", r.Status, len(r.Values), n, what)
	}
	return exactly(r.Values)
}

func (e Referee) milp(p *problem.MILP, r *sdk.Result) error {
	point, err := at(r, len(p.Columns), "columns")
	if point == nil {
		return err
	}
	if err := e.point(p, point, r.Objective, r.Tolerance); err != nil {
		return err
	}
	better := sign(p.Objective.Maximise) * (r.Objective - r.Bound)
	if r.HasBound && len(p.Objective.Terms) > 0 && better > e.Slack(r.Objective) {
		return fmt.Errorf("the bound %v contradicts the objective %v of the point held", r.Bound, r.Objective)
	}
	return nil
}

// point checks that a MILP's point is feasible within the tolerance, and that its
// objective is the one claimed.
func (e Referee) point(p *problem.MILP, point []*big.Rat, objective, tolerance float64) error {
	if v, where := violation(p, point); v > tolerance {
		return fmt.Errorf("the point breaks %s by %g; the tolerance claimed is %g", where, v, tolerance)
	}
	if len(p.Objective.Terms) == 0 {
		return nil
	}
	own := new(big.Rat).Add(sum(p.Objective.Terms, point), new(big.Rat).SetFloat64(p.Objective.Offset))
	if value, _ := own.Float64(); !(math.Abs(objective-value) <= e.Slack(value)) {
		return fmt.Errorf("the objective claimed is %v; at the point held it is %v", objective, value)
	}
	return nil
}

// exactly converts values to rational numbers; it refuses values that are not finite.
func exactly(values []problem.Number) ([]*big.Rat, error) {
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		out[i] = v.Rat
		if v.Rat == nil {
			if out[i] = new(big.Rat).SetFloat64(v.Float); out[i] == nil {
				return nil, fmt.Errorf("value %d is %v, want a finite number", i, v.Float)
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

// violation is problem.MILP.Violation in exact arithmetic: it returns the point's largest
// violation, and where it is.
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
			whole := math.Round(f)
			note(point[i], whole, whole, "the integrality of column", i, c.Name)
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

// checkScript evaluates the script at the claimed values, in exact arithmetic. Constants
// that it declares beyond its symbols are not part of an answer: the script must hold for
// some choice of 0 or 1 for each.
func checkScript(p *problem.Script, r *sdk.Result) error {
	point, err := at(r, len(p.Symbols), "symbols")
	if point == nil {
		return err
	}
	s, err := script.Parse(p.Text)
	if err != nil {
		return err
	}
	values := map[string]*big.Rat{}
	for i, y := range p.Symbols {
		values[y.Name] = point[i]
	}
	var others []string
	for _, y := range s.Symbols {
		if values[y.Name] == nil {
			others = append(others, y.Name)
		}
	}
	for choice := range int64(1) << len(others) {
		for i, name := range others {
			values[name] = big.NewRat(choice>>i&1, 1)
		}
		switch holds, err := s.Holds(values); {
		case err != nil:
			return fmt.Errorf("at the values %v: %w", r.Values, err)
		case holds:
			return nil
		}
	}
	return fmt.Errorf("the script does not hold at the values %v", r.Values)
}

// query replays the witness of a claim through the model in exact arithmetic.
func (e Referee) query(q *problem.Query, r *sdk.Result) error {
	switch {
	case r.Values != nil:
		return errors.New("the claim has Values; points of a problem in network form are witnesses")
	case q.Goal == problem.Quantify:
		return checkShares(r)
	case r.Shares != nil:
		return errors.New("the claim has shares, for which the problem does not ask")
	case !hasPoint(r):
		return nil
	case r.Witness == nil:
		return fmt.Errorf("%s without a witness", r.Status)
	}
	w := r.Witness
	if err := checkCopies(q, w); err != nil {
		return fmt.Errorf("witness %v and %v: %w", w.Copy1, w.Copy2, err)
	}
	exact := q.Model.Exact()
	all := func() []*big.Rat { return q.Logits(exact, w.Copy1) }
	logits := all
	if !wholly(q.Goal) {
		logits = func() []*big.Rat {
			return []*big.Rat{exact.Logit(q.Space.ExactInputs(w.Copy1)), exact.Logit(q.Space.ExactInputs(w.Copy2))}
		}
	}
	if q.Goal == problem.Decide {
		if pair := logits(); !q.Apart(pair[0], pair[1]) {
			return fmt.Errorf("the individual of the witness %v and %v is treated fairly", w.Copy1, w.Copy2)
		}
		if q.Reach() > 0 && !q.Violates(all()) {
			return fmt.Errorf("the witness %v reaches only %d of %d bins", w.Copy1, bins(q, all()), q.Reach())
		}
		return nil
	}
	lo, hi := Value(q, logits())
	eps := e.Slack(hi)
	if !(r.Objective >= lo-eps && r.Objective <= hi+eps) {
		return fmt.Errorf("the objective claimed is %v; at the witness held it is %v", r.Objective, lo)
	}
	if over := sign(maximises(q)) * (r.Objective - r.Bound); r.HasBound && over > eps {
		return fmt.Errorf("the bound %v contradicts the objective %v of the witness held", r.Bound, r.Objective)
	}
	return nil
}

// wholly reports whether a witness of the goal is an individual with all its
// counterfactuals. If it has only one, that one stands for both copies.
func wholly(g problem.Goal) bool {
	return g == problem.MaxK || g == problem.MinK || g == problem.Minimise
}

// checkCopies checks that the two copies meet the query's conditions.
func checkCopies(q *problem.Query, w *sdk.Witness) error {
	s, region := q.Space, q.RegionOrWhole()
	for _, c := range [][]float64{w.Copy1, w.Copy2} {
		if !s.Contains(c) {
			return errors.New("a copy lies outside the space")
		}
		for _, i := range s.Protected() {
			if !slices.Contains(region.Values[i], c[i]) {
				return fmt.Errorf("feature %q: the protected value %v lies outside the region", s.Features[i].Name, c[i])
			}
		}
	}
	if !s.RegionContains(region, w.Copy1) {
		return errors.New("the first copy lies outside the region")
	}
	alone := wholly(q.Goal) && len(s.Counterfactuals(region, w.Copy1)) == 1 && slices.Equal(w.Copy1, w.Copy2)
	if !alone && !Compares(q, w.Copy1, w.Copy2) {
		return errors.New("the copies differ in no protected feature, or by more than is allowed in another")
	}
	for _, p := range q.Require {
		if !p.Holds(w.Copy1) {
			return fmt.Errorf("the first copy does not satisfy %s, which is required", p.Format(s))
		}
	}
	for _, p := range q.Forbid {
		if p.Holds(w.Copy1) {
			return fmt.Errorf("the first copy satisfies %s, which is forbidden", p.Format(s))
		}
	}
	if q.Excludes(w.Copy1) {
		return errors.New("the individual is among those excluded")
	}
	return nil
}

// checkShares checks what must hold for shares, whatever the problem.
func checkShares(r *sdk.Result) error {
	s := r.Shares
	switch {
	case r.HasPoint():
		return errors.New("a point for a problem that asks for shares")
	case s == nil && hasPoint(r):
		return fmt.Errorf("%s without shares", r.Status)
	case s == nil:
		return nil
	case s.Fair == nil || s.Unfair == nil || s.Fair.Sign() < 0 || s.Unfair.Sign() < 0:
		return fmt.Errorf("the shares are %v and %v; want two numbers of at least 0", s.Fair, s.Unfair)
	case s.Boxes < 0:
		return fmt.Errorf("the number of boxes is %d; want at least 0", s.Boxes)
	}
	switch all := new(big.Rat).Add(s.Fair, s.Unfair).Cmp(big.NewRat(1, 1)); {
	case all > 0:
		return fmt.Errorf("the shares %s and %s sum to more than 1", s.Fair.FloatString(6), s.Unfair.FloatString(6))
	case all < 0 && r.Status == sdk.Optimal:
		return fmt.Errorf("%s, and yet the shares %s and %s leave a part undecided", r.Status, s.Fair.FloatString(6), s.Unfair.FloatString(6))
	}
	return nil
}

// Answer compares a claim about a problem of any form with the right answer. The problem is
// small: the solver must answer it, unless a limit stopped it.
func (e Referee) Answer(p *problem.Problem, r *sdk.Result, want Answer, limited bool) error {
	if err := e.answer(p, r, want, limited); err != nil {
		return fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return nil
}

func (e Referee) answer(p *problem.Problem, r *sdk.Result, want Answer, limited bool) error {
	short := fmt.Errorf("no answer to a small problem: %s", Said(r, nil))
	switch {
	case r.Status == sdk.Infeasible && want.Feasible:
		return errors.New("infeasible is claimed; the problem is feasible")
	case r.Status == sdk.Infeasible:
		return nil
	case r.Status == sdk.Unknown && !limited:
		return short
	case r.Status == sdk.Unknown:
		return nil
	case !want.Feasible:
		return fmt.Errorf("%s is claimed; the problem is infeasible", r.Status)
	case !want.Best && !limited && r.Reason != sdk.NoReason:
		return short
	case !want.Best:
		return nil
	}
	s, eps := sign(maximise(p)), e.Slack(want.Optimum)
	switch {
	case s*(r.Objective-want.Optimum) > eps:
		return fmt.Errorf("the objective %v is better than the optimum %v", r.Objective, want.Optimum)
	case r.HasBound && s*(want.Optimum-r.Bound) > eps:
		return fmt.Errorf("the bound %v cuts off the optimum %v", r.Bound, want.Optimum)
	case r.Status == sdk.Optimal && s*(want.Optimum-r.Objective) > eps:
		return fmt.Errorf("optimal is claimed at %v; the optimum is %v", r.Objective, want.Optimum)
	case r.Status == sdk.Feasible && !limited:
		return fmt.Errorf("%s is claimed for a small problem to optimise; want optimal", Said(r, nil))
	}
	return nil
}

// maximise reports whether the problem asks for its largest value.
func maximise(p *problem.Problem) bool {
	switch p.Form() {
	case problem.FormMILP:
		return p.MILP.Objective.Maximise
	case problem.FormSMT:
		return p.SMT.Maximise
	}
	return maximises(p.Query)
}

// Said describes a solver's answer, for messages.
func Said(r *sdk.Result, err error) string {
	if err != nil {
		return "the error " + err.Error()
	}
	if r == nil {
		return "nothing"
	}
	text := r.Status.String()
	if r.Reason != sdk.NoReason {
		text += ", " + r.Reason.String()
	}
	if r.Native != "" {
		text += " (" + r.Native + ")"
	}
	return text
}
