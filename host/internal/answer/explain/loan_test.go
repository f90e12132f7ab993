package explain

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// loan is the loan study with its evaluator.
func loan(t *testing.T) (*study.Study, *evaluate.Evaluator) {
	t.Helper()
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := evaluate.New(st.Model, st.Space, st.Space.Whole(), big.NewRat(1, 20))
	if err != nil {
		t.Fatal(err)
	}
	return st, e
}

// defaults is the command's default configuration.
func defaults(s *space.Space, e Evaluator, around [][]float64) Config {
	return Config{
		Space: s, Region: s.Whole(), Evaluator: e, Bins: 20, Around: around,
		Method: DefaultMethod(), Seed: 1,
	}
}

// worstOf picks among individuals drawn uniformly.
func worstOf(s *space.Space, e *evaluate.Evaluator, seed uint64, draws, n int) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	w := &Worst{}
	for range draws {
		x := uniform(s, rng)
		w.Add(x, e.Evaluate(x))
	}
	return w.Pick(s, n)
}

// uniform draws an individual of a discrete space with an allowed counterfactual.
func uniform(s *space.Space, rng *rand.Rand) []float64 {
	for {
		x := make([]float64, len(s.Features))
		for i := range s.Features {
			if f := &s.Features[i]; !f.IsProtected() {
				x[i] = f.Lo + float64(rng.Int64N(int64(f.Hi-f.Lo)+1))
			}
		}
		if len(s.Counterfactuals(s.Whole(), x)) > 0 {
			return x
		}
	}
}

// The planted cluster of docs/user/loan.md.
const (
	plantedRating = 4.0  // credit_rating at most
	plantedAmount = 12.0 // loan_amount at least
)

// The planted cluster is found from any seed: the first predicate tests the planted
// features only, within one step of the truth. The individuals that it misses have a k no
// larger than those outside the cluster.
func TestPlantedCluster(t *testing.T) {
	st, e := loan(t)
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	rating, _ := st.Space.Index("credit_rating")
	amount, _ := st.Space.Index("loan_amount")
	for seed := int64(1); seed <= 3; seed++ {
		c := defaults(st.Space, e, worstOf(st.Space, e, uint64(seed), 2000, 10))
		c.Seed, c.Rows = seed, data.Points
		r, err := Explain(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Predicates) == 0 {
			t.Fatalf("seed %d: no predicate: %s", seed, r.Nothing)
		}
		p := &r.Predicates[0]
		t.Logf("seed %d: %s", seed, p.Text)
		low, high := math.NaN(), math.NaN()
		for _, cond := range p.Holds {
			switch iv := cond.Interval; {
			case cond.Feature == rating && math.IsInf(iv.Lo, -1):
				low = iv.Hi
			case cond.Feature == amount && math.IsInf(iv.Hi, 1):
				high = iv.Lo
			}
		}
		if len(p.Holds) != 2 || !(math.Abs(low-plantedRating) <= 1) || !(math.Abs(high-plantedAmount) <= 1) {
			t.Errorf("seed %d: %s; want credit_rating <= 4 and loan_amount >= 12, each within one", seed, p.Text)
		}
		if p.Size != 2 || p.Diff < 15 || p.Inside.Mean < 18 || p.Outside.Mean > 3 {
			t.Errorf("seed %d: size %d, k %v inside, %v outside", seed, p.Size, p.Inside, p.Outside)
		}
		if s := p.Support; s == nil || s.Of != len(data.Points) || s.Share < 0.4 || s.Share > 0.7 || *s.KIn < 15 || *s.KOut > 3 {
			t.Errorf("seed %d: support %+v; 57 %% of %d rows are planted", seed, s, len(data.Points))
		}
	}
}

// With the predicate as guardrail, the largest k left is that outside the planted cluster.
// Checked over all 4,920,000 individuals except for purpose and housing, whose twelve pairs
// take turns.
func TestGuardingThePlantedCluster(t *testing.T) {
	tier.NeedUsual(t)
	st, e := loan(t)
	r, err := Explain(t.Context(), defaults(st.Space, e, worstOf(st.Space, e, 1, 2000, 10)))
	if err != nil || len(r.Predicates) == 0 {
		t.Fatal(err, r.Nothing)
	}
	var guards []space.Predicate
	for i := range r.Predicates {
		guards = append(guards, r.Predicates[i].Holds)
	}
	index := func(name string) int {
		i, ok := st.Space.Index(name)
		if !ok {
			t.Fatal(name)
		}
		return i
	}
	rating, amount, purpose, housing := index("credit_rating"), index("loan_amount"), index("purpose"), index("housing")
	var left, rest [][]float64 // not refused; not planted
	turn := 0
	x := make([]float64, len(st.Space.Features))
	var walk func(int)
	walk = func(i int) {
		switch {
		case i == len(x):
			turn++
			x[purpose], x[housing] = float64(turn%4), float64(turn/4%3)
			if !(x[rating] <= plantedRating && x[amount] >= plantedAmount) {
				rest = append(rest, slices.Clone(x))
			}
			if !slices.ContainsFunc(guards, func(p space.Predicate) bool { return p.Holds(x) }) {
				left = append(left, slices.Clone(x))
			}
		case st.Space.Features[i].IsProtected() || i == purpose || i == housing:
			walk(i + 1)
		default:
			f := &st.Space.Features[i]
			for v := f.Lo; v <= f.Hi; v++ {
				x[i] = v
				walk(i + 1)
			}
			x[i] = 0
		}
	}
	walk(0)
	maxK := func(points [][]float64) (k int) {
		out := make([]evaluate.Outcome, batch)
		for part := range slices.Chunk(points, batch) {
			e.EvaluateAll(part, out)
			for i := range part {
				k = max(k, out[i].K)
			}
		}
		return k
	}
	guarded, outside := maxK(left), maxK(rest)
	t.Logf("Max.K %d guarded, %d outside the planted cluster, of %d and %d individuals", guarded, outside, len(left), len(rest))
	if guarded > outside {
		t.Errorf("guarding leaves k = %d; the model has %d outside the planted cluster", guarded, outside)
	}
}

