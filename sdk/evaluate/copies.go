package evaluate

import (
	"math"
)

// Copies holds one entry per allowed counterfactual of an individual, in the order of
// space.Counterfactuals.
type Copies struct {
	// Combinations are their protected combinations, as indices for Point.
	Combinations []int
	// Scores have the accuracy of the scores behind Outcome.Gap or, if there is no error
	// bound for the logits, lie within 1e-9 of the exact ones.
	Scores []float64
	// Bins count from 0; exact.
	Bins []int
}

// scoreError bounds the error of a score if the kernel has no error bound for it.
const scoreError = 1e-9

// Copies returns for each of x's counterfactuals what Evaluate summarises, and allocates. The
// result is empty if x is not in the space.
func (e *Evaluator) Copies(x []float64) Copies {
	s := e.pool.Get().(*scratch)
	defer e.pool.Put(s)
	e.spread(s, x)
	c := e.copies(s, Detail{Scores: true, Bins: true})
	for _, combination := range s.combos[:s.n] {
		c.Combinations = append(c.Combinations, int(combination))
	}
	return c
}

// Detail selects the values to compute for each counterfactual, along with an
// individual's outcome.
type Detail struct{ Scores, Bins bool }

// EvaluateCopies is EvaluateAll that also returns, from the same pass, the selected
// values of each individual's counterfactuals; nil if d selects none.
func (e *Evaluator) EvaluateCopies(xs [][]float64, out []Outcome, d Detail) []Copies {
	if d == (Detail{}) {
		e.EvaluateAll(xs, out)
		return nil
	}
	out = out[:len(xs)]
	copies := make([]Copies, len(xs))
	e.all(len(xs), func(s *scratch, from, to int) {
		e.prepare(s, xs[from:to])
		for i := from; i < to; i++ {
			var decided bool
			if out[i], decided = e.evaluate(s, xs[i]); decided {
				s.spell()
				fill(s.errs[:s.n], e.bound)
			}
			copies[i] = e.copies(s, d)
		}
	})
	return copies
}

// copies returns the selected values of the columns of s, whose logits are known up
// to their errors.
func (e *Evaluator) copies(s *scratch, d Detail) (c Copies) {
	if d.Scores {
		c.Scores = make([]float64, s.n)
	}
	if d.Bins {
		c.Bins = make([]int, s.n)
	}
	bin := 0
	for column := range s.n {
		if d.Scores {
			c.Scores[column] = e.scoreOf(s, column)
		}
		if d.Bins {
			bin = e.binOf(s, column, bin)
			c.Bins[column] = bin
		}
	}
	return c
}

// scoreOf returns the score of a column. It refines the logit if its error bound does
// not suffice.
func (e *Evaluator) scoreOf(s *scratch, column int) float64 {
	if !e.scoreKnown(s, column) {
		if e.refine(s, column); !e.scoreKnown(s, column) { // terms cancel, or overflow
			e.exactLogit(s, column)
		}
	}
	return e.link.Score(s.logits[column])
}

// scoreKnown reports whether a column's logit is within the kernel's error bound, or
// gives the score to within scoreError.
func (e *Evaluator) scoreKnown(s *scratch, column int) bool {
	l, err := s.logits[column], s.errs[column]
	return err <= e.bound && !math.IsInf(e.bound, 1) || e.link.Score(l+err)-e.link.Score(l-err) <= scoreError
}

// binOf returns the bin of a column; guess is the bin to try first.
func (e *Evaluator) binOf(s *scratch, column, guess int) int {
	if j, ok := e.edges.bin(s.logits[column], s.errs[column], guess); ok {
		return j
	}
	return e.settleBin(s, column)
}
