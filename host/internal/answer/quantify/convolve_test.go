package quantify

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/quantify/affine"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// sums asks about n numbers from 0 to 1000 and a sex: a woman's logit is about their mean divided by 1000, less ½, and a
// man's is ¼ more.
func sums(n int) *problem.Query {
	s, l := &space.Space{Inputs: n + 1}, relu.Layer{In: n + 1, Out: 1, Bias: []float64{-0.5}}
	for i := range n {
		s.Features = append(s.Features, space.Feature{Name: fmt.Sprint("x", i), Kind: space.Integer, Hi: 1000, Inputs: []space.Input{{Index: i, Scale: 1}}})
		l.Weights = append(l.Weights, (0.9+0.2*float64(i)/float64(n))*0.001/float64(n))
	}
	s.Features = append(s.Features, space.Feature{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: n, Scale: 1}}})
	l.Weights = append(l.Weights, 0.25)
	net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{l}}
	return &problem.Query{Model: net, Space: s, Region: s.Whole(), Notion: fairness.Decision, Goal: problem.Quantify}
}

// TestConvolved: of a linear model, a solver is started only for few individuals, pieces and what convolution leaves
// open.
func TestConvolved(t *testing.T) {
	lost, started := &fake{err: sdk.ErrPluginExited}, 0
	start := func(o *Options) error {
		started++
		o.Solver, o.Description = lost, description()
		return nil
	}
	for n, q := range map[int]*problem.Query{3: sums(3), 50: sums(50)} { // 10⁹ and 10¹⁵⁰ individuals
		rep, err := Run(t.Context(), q, Options{Start: start, Samples: 2000, Seed: 1})
		if err != nil || !rep.Convolved || rep.Grade != sdk.GradeRigorous || len(rep.Faults) > 0 {
			t.Fatalf("%d features: convolved %v, %v open, faults %v, %v", n, rep.Convolved, rep.Undecided, rep.Faults, err)
		}
		if count := new(big.Int).Exp(big.NewInt(1001), big.NewInt(int64(n)), nil); rep.Individuals.Cmp(count) != 0 {
			t.Errorf("%d features: %v individuals, not %v", n, rep.Individuals, count)
		}
		open, _ := rep.Undecided.Float64()
		if share := rep.Sampled.Share(); open > 1e-3 || share < 0.3 {
			t.Errorf("%d features: %v are open, and %v of a sample unfair", n, open, share)
		}
		shares := rep.Shares()
		if shares.ProvedBy != Convolution || shares.Discriminated == nil {
			t.Errorf("%d features: %+v", n, shares)
		}
		var out strings.Builder
		if err := (&Result{Shares: shares, NoRows: "none"}).Document().Write(&out, "table", view.Options{}); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, "without a solver") || strings.Contains(text, "boxes") {
			t.Errorf("%d features: %s", n, text)
		}
		if _, err := Run(t.Context(), q, Options{Solver: lost, Description: description()}); err == nil {
			t.Errorf("%d features: the solver was not asked", n)
		}
	}
	if started > 0 {
		t.Error("a solver was started")
	}
	q := sums(3)
	if _, err := Run(t.Context(), q, Options{Start: start, Pieces: func([]sdk.Piece) error { return nil }}); err == nil {
		t.Error("pieces: the solver was not asked")
	}
	q.Region.Box[0].Hi, q.Region.Box[1].Hi = 10, 10
	if _, err := Run(t.Context(), q, Options{Start: start}); err == nil {
		t.Error("few individuals: the solver was not asked")
	}
}

// TestCombined: of two proofs the better bounds count, and together they must not prove more than everything.
func TestCombined(t *testing.T) {
	for name, c := range map[string]struct {
		fair, unfair float64
		wantUnfair   *big.Rat
		grade        sdk.Grade
		fault        bool
	}{
		"worse":      {0.25, 0.125, big.NewRat(1, 4), sdk.GradeExact, false},
		"better":     {0.25, 0.5, big.NewRat(1, 2), sdk.GradeRigorous, false},
		"impossible": {0.875, 0.125, new(big.Rat), 0, true},
	} {
		r := &run{report: &Report{Fair: big.NewRat(1, 4), Unfair: big.NewRat(1, 4), Grade: sdk.GradeExact}}
		r.combine(&affine.Shares{Fair: c.fair, Unfair: c.unfair})
		if r.report.Unfair.Cmp(c.wantUnfair) != 0 || r.report.Grade != c.grade || (len(r.report.Faults) > 0) != c.fault {
			t.Errorf("%s: %+v", name, r.report)
		}
	}
}
