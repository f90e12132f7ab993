package crosscheck

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// dataRoot finds the public networks, which are no part of the repository.
func dataRoot(t testing.TB) string {
	t.Helper()
	if root := os.Getenv("HYFAIR_DATA"); root != "" {
		return root
	}
	root := filepath.Join("..", "..", "..", "..", "shared", "data")
	if _, err := os.Stat(filepath.Join(root, "adult", "models")); err != nil {
		t.Skipf("%s needs the public networks: set HYFAIR_DATA to the folder that holds adult/models and bank/models", t.Name())
	}
	return root
}

func integers(ranges ...[2]float64) *space.Space {
	s := &space.Space{Inputs: len(ranges)}
	for i, r := range ranges {
		s.Features = append(s.Features, space.Feature{
			Name: fmt.Sprintf("input %d", i), Kind: space.Integer, Lo: r[0], Hi: r[1],
			Inputs: []space.Input{{Index: i, Scale: 1}},
		})
	}
	return s
}

// adult is the domain of the published verification queries, K = 90.
func adult() *space.Space {
	s := integers([2]float64{10, 100}, [2]float64{0, 6}, [2]float64{0, 15}, [2]float64{1, 16}, [2]float64{0, 6},
		[2]float64{0, 13}, [2]float64{0, 5}, [2]float64{0, 4}, [2]float64{0, 1}, [2]float64{0, 19}, [2]float64{0, 19},
		[2]float64{1, 100}, [2]float64{0, 40})
	s.Features[0].Protected = []float64{15, 25, 35, 45, 55, 65, 75, 85, 95}
	s.Features[7].Protected = []float64{0, 1, 2, 3, 4}
	s.Features[8].Protected = []float64{0, 1}
	return s
}

// couples is adult with the constraints that a husband is male and a wife female.
func couples() *space.Space {
	s := adult()
	at := func(feature int, v float64) space.Condition {
		return space.Condition{Feature: feature, Interval: space.Interval{Lo: v, Hi: v}}
	}
	s.Forbidden = []space.Predicate{{at(6, 0), at(8, 0)}, {at(6, 5), at(8, 1)}}
	return s
}

// bank has the two ages 0 and 1, K = 2.
func bank() *space.Space {
	s := integers([2]float64{0, 1}, [2]float64{0, 10}, [2]float64{0, 2}, [2]float64{0, 6}, [2]float64{0, 1},
		[2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 11}, [2]float64{0, 6}, [2]float64{0, 5000},
		[2]float64{-3, 1}, [2]float64{1, 50}, [2]float64{0, 999}, [2]float64{0, 7}, [2]float64{0, 2})
	s.Features[0].Protected = []float64{0, 1}
	return s
}

// individualsVariable names the environment variable that says how many random
// individuals of each of the twenty networks are checked, 50000 for a million.
const individualsVariable = "HYFAIR_CHECK_INDIVIDUALS"

// subject is a public network on the space of the published queries.
type subject struct {
	name, file string
	space      *space.Space
}

// subjects are all of them in the long tier, else one in seven.
func subjects() (out []subject) {
	for i := 1; i <= 12; i++ {
		name := fmt.Sprintf("AC-%d", i)
		out = append(out, subject{name, "adult/models/" + name + ".h5", adult()}, subject{name + "/couples", "adult/models/" + name + ".h5", couples()})
	}
	for i := 1; i <= 8; i++ {
		name := fmt.Sprintf("BM-%d", i)
		out = append(out, subject{name, "bank/models/" + name + ".h5", bank()})
	}
	if tier.Long() {
		return out
	}
	var some []subject
	for i := 0; i < len(out); i += 7 {
		some = append(some, out[i])
	}
	return some
}

