// Package affine proves which share of a population an affine model treats unfairly, without boxes.
//
// The logit of a copy is a sum of one contribution per feature. The part of it that all copies of
// an individual share comes from the unprotected features. Its distribution is the convolution of
// their contributions, which are rounded to multiples of a step. An individual is treated unfairly
// if this part is between two thresholds. The bounds of masses allow for all rounding. The rounding
// error of a sum has two bounds, of which the smaller counts: the sum of the largest errors, and
// Bernstein's inequality for independent errors (Boucheron, Lugosi and Massart, Concentration
// Inequalities, 2013, corollary 2.11).
package affine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// ErrUnsuited says that a question is not one for convolution.
var ErrUnsuited = errors.New("the question does not reduce to two thresholds of an affine model")

// Target is the width of an interval that is not refined further.
const Target = 1e-3

// Shares are lower bounds: among the people whom the question is about, the shares who are treated fairly and unfairly.
type Shares struct {
	Fair, Unfair float64
	// Individuals is the number of individuals; nil if a feature is real.
	Individuals *big.Int
	// Steps is the length of the longest sum, in steps.
	Steps int
}

// Open is the share that is proved neither fair nor unfair.
func (s *Shares) Open() float64 { return max(0, 1-s.Fair-s.Unfair) }

// affine is a logit as a sum of contributions.
type affine struct {
	slope []*big.Rat   // by feature; 0 for a feature with a table
	table [][]*big.Rat // by feature: contributions of the values, Lo first
	at    *big.Rat     // the constant term
	// lowered is what the logit of a copy is lowered by, depending on its protected values; nil: nothing.
	lowered func(point []float64) *big.Rat
}

// of returns the logit of a model as a sum over features; ok is false if the model is not affine.
func of(m model.Model, s *space.Space) (*affine, bool) {
	net, ok := m.(*relu.Network)
	if !ok {
		return nil, false
	}
	for i := range net.Layers {
		if net.Layers[i].ReLU {
			return nil, false
		}
	}
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	weights := []*big.Rat{rat(1)} // of the outputs of layer k
	if net.Head == relu.HeadSoftmax {
		weights = []*big.Rat{rat(-1), rat(1)}
	}
	a := &affine{at: new(big.Rat)}
	for k := len(net.Layers) - 1; k >= 0; k-- {
		l := &net.Layers[k]
		next := make([]*big.Rat, l.In)
		for i := range next {
			next[i] = new(big.Rat)
		}
		for j := range l.Out {
			for i, w := range l.Row(j) {
				if w != 0 {
					next[i].Add(next[i], new(big.Rat).Mul(weights[j], rat(w)))
				}
			}
			a.at.Add(a.at, new(big.Rat).Mul(weights[j], rat(l.Bias[j])))
		}
		weights = next
	}
	for i := range s.Features {
		f := &s.Features[i]
		slope, values := new(big.Rat), []*big.Rat(nil)
		for k := range f.Inputs {
			if f.Inputs[k].Table != nil {
				values = make([]*big.Rat, len(f.Inputs[k].Table))
			}
		}
		for v := range values {
			values[v] = new(big.Rat)
		}
		for k := range f.Inputs {
			in := &f.Inputs[k]
			w := weights[in.Index]
			for v := range values {
				x := new(big.Rat).Mul(rat(in.Scale), rat(f.Lo+float64(v)))
				if x.Add(x, rat(in.Offset)); in.Table != nil {
					x = rat(in.Table[v])
				}
				values[v].Add(values[v], x.Mul(x, w))
			}
			if values == nil {
				slope.Add(slope, new(big.Rat).Mul(w, rat(in.Scale)))
				a.at.Add(a.at, new(big.Rat).Mul(w, rat(in.Offset)))
			}
		}
		a.slope, a.table = append(a.slope, slope), append(a.table, values)
	}
	return a, true
}

