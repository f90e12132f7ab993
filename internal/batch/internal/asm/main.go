// Command asm writes the vector kernels of internal/batch as Go assembly, once for AVX2
// with FMA and once for AVX-512. Each kernel's plain counterpart in lanes.go says what it
// computes and in which order; the results are the same to the last bit.
package main

import "github.com/hyfair/hyfair/internal/octets"

// isa is an instruction set and the block shapes of product with it.
type isa struct {
	octets.Set
	product []octets.Shape
}

var sets = []isa{
	{octets.AVX2, []octets.Shape{{Outputs: 2, Octets: []int{2, 1}}, {Outputs: 1, Octets: []int{4, 2, 1}}}},
	{octets.AVX512, []octets.Shape{{Outputs: 4, Octets: []int{4, 2, 1}}, {Outputs: 2, Octets: []int{8, 4, 2, 1}}, {Outputs: 1, Octets: []int{8, 4, 2, 1}}}},
}

func main() { octets.Main(generate) }

// generate returns the text of the assembly file.
func generate() string {
	w := &writer{}
	w.Start("internal/batch/internal/asm")
	for _, s := range sets {
		w.Set, w.isa = s.Set, s
		w.product()
		w.relax()
		w.split()
		w.enclose()
		w.spread()
		w.strip()
		w.halve()
		w.align()
		w.moment()
		w.hinge()
		w.lowest()
	}
	return w.String()
}

// writer writes the kernels of one file.
type writer struct {
	octets.Writer
	isa isa
}

// magnitude leaves |a| in b; mask holds a number of which only the sign bit is set.
func (w *writer) magnitude(mask, a, b int) {
	if w.Reg == "Z" {
		w.P("VANDNPD Z%d, Z%d, Z%d", a, mask, b)
	} else {
		w.P("VANDNPD Y%d, Y%d, Y%d", a, mask, b)
	}
}
