package checker

import (
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// encloser computes linear forms of the logit over boxes in exact arithmetic. Each worker
// has its own.
type encloser struct {
	*subject
	frame frame
	// first holds the weighted sums of the first layer over the box, without the
	// contribution of the protected features.
	first forms
	bits  uint // shift of the network's inputs in this box
	two   bool // the box has two copies, which are bounded jointly
	a, b  forms
	// Scratch memory of relax: the range of each sum's form alone, over the forms' shift.
	lo, hi     []big.Int
	place, tmp big.Int
}

// at sets the box and computes the first layer's sums over it, without protected features.
func (e *encloser) at(box space.Box) {
	e.frame = newFrame(e.Space, box)
	e.bits = e.inputBits
	for _, i := range e.reals {
		e.bits = max(e.bits, featureBits(&e.Space.Features[i], max(fraction(box[i].Lo), fraction(box[i].Hi))))
	}
	e.frame.inputs(&e.a, e.Space, box, e.bits)
	e.model.layers[0].apply(&e.first, &e.a)
}

// logit is the logit over a box at one protected combination: the single unit of its form,
// and its range.
type logit struct {
	shift uint
	base  big.Int
	coef  []big.Int
	// lo and hi times 2^shift.
	lo, hi big.Int
	// own is the contribution of the protected features to the sums of the first layer; sums are
	// the ranges of the sums of each hidden layer.
	own  []big.Int
	sums []ranges
}

// logit computes the form of the logit at protected values, in the order of the protected
// features. slopes are those of relaxed neurons, by layer and neuron.
func (e *encloser) logit(protected []float64, slopes []sdk.Slope) *logit {
	in, out := &e.a, &e.b
	e.begin(in, protected)
	protects := zeros(nil, len(in.base))
	for j := range protects {
		protects[j].Sub(&in.base[j], &e.first.base[j])
	}
	sums := make([]ranges, len(e.model.layers)-1)
	for k := range e.model.layers {
		l := &e.model.layers[k]
		if k > 0 {
			l.apply(out, in)
			in, out = out, in
		}
		if k == len(sums) {
			break
		}
		sums[k] = e.enclose(in)
		if k > 0 && e.narrows {
			sums[k].narrow(l.sums(e.model.layers[k-1].pass(&sums[k-1]), true))
		}
		if l.relu {
			n := 0
			for n < len(slopes) && slopes[n].Layer == k {
				n++
			}
			e.relax(in, &sums[k], slopes[:n])
			slopes = slopes[n:]
		}
	}
	of := &logit{shift: in.shift, coef: make([]big.Int, len(in.coef)), own: protects, sums: sums}
	of.base.Set(&in.base[0])
	for v, row := range in.coef {
		of.coef[v].Set(&row[0])
	}
	e.frame.enclose(&of.lo, &of.hi, in, 0)
	return of
}

// begin computes the forms of the first layer's sums, with the protected features' contribution.
func (e *encloser) begin(to *forms, protected []float64) {
	l := &e.model.layers[0]
	to.reset(l.out, len(e.first.coef), e.first.shift)
	for j := range to.base {
		to.base[j].Set(&e.first.base[j])
	}
	for v, row := range to.coef {
		for j := range row {
			row[j].Set(&e.first.coef[v][j])
		}
	}
	var value, product big.Int
	for k, i := range e.protected {
		f := &e.Space.Features[i]
		for n := range f.Inputs {
			in := &f.Inputs[n]
			input(&value, f, in, protected[k], e.bits)
			for j := range to.base {
				to.base[j].Add(&to.base[j], product.Mul(&l.weights[j*l.in+in.Index], &value))
			}
		}
	}
}

// enclose returns the ranges of the units' forms over the box, and stores them in lo and
// hi.
func (e *encloser) enclose(f *forms) ranges {
	n := len(f.base)
	e.lo, e.hi = zeros(e.lo, n), zeros(e.hi, n)
	of := newRanges(n, f.shift)
	for j := range n {
		e.frame.enclose(&e.lo[j], &e.hi[j], f, j)
		of.lo[j].Set(&e.lo[j])
		of.hi[j].Set(&e.hi[j])
	}
	return of
}

// relax applies a layer's ReLUs to the forms. For a neuron's sum y in [l, u],
//
//	relu(y) ∈ λ·y + [0, μ], μ = max(−λ·l, (1−λ)·u), for every 0 ≤ λ ≤ 1,
//
// because relu(y) − λ·y is convex, at least 0, and largest at an end. With λ = 1 for l ≥ 0
// and λ = 0 for u ≤ 0, relu(y) equals λ·y. The slack in [0, μ] becomes a new variable.
//
// If interval arithmetic narrowed l or u, a given slope is used even if the sign is known: else
// a bound that holds with the form's own range may be lost.
func (e *encloser) relax(f *forms, sums *ranges, slopes []sdk.Slope) {
	n := len(f.base)
	var places uint // slopes are integers over 2^places
	if len(slopes) > 0 || sums.cross() {
		places = ownPlaces
		for _, m := range slopes {
			places = max(places, min(fraction(m.Value), slopeBits))
		}
	}
	variables := len(f.coef)
	for j := range n {
		if len(slopes) > 0 && slopes[0].Neuron < j {
			slopes = slopes[1:]
		}
		l, u := &sums.lo[j], &sums.hi[j]
		told := len(slopes) > 0 && slopes[0].Neuron == j
		relaxed := crosses(l, u) || told && (l.Cmp(&e.lo[j]) != 0 || u.Cmp(&e.hi[j]) != 0)
		switch {
		case !relaxed && l.Sign() >= 0:
			e.multiply(f, variables, j, nil, places)
		case !relaxed:
			e.multiply(f, variables, j, new(big.Int), places)
		default:
			slope := new(big.Int)
			if told {
				given(slope, slopes[0].Value, places)
			} else {
				own(slope, l, u, places)
			}
			e.multiply(f, variables, j, slope, places)
			slack := &f.add(n)[j]
			slack.Neg(e.tmp.Mul(slope, l))
			e.place.Sub(e.tmp.Lsh(e.tmp.SetInt64(1), places), slope)
			if e.tmp.Mul(&e.place, u); slack.Cmp(&e.tmp) < 0 {
				slack.Set(&e.tmp)
			}
		}
	}
	f.shift += places
}

func crosses(l, u *big.Int) bool { return l.Sign() < 0 && u.Sign() > 0 }

// multiply multiplies unit j by λ. slope is λ·2^places; nil means λ = 1. The caller has to raise
// the shift of f by places.
func (e *encloser) multiply(f *forms, variables, j int, slope *big.Int, places uint) {
	times := func(c *big.Int) {
		switch {
		case slope == nil:
			c.Lsh(c, places)
		case slope.Sign() == 0:
			c.SetInt64(0)
		default:
			e.tmp.Mul(c, slope)
			c.Set(&e.tmp)
		}
	}
	times(&f.base[j])
	for _, row := range f.coef[:variables] {
		times(&row[j])
	}
}

// ownPlaces is the number of binary places of slopes that the checker chooses.
const ownPlaces = 53

// own sets z to u/(u−l), the slope with the least slack, times 2^places. It is rounded down to
// ownPlaces binary places.
func own(z, l, u *big.Int, places uint) {
	var width, num big.Int
	width.Sub(u, l)
	num.Lsh(u, ownPlaces)
	z.Quo(&num, &width)
	z.Lsh(z, places-ownPlaces)
}

// given sets z to the slope v, times 2^places and rounded down.
func given(z *big.Int, v float64, places uint) {
	exact := max(places, fraction(v))
	scaled(z, v, exact)
	z.Rsh(z, exact-places)
}

// term is a multiple of a form.
type term struct {
	times *big.Int
	form  *logit
}

// most returns an upper bound of a sum of terms over the box. It evaluates the sum as one linear
// form, so that common parts cancel. All forms must be in the frame.
func (f *frame) most(terms ...term) *big.Rat {
	var shift uint
	for _, t := range terms {
		shift = max(shift, t.form.shift)
	}
	var sum, c, product big.Int
	add := func(to *big.Int, t term, v *big.Int) {
		product.Mul(t.times, v)
		to.Add(to, product.Lsh(&product, shift-t.form.shift))
	}
	for _, t := range terms {
		add(&sum, t, &t.form.base)
	}
	for _, g := range f.groups {
		var most big.Int
		for v := g.from; v < g.to; v++ {
			c.SetInt64(0)
			for _, t := range terms {
				add(&c, t, &t.form.coef[v])
			}
			if c.Cmp(&most) > 0 {
				most.Set(&c)
			}
		}
		sum.Add(&sum, &most)
	}
	for _, t := range terms {
		for v := range t.form.coef[f.variables():] {
			if v := &t.form.coef[f.variables()+v]; v.Sign()*t.times.Sign() > 0 {
				add(&sum, t, v)
			}
		}
	}
	return rational(&sum, shift)
}

// spread is the variation of the logits' forms along the feature of a group, over the box
// and summed over the logits. It only chooses the feature to bisect, so it need not be
// exact.
func (g group) spread(of []*logit) float64 {
	total := 0.0
	for _, l := range of {
		for v := g.from; v < g.to; v++ {
			c := new(big.Float).SetInt(&l.coef[v])
			size, _ := c.SetMantExp(c.Abs(c), -int(l.shift)).Float64()
			total += size
		}
	}
	return total
}
