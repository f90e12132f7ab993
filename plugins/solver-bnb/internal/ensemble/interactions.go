package ensemble

import (
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// Cut returns where to split a box so that features of different groups interact less: a feature and the last place of the
// lower half. The feature is −1 if no two groups interact. b has bounded the box. It estimates from random individuals
// how much the mean of M and H over one half differs from that over the other, beyond the main effect.
func (c *Moments) Cut(b *Boxes, box grid.Box) (feature, last int32) {
	if !c.prepare(b, box) {
		return -1, 0
	}
	c.trees = slices.DeleteFunc(c.trees, func(t reduced) bool { return c.alone(&t) })
	if len(c.trees) == 0 {
		return -1, 0
	}
	r := rand.New(rand.NewPCG(1, 2))
	var points [cutSamples][]int32
	for i := range points {
		points[i] = slices.Clone(c.least)
		for _, g := range c.groups {
			for _, f := range g.features {
				points[i][f] = c.quantile(f, r.Float64())
			}
		}
	}
	best := 0.0
	feature = -1
	for _, g := range c.groups {
		for _, f := range g.features {
			for _, of := range c.strata(f, points[:]) {
				if of.gain > best {
					best, feature, last = of.gain, f, of.last
				}
			}
		}
	}
	return feature, last
}

const (
	// cutSamples and cutStrata are the numbers of individuals and of parts of a feature from which splits are estimated.
	cutSamples, cutStrata = 24, 8
)

// quantile returns the place of a feature below which a share of the box's cells is.
func (c *Moments) quantile(f int32, share float64) int32 {
	n := c.before[f]
	at := share * n[c.most[f]+1]
	p := c.least[f]
	for p < c.most[f] && n[p+1] <= at {
		p++
	}
	return p
}

// splitGain is a split after the place last, and its estimated gain.
type splitGain struct {
	last int32
	gain float64
}

// strata estimates the gains of splits between parts of a feature.
func (c *Moments) strata(f int32, points [][]int32) (out []splitGain) {
	var ends []int32 // the last places of the parts
	for k := range cutStrata - 1 {
		p := c.quantile(f, float64(k+1)/cutStrata)
		for p < c.most[f] && c.cell[f][p+1] == c.cell[f][p] {
			p++
		}
		if p < c.most[f] && (len(ends) == 0 || p > ends[len(ends)-1]) {
			ends = append(ends, p)
		}
	}
	if len(ends) == 0 {
		for p := c.least[f]; p < c.most[f]; p++ {
			if c.cell[f][p+1] != c.cell[f][p] {
				ends = append(ends, p)
			}
		}
		ends = ends[:min(len(ends), cutStrata)]
	}
	if len(ends) == 0 {
		return nil
	}
	ends = append(ends, c.most[f])
	values, weights, totals := make([][]effect, len(ends)), make([]float64, len(ends)), make([]effect, len(points))
	from := c.least[f]
	for k, to := range ends {
		weights[k] = c.share(f, from, to)
		mid := from + (to-from)/2
		for i, x := range points {
			was := x[f]
			x[f] = mid
			v := c.value(x)
			x[f] = was
			values[k] = append(values[k], v)
			totals[i].add(weights[k], v)
		}
		from = to + 1
	}
	lower, sums := 0.0, make([]effect, len(points))
	for k := range len(ends) - 1 {
		lower += weights[k]
		var mean, square effect
		for i, v := range values[k] {
			s := &sums[i]
			s.add(weights[k], v)
			m, h := s.m/lower-(totals[i].m-s.m)/(1-lower), s.h/lower-(totals[i].h-s.h)/(1-lower)
			mean.m, mean.h, square.m, square.h = mean.m+m, mean.h+h, square.m+m*m, square.h+h*h
		}
		n := float64(len(points))
		gain := (square.m - mean.m*mean.m/n + square.h - mean.h*mean.h/n) / n
		out = append(out, splitGain{ends[k], gain * lower * (1 - lower)})
	}
	return out
}

// value returns the sum of the trees at places.
func (c *reduction) value(x []int32) (sum effect) {
	for i := range c.trees {
		at := c.trees[i].root
		b := &c.branches[at]
		for b.feature >= 0 {
			if at++; x[b.feature] > b.cut {
				at = b.right
			}
			b = &c.branches[at]
		}
		sum.add(1, b.mean)
	}
	return sum
}
