package main

// halve: out = Σ c·½·(|r − |m + t||₊ + |r − |m − t||₊) + p·(min(r + m + t, r)₊ +
// min(r + m − t, r)₊) with r = rad − t, in the order of halveScalar.
//
// SI mid, DX rad, CX cut, BX slack, AX carried, R8 a unit's bytes, R9 bytes done,
// R11 list, R12 units, R13 bytes a row, R14 octets left, R15 item.
func (w *writer) halve() {
	w.begin("halve", "halving")
	for _, load := range [][2]string{{"mid", "SI"}, {"rad", "DX"}, {"cut", "CX"}, {"slack", "BX"}, {"carried", "AX"}, {"list", "R11"}, {"n", "R12"}, {"octets", "R14"}} {
		w.p("MOVQ halving_%s(DI), %s", load[0], load[1])
	}
	w.p("MOVQ halving_out(DI), DI")
	w.p("MOVQ R14, R13")
	w.p("SHLQ $6, R13")
	zero, half := 13, 14
	sign := 15
	w.clear(zero)
	w.p("VBROADCASTSD ·constants+24(SB), %s", w.v(half))
	w.p("VBROADCASTSD ·sign+0(SB), %s", w.v(sign))
	w.p("XORQ R9, R9")
	w.label("octet")
	for v := range w.perOctet {
		w.clear(11 + v)
	}
	w.p("XORQ R15, R15")
	w.label("unit")
	w.p("CMPQ R15, R12")
	w.p("JGE store")
	w.p("MOVLQSX (R11)(R15*4), R8")
	w.p("IMULQ R13, R8")
	w.p("ADDQ R9, R8")
	for v := range w.perOctet {
		acc := w.v(11 + v)
		w.p("VMOVUPD %s, %s", w.at(v, "CX", "R8"), w.v(0)) // t
		w.p("VMOVUPD %s, %s", w.at(v, "DX", "R8"), w.v(1))
		w.p("VSUBPD %s, %s, %s", w.v(0), w.v(1), w.v(1)) // r
		w.p("VMOVUPD %s, %s", w.at(v, "SI", "R8"), w.v(2))
		w.p("VSUBPD %s, %s, %s", w.v(0), w.v(2), w.v(3)) // m − t
		w.p("VADDPD %s, %s, %s", w.v(0), w.v(2), w.v(2)) // m + t
		for side, m := range []int{2, 3} {
			w.magnitude(sign, m, 4)
			w.p("VSUBPD %s, %s, %s", w.v(4), w.v(1), w.v(4))
			w.p("VMAXPD %s, %s, %s", w.v(zero), w.v(4), w.v(5+side))
			w.p("VADDPD %s, %s, %s", w.v(1), w.v(m), w.v(4))
			w.p("VMINPD %s, %s, %s", w.v(1), w.v(4), w.v(4))
			w.p("VMAXPD %s, %s, %s", w.v(zero), w.v(4), w.v(7+side))
		}
		w.p("VADDPD %s, %s, %s", w.v(6), w.v(5), w.v(5))
		w.p("VMULPD %s, %s, %s", w.v(half), w.v(5), w.v(5))
		w.p("VFMADD231PD %s, %s, %s", w.at(v, "BX", "R8"), w.v(5), acc)
		w.p("VADDPD %s, %s, %s", w.v(8), w.v(7), w.v(7))
		w.p("VFMADD231PD %s, %s, %s", w.at(v, "AX", "R8"), w.v(7), acc)
	}
	w.p("INCQ R15")
	w.p("JMP unit")
	w.label("store")
	for v := range w.perOctet {
		w.p("VMOVUPD %s, %s", w.v(11+v), w.at(v, "DI", "R9"))
	}
	w.p("ADDQ $64, R9")
	w.p("DECQ R14")
	w.p("JNZ octet")
	w.end()
}
