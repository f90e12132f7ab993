package checker

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/space"
)

// subject is a statement prepared for checking leaves. Read-only, shared by the workers.
type subject struct {
	*certificate.Statement
	model     *model  // networks only
	forest    *forest // trees only
	claim     claim
	reach     *reach
	protected []int // indices of the protected features
	reals     []int // the non-protected features that are real
	inputBits uint  // without the binary places of real intervals' ends
	// narrows: interval arithmetic also bounds neurons, and differences of two copies. Not in version 1.
	narrows bool
}

// newSubject prepares a statement that has passed Validate. A statement that needs too much
// memory is an error.
func newSubject(st *certificate.Statement) (*subject, error) {
	region := st.RegionOrWhole()
	s := &subject{Statement: st, claim: newClaim(st), protected: st.Space.Protected(), narrows: st.Version != 1}
	for _, i := range st.Space.Free() {
		if !st.Space.Features[i].Discrete() {
			s.reals = append(s.reals, i)
		}
	}
	if n := len(st.Space.Forbidden) * region.Count(); n > maxScratch/8 {
		return nil, fmt.Errorf("%d constraints on %d protected combinations: at most %d pairs are allowed", len(st.Space.Forbidden), region.Count(), maxScratch/8)
	}
	if st.Trees != nil {
		var err error
		s.forest, err = newForest(st)
		s.reach = newReach(st)
		return s, err
	}
	s.inputBits = inputBits(st.Space, region.Box, region.Values)
	s.model = newModel(st.Network)
	whole := newFrame(st.Space, region.Box)
	bits := s.inputBits
	if len(s.reals) > 0 {
		bits += 1074 // the ends of a leaf may have more binary places than the region's
	}
	if err := s.model.fits(whole.variables(), region.Count(), bits); err != nil {
		return nil, err
	}
	s.reach = newReach(st)
	return s, nil
}

// method is the way in which the checker proved a leaf.
type method uint8

const (
	byBounds method = iota
	byEnumeration
	byVoid // the leaf has no individual that the claim is about
)

// maxHalvings bounds the boxes examined in one enumerated leaf.
const maxHalvings = 1 << 20

// leaf checks one leaf. A nil error means that the claim is proved there.
func (e *encloser) leaf(ctx context.Context, l *certificate.Leaf) (method, error) {
	if l.Enumerated {
		for _, i := range e.reals {
			if l.Box[i].Lo != l.Box[i].Hi {
				return 0, fmt.Errorf("enumerated, but %q takes any value from %v to %v", e.Space.Features[i].Name, l.Box[i].Lo, l.Box[i].Hi)
			}
		}
		left := maxHalvings
		return byEnumeration, e.enumerate(ctx, l.Box, &left)
	}
	if e.reach.void(l.Box) && l.Copies == nil {
		return byVoid, nil
	}
	e.at(l.Box)
	of, forms, err := e.copies(l)
	if err == nil {
		err = e.byCases(l, forms, of)
	}
	if err != nil {
		return 0, err
	}
	if !e.reach.void(l.Box) && !e.follows(of) {
		return 0, fmt.Errorf("the enclosures of the logits do not prove the claim: %s", describe(of))
	}
	return byBounds, nil
}

// copies encloses the logits of the combinations that are allowed in the box. The leaf's bounds of
// a copy are verified, then used; without them, the checker computes bounds. forms holds the forms
// of all copies of the leaf; nil if the leaf states no copies.
func (e *encloser) copies(l *certificate.Leaf) (of []enclosure, forms []*logit, err error) {
	allowed := e.reach.allowed(l.Box)
	if l.Copies == nil {
		for _, c := range allowed {
			of = append(of, newEnclosure(e.logit(e.reach.combinations[c], nil)))
		}
		return of, nil, nil
	}
	for i := range l.Copies {
		c := &l.Copies[i]
		form := e.logit(c.Protected, c.Slopes)
		bounds := newEnclosure(form)
		forms = append(forms, form)
		bounds.copy = i
		bounds.slopes, bounds.up, bounds.down = c.Joint, c.Up, c.Down
		if !math.IsInf(c.Logit.Lo, 0) {
			if compare(&form.lo, form.shift, c.Logit.Lo) < 0 || compare(&form.hi, form.shift, c.Logit.Hi) > 0 {
				return nil, nil, fmt.Errorf("copy %d (%v): the logit is stated to lie in %v to %v; its slopes show %s only",
					i, c.Protected, c.Logit.Lo, c.Logit.Hi, bounds.String())
			}
			bounds.lo.SetFloat64(c.Logit.Lo)
			bounds.hi.SetFloat64(c.Logit.Hi)
		}
		// Both lists are in lexicographic order.
		if len(allowed) > 0 && slices.Equal(e.reach.combinations[allowed[0]], c.Protected) {
			allowed = allowed[1:]
			of = append(of, bounds)
		} else if len(allowed) > 0 && slices.Compare(e.reach.combinations[allowed[0]], c.Protected) < 0 {
			break
		}
	}
	if len(allowed) > 0 {
		return nil, nil, fmt.Errorf("no copy with the protected values %v", e.reach.combinations[allowed[0]])
	}
	return of, forms, nil
}

