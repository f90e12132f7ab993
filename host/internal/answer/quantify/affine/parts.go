package affine

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// part is a set of features that constraints couple with each other, divided into the boxes that
// the constraints allow. In a box the features are independent, and so are different parts.
type part struct {
	features []int
	boxes    []allowed
}

// allowed is a box of a part. All individuals in it have the same allowed copies.
type allowed struct {
	sides []space.Interval
	state int // index into parts.states; used in the last part only
}

// state describes the copies of an individual by their number and by the least and the largest sum of the
// protected features' contributions.
type state struct {
	copies      int
	least, most *big.Rat
}

// parts divides the features that are not protected. The last part holds those that constraints
// couple with the protected features; it may have no features.
type parts struct {
	all    []part
	states []state
}

// mostBoxes bounds the boxes of a part, and mostCopies the copies that are enumerated for all boxes
// together.
const (
	mostBoxes  = 1 << 10
	mostCopies = 1 << 18
)

// protected is the group of the protected features, and of those that constraints couple with them.
const protected = -1

// split divides the question's features into parts.
func split(q *problem.Query, a *affine) (*parts, error) {
	s := q.Space
	group := make([]int, len(s.Features))
	for i := range group {
		if group[i] = i; s.Features[i].IsProtected() {
			group[i] = protected
		}
	}
	for _, p := range slices.Concat(s.Forbidden, q.Forbid, q.Require) {
		if len(p) == 0 {
			return nil, fmt.Errorf("%w: a predicate has no conditions", ErrUnsuited)
		}
		for _, c := range p {
			join(group, group[p[0].Feature], group[c.Feature])
		}
	}
	out, members := &parts{}, map[int][]int{}
	for _, i := range s.Free() {
		members[group[i]] = append(members[group[i]], i)
	}
	for _, i := range s.Free() {
		if group[i] != i {
			continue
		}
		own, boxes := rulesOf(q, group, i), []allowed(nil)
		err := own.elementary(members[i], func(sides []space.Interval, at []float64) {
			if own.allow(at) {
				boxes = append(boxes, allowed{sides: sides})
			}
		})
		if err != nil {
			return nil, err
		}
		out.all = append(out.all, part{members[i], boxes})
	}
	return out, out.couple(rulesOf(q, group, protected), a, members[protected])
}

// couple appends the last part, whose features are coupled with the protected ones. Each of its
// boxes gets the state of the copies that are allowed in it; a box without copies is dropped.
func (p *parts) couple(own *rules, a *affine, features []int) error {
	s, region := own.q.Space, own.q.RegionOrWhole()
	seen, copies, last := map[string]int{}, 0, part{features: features}
	var failed error
	err := own.elementary(features, func(sides []space.Interval, at []float64) {
		var of state
		switch copies += region.Count(); {
		case len(own.all()) == 0 && a.lowered == nil:
			of = a.copies(s, region)
		case copies > mostCopies:
			failed = fmt.Errorf("%w: constraints concern more than %d copies", ErrUnsuited, mostCopies)
			return
		case !own.allow(at):
			return
		default:
			s.EachCombination(region, at, func(point []float64) {
				if own.forbid(point) {
					return
				}
				sum := new(big.Rat)
				for _, i := range s.Protected() {
					sum.Add(sum, a.contribution(&s.Features[i], i, point[i]))
				}
				if a.lowered != nil {
					sum.Sub(sum, a.lowered(point))
				}
				if of.copies++; of.least == nil || sum.Cmp(of.least) < 0 {
					of.least = sum
				}
				if of.most == nil || sum.Cmp(of.most) > 0 {
					of.most = sum
				}
			})
		}
		if of.copies == 0 {
			return
		}
		key := fmt.Sprint(min(of.copies, 2), of.least, of.most)
		if _, known := seen[key]; !known {
			seen[key] = len(p.states)
			p.states = append(p.states, of)
		}
		last.boxes = append(last.boxes, allowed{sides, seen[key]})
	})
	if failed != nil {
		return failed
	}
	p.all = append(p.all, last)
	return err
}

// copies returns the state of every individual if no constraint concerns protected features.
func (a *affine) copies(s *space.Space, region space.Region) state {
	out := state{region.Count(), new(big.Rat), new(big.Rat)}
	for _, i := range s.Protected() {
		var least, most *big.Rat
		for _, v := range region.Values[i] {
			c := a.contribution(&s.Features[i], i, v)
			if least == nil || c.Cmp(least) < 0 {
				least = c
			}
			if most == nil || c.Cmp(most) > 0 {
				most = c
			}
		}
		out.least.Add(out.least, least)
		out.most.Add(out.most, most)
	}
	return out
}