func (s *subject) network(t testing.TB, root string) *relu.Network {
	m, _, err := modelfile.Read(filepath.Join(root, s.file), modelfile.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.space.Validate(); err != nil {
		t.Fatal(err)
	}
	return m.(*relu.Network)
}

func (s *subject) individual(r *rand.Rand) []float64 {
	x := make([]float64, len(s.space.Features))
	for j, f := range s.space.Features {
		x[j] = f.Lo + float64(r.IntN(int(f.Hi-f.Lo)+1))
	}
	return x
}

// evaluators are one a variant of the vector loops.
func evaluators(t *testing.T, n *relu.Network, s *space.Space, eps *big.Rat) []*evaluate.Evaluator {
	var out []*evaluate.Evaluator
	for _, kernel := range simd.Kernels() {
		t.Setenv(simd.Variable, kernel)
		e, err := evaluate.New(n, s, space.Region{}, eps)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// TestEvaluatorOnPublicNetworks compares k, gap, entropies and the verdict of
// random individuals with a plain evaluation, copy by copy, that falls back on
// exact arithmetic where float64 might mislead it; for a few individuals it is
// exact from the start. The variants of the vector loops must agree to the last
// bit.
func TestEvaluatorOnPublicNetworks(t *testing.T) {
	root := dataRoot(t)
	individuals := tier.Count(200, 2000)
	if text := os.Getenv(individualsVariable); text != "" {
		var err error
		if individuals, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s=%s: want a number", individualsVariable, text)
		}
	}
	eps := big.NewRat(1, 20)
	for _, sub := range subjects() {
		t.Run(sub.name, func(t *testing.T) {
			n, count := sub.network(t, root), individuals
			if len(sub.space.Forbidden) > 0 {
				count = 100
			}
			r := rand.New(rand.NewPCG(2, uint64(n.Parameters())))
			xs := make([][]float64, count)
			for i := range xs {
				xs[i] = sub.individual(r)
			}
			outs, others := make([]evaluate.Outcome, count), make([]evaluate.Outcome, count)
			for v, e := range evaluators(t, n, sub.space, eps) {
				if v == 0 {
					e.EvaluateAll(xs, outs)
				} else if e.EvaluateAll(xs, others); !slices.Equal(others, outs) {
					t.Errorf("%s and %s differ", e.Kernel(), simd.Kernels()[0])
				}
			}
			ref := newReference(n, sub.space, eps)
			for i, x := range xs {
				ref.compare(t, x, outs[i], i < 10)
			}
		})
	}
}

// TestEvaluatorOnEdges moves the output of each public network so that a copy
// of a random individual gets a logit at an edge between two bins: as near as
// the output's bias can bring it, and one step to either side.
func TestEvaluatorOnEdges(t *testing.T) {
	root := dataRoot(t)
	eps := big.NewRat(1, 20)
	for _, sub := range subjects() {
		t.Run(sub.name, func(t *testing.T) {
			n := sub.network(t, root)
			exact := n.Exact()
			r := rand.New(rand.NewPCG(3, uint64(n.Parameters())))
			bias := &n.Layers[len(n.Layers)-1].Bias[0]
			original := new(big.Rat).SetFloat64(*bias)
			for _, towards := range []float64{0, -100, 100} {
				x := sub.individual(r)
				points := sub.space.Counterfactuals(sub.space.Whole(), x)
				logit := exact.Logit(sub.space.ExactInputs(points[r.IntN(len(points))]))
				edge, _ := fairness.LogitEnclosure(big.NewRat(1+r.Int64N(19), 20))
				target := new(big.Rat).SetFloat64(edge)
				target.Sub(target, logit).Add(target, original)
				*bias, _ = target.Float64()
				if towards != 0 {
					*bias = math.Nextafter(*bias, towards)
				}
				ref := newReference(n, sub.space, eps)
				for _, e := range evaluators(t, n, sub.space, eps) {
					ref.compare(t, x, e.Evaluate(x), true)
				}
			}
		})
	}
}

// reference evaluates one copy after the other.
type reference struct {
	network *relu.Network
	exact   model.Exact
	space   *space.Space
	eps     *big.Rat
	edges   []float64 // the logits of ε, 2ε, …
}

func newReference(n *relu.Network, s *space.Space, eps *big.Rat) *reference {
	r := &reference{network: n, exact: n.Exact(), space: s, eps: eps}
	edge := new(big.Rat)
	for range fairness.Bins(eps) - 1 {
		v, _ := fairness.LogitEnclosure(edge.Add(edge, eps))
		r.edges = append(r.edges, v)
	}
	return r
}

// careful is far more than float64 errs by on these networks.
const careful = 1e-6

// compare fails if an outcome differs from that of the plain evaluation.
func (r *reference) compare(t *testing.T, x []float64, got evaluate.Outcome, exactly bool) {
	t.Helper()
	bins, gap, violates := r.evaluate(x, exactly)
	count, most, shannon := 0, 0, 0.0
	for _, n := range bins {
		count += n
		most = max(most, n)
	}
	for _, n := range bins {
		p := float64(n) / float64(count)
		shannon -= p * math.Log2(p)
	}
	least := math.Log2(float64(count) / float64(most))
	if got.N != count || got.K != len(bins) || got.Violates != violates || math.Abs(got.Gap-gap) > 1e-9 ||
		math.Abs(got.Shannon-shannon) > 1e-9 || math.Abs(got.MinEntropy-least) > 1e-9 {
		t.Fatalf("%v: %+v, want bins %v, gap %v, violates %v, entropies %v and %v", x, got, bins, gap, violates, shannon, least)
	}
}

// evaluate counts the copies by bin.
func (r *reference) evaluate(x []float64, exactly bool) (bins map[int]int, gap float64, violates bool) {
	points := r.space.Counterfactuals(r.space.Whole(), x)
	logits := make([]float64, len(points))
	for i, p := range points {
		logits[i] = r.network.Logit(r.space.NetworkInputs(nil, p))
		for _, edge := range r.edges {
			exactly = exactly || math.Abs(logits[i]-edge) < careful*(1+math.Abs(edge))
		}
	}
	bins = map[int]int{}
	least, most := math.Inf(1), math.Inf(-1)
	for _, l := range logits {
		score := fairness.Sigmoid(l)
		least, most = math.Min(least, score), math.Max(most, score)
		j := 0
		for _, edge := range r.edges {
			if l >= edge {
				j++
			}
		}
		bins[j]++
	}
	eps, _ := r.eps.Float64()
	if !exactly && math.Abs(most-least-eps) > careful {
		return bins, most - least, most-least > eps
	}
	clear(bins)
	exact := make([]*big.Rat, len(points))
	for i, p := range points {
		exact[i] = r.exact.Logit(r.space.ExactInputs(p))
		bins[fairness.LinkSigmoid.Bin(exact[i], r.eps)]++
	}
	gap, _ = fairness.Score.Gap(exact)
	return bins, gap, fairness.Score.Violates(exact, r.eps)
}
