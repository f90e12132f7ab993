package notion

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// MaxBins is the largest number of bins that NewBins accepts.
const MaxBins = 1 << 12

// Bins counts bins of outcomes. It is safe for concurrent use, with a separate Room for
// each goroutine.
type Bins struct{ below, above []float64 } // enclosures of the inner edges

// NewBins makes the bins of scores that have the link: the bands or, without any, those of width eps.
func NewBins(link fairness.Link, eps *big.Rat, bands fairness.Bands) (*Bins, error) {
	of := link.Binning(eps, bands)
	n := of.Count()
	if n > MaxBins {
		return nil, fmt.Errorf("ε = %s makes %d bins; at most %d are supported", fairness.FormatRat(eps), n, MaxBins)
	}
	b := &Bins{}
	for j := 1; j < n; j++ {
		lo, hi := of.Edge(j)
		b.below, b.above = append(b.below, lo), append(b.above, hi)
	}
	return b, nil
}

// Count returns the number of bins.
func (b *Bins) Count() int { return len(b.above) + 1 }

// Room is memory that the methods of Bins reuse from call to call. The zero value is ready.
type Room struct {
	runs    []run
	starts  []int32  // by bin: number of runs that begin before it
	lasts   []int32  // the runs' last bins, in order of their first bins
	waiting []int32  // by last bin: number of runs that have begun and have no bin yet
	some    []uint64 // a bit per bin: a waiting run ends there
	latest  []int32  // by last bin: the latest first bin, −1 if there is no run
	sorted  []float64
}

// run is the range of bins that a combination's outcome may be in.
type run struct{ first, last int32 }

// runs sets r.runs, given an interval for each combination's logit. It skips the combinations for which of is
// false; a nil of selects all.
func (b *Bins) runs(r *Room, lo, hi []float64, of []bool) {
	r.runs = r.runs[:0]
	for z := range lo {
		if of != nil && !of[z] {
			continue
		}
		// The edges that are surely at or below the logit, then those that may be.
		first, found := slices.BinarySearch(b.above, lo[z])
		if found {
			first++
		}
		last := first
		for last < len(b.below) && last < first+8 && b.below[last] <= hi[z] {
			last++
		}
		if last == first+8 {
			further, found := slices.BinarySearch(b.below[last:], hi[z])
			if last += further; found {
				last++
			}
		}
		r.runs = append(r.runs, run{int32(first), int32(last)})
	}
}

// Most bounds from above the number of bins that the outcomes fall into.
func (b *Bins) Most(r *Room, lo, hi []float64, possible []bool) int {
	b.runs(r, lo, hi, possible)
	return r.matched(b.Count())
}

// Least bounds from below the number of bins that the outcomes fall into.
func (b *Bins) Least(r *Room, lo, hi []float64, sure []bool) int {
	b.runs(r, lo, hi, sure)
	return r.apart(b.Count())
}

// Range returns Least and Most for the same combinations.
func (b *Bins) Range(r *Room, lo, hi []float64, of []bool) (least, most int) {
	b.runs(r, lo, hi, of)
	return r.apart(b.Count()), r.matched(b.Count())
}

// matched returns the size of a largest matching of runs and bins. For intervals, a
// greedy method finds it: each bin in turn takes the waiting run that ends first (Glover,
// Naval Research Logistics Quarterly 14, 1967).
func (r *Room) matched(bins int) (n int) {
	r.starts = append(r.starts[:0], make([]int32, bins+1)...)
	for _, run := range r.runs {
		r.starts[run.first+1]++
	}
	for j := range bins {
		r.starts[j+1] += r.starts[j]
	}
	r.lasts = append(r.lasts[:0], make([]int32, len(r.runs))...)
	r.waiting = append(r.waiting[:0], make([]int32, bins)...)
	for _, run := range r.runs { // waiting counts the runs placed so far
		r.lasts[r.starts[run.first]+r.waiting[run.first]] = run.last
		r.waiting[run.first]++
	}
	clear(r.waiting)
	r.some = append(r.some[:0], make([]uint64, (bins+63)/64)...)
	for j := range bins {
		for _, last := range r.lasts[r.starts[j]:r.starts[j+1]] {
			r.waiting[last]++
			r.some[last/64] |= 1 << (last % 64)
		}
		last := r.next(j)
		if last < 0 {
			continue
		}
		n++
		if r.waiting[last]--; r.waiting[last] == 0 {
			r.some[last/64] &^= 1 << (last % 64)
		}
	}
	return n
}

// Entropy returns the Shannon entropy, in bits, of the last call's runs over their first
// bins. It grows on the way to a larger k, while k itself stays the same.
func (r *Room) Entropy(bins int) (h float64) {
	r.waiting = append(r.waiting[:0], make([]int32, bins)...)
	for _, run := range r.runs {
		r.waiting[run.first]++
	}
	for _, n := range r.waiting {
		if n > 0 {
			share := float64(n) / float64(len(r.runs))
			h -= share * math.Log2(share)
		}
	}
	return h
}

// Short returns how far logits are from having one in every bin: the sum over the bins of
// the distance to the nearest logit, capped at near. It orders individuals and proves
// nothing.
func (b *Bins) Short(r *Room, logits []float64, of []bool) (sum float64) {
	const near = 3.0
	r.sorted = r.sorted[:0]
	for z, l := range logits {
		if of == nil || of[z] {
			r.sorted = append(r.sorted, l)
		}
	}
	slices.Sort(r.sorted)
	from, at := math.Inf(-1), 0
	for j := range b.Count() {
		to := math.Inf(1)
		if j < len(b.below) {
			to = b.below[j]
		}
		for at < len(r.sorted) && r.sorted[at] < from {
			at++
		}
		d := near
		if at < len(r.sorted) {
			d = min(d, max(0, r.sorted[at]-to))
		}
		if at > 0 && d > 0 {
			d = min(d, from-r.sorted[at-1])
		}
		sum += d
		from = to
	}
	return sum
}

// next returns the first bin, j or later, in which a waiting run ends, −1 if there is none.
func (r *Room) next(j int) int {
	word := r.some[j/64] &^ (1<<(j%64) - 1)
	for at := j / 64; ; word = r.some[at] {
		if word != 0 {
			return 64*at + bits.TrailingZeros64(word)
		}
		if at++; at == len(r.some) {
			return -1
		}
	}
}

// apart returns the largest number of runs that are pairwise disjoint, chosen by
// increasing last bin.
func (r *Room) apart(bins int) (n int) {
	r.latest = append(r.latest[:0], make([]int32, bins)...)
	for j := range r.latest {
		r.latest[j] = -1
	}
	for _, run := range r.runs {
		r.latest[run.last] = max(r.latest[run.last], run.first)
	}
	end := int32(-1)
	for last, first := range r.latest {
		if first > end {
			n, end = n+1, int32(last)
		}
	}
	return n
}

// Across bounds the number of bins of logits that lie between lo and hi and differ by at
// most apart: one more than the number of edges that fit between them. Equal logits have
// no edge between them.
func (b *Bins) Across(apart, lo, hi float64) int {
	if apart <= 0 {
		return 1
	}
	most := 0
	first, _ := slices.BinarySearch(b.above, lo) // edges below lo separate no copies
	for j, last := first, first; j < len(b.below) && b.below[j] <= hi; j++ {
		for last < len(b.below) && b.below[last] <= hi && down(b.below[last]-b.above[j]) <= apart {
			last++
		}
		most = max(most, last-j)
	}
	return most + 1
}
