package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// generalise widens a path's conditions while its merit on the tree's samples (sum.merit)
// allows. The tree sees only which samples are labelled high, so a test may separate k = 20 from
// k = 19, although both are large; and a path contains tests that serve other paths. Each step
// takes the widening with the largest merit:
//
//   - a condition, or one end of a range, is dropped if the merit does not fall;
//   - an end moves outward to a sampled value, or a sampled category joins, if the merit
//     rises.
//
// The mean inside may fall by at most slack bins in total. Without this limit, a very low
// mean outside would justify any predicate that holds almost everywhere. The last condition
// stays.
//
// A path without samples is returned unchanged.
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

// slack is the largest fall of the mean k inside, in bins.
const slack = 1

// lost is a sample that exactly one condition excludes.
type lost struct{ value, k float64 }

// gains holds the samples that each widening of a predicate would add.
type gains struct {
	space     *space.Space
	predicate space.Predicate
	total     sum
	inside    sum
	floor     float64  // least mean inside
	lost      [][]lost // by condition, in ascending order of values
}

// widening is a step; the zero value, without a condition, stands for none.
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

// merit returns the predicate's merit after the samples summed in more have joined those inside; −∞
// if one side is empty or the mean inside falls below floor.
func (g *gains) merit(more sum) float64 {
	in := g.inside.plus(more)
	out := g.total.minus(in)
	if in.n == 0 || out.n == 0 || in.mean() < g.floor {
		return math.Inf(-1)
	}
	return in.merit(out)
}

// try looks for a better step among the widenings of one condition.
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

// categories tries to admit one more category.
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
