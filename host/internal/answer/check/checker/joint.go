package checker

import (
	"math/big"

	"github.com/hyfair/hyfair/sdk"
)

// Two copies of a box may be bounded together: neurons by what the two are apart, and the
// difference of the logits as one functional, substituted back to the inputs.

// joint is what is known of how much one of two copies' logits is above the other's.
type joint struct {
	apart ranges // of the logits: the other's less the one's
	form  *logit // is at least that, and of the position alone; nil where no slopes are given
}

var one, minusOne = big.NewInt(1), big.NewInt(-1)

// difference bounds by how much a's logit is above b's over the box at hand; or with a tangent,
// its multiple of a's less its multiple of b's.
func (e *encloser) difference(a, b *enclosure, of *tangent) *big.Rat {
	if e.two && a.joint == nil {
		a.joint = e.joint(a, b)
	}
	switch {
	case of == nil:
		most := e.frame.most(term{one, a.form}, term{minusOne, b.form})
		if e.two {
			least := func(other *big.Rat) {
				if other.Cmp(most) < 0 {
					most = other
				}
			}
			apart := &a.joint.apart
			least(rational(new(big.Int).Neg(&apart.lo[0]), apart.shift))
			if form := a.joint.form; form != nil {
				least(e.frame.most(term{one, form}))
			}
		}
		return most
	case !e.two || a.joint.form == nil:
		return e.frame.most(term{of.up, a.form}, term{new(big.Int).Neg(of.down), b.form})
	}
	both := of.up
	if of.down.Cmp(both) < 0 {
		both = of.down
	}
	return e.frame.most(term{both, a.joint.form}, term{new(big.Int).Sub(of.up, both), a.form}, term{new(big.Int).Sub(both, of.down), b.form})
}

// joint finds out what is known of a and b, of two copies.
func (e *encloser) joint(a, b *enclosure) *joint {
	layers := e.model.layers
	apart := make([]ranges, len(layers))
	apart[0] = newRanges(layers[0].out, e.first.shift)
	for j := range apart[0].lo {
		apart[0].lo[j].Sub(&b.form.first[j], &a.form.first[j])
		apart[0].hi[j].Set(&apart[0].lo[j])
	}
	for k := 1; k < len(layers); k++ {
		passed := &apart[k-1]
		if layers[k-1].relu {
			passed = passedOn(passed, &a.form.sums[k-1], &b.form.sums[k-1])
		}
		apart[k] = layers[k].sums(passed, false)
	}
	of := &joint{apart: apart[len(layers)-1]}
	if len(a.slopes) > 0 {
		of.form = e.substitute(a.form, b.form, apart, a.slopes)
	}
	return of
}

// passedOn is what max(0, y) may be above max(0, x) by, where it is told what y is above x by: as
// much where both are positive, nothing where neither is, and otherwise between 0 and as much.
func passedOn(apart, x, y *ranges) *ranges {
	out := newRanges(len(apart.lo), apart.shift)
	for j := range out.lo {
		if x.hi[j].Sign() <= 0 && y.hi[j].Sign() <= 0 {
			continue
		}
		positive := x.lo[j].Sign() >= 0 && y.lo[j].Sign() >= 0
		if positive || apart.lo[j].Sign() < 0 {
			out.lo[j].Set(&apart.lo[j])
		}
		if positive || apart.hi[j].Sign() > 0 {
			out.hi[j].Set(&apart.hi[j])
		}
	}
	return &out
}

// substitute is a form of the position that a's logit less b's does not exceed. Behind each
// layer the difference is at most Σ α·max(0, x) + β·max(0, y) + c, with x and y for a neuron's sum in
// the two. With slopes s and t, each is at most s·x + t·y and the largest that is left.
func (e *encloser) substitute(a, b *logit, apart []ranges, slopes []sdk.JointSlope) *logit {
	last := len(e.model.layers) - 1
	out := &e.model.layers[last]
	alpha, beta := zeros(nil, out.in), zeros(nil, out.in) // over 2^shift
	for i := range alpha {
		alpha[i].Set(&out.weights[i])
		beta[i].Neg(&out.weights[i])
	}
	shift := out.shift
	var rest dyadic
	var sum, product big.Int
	for k := last - 1; ; k-- {
		l, n := &e.model.layers[k], len(slopes)
		for n > 0 && slopes[n-1].Layer == k {
			n--
		}
		if l.relu {
			shift = e.relaxPairs(alpha, beta, shift, newHexagons(&a.sums[k], &b.sums[k], &apart[k]), slopes[n:], &rest)
		}
		if slopes = slopes[:n]; k == 0 {
			break
		}
		for j := range alpha {
			rest.add(product.Mul(sum.Add(&alpha[j], &beta[j]), &l.bias[j]), shift+l.shift)
		}
		alpha, beta, shift = l.back(alpha), l.back(beta), shift+l.shift
	}
	of := &logit{shift: shift + e.first.shift, coef: make([]big.Int, len(e.first.coef))}
	for j := range alpha {
		of.base.Add(&of.base, product.Mul(&alpha[j], &a.first[j]))
		of.base.Add(&of.base, product.Mul(&beta[j], &b.first[j]))
		sum.Add(&alpha[j], &beta[j])
		for v := range of.coef {
			of.coef[v].Add(&of.coef[v], product.Mul(&sum, &e.first.coef[v][j]))
		}
	}
	rest.add(&of.base, of.shift)
	for v := range of.coef {
		of.coef[v].Lsh(&of.coef[v], rest.shift-of.shift)
	}
	of.base.Set(&rest.n)
	of.shift = rest.shift
	return of
}

// relaxPairs makes multiples α and β of max(0, x) and max(0, y), over 2^shift, ones of x and y, over 2 to
// the power returned. What is left is added to rest.
func (e *encloser) relaxPairs(alpha, beta []big.Int, shift uint, of *hexagons, slopes []sdk.JointSlope, rest *dyadic) uint {
	places := shift
	for _, m := range slopes {
		places = max(places, min(max(fraction(m.Own), fraction(m.Other)), slopeBits))
	}
	var s, t big.Int
	for j := range alpha {
		x, y := &alpha[j], &beta[j]
		x.Lsh(x, places-shift)
		y.Lsh(y, places-shift)
		told := len(slopes) > 0 && slopes[0].Neuron == j
		if told {
			given(&s, slopes[0].Own, places)
			given(&t, slopes[0].Other, places)
			slopes = slopes[1:]
		} else { // as if both had the sign that they have, or may have
			signed := func(of *big.Int, hi []big.Int, c *big.Int) {
				if of.SetInt64(0); hi[j].Sign() > 0 {
					of.Set(c)
				}
			}
			signed(&s, of.x.hi, x)
			signed(&t, of.y.hi, y)
		}
		if told || crosses(&of.x.lo[j], &of.x.hi[j]) || crosses(&of.y.lo[j], &of.y.hi[j]) {
			rest.add(of.most(j, x.Sub(x, &s), y.Sub(y, &t), s.Neg(&s), t.Neg(&t)), places+of.x.shift)
			s.Neg(&s)
			t.Neg(&t)
		}
		x.Set(&s)
		y.Set(&t)
	}
	return places
}

// back is what multiples of the layer's sums are of what it reads, over 2^l.shift more.
func (l *layer) back(of []big.Int) []big.Int {
	out := zeros(nil, l.in)
	var product big.Int
	for j := range of {
		if of[j].Sign() == 0 {
			continue
		}
		for i := range out {
			out[i].Add(&out[i], product.Mul(&of[j], &l.weights[j*l.in+i]))
		}
	}
	return out
}
