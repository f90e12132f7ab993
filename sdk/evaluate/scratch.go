package evaluate

import (
	"math"
	"math/big"
	"slices"
)

// scratch is the working memory of one goroutine: a group of individuals and
// what is known of its columns.
type scratch struct {
	group
	errs   []float64 // the exact logit of column c is within errs[c] of logits[c]
	kernel any
	point  []float64    // an individual completed by a combination
	values [2][]float64 // activations and their error bounds, for careful
	bounds [2][]float64
	// seen[j] == epoch marks bin j as counted for the current individual.
	seen  []uint32
	epoch uint32
}

func (e *Evaluator) newScratch() *scratch {
	width := e.mapping.inputs
	for i := range e.layers {
		width = max(width, e.layers[i].out)
	}
	s := &scratch{
		kernel: e.kernel.scratch(),
		point:  make([]float64, len(e.space.Features)),
		seen:   make([]uint32, len(e.edges.below)-1),
	}
	for i := range s.values {
		s.values[i], s.bounds[i] = make([]float64, width), make([]float64, width)
	}
	return s
}

// begin empties the group.
func (s *scratch) begin() {
	s.members, s.inputs, s.combos = s.members[:0], s.inputs[:0], s.combos[:0]
}

// add makes x a member of the group: one without columns where it is not in
// the space.
func (e *Evaluator) add(s *scratch, x []float64) {
	m := member{x: x, from: len(s.combos), inDomain: true}
	at := len(s.inputs)
	s.inputs = slices.Grow(s.inputs, e.mapping.inputs)[:at+e.mapping.inputs]
	if e.defined(x) {
		m.inDomain = e.space.ContainsIndividual(x)
		s.combos = e.combos.allowed(s.combos, x)
		apply(e.mapping.shared, s.inputs[at:], x)
	}
	m.to = len(s.combos)
	s.members = append(s.members, m)
}

// defined reports whether x makes network inputs, inside its domain or not.
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

// score computes the logits of all columns and what is proven of their errors.
func (e *Evaluator) score(s *scratch) {
	columns := len(s.combos)
	s.logits = slices.Grow(s.logits[:0], columns)[:columns]
	s.errs = slices.Grow(s.errs[:0], columns)[:columns]
	e.kernel.logits(s.kernel, &s.group)
	for i := range s.members {
		m := &s.members[i]
		err := e.bound
		if !m.inDomain {
			err = math.Inf(1)
		}
		for c := m.from; c < m.to; c++ {
			s.errs[c] = err
			if math.IsInf(err, 1) {
				s.logits[c] = 0 // it may be anything, not a number included
			}
		}
	}
}

// complete is the point of a column. It is overwritten by the next call.
func (e *Evaluator) complete(s *scratch, m *member, column int) []float64 {
	copy(s.point, m.x)
	e.combos.complete(s.point, int(s.combos[column]))
	return s.point
}

// around gives float64 numbers below and above r, neighbours or equal.
func around(r *big.Rat) (below, above float64) {
	v, exact := r.Float64()
	if exact {
		return v, v
	}
	return math.Nextafter(v, math.Inf(-1)), math.Nextafter(v, math.Inf(1))
}
