package draft

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// place is one number of an arrangement that the scores may settle: the scale or the offset of a
// line, or an entry of a table.
type place struct{ feature, input, entry int }

const (
	theScale  = -2
	theOffset = -1
)

// places lists them; inputs that are 1 for a category, else 0, are none.
func (a *arrangement) places() (out []place) {
	for i := range a.features {
		for j, in := range a.features[i].Inputs {
			if in.Table == nil {
				out = append(out, place{i, j, theScale}, place{i, j, theOffset})
			}
			if slices.ContainsFunc(in.Table, func(x float64) bool { return x != 0 && x != 1 }) {
				for k := range in.Table {
					out = append(out, place{i, j, k})
				}
			}
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
	sum := func(with []feature, normal *mat.SymDense, right *mat.VecDense) (loss float64) {
		b := *a
		b.features = with
		s, _ := b.space()
		b.rows(1500, func(row int, point, inputs []float64) {
			logit, slope := gradient(inputs)
			want, weight := scores[row], 1.0
			if m.Link() != model.Identity {
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
				case at.entry == theScale:
					g *= v - a.middle(at.feature)
				case at.entry >= 0 && float64(at.entry) != v:
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
		switch at.entry {
		case theScale:
			in.Scale += by
			in.Offset -= by * a.middle(at.feature)
		case theOffset:
			in.Offset += by
		default:
			in.Table[at.entry] += by
		}
	}
	return out
}

// known reports that all scores are such as the model gives.
func (a *arrangement) known(m model.Model, scores []float64) bool {
	return m.Link() == model.Identity || !slices.ContainsFunc(a.view.rows, func(row int) bool { return !(scores[row] >= 0 && scores[row] <= 1) })
}

// worst is the largest distance between the model's score of a row and that given, over all rows.
func (a *arrangement) worst(m model.Model, scores []float64) (most float64) {
	a.rows(math.MaxInt32, func(row int, _, inputs []float64) {
		most = max(most, math.Abs(score(m, m.Logit(inputs))-scores[row]))
	})
	return most
}
