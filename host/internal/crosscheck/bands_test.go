package crosscheck

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestBands compares what evaluation and every solver say about the bands of decisions with enumeration by
// the decision rules of the borders: for networks, trees, and trees whose output is a share.
func TestBands(t *testing.T) {
	number, first := environment(t, "HYFAIR_REFEREE", tier.Count(24, 200)), environment(t, "HYFAIR_REFEREE_SEED", 0)
	var panel []*panelist
	for _, name := range []string{"bnb", "highs", "z3", "lpsolve"} {
		s, d := plugintest.Solver(t, name)
		panel = append(panel, &panelist{name: name, solver: s, description: d})
	}
	counts := map[string]int{}
	for seed := first; seed < first+number && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 37))
		q := known.Query(r, fairness.Score)
		switch seed % 3 {
		case 1:
			q.Model = known.Trees(r, q.Space)
		case 2:
			q.Model = known.Shares(r, known.Trees(r, q.Space))
			q.Notion = fairness.Share
		}
		q.Bands = bands(r, q)
		c := &refereed{T: t, q: q, r: r, seed: seed, counts: counts, name: fmt.Sprintf("seed %d, bands %s", seed, q.Bands)}
		c.truth = known.Enumerate(q)
		c.rules()
		s := panel[seed/3%len(panel)]
		if q.TellsCopiesApart() {
			c.refuses(s)
			continue
		}
		c.verdict2(s)
		c.bins(s)
		c.mostBins(s)
		c.extremesOfBands(panel[0])
		c.shares(panel[0])
	}
	gaveBoth(t, panel, counts)
}

// bands draws bands of which most borders are near the scores of individuals.
func bands(r *rand.Rand, q *problem.Query) fairness.Bands {
	var borders []*big.Rat
	for range 1 + r.IntN(5) {
		t := rule(r, q).Threshold
		borders = append(borders, t)
		if r.IntN(4) == 0 { // a band of one point, or nearly so
			borders = append(borders, new(big.Rat).Add(t, big.NewRat(1, 1e12)))
		}
	}
	switch r.IntN(4) {
	case 0:
		borders = append(borders, big.NewRat(1, 1e6))
	case 1:
		borders = append(borders, big.NewRat(1e6-1, 1e6))
	}
	slices.SortFunc(borders, (*big.Rat).Cmp)
	out := fairness.Bands{{Name: "0", Least: new(big.Rat)}}
	for _, b := range borders {
		if b.Cmp(out[len(out)-1].Least) > 0 && b.Cmp(big.NewRat(1, 1)) < 0 {
			out = append(out, fairness.Band{Name: fmt.Sprint(len(out)), Least: b})
		}
	}
	return out
}

// rules holds k against the decisions at the borders, and evaluation against k.
func (c *refereed) rules() {
	e, err := evaluate.NewBanded(c.q.Model, c.q.Space, c.q.Region, c.q.Epsilon, c.q.Bands)
	if err != nil {
		c.Fatalf("%s: %v", c.name, err)
	}
	for _, p := range c.truth.People {
		seen := map[int]bool{}
		for _, l := range p.Logits {
			above := 0
			for j := 1; j < len(c.q.Bands); j++ {
				if c.q.Bands.Rule(j).Yes(c.q.Model.Link(), l) {
					above++
				}
			}
			seen[above] = true
		}
		if p.K != len(seen) || p.Unfair != (len(seen) >= 2) {
			c.wrong("%v has k = %d, unfair %v; its copies are in %d bands", p.X, p.K, p.Unfair, len(seen))
		}
		if o := e.Evaluate(p.X); o.K != p.K || o.Violates != p.Unfair || o.N != len(p.Logits) {
			c.wrong("%v is evaluated to %+v; k is %d", p.X, o, p.K)
		}
	}
	c.counts["people"] += len(c.truth.People)
}

// verdict2 asks whether copies are in two bands.
func (c *refereed) verdict2(s *panelist) {
	o := c.options(s)
	var rep *engine.Report
	if !c.ask("certify by "+s.name, func(ctx context.Context) (err error) {
		rep, err = engine.Run(ctx, c.q, o)
		return err
	}) {
		return
	}
	c.counts[fmt.Sprintf("certify by %s %s", s.name, rep.Verdict)]++
	c.faults(s, "bands", rep.Faults)
	if rep.Verdict == engine.Unfair && c.truth.Unfair == 0 || rep.Verdict == engine.Fair && c.truth.Unfair > 0 && rep.Grade != sdk.GradeNumerical {
		c.wrong("%s, %s, %s: %s, %s; %d are treated unfairly", s.name, o.Encoding, o.Bounds, rep.Verdict, rep.Grade, c.truth.Unfair)
	}
	if w := rep.Witness; w != nil {
		b := c.q.Binning()
		if b.Of(w.Exact1) <= b.Of(w.Exact2) || w.K != b.K(c.q.Logits(c.q.Model.Exact(), w.Copy1)) {
			c.wrong("%s: the witness is in the bands %d and %d, with k = %d", s.name, b.Of(w.Exact1), b.Of(w.Exact2), w.K)
		}
	}
}

// refuses asks about a copy, which no question for bands is about.
func (c *refereed) refuses(s *panelist) {
	if rep, err := engine.Run(c.Context(), c.q, c.options(s)); err == nil {
		c.wrong("%s answered %s about one copy", s.name, rep.Verdict)
	}
	c.counts["about a copy"]++
}

// extremesOfBands asks for the largest and the smallest number of bands.
func (c *refereed) extremesOfBands(s *panelist) {
	lowest := 1 << 30
	for _, p := range c.truth.People {
		lowest = min(lowest, p.K)
	}
	for goal, want := range map[problem.Goal]int{problem.MaxK: c.truth.K, problem.MinK: lowest} {
		q := *c.q
		q.Goal = goal
		var e *engine.Extreme
		if !c.ask(goal.String()+" by "+s.name, func(ctx context.Context) (err error) {
			e, err = engine.Enclose(ctx, &q, engine.Options{Solver: s.solver, Description: s.description, Seed: int64(c.seed), Enumerate: -1}, nil)
			return err
		}) {
			continue
		}
		c.counts[fmt.Sprintf("%s settled %v", goal, e.Settled())]++
		if empty := len(c.truth.People) == 0; len(e.Faults) > 0 || e.Nobody != empty && e.Settled() || !empty && e.Settled() && int(e.Found) != want {
			c.wrong("%s: %+v; it is %d", goal, e, want)
		}
	}
}
