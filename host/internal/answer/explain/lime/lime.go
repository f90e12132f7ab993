// Package lime explains single scores by tabular LIME (M. T. Ribeiro, S. Singh, C.
// Guestrin, "Why should I trust you?": Explaining the predictions of any classifier, KDD
// 2016), as the Python package lime (0.2.0.1) does by default. It computes the paper's LIME
// baseline for Algorithm 2 from such explanations.
//
// As in the package:
//
//   - Integer and real features are cut at the quartiles of the training rows.
//   - Samples draw each feature on its own: a bin or category by its frequency among
//     the training rows, then a number within the bin by the normal distribution with
//     the bin's mean and standard deviation, cut off at the bin's ends. The first
//     sample is the point itself.
//   - The linear model sees a feature as 1 if the bin or category drawn is the
//     point's, else as 0.
//   - A sample weighs √exp(−d²/w²), d the Euclidean distance from the point among
//     these zeros and ones, w = 0.75·√features.
//   - Features are selected by "auto": up to six by forward selection, more by the
//     largest weights of a first fit.
//   - The model is a weighted ridge regression, α = 1, with an intercept that is not
//     penalised. R² is weighted, too.
//
// Differences: integers are rounded before scoring, as a network with a table of inputs is
// undefined between them; a bin whose ends coincide gives that value, whereas the package gives
// 0; random numbers are Go's.
package lime

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

// The package's defaults.
const (
	// DefaultSamples is the number of samples for an explanation.
	DefaultSamples = 5000
	// DefaultFeatures is the number of features that an explanation may use.
	DefaultFeatures = 10

	kernelWidth = 0.75 // × √features
	alpha       = 1    // of the ridge regression
)

// Explainer holds the training rows' distribution. It is read-only and safe for concurrent
// use.
type Explainer struct {
	columns []column
	// kernel is the weight of a sample, by the number of features in which it differs from the point.
	kernel []float64
}

// New takes the training rows, with one entry for each feature of s, protected ones
// included.
func New(s *space.Space, rows [][]float64) (*Explainer, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("LIME needs the study's rows: declare them under its key data")
	}
	e := &Explainer{columns: make([]column, len(s.Features))}
	values := make([]float64, len(rows))
	for i := range s.Features {
		f := &s.Features[i]
		for r, row := range rows {
			switch {
			case len(row) != len(s.Features):
				return nil, fmt.Errorf("row %d has %d values for %d features", r, len(row), len(s.Features))
			case !fits(f, row[i]):
				return nil, fmt.Errorf("row %d: %v is not a value of %s", r, row[i], f.Name)
			}
			values[r] = row[i]
		}
		e.columns[i] = describe(f, slices.Sorted(slices.Values(values)))
	}
	for apart := range len(s.Features) + 1 {
		width := kernelWidth * math.Sqrt(float64(len(s.Features)))
		e.kernel = append(e.kernel, math.Sqrt(math.Exp(-float64(apart)/(width*width))))
	}
	return e, nil
}

// fits reports whether a network is defined at the value, and at the values drawn from its
// bin. Numbers may lie outside the domain unless a table ends there.
func fits(f *space.Feature, v float64) bool {
	table := f.HasTable()
	if f.Kind == space.Categorical || table {
		return f.Contains(v)
	}
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Options are the settings of Explain.
type Options struct {
	// Samples is the number of samples, at least 2.
	Samples int
	// Features bounds the number of features that the explanation uses, at least 1.
	Features int
}

// Explanation is a linear model of the score around one point.
type Explanation struct {
	// Weights by feature: the effect on the score of sharing the point's bin; 0 for
	// features not selected.
	Weights   []float64
	Intercept float64
	// R2 is the share of the weighted variance of the sampled scores that the model explains; 1
	// if there is no variance.
	R2 float64
	// Score is the model's score at the point, Local the linear model's.
	Score, Local float64
}

// Explain explains the score at a point of the space. The same stream of random
// numbers gives the same explanation.
func (e *Explainer) Explain(point []float64, score func([]float64) float64, o Options, rng *rand.Rand) (*Explanation, error) {
	d := len(e.columns)
	if len(point) != d || o.Samples < 2 || o.Features < 1 {
		return nil, fmt.Errorf("LIME: want a point of %d values, at least 2 samples and at least 1 feature; got %d, %d and %d", d, len(point), o.Samples, o.Features)
	}
	out := &Explanation{Score: score(point)}
	m := newMoments(d)
	e.sample(point, o.Samples, rng, func(sample, same []float64, apart int) {
		m.add(same, score(sample), e.kernel[apart])
	})
	r := m.centred()
	f, err := r.fit(r.selected(o.Features), alpha)
	if err != nil {
		return nil, err
	}
	out.Weights, out.Intercept, out.R2 = f.weights, f.intercept, f.r2
	out.Local = out.Intercept
	for _, w := range out.Weights {
		out.Local += w
	}
	return out, nil
}

// sample visits n samples around a point: their values, the linear model's 0-1 features,
// and the number of features that differ from the point. The slices are reused.
func (e *Explainer) sample(point []float64, n int, rng *rand.Rand, visit func(sample, same []float64, apart int)) {
	values, same := slices.Clone(point), make([]float64, len(point))
	for i := range same {
		same[i] = 1
	}
	visit(values, same, 0)
	for range n - 1 {
		apart := 0
		for i := range e.columns {
			c := &e.columns[i]
			v, place := c.draw(rng)
			values[i], same[i] = v, 1
			if place != c.place(point[i]) {
				same[i] = 0
				apart++
			}
		}
		visit(values, same, apart)
	}
}

// Top lists the n features with the largest absolute weights, ties in order.
func (x *Explanation) Top(n int) []int {
	order := bySize(x.Weights)
	return order[:min(n, len(order))]
}

// bySize lists the indices of the weights by descending absolute value.
func bySize(weights []float64) []int {
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(weights[b]), math.Abs(weights[a])) })
	return order
}
