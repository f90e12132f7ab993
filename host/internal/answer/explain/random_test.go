package explain

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// kOf is an evaluator whose k is a given function.
type kOf func(x []float64) int

func (k kOf) EvaluateAll(xs [][]float64, out []evaluate.Outcome) {
	for i, x := range xs {
		out[i] = evaluate.Outcome{N: 2, K: k(x)}
	}
}

// smallSpace draws a space that tests can enumerate: up to four non-protected features, one
// protected one, and up to two constraints.
func smallSpace(t *rapid.T) *space.Space {
	s := &space.Space{}
	for i := range rapid.IntRange(1, 4).Draw(t, "features") {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Inputs: []space.Input{{Index: i, Scale: 1}}}
		f.Lo = float64(rapid.IntRange(-3, 3).Draw(t, "lo"))
		f.Hi = f.Lo + float64(rapid.IntRange(0, 5).Draw(t, "width"))
		if rapid.Bool().Draw(t, "categorical") {
			f.Kind, f.Hi, f.Lo = space.Categorical, f.Hi-f.Lo, 0
			for v := range int(f.Hi) + 1 {
				f.Categories = append(f.Categories, string(rune('p'+v)))
			}
		}
		s.Features = append(s.Features, f)
	}
	z := len(s.Features)
	s.Features = append(s.Features, space.Feature{
		Name: "z", Kind: space.Integer, Lo: 0, Hi: 2, Protected: []float64{0, 1, 2}, Inputs: []space.Input{{Index: z, Scale: 1}},
	})
	s.Inputs = z + 1
	for range rapid.IntRange(0, 2).Draw(t, "rules") {
		s.Forbidden = append(s.Forbidden, somePredicate(t, s, true))
	}
	return s
}

// somePredicate draws a conjunction of one or two conditions.
func somePredicate(t *rapid.T, s *space.Space, protected bool) space.Predicate {
	var p space.Predicate
	for i := range s.Features {
		f := &s.Features[i]
		if f.IsProtected() && !protected || len(p) > 0 && rapid.IntRange(0, 2).Draw(t, "also") > 0 {
			continue
		}
		c := space.Condition{Feature: i}
		if f.Kind == space.Categorical {
			c.Set = []int{}
			for v := range f.Categories {
				if rapid.Bool().Draw(t, "in") {
					c.Set = append(c.Set, v)
				}
			}
		} else {
			c.Interval.Lo = float64(rapid.IntRange(int(f.Lo)-1, int(f.Hi)).Draw(t, "from"))
			c.Interval.Hi = float64(rapid.IntRange(int(c.Interval.Lo), int(f.Hi)+1).Draw(t, "to"))
			if rapid.Bool().Draw(t, "open") {
				c.Interval.Lo = math.Inf(-1)
			}
		}
		p = append(p, c)
	}
	return p
}

// lattice lists the individuals of a discrete space, with and without allowed
// counterfactuals.
func lattice(s *space.Space) (all, allowed [][]float64) {
	for x := range s.Individuals(s.Whole().Box) {
		all = append(all, slices.Clone(x))
		if len(s.Counterfactuals(s.Whole(), x)) > 0 {
			allowed = append(allowed, all[len(all)-1])
		}
	}
	return all, allowed
}

// somePoints draws labelled individuals, with k from 1 to 9.
func somePoints(t *rapid.T, s *space.Space, least int) (points [][]float64, ks []float64, high []bool) {
	all, _ := lattice(s)
	for range rapid.IntRange(least, 40).Draw(t, "points") {
		points = append(points, rapid.SampledFrom(all).Draw(t, "point"))
		ks = append(ks, float64(rapid.IntRange(1, 9).Draw(t, "k")))
		high = append(high, ks[len(ks)-1] >= 6)
	}
	return points, ks, high
}
