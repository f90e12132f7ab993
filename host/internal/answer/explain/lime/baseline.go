package lime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Config is one individual to be explained as in the paper's LIME baseline.
type Config struct {
	Model     model.Model
	Space     *space.Space
	Region    space.Region
	Evaluator *evaluate.Evaluator
	// Rows are the rows that LIME samples from; see New.
	Rows [][]float64
	// Individual lies in the space; its protected entries are ignored.
	Individual []float64
	// Samples is the number of samples for each explanation.
	Samples int
	Seed    int64
	// Progress, if not nil, is called after each explanation.
	Progress func(done, total int)
}

// top is the number of features of each explanation that count.
const top = 3

// Baseline is LIME's explanation of an individual: one explanation for each of its
// counterfactuals, and their union and intersection.
type Baseline struct {
	// K is the individual's k; Explanations is the number of its counterfactuals.
	K, Explanations int
	// R2 is the mean of the explanations' R2.
	R2 float64
	// Union holds every feature among the strongest three of any explanation, Intersection
	// those among the strongest three of all.
	Union, Intersection Set
}

// Set is a set of features, and the effect on k of changing each one alone.
type Set struct {
	// Features are in the order of the space.
	Features []Feature
	// Mean and SD (sample standard deviation) are over the K of the features; nil if too
	// few features have a K.
	Mean, SD *float64
}

// Feature is one feature of a Set.
type Feature struct {
	// Index is the feature's index in the space.
	Index int
	// Times counts the explanations with the feature among the strongest three.
	Times int
	// K is the mean k over the feature's other values, all else equal. nil for a protected
	// feature, over which k ranges already, and for one without another value.
	K *float64
}

// stream is the first of the random streams of this package.
const stream = 0x6c696d65 << 32

// Explain computes the baseline. Equal configurations give equal results.
func Explain(ctx context.Context, c Config) (*Baseline, error) {
	e, err := New(c.Space, c.Rows)
	if err != nil {
		return nil, err
	}
	copies := c.Space.Counterfactuals(c.Region, c.Individual)
	if len(copies) == 0 {
		return nil, errors.New("the individual has no counterfactual")
	}
	out := &Baseline{K: c.Evaluator.Evaluate(c.Individual).K, Explanations: len(copies)}
	times := make([]int, len(c.Space.Features))
	score := Score(c.Model, c.Space)
	options := Options{Samples: c.Samples, Features: DefaultFeatures}
	for i, point := range copies {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		random := func() *rand.Rand { return rand.New(rand.NewPCG(uint64(c.Seed), stream+uint64(i))) }
		evaluate.Ahead(c.Model, c.Space, func(yield func([]float64) bool) {
			e.sample(point, c.Samples, random(), func(sample, _ []float64, _ int) { yield(sample) })
		})
		x, err := e.Explain(point, score, options, random())
		if err != nil {
			return nil, fmt.Errorf("counterfactual %d: %w", i, err)
		}
		for _, f := range x.Top(top) {
			times[f]++
		}
		out.R2 += x.R2 / float64(len(copies))
		if c.Progress != nil {
			c.Progress(i+1, len(copies))
		}
	}
	for f, n := range times {
		if n == 0 {
			continue
		}
		feature := Feature{Index: f, Times: n, K: c.otherwise(f)}
		out.Union.Features = append(out.Union.Features, feature)
		if n == len(copies) {
			out.Intersection.Features = append(out.Intersection.Features, feature)
		}
	}
	out.Union.measure()
	out.Intersection.measure()
	return out, nil
}

// Score is a function that computes the model's score at a point of the space.
// It is not safe for concurrent use.
func Score(m model.Model, s *space.Space) func([]float64) float64 {
	inputs := make([]float64, s.Inputs)
	return func(point []float64) float64 {
		inputs = s.NetworkInputs(inputs, point)
		return m.Link().Score(m.Logit(inputs))
	}
}

func (s *Set) measure() {
	var ks []float64
	for _, f := range s.Features {
		if f.K != nil {
			ks = append(ks, *f.K)
		}
	}
	s.Mean, s.SD = statistics.Finite(statistics.Mean(ks)), statistics.Finite(statistics.SD(ks))
}

// otherwise is the mean k over a feature's other values; nil if there is none. Values without a
// counterfactual do not count.
func (c *Config) otherwise(f int) *float64 {
	if c.Space.Features[f].IsProtected() {
		return nil
	}
	var ks []float64
	x := c.Space.Canonical(c.Individual)
	for _, v := range c.values(f) {
		if v == c.Individual[f] {
			continue
		}
		x[f] = v
		if out := c.Evaluator.Evaluate(x); out.N > 0 {
			ks = append(ks, float64(out.K))
		}
	}
	return statistics.Finite(statistics.Mean(ks))
}

// mostValues bounds the values tried of one feature.
const mostValues = 256

// values returns a feature's values in the region if there are at most mostValues, else a
// uniform sample of them.
func (c *Config) values(f int) []float64 {
	iv, discrete := c.Region.Box[f], c.Space.Features[f].Discrete()
	var out []float64
	if discrete && iv.Hi-iv.Lo < mostValues {
		for v := iv.Lo; v <= iv.Hi; v++ {
			out = append(out, v)
		}
		return out
	}
	rng := rand.New(rand.NewPCG(uint64(c.Seed), stream+1<<31+uint64(f)))
	for range mostValues {
		if discrete {
			out = append(out, iv.Lo+float64(rng.Int64N(int64(iv.Hi-iv.Lo)+1)))
		} else {
			out = append(out, iv.Lo+float64((iv.Hi-iv.Lo)*rng.Float64()))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
