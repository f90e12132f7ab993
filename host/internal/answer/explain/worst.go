package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

// Worst keeps the individuals with the largest k, a bounded number. The zero value is
// ready. Not safe for concurrent use.
type Worst struct {
	// K is the largest k so far; 0 before the first individual.
	K   int
	all []person
}

type person struct {
	x       []float64
	outcome evaluate.Outcome
}

// maxWorst bounds the individuals kept.
const maxWorst = 4096

// Add adds an individual and reports whether x was kept.
func (w *Worst) Add(x []float64, o evaluate.Outcome) bool {
	if o.K > w.K {
		w.K, w.all = o.K, w.all[:0]
	}
	if o.K < w.K || len(w.all) == maxWorst {
		return false
	}
	w.all = append(w.all, person{x, o})
	return true
}

// Pick chooses at most n different individuals with the largest k. The first has the most even
// distribution over the bins: the largest Shannon entropy, then min-entropy, then gap. Each
// next one has the largest Gower distance, over non-protected features, from those chosen
// before, so that several clusters are represented.
func (w *Worst) Pick(s *space.Space, n int) [][]float64 {
	people := slices.Clone(w.all)
	slices.SortStableFunc(people, func(a, b person) int {
		return cmp.Or(-cmp.Compare(a.outcome.Shannon, b.outcome.Shannon), -cmp.Compare(a.outcome.MinEntropy, b.outcome.MinEntropy),
			-cmp.Compare(a.outcome.Gap, b.outcome.Gap), slices.Compare(s.Canonical(a.x), s.Canonical(b.x)))
	})
	var out [][]float64
	nearest := make([]float64, len(people))
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	for next := 0; len(out) < n && len(people) > 0 && nearest[next] > 0; {
		out = append(out, s.Canonical(people[next].x))
		next = 0
		for i := range people {
			nearest[i] = min(nearest[i], gower(s, people[i].x, out[len(out)-1]))
			if nearest[i] > nearest[next] {
				next = i
			}
		}
	}
	return out
}

// gower is J. C. Gower's distance: the mean over non-protected features of the difference
// relative to the domain, or 1 for different categories.
func gower(s *space.Space, a, b []float64) float64 {
	sum, n := 0.0, 0
	for i := range s.Features {
		switch f := &s.Features[i]; {
		case f.IsProtected():
			continue
		case f.Kind == space.Categorical && a[i] != b[i]:
			sum++
		case f.Kind != space.Categorical && f.Hi > f.Lo:
			sum += math.Abs(a[i]-b[i]) / (f.Hi - f.Lo)
		}
		n++
	}
	return sum / float64(max(1, n))
}
