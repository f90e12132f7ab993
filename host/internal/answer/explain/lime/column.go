package lime

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/space"
)

// column is the distribution of one feature: a random choice of bins.
type column struct {
	categorical, integer bool
	// cuts holds the distinct quartiles of a number, ascending.
	cuts []float64
	// bins holds the bins with at least one training row.
	bins []bin
}

// bin is a part of a feature's values.
type bin struct {
	// place is column.place of the bin's values.
	place float64
	// upTo is the share of training rows in this bin and those before it.
	upTo float64
	// low and high are the bin's ends; mean and sd are its training rows' (the
	// standard deviation divides by n).
	low, high, mean, sd float64
}

// describe bins the values of a feature, given in ascending order.
func describe(f *space.Feature, sorted []float64) column {
	c := column{categorical: f.Kind == space.Categorical, integer: f.Kind == space.Integer}
	if !c.categorical {
		for _, q := range []float64{0.25, 0.5, 0.75} {
			c.cuts = append(c.cuts, statistics.Quantile(sorted, q))
		}
		c.cuts = slices.Compact(c.cuts)
	}
	ends := slices.Concat(sorted[:1], c.cuts, sorted[len(sorted)-1:])
	for begin := 0; begin < len(sorted); {
		place := c.place(sorted[begin])
		end := begin + 1
		for end < len(sorted) && c.place(sorted[end]) == place {
			end++
		}
		b := bin{place: place, upTo: float64(end) / float64(len(sorted)), low: sorted[begin], high: sorted[begin]}
		if !c.categorical {
			b.low, b.high = ends[int(place)], ends[int(place)+1]
		}
		b.mean, b.sd = spread(sorted[begin:end])
		c.bins = append(c.bins, b)
		begin = end
	}
	return c
}

// spread returns the mean and the standard deviation of values, whose variance divides by n.
func spread(values []float64) (mean, sd float64) {
	mean = statistics.Mean(values)
	for _, v := range values {
		sd += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(sd / float64(len(values)))
}

// place is the bin of a value: the category itself, or the number of cuts below a number.
func (c *column) place(v float64) float64 {
	if c.categorical {
		return v
	}
	below, _ := slices.BinarySearch(c.cuts, v)
	return float64(below)
}

// mostDraws bounds the draws of one number. A normal distribution with a bin's mean and standard
// deviation has at least a third of its mass within the bin: one end is at least one standard
// deviation from the mean (R. Bhatia and C. Davis, A better bound on the variance, American
// Mathematical Monthly 107, 2000). The bound matters only for numbers too large to sum.
const mostDraws = 256

// draw draws a value and the place of its bin. Rounding may move an integer to the end of
// another bin; its place stays.
func (c *column) draw(rng *rand.Rand) (v, place float64) {
	at, _ := slices.BinarySearchFunc(c.bins, rng.Float64(), func(b bin, u float64) int { return cmp.Compare(b.upTo, u) })
	b := &c.bins[min(at, len(c.bins)-1)]
	v = min(max(b.mean, b.low), b.high)
	for range mostDraws {
		if b.sd == 0 || b.low == b.high {
			break
		}
		if drawn := b.mean + float64(b.sd*rng.NormFloat64()); b.low <= drawn && drawn <= b.high {
			v = drawn
			break
		}
	}
	if c.integer {
		v = math.Round(v)
	}
	return v, b.place
}
