package evaluate

import (
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Copies are an individual's allowed counterfactuals, an entry each, in the order
// of space.Counterfactuals.
type Copies struct {
	// Combinations are their protected combinations, as numbers that Point
	// understands.
	Combinations []int
	// Scores are in float64 arithmetic, as Outcome.Gap is, or off by less than 1e-9.
	Scores []float64
	// Bins count from 0; exact.
	Bins []int
}

// scoreError is how far a score may be off that float64 arithmetic has no bound for beforehand.
const scoreError = 1e-9

// Copies tells of each of x's counterfactuals what Evaluate tells of all
// together, and allocates. There are none where x is not in the space.
func (e *Evaluator) Copies(x []float64) Copies {
	s := e.pool.Get().(*scratch)
	defer e.pool.Put(s)
	return e.copies(s, x)
}

// CopiesAll is Copies for many, as EvaluateAll is Evaluate.
func (e *Evaluator) CopiesAll(xs [][]float64, out []Copies) {
	out = out[:len(xs)]
	e.all(len(xs), func(s *scratch, from, to int) {
		for i := from; i < to; i++ {
			out[i] = e.copies(s, xs[i])
		}
	})
}

func (e *Evaluator) copies(s *scratch, x []float64) Copies {
	proven := e.load(s, x)
	c := Copies{Combinations: make([]int, s.n), Scores: make([]float64, s.n), Bins: make([]int, s.n)}
	known := s.n > 0 && e.score(s, proven)
	if known {
		s.spell()
		fill(s.errs[:s.n], e.bound)
	}
	bin := 0
	for column := range s.n {
		if !known {
			e.refine(s, column)
			l, err := s.logits[column], s.errs[column]
			if !(fairness.Sigmoid(l+err)-fairness.Sigmoid(l-err) <= scoreError) { // terms cancel, or overflow
				e.exactLogit(s, column)
			}
		}
		c.Combinations[column], c.Scores[column] = int(s.combos[column]), fairness.Sigmoid(s.logits[column])
		bin = e.binOf(s, column, bin)
		c.Bins[column] = bin
	}
	return c
}

// binOf is the bin of a column, of which guess is the bin to try first.
func (e *Evaluator) binOf(s *scratch, column, guess int) int {
	if j, ok := e.edges.bin(s.logits[column], s.errs[column], guess); ok {
		return j
	}
	return e.settleBin(s, column)
}
