package evaluate

import (
	"math"
	"unsafe"
)

// scalar is the plain variant, which defines the results of the others.
var scalar = lanes{
	name: "scalar", combine: combineScalar, columns: columnsScalar, bounds: boundsScalar,
	signs: signsScalar, places: placesScalar, counts: countsScalar,
}

// vector is the slice of octets that begins at p.
func vector(p *float64, octets int) []float64 { return unsafe.Slice(p, 8*octets) }

func combineScalar(a *combination) {
	outs, coefs := unsafe.Slice(a.outs, a.outputs), unsafe.Slice(a.coefs, a.outputs)
	for q := range outs {
		out := vector(outs[q], a.octets)
		if clear(out); q == 0 && a.start != nil {
			copy(out, vector(a.start, a.octets))
		}
	}
	a.start = nil
	for _, i := range unsafe.Slice(a.list, a.n) {
		row := vector((*float64)(unsafe.Add(unsafe.Pointer(a.rows), int(i)*a.stride)), a.octets)
		for q := range outs {
			out := vector(outs[q], a.octets)
			c := *at(coefs[q], i)
			for v, r := range row {
				out[v] = math.FMA(c, r, out[v])
			}
		}
	}
}

// at is element j of the vector that begins at p.
func at(p *float64, j int32) *float64 {
	return (*float64)(unsafe.Add(unsafe.Pointer(p), int(j)*8))
}

func columnsScalar(a *expansion) {
	rows, coefs := unsafe.Slice(a.rows, a.n), unsafe.Slice(a.coefs, a.n)
	outs := unsafe.Slice(a.outs, a.outputs)
	for q, j := range unsafe.Slice(a.list, a.outputs) {
		out := vector(outs[q], a.octets)
		fill(out, *at(coefs[0], j))
		for g := 1; g < a.n; g++ {
			c := *at(coefs[g], j)
			for v, r := range vector(rows[g], a.octets) {
				out[v] = math.FMA(c, r, out[v])
			}
		}
		least, most := math.Inf(1), math.Inf(-1)
		for v, y := range out {
			if a.relu != 0 && !(y > 0) {
				y = 0
				out[v] = 0
			}
			if y < least {
				least = y
			}
			if y > most {
				most = y
			}
		}
		if a.ranges != nil {
			unsafe.Slice(a.ranges, a.outputs)[q] = span{least, most}
		}
	}
}

func boundsScalar(a *interval) {
	coefs, ranges := unsafe.Slice(a.coefs, a.n), unsafe.Slice(a.ranges, a.n)
	for j := range 8 * a.octets {
		low := *at(coefs[0], int32(j))
		high := low
		for g := 1; g < a.n; g++ {
			c := *at(coefs[g], int32(j))
			// The conversions keep compilers from fusing, as the assembly does not.
			x, y := float64(c*ranges[g].least), float64(c*ranges[g].most)
			low += min(x, y)
			high += max(x, y)
		}
		setBit(a.alive, j, high > 0)
		setBit(a.stable, j, low >= 0)
	}
}

func signsScalar(a *spread) {
	base, least, most := vector(a.base, a.octets), vector(a.least, a.octets), vector(a.most, a.octets)
	for j, b := range base {
		setBit(a.alive, j, b+most[j] > 0)
		setBit(a.stable, j, b+least[j] >= 0)
	}
}

// setBit sets or clears bit j. Calls must go through the bits in order, from 0.
func setBit(words *uint64, j int, on bool) {
	word := (*uint64)(unsafe.Add(unsafe.Pointer(words), j/64*8))
	if j%64 == 0 {
		*word = 0
	}
	if on {
		*word |= 1 << (j % 64)
	}
}

func placesScalar(a *extent) {
	for i := 0; ; i++ {
		if *at(a.values, int32(i)) == a.least {
			a.atLeast = i
			break
		}
	}
	for i := 0; ; i++ {
		if *at(a.values, int32(i)) == a.most {
			a.atMost = i
			break
		}
	}
}

func countsScalar(a *census) {
	values, counts := vector(a.values, a.octets), unsafe.Slice(a.counts, 2*a.pairs)
	for t, threshold := range unsafe.Slice(a.thresholds, 2*a.pairs) {
		n := int64(0)
		for _, v := range values {
			if v >= threshold {
				n++
			}
		}
		counts[t] = n
	}
}

func fill(row []float64, v float64) {
	for c := range row {
		row[c] = v
	}
}
