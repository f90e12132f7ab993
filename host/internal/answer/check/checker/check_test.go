package checker

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// randomNetwork has hidden layers of the given widths, and one logit.
func randomNetwork(r *rand.Rand, widths []int) *relu.Network {
	head := relu.HeadSigmoid
	if r.IntN(3) == 0 {
		head = relu.HeadSoftmax
	}
	single := func() float64 { return float64(float32(r.NormFloat64())) }
	n := known.Dense(head, single, single, widths...)
	n.Precision = 32
	return n
}

// randomStatement is about a tiny network: a few integer, categorical and, if reals is set,
// real features, one or two protected ones, and sometimes constraints. The caller sets the
// claim.
func randomStatement(r *rand.Rand, notion fairness.Notion, reals bool) *certificate.Statement {
	s := &space.Space{}
	affine := func() space.Input {
		s.Inputs++
		return space.Input{Index: s.Inputs - 1, Scale: float64(r.IntN(9)-4) / 4, Offset: r.NormFloat64()}
	}
	oneHot := func(n int) (out []space.Input) {
		for k := range n {
			s.Inputs++
			table := make([]float64, n)
			table[k] = 1
			out = append(out, space.Input{Index: s.Inputs - 1, Table: table})
		}
		return out
	}
	age := space.Feature{Name: "age", Kind: space.Integer, Lo: -3, Hi: float64(3 + r.IntN(4)), Inputs: []space.Input{affine(), affine()}}
	job := space.Feature{Name: "job", Kind: space.Categorical, Hi: 3, Categories: []string{"a", "b", "c", "d"}, Inputs: oneHot(4)}
	sex := space.Feature{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{affine()}}
	s.Features = []space.Feature{age, sex, job}
	if r.IntN(2) == 0 {
		s.Features = append(s.Features, space.Feature{Name: "race", Kind: space.Integer, Lo: 1, Hi: 9, Protected: []float64{1, 3, 12}, Inputs: []space.Input{affine()}})
	}
	if reals {
		s.Features = append(s.Features, space.Feature{Name: "income", Kind: space.Real, Lo: -0.7, Hi: 2.3, Inputs: []space.Input{affine()}})
	}
	if r.IntN(2) == 0 {
		s.Forbidden = []space.Predicate{{{Feature: 1, Set: []int{1}}, {Feature: 2, Set: []int{0, 3}}}}
	}
	widths := []int{s.Inputs}
	for range r.IntN(4) {
		widths = append(widths, 2+r.IntN(3))
	}
	st := &certificate.Statement{
		Network: randomNetwork(r, widths), Space: s, Notion: notion, Epsilon: big.NewRat(1, 20),
		Claim: certificate.Claim{Kind: certificate.Gap, Bound: new(big.Rat)},
	}
	if r.IntN(2) == 0 {
		st.Region = s.Whole()
		st.Region.Box[0] = space.Interval{Lo: -1, Hi: 3}
	}
	if r.IntN(3) == 0 {
		st.Forbid = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 2, Hi: math.Inf(1)}}}}
	}
	return st
}

// above is a decimal a little above v.
func above(v float64) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprintf("%.6f", math.Max(v, 1e-3)+2e-6))
	return r
}

// largest is an upper bound, nearly tight, of the largest gap or margin, by enumeration.
func largest(st *certificate.Statement) float64 {
	most := math.Inf(-1)
	individuals(st, func(_ []float64, logits []*big.Rat) {
		_, hi := st.Notion.Gap(logits)
		most = math.Max(most, hi)
	})
	return most
}

