package diff

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/joint"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// drawn is a question about a model drawn for the space, with a threshold half of the time.
func drawn(t *testing.T, r *rand.Rand, s *space.Space) *question.Question {
	var m model.Model = known.Network(r, s.Inputs)
	if r.IntN(2) == 0 {
		m = known.Trees(r, s)
		if r.IntN(3) == 0 {
			m = shares(known.Trees(r, s))
		}
	}
	st := &study.Study{Model: m, ModelPath: "drawn", Space: s}
	if r.IntN(2) == 0 {
		var err error
		if st.Rule.Threshold, err = fairness.ParseThreshold([]string{"0.3", "2/3", "0.999", "0.000001"}[r.IntN(4)]); err != nil {
			t.Fatal(err)
		}
		st.Rule.At = r.IntN(2) == 0
	}
	return &question.Question{Study: st, Space: s, Region: s.Whole()}
}

// shares returns trees whose sum is a share.
func shares(e *trees.Ensemble) *trees.Ensemble {
	out := &trees.Ensemble{Columns: e.Columns, Output: fairness.LinkShare, Base: -fairness.Half}
	for _, t := range e.Trees {
		t = slices.Clone(t)
		for i := range t {
			if t[i].IsLeaf() {
				t[i].Value = math.Round(4+4*math.Sin(1000*t[i].Value)) / 8 / float64(len(e.Trees))
			}
		}
		out.Trees = append(out.Trees, t)
	}
	return out
}

// TestJointQuestions holds questions about two models against both models' exact logits, for every individual, and
// what the solver proves of them against the count.
func TestJointQuestions(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	proved, mixed, moved, forests, banded := 0, 0, 0, 0, 0
	for seed := range tier.Count(60, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 44))
		s := known.Space(r)
		old, new := drawn(t, r, s), drawn(t, r, s)
		n := []fairness.Notion{fairness.Decision, fairness.Logit, fairness.Score}[r.IntN(3)]
		n = old.Study.Model.Link().Notion(n)
		if n == fairness.Decision && r.IntN(2) == 0 {
			bands, err := fairness.ParseBands([]string{"A=0.8,B=0.6,C=0.4,D=0", "A=0.999999,B=0.5,C=0.000001,D=0"}[r.IntN(2)])
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []*question.Question{old, new} {
				q.Study.Bands, q.Study.Rule = bands, fairness.Rule{}
			}
		}
		var epsilon *big.Rat
		if n.UsesEpsilon() {
			epsilon = known.Epsilon(r)
		} else if old.Study.Bands != nil {
			epsilon = study.DefaultEpsilon()
		}
		q, apart, err := joint.Of(old, new, n, epsilon)
		if err != nil {
			continue // a share and none, numbers too small for a threshold, or no space
		}
		judge := individual.NewJudge(q)
		a, b := old.Study.Model.Exact(), new.Study.Model.Exact()
		before, now := individual.New(old.Study.Model, s, old.Study.Rule), individual.New(new.Study.Model, s, new.Study.Rule)
		var all, changed int64
		for x := range q.Space.Individuals(q.Region.Box) {
			if !s.Allowed(x[:len(x)-1]) {
				if got := judge.Of(x); got != individual.Outside {
					t.Fatalf("seed %d: %v, which a constraint forbids, is %v", seed, x, got)
				}
				continue
			}
			point := x[:len(x)-1]
			logits := []*big.Rat{a.Logit(s.ExactInputs(point)), b.Logit(s.ExactInputs(point))}
			want := n.UsesEpsilon() && q.Violates(logits)
			if n == fairness.Decision {
				_, first := before.At(point)
				_, second := now.At(point)
				want = first != second
			}
			if bands := old.Study.Bands; n == fairness.Decision && bands != nil {
				first, second := old.Study.Model.Link().Binning(nil, bands), new.Study.Model.Link().Binning(nil, bands)
				if want = first.Of(logits[0]) != second.Of(logits[1]); want {
					banded++
				}
			}
			all++
			if want {
				changed++
			}
			if got := judge.Of(x); (got == individual.Unfair) != want {
				t.Fatalf("seed %d, %s: %v is %v, want changed %v (logits %v)", seed, n, x, got, want, logits)
			}
		}
		if changed > 0 && changed < all {
			moved++
		}
		if apart != "" {
			mixed++
			continue
		}
		rep, err := quantify.Run(t.Context(), q, quantify.Options{Solver: solver, Description: description})
		if errors.Is(err, sdk.ErrUnsupported) {
			continue // weights that no solver in floating point takes
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(rep.Faults) > 0 {
			t.Errorf("seed %d: %v", seed, rep.Faults)
		}
		if all > 0 && rep.Complete && (rep.Unfair.Cmp(big.NewRat(changed, all)) != 0 || rep.Undecided.Sign() != 0) {
			t.Errorf("seed %d, %s: proved that %v change, and %d of %d do", seed, n, rep.Unfair, changed, all)
		}
		if rep.Complete {
			proved++
			if old.Study.Model.Link() == fairness.LinkShare {
				forests++
			}
		}
	}
	if banded == 0 {
		t.Error("nobody's band changes")
	}
	if forests == 0 {
		t.Error("nothing was proved of shares")
	}
	if least := tier.Count(10, 200); proved < least || mixed < least || moved < least*3/4 {
		t.Errorf("%d proved, %d of two families, %d with some who change", proved, mixed, moved)
	}
}
