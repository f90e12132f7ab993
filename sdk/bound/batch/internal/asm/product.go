package main

import "fmt"

// product: outs[q][v] = Σ coefs[q][i]·rows[i][v] over the listed i, for q = 0 on
// top of start[v].
//
// SI out, DX coefs, R11 list, R12 its length, R13 outputs left, R14 octets left,
// R9 bytes done, R15 position in the list, R10 the row; the coefficients'
// pointers are in BX, CX, AX and R8.
func (w *writer) product() {
	w.begin("product", "product")
	w.p("MOVQ product_out(DI), SI")
	w.p("MOVQ product_coefs(DI), DX")
	w.p("MOVQ product_list(DI), R11")
	w.p("MOVQ product_n(DI), R12")
	w.p("MOVQ product_outputs(DI), R13")
	for i, s := range w.isa.product {
		name, next := fmt.Sprintf("outputs%d", s.outputs), "end"
		if i+1 < len(w.isa.product) {
			next = fmt.Sprintf("outputs%d", w.isa.product[i+1].outputs)
		}
		w.label("%s", name)
		w.p("CMPQ R13, $%d", s.outputs)
		w.p("JLT %s", next)
		w.p("XORQ R9, R9")
		w.p("MOVQ product_octets(DI), R14")
		prefix := fmt.Sprintf("q%d", s.outputs)
		w.blocks(prefix, s.octets, "R14", "R9", func(o int) { w.productBlock(fmt.Sprintf("%so%d", prefix, o), s.outputs, o) })
		for range s.outputs {
			w.p("ADDQ product_outStride(DI), SI")
			w.p("ADDQ product_coefStride(DI), DX")
		}
		w.p("SUBQ $%d, R13", s.outputs)
		w.p("MOVQ $0, product_start(DI)")
		w.p("JMP %s", name)
	}
	w.label("end")
	w.end()
}

func (w *writer) productBlock(prefix string, outputs, octets int) {
	n := octets * w.perOctet
	weight, row := outputs*n, outputs*n+outputs
	pointers := []string{"BX", "CX", "AX", "R8"}[:outputs]
	for v := range outputs * n {
		w.clear(v)
	}
	w.p("MOVQ product_start(DI), R10")
	w.p("TESTQ R10, R10")
	w.p("JEQ %szero", prefix)
	for v := range n {
		w.p("VMOVUPD %s, %s", w.at(v, "R10", "R9"), w.v(v))
	}
	w.label("%szero", prefix)
	for q, r := range pointers {
		if q == 0 {
			w.p("MOVQ DX, %s", r)
			continue
		}
		w.p("MOVQ %s, %s", pointers[q-1], r)
		w.p("ADDQ product_coefStride(DI), %s", r)
	}
	w.p("XORQ R15, R15")
	w.label("%sitem", prefix)
	w.p("CMPQ R15, R12")
	w.p("JGE %sstore", prefix)
	w.p("MOVLQSX (R11)(R15*4), R10")
	for q, r := range pointers {
		w.p("VBROADCASTSD (%s)(R10*8), %s", r, w.v(weight+q))
	}
	w.p("IMULQ product_stride(DI), R10")
	w.p("ADDQ product_rows(DI), R10")
	for v := range n {
		if outputs == 1 {
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "R10", "R9"), w.v(weight), w.v(v))
			continue
		}
		w.p("VMOVUPD %s, %s", w.at(v, "R10", "R9"), w.v(row))
		for q := range outputs {
			w.p("VFMADD231PD %s, %s, %s", w.v(row), w.v(weight+q), w.v(q*n+v))
		}
	}
	w.p("INCQ R15")
	w.p("JMP %sitem", prefix)
	w.label("%sstore", prefix)
	w.p("MOVQ SI, R10")
	for q := range outputs {
		if q > 0 {
			w.p("ADDQ product_outStride(DI), R10")
		}
		for v := range n {
			w.p("VMOVUPD %s, %s", w.v(q*n+v), w.at(v, "R10", "R9"))
		}
	}
}
