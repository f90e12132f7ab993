package main

// halve: out = Σ c·½·(|r − |m + t||₊ + |r − |m − t||₊) + p·(min(r + m + t, r)₊ +
// min(r + m − t, r)₊) with r = rad − t, in the order of halveScalar.
//
// DI out, SI mid, DX rad, CX cut, BX slack, AX carried, R8 a unit's first byte, R9 bytes done,
// R11 list, R12 units, R13 bytes a row, R14 octets left, R15 item.
func (w *writer) halve() {
	w.Begin("halve", "halving")
	for _, load := range [][2]string{{"mid", "SI"}, {"rad", "DX"}, {"cut", "CX"}, {"slack", "BX"}, {"carried", "AX"}, {"list", "R11"}, {"n", "R12"}, {"octets", "R14"}} {
		w.P("MOVQ halving_%s(DI), %s", load[0], load[1])
	}
	w.P("MOVQ halving_out(DI), DI")
	w.P("MOVQ R14, R13")
	w.P("SHLQ $6, R13")
	zero, half := 13, 14
	sign := 15
	w.Clear(zero)
	w.P("VBROADCASTSD ·constants+24(SB), %s", w.V(half))
	w.P("VBROADCASTSD ·sign+0(SB), %s", w.V(sign))
	w.P("XORQ R9, R9")
	w.Label("octet")
	for v := range w.PerOctet {
		w.Clear(11 + v)
	}
	w.P("XORQ R15, R15")
	w.Label("unit")
	w.P("CMPQ R15, R12")
	w.P("JGE store")
	w.P("MOVLQSX (R11)(R15*4), R8")
	w.P("IMULQ R13, R8")
	w.P("ADDQ R9, R8")
	for v := range w.PerOctet {
		acc := w.V(11 + v)
		w.P("VMOVUPD %s, %s", w.At(v, "CX", "R8"), w.V(0)) // t
		w.P("VMOVUPD %s, %s", w.At(v, "DX", "R8"), w.V(1))
		w.P("VSUBPD %s, %s, %s", w.V(0), w.V(1), w.V(1)) // r
		w.P("VMOVUPD %s, %s", w.At(v, "SI", "R8"), w.V(2))
		w.P("VSUBPD %s, %s, %s", w.V(0), w.V(2), w.V(3)) // m − t
		w.P("VADDPD %s, %s, %s", w.V(0), w.V(2), w.V(2)) // m + t
		for side, m := range []int{2, 3} {
			w.magnitude(sign, m, 4)
			w.P("VSUBPD %s, %s, %s", w.V(4), w.V(1), w.V(4))
			w.P("VMAXPD %s, %s, %s", w.V(zero), w.V(4), w.V(5+side))
			w.P("VADDPD %s, %s, %s", w.V(1), w.V(m), w.V(4))
			w.P("VMINPD %s, %s, %s", w.V(1), w.V(4), w.V(4))
			w.P("VMAXPD %s, %s, %s", w.V(zero), w.V(4), w.V(7+side))
		}
		w.P("VADDPD %s, %s, %s", w.V(6), w.V(5), w.V(5))
		w.P("VMULPD %s, %s, %s", w.V(half), w.V(5), w.V(5))
		w.P("VFMADD231PD %s, %s, %s", w.At(v, "BX", "R8"), w.V(5), acc)
		w.P("VADDPD %s, %s, %s", w.V(8), w.V(7), w.V(7))
		w.P("VFMADD231PD %s, %s, %s", w.At(v, "AX", "R8"), w.V(7), acc)
	}
	w.P("INCQ R15")
	w.P("JMP unit")
	w.Label("store")
	for v := range w.PerOctet {
		w.P("VMOVUPD %s, %s", w.V(11+v), w.At(v, "DI", "R9"))
	}
	w.P("ADDQ $64, R9")
	w.P("DECQ R14")
	w.P("JNZ octet")
	w.End()
}
