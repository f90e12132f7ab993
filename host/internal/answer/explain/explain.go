// Package explain finds the conditions on non-protected features under which a network
// becomes sensitive to protected ones: the paper's Algorithm 2. It samples neighbours of
// the worst-treated individuals and grows a decision tree that separates those with the
// largest k. The paths to its high leaves, simplified and tested on fresh samples, are the
// explanation. docs/user/explain.md is for users.
package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// Evaluator is the part of evaluate.Evaluator that Explain needs.
type Evaluator interface {
	EvaluateAll(xs [][]float64, out []evaluate.Outcome)
}

// Config is the input of Explain.
type Config struct {
	Space  *space.Space
	Region space.Region
	// Evaluator computes k; Bins is the largest k that its ε allows.
	Evaluator Evaluator
	Bins      int
	// Around are the worst-treated individuals: in the region, at least one.
	Around [][]float64
	// People is the population of coverages, besides all individuals; nil: none.
	People *population.Population
	// Note receives notes for the user.
	Note func(format string, args ...any)
	// Rows are individuals of real data, for the support of predicates; they may lie
	// outside the domains. nil: no data.
	Rows [][]float64

	Method
	Seed int64

	// Progress, if not nil, receives the name of the step that begins.
	Progress func(string)
}

// Method holds the parameters of Algorithm 2.
type Method struct {
	// Samples is the number n of neighbours that the tree is grown from.
	Samples int `json:"samples"`
	// Quantile of the sampled k that high neighbours reach at least.
	Quantile float64 `json:"quantile"`
	// Delta is the least amount by which the mean k inside a kept predicate exceeds that outside;
	// nil: Sample.delta.
	Delta *float64 `json:"delta,omitempty"`
	// Test is the number of fresh neighbours on either side of a predicate.
	Test int `json:"test"`
	// Spread is Cloud.Spread.
	Spread float64 `json:"spread"`
	Growth
	// Alpha is the pruning cost per leaf; nil: chosen by cross-validation.
	Alpha *float64 `json:"alpha,omitempty"`
}

// DefaultMethod holds the defaults of hyfair explain.
func DefaultMethod() Method {
	return Method{Samples: 5000, Quantile: 0.95, Test: 2000, Spread: 0.25, Growth: Growth{Depth: 8, Leaf: 20}}
}

// Explanation is the result of Explain.
type Explanation struct {
	// Sample describes the samples that the tree was grown from.
	Sample Sample
	// Predicates are those kept, by descending coverage of high samples; Rejected are the
	// candidates that failed the test.
	Predicates []Predicate
	Rejected   []Predicate
	// Tree is the pruned tree and Alpha its pruning cost; nil if no tree was grown.
	Tree  *Node
	Alpha float64
	// Delta is the least difference of means that a predicate had to reach.
	Delta float64
	// Nothing says why no predicate was kept; empty if one was.
	Nothing string
}

// Sample describes the neighbours that a tree is grown from.
type Sample struct {
	// The number of neighbours.
	N int `json:"n"`
	// The number of individuals around which they were drawn.
	Around int `json:"around"`
	// The least k.
	KLeast int `json:"k_least"`
	// The largest k.
	KMost int `json:"k_most"`
	// The mean of k.
	KMean float64 `json:"k_mean"`
	// The least k that counts as high.
	Threshold int `json:"threshold"`
	// The number of neighbours with a high k.
	High int `json:"high"`
}

// delta is a meaningful difference of means for these neighbours: 3, as in the paper, or a
// quarter of the range of k if less. With two copies k is 1 or 2, and means cannot be 3
// apart.
func (s *Sample) delta() float64 { return min(3, float64(s.KMost-s.KLeast)/4) }

// Predicate is a path of the tree, simplified and tested.
type Predicate struct {
	// The predicate as text, such as "hours-per-week >= 40 and marital-status != Married-civ-spouse".
	Text string `json:"text"`
	// The predicate in the form of a rules file.
	Conditions []guard.Condition `json:"conditions"`
	// The number of conjuncts. A range with two ends counts as two.
	Size int `json:"size"`
	// k of fresh neighbours for which the predicate holds (K in tables).
	Inside Mean `json:"k_in"`
	// k of fresh neighbours for which it does not hold (Pert.K in tables).
	Outside Mean `json:"k_out"`
	// The mean inside less the mean outside.
	Diff float64 `json:"diff"`
	// The share of neighbours with a high k among those for which the predicate holds.
	Purity float64 `json:"purity"`
	// The share of all neighbours with a high k that the predicate covers.
	Recall float64 `json:"recall"`
	// The part of the space that the predicate covers.
	Coverage Coverage `json:"coverage"`
	// The share of the population's people in the region for whom the predicate holds; absent without a population, and
	// without people in the region.
	Plausible *Plausible `json:"plausible,omitempty"`
	// The rows of the study's data for which the predicate holds; null without data.
	Support *Support `json:"support"`
	// Bounds proved for all individuals inside the predicate, with --bound.
	Floor *Proved `json:"floor,omitempty"`
	// The reason why the predicate was rejected.
	Rejected string `json:"rejected,omitempty"`

	// Holds is the predicate itself.
	Holds space.Predicate `json:"-"`
}

