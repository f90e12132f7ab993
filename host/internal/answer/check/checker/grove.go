package checker

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/space"
)

// grove bounds the logits of trees over boxes of cells, in exact arithmetic. Each
// worker has its own.
type grove struct {
	*subject
	// lo and hi are the box's cells by feature; unused for protected features.
	lo, hi []int32
	// copies are the cells of each combination, by feature.
	copies [][]int32
	gains  map[place]float64
	steps  int // of walks through trees
	// broken is set once ctx has ended: walks then take one branch only, and their results
	// are discarded.
	ctx    context.Context
	broken bool
}

// stepsUnseen is the number of steps between two checks of the context: some milliseconds.
const stepsUnseen = 1 << 14

// over reports whether the check was interrupted.
func (g *grove) over() bool {
	if g.steps++; g.steps%stepsUnseen == 0 && g.ctx.Err() != nil {
		g.broken = true
	}
	return g.broken
}

// place identifies a step: a feature, and the step's index among the feature's steps.
type place struct {
	feature int
	step    int32
}

func newGrove(s *subject) *grove {
	g := &grove{subject: s, lo: make([]int32, len(s.Space.Features)), hi: make([]int32, len(s.Space.Features))}
	for _, values := range s.reach.combinations {
		cells := make([]int32, len(s.Space.Features))
		for k, i := range s.protected {
			cells[i] = s.forest.cell(i, values[k])
		}
		g.copies = append(g.copies, cells)
	}
	return g
}

// leaf checks one leaf: boxes that its bounds do not prove are split.
func (g *grove) leaf(ctx context.Context, l *certificate.Leaf) (method, error) {
	if g.reach.void(l.Box) {
		return byVoid, nil
	}
	for _, i := range g.Space.Free() {
		g.lo[i], g.hi[i] = g.forest.cell(i, l.Box[i].Lo), g.forest.cell(i, l.Box[i].Hi)
	}
	left := maxHalvings
	g.ctx, g.broken = ctx, false
	err := g.prove(ctx, l.Box, &left)
	if left == maxHalvings-1 {
		return byBounds, err
	}
	return byEnumeration, err
}

