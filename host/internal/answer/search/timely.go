package search

import (
	"context"

	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// timely evaluates until its context ends: individuals with so many copies, of so
// wide a network, that they take much longer are left behind, and nobody then.
// For one goroutine.
type timely struct {
	ctx  context.Context
	of   Evaluator
	left bool
}

// Evaluate implements Evaluator.
func (t *timely) Evaluate(x []float64) evaluate.Outcome {
	out, ok := overtime.Within(t.ctx, func(context.Context) evaluate.Outcome { return t.of.Evaluate(x) })
	t.left = t.left || !ok
	return out
}

// EvaluateAll implements Evaluator.
func (t *timely) EvaluateAll(xs [][]float64, out []evaluate.Outcome) {
	all, ok := overtime.Within(t.ctx, func(context.Context) []evaluate.Outcome {
		own := make([]evaluate.Outcome, len(xs)) // for it may be left behind
		t.of.EvaluateAll(xs, own)
		return own
	})
	t.left = t.left || !ok
	clear(out[copy(out, all):len(xs)])
}

// CopiesAll implements Evaluator.
func (t *timely) CopiesAll(xs [][]float64, out []evaluate.Copies) {
	all, ok := overtime.Within(t.ctx, func(context.Context) []evaluate.Copies {
		own := make([]evaluate.Copies, len(xs))
		t.of.CopiesAll(xs, own)
		return own
	})
	t.left = t.left || !ok
	copy(out, all)
}

// Point implements Evaluator.
func (t *timely) Point(x []float64, combination int) []float64 { return t.of.Point(x, combination) }
