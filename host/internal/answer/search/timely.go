package search

import (
	"context"

	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// timely evaluates until its context ends. An evaluation that takes much longer, as many
// copies in a wide network do, is abandoned, and none follows. Not safe for concurrent use.
type timely struct {
	ctx  context.Context
	of   Evaluator
	left bool
}

// EvaluateCopies implements Evaluator.
func (t *timely) EvaluateCopies(xs [][]float64, out []evaluate.Outcome, d evaluate.Detail) []evaluate.Copies {
	type answer struct {
		out    []evaluate.Outcome
		copies []evaluate.Copies
	}
	all, ok := overtime.Within(t.ctx, func(context.Context) answer {
		own := make([]evaluate.Outcome, len(xs)) // the evaluation may outlive this call
		copies := t.of.EvaluateCopies(xs, own, d)
		return answer{own, copies}
	})
	t.left = t.left || !ok
	clear(out[copy(out, all.out):len(xs)])
	return all.copies
}

// Point implements Evaluator.
func (t *timely) Point(x []float64, combination int) []float64 { return t.of.Point(x, combination) }
