package main

// align: mid = base + Σ (s − a)·centre, rad = slack + Σ |s − a|·radius.
//
// R8 and R10 are the strides, R9 the bytes done, R12 the number of inputs, R14 the
// octets left. For the current octet, R11 is rows, AX common, SI centre, BX radius, R15
// the number of inputs left.
func (w *writer) align() {
	w.Begin("align", "alignment")
	for _, load := range [][2]string{{"rowStride", "R8"}, {"stride", "R10"}, {"n", "R12"}, {"octets", "R14"}} {
		w.P("MOVQ alignment_%s(DI), %s", load[0], load[1])
	}
	w.P("VBROADCASTSD ·sign+0(SB), %s", w.V(w.signAt()))
	w.P("XORQ R9, R9")
	w.Label("octet")
	n := w.PerOctet
	for i, name := range []string{"base", "slack"} {
		w.P("MOVQ alignment_%s(DI), CX", name)
		for v := range n {
			w.P("VMOVUPD %s, %s", w.At(v, "CX", "R9"), w.V(i*n+v))
		}
	}
	for _, load := range [][2]string{{"rows", "R11"}, {"common", "AX"}, {"centre", "SI"}, {"radius", "BX"}} {
		w.P("MOVQ alignment_%s(DI), %s", load[0], load[1])
	}
	w.P("MOVQ R12, R15")
	d, size := 2*n, 2*n+1
	w.Label("input")
	w.P("TESTQ R15, R15")
	w.P("JEQ store")
	for v := range n {
		w.P("VMOVUPD %s, %s", w.At(v, "R11", "R9"), w.V(d))
		w.P("VSUBPD %s, %s, %s", w.At(v, "AX", "R9"), w.V(d), w.V(d))
		w.magnitude(w.signAt(), d, size)
		w.P("VFMADD231PD %s, %s, %s", w.At(v, "SI", "R9"), w.V(d), w.V(v))
		w.P("VFMADD231PD %s, %s, %s", w.At(v, "BX", "R9"), w.V(size), w.V(n+v))
	}
	w.P("ADDQ R8, R11")
	for _, pointer := range []string{"AX", "SI", "BX"} {
		w.P("ADDQ R10, %s", pointer)
	}
	w.P("DECQ R15")
	w.P("JMP input")
	w.Label("store")
	for i, name := range []string{"mid", "rad"} {
		w.P("MOVQ alignment_%s(DI), CX", name)
		for v := range n {
			w.P("VMOVUPD %s, %s", w.V(i*n+v), w.At(v, "CX", "R9"))
		}
	}
	w.P("ADDQ $64, R9")
	w.P("DECQ R14")
	w.P("JNZ octet")
	w.End()
}
