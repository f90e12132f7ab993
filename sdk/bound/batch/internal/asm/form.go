package main

import "fmt"

// overForms writes the loop over forms and octets that relax and enclose share:
// R13 forms left, R14 octets left, R9 bytes into a row of octets, R8 the form's
// first byte in a row of forms. each runs for every block.
func (w *writer) overForms(structure string, octets []int, each func(prefix string, octets int), next func()) {
	w.p("MOVQ %s_forms(DI), R13", structure)
	w.p("MOVQ %s_list(DI), R11", structure)
	w.p("MOVQ %s_n(DI), R12", structure)
	w.p("XORQ R8, R8")
	w.p("VBROADCASTSD ·sign+0(SB), %s", w.v(w.signAt()))
	w.label("form")
	w.p("TESTQ R13, R13")
	w.p("JEQ end")
	w.p("XORQ R9, R9")
	w.p("MOVQ %s_octets(DI), R14", structure)
	w.blocks("f", octets, "R14", "R9", func(o int) { each(fmt.Sprintf("fo%d", o), o) })
	next()
	w.p("ADDQ R9, R8") // a form's octets
	w.p("DECQ R13")
	w.p("JMP form")
	w.label("end")
	w.end()
}

// signAt is the register that holds the sign bit.
func (w *writer) signAt() int {
	if w.reg == "Z" {
		return 31
	}
	return 15
}

// itemRows leaves the address of item i's row of forms in AX, at the form, and
// the bytes of its rows of octets in BX. R10 holds i.
func (w *writer) itemRows(structure string) {
	w.p("MOVLQSX (R11)(R15*4), R10")
	w.p("MOVQ R10, AX")
	w.p("IMULQ %s_stride(DI), AX", structure)
	w.p("ADDQ %s_rows(DI), AX", structure)
	w.p("ADDQ R8, AX")
	w.p("MOVQ %s_octets(DI), BX", structure)
	w.p("SHLQ $6, BX")
	w.p("IMULQ R10, BX")
}

// accumulators loads two rows of forms into registers 0 and n on.
func (w *writer) accumulators(structure, first, second string, n int) {
	for i, name := range []string{first, second} {
		w.p("MOVQ %s_%s(DI), CX", structure, name)
		w.p("ADDQ R8, CX")
		for v := range n {
			w.p("VMOVUPD %s, %s", w.at(v, "CX", "R9"), w.v(i*n+v))
		}
	}
}

func (w *writer) storeAccumulators(structure, first, second string, n int) {
	for i, name := range []string{first, second} {
		w.p("MOVQ %s_%s(DI), CX", structure, name)
		w.p("ADDQ R8, CX")
		for v := range n {
			w.p("VMOVUPD %s, %s", w.v(i*n+v), w.at(v, "CX", "R9"))
		}
	}
}

// relax: base += c·h, slack += |c|·h, c *= λ; c is broadcast from weights where
// there are any. DX is the form's weights, SI the item's λ, CX its h.
func (w *writer) relax() {
	w.begin("relax", "relaxation")
	w.p("MOVQ relaxation_weights(DI), DX")
	w.overForms("relaxation", []int{2, 1}, func(prefix string, octets int) {
		n := octets * w.perOctet
		w.accumulators("relaxation", "base", "slack", n)
		w.p("XORQ R15, R15")
		w.label("%sitem", prefix)
		w.p("CMPQ R15, R12")
		w.p("JGE %sstore", prefix)
		w.itemRows("relaxation")
		w.p("MOVQ relaxation_half(DI), CX")
		w.p("ADDQ BX, CX")
		w.p("MOVQ relaxation_slope(DI), SI")
		w.p("ADDQ BX, SI")
		c, size := 2*n, 3*n
		w.p("TESTQ DX, DX")
		w.p("JEQ %sread", prefix)
		for v := range n {
			w.p("VBROADCASTSD (DX)(R10*8), %s", w.v(c+v))
		}
		w.p("JMP %shave", prefix)
		w.label("%sread", prefix)
		for v := range n {
			w.p("VMOVUPD %s, %s", w.at(v, "AX", "R9"), w.v(c+v))
		}
		w.label("%shave", prefix)
		for v := range n {
			// Registers run short on AVX2: h is read twice, from the cache.
			w.magnitude(w.signAt(), c+v, size)
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "CX", "R9"), w.v(c+v), w.v(v))
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "CX", "R9"), w.v(size), w.v(n+v))
			w.p("VMULPD %s, %s, %s", w.at(v, "SI", "R9"), w.v(c+v), w.v(c+v))
			w.p("VMOVUPD %s, %s", w.v(c+v), w.at(v, "AX", "R9"))
		}
		w.p("INCQ R15")
		w.p("JMP %sitem", prefix)
		w.label("%sstore", prefix)
		w.storeAccumulators("relaxation", "base", "slack", n)
	}, func() {
		w.p("TESTQ DX, DX")
		w.p("JEQ next")
		w.p("ADDQ relaxation_weightStride(DI), DX")
		w.label("next")
	})
}