// prove proves the claim on a box, whose cells are set, by bounds or on its parts.
// Intervals of real features remain the leaf's: constraints are evaluated for more than the
// part, which proves more than needed.
func (g *grove) prove(ctx context.Context, box space.Box, left *int) error {
	if *left--; *left < 0 {
		return fmt.Errorf("the leaf needs more than %d boxes: split it", maxHalvings)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if g.reach.void(box) {
		return nil
	}
	allowed := g.reach.allowed(box)
	if len(allowed) < 2 {
		return nil
	}
	of := g.enclose(allowed)
	follows := g.claim.follows(g.difference, of)
	if g.broken {
		return ctx.Err()
	}
	if follows {
		return nil
	}
	feature, at, ok := g.cut(box, allowed)
	if g.broken {
		return ctx.Err()
	}
	if !ok {
		return fmt.Errorf("the claim does not hold, or cannot be shown to, at %s: %s", g.name(box), describe(of))
	}
	lo, hi := g.lo[feature], g.hi[feature]
	defer func() { g.lo[feature], g.hi[feature] = lo, hi }()
	if !g.Space.Features[feature].Discrete() {
		for _, part := range [2][2]int32{{lo, at.cell}, {at.cell + 1, hi}} {
			g.lo[feature], g.hi[feature] = part[0], part[1]
			if err := g.prove(ctx, box, left); err != nil {
				return err
			}
		}
		return nil
	}
	whole := box[feature]
	for _, half := range [2]space.Interval{{Lo: whole.Lo, Hi: at.value}, {Lo: at.value + 1, Hi: whole.Hi}} {
		part := slices.Clone(box)
		part[feature] = half
		g.lo[feature], g.hi[feature] = g.forest.cell(feature, half.Lo), g.forest.cell(feature, half.Hi)
		if err := g.prove(ctx, part, left); err != nil {
			return err
		}
	}
	return nil
}

// name formats the individuals of a box.
func (g *grove) name(box space.Box) string {
	var p space.Predicate
	for _, i := range g.Space.Free() {
		p = append(p, space.Condition{Feature: i, Interval: box[i]})
	}
	return p.Format(g.Space)
}

// enclose encloses the logits of combinations: the base plus, for each tree, the least and
// the greatest reachable leaf.
func (g *grove) enclose(combinations []int) []enclosure {
	var low, high big.Int // the part that is equal for all combinations
	low.Set(&g.forest.base)
	high.Set(&g.forest.base)
	add := func(lo, hi *big.Int, t *tree, cells []int32) {
		least, most := g.ends(t, 0, cells)
		lo.Add(lo, &g.forest.values[least])
		hi.Add(hi, &g.forest.values[most])
	}
	for k := range g.forest.trees {
		if t := &g.forest.trees[k]; !t.parts {
			add(&low, &high, t, nil)
		}
	}
	var out []enclosure
	for _, c := range combinations {
		var lo, hi big.Int
		lo.Set(&low)
		hi.Set(&high)
		for k := range g.forest.trees {
			if t := &g.forest.trees[k]; t.parts {
				add(&lo, &hi, t, g.copies[c])
			}
		}
		out = append(out, enclosure{lo: rational(&lo, g.forest.shift), hi: rational(&hi, g.forest.shift), combination: c})
	}
	return out
}

// within calls visit for each child that a part of the box reaches, with the box restricted
// to that part; cells are a copy's.
func (g *grove) within(b *branch, cells []int32, visit func(child int32)) {
	i := b.feature
	if g.over() {
		visit(b.children[0])
		return
	}
	if g.Space.Features[i].IsProtected() {
		side := 0
		for _, flip := range b.flips {
			if cells[i] > flip {
				side ^= 1
			}
		}
		visit(b.children[side])
		return
	}
	lo, hi := g.lo[i], g.hi[i]
	side, from := 0, lo
	for _, flip := range b.flips {
		if flip < lo {
			side ^= 1
			continue
		}
		if flip >= hi {
			break
		}
		g.lo[i], g.hi[i] = from, flip
		visit(b.children[side])
		side, from = side^1, flip+1
	}
	g.lo[i], g.hi[i] = from, hi
	visit(b.children[side])
	g.lo[i], g.hi[i] = lo, hi
}

// ends returns the least and the greatest leaf that cells reach below a node, as indices into the
// forest's values.
func (g *grove) ends(t *tree, at int32, cells []int32) (least, most int32) {
	b := &t.nodes[at]
	if b.feature < 0 {
		return b.leaf, b.leaf
	}
	least, most = int32(len(g.forest.values)), -1
	g.within(b, cells, func(child int32) {
		lo, hi := g.ends(t, child, cells)
		least, most = min(least, lo), max(most, hi)
	})
	return least, most
}

// difference bounds one combination's logit less another's for the same individual. Trees
// without a protected feature cancel.
func (g *grove) difference(a, b *enclosure, _ *tangent) *big.Rat {
	var sum, most big.Int
	for k := range g.forest.trees {
		if g.broken {
			break
		}
		if t := &g.forest.trees[k]; t.parts {
			some := false
			g.apart(t, 0, 0, g.copies[a.combination], g.copies[b.combination], &most, &some)
			sum.Add(&sum, &most)
		}
	}
	return rational(&sum, g.forest.shift)
}

// apart finds the largest difference between the leaves of one tree that two copies of an
// individual reach. The arguments one and two are the nodes to start from. *most holds the largest
// difference so far; it counts only once *some is set.
func (g *grove) apart(t *tree, one, two int32, first, second []int32, most *big.Int, some *bool) {
	p, q := &t.nodes[one], &t.nodes[two]
	switch {
	case p.feature >= 0:
		g.within(p, first, func(child int32) { g.apart(t, child, two, first, second, most, some) })
	case q.feature >= 0:
		g.within(q, second, func(child int32) { g.apart(t, one, child, first, second, most, some) })
	default:
		d := new(big.Int).Sub(&g.forest.values[p.leaf], &g.forest.values[q.leaf])
		if !*some || d.Cmp(most) > 0 {
			most.Set(d)
		}
		*some = true
	}
}

// middle is the place of a split: after a cell and, on a discrete feature, after a value.
type middle struct {
	cell  int32
	value float64
}

// cut chooses the split of a box: at the step with the largest gain (see weigh) or, if all
// trees are constant, along a feature in a constraint.
func (g *grove) cut(box space.Box, allowed []int) (feature int, at middle, ok bool) {
	g.gains = map[place]float64{}
	for k := range g.forest.trees {
		t := &g.forest.trees[k]
		if !t.parts {
			g.weigh(t, 0, nil, 0.25)
			continue
		}
		for _, c := range allowed {
			g.weigh(t, 0, g.copies[c], 1)
		}
	}
	best, found := place{}, 0.0
	for p, gain := range g.gains {
		if gain > found || gain == found && (p.feature < best.feature || p.feature == best.feature && p.step < best.step) {
			best, found, ok = p, gain, true
		}
	}
	if ok {
		at.cell = best.step
		if g.Space.Features[best.feature].Discrete() {
			at.value = g.forest.steps[best.feature][best.step].near - 1
		}
		return best.feature, at, true
	}
	widest := 0.0
	for _, list := range [][]space.Predicate{g.Space.Forbidden, g.Require, g.Forbid} {
		for _, p := range list {
			for _, c := range p {
				f := &g.Space.Features[c.Feature]
				if w := box[c.Feature].Hi - box[c.Feature].Lo; !f.IsProtected() && f.Discrete() && w > widest {
					feature, widest = c.Feature, w
					at.value = halves(box[feature])[0].Hi
				}
			}
		}
	}
	return feature, at, widest > 0
}

// weigh adds, for each node of the subtree at at, to the gains of its steps inside the box: the
// difference between the largest and the least leaf below the node, times weight.
func (g *grove) weigh(t *tree, at int32, cells []int32, weight float64) {
	b := &t.nodes[at]
	if b.feature < 0 {
		return
	}
	if !g.Space.Features[b.feature].IsProtected() {
		for _, flip := range b.flips {
			if flip >= g.lo[b.feature] && flip < g.hi[b.feature] {
				least, most := g.ends(t, at, cells)
				d, _ := rational(new(big.Int).Sub(&g.forest.values[most], &g.forest.values[least]), g.forest.shift).Float64()
				g.gains[place{b.feature, flip}] += weight * (d + 1e-300)
			}
		}
	}
	g.within(b, cells, func(child int32) { g.weigh(t, child, cells, weight) })
}
