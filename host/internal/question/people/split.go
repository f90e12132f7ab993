package people

import (
	"cmp"
	"math"
	"slices"
)

// heldBack lists the test rows, increasing: those of files marked HeldBack, and a random
// share of the others.
func heldBack(spec *Spec, places []place) []int {
	var test, rest []int
	for i, p := range places {
		if spec.Files[p.file].HeldBack {
			test = append(test, i)
		} else {
			rest = append(rest, i)
		}
	}
	n := int(math.Round(spec.Split.Fraction * float64(len(rest))))
	slices.SortFunc(rest, func(a, b int) int {
		return cmp.Or(cmp.Compare(lot(spec.Split.Seed, a), lot(spec.Split.Seed, b)), cmp.Compare(a, b))
	})
	test = append(test, rest[:n]...)
	slices.Sort(test)
	return test
}

// lot is a row's pseudo-random number: step row+1 of SplitMix64 (Steele, Lea and Flood, 2014) from
// seed. The formula must not change: it makes the split equal on every machine and in every version.
func lot(seed uint64, row int) uint64 {
	z := seed + (uint64(row)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
