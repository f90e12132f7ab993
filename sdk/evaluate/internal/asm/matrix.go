package main

import "fmt"

// blocks writes a loop over a number of octets in the largest blocks there are:
// left counts the octets to come, offset the bytes done; body is given the size
// of its block and must keep both.
func (w *writer) blocks(prefix string, octets []int, left, offset string, body func(octets int)) {
	done := prefix + "done"
	for i, o := range octets {
		name, next := fmt.Sprintf("%sblock%d", prefix, o), done
		if i+1 < len(octets) {
			next = fmt.Sprintf("%sblock%d", prefix, octets[i+1])
		}
		w.label("%s", name)
		w.p("CMPQ %s, $%d", left, o)
		w.p("JLT %s", next)
		body(o)
		w.p("SUBQ $%d, %s", o, left)
		w.p("ADDQ $%d, %s", o*64, offset)
		w.p("JMP %s", name)
	}
	w.label("%s", done)
}

// combine: outs[q][v] = Σ coefs[q][i]·row i[v] over the listed i, to which start[v]
// is added for q = 0.
//
// SI outs, DX coefs, R10 stride, R11 list, R12 its length, R13 outputs left,
// R14 octets left, R9 bytes done, R15 position in the list; the coefficients'
// pointers are in BX, CX, AX and R8.
func (w *writer) combine() {
	w.begin("combine", "combination")
	w.p("MOVQ combination_outs(DI), SI")
	w.p("MOVQ combination_coefs(DI), DX")
	w.p("MOVQ combination_stride(DI), R10")
	w.p("MOVQ combination_list(DI), R11")
	w.p("MOVQ combination_n(DI), R12")
	w.p("MOVQ combination_outputs(DI), R13")
	for i, s := range w.isa.combine {
		name, next := fmt.Sprintf("outputs%d", s.outputs), "end"
		if i+1 < len(w.isa.combine) {
			next = fmt.Sprintf("outputs%d", w.isa.combine[i+1].outputs)
		}
		w.label("%s", name)
		w.p("CMPQ R13, $%d", s.outputs)
		w.p("JLT %s", next)
		w.p("XORQ R9, R9")
		w.p("MOVQ combination_octets(DI), R14")
		prefix := fmt.Sprintf("q%d", s.outputs)
		w.blocks(prefix, s.octets, "R14", "R9", func(o int) { w.combineBlock(fmt.Sprintf("%so%d", prefix, o), s.outputs, o) })
		w.p("ADDQ $%d, SI", 8*s.outputs)
		w.p("ADDQ $%d, DX", 8*s.outputs)
		w.p("SUBQ $%d, R13", s.outputs)
		w.p("MOVQ $0, combination_start(DI)")
		w.p("JMP %s", name)
	}
	w.label("end")
	w.end()
}

func (w *writer) combineBlock(prefix string, outputs, octets int) {
	n := octets * w.perOctet
	weight, row := outputs*n, outputs*n+outputs
	pointers := []string{"BX", "CX", "AX", "R8"}[:outputs]
	for v := range outputs * n {
		w.clear(v)
	}
	w.p("MOVQ combination_start(DI), AX")
	w.p("TESTQ AX, AX")
	w.p("JEQ %szero", prefix)
	for v := range n {
		w.p("VMOVUPD %s, %s", w.at(v, "AX", "R9"), w.v(v))
	}
	w.label("%szero", prefix)
	for q, r := range pointers {
		w.p("MOVQ %d(DX), %s", 8*q, r)
	}
	// Registers run out: with the list's position in R15, the row's address is
	// made in R13, whose count of outputs waits on in the structure.
	w.p("MOVQ R13, combination_outputs(DI)")
	w.p("XORQ R15, R15")
	w.label("%sitem", prefix)
	w.p("CMPQ R15, R12")
	w.p("JGE %sstore", prefix)
	w.p("MOVLQSX (R11)(R15*4), R13")
	for q, r := range pointers {
		w.p("VBROADCASTSD (%s)(R13*8), %s", r, w.v(weight+q))
	}
	w.p("IMULQ R10, R13")
	w.p("ADDQ combination_rows(DI), R13")
	for v := range n {
		if outputs == 1 {
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "R13", "R9"), w.v(weight), w.v(v))
			continue
		}
		w.p("VMOVUPD %s, %s", w.at(v, "R13", "R9"), w.v(row))
		for q := range outputs {
			w.p("VFMADD231PD %s, %s, %s", w.v(row), w.v(weight+q), w.v(q*n+v))
		}
	}
	w.p("INCQ R15")
	w.p("JMP %sitem", prefix)
	w.label("%sstore", prefix)
	w.p("MOVQ combination_outputs(DI), R13")
	for q := range outputs {
		w.p("MOVQ %d(SI), AX", 8*q)
		for v := range n {
			w.p("VMOVUPD %s, %s", w.v(q*n+v), w.at(v, "AX", "R9"))
		}
	}
}

