package frompb

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
)

// SolveOptions converts limits and options; nil gives the zero value. The caller
// sets Progress and Pieces. Errors wrap sdk.ErrInvalidOption.
func SolveOptions(m *solverv1.SolveOptions) (sdk.SolveOptions, error) {
	o := sdk.SolveOptions{
		Seed: m.GetSeed(), Threads: int(m.GetThreads()), Memory: m.GetMemory(),
		TimeLimit: time.Duration(m.GetTimeLimitNanos()), WorkLimit: m.GetWorkLimit(),
		Gap: m.GetGap(), Options: m.GetOptions(), Proofs: m.GetProofs(),
	}
	if o.Threads < 0 || o.Memory < 0 || o.TimeLimit < 0 || o.WorkLimit < 0 || !(o.Gap >= 0) {
		return o, fmt.Errorf("%w: threads %d, memory %d, time limit %v, work limit %d, gap %v: want 0 or more for each",
			sdk.ErrInvalidOption, o.Threads, o.Memory, o.TimeLimit, o.WorkLimit, o.Gap)
	}
	if m != nil && m.Target != nil {
		target := *m.Target
		if math.IsNaN(target) {
			return o, fmt.Errorf("%w: target is NaN", sdk.ErrInvalidOption)
		}
		o.Target = &target
	}
	return o, nil
}

// Progress converts a progress report and refuses a malformed one. The client checks
// whether it fits the problem.
func Progress(m *solverv1.Progress) (sdk.Progress, error) {
	p := sdk.Progress{Objective: m.GetObjective(), Nodes: m.GetNodes(), Elapsed: time.Duration(m.GetElapsedNanos()), Settled: m.GetSettled()}
	var err error
	if !(p.Settled >= 0 && p.Settled <= 1) {
		return p, fmt.Errorf("a settled share of %v: want 0 to 1", p.Settled)
	}
	if p.Bound, p.HasBound, err = bound(m.GetBound(), m != nil && m.Bound != nil); err != nil {
		return p, err
	}
	if p.Values, err = Values(m.GetValues()); err != nil {
		return p, err
	}
	if p.Values != nil && !finite(p.Objective) {
		return p, fmt.Errorf("objective %v: want a finite number", p.Objective)
	}
	p.Shares, err = Shares(m.GetShares())
	return p, err
}

// Result converts a claim and refuses a malformed one. The client checks whether it
// fits the problem.
func Result(m *solverv1.Result) (*sdk.Result, error) {
	if m == nil {
		return nil, errors.New("no result")
	}
	if err := errors.Join(enum(m.Status), enum(m.Reason)); err != nil {
		return nil, err
	}
	r := &sdk.Result{
		Status: sdk.Status(m.Status), Reason: sdk.Reason(m.Reason - solverv1.Reason_REASON_NONE),
		Native: line(m.Native), Detail: line(m.Detail), Objective: m.Objective, Tolerance: m.Tolerance,
		Nodes: m.Nodes, Elapsed: time.Duration(m.ElapsedNanos),
	}
	var err error
	if r.Bound, r.HasBound, err = bound(m.GetBound(), m.Bound != nil); err != nil {
		return nil, err
	}
	if r.Values, err = Values(m.Values); err != nil {
		return nil, err
	}
	if w := m.Witness; w != nil {
		r.Witness = &sdk.Witness{}
		if r.Witness.Copy1, err = point(w.Copy1); err != nil {
			return nil, fmt.Errorf("first copy: %w", err)
		}
		if r.Witness.Copy2, err = point(w.Copy2); err != nil {
			return nil, fmt.Errorf("second copy: %w", err)
		}
	}
	if r.HasPoint() && !finite(r.Objective) {
		return nil, fmt.Errorf("objective %v of the point held: want a finite number", r.Objective)
	}
	if !(r.Tolerance >= 0) || math.IsInf(r.Tolerance, 0) {
		return nil, fmt.Errorf("tolerance %v: want a finite number of at least 0", r.Tolerance)
	}
	r.Shares, err = Shares(m.Shares)
	return r, err
}

func bound(value float64, has bool) (float64, bool, error) {
	if has && math.IsNaN(value) {
		return 0, false, errors.New("bound is NaN")
	}
	return value, has, nil
}
