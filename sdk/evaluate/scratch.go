package evaluate

import (
	"math"
	"math/big"
)

// scratch is the memory of one goroutine: an individual and the state of its
// columns, one per counterfactual.
type scratch struct {
	*working
	x       []float64
	n       int     // columns
	combos  []int32 // by column: its protected combination
	allowed []int32 // memory for combos
	logits  []float64
	ends    span // the least and the greatest of logits
	same    bool // every logit is ends.least, and logits is not filled in
	// The exact logit of column c is within errs[c] of logits[c]. errs is set only
	// if the kernel's logits do not decide.
	errs   []float64
	point  []float64    // an individual completed by a combination
	values [2][]float64 // activations and their error bounds, for careful
	bounds [2][]float64
	counts []int32 // how many columns lie in each bin; 0 between individuals
	bins   []int   // the columns' bins, if there are too many for counts
	extent extent
	census census
	above  []int64 // results of census
}

func (e *Evaluator) newScratch() *scratch {
	width := e.mapping.inputs
	for i := range e.layers {
		width = max(width, e.layers[i].out)
	}
	columns := (e.combos.count + 7) &^ 7
	s := &scratch{
		allowed: make([]int32, 0, e.combos.count),
		logits:  make([]float64, columns),
		errs:    make([]float64, columns),
		point:   make([]float64, len(e.space.Features)),
		counts:  make([]int32, len(e.edges.above)),
		above:   make([]int64, 2*maxCounted),
	}
	if e.kernel != nil {
		s.working = e.kernel.working(e.mapping.inputs)
	} else if e.varying != nil {
		s.working = &working{inputs: make([]float64, e.mapping.inputs)}
	}
	for i := range s.values {
		s.values[i], s.bounds[i] = make([]float64, width), make([]float64, width)
	}
	return s
}

// load makes x the individual of s, without columns if x is not in the space. proven
// reports that x lies in the domains, for which e.bound holds.
func (e *Evaluator) load(s *scratch, x []float64) (proven bool) {
	s.x, s.n = x, 0
	proven = e.mapping.contains(x)
	if !proven && !e.defined(x) {
		return false
	}
	s.combos = e.combos.of(s.allowed, x)
	s.n = len(s.combos)
	return proven
}

// defined reports whether network inputs can be computed from x, inside the domains
// or not.
func (e *Evaluator) defined(x []float64) bool {
	if len(x) != len(e.space.Features) {
		return false
	}
	for i := range e.space.Features {
		if f := &e.space.Features[i]; !f.IsProtected() && !defined(f, x[i]) {
			return false
		}
	}
	return true
}

// score computes the logits of all columns and their range; known reports that
// they are within e.bound of the exact ones. Otherwise they are zeros with infinite
// errors. s must have at least one column.
func (e *Evaluator) score(s *scratch, proven bool) (known bool) {
	if !proven || math.IsInf(e.bound, 1) {
		clear(s.logits[:s.n])
		fill(s.errs[:s.n], math.Inf(1))
		return false
	}
	apply(e.mapping.shared, s.inputs, s.x)
	if e.varying != nil {
		if !e.others(s) {
			fill(s.errs[:s.n], math.Inf(1))
			clear(s.logits[:s.n])
			return false
		}
	} else {
		s.ends, s.same = e.kernel.logits(s.working, s.logits)
	}
	if s.n < e.combos.count && !s.same {
		s.pick()
	}
	return true
}

// others computes the logits of all combinations for a model.Varying.
func (e *Evaluator) others(s *scratch) (known bool) {
	off := s.bounds[0][:e.mapping.inputs]
	for i := range e.mapping.shared {
		f := &e.mapping.shared[i]
		off[f.Index] = f.inputError(s.x[f.feature])
	}
	if known = e.varying.Logits(s.inputs, off, s.logits); !known {
		return false
	}
	for column := e.combos.count; column%8 != 0; column++ {
		s.logits[column] = s.logits[e.combos.count-1]
	}
	s.ends = span{math.Inf(1), math.Inf(-1)}
	for _, l := range s.logits[:e.combos.count] {
		s.ends = span{min(s.ends.least, l), max(s.ends.most, l)}
	}
	s.same = s.ends.least == s.ends.most
	return true
}

// pick keeps the logits of the allowed combinations.
func (s *scratch) pick() {
	s.ends = span{math.Inf(1), math.Inf(-1)}
	for column, combo := range s.combos {
		l := s.logits[combo]
		s.logits[column] = l
		s.ends = span{min(s.ends.least, l), max(s.ends.most, l)}
	}
	for column := s.n; column%8 != 0; column++ {
		s.logits[column] = s.logits[s.n-1]
	}
}

// spell fills in the logits if all are the same.
func (s *scratch) spell() {
	if s.same {
		fill(s.logits[:s.n], s.ends.least)
	}
}

// complete returns the point of a column, which the next call overwrites.
func (e *Evaluator) complete(s *scratch, column int) []float64 {
	copy(s.point, s.x)
	e.combos.complete(s.point, int(s.combos[column]))
	return s.point
}

// around returns float64 numbers below and above r, or r twice if it is exact.
func around(r *big.Rat) (below, above float64) {
	v, exact := r.Float64()
	if exact {
		return v, v
	}
	return math.Nextafter(v, math.Inf(-1)), math.Nextafter(v, math.Inf(1))
}
