package checker

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// below identifies another copy of a leaf and, if the claim is about bins, the bin of its score.
type below struct{ copy, bin int }

// byCases checks the leaf's proofs by cases. In the enclosures of the copies it marks the pairs of
// copies (and bins) that these proofs exclude.
func (e *encloser) byCases(l *certificate.Leaf, forms []*logit, of []enclosure) error {
	for i := range l.Cases {
		c := &l.Cases[i]
		if e.claim.k > 0 && c.Bin+e.claim.k > len(e.claim.edges) {
			continue // no such bins exist
		}
		if err := e.refute(c, l.Box, forms); err != nil {
			return fmt.Errorf("cases %d: %w", i, err)
		}
		for i := range of {
			if a := &of[i]; slices.Contains(c.First.Copies, a.copy) {
				if a.refuted == nil {
					a.refuted = map[below]bool{}
				}
				for _, b := range c.Second.Copies {
					if e.claim.k == 0 {
						a.refuted[below{b, 0}] = true
					} else {
						a.refuted[below{b, c.Bin}] = true
					}
				}
			}
		}
	}
	return nil
}

// refuted reports whether proofs by cases exclude every violation of the claim in which a has the
// larger score.
func (c *claim) refuted(a, b *enclosure) bool {
	if c.k == 0 {
		return a.refuted[below{b.copy, 0}]
	}
	for j := b.bins[0]; j+c.k <= a.bins[1]; j++ {
		if !a.refuted[below{b.copy, j}] {
			return false
		}
	}
	return true
}

// refuter walks through a tree of cases.
type refuter struct {
	*encloser
	f     functional
	proof *sdk.CaseProof
	box   space.Box
	steps []sdk.CaseStep // not yet checked
	// number is the index of the next step.
	number int
}

// refute checks one proof by cases over a box, given the forms of the copies.
func (e *encloser) refute(c *sdk.CaseProof, box space.Box, forms []*logit) error {
	r := &refuter{encloser: e, f: e.functionalOf(c, forms), proof: c, box: box, steps: c.Steps}
	return r.step()
}

// functionalOf is the functional of a proof by cases at its root: no case assumed, no weights, no slopes.
func (e *encloser) functionalOf(c *sdk.CaseProof, forms []*logit) (f functional) {
	for _, i := range c.First.Copies {
		f.x = append(f.x, forms[i])
	}
	for _, i := range c.Second.Copies {
		f.y = append(f.y, forms[i])
	}
	own := func(l *logit) *ranges { return &ranges{shift: e.first.shift, lo: l.own, hi: l.own} }
	a, b := hull(f.x, own), hull(f.y, own)
	first := newRanges(len(a.lo), e.first.shift)
	for j := range first.lo {
		first.lo[j].Sub(&b.lo[j], &a.hi[j])
		first.hi[j].Sub(&b.hi[j], &a.lo[j])
	}
	var x, y []ranges
	for k := range len(e.model.layers) - 1 {
		sums := func(l *logit) *ranges { return &l.sums[k] }
		x, y = append(x, hull(f.x, sums)), append(y, hull(f.y, sums))
	}
	f.hexagons, f.slopes = e.hexagons(x, y, e.apart(first, x, y)), e.withoutSlopes()
	return f
}

// hull returns, elementwise, the smallest ranges that contain the ranges of all the logits.
func hull(any []*logit, of func(*logit) *ranges) ranges {
	var shift uint
	for _, l := range any {
		shift = max(shift, of(l).shift)
	}
	out := of(any[0]).over(shift)
	for _, l := range any[1:] {
		r := of(l).over(shift)
		for j := range out.lo {
			if r.lo[j].Cmp(&out.lo[j]) < 0 {
				out.lo[j].Set(&r.lo[j])
			}
			if r.hi[j].Cmp(&out.hi[j]) > 0 {
				out.hi[j].Set(&r.hi[j])
			}
		}
	}
	return out
}

// step checks the next step and its subtree.
func (r *refuter) step() error {
	s := &r.steps[0]
	r.steps, r.number = r.steps[1:], r.number+1
	switch s.Kind {
	case sdk.CaseReLU:
		return r.relu(s.ReLU)
	case sdk.CaseCut:
		return r.cut(s.Feature, s.At)
	}
	if at := r.number - 1; !r.end(s) {
		return fmt.Errorf("step %d: the bound of the two logits does not exclude every violation", at)
	}
	return nil
}

// skip passes over the next step and its subtree.
func (r *refuter) skip() {
	for left := 1; left > 0; left-- {
		if r.steps[0].Kind != sdk.CaseEnd {
			left += 2
		}
		r.steps, r.number = r.steps[1:], r.number+1
	}
}

// neuron returns the i-th neuron of the two sides' lists, concatenated, and its side.
func (r *refuter) neuron(i int) (of sdk.Neuron, side int) {
	if first := r.proof.First.Neurons; i >= len(first) {
		return r.proof.Second.Neurons[i-len(first)], 1
	}
	return r.proof.First.Neurons[i], 0
}

