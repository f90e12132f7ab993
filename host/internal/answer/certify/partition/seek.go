package partition

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk/space"
)

// samples is the number of individuals drawn from each part before it is bounded.
const samples = 16

// maxCopies is roughly the number of an individual's copies that are evaluated in float64, if
// it has more; a witness is then replayed with all copies.
const maxCopies = 1 << 12

// copies returns the largest and the smallest logit of an individual's copies, in float64; ok
// is false if it has fewer than two.
func (p *pruner) copies(x []float64) (hi, lo float64, ok bool) {
	p.tracker = p.tracker[:0]
	at := -1
	p.q.Space.EachCombination(p.q.RegionOrWhole(), x, func(point []float64) {
		if at++; at%p.step == 0 && p.q.Space.Allowed(point) {
			p.tracker = append(p.tracker, p.q.Model.Logit(p.q.Space.NetworkInputs(p.inputs, point)))
		}
	})
	if len(p.tracker) < 2 {
		return 0, 0, false
	}
	return slices.Max(p.tracker), slices.Min(p.tracker), true
}

// merit is positive if x is a violation in float64, and larger the nearer x is to one.
func (p *pruner) merit(x []float64) float64 {
	hi, lo, ok := p.copies(x)
	if !ok {
		return math.Inf(-1)
	}
	return p.q.Notion.Promise(hi, lo) - p.target
}

// try replays an individual that is a violation in float64.
func (p *pruner) try(x []float64) *individual.Witness {
	if !(p.merit(x) > 0) {
		return nil
	}
	return p.replay.Extreme(x, p.exceed)
}

// sample draws individuals and climbs from the best.
func (p *pruner) sample(ctx context.Context, part space.Region, rng *rand.Rand) *individual.Witness {
	var best []float64
	top := math.Inf(-1)
	for range samples {
		if ctx.Err() != nil {
			return nil
		}
		x := p.q.Space.Draw(part.Box, rng)
		if m := p.merit(x); best == nil || m > top {
			best, top = x, m
		}
	}
	return p.seek(ctx, part, best)
}

// seek climbs from x inside a box, one feature at a time, to either end or to the value at
// which the mean of the extreme logits changes sign, and replays violations in float64. It
// changes x.
func (p *pruner) seek(ctx context.Context, box space.Region, x []float64) *individual.Witness {
	if w := p.try(x); w != nil {
		return w
	}
	top := p.merit(x)
	for improved := true; improved; {
		improved = false
		for _, i := range p.q.Space.Free() {
			iv, keep := box.Box[i], x[i]
			if !(iv.Hi > iv.Lo) {
				continue
			}
			if ctx.Err() != nil {
				return nil
			}
			for _, v := range [...]float64{iv.Lo, iv.Hi, p.turn(iv, x, i)} {
				x[i] = v
				if m := p.merit(x); m > top+1e-12 {
					top, keep, improved = m, v, true
				}
			}
			if x[i] = keep; top > 0 {
				if w := p.try(x); w != nil {
					return w
				}
			}
		}
	}
	return nil
}

// turn is the value of feature i at which the mean of the copies' extreme logits changes sign;
// x's own value if there is none, or if a violation depends on the logits' difference alone.
func (p *pruner) turn(iv space.Interval, x []float64, i int) float64 {
	at := x[i]
	defer func() { x[i] = at }()
	sign := func(v float64) bool {
		x[i] = v
		hi, lo, _ := p.copies(x)
		return hi+lo > 0
	}
	low, high := iv.Lo, iv.Hi
	if p.q.Notion.Linear() && p.q.Notion.UsesEpsilon() || sign(low) == sign(high) {
		return at
	}
	positive := sign(high)
	least := (iv.Hi - iv.Lo) * minSplit
	if p.q.Space.Features[i].Discrete() {
		least = 1
	}
	for high-low > least {
		middle := low + (high-low)/2
		if p.q.Space.Features[i].Discrete() {
			middle = math.Floor(middle)
		}
		if sign(middle) == positive {
			high = middle
		} else {
			low = middle
		}
	}
	x[i] = low
	m := p.merit(x)
	if x[i] = high; p.merit(x) > m {
		return high
	}
	return low
}
