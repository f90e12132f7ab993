package lattice

import (
	"math"
	"unsafe"
)

// shift: dst[k] = Σ src[k − offset] over n offsets, for k below 8·octets. What
// lies in front of src, as far as the largest offset, is zeros. Sums of integers
// up to 2⁵³ are exact in any order.
type shift struct {
	dst, src  *float64
	offsets   *int32
	n, octets int
}

// spread: with x = step·i, offsets[i] is x rounded to the nearest integer for i
// below n, least and most the range of x − offsets[i]. There is room for eight
// offsets more.
type spread struct {
	step        float64
	offsets     *int32
	n           int
	least, most float64
}

// lanes is one variant of the loops.
type lanes struct {
	name     string
	shiftAdd func(*shift)
	spread   func(*spread)
}

var scalar = lanes{name: "scalar", shiftAdd: shiftAddScalar, spread: spreadScalar}

func spreadScalar(a *spread) {
	a.least, a.most = 0, 0 // those of i = 0
	offsets := unsafe.Slice(a.offsets, a.n)
	for i := range offsets {
		x := a.step * float64(i)
		k := math.RoundToEven(x)
		offsets[i] = int32(k)
		a.least, a.most = min(a.least, x-k), max(a.most, x-k)
	}
}

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
