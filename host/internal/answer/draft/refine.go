package draft

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// place is one number of an arrangement that the scores may settle: the scale or the offset of a
// line, of a feature's number or, where entry is a category, of what is 1 for it, else 0.
type place struct {
	feature, input, entry int
	scale                 bool
}

// places lists them; inputs that are 1 for a category, else 0, have none.
func (a *arrangement) places() (out []place) {
	for i := range a.features {
		for j, in := range a.features[i].Inputs {
			entry := -1
			if in.Table != nil {
				if !slices.ContainsFunc(in.Table, func(x float64) bool { return x != 0 && x != 1 }) {
					continue
				}
				entry = slices.Index(in.Table, slices.Max(in.Table))
			}
			out = append(out, place{i, j, entry, true}, place{i, j, entry, false})
		}
	}
	return out
}

// sample are rows in which each category comes up, where it does, and others.
func (a *arrangement) sample() []int {
	rows := a.view.rows
	step := max(1, len(rows)/1500)
	var out []int
	seen := map[*column][]int{}
	for i, row := range rows {
		take := i%step == 0
		for k := range a.features {
			c := a.features[k].from
			if a.features[k].Kind != space.Categorical {
				continue
			}
			if seen[c] == nil {
				seen[c] = make([]int, len(c.texts)+1)
			}
			if at := &seen[c][c.codes[row]+1]; *at < 3 {
				*at++
				take = true
			}
		}
		if take {
			out = append(out, row)
		}
	}
	return out
}

// refine solves the numbers of an arrangement from scores, by Gauss-Newton with Levenberg's
// damping from those that it has.
func (a *arrangement) refine(m model.Differentiable, scores []float64, rounds int) {
	places, gradient := a.places(), m.Gradient()
	n := len(places)
	row1 := make([]float64, n)
	sampled := *a.view
	sampled.rows = a.sample()
	sum := func(with []feature, normal *mat.SymDense, right *mat.VecDense) (loss float64) {
		b := *a
		b.features, b.view = with, &sampled
		s, _ := b.space()
		b.rows(len(sampled.rows), func(row int, point, inputs []float64) {
			logit, slope := gradient(inputs)
			want, weight := scores[row], 1.0
			if m.Link() != fairness.LinkLinear {
				p := min(max(want, 1e-9), 1-1e-9)
				want, weight = math.Log(p/(1-p)), math.Sqrt(p*(1-p))
			}
			off := weight * (want - logit)
			if loss += off * off; normal == nil {
				return
			}
			for i, at := range places {
				f := &s.Features[at.feature]
				g, v := weight*slope[f.Inputs[at.input].Index], point[at.feature]
				switch {
				case !at.scale:
				case at.entry < 0:
					g *= v - a.middle(at.feature)
				case float64(at.entry) != v:
					g = 0
				}
				row1[i] = g
			}
			for i, x := range row1 {
				if x == 0 {
					continue
				}
				right.SetVec(i, right.AtVec(i)+x*off)
				for j := i; j < n; j++ {
					normal.SetSym(i, j, normal.At(i, j)+x*row1[j])
				}
			}
		})
		return loss
	}
	damping := 1e-2
	for range rounds {
		normal, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		loss := sum(a.features, normal, right)
		better := false
		for range 12 {
			damped := mat.NewSymDense(n, nil)
			damped.CopySym(normal)
			for i := range n {
				damped.SetSym(i, i, normal.At(i, i)*(1+damping)+1e-12)
			}
			var c mat.Cholesky
			var step mat.VecDense
			if c.Factorize(damped) && c.SolveVecTo(&step, right) == nil {
				next := a.moved(places, &step)
				if now := sum(next, nil, nil); now < loss {
					better = now < loss*(1-1e-6)
					a.features, damping = next, max(damping/10, 1e-12)
					break
				}
			}
			damping *= 4
		}
		if !better {
			return
		}
	}
}

// middle is where a line turns when its scale is changed.
func (a *arrangement) middle(feature int) float64 {
	f := &a.features[feature]
	if f.Kind == space.Categorical {
		return f.Hi / 2
	}
	return a.view.of[f.from].mean
}

// moved are the features with each number changed by its part of a step.
func (a *arrangement) moved(places []place, step *mat.VecDense) []feature {
	out := slices.Clone(a.features)
	for i := range out {
		out[i].Inputs = slices.Clone(out[i].Inputs)
		for j := range out[i].Inputs {
			out[i].Inputs[j].Table = slices.Clone(out[i].Inputs[j].Table)
		}
	}
	for i, at := range places {
		in, by := &out[at.feature].Inputs[at.input], step.AtVec(i)
		switch {
		case at.entry >= 0 && at.scale:
			in.Table[at.entry] += by
		case at.entry >= 0:
			for k := range in.Table {
				in.Table[k] += by
			}
		case at.scale:
			in.Scale += by
			in.Offset -= by * a.middle(at.feature)
		default:
			in.Offset += by
		}
	}
	return out
}

// known reports that all scores are such as the model gives.
func (a *arrangement) known(m model.Model, scores []float64) bool {
	return m.Link() == fairness.LinkLinear || !slices.ContainsFunc(a.view.rows, func(row int) bool { return !(scores[row] >= 0 && scores[row] <= 1) })
}

// worst is the largest distance between the model's score of a row and that given, over up to so many rows.
func (a *arrangement) worst(m model.Model, scores []float64, upTo int) (most float64) {
	a.rows(upTo, func(row int, _, inputs []float64) {
		most = max(most, math.Abs(score(m, m.Logit(inputs))-scores[row]))
	})
	return most
}
