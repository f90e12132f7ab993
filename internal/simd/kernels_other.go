//go:build !amd64

package simd

// Kernels names the kinds of vector instructions that this machine has, the
// fastest first: avx512, avx2 and scalar, which is plain Go.
func Kernels() []string { return []string{"scalar"} }