// follows reports whether the claim follows for the current box from these enclosures.
func (e *encloser) follows(of []enclosure) bool {
	e.two = e.narrows && len(of) == 2
	return e.claim.follows(e.difference, of)
}

func newEnclosure(form *logit) enclosure {
	return enclosure{lo: rational(&form.lo, form.shift), hi: rational(&form.hi, form.shift), form: form}
}

func (e *enclosure) String() string {
	lo, _ := e.lo.Float64()
	hi, _ := e.hi.Float64()
	return fmt.Sprintf("%.17g to %.17g", lo, hi)
}

// describe formats the union of the enclosures, for messages.
func describe(of []enclosure) string {
	if len(of) == 0 {
		return "there are none"
	}
	all := enclosure{lo: of[0].lo, hi: of[0].hi}
	for i := range of {
		if of[i].lo.Cmp(all.lo) < 0 {
			all.lo = of[i].lo
		}
		if of[i].hi.Cmp(all.hi) > 0 {
			all.hi = of[i].hi
		}
	}
	return "over all copies, " + all.String()
}

// enumerate proves the claim on a box of finitely many individuals: it bisects until bounds
// suffice. At a single individual every neuron is stable and every form equals the logit,
// so the result there is final.
func (e *encloser) enumerate(ctx context.Context, box space.Box, left *int) error {
	if *left--; *left < 0 {
		return fmt.Errorf("the leaf needs more than %d boxes and individuals: split it", maxHalvings)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.reach.void(box) {
		return nil
	}
	e.at(box)
	var of []enclosure
	var forms []*logit
	for _, c := range e.reach.allowed(box) {
		form := e.logit(e.reach.combinations[c], nil)
		of, forms = append(of, newEnclosure(form)), append(forms, form)
	}
	if len(of) == 0 || e.follows(of) {
		return nil
	}
	widest, most := -1, 0.0
	for _, g := range e.frame.groups {
		if s := g.spread(forms); widest < 0 || s > most {
			widest, most = g.feature, s
		}
	}
	if widest < 0 {
		return fmt.Errorf("the individual %s breaks the claim: %s", e.name(box), describe(of))
	}
	for _, half := range halves(box[widest]) {
		part := slices.Clone(box)
		part[widest] = half
		if err := e.enumerate(ctx, part, left); err != nil {
			return err
		}
	}
	return nil
}

// halves bisects an interval of at least two integers.
func halves(iv space.Interval) [2]space.Interval {
	middle := math.Floor(iv.Lo + (iv.Hi-iv.Lo)/2)
	return [2]space.Interval{{Lo: iv.Lo, Hi: middle}, {Lo: middle + 1, Hi: iv.Hi}}
}

// name formats the single individual of a box.
func (e *encloser) name(box space.Box) string {
	var p space.Predicate
	for _, i := range e.Space.Free() {
		p = append(p, space.Condition{Feature: i, Interval: box[i]})
	}
	return p.Format(e.Space)
}

// Points counts the points of a box, whether the claim is about them or not. No feature may
// be real.
func Points(s *space.Space, box space.Box) *big.Int {
	n := big.NewInt(1)
	for i := range s.Features {
		if !s.Features[i].IsProtected() {
			n.Mul(n, big.NewInt(int64(box[i].Hi-box[i].Lo)+1))
		}
	}
	return n
}
