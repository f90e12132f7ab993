package judge

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// MaxBins bounds the bins that are told apart.
const MaxBins = 1 << 12

// Bins counts bins of outcomes. Safe for concurrent use with a Room each.
type Bins struct{ below, above []float64 } // of the inner edges

// NewBins makes the bins of width eps.
func NewBins(eps *big.Rat) (*Bins, error) {
	n := fairness.Bins(eps)
	if n > MaxBins {
		return nil, fmt.Errorf("ε = %s makes %d bins; up to %d are counted", eps.RatString(), n, MaxBins)
	}
	b := &Bins{}
	for j := 1; j < n; j++ {
		lo, hi := fairness.Edge(j, eps)
		b.below, b.above = append(b.below, lo), append(b.above, hi)
	}
	return b, nil
}

// Count is the number of bins.
func (b *Bins) Count() int { return len(b.above) + 1 }

// Room is the memory of a count.
type Room struct {
	runs []run
	used []bool
}

// run is the bins that a combination's outcome may be in.
type run struct{ first, last int }

// runs finds the bins of intervals of logits.
func (b *Bins) runs(r *Room, lo, hi []float64, of []bool) {
	r.runs = r.runs[:0]
	for z := range lo {
		if of != nil && !of[z] {
			continue
		}
		// Edges that are surely at or below the logit, and those that may be.
		first, found := slices.BinarySearch(b.above, lo[z])
		if found {
			first++
		}
		last, found := slices.BinarySearch(b.below, hi[z])
		if found {
			last++
		}
		r.runs = append(r.runs, run{first, last})
	}
	slices.SortFunc(r.runs, func(a, b run) int {
		if a.last != b.last {
			return a.last - b.last
		}
		return a.first - b.first
	})
}

// Most bounds from above how many bins the outcomes fall into: a largest matching
// of combinations and bins, which for intervals is found by giving each, by
// increasing last bin, the first free one of its own.
func (b *Bins) Most(r *Room, lo, hi []float64, possible []bool) int {
	b.runs(r, lo, hi, possible)
	r.used = append(r.used[:0], make([]bool, len(b.above)+1)...)
	n := 0
	for _, run := range r.runs {
		for j := run.first; j <= run.last; j++ {
			if !r.used[j] {
				r.used[j] = true
				n++
				break
			}
		}
	}
	return n
}

// Least bounds it from below: the largest number of runs that have no bin in
// common, taken by increasing last bin.
func (b *Bins) Least(r *Room, lo, hi []float64, sure []bool) int {
	b.runs(r, lo, hi, sure)
	n, end := 0, -1
	for _, run := range r.runs {
		if run.first > end {
			n++
			end = run.last
		}
	}
	return n
}

// Across bounds how many bins logits fall into that lie between lo and hi and are
// at most apart from each other: one more than the edges that fit between them.
func (b *Bins) Across(apart, lo, hi float64) int {
	most := 0
	first, _ := slices.BinarySearch(b.above, lo) // edges below lo separate nobody
	for j, last := first, first; j < len(b.below) && b.below[j] <= hi; j++ {
		for last < len(b.below) && b.below[last] <= hi && down(b.below[last]-b.above[j]) <= apart {
			last++
		}
		most = max(most, last-j)
	}
	return most + 1
}
