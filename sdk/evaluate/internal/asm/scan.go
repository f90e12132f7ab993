package main

import "strings"

// Predicates of VCMPPD, ordered and quiet.
const (
	equal          = 0
	lessOrEqual    = 18
	greaterOrEqual = 29
	greater        = 30
)

// mask sets in AX the bits of the octet's lanes in which register(v) has the
// relation to operand(v). v runs over the octet's registers; the second operand of
// a relation is written first.
func (w *writer) mask(relation int, operand func(v int) string, register func(v int) string, t int) {
	if w.Reg == "Z" {
		w.P("VCMPPD $%d, %s, %s, K1", relation, operand(0), register(0))
		w.P("KMOVB K1, AX")
		return
	}
	w.P("VCMPPD $%d, %s, %s, Y%d", relation, operand(1), register(1), t)
	w.P("VMOVMSKPD Y%d, AX", t)
	w.P("SHLQ $4, AX")
	w.P("VCMPPD $%d, %s, %s, Y%d", relation, operand(0), register(0), t)
	w.P("VMOVMSKPD Y%d, CX", t)
	w.P("ORQ CX, AX")
}

// firstMasks prepares the loop over the octets of neurons that nextMasks ends.
func (w *writer) firstMasks(argument string) {
	w.P("MOVQ %s_octets(DI), R14", argument)
	for _, r := range []string{"R10", "R11", "R13"} {
		w.P("XORQ %s, %s", r, r)
	}
	w.Clear(w.isa.zero)
	w.P("XORQ R9, R9")
}

// nextMasks ends the loop over the octets of neurons; R14 counts those left. The
// registers that begin at high and at low hold the neurons' upper and lower bounds. R10
// and R11 hold the masks so far, the latest in the lowest byte: each octet rotates
// the words by one byte, so that eight octets end in order. A single instruction stores
// each word, because a single one soon reads it.
func (w *writer) nextMasks(argument string, high, low, t int) {
	zero := func(int) string { return w.V(w.isa.zero) }
	w.mask(greater, zero, func(v int) string { return w.V(high + v) }, t)
	w.P("ORQ AX, R10")
	w.mask(greaterOrEqual, zero, func(v int) string { return w.V(low + v) }, t)
	w.P("ORQ AX, R11")
	words := []struct{ register, field string }{{"R10", "alive"}, {"R11", "stable"}}
	for _, m := range words {
		w.P("RORQ $8, %s", m.register)
	}
	w.P("ADDQ $64, R9")
	w.P("DECQ R14")
	w.P("JEQ flush")
	w.P("TESTQ $511, R9")
	w.P("JNE octet")
	store := func() {
		for _, m := range words {
			w.P("MOVQ %s_%s(DI), AX", argument, m.field)
			w.P("MOVQ %s, (AX)(R13*1)", m.register)
			w.P("XORQ %s, %s", m.register, m.register)
		}
		w.P("ADDQ $8, R13")
	}
	store()
	w.P("JMP octet")
	w.Label("flush")
	w.P("MOVQ R9, CX") // 64 per octet; an eighth of it is the number of bits rotated
	w.P("SHRQ $3, CX")
	w.P("NEGQ CX")
	for _, m := range words {
		w.P("RORQ CX, %s", m.register)
	}
	store()
}

// bounds: lower and upper bounds of coefs[0][j] + Σ coefs[g][j]·r, with r in
// ranges[g], for every neuron j; sets a bit of alive if the upper bound is
// positive, and of stable if the lower bound is not negative.
func (w *writer) bounds() {
	w.Begin("bounds", "interval")
	w.P("MOVQ interval_coefs(DI), DX")
	w.P("MOVQ interval_ranges(DI), SI")
	w.P("MOVQ interval_n(DI), R12")
	w.firstMasks("interval")
	n := w.PerOctet
	low, high, least, most, t, u := 0, n, 2*n, 2*n+1, 2*n+2, 2*n+3
	w.Label("octet")
	w.P("MOVQ (DX), CX")
	for v := range n {
		w.P("VMOVUPD %s, %s", w.At(v, "CX", "R9"), w.V(low+v))
		w.P("VMOVAPD %s, %s", w.V(low+v), w.V(high+v))
	}
	w.P("MOVQ $1, R15")
	w.P("LEAQ 16(SI), BX")
	w.Label("row")
	w.P("CMPQ R15, R12")
	w.P("JGE signs")
	w.P("MOVQ (DX)(R15*8), CX")
	w.P("VBROADCASTSD (BX), %s", w.V(least))
	w.P("VBROADCASTSD 8(BX), %s", w.V(most))
	for v := range n {
		w.P("VMULPD %s, %s, %s", w.At(v, "CX", "R9"), w.V(least), w.V(t))
		w.P("VMULPD %s, %s, %s", w.At(v, "CX", "R9"), w.V(most), w.V(u))
		x := u + 1
		w.P("VMINPD %s, %s, %s", w.V(u), w.V(t), w.V(x))
		w.P("VMAXPD %s, %s, %s", w.V(u), w.V(t), w.V(t))
		w.P("VADDPD %s, %s, %s", w.V(x), w.V(low+v), w.V(low+v))
		w.P("VADDPD %s, %s, %s", w.V(t), w.V(high+v), w.V(high+v))
	}
	w.P("ADDQ $16, BX")
	w.P("INCQ R15")
	w.P("JMP row")
	w.Label("signs")
	w.nextMasks("interval", high, low, t)
	w.End()
}