// The intervals keep their promise on independent samples: neighbours from a plain sampler
// of this test, k counted copy by copy from the plain forward pass.
func TestIntervalsFromAFreshSeed(t *testing.T) {
	tier.NeedUsual(t)
	st, e := loan(t)
	means, misses := 0, 0
	for seed := int64(1); seed <= 4; seed++ {
		around := worstOf(st.Space, e, uint64(seed), 500, 3)
		c := defaults(st.Space, e, around)
		c.Seed, c.Samples, c.Growth.Leaf, c.Test = seed, 1000, 10, 1000
		r, err := Explain(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 0x6f74686572))
		for i := range r.Predicates {
			p := &r.Predicates[i]
			for side, printed := range []Mean{p.Inside, p.Outside} {
				sum, n := 0.0, 0
				for n < c.Test {
					if x := neighbour(st.Space, around, DefaultMethod().Spread, rng); p.Holds.Holds(x) == (side == 0) {
						sum, n = sum+plainK(st, x), n+1
					}
				}
				means++
				if mean := sum / float64(n); mean < printed.Low || mean > printed.High {
					misses++
					t.Logf("seed %d, %s, side %d: %v of %d outside %v", seed, p.Text, side, mean, n, printed)
				}
			}
		}
	}
	if means < 8 {
		t.Fatalf("only %d means to check", means)
	}
	if float64(misses) > (1-Confidence)*float64(means) {
		t.Errorf("%d of %d means fall outside", misses, means)
	}
}

// plainK places each copy's logit between the enclosures of the bins' edges.
func plainK(st *study.Study, x []float64) float64 {
	eps := big.NewRat(1, 20)
	seen := map[int]bool{}
	for _, point := range st.Space.Counterfactuals(st.Space.Whole(), x) {
		logit := st.Model.Logit(st.Space.NetworkInputs(make([]float64, st.Space.Inputs), point))
		bin := 0
		for j := 1; j < fairness.Bins(eps); j++ {
			if lo, hi := edge(j, eps); logit >= hi {
				bin = j
			} else if logit > lo {
				bin = fairness.LinkSigmoid.Bin(new(big.Rat).SetFloat64(logit), eps)
				break
			}
		}
		seen[bin] = true
	}
	return float64(len(seen))
}

// edge is fairness.Edge, cached.
func edge(j int, eps *big.Rat) (lo, hi float64) {
	if _, ok := edges[j]; !ok {
		lo, hi := fairness.LinkSigmoid.Edge(j, eps)
		edges[j] = [2]float64{lo, hi}
	}
	return edges[j][0], edges[j][1]
}

var edges = map[int][2]float64{}

// neighbour draws from the distribution in docs/user/explain.md, value by value from probability
// tables.
func neighbour(s *space.Space, around [][]float64, spread float64, rng *rand.Rand) []float64 {
	for {
		x := slices.Clone(around[rng.IntN(len(around))])
		for i := range s.Features {
			f := &s.Features[i]
			if f.IsProtected() {
				x[i] = 0
				continue
			}
			table := marginal(f, x[i], spread)
			at := rng.Float64()
			for v := f.Lo; v <= f.Hi; v++ {
				if at -= table[int(v-f.Lo)]; at < 0 {
					x[i] = v
					break
				}
			}
		}
		if len(s.Counterfactuals(s.Whole(), x)) > 0 {
			return x
		}
	}
}

// marginal is the probability of each value of a discrete feature in a neighbour of an
// individual with value v: ½ for v itself. The other half is uniform over other categories,
// or the rounded normal distribution around v.
func marginal(f *space.Feature, v, spread float64) []float64 {
	table := make([]float64, int(f.Hi-f.Lo)+1)
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	total := 0.0
	for i := range table {
		w := f.Lo + float64(i)
		switch sd := spread * (f.Hi - f.Lo); {
		case w == v:
			continue
		case f.Kind == space.Categorical:
			table[i] = 1
		default:
			// Rejection happens after rounding, so that the end values have full mass.
			table[i] = phi((w+0.5-v)/sd) - phi((w-0.5-v)/sd)
		}
		total += table[i]
	}
	for i := range table {
		table[i] /= 2 * total
	}
	if total == 0 {
		table[int(v-f.Lo)] = 1
	} else {
		table[int(v-f.Lo)] = 0.5
	}
	return table
}
