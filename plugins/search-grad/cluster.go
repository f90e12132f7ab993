package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

const (
	clusterSample = 2000 // number of rows that the centres are fitted to
	clusterRounds = 10   // rounds of Lloyd's algorithm
)

// cluster divides rows into at most n clusters by k-means, with numbers divided by their
// ranges and categories as one-hot vectors. No cluster is empty; without rows, it
// returns no clusters.
func cluster(s *space.Space, rows [][]float64, n int, seed int64) [][][]float64 {
	if len(rows) == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(uint64(seed), 0xc1)) // the constant separates this stream from others of the same seed
	sample := slices.Clone(rows)
	rng.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	sample = sample[:min(len(sample), clusterSample)]
	centres := make([]*centre, min(n, len(sample)))
	for i := range centres {
		centres[i] = newCentre(s)
		centres[i].move(sample[i : i+1])
	}
	for range clusterRounds {
		shares := share(centres, sample)
		for i, c := range centres {
			if len(shares[i]) > 0 {
				c.move(shares[i])
			}
		}
	}
	return slices.DeleteFunc(share(centres, rows), func(rows [][]float64) bool { return len(rows) == 0 })
}

// share assigns each row to its nearest centre, the first of equals.
func share(centres []*centre, rows [][]float64) [][][]float64 {
	shares := make([][][]float64, len(centres))
	for _, row := range rows {
		best, least := 0, math.Inf(1)
		for i, c := range centres {
			if d := c.distance(row, least); d < least {
				best, least = i, d
			}
		}
		shares[best] = append(shares[best], row)
	}
	return shares
}

// centre is the mean of some rows.
type centre struct {
	space *space.Space
	free  []int
	// numbers are the means of scaled values by feature. shares are, by categorical
	// feature, the shares of its categories, and squares the sums of the shares' squares.
	numbers, squares []float64
	shares           [][]float64
}

func newCentre(s *space.Space) *centre {
	c := &centre{space: s, free: s.Free(), numbers: make([]float64, len(s.Features)), squares: make([]float64, len(s.Features)), shares: make([][]float64, len(s.Features))}
	for _, i := range c.free {
		if f := &s.Features[i]; f.Kind == space.Categorical {
			c.shares[i] = make([]float64, len(f.Categories))
		}
	}
	return c
}

// scaled maps a feature's range to 0..1; halves keep huge ranges finite.
func scaled(f *space.Feature, v float64) float64 {
	if f.Hi == f.Lo {
		return 0
	}
	return (v/2 - f.Lo/2) / (f.Hi/2 - f.Lo/2)
}

// move moves the centre to the mean of rows; there must be at least one.
func (c *centre) move(rows [][]float64) {
	for _, i := range c.free {
		f := &c.space.Features[i]
		sum := 0.0
		clear(c.shares[i])
		for _, row := range rows {
			if c.shares[i] != nil {
				c.shares[i][int(row[i])] += 1 / float64(len(rows))
			} else {
				sum += scaled(f, row[i])
			}
		}
		c.numbers[i], c.squares[i] = sum/float64(len(rows)), 0
		for _, v := range c.shares[i] {
			c.squares[i] += float64(v * v)
		}
	}
}

// distance returns the squared distance to a row, or a number of at least limit. For a
// category whose share in the centre is v, it is Σ vⱼ² − 2v + 1.
func (c *centre) distance(row []float64, limit float64) (d float64) {
	for _, i := range c.free {
		if c.shares[i] != nil {
			d += c.squares[i] - 2*c.shares[i][int(row[i])] + 1
		} else {
			v := scaled(&c.space.Features[i], row[i]) - c.numbers[i]
			d += float64(v * v)
		}
		if d >= limit {
			break
		}
	}
	return d
}
