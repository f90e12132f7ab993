package main

import "fmt"

// overForms writes the loop over forms and octets that relax and enclose share: R13
// forms left, R14 octets left, R9 bytes into a row of octets, R8 the form's first byte
// in a row of forms. Of the two callbacks, each writes the code for a block of octets,
// and next the code between two forms.
func (w *writer) overForms(structure string, octets []int, each func(prefix string, octets int), next func()) {
	w.P("MOVQ %s_forms(DI), R13", structure)
	w.P("MOVQ %s_list(DI), R11", structure)
	w.P("MOVQ %s_n(DI), R12", structure)
	w.P("XORQ R8, R8")
	w.P("VBROADCASTSD ·sign+0(SB), %s", w.V(w.signAt()))
	w.Label("form")
	w.P("TESTQ R13, R13")
	w.P("JEQ end")
	w.P("XORQ R9, R9")
	w.P("MOVQ %s_octets(DI), R14", structure)
	w.Blocks("f", octets, "R14", "R9", func(o int) { each(fmt.Sprintf("fo%d", o), o) })
	next()
	w.P("ADDQ R9, R8") // a form's octets
	w.P("DECQ R13")
	w.P("JMP form")
	w.Label("end")
	w.End()
}

// signAt returns the register that holds the sign bit.
func (w *writer) signAt() int {
	if w.Reg == "Z" {
		return 31
	}
	return 15
}

// itemRows loads the item at index R15 of the list in R11: R10 its number, AX the address
// of the current form in its row of forms, BX the offset of its rows of octets.
func (w *writer) itemRows(structure string) {
	w.P("MOVLQSX (R11)(R15*4), R10")
	w.P("MOVQ R10, AX")
	w.P("IMULQ %s_stride(DI), AX", structure)
	w.P("ADDQ %s_rows(DI), AX", structure)
	w.P("ADDQ R8, AX")
	w.P("MOVQ %s_octets(DI), BX", structure)
	w.P("SHLQ $6, BX")
	w.P("IMULQ R10, BX")
}

// items writes the loop over a block's items. Before the loop it loads the rows of forms
// listed in load into the first registers, n per row; afterwards it stores them to
// the rows listed in store. The callback body writes the code for an item: CX and SI then
// hold the addresses of the item's rows of octets in the two fields.
func (w *writer) items(structure, prefix string, n int, load, store, fields []string, body func()) {
	rows := func(names []string, move func(memory, register string)) {
		for i, name := range names {
			w.P("MOVQ %s_%s(DI), CX", structure, name)
			w.P("ADDQ R8, CX")
			for v := range n {
				move(w.At(v, "CX", "R9"), w.V(i*n+v))
			}
		}
	}
	rows(load, func(memory, register string) { w.P("VMOVUPD %s, %s", memory, register) })
	w.P("XORQ R15, R15")
	w.Label("%sitem", prefix)
	w.P("CMPQ R15, R12")
	w.P("JGE %sstore", prefix)
	w.itemRows(structure)
	for i, register := range []string{"CX", "SI"} {
		w.P("MOVQ %s_%s(DI), %s", structure, fields[i], register)
		w.P("ADDQ BX, %s", register)
	}
	body()
	w.P("INCQ R15")
	w.P("JMP %sitem", prefix)
	w.Label("%sstore", prefix)
	rows(store, func(memory, register string) { w.P("VMOVUPD %s, %s", register, memory) })
}

// coefficients loads the item's n coefficients into n registers, c being the first: from
// the form's weights if it has any, else from its row.
func (w *writer) coefficients(prefix string, c, n int) {
	w.P("TESTQ DX, DX")
	w.P("JEQ %sread", prefix)
	for v := range n {
		w.P("VBROADCASTSD (DX)(R10*8), %s", w.V(c+v))
	}
	w.P("JMP %shave", prefix)
	w.Label("%sread", prefix)
	for v := range n {
		w.P("VMOVUPD %s, %s", w.At(v, "AX", "R9"), w.V(c+v))
	}
	w.Label("%shave", prefix)
}

// nextWeights moves DX to the next form's weights, if there are any.
func (w *writer) nextWeights(structure string) {
	w.P("TESTQ DX, DX")
	w.P("JEQ next")
	w.P("ADDQ %s_weightStride(DI), DX", structure)
	w.Label("next")
}

