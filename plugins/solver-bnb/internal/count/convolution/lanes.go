package convolution

import (
	"math"
	"unsafe"
)

// shift: dst[k] = Σ src[k − offset] over n offsets, for all k in the given number of
// blocks of 64 bytes; dst and src hold numbers of one type. The loop also reads what lies
// in front of src, as far as the largest offset. Sums of integers up to 2⁵³ in float64,
// and below 2³² in uint32, are exact in any order.
type shift struct {
	dst, src  unsafe.Pointer
	offsets   *int32
	n, blocks int
}

// spread: with x = step·i, offsets[i] is x rounded to the nearest integer for i < n;
// least and most are the range of x − offsets[i]. offsets must have room for eight more.
type spread struct {
	step        float64
	offsets     *int32
	n           int
	least, most float64
}

// binned: with x = (values[i] − low)·per, offsets[i] is x rounded to the nearest integer for i < n; least and most are the
// range of x − offsets[i] and 0. n is a positive multiple of 8.
type binned struct {
	values      *float64
	low, per    float64
	offsets     *int32
	n           int
	least, most float64
}

// extent: least and most are the range of n values; n is a positive multiple of 8.
type extent struct {
	values      *float64
	n           int
	least, most float64
}

// lanes is one variant of the loops. fill, if not nil, fills at least one block of 64 bytes with a pattern of eight
// bytes.
type lanes struct {
	name string
	// shiftAdd adds float64s, shiftAdd32 uint32s.
	shiftAdd, shiftAdd32 func(*shift)
	spread               func(*spread)
	binned               func(*binned)
	extent               func(*extent)
	fill                 func(dst unsafe.Pointer, pattern uint64, blocks int)
}

// Name returns the variant's name: avx512, avx2 or scalar.
func (l *lanes) Name() string { return l.name }

var scalar = lanes{name: "scalar", shiftAdd: shiftAddScalar[float64], shiftAdd32: shiftAddScalar[uint32], spread: spreadScalar, binned: binnedScalar, extent: extentScalar}

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

func binnedScalar(a *binned) {
	a.least, a.most = 0, 0
	offsets := unsafe.Slice(a.offsets, a.n)
	for i, v := range unsafe.Slice(a.values, a.n) {
		x := float64(v-a.low) * a.per
		k := math.RoundToEven(x)
		offsets[i] = int32(k)
		a.least, a.most = min(a.least, x-k), max(a.most, x-k)
	}
}

func extentScalar(a *extent) {
	values := unsafe.Slice(a.values, a.n)
	a.least, a.most = values[0], values[0]
	for _, v := range values {
		a.least, a.most = min(a.least, v), max(a.most, v)
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
