package audit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// sentences states the result in plain words, decisions first.
func (r *Result) sentences() []string {
	sum := &r.Summary
	var names []string
	for i := range sum.Attributes {
		names = append(names, sum.Attributes[i].Name)
	}
	out := []string{fmt.Sprintf("%s audited: each was compared with copies that differ in %s only.", persons(sum.People, "was", "were"), english.WordSeries(names, "and"))}
	if sum.People > 0 {
		_, have := r.unfairly()
		if r.Classes != nil {
			out = append(out, r.classSentences(english.WordSeries(names, "or"), have)...)
		} else if r.Number {
			out = append(out, fmt.Sprintf("%s of them (%s) have %s.", view.Count(sum.Unfair), view.Percent(sum.UnfairShare, 1), have),
				fmt.Sprintf("The gap is %s on average, and %s at most.", number6(sum.MeanGap), number6(sum.MaxGap)))
		} else {
			good, bad := r.Rule().Favourable()
			out = append(out,
				fmt.Sprintf("%s of them (%s) would get the other decision with another %s: %s would change to %s, %s to %s.",
					view.Count(sum.Flips), view.Percent(sum.FlipsShare, 1), english.WordSeries(names, "or"), view.Count(sum.Gain), good, view.Count(sum.Lose), bad),
				r.decision(),
				fmt.Sprintf("%s of them (%s) have %s.", view.Count(sum.Unfair), view.Percent(sum.UnfairShare, 1), have),
				fmt.Sprintf("The copies of a person get %.2f different outcomes on average, and %d at most.", sum.MeanK, sum.MaxK))
		}
	}
	out = append(out, r.Weights.sentences()...)
	if sum.Alone > 0 {
		out = append(out, fmt.Sprintf("%s no copies, because constraints forbid every combination except their own, and count as having a gap of 0.", persons(sum.Alone, "has", "have")))
	}
	return append(out, sum.left()...)
}

// decision says which scores are a positive decision. If the negative one is favourable, it adds
// which people gain.
func (r *Result) decision() string {
	text := "A decision is positive where the score is " + r.Rule().String()
	if r.Positive != "" {
		text += ", which stands for " + r.Positive
	}
	if r.Rule().Low {
		text += ". The negative one is favourable: those who would change to it gain"
	}
	return text + "."
}

// unfairly says what counts as unfair, as a heading and as the object of "people have".
func (r *Result) unfairly() (heading, have string) {
	if r.scoreless() {
		return "class changes", "copies of different classes"
	}
	if r.Epsilon == "" {
		return "band changes", "copies in different bands"
	}
	if r.Number {
		return "gap > " + r.Limit, "a gap above " + r.Limit + ": the predictions for their copies lie further apart than that"
	}
	switch r.Notion {
	case "", fairness.Score.String(), fairness.Share.String():
		return "gap > " + r.Epsilon, "a score gap above " + r.Epsilon + ": the scores of their copies lie further apart than that"
	case fairness.Logit.String():
		return "logit gap > " + r.Limit, "a logit gap above " + r.Limit + ": the logits of their copies lie further apart than that"
	}
	return "decisions differ", "copies with different decisions (notion " + r.Notion + ")"
}

// short returns the second text of unfairly without the explanation after its colon.
func (r *Result) short() string {
	_, have := r.unfairly()
	have, _, _ = strings.Cut(have, ":")
	return have
}

// left says how many people were not audited, and why.
func (sum *Summary) left() []string {
	var out []string
	if len(sum.Outside) > 0 {
		var which []string
		for _, name := range slices.Sorted(maps.Keys(sum.Outside)) {
			which = append(which, view.Count(sum.Outside[name])+" by "+name)
		}
		out = append(out, "Not audited, because a value lies outside its feature's domain: "+strings.Join(which, ", ")+".")
	}
	if sum.Forbidden > 0 {
		out = append(out, fmt.Sprintf("Not audited, because a constraint says that there is no such person: %s.", view.Count(sum.Forbidden)))
	}
	if sum.Excluded > 0 {
		out = append(out, fmt.Sprintf("Left out by --where: %s.", view.Count(sum.Excluded)))
	}
	if sum.Unreached > 0 {
		out = append(out, fmt.Sprintf("Ended early: %s more were not audited.", view.Count(sum.Unreached)))
	}
	if sum.Dropped > 0 {
		out = append(out, fmt.Sprintf("Left out, because a value is missing: %s.", view.Count(sum.Dropped)))
	}
	return out
}

