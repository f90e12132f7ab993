package affine

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// edge is a threshold; closed if it belongs to what lies beyond it.
type edge struct {
	at     *big.Rat
	closed bool
}

// band says which sums of the features that are not protected make individuals unfair: those between unfair[0] and
// unfair[1]. Those below fair[0] and above fair[1] are fair.
type band struct {
	unfair, fair [2]edge
	// constant: each individual has the verdict always, and there are no thresholds.
	constant, always bool
}

// bandOf returns the thresholds of individuals whose copies' logits are between the state's least and most, plus a
// common sum.
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
	// The gap of scores is the largest where the logits lie around 0, and decreases on both sides alike.
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

// tail bounds the share of people for whom rounding takes more than Bernstein's bound from a sum:
// 2·exp(−t²/(2(V + M·t/3))), where the errors' variances add up to V and none is further than M from its mean.
const (
	tail = 0x1p-18
	logs = 13.17 // more than ln(2/tail)
)

// errorSum adds up what rounding takes from the independent terms of a sum, in steps.
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

// bounds encloses the error: a rounded sum k stands for sums between k + lo and k + hi, but for a share of lost people.
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
