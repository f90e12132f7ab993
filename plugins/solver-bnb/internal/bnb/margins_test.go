package bnb

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/goal"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// A gap of logits that are each off by the plan's error is off by at most Blur, and nearly reaches it.
func TestBlur(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 55))
	for _, n := range []fairness.Notion{fairness.Score, fairness.Logit} {
		farthest := 0.0
		for range 20000 {
			tr := &goal.Margins{Problem: &relax.Problem{Query: &problem.Query{Notion: n}, Error: math.Exp(-20 * r.Float64())}}
			p := 6 * r.NormFloat64()
			q := p - 8*r.Float64()
			if r.IntN(4) == 0 {
				q = -p
			}
			v := n.Between(max(p, q), min(p, q))
			exact := n.Between(max(p, q)+tr.Error*(2*r.Float64()-1), min(p, q)+tr.Error*(2*r.Float64()-1))
			if r.IntN(4) == 0 {
				exact = n.Between(max(p, q)+tr.Error, min(p, q)-tr.Error)
			}
			far := math.Abs(exact-v) - 1e-14*(1+math.Abs(p)+math.Abs(q))
			if far > tr.Blur(v) {
				t.Fatalf("%s: %v and %v are computed, with errors up to %v: the gap may be %v for %v, farther than %v", n, p, q, tr.Error, exact, v, tr.Blur(v))
			}
			farthest = max(farthest, far/tr.Blur(v))
		}
		if farthest < 0.9 {
			t.Errorf("%s: no gap is farther away than %v of what is told", n, farthest)
		}
	}
}

// For gaps with any rounding error, the search finds the largest exactly, and bounds it
// closely.
func TestBlurredGapsAreWeighed(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 55))
	begun := 0
	for i := range tier.Count(12, 160) {
		tr, err := newSearch(latticeOf(r, fairness.Score, 2+r.IntN(4)), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr.Params.RestartAfter, tr.Error = 1, max(tr.Error, 1e-5)
		if end := tr.Run(t.Context(), Limits{}); end != Complete {
			t.Fatalf("question %d ended with %v", i, end)
		}
		if !tr.Restarted { // all of its few individuals were enumerated at once
			continue
		}
		begun++
		largest := 0.0
		told, off := tr.Best, tr.Error
		tr.Best, tr.Error = nil, 0.1
		var best *goal.Incumbent // compares values that are far more blurred
		for x, gap := range gapsOf(tr, tr.Grid.Whole()) {
			largest = max(largest, gap)
			best = tr.Better(best, x[:], &goal.Individual{Asked: true, Value: gap + (2*r.Float64()-1)*tr.Blur(gap+tr.Error)})
		}
		if best == nil || math.Abs(best.Value-largest) > 1e-12 {
			t.Errorf("question %d: by blurred values %+v is the best, %v the largest gap", i, best, largest)
		}
		tr.Best, tr.Error = told, off
		switch {
		case tr.Best == nil || math.Abs(tr.Best.Value-largest) > 1e-12:
			t.Errorf("question %d: %+v is the best, %v the largest gap", i, tr.Best, largest)
		case tr.Bound() < largest-1e-12 || tr.Bound() > largest+2e-10+1.01*3e-8*largest:
			t.Errorf("question %d: %v is the bound, %v the largest gap", i, tr.Bound(), largest)
		}
	}
	if begun < tier.Count(9, 30) {
		t.Errorf("%d searches got to cases", begun)
	}
}