// numbersByAttribute tabulates the gaps between predicted numbers by attribute.
func (sum *Summary) numbersByAttribute(unfair string) *view.Table {
	t := &view.Table{Title: "What each attribute does by itself, all else being kept", Columns: view.Columns("attribute", unfair, "mean gap", "largest gap", "strongest"),
		Notes: []string{"strongest: how many of those people have their largest gap by this attribute; ties count for each."}}
	for i := range sum.Attributes {
		a := &sum.Attributes[i]
		t.Add(a.Name, count(a.Unfair, a.UnfairShare), number6(a.MeanGap), number6(a.MaxGap), view.Count(a.Strongest))
	}
	return t
}

// numbersByGroup tabulates predicted numbers and their gaps by the people's own values.
func (a *Attribute) numbersByGroup(unfair string) *view.Table {
	t := &view.Table{Title: "People by their own " + a.Name, Columns: view.Columns(a.Name, "people", "own − others", unfair, "mean gap"),
		Notes: []string{fmt.Sprintf("own − others: the mean of own prediction − mean prediction with other values of %s.", a.Name)}}
	for i := range a.Groups {
		g := &a.Groups[i]
		t.Add(g.Label, view.Count(g.People), number6(g.Advantage), view.Percent(g.UnfairShare, 1), number6(g.MeanGap))
	}
	return t
}

// banded reports whether the decision has bands.
func (r *Result) banded() bool { return len(r.Decision.Banded()) > 0 }

// scoreless reports whether the model has several classes, which have no scores.
func (r *Result) scoreless() bool { return r.Classes != nil && !r.banded() }

// ways names the better and the worse decision, worded to follow "to".
func (r *Result) ways() (good, bad string) { return waysOf(r.Decision) }

func waysOf(d *question.Decision) (good, bad string) {
	if len(d.Banded()) > 0 {
		return "a better band", "a worse band"
	}
	return d.Rule().Favourable()
}

func (r *Result) byAttribute(unfair string) *view.Table {
	good, bad := r.ways()
	t := &view.Table{
		Title:   "What each attribute does by itself, all else being kept",
		Columns: view.Columns("attribute", unfair, "to "+good, "to "+bad, "mean gap", "largest gap", "largest k", "strongest"),
		Notes: []string{
			fmt.Sprintf("to %s: people whose decision is %s and would be %[1]s with another value of the attribute; to %[2]s: the reverse.", good, bad),
			"strongest: how many of those people have their largest gap by this attribute; ties count for each.",
		},
	}
	if r.banded() {
		t.Notes[0] = "to a better band, to a worse band: people with a copy in one; some have both."
	}
	for i := range r.Summary.Attributes {
		a := &r.Summary.Attributes[i]
		t.Add(a.Name, count(a.Unfair, a.UnfairShare), view.Count(a.Gain), view.Count(a.Lose),
			view.Score(a.MeanGap), view.Score(a.MaxGap), strconv.Itoa(a.MaxK), view.Count(a.Strongest))
	}
	return t
}

func (r *Result) byGroup(a *Attribute, unfair string) *view.Table {
	rule := r.Rule()
	good, bad := r.ways()
	head, text := "own − others", "own score − mean score with other values of "+a.Name
	if rule.Low {
		head, text = "others − own", "what other values of "+a.Name+" give on average − own score"
	}
	t := &view.Table{
		Title:   "People by their own " + a.Name,
		Columns: view.Columns(a.Name, "people", good, "to "+good, "to "+bad, head, unfair, "mean k"),
		Notes:   []string{fmt.Sprintf("%s: their own decision. to %[1]s, to %s: with another %s. %s: the mean of %s.", good, bad, a.Name, head, text)},
	}
	for i := range a.Groups {
		g := &a.Groups[i]
		t.Add(g.Label, view.Count(g.People), r.percent(g.favourable(rule), g.Weight),
			view.Count(g.Gain), view.Count(g.Lose), r.mean("%+.4f", g.Advantage, g.Weight), r.percent(g.UnfairShare, g.Weight), r.mean("%.2f", g.MeanK, g.Weight))
	}
	if r.banded() {
		unrated(t)
		_, t.Notes[0], _ = strings.Cut(t.Notes[0], ". ")
	}
	return t
}

func persons(n int, one, many string) string {
	if n == 1 {
		return "1 person " + one
	}
	return view.Count(n) + " people " + many
}

func count(n int, share float64) string { return view.Count(n) + " (" + view.Percent(share, 1) + ")" }

// unrated removes a table's column of favourable decisions: the rates of bands have a table of their own.
func unrated(t *view.Table) {
	const at = 2
	t.Columns = slices.Delete(t.Columns, at, at+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], at, at+1)
	}
}