// Support counts a predicate's rows in real data. Only rows that are individuals of the
// space count.
type Support struct {
	// The number of rows for which the predicate holds.
	Rows int `json:"rows"`
	// The number of rows in the space.
	Of int `json:"of"`
	// rows divided by of; 0 without rows.
	Share float64 `json:"share"`
	// The mean k of these rows; null without any.
	KIn *float64 `json:"k_in"`
	// The mean k of the other rows; null without any.
	KOut *float64 `json:"k_out"`
}

// Plausible is a share among people drawn from a population, of those that constraints allow.
type Plausible struct {
	// The share of the people drawn.
	Share float64 `json:"share"`
	// The lower end of the 95 % Clopper-Pearson interval of the population's share.
	Lo float64 `json:"lo"`
	// The upper end of the interval.
	Hi float64 `json:"hi"`
	// The number of people drawn.
	N int `json:"n"`
}

// Streams of random numbers, one for each purpose.
const (
	streamSample = 0x73616d706c65
	streamTest   = 0x74657374
)

// Explain runs Algorithm 2. Equal configurations give equal results on every machine. The
// error concerns the configuration or is ctx's.
func Explain(ctx context.Context, c Config) (*Explanation, error) {
	e := &explainer{Config: c, cloud: &Cloud{Space: c.Space, Region: c.Region, Around: c.Around, Spread: c.Spread}}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if c.Bins < 1 {
		return nil, fmt.Errorf("%d bins: want at least 1", c.Bins)
	}
	if e.Progress == nil {
		e.Progress = func(string) {}
	}
	return e.run(ctx)
}

// Validate checks the ranges of the parameters.
func (m *Method) Validate() error {
	switch {
	case m.Samples < 2:
		return fmt.Errorf("%d samples: want at least 2", m.Samples)
	case m.Test < 2:
		return fmt.Errorf("%d samples to test with: want at least 2", m.Test)
	case !(m.Quantile > 0 && m.Quantile < 1):
		return fmt.Errorf("quantile %v: want a number above 0 and below 1", m.Quantile)
	case !(m.Spread > 0) || math.IsInf(m.Spread, 0):
		return fmt.Errorf("spread %v: want a finite number above 0", m.Spread)
	case m.Delta != nil && math.IsNaN(*m.Delta):
		return fmt.Errorf("delta %v: want a number", *m.Delta)
	case m.Depth < 1 || m.Leaf < 1:
		return fmt.Errorf("depth %d, leaf %d: want at least 1 for both", m.Depth, m.Leaf)
	case m.Alpha != nil && !(*m.Alpha >= 0):
		return fmt.Errorf("alpha %v: want 0 or more", *m.Alpha)
	}
	return nil
}

type explainer struct {
	Config
	cloud *Cloud
	// points are the neighbours, ks their k and high their labels.
	points [][]float64
	ks     []float64
	high   []bool
	// least and most bound k over the region; delta is Explanation.Delta.
	least, most, delta float64
	rowKs              []rowK
	people             [][]float64 // drawn from Config.People
}

// rowK is a row of the data and its k.
type rowK struct {
	point []float64
	k     float64
}

func (e *explainer) run(ctx context.Context) (*Explanation, error) {
	if err := e.cloud.check(); err != nil {
		return nil, err
	}
	e.Progress(fmt.Sprintf("%d neighbours", e.Samples))
	rng := rand.New(rand.NewPCG(uint64(e.Seed), streamSample))
	var err error
	if e.points, err = e.cloud.Sample(rng, e.Samples, e.Samples, nil); err != nil {
		return nil, err
	}
	if e.ks, err = e.evaluate(ctx, e.points); err != nil {
		return nil, err
	}
	r := &Explanation{Sample: e.label(e.ks)}
	if r.Delta = r.Sample.delta(); e.Delta != nil {
		r.Delta = *e.Delta
	}
	e.delta = r.Delta
	if r.Sample.High == 0 {
		r.Nothing = fmt.Sprintf("all %d neighbours have k = %d: there is nothing to explain", r.Sample.N, r.Sample.KLeast)
		return r, nil
	}
	e.Progress("decision tree")
	full := Grow(e.Space, e.points, e.high, e.Growth)
	if e.Alpha != nil {
		r.Alpha = *e.Alpha
	} else {
		r.Alpha = ChooseAlpha(e.Space, e.points, e.high, e.Growth, full, uint64(e.Seed))
	}
	r.Tree = Prune(full, r.Alpha)
	candidates := e.candidates(r.Tree)
	if len(candidates) == 0 {
		r.Nothing = "pruning removed the entire tree: no condition separates high neighbours from others"
		return r, nil
	}
	if err := e.support(ctx); err != nil {
		return nil, err
	}
	if e.People != nil {
		e.people = e.People.Sample(ctx, e.Region.Box, drawnPeople, e.Seed, e.cloud.lives)
		if len(e.people) == 0 && ctx.Err() == nil {
			e.Note("no share of plausible people: none of those drawn (%s) is in the space asked about", e.People)
		}
	}
	for i, p := range candidates {
		e.Progress(fmt.Sprintf("testing predicate %d of %d", i+1, len(candidates)))
		tested, err := e.test(ctx, p, i)
		if err != nil {
			return nil, err
		}
		if tested.Rejected == "" {
			r.Predicates = append(r.Predicates, tested)
		} else {
			r.Rejected = append(r.Rejected, tested)
		}
	}
	if len(r.Predicates) == 0 {
		r.Nothing = fmt.Sprintf("none of %d predicates passed the test", len(candidates))
	}
	return r, nil
}