// split: where c < 0, base += 2c·h and c *= λ; elsewhere c *= 1 if λ > ½ else 0.
// Registers as in relax.
func (w *writer) split() {
	w.begin("split", "splitting")
	w.p("MOVQ splitting_weights(DI), DX")
	zero, one, half := w.signAt()-1, w.signAt()-2, w.signAt()-3
	w.clear(zero)
	w.p("VBROADCASTSD ·constants+0(SB), %s", w.v(one))
	w.p("VBROADCASTSD ·constants+24(SB), %s", w.v(half))
	w.overForms("splitting", []int{1}, func(prefix string, octets int) {
		n := octets * w.perOctet
		w.loadRow("splitting", "base", n)
		w.p("XORQ R15, R15")
		w.label("%sitem", prefix)
		w.p("CMPQ R15, R12")
		w.p("JGE %sstore", prefix)
		w.itemRows("splitting")
		w.p("MOVQ splitting_half(DI), CX")
		w.p("ADDQ BX, CX")
		w.p("MOVQ splitting_slope(DI), SI")
		w.p("ADDQ BX, SI")
		c, low, slope, factor := n, 2*n, 2*n+1, 2*n+2
		w.p("TESTQ DX, DX")
		w.p("JEQ %sread", prefix)
		for v := range n {
			w.p("VBROADCASTSD (DX)(R10*8), %s", w.v(c+v))
		}
		w.p("JMP %shave", prefix)
		w.label("%sread", prefix)
		for v := range n {
			w.p("VMOVUPD %s, %s", w.at(v, "AX", "R9"), w.v(c+v))
		}
		w.label("%shave", prefix)
		for v := range n {
			w.p("VMINPD %s, %s, %s", w.v(zero), w.v(c+v), w.v(low))
			w.p("VADDPD %s, %s, %s", w.v(low), w.v(low), w.v(low))
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "CX", "R9"), w.v(low), w.v(v))
			w.p("VMOVUPD %s, %s", w.at(v, "SI", "R9"), w.v(slope))
			if w.reg == "Z" {
				w.p("VCMPPD $14, %s, %s, K1", w.v(half), w.v(slope)) // λ > ½
				w.p("VMOVAPD.Z %s, K1, %s", w.v(one), w.v(factor))
				w.p("VCMPPD $1, %s, %s, K2", w.v(zero), w.v(c+v)) // c < 0
				w.p("VMOVAPD %s, K2, %s", w.v(slope), w.v(factor))
			} else {
				w.p("VCMPPD $14, %s, %s, %s", w.v(half), w.v(slope), w.v(factor))
				w.p("VANDPD %s, %s, %s", w.v(one), w.v(factor), w.v(factor))
				w.p("VCMPPD $1, %s, %s, %s", w.v(zero), w.v(c+v), w.v(low))
				w.p("VBLENDVPD %s, %s, %s, %s", w.v(low), w.v(slope), w.v(factor), w.v(factor))
			}
			w.p("VMULPD %s, %s, %s", w.v(factor), w.v(c+v), w.v(c+v))
			w.p("VMOVUPD %s, %s", w.v(c+v), w.at(v, "AX", "R9"))
		}
		w.p("INCQ R15")
		w.p("JMP %sitem", prefix)
		w.label("%sstore", prefix)
		w.p("MOVQ splitting_base(DI), CX")
		w.p("ADDQ R8, CX")
		for v := range n {
			w.p("VMOVUPD %s, %s", w.v(v), w.at(v, "CX", "R9"))
		}
	}, func() {
		w.p("TESTQ DX, DX")
		w.p("JEQ next")
		w.p("ADDQ splitting_weightStride(DI), DX")
		w.label("next")
	})
}

// loadRow loads a row of forms into registers 0 on.
func (w *writer) loadRow(structure, name string, n int) {
	w.p("MOVQ %s_%s(DI), CX", structure, name)
	w.p("ADDQ R8, CX")
	for v := range n {
		w.p("VMOVUPD %s, %s", w.at(v, "CX", "R9"), w.v(v))
	}
}

// enclose: mid = base + Σ c·centre, rad = slack + Σ |c|·radius.
func (w *writer) enclose() {
	w.begin("enclose", "enclosure")
	w.overForms("enclosure", []int{2, 1}, func(prefix string, octets int) {
		n := octets * w.perOctet
		w.accumulators("enclosure", "base", "slack", n)
		w.p("XORQ R15, R15")
		w.label("%sitem", prefix)
		w.p("CMPQ R15, R12")
		w.p("JGE %sstore", prefix)
		w.itemRows("enclosure")
		w.p("MOVQ enclosure_centre(DI), CX")
		w.p("ADDQ BX, CX")
		w.p("MOVQ enclosure_radius(DI), SI")
		w.p("ADDQ BX, SI")
		c, size := 2*n, 2*n+1
		for v := range n {
			w.p("VMOVUPD %s, %s", w.at(v, "AX", "R9"), w.v(c))
			w.magnitude(w.signAt(), c, size)
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "CX", "R9"), w.v(c), w.v(v))
			w.p("VFMADD231PD %s, %s, %s", w.at(v, "SI", "R9"), w.v(size), w.v(n+v))
		}
		w.p("INCQ R15")
		w.p("JMP %sitem", prefix)
		w.label("%sstore", prefix)
		w.storeAccumulators("enclosure", "mid", "rad", n)
	}, func() {})
}

