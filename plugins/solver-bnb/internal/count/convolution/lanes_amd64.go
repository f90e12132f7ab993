package convolution

import "unsafe"

var variants = []*lanes{
	{"avx512", shiftAddAVX512, shiftAdd32AVX512, spreadAVX512, binnedAVX512, extentAVX512, fillAVX512},
	{"avx2", shiftAddAVX2, shiftAdd32AVX2, spreadAVX2, binnedAVX2, extentAVX2, fillAVX2},
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
func spreadAVX512(a *spread)

//go:noescape
func spreadAVX2(a *spread)

//go:noescape
func binnedAVX512(a *binned)

//go:noescape
func binnedAVX2(a *binned)

//go:noescape
func extentAVX512(a *extent)

//go:noescape
func extentAVX2(a *extent)

//go:noescape
func fillAVX512(dst unsafe.Pointer, pattern uint64, blocks int)

//go:noescape
func fillAVX2(dst unsafe.Pointer, pattern uint64, blocks int)
