package topb

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
)

// SolveOptions converts all options except Progress and Pieces, which stay with the
// caller; the message says whether Pieces is set.
func SolveOptions(o *sdk.SolveOptions) *solverv1.SolveOptions {
	m := &solverv1.SolveOptions{
		Seed: o.Seed, Threads: narrow(o.Threads), Memory: o.Memory,
		TimeLimitNanos: int64(o.TimeLimit), WorkLimit: o.WorkLimit,
		Gap: o.Gap, Options: o.Options,
		Pieces: o.Pieces != nil, Proofs: o.Proofs,
	}
	if o.Target != nil {
		m.Target = new(*o.Target)
	}
	return m
}

// Progress converts a progress report; a bound without HasBound is left out.
func Progress(p *sdk.Progress) *solverv1.Progress {
	return &solverv1.Progress{
		Values: Values(p.Values), Objective: p.Objective,
		Bound: bound(p.Bound, p.HasBound), Nodes: p.Nodes, ElapsedNanos: int64(p.Elapsed),
		Shares: Shares(p.Shares), Settled: p.Settled,
	}
}

// Result converts a claim; nil stays nil.
func Result(r *sdk.Result) *solverv1.Result {
	if r == nil {
		return nil
	}
	m := &solverv1.Result{
		Status: solverv1.Status(r.Status),
		Reason: solverv1.Reason(r.Reason) + solverv1.Reason_REASON_NONE, // the SDK's zero is "none", the wire's is illegal
		Native: clean(r.Native), Detail: clean(r.Detail),
		Values: Values(r.Values), Objective: r.Objective,
		Bound: bound(r.Bound, r.HasBound), Tolerance: r.Tolerance,
		Nodes: r.Nodes, ElapsedNanos: int64(r.Elapsed),
		Shares: Shares(r.Shares),
	}
	if r.Witness != nil {
		m.Witness = &solverv1.Witness{
			Copy1: &problemv1.Point{Values: r.Witness.Copy1},
			Copy2: &problemv1.Point{Values: r.Witness.Copy2},
		}
	}
	return m
}

func bound(value float64, has bool) *float64 {
	if !has {
		return nil
	}
	return &value
}