// byGroup returns the affine form of a query whose model was lowered by group: that of the original model, and what the
// thresholds subtract. ok is false if the original model is not affine, or groups depend on features that are not protected.
func byGroup(q *problem.Query) (*affine, bool) {
	a, ok := of(q.Scored, q.Space)
	for _, g := range q.Rule.Groups {
		for _, h := range g.In {
			i, found := q.Space.Index(h.Feature)
			ok = ok && found && q.Space.Features[i].IsProtected()
		}
	}
	if !ok {
		return nil, false
	}
	before, after := q.Scored.Exact(), q.Model.Exact()
	a.lowered = func(point []float64) *big.Rat {
		at := slices.Clone(point)
		for _, i := range q.Space.Free() {
			at[i] = q.Space.Features[i].Lo
		}
		in := q.Space.ExactInputs(at)
		return new(big.Rat).Sub(before.Logit(in), after.Logit(in))
	}
	return a, true
}

// contribution is the exact contribution of a feature's value.
func (a *affine) contribution(f *space.Feature, i int, v float64) *big.Rat {
	if t := a.table[i]; t != nil {
		return t[int(v-f.Lo)]
	}
	return new(big.Rat).Mul(a.slope[i], new(big.Rat).SetFloat64(v))
}

// affineOf returns the affine model of a question about two copies; ok is false for other questions.
func affineOf(q *problem.Query) (a *affine, ok bool) {
	if a, ok = of(q.Model, q.Space); !ok && q.Rule.Groups != nil {
		a, ok = byGroup(q)
	}
	return a, ok && q.K <= 2 && len(q.Relax) == 0 && q.Within == nil && !q.TellsCopiesApart()
}

// Suits reports whether the question is about two copies and a linear model. Of may still refuse its constraints with ErrUnsuited.
func Suits(q *problem.Query) bool {
	_, ok := affineOf(q)
	return ok
}

// Of answers a question about a population within its region. It refines the interval until it is
// at most Target wide, ctx ends or sums become too long. If ctx ends before the first interval, the
// error is ctx's. It is ErrUnsuited for questions that do not reduce to two thresholds,
// and for populations without classes. The query
// must be valid, and its region within the domains.
func Of(ctx context.Context, q *problem.Query, people *population.Population) (*Shares, error) {
	a, ok := affineOf(q)
	if !ok || len(people.Classes()) == 0 {
		return nil, ErrUnsuited
	}
	parts, err := split(q, a)
	if err != nil {
		return nil, err
	}
	c := &convolution{q: q, affine: a, parts: parts, people: people, classes: people.Classes()}
	return c.refine(ctx)
}

// The standard deviation of a sum has at least 2^firstLength steps, and at most twice 2^lastLength.
const (
	firstLength = 11
	lastLength  = 18
)

// refine repeats the bounds with shorter steps until at most Target is open or the steps are as
// short as lastLength allows, and returns the best of them. If a shorter step fails, the earlier
// result stands without an error.
func (c *convolution) refine(ctx context.Context) (best *Shares, err error) {
	variances, spread := c.deviations()
	last := len(c.parts.all) - 1
	slices.SortStableFunc(c.parts.all[:last], func(p, q part) int { // narrow ones first, so that most sums are short
		sum := func(p part) (all float64) {
			for _, i := range p.features {
				all += variances[i]
			}
			return all
		}
		return cmp.Compare(sum(p), sum(q))
	})
	if step, ok := c.exact(); ok {
		return c.shares(ctx, step)
	}
	_, exp := math.Frexp(spread)
	for n := firstLength; ; {
		s, err := c.shares(ctx, math.Ldexp(1, exp-1-n))
		switch {
		case err != nil && best == nil:
			return nil, err
		case err != nil:
			return best, nil
		case best == nil || s.Open() < best.Open():
			best = s
		}
		if best.Open() <= Target || n == lastLength {
			return best, nil
		}
		// The open share is about proportional to the step.
		n = min(n+int(math.Ceil(math.Log2(best.Open()/Target)+0.1)), lastLength)
	}
}
