package lattice

import (
	"math"
	"unsafe"
)

// shift: dst[k] = Σ src[k − offset] over n offsets, for as many k as fill blocks
// of 64 bytes; dst and src are numbers of one kind. What lies in front of src, as
// far as the largest offset, is zeros. Sums of integers up to 2⁵³ in float64, and
// below 2³² in uint32, are exact in any order.
type shift struct {
	dst, src  unsafe.Pointer
	offsets   *int32
	n, blocks int
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

// lanes is one variant of the loops; shiftAdd adds float64s, shiftAdd32 uint32s.
// fill, where there is one, writes blocks of 64 bytes, at least one, over and over
// the same eight.
type lanes struct {
	name                 string
	shiftAdd, shiftAdd32 func(*shift)
	spread               func(*spread)
	fill                 func(dst unsafe.Pointer, pattern uint64, blocks int)
}

// Name is the kernel that the variant is written for.
func (l *lanes) Name() string { return l.name }

var scalar = lanes{name: "scalar", shiftAdd: shiftAddScalar[float64], shiftAdd32: shiftAddScalar[uint32], spread: spreadScalar}

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

func shiftAddScalar[T number](a *shift) {
	n := perBlock[T]() * a.blocks
	dst, src := unsafe.Slice((*T)(a.dst), n), unsafe.Slice((*T)(a.src), n)
	clear(dst)
	for _, o := range unsafe.Slice(a.offsets, a.n) {
		for k := int(o); k < n; k++ {
			dst[k] += src[k-int(o)]
		}
	}
}
