package checker

import (
	"math"
	"math/big"
	"slices"
)

// Two copies over a box may be bounded jointly: each neuron by the difference of the two,
// and the difference of the logits as one functional, substituted back to the inputs.

// joint bounds the excess of one copy's logit over the other's.
type joint struct {
	apart ranges // range of the logits' difference: the other's less this one's
	form  *logit // an upper bound, linear in the position; nil without slopes
}

var one, minusOne = big.NewInt(1), big.NewInt(-1)

// difference returns an upper bound of a − b for the logits of two copies over the current box or,
// given a tangent, of up·a − down·b.
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
			least(a.joint.apart.most())
			if form := a.joint.form; form != nil {
				least(e.frame.most(term{one, form}))
			}
		} else if e.narrows && (!e.Notion.UsesEpsilon() || e.claim.k == 1) {
			// For decisions and k = 1 the difference is often exactly 0, with any number of copies.
			apart, _ := e.neurons(a, b)
			if least := apart.most(); least.Cmp(most) < 0 {
				return least
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

// most is the largest excess of this copy's logit over the other's.
func (r *ranges) most() *big.Rat { return rational(new(big.Int).Neg(&r.lo[0]), r.shift) }

// neurons returns the range of b's logit less a's. all has, for each layer, the ranges of the sums
// in copy b less those in copy a.
func (e *encloser) neurons(a, b *enclosure) (logits ranges, all []ranges) {
	apart := newRanges(e.model.layers[0].out, e.first.shift)
	for j := range apart.lo {
		apart.lo[j].Sub(&b.form.own[j], &a.form.own[j])
		apart.hi[j].Set(&apart.lo[j])
	}
	all = e.apart(apart, a.form.sums, b.form.sums)
	return all[len(all)-1], all
}

// joint bounds the difference of the logits of two copies by intervals and, if the leaf has slopes
// for the pair, by a linear form.
func (e *encloser) joint(a, b *enclosure) *joint {
	logits, all := e.neurons(a, b)
	of := &joint{apart: logits}
	if len(a.slopes) > 0 {
		f := &functional{
			up: one, down: one, x: []*logit{a.form}, y: []*logit{b.form}, times: one,
			hexagons: e.hexagons(a.form.sums, b.form.sums, all), slopes: e.withoutSlopes(),
		}
		for _, m := range a.slopes {
			f.slopes[m.Layer][0][m.Neuron], f.slopes[m.Layer][1][m.Neuron] = m.Own, m.Other
		}
		of.form = e.substitute(f)
	}
	return of
}

// apart returns, for each layer, the ranges of y's sums less x's. first is its result for layer 0.
func (e *encloser) apart(first ranges, x, y []ranges) []ranges {
	out := []ranges{first}
	for k := 1; k < len(e.model.layers); k++ {
		passed := &out[k-1]
		if e.model.layers[k-1].relu {
			passed = passedOn(passed, &x[k-1], &y[k-1])
		}
		out = append(out, e.model.layers[k].sums(passed, false))
	}
	return out
}

// hexagons returns, by hidden layer, the hexagons of its neurons.
func (e *encloser) hexagons(x, y, apart []ranges) []*hexagons {
	out := make([]*hexagons, len(x))
	for k := range out {
		out[k] = newHexagons(&x[k], &y[k], &apart[k])
	}
	return out
}

// passedOn is the range of max(0, y) − max(0, x), given that of y − x in apart. It equals apart if both are positive, is
// 0 if neither is, and otherwise lies between 0 and apart. The ranges of x and y bound it as well.
func passedOn(apart, x, y *ranges) *ranges {
	of := newHexagons(x, y, apart)
	out := newRanges(len(apart.lo), of.apart.shift)
	var own big.Int
	for j := range out.lo {
		lx, ux, ly, uy := &of.x.lo[j], &of.x.hi[j], &of.y.lo[j], &of.y.hi[j]
		if ux.Sign() <= 0 && uy.Sign() <= 0 {
			continue
		}
		lo, hi := &out.lo[j], &out.hi[j]
		both := lx.Sign() >= 0 && ly.Sign() >= 0
		if both || of.apart.lo[j].Sign() < 0 {
			lo.Set(&of.apart.lo[j])
		}
		if both || of.apart.hi[j].Sign() > 0 {
			hi.Set(&of.apart.hi[j])
		}
		if own.Sub(positive(ly), positive(ux)); own.Cmp(lo) > 0 {
			lo.Set(&own)
		}
		if own.Sub(positive(uy), positive(lx)); own.Cmp(hi) < 0 {
			hi.Set(&own)
		}
	}
	return &out
}

var zero big.Int

// positive is max(0, v).
func positive(v *big.Int) *big.Int {
	if v.Sign() > 0 {
		return v
	}
	return &zero
}

// functional is up·p − down·q, with p the logit of any copy in x and q that of any copy in
// y.
type functional struct {
	up, down *big.Int
	x, y     []*logit
	hexagons []*hexagons // by hidden layer
	// slopes are by layer, of x's neurons and of y's, scaled by times; NaN: none.
	slopes [][2][]float64
	times  *big.Int
}

// withoutSlopes is NaN for every neuron of the hidden layers: no slopes.
func (e *encloser) withoutSlopes() [][2][]float64 {
	out := make([][2][]float64, len(e.model.layers)-1)
	for k := range out {
		for side := range out[k] {
			out[k][side] = slices.Repeat([]float64{math.NaN()}, e.model.layers[k].out)
		}
	}
	return out
}

// substitute returns a linear form of the position that bounds the functional from above; nil if a hexagon is empty.
// After each layer the functional is at most Σ α·max(0, x) + β·max(0, y) + c, with x and y the sums of a neuron on
// the two sides. With slopes s and t, a term is at most s·x + t·y plus the largest remainder over the hexagon.
func (e *encloser) substitute(f *functional) *logit {
	last := len(e.model.layers) - 1
	alpha, beta, shift := make([]big.Int, 1), make([]big.Int, 1), uint(0) // over 2^shift
	alpha[0].Set(f.up)
	beta[0].Neg(f.down)
	var rest dyadic
	var sum, product big.Int
	for k := last; k > 0; k-- {
		l := &e.model.layers[k]
		for j := range alpha {
			rest.add(product.Mul(sum.Add(&alpha[j], &beta[j]), &l.bias[j]), shift+l.shift)
		}
		alpha, beta, shift = l.back(alpha), l.back(beta), shift+l.shift
		if e.model.layers[k-1].relu {
			var ok bool
			if shift, ok = f.relax(k-1, alpha, beta, shift, &rest); !ok {
				return nil
			}
		}
	}
	of := &logit{shift: shift + e.first.shift, coef: make([]big.Int, len(e.first.coef))}
	for j := range alpha {
		sum.Add(&alpha[j], &beta[j])
		of.base.Add(&of.base, product.Mul(&sum, &e.first.base[j]))
		for v := range of.coef {
			of.coef[v].Add(&of.coef[v], product.Mul(&sum, &e.first.coef[v][j]))
		}
	}
	of.base.Add(&of.base, mostOwn(f.x, alpha))
	of.base.Add(&of.base, mostOwn(f.y, beta))
	rest.add(&of.base, of.shift)
	for v := range of.coef {
		of.coef[v].Lsh(&of.coef[v], rest.shift-of.shift)
	}
	of.base.Set(&rest.n)
	of.shift = rest.shift
	return of
}

// mostOwn is the largest contribution of the protected features to a linear form of the first layer's sums,
// over the given copies. of holds the form's coefficients.
func mostOwn(any []*logit, of []big.Int) *big.Int {
	var most *big.Int
	var product big.Int
	for _, l := range any {
		sum := new(big.Int)
		for j := range of {
			sum.Add(sum, product.Mul(&of[j], &l.own[j]))
		}
		if most == nil || sum.Cmp(most) > 0 {
			most = sum
		}
	}
	return most
}

// relax replaces the coefficients of max(0, x) and max(0, y) in layer k, alpha and beta over 2^shift, by
// coefficients of x and y, over 2^places. It adds the largest remainder to rest. ok is false if a hexagon is empty.
func (f *functional) relax(k int, alpha, beta []big.Int, shift uint, rest *dyadic) (places uint, ok bool) {
	of, slopes := f.hexagons[k], &f.slopes[k]
	places = shift
	for _, side := range slopes {
		for _, v := range side {
			if v == v {
				places = max(places, min(fraction(v), slopeBits))
			}
		}
	}
	var s, t big.Int
	// slope is the given slope; without one, the coefficient c if the neuron can be positive,
	// else 0.
	slope := func(z, c *big.Int, v float64, most *big.Int) {
		switch {
		case v == v:
			given(z, v, places)
			z.Mul(z, f.times)
		case most.Sign() > 0:
			z.Set(c)
		default:
			z.SetInt64(0)
		}
	}
	for j := range alpha {
		x, y := &alpha[j], &beta[j]
		x.Lsh(x, places-shift)
		y.Lsh(y, places-shift)
		slope(&s, x, slopes[0][j], &of.x.hi[j])
		slope(&t, y, slopes[1][j], &of.y.hi[j])
		if a, b := slopes[0][j], slopes[1][j]; a == a || b == b || crosses(&of.x.lo[j], &of.x.hi[j]) || crosses(&of.y.lo[j], &of.y.hi[j]) {
			most := of.most(j, x.Sub(x, &s), y.Sub(y, &t), s.Neg(&s), t.Neg(&t))
			if most == nil {
				return 0, false
			}
			rest.add(most, places+of.x.shift)
			s.Neg(&s)
			t.Neg(&t)
		}
		x.Set(&s)
		y.Set(&t)
	}
	return places, true
}

// back substitutes the layer's sums in a linear form: it turns their coefficients into those of the
// layer's inputs. The result's shift is larger by l.shift.
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
