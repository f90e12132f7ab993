package main

import "strings"

// Predicates of VCMPPD, ordered and quiet.
const (
	equal          = 0
	lessOrEqual    = 18
	greaterOrEqual = 29
	greater        = 30
)

// mask leaves in AX the bits of the octet's lanes where b[v] is in the relation
// to a[v], v running over the octet's registers: operand(v) is written first,
// so it is the second one of the relation.
func (w *writer) mask(relation int, operand func(v int) string, register func(v int) string, t int) {
	if w.reg == "Z" {
		w.p("VCMPPD $%d, %s, %s, K1", relation, operand(0), register(0))
		w.p("KMOVB K1, AX")
		return
	}
	w.p("VCMPPD $%d, %s, %s, Y%d", relation, operand(1), register(1), t)
	w.p("VMOVMSKPD Y%d, AX", t)
	w.p("SHLQ $4, AX")
	w.p("VCMPPD $%d, %s, %s, Y%d", relation, operand(0), register(0), t)
	w.p("VMOVMSKPD Y%d, CX", t)
	w.p("ORQ CX, AX")
}

// nextMasks ends the loop over the octets of neurons, of which R14 are left. The
// masks so far are in R10 and R11, the youngest lowest: each octet turns the
// words by one byte, so that eight of them are in order. A word is stored as a
// whole, because it is read as a whole soon after.
func (w *writer) nextMasks(argument string) {
	words := []struct{ register, field string }{{"R10", "alive"}, {"R11", "stable"}}
	for _, m := range words {
		w.p("RORQ $8, %s", m.register)
	}
	w.p("ADDQ $64, R9")
	w.p("DECQ R14")
	w.p("JEQ flush")
	w.p("TESTQ $511, R9")
	w.p("JNE octet")
	store := func() {
		for _, m := range words {
			w.p("MOVQ %s_%s(DI), AX", argument, m.field)
			w.p("MOVQ %s, (AX)(R13*1)", m.register)
			w.p("XORQ %s, %s", m.register, m.register)
		}
		w.p("ADDQ $8, R13")
	}
	store()
	w.p("JMP octet")
	w.label("flush")
	w.p("MOVQ R9, CX") // 64 an octet: an eighth of it is the bits turned
	w.p("SHRQ $3, CX")
	w.p("NEGQ CX")
	for _, m := range words {
		w.p("RORQ CX, %s", m.register)
	}
	store()
}

// bounds: from below and above coefs[0][j] + Σ coefs[g][j]·r, r between
// ranges[g], for every neuron j; a bit of alive where the bound above is
// positive, of stable where the one below is not negative.
func (w *writer) bounds() {
	w.begin("bounds", "interval")
	w.p("MOVQ interval_coefs(DI), DX")
	w.p("MOVQ interval_ranges(DI), SI")
	w.p("MOVQ interval_n(DI), R12")
	w.p("MOVQ interval_octets(DI), R14")
	w.p("XORQ R10, R10")
	w.p("XORQ R11, R11")
	w.p("XORQ R13, R13")
	w.clear(w.zero)
	w.p("XORQ R9, R9")
	n := w.perOctet
	low, high, least, most, t, u := 0, n, 2*n, 2*n+1, 2*n+2, 2*n+3
	w.label("octet")
	w.p("MOVQ (DX), CX")
	for v := range n {
		w.p("VMOVUPD %s, %s", w.at(v, "CX", "R9"), w.v(low+v))
		w.p("VMOVAPD %s, %s", w.v(low+v), w.v(high+v))
	}
	w.p("MOVQ $1, R15")
	w.p("LEAQ 16(SI), BX")
	w.label("row")
	w.p("CMPQ R15, R12")
	w.p("JGE signs")
	w.p("MOVQ (DX)(R15*8), CX")
	w.p("VBROADCASTSD (BX), %s", w.v(least))
	w.p("VBROADCASTSD 8(BX), %s", w.v(most))
	for v := range n {
		w.p("VMULPD %s, %s, %s", w.at(v, "CX", "R9"), w.v(least), w.v(t))
		w.p("VMULPD %s, %s, %s", w.at(v, "CX", "R9"), w.v(most), w.v(u))
		x := u + 1
		w.p("VMINPD %s, %s, %s", w.v(u), w.v(t), w.v(x))
		w.p("VMAXPD %s, %s, %s", w.v(u), w.v(t), w.v(t))
		w.p("VADDPD %s, %s, %s", w.v(x), w.v(low+v), w.v(low+v))
		w.p("VADDPD %s, %s, %s", w.v(t), w.v(high+v), w.v(high+v))
	}
	w.p("ADDQ $16, BX")
	w.p("INCQ R15")
	w.p("JMP row")
	w.label("signs")
	zero := func(int) string { return w.v(w.zero) }
	w.mask(greater, zero, func(v int) string { return w.v(high + v) }, t)
	w.p("ORQ AX, R10")
	w.mask(greaterOrEqual, zero, func(v int) string { return w.v(low + v) }, t)
	w.p("ORQ AX, R11")
	w.nextMasks("interval")
	w.end()
}

