package evaluate_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// randomNetwork has the given layer widths, inputs first and without the
// output layer.
func randomNetwork(r *rand.Rand, head relu.Head, scale float64, widths ...int) *relu.Network {
	number := func() float64 { return r.NormFloat64() * scale }
	return known.Dense(head, number, number, widths...)
}

// randomSpace mixes kinds and maps of features, one to three of them
// protected, with a few constraints.
func randomSpace(r *rand.Rand) *space.Space {
	s := &space.Space{}
	for i := range 3 + r.IntN(4) {
		f := space.Feature{Name: fmt.Sprintf("f%d", i)}
		protected := i < 1+r.IntN(3)
		values := 2 + r.IntN(4)
		switch kind := r.IntN(4); {
		case kind == 0:
			f.Kind, f.Lo, f.Hi = space.Real, -3*r.Float64(), 3+r.Float64()
			f.Inputs = []space.Input{{Index: s.Inputs, Scale: r.NormFloat64(), Offset: r.NormFloat64()}}
			s.Inputs++
		case kind == 1:
			f.Kind, f.Hi = space.Categorical, float64(values-1)
			for v := range values {
				f.Categories = append(f.Categories, fmt.Sprintf("c%d", v))
				oneHot := make([]float64, values)
				oneHot[v] = 1
				f.Inputs = append(f.Inputs, space.Input{Index: s.Inputs, Table: oneHot})
				s.Inputs++
			}
		default:
			f.Kind, f.Lo, f.Hi = space.Integer, -2, float64(values)
			f.Inputs = []space.Input{{Index: s.Inputs, Scale: 1}}
			s.Inputs++
		}
		if protected {
			for v := range values {
				value := float64(v)
				if f.Kind == space.Real {
					value += r.Float64()
				}
				f.Protected = append(f.Protected, value)
			}
		}
		s.Features = append(s.Features, f)
	}
	for range r.IntN(3) {
		var p space.Predicate
		for _, i := range r.Perm(len(s.Features))[:2] {
			at := r.NormFloat64() * 2
			p = append(p, space.Condition{Feature: i, Interval: space.Interval{Lo: at, Hi: at + 3}})
		}
		s.Forbidden = append(s.Forbidden, p)
	}
	return s
}

// randomIndividual lies in the domain, integers and categories on their steps.
func randomIndividual(r *rand.Rand, s *space.Space) []float64 {
	x := make([]float64, len(s.Features))
	for i := range s.Features {
		f := &s.Features[i]
		if f.Discrete() {
			x[i] = f.Lo + float64(r.IntN(int(f.Hi-f.Lo)+1))
		} else {
			x[i] = f.Lo + r.Float64()*(f.Hi-f.Lo)
		}
	}
	return x
}