// sum returns the range of the sum of the i-th neuron, counted as in neuron. The results point into
// the functional.
func (r *refuter) sum(i int) (lo, hi *big.Int) {
	of, side := r.neuron(i)
	sums := &r.f.hexagons[of.Layer].x
	if side == 1 {
		sums = &r.f.hexagons[of.Layer].y
	}
	return &sums.lo[of.Index], &sums.hi[of.Index]
}

// relu checks the two cases of a ReLU: sum ≥ 0 and sum ≤ 0.
func (r *refuter) relu(i int) error {
	lo, hi := r.sum(i)
	if err := r.within(lo, hi, lo, lo.Sign() < 0); err != nil {
		return err
	}
	return r.within(lo, hi, hi, hi.Sign() > 0)
}

// within checks the subtree of a case. end is the same pointer as lo or hi; with beyond set, that
// bound is 0 within the subtree, and it is restored afterwards.
func (r *refuter) within(lo, hi, end *big.Int, beyond bool) (err error) {
	before := new(big.Int).Set(end)
	if beyond {
		end.SetInt64(0)
	}
	if lo.Cmp(hi) > 0 {
		r.skip() // the case is empty
	} else {
		err = r.step()
	}
	end.Set(before)
	return err
}

// cut checks the two parts of the remaining box.
func (r *refuter) cut(feature int, at float64) error {
	box := r.box
	for _, iv := range []space.Interval{{Lo: box[feature].Lo, Hi: min(at, box[feature].Hi)}, {Lo: max(at+1, box[feature].Lo), Hi: box[feature].Hi}} {
		if iv.Empty() {
			r.skip()
			continue
		}
		r.box = slices.Clone(box)
		r.box[feature] = iv
		r.encloser.at(r.box)
		if err := r.step(); err != nil {
			return err
		}
	}
	r.box = box
	r.encloser.at(box)
	return nil
}

// end reports whether the bound excludes, in this case, the pair of logits that would violate
// the claim.
func (r *refuter) end(s *sdk.CaseStep) bool {
	beyond, ok := r.weigh(s)
	if !ok {
		return false
	}
	for i, v := range s.Slopes {
		n, side := r.neuron(i)
		r.f.slopes[n.Layer][side][n.Index] = v
	}
	form := r.substitute(&r.f)
	return form == nil || r.frame.most(term{one, form}).Cmp(beyond) < 0
}

// weigh sets the functional's weights to about the given ones, times a common factor, and
// returns the functional's least value on a violating pair of logits. ok is false if that value
// is unknown. times scales the slopes by the same factor; it may be inexact, as any slopes are
// sound.
func (r *refuter) weigh(s *sdk.CaseStep) (beyond *big.Rat, ok bool) {
	r.f.times = one
	switch {
	case s.Up == 0 && s.Down == 0: // the proof claims that the case itself is empty
		r.f.up, r.f.down = new(big.Int), new(big.Int)
		return new(big.Rat), true
	case r.claim.k == 0 && (s.Up == 0 || s.Down == 0): // scores lie between 0 and 1, so p and −q exceed logit(t)
		r.weights(s)
		least, _ := fairness.LogitEnclosure(r.claim.most)
		if math.IsInf(least, 0) {
			return nil, false
		}
		beyond = new(big.Rat).SetFloat64(least)
		return beyond.Mul(beyond, new(big.Rat).SetInt(new(big.Int).Add(r.f.up, r.f.down))), true
	case r.claim.k > 0: // q is below the upper edge of its bin, p at or above the lower edge of the bin k further up
		r.weights(s)
		low, high := r.claim.edges[r.proof.Bin].Hi, r.claim.edges[r.proof.Bin+r.claim.k-1].Lo
		beyond = new(big.Rat).SetFloat64(high)
		beyond.Mul(beyond, new(big.Rat).SetInt(r.f.up))
		second := new(big.Rat).SetFloat64(low)
		return beyond.Sub(beyond, second.Mul(second, new(big.Rat).SetInt(r.f.down))), true
	}
	t := newTangent(r.claim.most, s.Up, s.Down)
	if t == nil {
		return nil, false
	}
	r.f.up, r.f.down = t.up, t.down
	of := new(big.Rat).SetFloat64(s.Up)
	of.Quo(new(big.Rat).SetInt(t.up), of)
	r.f.times = new(big.Int).Quo(of.Num(), of.Denom())
	return t.beyond, true
}

// weights sets the functional's weights to the given ones, exactly.
func (r *refuter) weights(s *sdk.CaseStep) {
	shift := max(fraction(s.Up), fraction(s.Down))
	r.f.up, r.f.down = scaled(new(big.Int), s.Up, shift), scaled(new(big.Int), s.Down, shift)
	r.f.times = new(big.Int).Lsh(one, shift)
}
