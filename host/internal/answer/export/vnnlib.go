package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// maxCases bounds the pairs of protected combinations that a property lists, or that get one
// file each. Verifiers that split on pairs solve each in turn.
const maxCases = 10_000

// pair holds the protected values of copy 1 and of copy 2, in the order of Space.Protected.
type pair [2][]float64

// pairsOf returns the ordered pairs of unequal protected combinations of a region. Equal copies
// violate nothing, but their tie at 0 would count. ok is false if there are too many pairs.
func pairsOf(s *space.Space, region space.Region) (pairs []pair, ok bool) {
	n := 1
	for _, i := range s.Protected() {
		if n *= len(region.Values[i]); n*(n-1) > maxCases {
			return nil, false
		}
	}
	combinations := [][]float64{nil}
	for _, i := range s.Protected() {
		var longer [][]float64
		for _, c := range combinations {
			for _, v := range region.Values[i] {
				longer = append(longer, append(slices.Clone(c), v))
			}
		}
		combinations = longer
	}
	for i, one := range combinations {
		for k, two := range combinations {
			if i != k {
				pairs = append(pairs, pair{one, two})
			}
		}
	}
	return pairs, true
}

// Write writes the lowered problem as the function Write does; for a single pair, the property
// that these two copies violate the notion.
func (l *Lowered) Write(w io.Writer, f Format, comments ...string) error {
	if l.pair == nil {
		return Write(w, f, l.Problem, comments...)
	}
	f.write = func(w *writer, p *problem.Problem) error { return writePairs(w, p.Query, []pair{*l.pair}) }
	return Write(w, f, l.Problem, comments...)
}

// WriteNetwork writes the network of the query's VNN-LIB property as ONNX: see product. Its
// weights are exactly those of q.Model, as float32 if all of them are, else as float64.
func WriteNetwork(w io.Writer, q *problem.Query) error {
	if err := q.Validate(); err != nil {
		return err
	}
	p, err := newProduct(q)
	if err != nil {
		return err
	}
	return onnx.WriteLayers(w, p.layers, p.double)
}

// writeProperty writes the VNN-LIB 1.0 property that the copies violate the notion.
func writeProperty(w *writer, prob *problem.Problem) error {
	pairs, _ := pairsOf(prob.Query.Space, prob.Query.RegionOrWhole())
	return writePairs(w, prob.Query, pairs)
}

// writePairs writes the property for these pairs of protected combinations: a single pair as a
// box, several as alternatives. No pairs means that there are too many: then each copy's values
// are listed separately.
func writePairs(w *writer, q *problem.Query, pairs []pair) error {
	p, err := newProduct(q)
	if err != nil {
		return err
	}
	w.comments(p.loose...)
	for _, name := range p.rounded {
		w.comments(fmt.Sprintf("the table of %+q is reproduced up to the rounding of its differences", name))
	}
	for i, in := range p.inputs {
		w.printf("(declare-const X_%d Real) ; %s\n", i, printable(in.name()))
	}
	for j, o := range p.outputs {
		w.printf("(declare-const Y_%d Real) ; %s\n", j, printable(o.about))
	}
	first := len(p.inputs) - 2*len(q.Space.Protected()) // the first copy's protected values
	if len(pairs) == 1 {
		for i, v := range slices.Concat(pairs[0][0], pairs[0][1]) {
			p.inputs[first+i].lo, p.inputs[first+i].hi = v, v
		}
	}
	cases := 1
	for i, in := range p.inputs {
		x := fmt.Sprintf("X_%d", i)
		w.printf("(assert (>= %s %s))\n(assert (<= %s %s))\n", x, plain(in.lo), x, plain(in.hi))
		if n := len(in.values); n > 1 && len(pairs) == 0 {
			if cases > maxCases/n {
				w.comments(x + " may take every real value between its ends: there are too many cases to list")
				continue
			}
			cases *= n
			w.printf("(assert (or%s))\n", alternatives(x, in.values))
		}
	}
	if len(pairs) > 1 {
		w.printf("(assert (or")
		for _, c := range pairs {
			w.printf("\n  (and")
			for i, v := range slices.Concat(c[0], c[1]) {
				w.printf(" (>= X_%d %s) (<= X_%d %s)", first+i, plain(v), first+i, plain(v))
			}
			w.printf(")")
		}
		w.printf("))\n")
	}
	for j, o := range p.outputs {
		if o.lo != "" {
			w.printf("(assert (>= Y_%d %s))\n", j, o.lo)
		}
		if o.hi != "" {
			w.printf("(assert (<= Y_%d %s))\n", j, o.hi)
		}
	}
	return nil
}

func (in *productInput) name() string {
	if in.copy == 0 {
		return in.feature.Name
	}
	return fmt.Sprintf("%s of copy %d", in.feature.Name, in.copy)
}

func alternatives(x string, values []float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, " (and (>= %s %s) (<= %s %s))", x, plain(v), x, plain(v))
	}
	return b.String()
}
