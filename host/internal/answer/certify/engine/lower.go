package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// lowering is a region's question in one of the solvers' forms.
type lowering struct {
	problem *problem.Problem
	region  space.Region
	// logits are the indices of the copies' logits among the values.
	logits []int
	// sensitivity is the error of a logit per unit of the solver's tolerance.
	sensitivity float64
	fidelity    encode.Fidelity
	decode      func([]problem.Number) ([][]float64, error)
	// proofless is the reason why proofs by this lowering do not count; empty: they do.
	proofless string
	// orders are the orders of the two copies to ask about; in the SMT form every assertion
	// covers both.
	orders []encode.Order

	milp *encode.Lowered
	smt  *encode.LoweredSMT
}

// lowered lowers the query; nil without an error if the bounds reach fewer bins than asked for.
func (r *run) lowered(q *problem.Query, b *bound.Bounds) (*lowering, error) {
	out := &lowering{region: q.RegionOrWhole(), orders: []encode.Order{encode.InOrder}}
	var err error
	if r.lower.Form == problem.FormSMT {
		if out.smt, err = r.lower.LowerSMT(q, b); err == nil {
			out.problem, out.logits, out.fidelity, out.decode = out.smt.Problem, out.smt.Logits, out.smt.Fidelity, out.smt.Decode
		}
	} else if out.milp, err = r.lower.LowerMILP(q, b); err == nil {
		out.problem, out.logits, out.fidelity, out.decode = out.milp.Problem, out.milp.Logits, out.milp.Fidelity, out.milp.Decode
		out.sensitivity = out.milp.Sensitivity
		out.orders = out.milp.Orders()
		if !(out.sensitivity < math.Inf(1)) {
			err = encode.ErrUnbounded // no tolerance could be stated
		}
	}
	switch {
	case errors.Is(err, encode.ErrTooFewBins):
		return nil, nil
	case errors.Is(err, sdk.ErrUnsupported) || errors.Is(err, encode.ErrUnbounded):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	if out.milp != nil {
		if err := encode.Carried(out.problem.MILP); err != nil {
			out.proofless = err.Error()
		}
	}
	if out.fidelity == encode.Under { // the question may have points that the lowering excludes
		out.proofless = "the encoding is an under-approximation, which proves nothing"
	}
	return out, nil
}
