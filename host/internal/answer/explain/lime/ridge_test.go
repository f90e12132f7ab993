package lime

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// samples are the data of a regression.
type samples struct {
	x      [][]float64
	y, w   []float64
	fitted *regression
}

func drawSamples(t *rapid.T) *samples {
	d := rapid.IntRange(1, 8).Draw(t, "d")
	binary := rapid.Bool().Draw(t, "binary")
	rng := random(rapid.Uint64().Draw(t, "seed"))
	s := &samples{}
	m := newMoments(d)
	for range rapid.IntRange(2, 60).Draw(t, "n") {
		x := make([]float64, d)
		for i := range x {
			if x[i] = rng.NormFloat64(); binary {
				x[i] = float64(rng.IntN(2))
			}
		}
		if d > 2 {
			x[d-1] = x[0] + x[1] // a linear combination
		}
		if d > 4 {
			x[2] = 1 // constant
		}
		y, w := 5+rng.NormFloat64()+x[0], 0.1+rng.Float64()
		s.x, s.y, s.w = append(s.x, x), append(s.y, y), append(s.w, w)
		m.add(x, y, w)
	}
	s.fitted = m.centred()
	return s
}

// left is a model's weighted residuals, and its R² by definition.
func (s *samples) left(f *fitted) (residuals []float64, r2 float64) {
	var sumW, sumY, square, total float64
	for i, w := range s.w {
		sumW += w
		sumY += w * s.y[i]
	}
	for i, x := range s.x {
		r := s.y[i] - f.intercept
		for k, b := range f.weights {
			r -= b * x[k]
		}
		residuals = append(residuals, s.w[i]*r)
		square += s.w[i] * r * r
		total += s.w[i] * (s.y[i] - sumY/sumW) * (s.y[i] - sumY/sumW)
	}
	return residuals, 1 - square/total
}

// At the fit the derivatives of the objective vanish, by the intercept and by the weight of
// each used feature. The objective is convex, so the fit is its minimum. Unused features
// have weight 0.
func TestFitIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSamples(t)
		features := rapid.Permutation(s.fitted.all()).Draw(t, "order")
		features = features[:rapid.IntRange(0, len(features)).Draw(t, "used")]
		alpha := rapid.SampledFrom([]float64{0, 0.01, 1, 30}).Draw(t, "alpha")
		f, err := s.fitted.fit(features, alpha)
		if err != nil {
			t.Fatal(err)
		}
		residuals, r2 := s.left(f)
		sum := 0.0
		slopes := make([]float64, len(f.weights))
		for i, r := range residuals {
			sum += r
			for k, x := range s.x[i] {
				slopes[k] += r * x
			}
		}
		const tiny = 1e-6
		if math.Abs(sum) > tiny {
			t.Errorf("residuals sum to %v", sum)
		}
		for k, b := range f.weights {
			if used := slices.Contains(features, k); used && math.Abs(slopes[k]-alpha*b) > tiny || !used && b != 0 {
				t.Errorf("feature %d, used %v: derivative %v, weight %v", k, used, slopes[k]-alpha*b, b)
			}
		}
		if math.Abs(f.r2-r2) > tiny {
			t.Errorf("R² is %v, by its definition %v", f.r2, r2)
		}
	})
}

// Forward selection takes the candidate whose fit gains most, up to rounding.
func TestForwardSelection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSamples(t)
		order := s.fitted.forward(6)
		if len(order) != min(6, s.fitted.d) {
			t.Fatalf("%d features selected of %d", len(order), s.fitted.d)
		}
		r2 := func(features []int) float64 {
			f, err := s.fitted.fit(features, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, r2 := s.left(f)
			return r2
		}
		for n, f := range order {
			got := r2(order[:n+1])
			for other := range s.fitted.d {
				if !slices.Contains(order[:n], other) && r2(append(slices.Clone(order[:n]), other)) > got+1e-6 {
					t.Errorf("%d was selected after %v; %d explains more", f, order[:n], other)
				}
			}
		}
	})
}
