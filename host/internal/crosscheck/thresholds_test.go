package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// TestThresholds compares decisions at thresholds other than ½, of all or by group, with enumeration by the rule itself: the
// model that a study makes for them, the audit, and every solver's verdicts and shares.
func TestThresholds(t *testing.T) {
	tier.NeedUsual(t)
	number, first := environment(t, "HYFAIR_REFEREE", tier.Count(60, 400)), environment(t, "HYFAIR_REFEREE_SEED", 0)
	var panel []*panelist
	for _, name := range []string{"bnb", "highs", "z3", "lpsolve"} {
		s, d := plugintest.Solver(t, name)
		panel = append(panel, &panelist{name: name, solver: s, description: d})
	}
	counts := map[string]int{}
	for seed := first; seed < first+number && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		q := known.Query(r, fairness.Decision)
		switch seed % 3 {
		case 1:
			q.Model = known.Trees(r, q.Space)
		case 2:
			forest := known.Trees(r, q.Space)
			q.Model = known.Lacking(forest, q.Space)
			known.Shares(r, forest)
		}
		if _, ok := q.Model.(model.Lowering); !ok {
			t.Fatalf("%T knows no threshold", q.Model)
		}
		st := &study.Study{Model: q.Model, Space: q.Space, Rule: rule(r, q)}
		unseen := r.IntN(2) == 0 && byGroup(r, q, &st.Rule)
		decided, err := st.Decided()
		if unseen && errors.Is(err, model.ErrAlike) {
			counts["unseen"]++
			continue
		}
		if err != nil {
			counts["refused"]++
			continue
		}
		if !st.Rule.IsDefault() {
			q.Scored = q.Model
		}
		base := q.Model
		q.Model = decided
		c := &refereed{T: t, q: q, truth: known.Enumerate(q), r: r, seed: seed, counts: counts}
		c.name = fmt.Sprintf("seed %d, a score %s", seed, st.Rule)
		c.decides(base, st.Rule)
		c.verdict(panel[seed/3%len(panel)])
		c.shares(panel[0])
	}
	gaveBoth(t, panel, counts)
	if counts["refused"] > number/10 {
		t.Errorf("%d of %d models know no threshold", counts["refused"], number)
	}
}

// rule draws a rule, most often one whose threshold is near the score of an individual.
func rule(r *rand.Rand, q *problem.Query) (out fairness.Rule) {
	out.At = r.IntN(3) == 0
	if out.Threshold = known.Epsilon(r); r.IntN(3) > 0 {
		people := known.Enumerate(q).People
		if len(people) > 0 {
			logits := people[r.IntN(len(people))].Logits
			l, _ := logits[r.IntN(len(logits))].Float64()
			text := fmt.Sprintf("%.*f", 1+r.IntN(18), q.Model.Link().Score(l))
			out.Threshold, _ = new(big.Rat).SetString(text)
		}
	}
	if out.Threshold == nil || out.Threshold.Sign() <= 0 || out.Threshold.Cmp(big.NewRat(1, 1)) >= 0 {
		out.Threshold = big.NewRat(3, 10)
	}
	return out
}

// byGroup makes the thresholds of a rule depend on one or two protected features. It reports whether the model may not see them.
func byGroup(r *rand.Rand, q *problem.Query, to *fairness.Rule) (unseen bool) {
	features := q.Space.Protected()
	features = features[:1+r.IntN(len(features))]
	var all func(in []fairness.Having, left []int)
	all = func(in []fairness.Having, left []int) {
		if len(left) == 0 {
			to.Groups = append(to.Groups, fairness.Group{Name: fmt.Sprint(len(to.Groups)), In: in, Threshold: rule(r, q).Threshold})
			return
		}
		f := &q.Space.Features[left[0]]
		unseen = unseen || len(f.Inputs) == 0
		for v := f.Lo; v <= f.Hi; {
			from, next := v, v+1+float64(r.IntN(2))
			all(append(slices.Clip(in), fairness.Having{Feature: f.Name, Holds: func(v float64) bool { return v >= from && v < next }}), left[1:])
			v = next
		}
	}
	all(nil, features)
	return unseen
}

// decides compares the model of the rule, and an audit of all people, with the rule.
func (c *refereed) decides(base model.Model, rule fairness.Rule) {
	exact, flips := base.Exact(), map[string]bool{}
	var rows [][]float64
	yes := map[string]bool{}
	for _, p := range c.truth.People {
		var all []bool
		for _, point := range c.q.Space.Counterfactuals(c.q.Region, p.X) {
			of := rule.Of(func(name string) float64 { i, _ := c.q.Space.Index(name); return point[i] })
			is := rule.Each()[of].Yes(base.Link(), exact.Logit(c.q.Space.ExactInputs(point)))
			all, yes[fmt.Sprint(point)] = append(all, is), is
			rows = append(rows, point)
		}
		unfair := false
		for _, is := range all {
			unfair = unfair || is != all[0]
		}
		if unfair != p.Unfair {
			c.wrong("%v is treated unfairly: %v, by the model of the rule: %v", p.X, unfair, p.Unfair)
		}
		flips[fmt.Sprint(c.q.Space.Canonical(p.X))] = unfair
	}
	config := audit.Config{Model: base, Space: c.q.Space, Region: c.q.Region, Epsilon: big.NewRat(1, 20), Notion: fairness.Decision, Rule: rule}
	if rule.Groups == nil {
		config.Thresholds = []*big.Rat{big.NewRat(1, 1000), rule.Threshold}
	}
	out, err := audit.Run(context.Background(), config, rows)
	if err != nil {
		c.Fatalf("%s: %v", c.name, err)
	}
	for _, p := range out.People {
		row := rows[p.Index]
		if want := flips[fmt.Sprint(c.q.Space.Canonical(row))]; p.Positive != yes[fmt.Sprint(row)] || p.Flips != want || p.Unfair != want {
			c.wrong("%v: the audit says positive %v, flips %v, unfair %v; want %v and %v", row, p.Positive, p.Flips, p.Unfair, yes[fmt.Sprint(row)], want)
		}
	}
	if c.counts["people"] += len(out.People); len(out.Skipped) > 0 {
		c.wrong("%d rows are skipped", len(out.Skipped))
	}
	if c.counts["thresholds by group"] += len(rule.Groups); rule.Groups != nil {
		return
	}
	want := audit.Threshold{Threshold: fairness.FormatRat(rule.Threshold)}
	for _, row := range rows {
		is, flip := yes[fmt.Sprint(row)], flips[fmt.Sprint(c.q.Space.Canonical(row))]
		if is {
			want.Positive++
		}
		switch {
		case flip && is:
			want.ToNo++
		case flip:
			want.ToYes++
		}
	}
	want.Flips, want.Gain, want.Lose = want.ToYes+want.ToNo, want.ToYes, want.ToNo
	if n := float64(len(rows)); n > 0 {
		want.PositiveShare, want.FlipsShare, want.GainShare, want.LoseShare = float64(want.Positive)/n, float64(want.Flips)/n, float64(want.Gain)/n, float64(want.Lose)/n
	}
	if got := out.Curve[1]; got != want {
		c.wrong("the curve has %+v, want %+v", got, want)
	}
}
