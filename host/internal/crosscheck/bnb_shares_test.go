package crosscheck

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// adultBySex is the question about a network of studies/adult.yaml with sex alone
// protected.
func adultBySex(t testing.TB, model string, notion fairness.Notion, rules ...string) *problem.Query {
	t.Helper()
	st, err := study.Load("../../../studies/adult.yaml", study.Options{DataRoot: dataRoot(t), Model: model, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	s, err := st.Space.Protect("sex")
	if err != nil {
		t.Fatal(err)
	}
	return &problem.Query{Model: st.Model, Space: s, Notion: notion, Epsilon: st.Epsilon, Goal: problem.Quantify}
}

// TestSharesHoldAgainstSamples draws individuals uniformly from the spaces of public networks,
// evaluates them exactly, and compares with solver-bnb's proofs at a limit of boxes: the share of
// discriminated individuals, and the claim of each one's piece. Neither depends on the number of
// threads.
func TestSharesHoldAgainstSamples(t *testing.T) {
	tier.NeedUsual(t)
	dataRoot(t)
	solver, _ := plugintest.Solver(t, "bnb")
	for _, model := range []string{"AC-1", "AC-8"}[:tier.Count(1, 2)] {
		for _, c := range []struct {
			notion fairness.Notion
			rules  string
		}{{fairness.Decision, "all"}, {fairness.Score, "none"}, {fairness.Decision, "none"}}[:tier.Count(2, 3)] {
			t.Run(fmt.Sprintf("%s/%s/rules %s", model, c.notion, c.rules), func(t *testing.T) {
				q := adultBySex(t, model, c.notion, c.rules)
				var pieces []sdk.Piece
				one := quantified(t, solver, q, sdk.SolveOptions{Threads: 1, Pieces: func(list []sdk.Piece) { pieces = append(pieces, list...) }})
				two := quantified(t, solver, q, sdk.SolveOptions{Threads: 2})
				if one.Fair.Cmp(two.Fair) != 0 || one.Unfair.Cmp(two.Unfair) != 0 || one.Boxes != two.Boxes {
					t.Errorf("one thread: fair %v, unfair %v of %d boxes; two: %v, %v of %d", one.Fair, one.Unfair, one.Boxes, two.Fair, two.Unfair, two.Boxes)
				}
				s := newSample(q, 4000)
				s.holds(t, one)
				s.agrees(t, pieces, 200)
			})
		}
	}
}

func quantified(t *testing.T, solver sdk.Solver, q *problem.Query, o sdk.SolveOptions) *sdk.Shares {
	t.Helper()
	o.WorkLimit = 100_000
	r, err := solver.Solve(t.Context(), &problem.Problem{Query: q}, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Shares == nil {
		t.Fatalf("no shares: %+v", r)
	}
	return r.Shares
}

// sample is individuals drawn uniformly and what is true of them.
type sample struct {
	q        *problem.Query
	xs       [][]float64
	violates []bool
	unfair   int
}

func newSample(q *problem.Query, n int) *sample {
	s := &sample{q: q}
	r := rand.New(rand.NewPCG(5, uint64(q.Model.Parameters())))
	exact := q.Model.Exact()
	for len(s.xs) < n {
		x := make([]float64, len(q.Space.Features))
		for _, i := range q.Space.Free() {
			f := &q.Space.Features[i]
			x[i] = f.Lo + float64(r.Int64N(int64(f.Hi-f.Lo)+1))
		}
		copies := q.Space.Counterfactuals(q.Space.Whole(), x)
		if len(copies) == 0 {
			continue // no individual
		}
		v := violates(q, exact, copies)
		if v {
			s.unfair++
		}
		s.xs, s.violates = append(s.xs, x), append(s.violates, v)
	}
	return s
}

// violates decides an individual exactly, for the score and the decision.
func violates(q *problem.Query, exact model.Exact, copies [][]float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range copies {
		l := q.Model.Logit(q.Space.NetworkInputs(nil, p))
		least, most = min(least, l), max(most, l)
	}
	answer, sure := least <= 0 && most > 0, math.Abs(least) > careful && math.Abs(most) > careful
	if q.Notion == fairness.Score {
		eps, _ := q.Epsilon.Float64()
		gap := fairness.Sigmoid(most) - fairness.Sigmoid(least)
		answer, sure = gap > eps, math.Abs(gap-eps) > careful
	}
	if sure {
		return answer
	}
	var logits []*big.Rat
	for _, p := range copies {
		logits = append(logits, exact.Logit(q.Space.ExactInputs(p)))
	}
	return q.Notion.Violates(logits, q.Epsilon)
}

// holds fails if the sampled share is further from the proved interval than
// chance makes it once in a million.
func (s *sample) holds(t *testing.T, proved *sdk.Shares) {
	t.Helper()
	lo, _ := proved.Unfair.Float64()
	hi, _ := new(big.Rat).Sub(big.NewRat(1, 1), proved.Fair).Float64()
	n := float64(len(s.xs))
	share := float64(s.unfair) / n
	margin := func(p float64) float64 { return 5 * math.Sqrt(p*(1-p)/n) }
	if lo > hi || share < lo-margin(lo) || share > hi+margin(hi) {
		t.Errorf("%d of %d sampled individuals are discriminated against; proved is a share of %v to %v", s.unfair, len(s.xs), lo, hi)
	}
	t.Logf("sampled %.4f in [%.4f, %.4f] after %d boxes", share, lo, hi, proved.Boxes)
}

// agrees fails unless each of the first n individuals lies in one piece, whose
// claim is true of it.
func (s *sample) agrees(t *testing.T, pieces []sdk.Piece, n int) {
	t.Helper()
	free := s.q.Space.Free()
	for i, x := range s.xs[:n] {
		found := 0
		for p := range pieces {
			if !inside(pieces[p].Box, free, x) {
				continue
			}
			found++
			switch claim := pieces[p].Claim; {
			case claim == sdk.PieceOutside, claim == sdk.PieceFair && s.violates[i], claim == sdk.PieceUnfair && !s.violates[i]:
				t.Errorf("%v lies in the %s piece %v, but it violates: %v", x, claim, pieces[p].Box, s.violates[i])
			}
		}
		if found != 1 {
			t.Errorf("%v lies in %d pieces", x, found)
		}
	}
}

func inside(b space.Box, free []int, x []float64) bool {
	for _, i := range free {
		if !b[i].Contains(x[i]) {
			return false
		}
	}
	return true
}