// strip: λ = u/max(u−l, tiniest) and h = max(λ·(−l), (1−λ)·u)·raised for
// l = min(mid − (rad+err), 0), u = max(mid + (rad+err), 0), and the flags.
//
// SI mid, DX rad, CX slope, BX half, R8 flags, R10 err, R11 units left, R14
// octets left, R9 bytes done; R12 and R13 collect the flags.
func (w *writer) strip() {
	w.begin("strip", "strip")
	for _, load := range [][2]string{{"mid", "SI"}, {"rad", "DX"}, {"slope", "CX"}, {"half", "BX"}, {"flags", "R8"}, {"err", "R10"}, {"units", "R11"}} {
		w.p("MOVQ strip_%s(DI), %s", load[0], load[1])
	}
	err, one, least, up, zero := 10, 11, 12, 13, 14
	w.p("VBROADCASTSD ·constants+0(SB), %s", w.v(one))
	w.p("VBROADCASTSD ·constants+8(SB), %s", w.v(least))
	w.p("VBROADCASTSD ·constants+16(SB), %s", w.v(up))
	w.clear(zero)
	w.p("XORQ R9, R9")
	w.label("unit")
	w.p("TESTQ R11, R11")
	w.p("JEQ end")
	w.p("VBROADCASTSD (R10), %s", w.v(err))
	w.p("XORQ R12, R12")
	w.p("XORQ R13, R13")
	w.p("MOVQ strip_octets(DI), R14")
	w.label("octet")
	for v := range w.perOctet {
		w.p("VADDPD %s, %s, %s", w.at(v, "DX", "R9"), w.v(err), w.v(0)) // r
		w.p("VMOVUPD %s, %s", w.at(v, "SI", "R9"), w.v(1))
		w.p("VADDPD %s, %s, %s", w.v(0), w.v(1), w.v(2))    // u
		w.p("VSUBPD %s, %s, %s", w.v(0), w.v(1), w.v(1))    // l
		w.p("VMAXPD %s, %s, %s", w.v(zero), w.v(2), w.v(2)) // cut at 0
		w.p("VMINPD %s, %s, %s", w.v(zero), w.v(1), w.v(1))
		w.p("VSUBPD %s, %s, %s", w.v(1), w.v(2), w.v(3))
		w.p("VMAXPD %s, %s, %s", w.v(least), w.v(3), w.v(3))
		w.p("VDIVPD %s, %s, %s", w.v(3), w.v(2), w.v(3)) // λ
		w.p("VMOVUPD %s, %s", w.v(3), w.at(v, "CX", "R9"))
		w.p("VSUBPD %s, %s, %s", w.v(1), w.v(zero), w.v(1)) // −l
		w.p("VMULPD %s, %s, %s", w.v(1), w.v(3), w.v(4))
		w.p("VSUBPD %s, %s, %s", w.v(3), w.v(one), w.v(5))
		w.p("VMULPD %s, %s, %s", w.v(2), w.v(5), w.v(5))
		w.p("VMAXPD %s, %s, %s", w.v(5), w.v(4), w.v(4))
		w.p("VMULPD %s, %s, %s", w.v(up), w.v(4), w.v(4))
		w.p("VMOVUPD %s, %s", w.v(4), w.at(v, "BX", "R9"))
		w.differ(zero, 2, "R12")
		w.differ(one, 3, "R13")
		w.differ(zero, 4, "R13")
	}
	w.p("ADDQ $64, R9")
	w.p("DECQ R14")
	w.p("JNE octet")
	for i, r := range []string{"R12", "R13"} {
		w.p("TESTQ %s, %s", r, r)
		w.p("SETNE AX")
		w.p("MOVBLZX AX, AX")
		if i == 0 {
			w.p("MOVQ AX, R12")
		}
	}
	w.p("SHLQ $1, AX")
	w.p("ORQ R12, AX")
	w.p("MOVB AX, (R8)")
	w.p("INCQ R8")
	w.p("ADDQ $8, R10")
	w.p("DECQ R11")
	w.p("JMP unit")
	w.label("end")
	w.end()
}

// differ sets bits of flags where registers a and b differ.
func (w *writer) differ(a, b int, flags string) {
	if w.reg == "Z" {
		w.p("VCMPPD $4, Z%d, Z%d, K1", a, b)
		w.p("KMOVB K1, AX")
	} else {
		w.p("VCMPPD $4, Y%d, Y%d, Y6", a, b)
		w.p("VMOVMSKPD Y6, AX")
	}
	w.p("ORQ AX, %s", flags)
}
