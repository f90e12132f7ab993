package engine

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
)

// attend runs work and abandons it if it outlives ctx. It then returns the last result that work
// reported by calling keep before the end, and no callback runs any more. So a claim whose audit
// does not end in time proves nothing.
func attend[T any](ctx context.Context, o Options, first T, work func(left context.Context, o Options, keep func(T)) (T, error)) (out T, overdue bool, err error) {
	var telling, keeping sync.Mutex
	latest, over := first, false
	if progress := o.Progress; progress != nil {
		o.Progress = func(p Progress) {
			telling.Lock()
			defer telling.Unlock()
			if !over {
				progress(p)
			}
		}
	}
	if witnessed := o.Witnessed; witnessed != nil {
		o.Witnessed = func(w *individual.Witness) {
			telling.Lock()
			defer telling.Unlock()
			if !over {
				witnessed(w)
			}
		}
	}
	type answer struct {
		out T
		err error
	}
	a, ok := overtime.Within(ctx, func(left context.Context) answer {
		out, err := work(left, o, func(v T) {
			keeping.Lock()
			defer keeping.Unlock()
			if left.Err() == nil {
				latest = v
			}
		})
		return answer{out, err}
	})
	if ok {
		return a.out, false, a.err
	}
	telling.Lock()
	over = true
	telling.Unlock()
	keeping.Lock()
	defer keeping.Unlock()
	return latest, true, nil
}

// abandoned reports whether the caller has returned already, because time ended.
func (r *run) abandoned() bool { return r.left.Err() != nil }

// note keeps the report to return if time ends now.
func (r *run) note() {
	if r.keep == nil {
		return
	}
	var now Report
	if r.decided != nil {
		now = *r.decided
	} else if r.report.Witness != nil {
		now.Verdict = Unfair
	}
	now.Witness = r.report.Witness
	r.reconsider(&now)
	now.Spurious, now.Refinements, now.Splits = r.report.Spurious, r.report.Refinements, r.report.Splits
	now.Solves, now.Nodes = r.report.Solves, r.report.Nodes
	now.Regions, now.Faults, now.Refuted = maps.Clone(r.report.Regions), slices.Clone(r.report.Faults), slices.Clone(r.report.Refuted)
	r.keep(&now)
}
