package main

// moment: eight sums of src, and of its squares.
//
// SI src, R9 bytes done, R14 octets left.
func (w *writer) moment() {
	w.Begin("moment", "moment")
	w.P("MOVQ moment_src(DI), SI")
	w.P("MOVQ moment_octets(DI), R14")
	w.P("XORQ R9, R9")
	n := w.PerOctet
	for v := range 2 * n {
		w.Clear(v)
	}
	w.Blocks("", []int{1}, "R14", "R9", func(int) {
		for v := range n {
			x := w.V(2*n + v)
			w.P("VMOVUPD %s, %s", w.At(v, "SI", "R9"), x)
			w.P("VADDPD %s, %s, %s", x, w.V(v), w.V(v))
			w.P("VFMADD231PD %s, %s, %s", x, x, w.V(n+v))
		}
	})
	for v := range n {
		w.P("VMOVUPD %s, moment_sum+%d(DI)", w.V(v), v*64/n)
		w.P("VMOVUPD %s, moment_squares+%d(DI)", w.V(n+v), v*64/n)
	}
	w.End()
}

// hinge: dst = max(−(src + shift), 0).
func (w *writer) hinge() {
	w.shifted("hinge", func(v, zero int) {
		w.P("VSUBPD %s, %s, %s", w.V(v), w.V(zero), w.V(v))
		w.P("VMAXPD %s, %s, %s", w.V(zero), w.V(v), w.V(v))
	})
}

// lowest: dst = min(dst, src + shift).
func (w *writer) lowest() {
	w.shifted("lowest", func(v, _ int) {
		w.P("VMINPD %s, %s, %s", w.At(v, "DX", "R9"), w.V(v), w.V(v))
	})
}

// shifted applies body to each octet of src + shift, in register v, and writes the result to dst.
//
// SI src, DX dst, R9 bytes done, R14 octets left.
func (w *writer) shifted(name string, body func(v, zero int)) {
	w.Begin(name, "shifting")
	for _, load := range [][2]string{{"src", "SI"}, {"dst", "DX"}, {"octets", "R14"}} {
		w.P("MOVQ shifting_%s(DI), %s", load[0], load[1])
	}
	shift, zero := 4, 5
	w.P("VBROADCASTSD shifting_shift(DI), %s", w.V(shift))
	w.Clear(zero)
	w.P("XORQ R9, R9")
	w.Blocks("", []int{1}, "R14", "R9", func(int) {
		for v := range w.PerOctet {
			w.P("VADDPD %s, %s, %s", w.At(v, "SI", "R9"), w.V(shift), w.V(v))
			body(v, zero)
			w.P("VMOVUPD %s, %s", w.V(v), w.At(v, "DX", "R9"))
		}
	})
	w.End()
}
