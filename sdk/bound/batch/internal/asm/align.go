package main

// align: mid = base + Σ (s − a)·centre, rad = slack + Σ |s − a|·radius.
//
// R8 and R10 the strides, R9 bytes done, R12 inputs, R14 octets left; of an octet
// R11 rows, AX common, SI centre, BX radius, R15 inputs left.
func (w *writer) align() {
	w.begin("align", "alignment")
	for _, load := range [][2]string{{"rowStride", "R8"}, {"stride", "R10"}, {"n", "R12"}, {"octets", "R14"}} {
		w.p("MOVQ alignment_%s(DI), %s", load[0], load[1])
	}
	w.p("VBROADCASTSD ·sign+0(SB), %s", w.v(w.signAt()))
	w.p("XORQ R9, R9")
	w.label("octet")
	n := w.perOctet
	for i, name := range []string{"base", "slack"} {
		w.p("MOVQ alignment_%s(DI), CX", name)
		for v := range n {
			w.p("VMOVUPD %s, %s", w.at(v, "CX", "R9"), w.v(i*n+v))
		}
	}
	for _, load := range [][2]string{{"rows", "R11"}, {"common", "AX"}, {"centre", "SI"}, {"radius", "BX"}} {
		w.p("MOVQ alignment_%s(DI), %s", load[0], load[1])
	}
	w.p("MOVQ R12, R15")
	d, size := 2*n, 2*n+1
	w.label("input")
	w.p("TESTQ R15, R15")
	w.p("JEQ store")
	for v := range n {
		w.p("VMOVUPD %s, %s", w.at(v, "R11", "R9"), w.v(d))
		w.p("VSUBPD %s, %s, %s", w.at(v, "AX", "R9"), w.v(d), w.v(d))
		w.magnitude(w.signAt(), d, size)
		w.p("VFMADD231PD %s, %s, %s", w.at(v, "SI", "R9"), w.v(d), w.v(v))
		w.p("VFMADD231PD %s, %s, %s", w.at(v, "BX", "R9"), w.v(size), w.v(n+v))
	}
	w.p("ADDQ R8, R11")
	for _, pointer := range []string{"AX", "SI", "BX"} {
		w.p("ADDQ R10, %s", pointer)
	}
	w.p("DECQ R15")
	w.p("JMP input")
	w.label("store")
	for i, name := range []string{"mid", "rad"} {
		w.p("MOVQ alignment_%s(DI), CX", name)
		for v := range n {
			w.p("VMOVUPD %s, %s", w.v(i*n+v), w.at(v, "CX", "R9"))
		}
	}
	w.p("ADDQ $64, R9")
	w.p("DECQ R14")
	w.p("JNZ octet")
	w.end()
}