// join makes two groups one, which is named by its least member.
func join(group []int, g, h int) {
	for i := range group {
		if group[i] == max(g, h) {
			group[i] = min(g, h)
		}
	}
}

// rules are the predicates about one group of features.
type rules struct {
	q                            *problem.Query
	forbidden, forbids, requires []space.Predicate
}

func rulesOf(q *problem.Query, group []int, of int) *rules {
	about := func(all []space.Predicate) (out []space.Predicate) {
		for _, p := range all {
			if group[p[0].Feature] == of {
				out = append(out, p)
			}
		}
		return out
	}
	return &rules{q, about(q.Space.Forbidden), about(q.Forbid), about(q.Require)}
}

func (r *rules) all() []space.Predicate { return slices.Concat(r.forbidden, r.forbids, r.requires) }

// allow reports whether the question is about an individual, provided that it has a copy. A
// constraint on protected features excludes copies, not individuals, and is ignored.
func (r *rules) allow(at []float64) bool {
	holds := func(p space.Predicate) bool { return p.Holds(at) }
	fails := func(p space.Predicate) bool { return !p.Holds(at) }
	own := func(p space.Predicate) bool {
		return p.Holds(at) && !slices.ContainsFunc(p, func(c space.Condition) bool { return r.q.Space.Features[c.Feature].IsProtected() })
	}
	return !slices.ContainsFunc(r.forbids, holds) && !slices.ContainsFunc(r.requires, fails) && !slices.ContainsFunc(r.forbidden, own)
}

// forbid reports whether a constraint forbids a copy.
func (r *rules) forbid(copy []float64) bool {
	return slices.ContainsFunc(r.forbidden, func(p space.Predicate) bool { return p.Holds(copy) })
}

// elementary cuts the features' sides where a condition begins or ceases to hold. It calls visit with
// each box of the resulting pieces and a point of it. A condition that holds at that point holds in
// the box, except on a part of mass 0; likewise if it does not hold.
func (r *rules) elementary(features []int, visit func(sides []space.Interval, at []float64)) error {
	q, all := r.q, r.all()
	pieces, boxes := make([][]space.Interval, len(features)), 1
	for n, i := range features {
		pieces[n] = cut(&q.Space.Features[i], i, q.RegionOrWhole().Box[i], all)
		if boxes *= len(pieces[n]); boxes > mostBoxes {
			return fmt.Errorf("%w: constraints divide features into more than %d boxes", ErrUnsuited, mostBoxes)
		}
	}
	at := make([]float64, len(q.Space.Features))
	for b := range boxes {
		sides := make([]space.Interval, len(features))
		for n, i := range features {
			sides[n] = pieces[n][b%len(pieces[n])]
			b /= len(pieces[n])
			if at[i] = sides[n].Lo; !q.Space.Features[i].Discrete() {
				at[i] += (sides[n].Hi - sides[n].Lo) / 2
			}
		}
		visit(sides, at)
	}
	return nil
}

// cut cuts a side of a feature where a condition begins or ceases to hold.
func cut(f *space.Feature, i int, side space.Interval, all []space.Predicate) []space.Interval {
	from := []float64{side.Lo} // the pieces begin here
	add := func(v float64) {
		if v > side.Lo && (v < side.Hi || f.Discrete() && v == side.Hi) {
			from = append(from, v)
		}
	}
	for _, p := range all {
		for k := range p {
			c := &p[k]
			switch {
			case c.Feature != i:
			case c.Set != nil:
				for v := side.Lo + 1; v <= side.Hi; v++ {
					if c.Holds(v) != c.Holds(v-1) {
						add(v)
					}
				}
			case f.Discrete():
				add(math.Ceil(c.Interval.Lo))
				add(math.Floor(c.Interval.Hi) + 1)
			default:
				add(c.Interval.Lo)
				add(c.Interval.Hi)
			}
		}
	}
	slices.Sort(from)
	from = slices.Compact(from)
	out := make([]space.Interval, len(from))
	for k, v := range from {
		out[k] = space.Interval{Lo: v, Hi: side.Hi}
		if k+1 < len(from) {
			if out[k].Hi = from[k+1]; f.Discrete() {
				out[k].Hi--
			}
		}
	}
	return out
}
