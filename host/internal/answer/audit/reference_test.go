package audit

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// slow computes an audited person from the definitions, on exact logits and by
// its own enumeration.
type slow struct {
	c     Config
	exact model.Exact
	known map[string]evaluated // by point
	edges []*big.Rat           // below and above the logit of each edge between bins
}

// evaluated has a point's exact logit, the bin of its score, and the score in
// float64.
type evaluated struct {
	logit *big.Rat
	bin   int
	score float64
}

func newSlow(c Config) *slow {
	s := &slow{c: c, exact: c.Model.Exact(), known: map[string]evaluated{}}
	for j := 1; j < fairness.Bins(c.Epsilon); j++ {
		lo, hi := fairness.LogitEnclosure(new(big.Rat).Mul(c.Epsilon, big.NewRat(int64(j), 1)))
		s.edges = append(s.edges, new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi))
	}
	return s
}

// bin looks a logit up among the edges, and asks where it lies within one.
func (s *slow) bin(logit *big.Rat) int {
	at, exact := slices.BinarySearchFunc(s.edges, logit, (*big.Rat).Cmp)
	if exact || at%2 == 1 {
		return fairness.LinkSigmoid.Bin(logit, s.c.Epsilon)
	}
	return at / 2
}

func (s *slow) at(point []float64) evaluated {
	var key string
	for _, v := range point {
		key += strconv.FormatFloat(v, 'g', -1, 64) + " "
	}
	e, ok := s.known[key]
	if !ok {
		e.logit = s.exact.Logit(s.c.Space.ExactInputs(point))
		e.bin = s.bin(e.logit)
		v, _ := e.logit.Float64()
		e.score = fairness.Sigmoid(v)
		s.known[key] = e
	}
	return e
}

// copies lists the allowed points that differ from row in the given features,
// each of which takes its listed values and row's own.
func (s *slow) copies(row []float64, features []int) [][]float64 {
	points := [][]float64{slices.Clone(row)}
	for _, f := range features {
		values := map[float64]bool{row[f]: true}
		for _, v := range s.c.Region.Values[f] {
			values[v] = true
		}
		var next [][]float64
		for _, point := range points {
			for v := range values {
				other := slices.Clone(point)
				other[f] = v
				next = append(next, other)
			}
		}
		points = next
	}
	return slices.DeleteFunc(points, func(p []float64) bool { return !s.c.Space.Allowed(p) })
}

// about computes the definitions over some copies.
type about struct {
	n, k     int
	lo, hi   float64 // around the gap
	unfair   bool
	yes, no  int
	shannon  float64
	least    float64 // min-entropy
	sum      float64 // of the scores
	min, max float64 // the extreme scores
}

