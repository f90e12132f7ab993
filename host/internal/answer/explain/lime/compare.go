package lime

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Comparison compares this LIME with the package's. Rankings are of all features by
// absolute weight; their agreement is C. Spearman's rank correlation.
type Comparison struct {
	// The Python interpreter.
	Python string `json:"python"`
	// The version of the package lime.
	Version string `json:"version"`
	// The number of counterfactuals that both explained.
	Points int `json:"points"`
	// The number of samples of each explanation.
	Samples int `json:"samples"`
	// The mean of Spearman's rank correlation of all features by size of weight.
	Spearman float64 `json:"spearman"`
	// The median of that correlation.
	Median float64 `json:"spearman_median"`
	// The least of that correlation.
	Least float64 `json:"spearman_least"`
	// The mean correlation of this LIME with itself under another seed: the sampling noise.
	Again float64 `json:"spearman_again"`
	// The mean number of features among the strongest three of both.
	Top3 float64 `json:"top3"`
	// The mean R² of this LIME.
	R2 float64 `json:"r2"`
	// The mean R² of the package.
	ReferenceR2 float64 `json:"reference_r2"`
}

// Compare explains points of the space by this LIME and by the package, and compares the
// results. python is the interpreter that FindReference returned.
func Compare(ctx context.Context, python string, m model.Model, s *space.Space, rows, points [][]float64, samples int, seed int64) (*Comparison, error) {
	if len(points) == 0 {
		return nil, errors.New("no points to explain: want at least one")
	}
	e, err := New(s, rows)
	if err != nil {
		return nil, err
	}
	theirs, err := runReference(ctx, python, m, s, rows, points, samples, seed)
	if err != nil {
		return nil, err
	}
	out := &Comparison{Python: python, Version: theirs.Version, Points: len(points), Samples: samples}
	score, options := Score(m, s), Options{Samples: samples, Features: len(s.Features)}
	var agree []float64
	share := 1 / float64(len(points))
	for i, point := range points {
		var ours [2]*Explanation
		for again := range ours {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rng := rand.New(rand.NewPCG(uint64(seed), stream+1<<30+uint64(2*i+again)))
			if ours[again], err = e.Explain(point, score, options, rng); err != nil {
				return nil, err
			}
		}
		reference := Explanation{Weights: theirs.Weights[i]}
		agree = append(agree, spearman(ours[0].Weights, reference.Weights))
		out.Again += share * spearman(ours[0].Weights, ours[1].Weights)
		out.R2 += share * ours[0].R2
		out.ReferenceR2 += share * theirs.R2[i]
		for _, f := range ours[0].Top(top) {
			if slices.Contains(reference.Top(top), f) {
				out.Top3 += share
			}
		}
	}
	slices.Sort(agree)
	out.Spearman, out.Median, out.Least = statistics.Mean(agree), statistics.Quantile(agree, 0.5), agree[0]
	return out, nil
}

// spearman is the rank correlation of two lists of weights by absolute value; ties share
// ranks. A list of equal weights has no ranking: the result is 1 if both are such lists, 0
// if one is.
func spearman(a, b []float64) float64 {
	x, y := sizeRanks(a), sizeRanks(b)
	mx, my := statistics.Mean(x), statistics.Mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	switch {
	case xx == 0 && yy == 0:
		return 1
	case xx == 0 || yy == 0:
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func sizeRanks(weights []float64) []float64 {
	sizes := make([]float64, len(weights))
	for i, w := range weights {
		sizes[i] = math.Abs(w)
	}
	return statistics.Ranks(sizes)
}
