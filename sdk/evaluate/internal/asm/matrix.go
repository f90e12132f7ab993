package main

import (
	"fmt"

	"github.com/hyfair/hyfair/internal/octets"
)

// combine: outs[q][v] = Σ coefs[q][i]·row i[v] over the listed i, to which start[v]
// is added for q = 0.
//
// SI outs, DX coefs, R10 stride, R11 list, R12 its length, R13 outputs left,
// R14 octets left, R9 bytes done, R15 position in the list; the coefficients'
// pointers are in BX, CX, AX and R8.
func (w *writer) combine() {
	w.Begin("combine", "combination")
	w.P("MOVQ combination_outs(DI), SI")
	w.P("MOVQ combination_coefs(DI), DX")
	w.P("MOVQ combination_stride(DI), R10")
	w.P("MOVQ combination_list(DI), R11")
	w.P("MOVQ combination_n(DI), R12")
	w.P("MOVQ combination_outputs(DI), R13")
	w.Outputs(w.isa.combine, func(prefix string, s octets.Shape) {
		w.P("XORQ R9, R9")
		w.P("MOVQ combination_octets(DI), R14")
		w.Blocks(prefix, s.Octets, "R14", "R9", func(o int) { w.combineBlock(fmt.Sprintf("%so%d", prefix, o), s.Outputs, o) })
		w.P("ADDQ $%d, SI", 8*s.Outputs)
		w.P("ADDQ $%d, DX", 8*s.Outputs)
		w.P("SUBQ $%d, R13", s.Outputs)
		w.P("MOVQ $0, combination_start(DI)")
	})
}

func (w *writer) combineBlock(prefix string, outputs, octets int) {
	n := octets * w.PerOctet
	weight := outputs * n
	pointers := []string{"BX", "CX", "AX", "R8"}[:outputs]
	for v := range outputs * n {
		w.Clear(v)
	}
	w.P("MOVQ combination_start(DI), AX")
	w.P("TESTQ AX, AX")
	w.P("JEQ %szero", prefix)
	for v := range n {
		w.P("VMOVUPD %s, %s", w.At(v, "AX", "R9"), w.V(v))
	}
	w.Label("%szero", prefix)
	for q, r := range pointers {
		w.P("MOVQ %d(DX), %s", 8*q, r)
	}
	// There are too few registers: R13 holds the row's address in this loop, and
	// the structure keeps its count of outputs meanwhile.
	w.P("MOVQ R13, combination_outputs(DI)")
	w.P("XORQ R15, R15")
	w.Label("%sitem", prefix)
	w.P("CMPQ R15, R12")
	w.P("JGE %sstore", prefix)
	w.P("MOVLQSX (R11)(R15*4), R13")
	for q, r := range pointers {
		w.P("VBROADCASTSD (%s)(R13*8), %s", r, w.V(weight+q))
	}
	w.P("IMULQ R10, R13")
	w.P("ADDQ combination_rows(DI), R13")
	w.Accumulate(outputs, n, "R13")
	w.P("INCQ R15")
	w.P("JMP %sitem", prefix)
	w.Label("%sstore", prefix)
	w.P("MOVQ combination_outputs(DI), R13")
	for q := range outputs {
		w.P("MOVQ %d(SI), AX", 8*q)
		for v := range n {
			w.P("VMOVUPD %s, %s", w.V(q*n+v), w.At(v, "AX", "R9"))
		}
	}
}