// TestProofsAreAccepted: certificates of every kind from the reference prover are accepted.
func TestProofsAreAccepted(t *testing.T) {
	for seed := range uint64(12) {
		for _, notion := range fairness.Notions {
			for _, reals := range []bool{false, true} {
				r := rand.New(rand.NewPCG(seed, uint64(notion)))
				st := randomStatement(r, notion, reals)
				name := fmt.Sprintf("seed %d, %s, reals %v", seed, notion, reals)

				// The bound that six cuts reach.
				leaves, reached := prove(r, st, math.Inf(-1), 6)
				st.Claim.Bound = above(reached)
				if why := judge(t, write(t, st, leaves)); why != "" {
					t.Fatalf("%s: a bound: %s", name, why)
				}
				if reals {
					continue
				}
				// Nearly the largest gap itself.
				most := above(largest(st))
				if !notion.UsesEpsilon() {
					most = above(math.Max(0, largest(st)))
				}
				limit, _ := most.Float64()
				leaves, _ = prove(r, st, limit-slack, -1)
				st.Claim.Bound = most
				if why := judge(t, write(t, st, leaves)); why != "" {
					t.Fatalf("%s: the largest: %s", name, why)
				}
				if notion.UsesEpsilon() && most.Cmp(big.NewRat(1, 1)) < 0 {
					st.Epsilon, st.Claim = most, certificate.Claim{Kind: certificate.Fair}
					if why := judge(t, write(t, st, leaves)); why != "" {
						t.Fatalf("%s: fair: %s", name, why)
					}
				}
			}
		}
	}
}

// TestDecisionsThatNobodyChanges raises the logits above 0, where decisions are fair by
// every notion.
func TestDecisionsThatNobodyChanges(t *testing.T) {
	for seed := range uint64(10) {
		for _, notion := range []fairness.Notion{fairness.Decision, fairness.DecisionStrict} {
			r := rand.New(rand.NewPCG(seed, 2))
			st := randomStatement(r, notion, seed%2 == 0)
			st.Claim = certificate.Claim{Kind: certificate.Fair}
			logit := 0.0
			for _, c := range copies(st, newReach(st), st.RegionOrWhole().Box) {
				logit = math.Min(logit, c.Logit.Lo)
			}
			last := &st.Network.Layers[len(st.Network.Layers)-1]
			last.Bias[len(last.Bias)-1] += 1 - logit
			leaves, _ := prove(r, st, 0, 8)
			if why := judge(t, write(t, st, leaves)); why != "" {
				t.Fatalf("seed %d, %s: %s", seed, notion, why)
			}
		}
	}
}

// TestBinsAreAccepted: the exact largest k is accepted.
func TestBinsAreAccepted(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		st := randomStatement(r, fairness.Score, false)
		st.Claim = certificate.Claim{Kind: certificate.MaxK, K: 1}
		individuals(st, func(_ []float64, logits []*big.Rat) {
			st.Claim.K = max(st.Claim.K, fairness.LinkSigmoid.KBins(logits, st.Epsilon))
		})
		leaves, _ := prove(r, st, float64(st.Claim.K), -1)
		if why := judge(t, write(t, st, leaves)); why != "" {
			t.Fatalf("seed %d, k = %d: %s", seed, st.Claim.K, why)
		}
		if st.Claim.K--; st.Claim.K > 0 {
			if why := judge(t, write(t, st, leaves)); why == "" {
				t.Fatalf("seed %d: accepted with k = %d, which is too low", seed, st.Claim.K)
			}
		}
	}
}

// TestFalseClaimsAreRefused claims slightly less than the truth, with leaves without any
// proof.
func TestFalseClaimsAreRefused(t *testing.T) {
	for seed := range uint64(15) {
		for _, notion := range fairness.Notions {
			r := rand.New(rand.NewPCG(seed, uint64(notion)+10))
			st := randomStatement(r, notion, false)
			most := largest(st)
			if math.IsInf(most, 0) || most <= 1e-9 {
				continue
			}
			whole := []*certificate.Leaf{{Box: st.RegionOrWhole().Box, Enumerated: true}}
			for _, c := range []struct {
				by    float64
				right bool
			}{{1e-12, true}, {-1e-12, false}} {
				st.Claim.Bound.SetFloat64(most + c.by)
				if got := holds(st); got != c.right {
					t.Fatalf("seed %d, %s: the referee says %v of %v%+g", seed, notion, got, most, c.by)
				}
				if why := judge(t, write(t, st, whole)); (why == "") != c.right {
					t.Errorf("seed %d, %s: the largest is %v, claimed %+g: %q", seed, notion, most, c.by, why)
				}
			}
		}
	}
}
