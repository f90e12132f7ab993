package lattice

import "unsafe"

// shift: dst[k] = Σ src[k − offset] over n offsets, for k below 8·octets. What
// lies in front of src, as far as the largest offset, is zeros. Sums of integers
// up to 2⁵³ are exact in any order.
type shift struct {
	dst, src  *float64
	offsets   *int32
	n, octets int
}

// lanes is one variant of the loop.
type lanes struct {
	name     string
	shiftAdd func(*shift)
}

var scalar = lanes{name: "scalar", shiftAdd: shiftAddScalar}

func shiftAddScalar(a *shift) {
	n := 8 * a.octets
	dst, src := unsafe.Slice(a.dst, n), unsafe.Slice(a.src, n)
	clear(dst)
	for _, o := range unsafe.Slice(a.offsets, a.n) {
		for k := int(o); k < n; k++ {
			dst[k] += src[k-int(o)]
		}
	}
}