// relax: base += c·h, slack += |c|·h, c *= λ; c is broadcast from weights if there are
// any. DX is the form's weights, SI the item's λ, CX its h.
func (w *writer) relax() {
	w.Begin("relax", "relaxation")
	w.P("MOVQ relaxation_weights(DI), DX")
	w.overForms("relaxation", []int{2, 1}, func(prefix string, octets int) {
		n := octets * w.PerOctet
		w.items("relaxation", prefix, n, []string{"base", "slack"}, []string{"base", "slack"}, []string{"half", "slope"}, func() {
			c, size := 2*n, 3*n
			w.coefficients(prefix, c, n)
			for v := range n {
				// Registers run short on AVX2: h is read twice, from the cache.
				w.magnitude(w.signAt(), c+v, size)
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "CX", "R9"), w.V(c+v), w.V(v))
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "CX", "R9"), w.V(size), w.V(n+v))
				w.P("VMULPD %s, %s, %s", w.At(v, "SI", "R9"), w.V(c+v), w.V(c+v))
				w.P("VMOVUPD %s, %s", w.V(c+v), w.At(v, "AX", "R9"))
			}
		})
	}, func() { w.nextWeights("relaxation") })
}

// split: where c < 0, base += 2c·h and c *= λ; elsewhere c *= 1 if λ > ½ else 0.
// Registers as in relax.
func (w *writer) split() {
	w.Begin("split", "splitting")
	w.P("MOVQ splitting_weights(DI), DX")
	zero, one, half := w.signAt()-1, w.signAt()-2, w.signAt()-3
	w.Clear(zero)
	w.P("VBROADCASTSD ·constants+0(SB), %s", w.V(one))
	w.P("VBROADCASTSD ·constants+24(SB), %s", w.V(half))
	w.overForms("splitting", []int{1}, func(prefix string, octets int) {
		n := octets * w.PerOctet
		w.items("splitting", prefix, n, []string{"base"}, []string{"base"}, []string{"half", "slope"}, func() {
			c, low, slope, factor := n, 2*n, 2*n+1, 2*n+2
			w.coefficients(prefix, c, n)
			for v := range n {
				w.P("VMINPD %s, %s, %s", w.V(zero), w.V(c+v), w.V(low))
				w.P("VADDPD %s, %s, %s", w.V(low), w.V(low), w.V(low))
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "CX", "R9"), w.V(low), w.V(v))
				w.P("VMOVUPD %s, %s", w.At(v, "SI", "R9"), w.V(slope))
				if w.Reg == "Z" {
					w.P("VCMPPD $14, %s, %s, K1", w.V(half), w.V(slope)) // λ > ½
					w.P("VMOVAPD.Z %s, K1, %s", w.V(one), w.V(factor))
					w.P("VCMPPD $1, %s, %s, K2", w.V(zero), w.V(c+v)) // c < 0
					w.P("VMOVAPD %s, K2, %s", w.V(slope), w.V(factor))
				} else {
					w.P("VCMPPD $14, %s, %s, %s", w.V(half), w.V(slope), w.V(factor))
					w.P("VANDPD %s, %s, %s", w.V(one), w.V(factor), w.V(factor))
					w.P("VCMPPD $1, %s, %s, %s", w.V(zero), w.V(c+v), w.V(low))
					w.P("VBLENDVPD %s, %s, %s, %s", w.V(low), w.V(slope), w.V(factor), w.V(factor))
				}
				w.P("VMULPD %s, %s, %s", w.V(factor), w.V(c+v), w.V(c+v))
				w.P("VMOVUPD %s, %s", w.V(c+v), w.At(v, "AX", "R9"))
			}
		})
	}, func() { w.nextWeights("splitting") })
}

// enclose: mid = base + Σ c·centre, rad = slack + Σ |c|·radius.
func (w *writer) enclose() {
	w.Begin("enclose", "enclosure")
	w.overForms("enclosure", []int{2, 1}, func(prefix string, octets int) {
		n := octets * w.PerOctet
		w.items("enclosure", prefix, n, []string{"base", "slack"}, []string{"mid", "rad"}, []string{"centre", "radius"}, func() {
			c, size := 2*n, 2*n+1
			for v := range n {
				w.P("VMOVUPD %s, %s", w.At(v, "AX", "R9"), w.V(c))
				w.magnitude(w.signAt(), c, size)
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "CX", "R9"), w.V(c), w.V(v))
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "SI", "R9"), w.V(size), w.V(n+v))
			}
		})
	}, func() {})
}

// spread: spread += Σ c²·variance, rest += Σ |c|·offset.
func (w *writer) spread() {
	w.Begin("spread", "spreading")
	w.overForms("spreading", []int{2, 1}, func(prefix string, octets int) {
		n := octets * w.PerOctet
		rows := []string{"spread", "rest"}
		w.items("spreading", prefix, n, rows, rows, []string{"variance", "offset"}, func() {
			c, size := 2*n, 2*n+1
			for v := range n {
				w.P("VMOVUPD %s, %s", w.At(v, "AX", "R9"), w.V(c))
				w.magnitude(w.signAt(), c, size)
				w.P("VMULPD %s, %s, %s", w.V(c), w.V(c), w.V(c))
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "CX", "R9"), w.V(c), w.V(v))
				w.P("VFMADD231PD %s, %s, %s", w.At(v, "SI", "R9"), w.V(size), w.V(n+v))
			}
		})
	}, func() {})
}

