package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// walk is one of the parallel walks. It repeats: seed, global phase, local phase.
type walk struct {
	*terrain
	rng      *rand.Rand
	gradient *evaluate.Gradient
	seeded   int // the walk's number plus its seeds so far; selects the clusters in turn

	x         []float64 // the current individual; nil before a seed
	local     bool      // whether this is the local phase
	iteration int       // number of steps in the phase
	slopes    []float64 // momentum by network input
	best      place     // the best individual since the seed
	weights   []float64 // running sums of the features' weights for perturb; nil if not computed

	evaluations int64
}

// Step moves to the next individual; nil if there is none.
func (w *walk) Step() []float64 {
	if w.x != nil {
		o := w.eval.Evaluate(w.x)
		w.evaluations++
		here := place{w.x, chain.Rank{K: o.K, Shannon: o.Shannon}}
		if d := here.Compare(w.best.Rank); w.best.x == nil || d > 0 || w.local && d == 0 {
			w.best, w.weights = here, nil
		}
		if !w.local {
			if w.iteration++; w.iteration <= w.iterations && o.N > 1 && w.follow(o.ArgMax, o.ArgMin) {
				return w.x
			}
			w.local, w.iteration = w.best.K > 1, 0
		}
	}
	if w.local && w.iteration < w.settings.local && w.perturb() {
		w.iteration++
		return w.x
	}
	w.seed()
	return w.x
}

// attempts bounds the random draws in seed and perturb.
const attempts = 64

// seed restarts at a row of the next cluster, or at a random individual if there are no rows.
func (w *walk) seed() {
	w.local, w.iteration, w.best, w.weights = false, 0, place{}, nil
	clear(w.slopes)
	for range attempts {
		var x []float64
		if len(w.seeds) > 0 {
			rows := w.seeds[w.seeded%len(w.seeds)]
			x = w.domain.Space().Canonical(rows[w.rng.IntN(len(rows))])
		} else {
			x = w.domain.Uniform(w.rng)
		}
		w.seeded++
		if w.welcome(x) {
			w.x = x
			return
		}
	}
	if w.x = w.domain.Uniform(w.rng); !w.welcome(w.x) {
		w.x = nil
	}
}

// follow takes a step along the gradient of the difference between the copies hi and lo.
// It returns false if that leads to no other individual that is welcome.
func (w *walk) follow(hi, lo int) bool {
	for i, s := range w.slope(w.x, hi, lo) {
		w.slopes[i] = float64(w.momentum*w.slopes[i]) + s
	}
	x := slices.Clone(w.x)
	// The tabled feature with the largest gain by first order, and its best value.
	feature, value, most := -1, 0.0, 0.0
	for _, i := range w.domain.Movable() {
		f := &w.domain.Space().Features[i]
		if !tabled(f) {
			if s := f.Slope(w.slopes); s != 0 {
				x[i] = within(w.domain.Interval(i), x[i]+math.Copysign(w.stepOf(i), s))
			}
		} else if v, gain := w.promise(i); gain > most {
			feature, value, most = i, v, gain
		}
	}
	if feature >= 0 {
		x[feature] = value
	}
	if !w.welcome(x) && feature >= 0 {
		x[feature] = w.x[feature]
	}
	if slices.Equal(x, w.x) || !w.welcome(x) {
		return false
	}
	w.x = x
	return true
}

// slope returns the gradient of the difference between two copies' scores with respect to
// the network's inputs, with the slope of the sigmoid that the package comment gives.
func (w *walk) slope(x []float64, hi, lo int) []float64 {
	out := make([]float64, len(w.slopes))
	for _, copied := range []struct {
		combination int
		sign        float64
	}{{hi, 1}, {lo, -1}} {
		logit, slopes := w.gradient.At(x, copied.combination)
		flat := copied.sign / (4 + float64(logit*logit))
		for i, s := range slopes {
			out[i] += float64(flat * s)
		}
	}
	return out
}

// maxPromises bounds the number of values of a feature that are compared.
const maxPromises = 4096

// promise returns the value of feature i that increases the difference most by first
// order, and by how much. gain is 0 if the current value is best.
func (w *walk) promise(i int) (value, gain float64) {
	f, iv := &w.domain.Space().Features[i], w.domain.Interval(i)
	for v := iv.Lo; v <= iv.Hi && v < iv.Lo+maxPromises; v++ {
		if sum := f.Promise(w.slopes, w.x[i], v); sum > gain {
			value, gain = v, sum
		}
	}
	return value, gain
}

// perturb moves to an individual that differs from the best one in one feature. It returns
// false if it finds none that is welcome.
func (w *walk) perturb() bool {
	movable := w.domain.Movable()
	if len(movable) == 0 {
		return false
	}
	if w.weights == nil {
		w.weigh()
	}
	total := w.weights[len(w.weights)-1]
	for range attempts {
		at, _ := slices.BinarySearch(w.weights, float64(w.rng.Float64()*total))
		i := movable[min(at, len(movable)-1)]
		x := slices.Clone(w.best.x)
		x[i] = w.beside(i, x[i])
		if x[i] != w.best.x[i] && w.welcome(x) {
			w.x = x
			return true
		}
	}
	return false
}

// beside draws a value of feature i, perhaps v itself; for an ordered feature, one at most a
// step away from v.
func (w *walk) beside(i int, v float64) float64 {
	f, iv := &w.domain.Space().Features[i], w.domain.Interval(i)
	if f.Kind == space.Categorical {
		return iv.Lo + float64(w.rng.Int64N(int64(iv.Hi-iv.Lo)+1))
	}
	step := w.stepOf(i)
	if f.Discrete() {
		step = float64(1 + w.rng.Int64N(int64(step)))
	} else {
		step *= w.rng.Float64()
	}
	if w.rng.IntN(2) == 0 {
		step = -step
	}
	return within(iv, v+step)
}

// weigh computes the running sums of the features' weights at the best individual. A
// feature is perturbed more often the less its values change the difference over its
// range, to first order.
func (w *walk) weigh() {
	o := w.eval.Evaluate(w.best.x)
	w.evaluations++
	slopes := w.slope(w.best.x, o.ArgMax, o.ArgMin)
	features := w.domain.Space().Features
	effects, most := make([]float64, 0, len(features)), 0.0
	for _, i := range w.domain.Movable() {
		f := &features[i]
		effect := 0.0
		for k := range f.Inputs {
			effect += math.Abs(float64(spread(f, &f.Inputs[k]) * slopes[f.Inputs[k].Index]))
		}
		effect = math.Min(effect, math.MaxFloat64)
		effects, most = append(effects, effect), math.Max(most, effect)
	}
	w.weights = effects
	sum := 0.0
	for i, effect := range effects {
		if most > 0 {
			effect /= most
		}
		sum += 1 / (0.1 + effect) // 0.1 bounds the weight of a feature without effect
		w.weights[i] = sum
	}
}

// spread returns how much an input changes over its feature's domain.
func spread(f *space.Feature, in *space.Input) float64 {
	if in.Table == nil {
		return math.Min(math.Abs(2*float64(in.Scale*(f.Hi/2-f.Lo/2))), math.MaxFloat64)
	}
	return slices.Max(in.Table) - slices.Min(in.Table)
}

// Refuse undoes the last step, to x, which the host refused.
func (w *walk) Refuse(x []float64) {
	if slices.Equal(w.x, x) {
		w.x = nil
	}
}

// Evaluations counts the individuals that the walk has evaluated.
func (w *walk) Evaluations() int64 { return w.evaluations }