// batch is the number of individuals evaluated between two checks of the context.
const batch = 4096

// evaluate computes k of each point.
func (e *explainer) evaluate(ctx context.Context, points [][]float64) ([]float64, error) {
	ks := make([]float64, 0, len(points))
	out := make([]evaluate.Outcome, min(batch, len(points)))
	for part := range slices.Chunk(points, batch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.Evaluator.EvaluateAll(part, out)
		for i := range part {
			ks = append(ks, float64(out[i].K))
		}
	}
	return ks, nil
}

// label labels neighbours high if k ≥ the quantile and k > the least k. The quantile is the least
// k that at least the share Quantile of the sample does not exceed.
func (e *explainer) label(ks []float64) Sample {
	sorted := slices.Sorted(slices.Values(ks))
	threshold := sorted[max(0, int(math.Ceil(e.Quantile*float64(len(sorted))))-1)]
	if threshold == sorted[0] {
		threshold++ // k > the least
	}
	s := Sample{
		N: len(ks), Around: len(e.Around), KLeast: int(sorted[0]), KMost: int(sorted[len(sorted)-1]), KMean: statistics.Mean(ks), Threshold: int(threshold),
	}
	e.high = make([]bool, len(ks))
	for i, k := range ks {
		if e.high[i] = k >= threshold; e.high[i] {
			s.High++
		}
	}
	copies, _ := e.Space.MaxCounterfactuals(e.Region)
	e.least, e.most = 1, float64(max(1, min(copies, e.Bins)))
	return s
}

// candidates returns the tree's simplified paths to high leaves, by descending number of
// covered high samples. A path contained in another is dropped.
func (e *explainer) candidates(tree *Node) []space.Predicate {
	var all []space.Predicate
	for _, p := range paths(tree, e.Space) {
		if p = e.trim(p); len(p) > 0 {
			p = e.trim(simplify(generalise(e.Space, p, e.points, e.ks), e.points, e.ks))
			slices.SortFunc(p, func(a, b space.Condition) int { return a.Feature - b.Feature })
			all = append(all, p)
		}
	}
	var out []space.Predicate
	for i, p := range all {
		redundant := slices.ContainsFunc(all[:i], func(q space.Predicate) bool { return within(p, q, e.Space) }) ||
			slices.ContainsFunc(all[i+1:], func(q space.Predicate) bool { return within(p, q, e.Space) && !within(q, p, e.Space) })
		if !redundant {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(p, q space.Predicate) int {
		_, a := e.count(p)
		_, b := e.count(q)
		return b - a
	})
	return out
}

// trim drops the conditions that hold everywhere in the region.
func (e *explainer) trim(p space.Predicate) space.Predicate {
	var out space.Predicate
	for _, c := range p {
		iv := e.Region.Box[c.Feature]
		if f := &e.Space.Features[c.Feature]; f.Kind == space.Categorical {
			all := true
			for v := range f.Categories {
				all = all && (!iv.Contains(float64(v)) || c.Holds(float64(v)))
			}
			if all {
				continue
			}
		} else {
			if c.Interval.Lo <= iv.Lo {
				c.Interval.Lo = math.Inf(-1)
			}
			if c.Interval.Hi >= iv.Hi {
				c.Interval.Hi = math.Inf(1)
			}
			if math.IsInf(c.Interval.Lo, -1) && math.IsInf(c.Interval.Hi, 1) {
				continue
			}
			if f.Missing && iv.Hi < f.Hi { // the region excludes missing values
				c.Interval.Hi = min(c.Interval.Hi, f.Numbers().Hi)
			}
		}
		out = append(out, c)
	}
	return out
}

// count counts the samples where p holds, and the high ones among them.
func (e *explainer) count(p space.Predicate) (n, high int) {
	for i, x := range e.points {
		if p.Holds(x) {
			n++
			if e.high[i] {
				high++
			}
		}
	}
	return n, high
}
