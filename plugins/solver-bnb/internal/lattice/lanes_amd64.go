package lattice

import "unsafe"

var variants = []*lanes{
	{"avx512", shiftAddAVX512, shiftAdd32AVX512, shiftAdd16AVX512, spreadAVX512, fillAVX512},
	{"avx2", shiftAddAVX2, shiftAdd32AVX2, shiftAdd16AVX2, spreadAVX2, fillAVX2},
	&scalar,
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
func shiftAdd16AVX512(a *shift)

//go:noescape
func shiftAdd16AVX2(a *shift)

//go:noescape
func spreadAVX512(a *spread)

//go:noescape
func spreadAVX2(a *spread)

//go:noescape
func fillAVX512(dst unsafe.Pointer, pattern uint64, blocks int)

//go:noescape
func fillAVX2(dst unsafe.Pointer, pattern uint64, blocks int)
