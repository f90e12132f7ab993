package draft

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// others says what the given scores are instead of the model's, and what to give in their
// place; "" if that is not known. It tries the given arrangements only.
func (d *drafter) others(tried []arrangement, scores []float64) string {
	is := func(what func(v float64) bool) bool {
		return !slices.ContainsFunc(scores, func(v float64) bool { return !what(v) })
	}
	unit := is(func(v float64) bool { return v >= 0 && v <= 1 })
	probability := d.model.Link() != fairness.LinkLinear
	if probability && is(func(v float64) bool { return v == 0 || v == 1 }) {
		return d.unmet("which are only 0 and 1, like predicted classes: give probabilities, predict_proba(X)[:, 1]")
	}
	if d.plain != nil && meets(tried, d.plain, scores, func(v float64) float64 { return v }) {
		return d.unmet("as probabilities whose logit is the model's output, but they are that output as it is: write output: number in place of output: logit")
	}
	for _, as := range []struct {
		may  bool
		of   func(v float64) float64
		said string
	}{
		{probability && unit, func(v float64) float64 { return 1 - v }, "but 1 minus each is the model's score: they are of the other class; give those of the class that the study asks about, predict_proba(X)[:, 1], or ask about the other class with --class 0"},
		{probability && !unit, func(v float64) float64 { return v / 100 }, "but a hundredth of each is the model's score: give scores from 0 to 1"},
		{d.model.Link() == fairness.LinkSigmoid && !unit, fairness.Sigmoid, "but they are the model's logits: give probabilities, predict_proba(X)[:, 1]"},
	} {
		if as.may && meets(tried, d.model, scores, as.of) {
			return d.unmet(as.said)
		}
	}
	near, least := best(tried, d.model, scores), math.Inf(1)
	for i := range near {
		least = min(least, near[i].worst(d.model, scores, allRows))
	}
	if said := d.rounded(scores, least); said != "" {
		return said
	}
	if slices.ContainsFunc(near, func(a arrangement) bool { return a.shuffled(d.model, scores) }) {
		return d.unmet("but in another order they are the model's scores: write them in the order of the rows of " + d.Data)
	}
	return ""
}

func (d *drafter) unmet(what string) string {
	return fmt.Sprintf("no arrangement gives the scores of %s, %s", d.Scores, what)
}

// mostLooks bounds the arrangements that are checked on the scores of all rows.
const mostLooks = 8

// best returns the arrangements whose outputs are nearest to the scores.
func best(tried []arrangement, m model.Model, scores []float64) []arrangement {
	all := judged(slices.Clone(tried), m, truth{scores: scores}, firstRows)
	return all[:min(len(all), mostLooks)]
}

// meets reports whether one of the arrangements gives the transformed scores. of is the
// transformation of one score.
func meets(tried []arrangement, m model.Model, scores []float64, of func(float64) float64) bool {
	other := make([]float64, len(scores))
	for i, v := range scores {
		other[i] = of(v)
	}
	bound := boundOf(m, other)
	return slices.ContainsFunc(best(tried, m, other), func(a arrangement) bool { return a.gives(m, other, bound) })
}

// fewDigits bounds the decimals of rounded scores.
const fewDigits = 4

// rounded returns a sentence that the scores are rounded, or "". It does so if the number of
// decimals explains the arrangements' least error, given as least.
func (d *drafter) rounded(scores []float64, least float64) string {
	for digits, step := 0, 1.0; digits <= fewDigits; digits, step = digits+1, step*10 {
		if !slices.ContainsFunc(scores, func(v float64) bool { return math.Abs(v*step-math.Round(v*step)) > 1e-6 }) {
			if least > 0.5001/step {
				return ""
			}
			return d.unmet(fmt.Sprintf("but rounded to their %d decimals they are the model's: write all digits", digits))
		}
	}
	return ""
}

// shuffled reports whether the scores are a permutation of the model's.
func (a *arrangement) shuffled(m model.Model, scores []float64) bool {
	var own, given []float64
	a.rows(allRows, func(row int, _, inputs []float64) {
		own, given = append(own, score(m, m.Logit(inputs))), append(given, scores[row])
	})
	slices.Sort(own)
	slices.Sort(given)
	bound := boundOf(m, given)
	for i := range own {
		if !(math.Abs(own[i]-given[i]) <= bound) {
			return false
		}
	}
	return true
}
