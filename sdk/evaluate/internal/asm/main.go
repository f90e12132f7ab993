// Command asm writes the vector kernels of sdk/evaluate as Go assembly, once
// for AVX2 with FMA and once for AVX-512. The plain Go functions in lanes_scalar.go
// define what each kernel computes, and in which order; the results are the same to
// the last bit.
package main

import "github.com/hyfair/hyfair/internal/octets"

// isa is one instruction set.
type isa struct {
	octets.Set
	zero int // the register that holds zeros
	// columns and combine list how many outputs the kernel of that name computes
	// together, and how many octets of each at once, largest first.
	columns, combine []octets.Shape
}

var sets = []isa{
	{Set: octets.AVX2, zero: 15,
		columns: []octets.Shape{{Outputs: 2, Octets: []int{2, 1}}, {Outputs: 1, Octets: []int{4, 2, 1}}},
		combine: []octets.Shape{{Outputs: 2, Octets: []int{2, 1}}, {Outputs: 1, Octets: []int{4, 2, 1}}}},
	{Set: octets.AVX512, zero: 31,
		columns: []octets.Shape{{Outputs: 2, Octets: []int{12, 8, 4, 2, 1}}, {Outputs: 1, Octets: []int{12, 4, 2, 1}}},
		combine: []octets.Shape{{Outputs: 4, Octets: []int{4, 2, 1}}, {Outputs: 2, Octets: []int{4, 2, 1}}, {Outputs: 1, Octets: []int{8, 4, 2, 1}}}},
}

func main() { octets.Main(generate) }

// generate returns the text of lanes_amd64.s: all six kernels for each instruction set.
func generate() string {
	w := &writer{}
	w.Start("sdk/evaluate/internal/asm")
	for _, s := range sets {
		w.Set, w.isa = s.Set, s
		w.combine()
		w.columns()
		w.bounds()
		w.signs()
		w.places()
		w.counts()
	}
	return w.String()
}

// writer writes the kernels of one file.
type writer struct {
	octets.Writer
	isa isa
}

// reduce leaves the least (op VMINPD) or greatest (VMAXPD) number of register n
// in its lowest lane; t is a scratch register.
func (w *writer) reduce(op string, n, t int) {
	if w.Reg == "Z" {
		w.P("VEXTRACTF64X4 $1, Z%d, Y%d", n, t)
		w.P("%s Y%d, Y%d, Y%d", op, t, n, n)
		w.P("VEXTRACTF64X2 $1, Y%d, X%d", n, t)
	} else {
		w.P("VEXTRACTF128 $1, Y%d, X%d", n, t)
	}
	w.P("%s X%d, X%d, X%d", op, t, n, n)
	w.P("VPERMILPD $1, X%d, X%d", n, t)
	w.P("%s X%d, X%d, X%d", op, t, n, n)
}
