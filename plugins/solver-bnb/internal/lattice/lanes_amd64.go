package lattice

import "golang.org/x/sys/cpu"

// supported lists the variants this machine can run, the fastest first.
func supported() []*lanes {
	var out []*lanes
	if cpu.X86.HasAVX512F {
		out = append(out, &lanes{"avx512", shiftAddAVX512, spreadAVX512})
	}
	if cpu.X86.HasAVX2 {
		out = append(out, &lanes{"avx2", shiftAddAVX2, spreadAVX2})
	}
	return append(out, &scalar)
}

//go:noescape
func shiftAddAVX512(a *shift)

//go:noescape
func shiftAddAVX2(a *shift)

//go:noescape
func spreadAVX512(a *spread)

//go:noescape
func spreadAVX2(a *spread)
