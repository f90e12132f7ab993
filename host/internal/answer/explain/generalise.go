package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// generalise makes a path's conditions as wide as its own measure allows: its merit on
// the samples that the tree was grown from, see sum.merit. A tree stops at the
// last test that tells apart k = 20 and k = 19, although both are high by any other
// standard, and a path has tests that were about other paths. So, one step after the
// other, whichever widening makes the merit largest is done: a condition, or one end
// of a range, is left out where the merit does not fall; an end moves outward to a
// value of the sample, or a category of the sample joins, where it rises. The mean
// inside may fall by slack bins in all, no more: where it is very low outside
// anything that holds almost everywhere would do. The last condition stays.
//
// A path without samples (the tree saw none there) is left as it is.
func generalise(s *space.Space, p space.Predicate, points [][]float64, ks []float64) space.Predicate {
	total := sum{}
	for _, k := range ks {
		total.add(k)
	}
	floor := math.NaN()
	for {
		g := gains{space: s, predicate: p, total: total, floor: floor, lost: make([][]lost, len(p))}
		g.count(points, ks)
		if math.IsNaN(floor) {
			floor = g.inside.mean() - slack
			g.floor = floor
		}
		best := widening{merit: g.merit(sum{})}
		for i := range p {
			g.try(i, len(p) > 1, &best)
		}
		if best.condition == nil {
			return p
		}
		p = slices.Clone(p)
		if best.drop {
			p = slices.Delete(p, best.at, best.at+1)
		} else {
			p[best.at] = *best.condition
		}
	}
}

// slack is how far the mean k inside may fall in bins.
const slack = 1

// lost is a sample that one condition alone keeps out.
type lost struct{ value, k float64 }

// gains is what each widening of a predicate would take in.
type gains struct {
	space     *space.Space
	predicate space.Predicate
	total     sum
	inside    sum
	floor     float64  // of the mean inside
	lost      [][]lost // by condition, in ascending order of values
}

// widening is a step; without a condition it is none.
type widening struct {
	at        int
	drop      bool
	condition *space.Condition
	merit     float64
}

func (g *gains) count(points [][]float64, ks []float64) {
	for i, x := range points {
		against, failed := 0, -1
		for c := range g.predicate {
			if !g.predicate[c].Holds(x[g.predicate[c].Feature]) {
				against, failed = against+1, c
			}
		}
		switch against {
		case 0:
			g.inside.add(ks[i])
		case 1:
			g.lost[failed] = append(g.lost[failed], lost{x[g.predicate[failed].Feature], ks[i]})
		}
	}
	for c := range g.lost {
		slices.SortStableFunc(g.lost[c], func(a, b lost) int { return cmp.Compare(a.value, b.value) })
	}
}

// merit is the measure with more samples inside; less than any other where one side
// has none, or the mean inside falls too far.
func (g *gains) merit(more sum) float64 {
	in := g.inside.plus(more)
	out := g.total.minus(in)
	if in.n == 0 || out.n == 0 || in.mean() < g.floor {
		return math.Inf(-1)
	}
	return in.merit(out)
}

// try looks for a better step among those of one condition.
func (g *gains) try(at int, others bool, best *widening) {
	c, all := &g.predicate[at], sum{}
	for _, l := range g.lost[at] {
		all.add(l.k)
	}
	if m := g.merit(all); others && m >= best.merit {
		*best = widening{at: at, drop: true, condition: c, merit: m}
	}
	if c.Set != nil {
		g.categories(at, best)
		return
	}
	lo, hi := c.Interval.Lo, c.Interval.Hi
	below, _ := slices.BinarySearchFunc(g.lost[at], lo, func(l lost, v float64) int { return cmp.Compare(l.value, v) })
	move := func(samples []lost, outward int) {
		more := sum{}
		for i, l := range samples {
			more.add(l.k)
			if i+1 < len(samples) && samples[i+1].value == l.value {
				continue
			}
			wider := *c
			open := i+1 == len(samples) && !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
			switch {
			case outward < 0 && open:
				wider.Interval.Lo = math.Inf(-1)
			case outward < 0:
				wider.Interval.Lo = l.value
			case open:
				wider.Interval.Hi = math.Inf(1)
			default:
				wider.Interval.Hi = l.value
			}
			if m := g.merit(more); m > best.merit || open && m == best.merit {
				*best = widening{at: at, condition: &wider, merit: m}
			}
		}
	}
	before := slices.Clone(g.lost[at][:below])
	slices.Reverse(before)
	move(before, -1)
	move(g.lost[at][below:], 1)
}

// categories tries to let one more category in.
func (g *gains) categories(at int, best *widening) {
	samples := g.lost[at]
	for len(samples) > 0 {
		more, n := sum{}, 0
		for n < len(samples) && samples[n].value == samples[0].value {
			more.add(samples[n].k)
			n++
		}
		if m := g.merit(more); m > best.merit {
			wider := g.predicate[at]
			wider.Set = append(slices.Clone(wider.Set), int(samples[0].value))
			slices.Sort(wider.Set)
			*best = widening{at: at, condition: &wider, merit: m}
		}
		samples = samples[n:]
	}
}
