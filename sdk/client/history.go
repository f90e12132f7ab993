package client

import (
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/sdk/problem"
)

// history is a problem and all deltas in force, merged by level, from which the
// problem can be loaded again. It is immutable, so that a delta that fails leaves
// no trace.
type history struct {
	base *problem.Problem
	// levels has one delta per level, without pops and pushes; the first one
	// changes the base itself.
	levels []problem.Delta
}

func newHistory(base *problem.Problem) history {
	return history{base: base, levels: make([]problem.Delta, 1)}
}

// with returns the history after delta d.
func (h history) with(d problem.Delta) (history, error) {
	if d.Pop < 0 || d.Push < 0 || d.Pop >= len(h.levels) {
		return h, fmt.Errorf("cannot pop %d and push %d levels at depth %d: want 0 or more, and at most the depth to pop", d.Pop, d.Push, len(h.levels)-1)
	}
	levels := slices.Clone(h.levels[:len(h.levels)-d.Pop])
	levels = append(levels, make([]problem.Delta, d.Push)...)
	top := &levels[len(levels)-1]
	*top = merge(*top, d, h.base)
	return history{h.base, levels}, nil
}

// merge returns one delta with the effect of two, first a and then b, and modifies neither.
// Above two bounds per column of base, it keeps only the last one of each column.
func merge(a, b problem.Delta, base *problem.Problem) problem.Delta {
	out := problem.Delta{
		ColumnBounds: concat(a.ColumnBounds, b.ColumnBounds),
		Rows:         concat(a.Rows, b.Rows),
		Objective:    a.Objective,
		Start:        a.Start,
		Assert:       a.Assert + b.Assert,
	}
	if b.Objective != nil {
		out.Objective = b.Objective
	}
	if b.Start != nil {
		out.Start = b.Start
	}
	if base.MILP != nil && len(out.ColumnBounds) > 2*len(base.MILP.Columns) {
		out.ColumnBounds = compact(out.ColumnBounds)
	}
	return out
}

// concat never writes into a's spare capacity, which other histories may share.
func concat[T any](a, b []T) []T {
	if len(b) == 0 {
		return a
	}
	return append(slices.Clip(a), b...)
}

// compact keeps the last bounds of each column.
func compact(bounds []problem.ColumnBound) []problem.ColumnBound {
	var out []problem.ColumnBound
	seen := map[int]bool{}
	for _, b := range slices.Backward(bounds) {
		if !seen[b.Column] {
			seen[b.Column] = true
			out = append(out, b)
		}
	}
	return out
}

// problem returns the problem with all deltas applied.
func (h history) problem() (*problem.Problem, error) {
	stack := problem.NewStack(h.base)
	var p *problem.Problem
	for i, level := range h.levels {
		level.Push = min(i, 1)
		var err error
		if p, err = stack.Apply(level); err != nil {
			return nil, err
		}
	}
	return p, nil
}
