package lattice

import (
	"math"
	"unsafe"
)

// shift: dst[k] = Σ src[k − offset] over n offsets, for as many k as fill blocks
// of 64 bytes; dst and src are numbers of one kind. What lies in front of src is read,
// too, as far as the largest offset. Sums of integers up to 2⁵³ in float64, and
// below 2³² and 2¹⁶ in uint32 and uint16, are exact in any order.
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

// lanes is one variant of the loops. fill, where there is one, writes blocks of 64 bytes, at least one, over and over
// the same eight.
type lanes struct {
	name string
	// shiftAdd adds float64s, the others uint32s and uint16s.
	shiftAdd, shiftAdd32, shiftAdd16 func(*shift)
	spread                           func(*spread)
	fill                             func(dst unsafe.Pointer, pattern uint64, blocks int)
}

// Name is the kernel that the variant is written for.
func (l *lanes) Name() string { return l.name }

var scalar = lanes{name: "scalar", shiftAdd: shiftAddScalar[float64], shiftAdd32: shiftAddScalar[uint32], shiftAdd16: shiftAddScalar[uint16], spread: spreadScalar}

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
	dst := unsafe.Slice((*T)(a.dst), n)
	clear(dst)
	for _, o := range unsafe.Slice(a.offsets, a.n) {
		src := unsafe.Slice((*T)(unsafe.Add(a.src, -int(o)*int(unsafe.Sizeof(dst[0])))), n)
		for k, v := range src {
			dst[k] += v
		}
	}
}
