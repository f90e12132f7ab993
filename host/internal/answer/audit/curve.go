package audit

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// maxThresholds is the largest number of thresholds of a curve.
const maxThresholds = 1000

// ParseThresholds reads thresholds, such as 0.2,0.3, or LO..HI in steps of 0.05, or LO..HI:STEP.
func ParseThresholds(text string) (out []*big.Rat, err error) {
	for _, part := range strings.Split(text, ",") {
		ends, by, stepped := strings.Cut(part, ":")
		low, high, ranged := strings.Cut(ends, "..")
		if !stepped {
			by = "0.05"
		}
		if stepped && !ranged {
			return nil, fmt.Errorf("%q: want a threshold, LO..HI, or LO..HI:STEP", part)
		}
		if !ranged {
			high = low
		}
		var from, to, step *big.Rat
		for _, n := range []struct {
			text string
			to   **big.Rat
		}{{low, &from}, {high, &to}, {by, &step}} {
			if *n.to, err = fairness.ParseThreshold(n.text); err != nil {
				return nil, fmt.Errorf("in %q: %w", part, err)
			}
		}
		for ; from.Cmp(to) <= 0; from = new(big.Rat).Add(from, step) {
			if len(out) > 0 && from.Cmp(out[len(out)-1]) <= 0 {
				return nil, fmt.Errorf("%s follows %s: want increasing thresholds", fairness.FormatRat(from), fairness.FormatRat(out[len(out)-1]))
			}
			if out = append(out, from); len(out) > maxThresholds {
				return nil, fmt.Errorf("want at most %d thresholds: take a larger step, or list fewer", maxThresholds)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%q holds no threshold: want LO..HI with LO at most HI", text)
	}
	return out, nil
}

// Threshold counts the decisions about the people audited, at one threshold.
type Threshold struct {
	// The score that a positive decision exceeds.
	Threshold string `json:"threshold"`
	Decisions
}

// at is a person's decision at one threshold.
type at struct{ positive, flips bool }

// flipsAt reports whether some copy of the person at x gets another decision than the person does.
// positive is the person's decision; high and low are the copies with the largest and the smallest
// score.
func (b *bench) flipsAt(d *individual.Decider, x []float64, high, low scored, positive bool) bool {
	switch {
	case d.Coarse() || d.Grouped():
		return b.anyFlips(d, x, positive, func(float64) bool { return true })
	case d.Yes(high.point, high.score) != positive || d.Yes(low.point, low.score) != positive:
		return true
	}
	// The evaluator may name any of several nearly equal scores as the extreme one.
	return (d.Near(high.score) || d.Near(low.score)) && b.anyFlips(d, x, positive, d.Near)
}

type scored struct {
	point []float64
	score float64
}

// anyFlips reports whether some copy of the person at x gets another decision than the person does.
// positive is the person's decision. Copies are skipped if look returns false for their score.
func (b *bench) anyFlips(d *individual.Decider, x []float64, positive bool, look func(score float64) bool) bool {
	copies := b.whole.Copies(x)
	for i, c := range copies.Combinations {
		if !look(copies.Scores[i]) {
			continue
		}
		if d.Yes(b.whole.Point(x, c), copies.Scores[i]) != positive {
			return true
		}
	}
	return false
}

// count adds a person's decisions to the curve.
func (o *Outcome) count(weight float64, decisions []at) {
	for k, a := range decisions {
		o.Curve[k].decide(weight, decided(a.positive, a.flips, o.Rule))
	}
}

// curve shows the decisions at each threshold.
func (r *Result) curve() *view.Table {
	rule := r.Rule()
	good, bad := rule.Favourable()
	t := &view.Table{Title: "Decisions by threshold", Columns: []view.Column{
		{Title: "threshold", Right: true}, {Title: good, Right: true}, {Title: "would flip", Right: true}, {Title: "to " + good, Right: true}, {Title: "to " + bad, Right: true},
	}}
	for i := range r.Curve {
		c := &r.Curve[i]
		t.Add(c.Threshold, r.percent(c.favourable(rule), r.Summary.Weight), fmt.Sprintf("%s (%s)", view.Count(c.Flips), view.Percent(c.FlipsShare, 1)), view.Count(c.Gain), view.Count(c.Lose))
	}
	return t
}

// fewest names the thresholds at which decisions flip least and most, among those at which both decisions
// occur; empty unless there are two.
func (r *Result) fewest() string {
	var least, most *Threshold
	for i := range r.Curve {
		c := &r.Curve[i]
		if c.Positive == 0 || c.Positive == r.Summary.People {
			continue
		}
		if least == nil || c.FlipsShare < least.FlipsShare {
			least = c
		}
		if most == nil || c.FlipsShare > most.FlipsShare {
			most = c
		}
	}
	if least == nil || least == most {
		return ""
	}
	return fmt.Sprintf("Of these thresholds, %s changes the decision about the fewest people with their protected attributes (%s), and %s about the most (%s).",
		least.Threshold, view.Percent(least.FlipsShare, 1), most.Threshold, view.Percent(most.FlipsShare, 1))
}

// CurveFigure draws the share of people whose decision would flip against the threshold.
func (r *Result) CurveFigure() *view.Figure {
	kind := "a score above"
	if r.Rule().At {
		kind = "a score of at least"
	}
	f := &view.Figure{
		Name: "thresholds", Title: "People who would get the other decision, by the threshold",
		X: view.Axis{Label: "threshold", Max: 1}, Y: view.Axis{Label: "per cent of people"},
		Caption: "With other protected attributes; " + kind + " the threshold is a positive decision.",
	}
	rule := r.Rule()
	good, bad := rule.Favourable()
	gain, lose, all := view.Series{Name: "to " + good, Look: 2}, view.Series{Name: "to " + bad, Look: 1}, view.Series{Name: "together", Look: 3}
	var toGood, toBad, both []view.Point
	for i := range r.Curve {
		c := &r.Curve[i]
		rat, err := fairness.ParseThreshold(c.Threshold)
		if err != nil {
			continue
		}
		x, _ := rat.Float64()
		per := func(share float64) view.Point { return view.Point{X: x, Y: 100 * share} }
		toGood, toBad, both = append(toGood, per(c.GainShare)), append(toBad, per(c.LoseShare)), append(both, per(c.FlipsShare))
		f.Y.Max = max(f.Y.Max, 1.05*both[len(both)-1].Y)
	}
	f.Y.Max = max(f.Y.Max, 0.1)
	gain.Lines, lose.Lines, all.Lines = [][]view.Point{toGood}, [][]view.Point{toBad}, [][]view.Point{both}
	f.Series = []view.Series{all, gain, lose}
	return f
}
