package main

import (
	"fmt"

	"github.com/hyfair/hyfair/internal/octets"
)

// product: outs[q][v] = Σ coefs[q][i]·rows[i][v] over the listed i, for q = 0 on
// top of start[v].
//
// SI out, DX coefs, R11 list, R12 its length, R13 outputs left, R14 octets left,
// R9 bytes done, R15 position in the list, R10 the row; the coefficients'
// pointers are in BX, CX, AX and R8.
func (w *writer) product() {
	w.Begin("product", "product")
	w.P("MOVQ product_out(DI), SI")
	w.P("MOVQ product_coefs(DI), DX")
	w.P("MOVQ product_list(DI), R11")
	w.P("MOVQ product_n(DI), R12")
	w.P("MOVQ product_outputs(DI), R13")
	w.Outputs(w.isa.product, func(prefix string, s octets.Shape) {
		w.P("XORQ R9, R9")
		w.P("MOVQ product_octets(DI), R14")
		w.Blocks(prefix, s.Octets, "R14", "R9", func(o int) { w.productBlock(fmt.Sprintf("%so%d", prefix, o), s.Outputs, o) })
		for range s.Outputs {
			w.P("ADDQ product_outStride(DI), SI")
			w.P("ADDQ product_coefStride(DI), DX")
		}
		w.P("SUBQ $%d, R13", s.Outputs)
		w.P("MOVQ $0, product_start(DI)")
	})
}

func (w *writer) productBlock(prefix string, outputs, octets int) {
	n := octets * w.PerOctet
	weight := outputs * n
	pointers := []string{"BX", "CX", "AX", "R8"}[:outputs]
	for v := range outputs * n {
		w.Clear(v)
	}
	w.P("MOVQ product_start(DI), R10")
	w.P("TESTQ R10, R10")
	w.P("JEQ %szero", prefix)
	for v := range n {
		w.P("VMOVUPD %s, %s", w.At(v, "R10", "R9"), w.V(v))
	}
	w.Label("%szero", prefix)
	for q, r := range pointers {
		if q == 0 {
			w.P("MOVQ DX, %s", r)
			continue
		}
		w.P("MOVQ %s, %s", pointers[q-1], r)
		w.P("ADDQ product_coefStride(DI), %s", r)
	}
	w.P("XORQ R15, R15")
	w.Label("%sitem", prefix)
	w.P("CMPQ R15, R12")
	w.P("JGE %sstore", prefix)
	w.P("MOVLQSX (R11)(R15*4), R10")
	for q, r := range pointers {
		w.P("VBROADCASTSD (%s)(R10*8), %s", r, w.V(weight+q))
	}
	w.P("IMULQ product_stride(DI), R10")
	w.P("ADDQ product_rows(DI), R10")
	w.Accumulate(outputs, n, "R10")
	w.P("INCQ R15")
	w.P("JMP %sitem", prefix)
	w.Label("%sstore", prefix)
	w.P("MOVQ SI, R10")
	for q := range outputs {
		if q > 0 {
			w.P("ADDQ product_outStride(DI), R10")
		}
		for v := range n {
			w.P("VMOVUPD %s, %s", w.V(q*n+v), w.At(v, "R10", "R9"))
		}
	}
}
