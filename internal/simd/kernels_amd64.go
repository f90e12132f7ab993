package simd

import "golang.org/x/sys/cpu"

// Kernels names the kinds of vector instructions that this machine has, the
// fastest first: avx512, avx2 and scalar, which is plain Go.
func Kernels() []string {
	var out []string
	if x := &cpu.X86; x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL {
		out = append(out, "avx512")
	}
	if x := &cpu.X86; x.HasAVX2 && x.HasFMA {
		out = append(out, "avx2")
	}
	return append(out, "scalar")
}