func (s *slow) about(points [][]float64) about {
	a := about{n: len(points)}
	bins := map[int]float64{}
	var most, least evaluated
	for i, p := range points {
		e := s.at(p)
		if i == 0 || e.logit.Cmp(most.logit) > 0 {
			most = e
		}
		if i == 0 || e.logit.Cmp(least.logit) < 0 {
			least = e
		}
		bins[e.bin] += 1 / float64(len(points))
		if e.logit.Sign() > 0 {
			a.yes++
		} else {
			a.no++
		}
		a.sum += e.score
	}
	a.k = len(bins)
	largest := 0.0
	for _, share := range bins {
		a.shannon -= share * math.Log2(share)
		largest = max(largest, share)
	}
	a.least = -math.Log2(largest)
	a.min, a.max = least.score, most.score
	logits := []*big.Rat{least.logit, most.logit}
	if a.unfair = fairness.Score.Violates(logits, s.c.Epsilon); s.c.Notion != 0 {
		a.unfair = s.c.Notion.Violates(logits, s.c.Limit)
	}
	a.lo, a.hi = fairness.Score.Gap(logits)
	return a
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

// check compares a person with the definitions.
func (s *slow) check(t failer, row []float64, p *Person) {
	t.Helper()
	protected := s.c.Space.Protected()
	all := s.about(s.copies(row, protected))
	own := s.at(row)
	if p.N != all.n || p.K != all.k || p.Unfair != all.unfair || p.Gap < all.lo-1e-6 || p.Gap > all.hi+1e-6 {
		t.Fatalf("%v: n = %d, k = %d, gap %v, unfair %v; want %d, %d, %v, %v", row, p.N, p.K, p.Gap, p.Unfair, all.n, all.k, all.hi, all.unfair)
	}
	if !near(p.Shannon, all.shannon) || !near(p.MinEntropy, all.least) {
		t.Fatalf("%v: entropies %v and %v, want %v and %v", row, p.Shannon, p.MinEntropy, all.shannon, all.least)
	}
	if p.Positive != (own.logit.Sign() > 0) || !near(p.Score, own.score) {
		t.Fatalf("%v: score %v, positive %v; want %v", row, p.Score, p.Positive, own.score)
	}
	if want := all.yes > 0 && all.no > 0; p.Flips != want {
		t.Fatalf("%v: flips %v, want %v", row, p.Flips, want)
	}
	for _, end := range []struct {
		copy *Copy
		want float64
	}{{&p.High, all.max}, {&p.Low, all.min}} {
		point := slices.Clone(row)
		for n, f := range protected {
			point[f] = end.copy.Z[n]
		}
		if got := s.at(point).score; !near(got, end.want) || !near(end.copy.Score, end.want) || !s.c.Space.Allowed(point) {
			t.Fatalf("%v: extreme %v with score %v, want %v", row, end.copy.Z, end.copy.Score, end.want)
		}
	}
	for n, f := range protected {
		points := s.copies(row, []int{f})
		line, e := s.about(points), &p.Effects[n]
		name := s.c.Space.Features[f].Name
		if e.N != len(points) || e.K != line.k || e.Unfair != line.unfair || e.Gap < line.lo-1e-6 || e.Gap > line.hi+1e-6 {
			t.Fatalf("%v, %s: %+v; want k = %d, gap %v, unfair %v", row, name, *e, line.k, line.hi, line.unfair)
		}
		if want := line.yes > 0 && line.no > 0; e.Flips != want {
			t.Fatalf("%v, %s: flips %v, want %v", row, name, e.Flips, want)
		}
		if !near(e.BestScore, line.max) || !near(e.WorstScore, line.min) {
			t.Fatalf("%v, %s: from %v to %v, want %v to %v", row, name, e.WorstScore, e.BestScore, line.min, line.max)
		}
		for v, want := range map[float64]float64{e.Best: e.BestScore, e.Worst: e.WorstScore} {
			point := slices.Clone(row)
			point[f] = v
			if e.Best != e.Worst && !near(s.at(point).score, want) {
				t.Fatalf("%v, %s = %v: score %v, said to be %v", row, name, v, s.at(point).score, want)
			}
		}
		advantage := 0.0
		if n := float64(len(points)); n > 1 {
			advantage = own.score - (line.sum-own.score)/(n-1)
		}
		if !near(e.Advantage, advantage) {
			t.Fatalf("%v, %s: advantage %v, want %v", row, name, e.Advantage, advantage)
		}
	}
}

// checkOrder: every row once, the worst-treated first.
func checkOrder(t *testing.T, r *Outcome, rows int) {
	t.Helper()
	seen := map[int]bool{}
	for i := range r.People {
		p := &r.People[i]
		seen[p.Index] = true
		if i == 0 {
			continue
		}
		if q := &r.People[i-1]; q.K < p.K || q.K == p.K && q.Gap < p.Gap || q.K == p.K && q.Gap == p.Gap && q.Index > p.Index {
			t.Errorf("row %d (k = %d, gap %v) comes before row %d (k = %d, gap %v)", q.Index, q.K, q.Gap, p.Index, p.K, p.Gap)
		}
	}
	if total := len(seen) + len(r.Skipped) + r.Excluded + r.Unreached; total != rows || len(seen) != len(r.People) {
		t.Errorf("%d different of %d people, %d skipped, %d excluded, %d unreached of %d rows", len(seen), len(r.People), len(r.Skipped), r.Excluded, r.Unreached, rows)
	}
}
