package reference

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// query is one enumeration of a network problem.
type query struct {
	*meter
	q      *problem.Query
	o      sdk.SolveOptions
	exact  model.Exact
	region space.Region
	down   bool

	witness *sdk.Witness
	value   float64 // of the witness, for goals with a value
	done    bool

	tally  tally
	pieces *pieces
}

func solveNetwork(m *meter, q *problem.Query, o sdk.SolveOptions) (*sdk.Result, error) {
	if err := served(q); err != nil {
		return nil, err
	}
	e := &query{meter: m, q: q, o: o, exact: q.Model.Exact(), region: q.RegionOrWhole(), down: o.Options["order"] == "down"}
	e.pieces = &pieces{space: q.Space, tell: o.Pieces, proofs: o.Proofs, counts: !e.seeksBest(), seen: map[string]bool{}}
	defer e.pieces.flush()
	for i := range q.Space.Features {
		f := &q.Space.Features[i]
		if b := e.region.Box[i]; !f.IsProtected() && !f.Discrete() && b.Lo < b.Hi {
			e.pieces.add(slices.Clone(e.region.Box), sdk.PieceUndecided)
			return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete, Detail: fmt.Sprintf("feature %q is real-valued", f.Name)}, nil
		}
	}
	e.each(e.region.Box, e.individual)
	if o.Pieces != nil {
		e.rest()
	}
	if q.Goal == problem.Quantify {
		return e.quantified(), nil
	}
	r := &sdk.Result{Witness: e.witness}
	r.Status, r.Reason = m.conclude(e.witness != nil, e.seeksBest(), !e.done || q.Goal == problem.Decide)
	if e.witness != nil && e.seeksBest() {
		r.Objective, r.Tolerance = e.value, 0
		if r.Status == sdk.Optimal {
			r.Bound, r.HasBound = e.outward(e.value), true
		}
	}
	return r, nil
}

// seeksBest reports whether the goal is to find the individual with the best value.
func (e *query) seeksBest() bool { return e.q.Goal != problem.Decide && e.q.Goal != problem.Quantify }

// outward returns a bound of the exact value, given v, which is within an ulp of it;
// numbers of bins are exact.
func (e *query) outward(v float64) float64 {
	to := math.Inf(1)
	switch e.q.Goal {
	case problem.MaxK, problem.MinK:
		return v
	case problem.Minimise:
		to = math.Inf(-1)
	}
	return math.Nextafter(math.Nextafter(v, to), to)
}

// each visits every point of the box in the features that are not protected, until the
// search ends.
func (e *query) each(box space.Box, visit func([]float64)) {
	for x := range e.q.Space.Individuals(box) {
		if e.done || e.reason != sdk.NoReason {
			return
		}
		if e.down {
			x = slices.Clone(x)
			for _, i := range e.q.Space.Free() {
				if e.q.Space.Features[i].Discrete() {
					x[i] = math.Ceil(box[i].Lo) + math.Floor(box[i].Hi) - x[i]
				}
			}
		}
		visit(x)
	}
}

// individual evaluates x and updates the result.
func (e *query) individual(x []float64) {
	if e.stop() {
		return
	}
	switch e.q.Goal {
	case problem.MaxK, problem.MinK, problem.Minimise, problem.Quantify:
		e.whole(x)
	default:
		e.pieces.point(x, e.someone(x))
	}
	e.tally.looked++
}

// someone looks for the best pair whose first copy lies at x, and returns what may be
// claimed of x.
func (e *query) someone(x []float64) sdk.PieceClaim {
	if e.q.Excludes(x) {
		return sdk.PieceOutside
	}
	all := e.q.Space.Counterfactuals(e.region, x)
	firsts := slices.DeleteFunc(slices.Clone(all), func(p []float64) bool { return !e.q.Describes(p) })
	if len(firsts) == 0 {
		return sdk.PieceOutside
	}
	seconds := all
	if len(e.q.Relax) > 0 {
		seconds = nil
		e.each(e.reach(x), func(y []float64) {
			seconds = append(seconds, e.q.Space.Counterfactuals(e.region, y)...)
		})
	}
	logits := make([]*big.Rat, len(seconds))
	for i, p := range seconds {
		logits[i] = e.exact.Logit(e.q.Space.ExactInputs(p))
	}
	if e.q.Reach() > 0 && !e.q.Violates(logits) {
		return sdk.PieceFair
	}
	before := e.witness
	for _, a := range firsts {
		e.pairs(a, seconds, logits)
	}
	if e.q.Goal == problem.Decide && e.witness != before {
		return sdk.PieceUnfair
	}
	return sdk.PieceFair
}

// reach returns the box of the second copy's values under the relaxations.
func (e *query) reach(x []float64) space.Box {
	box := make(space.Box, len(x))
	for i := range box {
		box[i] = space.Interval{Lo: x[i], Hi: x[i]}
	}
	for _, r := range e.q.Relax {
		f := &e.q.Space.Features[r.Feature]
		v := x[r.Feature]
		box[r.Feature] = space.Interval{Lo: v - r.Tolerance, Hi: v + r.Tolerance}.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
	}
	return box
}

// pairs compares the copy a with each of seconds that differs from it in a protected value.
// logits has the exact logits of seconds.
func (e *query) pairs(a []float64, seconds [][]float64, logits []*big.Rat) {
	mine := e.exact.Logit(e.q.Space.ExactInputs(a))
	for i, b := range seconds {
		if e.done || !e.differ(a, b) {
			continue
		}
		if e.q.Goal == problem.Decide {
			if e.q.Apart(mine, logits[i]) {
				e.hold(a, b, mine.Cmp(logits[i]) >= 0, 0)
				e.done = true
			}
			continue
		}
		lo, _ := e.q.Notion.Gap([]*big.Rat{mine, logits[i]})
		if math.IsInf(lo, -1) || e.witness != nil && lo <= e.value {
			continue
		}
		e.hold(a, b, mine.Cmp(logits[i]) >= 0, lo)
		e.done = e.o.Target != nil && lo >= *e.o.Target
	}
}

func (e *query) differ(a, b []float64) bool {
	return slices.ContainsFunc(e.q.Space.Protected(), func(i int) bool { return a[i] != b[i] })
}

// hold keeps a pair as the witness, the copy with the larger logit first. With
// relaxations or predicates the copies have different roles, so their order stays.
func (e *query) hold(a, b []float64, inOrder bool, value float64) {
	a, b = slices.Clone(a), slices.Clone(b)
	if !inOrder && len(e.q.Relax)+len(e.q.Require)+len(e.q.Forbid) == 0 {
		a, b = b, a
	}
	e.witness, e.value = &sdk.Witness{Copy1: a, Copy2: b}, value
	if e.o.Progress != nil && e.seeksBest() {
		e.o.Progress(sdk.Progress{Objective: value, Nodes: e.work})
	}
}
