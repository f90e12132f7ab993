package lattice

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// supported lists the variants this machine can run, the fastest first.
func supported() []*lanes {
	var out []*lanes
	if cpu.X86.HasAVX512F {
		out = append(out, &lanes{"avx512", shiftAddAVX512, shiftAdd32AVX512, spreadAVX512, fillAVX512})
	}
	if cpu.X86.HasAVX2 {
		out = append(out, &lanes{"avx2", shiftAddAVX2, shiftAdd32AVX2, spreadAVX2, fillAVX2})
	}
	return append(out, &scalar)
}

//go:noescape
func shiftAddAVX512(a *shift)

//go:noescape
func shiftAddAVX2(a *shift)

//go:noescape
func shiftAdd32AVX512(a *shift)

//go:noescape
func shiftAdd32AVX2(a *shift)

//go:noescape
func spreadAVX512(a *spread)

//go:noescape
func spreadAVX2(a *spread)

//go:noescape
func fillAVX512(dst unsafe.Pointer, pattern uint64, blocks int)

//go:noescape
func fillAVX2(dst unsafe.Pointer, pattern uint64, blocks int)