// columns: outs[q][c] = coefs[0][j] + Σ coefs[g][j]·rows[g][c], j = list[q],
// clipped at zero if relu is set, and each output's minimum and maximum.
//
// SI rows, DX coefs, R12 their number, R8 list, R10 outs, R11 ranges, R13
// outputs left, R14 octets left, R9 bytes done, R15 position among the rows,
// AX and BX the outputs' numbers.
func (w *writer) columns() {
	w.Begin("columns", "expansion")
	w.P("MOVQ expansion_rows(DI), SI")
	w.P("MOVQ expansion_coefs(DI), DX")
	w.P("MOVQ expansion_n(DI), R12")
	w.P("MOVQ expansion_list(DI), R8")
	w.P("MOVQ expansion_outs(DI), R10")
	w.P("MOVQ expansion_ranges(DI), R11")
	w.P("MOVQ expansion_outputs(DI), R13")
	w.Outputs(w.isa.columns, func(prefix string, s octets.Shape) {
		w.P("MOVLQSX (R8), AX")
		if s.Outputs == 2 {
			w.P("MOVLQSX 4(R8), BX")
		}
		// Two pairs of registers for minimum and maximum: one per output, or two for
		// a single output, which shortens the dependency chains.
		least := w.isa.zero - 4
		for pair := range 2 {
			w.P("VBROADCASTSD ·infinities+0(SB), %s", w.V(least+2*pair))
			w.P("VBROADCASTSD ·infinities+8(SB), %s", w.V(least+2*pair+1))
		}
		w.P("XORQ R9, R9")
		w.P("MOVQ expansion_octets(DI), R14")
		w.Blocks(prefix, s.Octets, "R14", "R9", func(o int) { w.columnsBlock(fmt.Sprintf("%so%d", prefix, o), s.Outputs, o, least) })
		w.P("TESTQ R11, R11")
		w.P("JEQ %sranged", prefix)
		if s.Outputs == 1 {
			w.P("VMINPD %s, %s, %s", w.V(least+2), w.V(least), w.V(least))
			w.P("VMAXPD %s, %s, %s", w.V(least+3), w.V(least+1), w.V(least+1))
		}
		for q := range s.Outputs {
			w.reduce("VMINPD", least+2*q, 0)
			w.P("VMOVSD X%d, %d(R11)", least+2*q, 16*q)
			w.reduce("VMAXPD", least+2*q+1, 0)
			w.P("VMOVSD X%d, %d(R11)", least+2*q+1, 16*q+8)
		}
		w.P("ADDQ $%d, R11", 16*s.Outputs)
		w.Label("%sranged", prefix)
		w.P("ADDQ $%d, R8", 4*s.Outputs)
		w.P("ADDQ $%d, R10", 8*s.Outputs)
		w.P("SUBQ $%d, R13", s.Outputs)
	})
}

func (w *writer) columnsBlock(prefix string, outputs, octets, least int) {
	n := octets * w.PerOctet
	weight := outputs * n
	numbers := []string{"AX", "BX"}[:outputs]
	w.P("MOVQ (DX), CX")
	for q, j := range numbers {
		w.P("VBROADCASTSD (CX)(%s*8), %s", j, w.V(q*n))
		for v := 1; v < n; v++ {
			w.P("VMOVAPD %s, %s", w.V(q*n), w.V(q*n+v))
		}
	}
	w.P("MOVQ $1, R15")
	w.Label("%srow", prefix)
	w.P("CMPQ R15, R12")
	w.P("JGE %sstore", prefix)
	w.P("MOVQ (DX)(R15*8), CX")
	for q, j := range numbers {
		w.P("VBROADCASTSD (CX)(%s*8), %s", j, w.V(weight+q))
	}
	w.P("MOVQ (SI)(R15*8), CX")
	w.Accumulate(outputs, n, "CX")
	w.P("INCQ R15")
	w.P("JMP %srow", prefix)
	w.Label("%sstore", prefix)
	w.P("CMPQ expansion_relu(DI), $0")
	w.P("JEQ %slinear", prefix)
	w.Clear(w.isa.zero)
	for v := range outputs * n {
		// If both are zeros or one is NaN, the result is the second operand, which
		// is written first here.
		w.P("VMAXPD %s, %s, %s", w.V(w.isa.zero), w.V(v), w.V(v))
	}
	w.Label("%slinear", prefix)
	for q := range outputs {
		w.P("MOVQ %d(R10), CX", 8*q)
		for v := range n {
			w.P("VMOVUPD %s, %s", w.V(q*n+v), w.At(v, "CX", "R9"))
		}
	}
	w.P("TESTQ R11, R11")
	w.P("JEQ %sranged", prefix)
	for q := range outputs {
		for v := range n {
			pair := least + 2*q
			if outputs == 1 {
				pair = least + v%2*2
			}
			w.P("VMINPD %s, %s, %s", w.V(q*n+v), w.V(pair), w.V(pair))
			w.P("VMAXPD %s, %s, %s", w.V(q*n+v), w.V(pair+1), w.V(pair+1))
		}
	}
	w.Label("%sranged", prefix)
}