// signs: the same from base[j] + least[j] and base[j] + most[j].
func (w *writer) signs() {
	w.begin("signs", "spread")
	w.p("MOVQ spread_base(DI), DX")
	w.p("MOVQ spread_least(DI), SI")
	w.p("MOVQ spread_most(DI), R8")
	w.p("MOVQ spread_octets(DI), R14")
	w.p("XORQ R10, R10")
	w.p("XORQ R11, R11")
	w.p("XORQ R13, R13")
	w.clear(w.zero)
	w.p("XORQ R9, R9")
	n := w.perOctet
	w.label("octet")
	zero := func(int) string { return w.v(w.zero) }
	for v := range n {
		w.p("VMOVUPD %s, %s", w.at(v, "DX", "R9"), w.v(v))
		w.p("VADDPD %s, %s, %s", w.at(v, "SI", "R9"), w.v(v), w.v(n+v))
		w.p("VADDPD %s, %s, %s", w.at(v, "R8", "R9"), w.v(v), w.v(v))
	}
	w.mask(greater, zero, func(v int) string { return w.v(v) }, 2*n)
	w.p("ORQ AX, R10")
	w.mask(greaterOrEqual, zero, func(v int) string { return w.v(n + v) }, 2*n)
	w.p("ORQ AX, R11")
	w.nextMasks("spread")
	w.end()
}

// places: the first place of the least and of the greatest value.
func (w *writer) places() {
	w.begin("places", "extent")
	for i, field := range []string{"Least", "Most"} {
		w.p("VBROADCASTSD extent_%s(DI), %s", strings.ToLower(field), w.v(0))
		w.p("MOVQ extent_values(DI), BX")
		w.p("XORQ R9, R9")
		w.label("seek%d", i)
		w.mask(equal, func(v int) string { return w.at(v, "BX", "") }, func(int) string { return w.v(0) }, 2)
		w.p("ADDQ $64, BX")
		w.p("ADDQ $8, R9")
		w.p("TESTQ AX, AX")
		w.p("JEQ seek%d", i)
		w.p("BSFQ AX, AX")
		w.p("LEAQ -8(R9)(AX*1), AX")
		w.p("MOVQ AX, extent_at%s(DI)", field)
	}
	w.end()
}

// counts: how many values are at least each threshold, two thresholds at a time.
// The counters are vectors, whose lanes are summed in the end.
func (w *writer) counts() {
	w.begin("counts", "census")
	w.p("MOVQ census_values(DI), SI")
	w.p("MOVQ census_thresholds(DI), DX")
	w.p("MOVQ census_pairs(DI), R12")
	w.p("MOVQ census_counts(DI), R11")
	if w.reg == "Z" {
		w.p("MOVQ $1, AX")
		w.p("VPBROADCASTQ AX, Z4")
	}
	w.label("pair")
	w.p("VBROADCASTSD (DX), %s", w.v(0))
	w.p("VBROADCASTSD 8(DX), %s", w.v(1))
	w.clear(2)
	w.clear(3)
	w.p("MOVQ SI, BX")
	w.p("MOVQ census_octets(DI), R14")
	block := func(octets int) {
		for v := range octets * w.perOctet {
			w.p("VMOVUPD %s, %s", w.at(v, "BX", ""), w.v(5))
			for i := range 2 {
				if w.reg == "Z" {
					w.p("VCMPPD $%d, Z5, Z%d, K%d", lessOrEqual, i, i+1)
					w.p("VPADDQ Z4, Z%d, K%d, Z%d", i+2, i+1, i+2)
				} else { // the mask is −1 where it holds
					w.p("VCMPPD $%d, Y5, Y%d, Y6", lessOrEqual, i)
					w.p("VPSUBQ Y6, Y%d, Y%d", i+2, i+2)
				}
			}
		}
	}
	w.blocks("o", []int{4, 1}, "R14", "BX", block)
	for i := range 2 {
		n := i + 2
		if w.reg == "Z" {
			w.p("VEXTRACTI64X4 $1, Z%d, Y5", n)
			w.p("VPADDQ Y5, Y%d, Y%d", n, n)
		}
		w.p("VEXTRACTI128 $1, Y%d, X5", n)
		w.p("VPADDQ X5, X%d, X%d", n, n)
		w.p("VPSHUFD $0x4e, X%d, X5", n)
		w.p("VPADDQ X5, X%d, X%d", n, n)
		w.p("VMOVQ X%d, %d(R11)", n, 8*i)
	}
	w.p("ADDQ $16, DX")
	w.p("ADDQ $16, R11")
	w.p("DECQ R12")
	w.p("JNZ pair")
	w.end()
}