// columns: outs[q][c] = coefs[0][j] + Σ coefs[g][j]·rows[g][c], j = list[q],
// clipped at zero where relu is set, and each output's least and greatest.
//
// SI rows, DX coefs, R12 their number, R8 list, R10 outs, R11 ranges, R13
// outputs left, R14 octets left, R9 bytes done, R15 position among the rows,
// AX and BX the outputs' numbers.
func (w *writer) columns() {
	w.begin("columns", "expansion")
	w.p("MOVQ expansion_rows(DI), SI")
	w.p("MOVQ expansion_coefs(DI), DX")
	w.p("MOVQ expansion_n(DI), R12")
	w.p("MOVQ expansion_list(DI), R8")
	w.p("MOVQ expansion_outs(DI), R10")
	w.p("MOVQ expansion_ranges(DI), R11")
	w.p("MOVQ expansion_outputs(DI), R13")
	for i, s := range w.isa.columns {
		name, next := fmt.Sprintf("outputs%d", s.outputs), "end"
		if i+1 < len(w.isa.columns) {
			next = fmt.Sprintf("outputs%d", w.isa.columns[i+1].outputs)
		}
		w.label("%s", name)
		w.p("CMPQ R13, $%d", s.outputs)
		w.p("JLT %s", next)
		w.p("MOVLQSX (R8), AX")
		if s.outputs == 2 {
			w.p("MOVLQSX 4(R8), BX")
		}
		// Two pairs of registers for least and greatest: one an output, or two for
		// the only one, which makes the chains of operations shorter.
		least := w.zero - 4
		for pair := range 2 {
			w.p("VBROADCASTSD ·infinities+0(SB), %s", w.v(least+2*pair))
			w.p("VBROADCASTSD ·infinities+8(SB), %s", w.v(least+2*pair+1))
		}
		w.p("XORQ R9, R9")
		w.p("MOVQ expansion_octets(DI), R14")
		prefix := fmt.Sprintf("q%d", s.outputs)
		w.blocks(prefix, s.octets, "R14", "R9", func(o int) { w.columnsBlock(fmt.Sprintf("%so%d", prefix, o), s.outputs, o, least) })
		w.p("TESTQ R11, R11")
		w.p("JEQ %sranged", prefix)
		if s.outputs == 1 {
			w.p("VMINPD %s, %s, %s", w.v(least+2), w.v(least), w.v(least))
			w.p("VMAXPD %s, %s, %s", w.v(least+3), w.v(least+1), w.v(least+1))
		}
		for q := range s.outputs {
			w.reduce("VMINPD", least+2*q, 0)
			w.p("VMOVSD X%d, %d(R11)", least+2*q, 16*q)
			w.reduce("VMAXPD", least+2*q+1, 0)
			w.p("VMOVSD X%d, %d(R11)", least+2*q+1, 16*q+8)
		}
		w.p("ADDQ $%d, R11", 16*s.outputs)
		w.label("%sranged", prefix)
		w.p("ADDQ $%d, R8", 4*s.outputs)
		w.p("ADDQ $%d, R10", 8*s.outputs)
		w.p("SUBQ $%d, R13", s.outputs)
		w.p("JMP %s", name)
	}
	w.label("end")
	w.end()
}

func (w *writer) columnsBlock(prefix string, outputs, octets, least int) {
	n := octets * w.perOctet
	weight, row := outputs*n, outputs*n+outputs
	numbers := []string{"AX", "BX"}[:outputs]
	w.p("MOVQ (DX), CX")
	for q, j := range numbers {
		w.p("VBROADCASTSD (CX)(%s*8), %s", j, w.v(q*n))
		for v := 1; v < n; v++ {
			w.p("VMOVAPD %s, %s", w.v(q*n), w.v(q*n+v))
		}
	}
	w.p("MOVQ $1, R15")
	w.label("%srow", prefix)
	w.p("CMPQ R15, R12")
	w.p("JGE %sstore", prefix)
	w.p("MOVQ (DX)(R15*8), CX")
	for q, j := range numbers {
		w.p("VBROADCASTSD (CX)(%s*8), %s", j, w.v(weight+q))
	}
	w.p("MOVQ (SI)(R15*8), CX")
	for v := range n {
		if outputs == 1 {
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "CX", "R9"), w.v(weight), w.v(v))
			continue
		}
		w.p("VMOVUPD %s, %s", w.at(v, "CX", "R9"), w.v(row))
		for q := range outputs {
			w.p("VFMADD231PD %s, %s, %s", w.v(row), w.v(weight+q), w.v(q*n+v))
		}
	}
	w.p("INCQ R15")
	w.p("JMP %srow", prefix)
	w.label("%sstore", prefix)
	w.p("CMPQ expansion_relu(DI), $0")
	w.p("JEQ %slinear", prefix)
	w.clear(w.zero)
	for v := range outputs * n {
		// Where both are zeros or one is no number, the second operand, written
		// first here, is the result.
		w.p("VMAXPD %s, %s, %s", w.v(w.zero), w.v(v), w.v(v))
	}
	w.label("%slinear", prefix)
	for q := range outputs {
		w.p("MOVQ %d(R10), CX", 8*q)
		for v := range n {
			w.p("VMOVUPD %s, %s", w.v(q*n+v), w.at(v, "CX", "R9"))
		}
	}
	w.p("TESTQ R11, R11")
	w.p("JEQ %sranged", prefix)
	for q := range outputs {
		for v := range n {
			pair := least + 2*q
			if outputs == 1 {
				pair = least + v%2*2
			}
			w.p("VMINPD %s, %s, %s", w.v(q*n+v), w.v(pair), w.v(pair))
			w.p("VMAXPD %s, %s, %s", w.v(q*n+v), w.v(pair+1), w.v(pair+1))
		}
	}
	w.label("%sranged", prefix)
}
