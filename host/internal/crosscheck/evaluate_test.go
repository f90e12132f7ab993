package crosscheck

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/load"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/network"
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

// couples is adult where a husband is male and a wife female.
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

// TestEvaluatorOnPublicNetworks compares k, gap and the verdict of 1,000 random
// individuals a network with a plain evaluation, copy by copy, that falls back
// on exact arithmetic where float64 might mislead it; for a few individuals it
// is exact from the start.
func TestEvaluatorOnPublicNetworks(t *testing.T) {
	root := dataRoot(t)
	eps := big.NewRat(1, 20)
	check := func(name, model string, s *space.Space, individuals int) {
		t.Run(name, func(t *testing.T) {
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			n, _, err := load.Model(filepath.Join(root, model))
			if err != nil {
				t.Fatal(err)
			}
			e, err := evaluate.New(n, s, space.Region{}, eps)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(2, uint64(len(model)*individuals)+uint64(n.Parameters())))
			xs := make([][]float64, individuals)
			for i := range xs {
				xs[i] = make([]float64, len(s.Features))
				for j, f := range s.Features {
					xs[i][j] = f.Lo + float64(r.IntN(int(f.Hi-f.Lo)+1))
				}
			}
			outs := make([]evaluate.Outcome, len(xs))
			e.EvaluateAll(xs, outs)
			ref := newReference(n, s, eps)
			for i, x := range xs {
				count, k, gap, violates := ref.evaluate(x, i < 10)
				if got := outs[i]; got.N != count || got.K != k || got.Violates != violates || math.Abs(got.Gap-gap) > 1e-9 {
					t.Fatalf("%v: %+v, want N %d, k %d, gap %v, violates %v", x, got, count, k, gap, violates)
				}
			}
		})
	}
	for i := 1; i <= 12; i++ {
		name := fmt.Sprintf("AC-%d", i)
		check(name, "adult/models/"+name+".h5", adult(), 1000)
		check(name+"/couples", "adult/models/"+name+".h5", couples(), 100)
	}
	for i := 1; i <= 8; i++ {
		name := fmt.Sprintf("BM-%d", i)
		check(name, "bank/models/"+name+".h5", bank(), 1000)
	}
}

// reference evaluates one copy after the other.
type reference struct {
	network *network.Network
	exact   *network.Exact
	space   *space.Space
	eps     *big.Rat
	edges   []float64 // the logits of ε, 2ε, …
}

func newReference(n *network.Network, s *space.Space, eps *big.Rat) *reference {
	r := &reference{network: n, exact: network.NewExact(n), space: s, eps: eps}
	edge := new(big.Rat)
	for range fairness.Bins(eps) - 1 {
		v, _ := fairness.LogitEnclosure(edge.Add(edge, eps))
		r.edges = append(r.edges, v)
	}
	return r
}

// careful is far more than float64 errs by on these networks.
const careful = 1e-6

func (r *reference) evaluate(x []float64, exactly bool) (count, k int, gap float64, violates bool) {
	points := r.space.Counterfactuals(r.space.Whole(), x)
	logits := make([]float64, len(points))
	for i, p := range points {
		logits[i] = r.network.Logit(r.space.NetworkInputs(nil, p))
		for _, edge := range r.edges {
			exactly = exactly || math.Abs(logits[i]-edge) < careful*(1+math.Abs(edge))
		}
	}
	bins := map[int]bool{}
	least, most := math.Inf(1), math.Inf(-1)
	for _, l := range logits {
		score := network.Sigmoid(l)
		least, most = math.Min(least, score), math.Max(most, score)
		j := 0
		for _, edge := range r.edges {
			if l >= edge {
				j++
			}
		}
		bins[j] = true
	}
	eps, _ := r.eps.Float64()
	if !exactly && math.Abs(most-least-eps) > careful {
		return len(points), len(bins), most - least, most-least > eps
	}
	exact := make([]*big.Rat, len(points))
	for i, p := range points {
		exact[i] = r.exact.Logit(r.space.ExactInputs(p))
	}
	gap, _ = fairness.Gap(fairness.Score, exact)
	return len(points), fairness.KBins(exact, r.eps), gap, fairness.Violates(fairness.Score, exact, r.eps)
}