// strip: λ = u/max(u−l, tiniest) and h = max(λ·(−l), (1−λ)·u)·raised for
// l = min(mid − (rad+err), 0), u = max(mid + (rad+err), 0), and the flags.
//
// SI mid, DX rad, CX slope, BX half, R8 flags, R10 err, R11 units left, R14
// octets left, R9 bytes done; R12 and R13 collect the flags.
func (w *writer) strip() {
	w.Begin("strip", "strip")
	for _, load := range [][2]string{{"mid", "SI"}, {"rad", "DX"}, {"slope", "CX"}, {"half", "BX"}, {"flags", "R8"}, {"err", "R10"}, {"units", "R11"}} {
		w.P("MOVQ strip_%s(DI), %s", load[0], load[1])
	}
	err, one, least, up, zero := 10, 11, 12, 13, 14
	w.P("VBROADCASTSD ·constants+0(SB), %s", w.V(one))
	w.P("VBROADCASTSD ·constants+8(SB), %s", w.V(least))
	w.P("VBROADCASTSD ·constants+16(SB), %s", w.V(up))
	w.Clear(zero)
	w.P("XORQ R9, R9")
	w.Label("unit")
	w.P("TESTQ R11, R11")
	w.P("JEQ end")
	w.P("VBROADCASTSD (R10), %s", w.V(err))
	w.P("XORQ R12, R12")
	w.P("XORQ R13, R13")
	w.P("MOVQ strip_octets(DI), R14")
	w.Label("octet")
	for v := range w.PerOctet {
		w.P("VADDPD %s, %s, %s", w.At(v, "DX", "R9"), w.V(err), w.V(0)) // r
		w.P("VMOVUPD %s, %s", w.At(v, "SI", "R9"), w.V(1))
		w.P("VADDPD %s, %s, %s", w.V(0), w.V(1), w.V(2))    // u
		w.P("VSUBPD %s, %s, %s", w.V(0), w.V(1), w.V(1))    // l
		w.P("VMAXPD %s, %s, %s", w.V(zero), w.V(2), w.V(2)) // cut at 0
		w.P("VMINPD %s, %s, %s", w.V(zero), w.V(1), w.V(1))
		w.P("VSUBPD %s, %s, %s", w.V(1), w.V(2), w.V(3))
		w.P("VMAXPD %s, %s, %s", w.V(least), w.V(3), w.V(3))
		w.P("VDIVPD %s, %s, %s", w.V(3), w.V(2), w.V(3)) // λ
		w.P("VMOVUPD %s, %s", w.V(3), w.At(v, "CX", "R9"))
		w.P("VSUBPD %s, %s, %s", w.V(1), w.V(zero), w.V(1)) // −l
		w.P("VMULPD %s, %s, %s", w.V(1), w.V(3), w.V(4))
		w.P("VSUBPD %s, %s, %s", w.V(3), w.V(one), w.V(5))
		w.P("VMULPD %s, %s, %s", w.V(2), w.V(5), w.V(5))
		w.P("VMAXPD %s, %s, %s", w.V(5), w.V(4), w.V(4))
		w.P("VMULPD %s, %s, %s", w.V(up), w.V(4), w.V(4))
		w.P("VMOVUPD %s, %s", w.V(4), w.At(v, "BX", "R9"))
		w.differ(zero, 2, "R12")
		w.differ(one, 3, "R13")
		w.differ(zero, 4, "R13")
	}
	w.P("ADDQ $64, R9")
	w.P("DECQ R14")
	w.P("JNE octet")
	for i, r := range []string{"R12", "R13"} {
		w.P("TESTQ %s, %s", r, r)
		w.P("SETNE AX")
		w.P("MOVBLZX AX, AX")
		if i == 0 {
			w.P("MOVQ AX, R12")
		}
	}
	w.P("SHLQ $1, AX")
	w.P("ORQ R12, AX")
	w.P("MOVB AX, (R8)")
	w.P("INCQ R8")
	w.P("ADDQ $8, R10")
	w.P("DECQ R11")
	w.P("JMP unit")
	w.Label("end")
	w.End()
}

// differ sets bits of flags where registers a and b differ.
func (w *writer) differ(a, b int, flags string) {
	if w.Reg == "Z" {
		w.P("VCMPPD $4, Z%d, Z%d, K1", a, b)
		w.P("KMOVB K1, AX")
	} else {
		w.P("VCMPPD $4, Y%d, Y%d, Y6", a, b)
		w.P("VMOVMSKPD Y6, AX")
	}
	w.P("ORQ AX, %s", flags)
}
