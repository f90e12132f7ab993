package explain

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// paths lists the maximal subtrees whose leaves are all high, each as the conditions from
// the root, one for each feature, in order of first mention.
func paths(root *Node, s *space.Space) []space.Predicate {
	var out []space.Predicate
	var walk func(n *Node, p space.Predicate)
	walk = func(n *Node, p space.Predicate) {
		if allHigh(n) {
			out = append(out, p)
			return
		}
		if n.Leaf() {
			return
		}
		walk(n.Low, narrow(p, n, true, s))
		walk(n.High, narrow(p, n, false, s))
	}
	walk(root, nil)
	return out
}

// allHigh reports whether every leaf below the node is high.
func allHigh(n *Node) bool {
	if n.Leaf() {
		return n.IsHigh()
	}
	return allHigh(n.Low) && allHigh(n.High)
}

// narrow returns the predicate with a node's test, or its negation, added.
func narrow(p space.Predicate, n *Node, low bool, s *space.Space) space.Predicate {
	p = slices.Clone(p)
	at := slices.IndexFunc(p, func(c space.Condition) bool { return c.Feature == n.Feature })
	if at < 0 {
		at = len(p)
		p = append(p, space.Condition{Feature: n.Feature, Interval: space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}})
	}
	c := &p[at]
	if n.Set == nil {
		switch f := &s.Features[n.Feature]; {
		case low:
			c.Interval.Hi = min(c.Interval.Hi, n.Threshold)
		case f.Kind == space.Integer:
			c.Interval.Lo = max(c.Interval.Lo, n.Threshold+1)
		default:
			c.Interval.Lo = max(c.Interval.Lo, math.Nextafter(n.Threshold, math.Inf(1)))
		}
		return p
	}
	had := c.Set
	c.Interval, c.Set = space.Interval{}, []int{}
	for v, inLow := range n.Set {
		if inLow == low && (had == nil || slices.Contains(had, v)) {
			c.Set = append(c.Set, v)
		}
	}
	return p
}

// within reports whether p implies q in the domains.
func within(p, q space.Predicate, s *space.Space) bool {
	for i := range q {
		at := slices.IndexFunc(p, func(c space.Condition) bool { return c.Feature == q[i].Feature })
		if at < 0 || !narrower(&p[at], &q[i], &s.Features[q[i].Feature]) {
			return false
		}
	}
	return true
}

func narrower(a, b *space.Condition, f *space.Feature) bool {
	if f.Kind == space.Categorical {
		for v := range f.Categories {
			if a.Holds(float64(v)) && !b.Holds(float64(v)) {
				return false
			}
		}
		return true
	}
	return a.Interval.Lo >= b.Interval.Lo && a.Interval.Hi <= b.Interval.Hi
}