// signs: like bounds, it sets bits of alive and stable, but the lower bounds are
// base[j] + least[j] and the upper bounds are base[j] + most[j].
func (w *writer) signs() {
	w.Begin("signs", "spread")
	w.P("MOVQ spread_base(DI), DX")
	w.P("MOVQ spread_least(DI), SI")
	w.P("MOVQ spread_most(DI), R8")
	w.firstMasks("spread")
	n := w.PerOctet
	w.Label("octet")
	for v := range n {
		w.P("VMOVUPD %s, %s", w.At(v, "DX", "R9"), w.V(v))
		w.P("VADDPD %s, %s, %s", w.At(v, "SI", "R9"), w.V(v), w.V(n+v))
		w.P("VADDPD %s, %s, %s", w.At(v, "R8", "R9"), w.V(v), w.V(v))
	}
	w.nextMasks("spread", 0, n, 2*n)
	w.End()
}

// places: the first place of the least and of the greatest value.
func (w *writer) places() {
	w.Begin("places", "extent")
	for i, field := range []string{"Least", "Most"} {
		w.P("VBROADCASTSD extent_%s(DI), %s", strings.ToLower(field), w.V(0))
		w.P("MOVQ extent_values(DI), BX")
		w.P("XORQ R9, R9")
		w.Label("seek%d", i)
		w.mask(equal, func(v int) string { return w.At(v, "BX", "") }, func(int) string { return w.V(0) }, 2)
		w.P("ADDQ $64, BX")
		w.P("ADDQ $8, R9")
		w.P("TESTQ AX, AX")
		w.P("JEQ seek%d", i)
		w.P("BSFQ AX, AX")
		w.P("LEAQ -8(R9)(AX*1), AX")
		w.P("MOVQ AX, extent_at%s(DI)", field)
	}
	w.End()
}

// counts: how many values are at least each threshold, two thresholds at a time.
// The counters are vectors, whose lanes are summed at the end.
func (w *writer) counts() {
	w.Begin("counts", "census")
	w.P("MOVQ census_values(DI), SI")
	w.P("MOVQ census_thresholds(DI), DX")
	w.P("MOVQ census_pairs(DI), R12")
	w.P("MOVQ census_counts(DI), R11")
	if w.Reg == "Z" {
		w.P("MOVQ $1, AX")
		w.P("VPBROADCASTQ AX, Z4")
	}
	w.Label("pair")
	w.P("VBROADCASTSD (DX), %s", w.V(0))
	w.P("VBROADCASTSD 8(DX), %s", w.V(1))
	w.Clear(2)
	w.Clear(3)
	w.P("MOVQ SI, BX")
	w.P("MOVQ census_octets(DI), R14")
	block := func(octets int) {
		for v := range octets * w.PerOctet {
			w.P("VMOVUPD %s, %s", w.At(v, "BX", ""), w.V(5))
			for i := range 2 {
				if w.Reg == "Z" {
					w.P("VCMPPD $%d, Z5, Z%d, K%d", lessOrEqual, i, i+1)
					w.P("VPADDQ Z4, Z%d, K%d, Z%d", i+2, i+1, i+2)
				} else { // the mask is −1 if the relation holds
					w.P("VCMPPD $%d, Y5, Y%d, Y6", lessOrEqual, i)
					w.P("VPSUBQ Y6, Y%d, Y%d", i+2, i+2)
				}
			}
		}
	}
	w.Blocks("o", []int{4, 1}, "R14", "BX", block)
	for i := range 2 {
		n := i + 2
		if w.Reg == "Z" {
			w.P("VEXTRACTI64X4 $1, Z%d, Y5", n)
			w.P("VPADDQ Y5, Y%d, Y%d", n, n)
		}
		w.P("VEXTRACTI128 $1, Y%d, X5", n)
		w.P("VPADDQ X5, X%d, X%d", n, n)
		w.P("VPSHUFD $0x4e, X%d, X5", n)
		w.P("VPADDQ X5, X%d, X%d", n, n)
		w.P("VMOVQ X%d, %d(R11)", n, 8*i)
	}
	w.P("ADDQ $16, DX")
	w.P("ADDQ $16, R11")
	w.P("DECQ R12")
	w.P("JNZ pair")
	w.End()
}
