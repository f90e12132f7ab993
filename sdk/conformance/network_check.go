package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// checkQuery replays the witness of a claim through the network in exact
// arithmetic.
func (e *SolverEnv) checkQuery(q *problem.Query, r *sdk.Result) error {
	if err := e.checkShape(r); err != nil {
		return err
	}
	if r.Values != nil {
		return errors.New("values for a problem in network form: its points are witnesses")
	}
	if q.Goal == problem.Quantify {
		return checkShares(r)
	}
	if r.Shares != nil {
		return errors.New("shares, for which the problem does not ask")
	}
	if r.Status == sdk.Infeasible || r.Status == sdk.Unknown {
		return nil
	}
	if r.Witness == nil {
		return fmt.Errorf("%s without a witness", r.Status)
	}
	w := r.Witness
	if err := checkCopies(q, w); err != nil {
		return fmt.Errorf("witness %v and %v: %w", w.Copy1, w.Copy2, err)
	}
	exact := q.Model.Exact()
	if wholly(q.Goal) {
		return e.checkWhole(q, r, q.Logits(exact, w.Copy1))
	}
	logits := []*big.Rat{exact.Logit(q.Space.ExactInputs(w.Copy1)), exact.Logit(q.Space.ExactInputs(w.Copy2))}
	if q.Goal == problem.Decide {
		if !q.Notion.Violates(logits, q.Epsilon) {
			return fmt.Errorf("witness %v and %v is treated fairly", w.Copy1, w.Copy2)
		}
		if all := q.Logits(exact, w.Copy1); q.K > 2 && q.Model.Link().KBins(all, q.Epsilon) < q.K {
			return fmt.Errorf("witness %v reaches %d bins of %d", w.Copy1, q.Model.Link().KBins(all, q.Epsilon), q.K)
		}
		return nil
	}
	lo, hi := q.Notion.Gap(logits)
	if eps := e.slack(hi); !(r.Objective >= lo-eps && r.Objective <= hi+eps) {
		return fmt.Errorf("the objective claimed is %v; at the witness held it is %v", r.Objective, lo)
	}
	if r.HasBound && r.Bound < r.Objective-e.slack(hi) {
		return fmt.Errorf("the bound %v contradicts the objective %v of the witness held", r.Bound, r.Objective)
	}
	return nil
}

// checkCopies checks that the two copies are what the query asks for.
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
	differ := false
	for i := range s.Features {
		f, by := &s.Features[i], math.Abs(w.Copy1[i]-w.Copy2[i])
		if f.IsProtected() {
			differ = differ || by > 0
			continue
		}
		if most, _ := q.Tolerance(i); by > most {
			return fmt.Errorf("feature %q is not protected, and differs by %v", f.Name, by)
		}
	}
	alone := wholly(q.Goal) && len(s.Counterfactuals(region, w.Copy1)) == 1
	if !differ && !alone {
		return errors.New("the copies differ in no protected feature")
	}
	for _, p := range q.Require {
		if !p.Holds(w.Copy1) {
			return fmt.Errorf("the first copy fails %s, which is required", p.Format(s))
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

// decided is what enumeration knows of a query without relaxations or
// exclusions, over discrete features, whose predicates are about features that
// are not protected.
type decided struct {
	violates bool
	// gap encloses the largest gap or margin; pair says that some individual
	// has one.
	lo, hi float64
	pair   bool
	// Of all individuals: the smallest gap (rounded down), the most and the fewest
	// bins where there are bins, and how many there are of each kind.
	least        float64
	most, fewest int
	fair, unfair int64
}

func referee(q *problem.Query) decided {
	exact := q.Model.Exact()
	out := decided{lo: math.Inf(-1), hi: math.Inf(-1), least: math.Inf(1), fewest: math.MaxInt}
	for x := range q.Space.Individuals(q.RegionOrWhole().Box) {
		logits := q.Logits(exact, x)
		if len(logits) == 0 || !q.Describes(x) {
			continue
		}
		if out.count(q, logits); len(logits) < 2 {
			continue
		}
		lo, hi := q.Notion.Gap(logits)
		out.lo, out.hi = max(out.lo, lo), max(out.hi, hi)
	}
	out.pair = !math.IsInf(out.hi, -1)
	return out
}

// count takes an individual into the counts.
func (d *decided) count(q *problem.Query, logits []*big.Rat) {
	if q.Violates(logits) {
		d.violates = true
		d.unfair++
	} else {
		d.fair++
	}
	if q.Notion.UsesEpsilon() {
		lo, _ := q.Notion.Gap(logits)
		k := q.Model.Link().KBins(logits, q.Epsilon)
		d.least, d.most, d.fewest = min(d.least, lo), max(d.most, k), min(d.fewest, k)
	}
}
