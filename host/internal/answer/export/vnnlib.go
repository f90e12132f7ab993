package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/problem"
)

// maxCases bounds the alternatives of protected values that a property spells
// out. Verifiers that split them look at each in turn.
const maxCases = 10_000

// WriteNetwork writes, as ONNX, the network that the vnnlib format's property
// of this query speaks of: see product. Its weights are those of q.Network,
// exactly, as float32 where all of them are, else as float64.
func WriteNetwork(w io.Writer, q *problem.Query) error {
	if err := q.Validate(); err != nil {
		return err
	}
	p, err := newProduct(q)
	if err != nil {
		return err
	}
	return modelfile.WriteONNXLayers(w, p.layers, p.double)
}

// writeProperty writes the VNN-LIB 1.0 property that holds where the copies
// violate the notion.
func writeProperty(w *writer, prob *problem.Problem) error {
	p, err := newProduct(prob.Query)
	if err != nil {
		return err
	}
	w.comments(p.loose...)
	for _, name := range p.rounded {
		w.comments(fmt.Sprintf("the codes of %+q are met up to the rounding of their differences", name))
	}
	for i, in := range p.inputs {
		w.printf("(declare-const X_%d Real) ; %s\n", i, printable(in.name()))
	}
	for j, o := range p.outputs {
		w.printf("(declare-const Y_%d Real) ; %s\n", j, printable(o.about))
	}
	cases := 1
	for i, in := range p.inputs {
		x := fmt.Sprintf("X_%d", i)
		w.printf("(assert (>= %s %s))\n(assert (<= %s %s))\n", x, plain(in.lo), x, plain(in.hi))
		if n := len(in.values); n > 1 {
			if cases > maxCases/n {
				w.comments(x + " may take every real value between its ends: there are too many cases to list")
				continue
			}
			cases *= n
			w.printf("(assert (or%s))\n", alternatives(x, in.values))
		}
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
