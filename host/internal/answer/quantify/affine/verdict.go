package affine

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// edge is an end of a range of sums; closed if the range includes it.
type edge struct {
	at     *big.Rat
	closed bool
}

// band says which sums of the unprotected features' contributions make individuals unfair: those
// between unfair[0] and unfair[1]. Sums below fair[0] or above fair[1] make them fair; other sums
// decide nothing.
type band struct {
	unfair, fair [2]edge
	// constant: the verdict is the same for every sum, and there are no thresholds; always says
	// whether it is unfair.
	constant, always bool
}

// bandOf returns the thresholds for individuals with this state, as sums of the unprotected
// features' contributions.
func bandOf(q *problem.Query, of state) band {
	n, target := q.Notion, q.Notion.Threshold(q.Epsilon)
	if of.copies < 2 {
		return band{constant: true}
	}
	from, to := new(big.Rat).Neg(of.most), new(big.Rat).Neg(of.least)
	switch {
	case n == fairness.Decision: // from < sum ≤ to
		return band{unfair: [2]edge{{from, false}, {to, true}}, fair: [2]edge{{from, true}, {to, false}}}
	case n == fairness.DecisionStrict:
		return band{unfair: [2]edge{{from, false}, {to, false}}, fair: [2]edge{{from, true}, {to, true}}}
	case n.Linear():
		return band{constant: true, always: n.Exceeds(of.most, of.least, target)}
	}
	// The gap of scores is largest if the logits are symmetric about 0. It decreases symmetrically on
	// both sides.
	middle := new(big.Rat).Add(from, to)
	middle.Quo(middle, big.NewRat(2, 1))
	exceeds := func(off float64) bool {
		at := new(big.Rat).SetFloat64(off)
		at.Add(at, middle)
		return n.Exceeds(new(big.Rat).Add(of.most, at), new(big.Rat).Add(of.least, at), target)
	}
	if !exceeds(0) {
		return band{constant: true}
	}
	in, out := 0.0, 1.0
	for exceeds(out) {
		in, out = out, 2*out
	}
	for range 40 {
		half := in + (out-in)/2
		if exceeds(half) {
			in = half
		} else {
			out = half
		}
	}
	at := func(off float64) edge {
		v := new(big.Rat).SetFloat64(off)
		return edge{v.Add(v, middle), true}
	}
	return band{unfair: [2]edge{at(-in), at(in)}, fair: [2]edge{at(-out), at(out)}}
}

// tail bounds the mass of individuals for which the rounding error of a sum exceeds Bernstein's bound:
// 2·exp(−t²/(2(V + M·t/3))), where the errors' variances add up to V and no error is further than M
// from its mean.
const (
	tail = 0x1p-18
	logs = 13.17 // more than ln(2/tail)
)

// errorSum adds up the rounding errors of the independent terms of a sum, in steps.
type errorSum struct {
	lo, hi, mean   float64
	variance, most float64
	slack          float64 // of the arithmetic on contributions
}

func (e *errorSum) add(r rounded) {
	e.lo, e.hi, e.mean = e.lo+r.lo, e.hi+r.hi, e.mean+r.mean
	e.variance += max(0, r.square-r.mean*r.mean)
	e.most = max(e.most, r.hi-r.mean, r.mean-r.lo)
}

// exactly reports whether nothing was rounded.
func (e *errorSum) exactly() bool { return e.lo == 0 && e.hi == 0 && e.slack == 0 }

// bounds encloses the error: for a rounded sum k, the exact one is between k + lo and k + hi. The
// result lost bounds the mass of individuals for which this fails.
func (e *errorSum) bounds() (lo, hi, lost float64) {
	if e.exactly() {
		return 0, 0, 0
	}
	off := e.slack + 1e-6 // more than the rounding of errors
	most := e.most * logs / 3
	chance := (most + math.Sqrt(most*most+2*logs*e.variance)) * (1 + 1e-9)
	lo, hi = e.lo-off, e.hi+off
	if least := e.mean - chance - off; least > lo {
		lo, lost = least, tail
	}
	if most := e.mean + chance + off; most < hi {
		hi, lost = most, tail
	}
	return lo, hi, lost
}
