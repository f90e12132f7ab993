package report

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Grades of the statements on the first screen. A proof also names the solver's grade, see proved.
const (
	evaluated = "evaluated"
	replayed  = "replayed exactly"
	estimate  = "estimate"
)

func proved(grade string) string { return "proved, " + grade }

// Title returns the page's title: the study, the model and the protected attributes.
func (r *Result) Title() string {
	return fmt.Sprintf("%s: %s by %s", r.Study, r.Model, r.by("and"))
}

// by joins the protected attributes as in a sentence. last is the word before the final one, "and"
// or "or".
func (r *Result) by(last string) string { return english.WordSeries(r.Protected, last) }

// first shows the first screen. It has fewer cards without rows, or without decisions.
func (r *Result) first(d *view.Document) {
	lead := &view.Lead{Kicker: r.kicker(), Headline: r.headline()}
	v, a := r.Verdict, r.audited()
	lead.Alarm = v != nil && v.Verdict == engine.Unfair.String() || a != nil && (a.Summary.Flips > 0 || a.Summary.Unfair > 0)
	if a != nil && a.Summary.Flips > 0 {
		lead.Verdict = "Not blind to " + r.by("and") + "."
	}
	lead.Text = r.said()
	for _, card := range []func() *view.Card{r.flipsCard, r.ratioCard, r.plausibleCard, r.worstCard} {
		if c := card(); c != nil {
			lead.Cards = append(lead.Cards, *c)
		}
	}
	d.Add(lead)
	doubts := r.About(false) // the rule of decisions is said above
	d.Add(doubts.Caveats()...)
	d.Disagree(r.Disagreements)
	if r.Interrupted {
		d.Add(view.Warning{"This report was interrupted: it shows what was known by then."})
	}
	if f := r.curve(); f != nil {
		d.Add(f)
	} else if s := r.Shares; s != nil {
		if f := s.Bar(); f != nil {
			f.Full = true
			d.Add(f)
		}
	}
}

// audited is the audit, if it has people; else nil.
func (r *Result) audited() *audit.Result {
	if a := r.Audit; a != nil && a.Summary.People > 0 {
		return a
	}
	return nil
}

// kicker says what the report is about.
func (r *Result) kicker() string {
	parts := []string{r.Study, r.Model}
	if r.Where != "" {
		parts = append(parts, "where "+r.Where)
	}
	if check := r.Check(); strings.HasPrefix(check, "checked") {
		parts = append(parts, "inputs "+check)
	} else if check = cmp.Or(check, r.Unchecked()); check != "" {
		parts = append(parts, check)
	}
	return strings.Join(append(parts, r.Provenance.Begun.Format("2 January 2006")), " · ")
}

// headline is the answer in one sentence: of the decisions about the people in the data, or else of the verdict.
func (r *Result) headline() view.Said {
	if v := r.Verdict; v != nil && v.Nobody {
		return view.Said{Text: "There is nobody to ask about: the constraints leave no individual in the space"}
	}
	a := r.audited()
	if a == nil {
		return r.verdictSaid()
	}
	sum := &a.Summary
	people := view.Count(sum.People) + " people in the data"
	if sum.Unreached > 0 {
		people += " whom there was time for"
	}
	switch {
	case r.Number:
		return view.Said{Text: fmt.Sprintf("%s of %s %s", view.Count(sum.Unfair), people, r.differing()), Grade: evaluated}
	case sum.Flips == 0:
		return view.Said{Text: fmt.Sprintf("No decision about the %s changes with their %s", people, r.by("or")), Grade: evaluated}
	}
	return view.Said{Text: fmt.Sprintf("%s of %s would get %s with another %s", view.Count(sum.Flips), people, r.other(), r.by("or")), Grade: evaluated}
}

// differing completes "people …" for those who are treated unfairly: what their copies do.
func (r *Result) differing() string { return "have copies that " + r.differ() }

// verdictSaid is the verdict on all possible people in a sentence.
func (r *Result) verdictSaid() view.Said {
	v, who := r.Verdict, "possible person"
	if r.Where != "" {
		who = "person in the space asked about"
	}
	switch {
	case v == nil:
		return view.Said{Text: "No verdict on all possible people: " + r.why("certify")}
	case v.Verdict == engine.Fair.String():
		return view.Said{Text: fmt.Sprintf("No two copies of any %s, who differ in %s only, %s", who, r.by("or"), r.differ()), Grade: proved(v.Grade)}
	case v.Verdict == engine.Unfair.String():
		return view.Said{Text: fmt.Sprintf("Two copies of one person, who differ in %s only, %s", r.by("or"), r.differ()), Grade: replayed}
	}
	return view.Said{Text: fmt.Sprintf("Whether two copies of any %s %s is open: %s", who, r.differ(), v.Reason)}
}

// said returns the sentences below the headline: the directions of changed decisions, and the
// verdict.
func (r *Result) said() (out []view.Said) {
	a := r.audited()
	if a != nil && !r.Number {
		out = append(out, view.Said{Text: r.directions(a) + "."})
	}
	if verdict := r.verdictSaid(); a != nil && (r.Verdict == nil || !r.Verdict.Nobody) {
		verdict.Text += "."
		out = append(out, verdict)
	}
	return out
}

// directions says which way decisions would change, and which scores are a positive one.
func (r *Result) directions(a *audit.Result) string {
	if r.scoreless() {
		return "The model has several classes; the one with the largest output is the decision"
	}
	if sum := &a.Summary; r.banded() {
		text := "A" + r.Decision.Text()[1:]
		if sum.Flips > 0 {
			text = fmt.Sprintf("%s would get a better band, %s a worse one. %s", view.Count(sum.Gain), view.Count(sum.Lose), text)
		}
		return text
	}
	rule := r.Rule()
	good, bad := rule.Favourable()
	text := "A decision is positive where the score is " + rule.String()
	if a.Positive != "" {
		text += ": " + a.Positive
	}
	if rule.Low {
		text += "; the negative one is favourable"
	}
	if sum := &a.Summary; sum.Flips > 0 {
		text = fmt.Sprintf("%s with a %s decision would get a %s one, %s the other way round. %s", view.Count(sum.Gain), bad, good, view.Count(sum.Lose), text)
	}
	return text
}

// other names what a person gets instead if the decision changes.
func (r *Result) other() string {
	if r.banded() {
		return "another band"
	}
	if r.scoreless() {
		return "another class"
	}
	return "the other decision"
}

// flipsCard is the card of the share of people in the data whose decision depends on the
// attributes, or whose treatment does if numbers are predicted; nil without an audit.
func (r *Result) flipsCard() *view.Card {
	a := r.audited()
	if a == nil {
		return nil
	}
	sum := &a.Summary
	if r.Number {
		return &view.Card{
			Figure: view.SmallShare(sum.UnfairShare), Label: view.Said{Text: "of the people in the data " + r.differing(), Grade: evaluated},
			Detail: fmt.Sprintf("%s of %s", view.Count(sum.Unfair), view.Count(sum.People)),
		}
	}
	detail := fmt.Sprintf("%s of %s", view.Count(sum.Flips), view.Count(sum.People))
	if r.banded() {
		detail += fmt.Sprintf(": %s to a better one, %s to a worse one", view.Count(sum.Gain), view.Count(sum.Lose))
	} else if a.Classes == nil {
		rule := r.Rule()
		good, bad := rule.Favourable()
		detail += fmt.Sprintf(": %s to %s, %s to %s", view.Count(sum.Gain), good, view.Count(sum.Lose), bad)
	}
	if w := a.Weights; w != nil && !w.Absent {
		detail += "; the share is weighted by " + w.Column
	}
	return &view.Card{Figure: view.SmallShare(sum.FlipsShare), Label: view.Said{Text: "of the people in the data would get " + r.other(), Grade: evaluated}, Detail: detail}
}

// ratioCard is the card of the least impact ratio over the attributes; nil if none is known.
func (r *Result) ratioCard() *view.Card {
	a := r.audited()
	if a == nil || a.Rates == nil {
		return nil
	}
	var of *audit.Rated
	for i := range a.Rates.Attributes {
		rated := &a.Rates.Attributes[i]
		if rated.ImpactRatio == nil || !slices.Contains(r.Protected, rated.Name) || of != nil && *rated.ImpactRatio >= *of.ImpactRatio {
			continue
		}
		of = rated
	}
	if of == nil {
		return nil
	}
	low, best := of.Ends()
	label := fmt.Sprintf("impact ratio by %s, %s to %s", of.Name, low.Label, best.Label)
	detail := "no interval: a rate is 0 or 100 %"
	if low.Low != nil && low.High != nil {
		detail = fmt.Sprintf("%s–%s (95 %%)", ratio(*low.Low), ratio(*low.High))
	}
	favourable := a.Rates.Favourable + " decisions"
	if r.banded() {
		favourable = a.Rates.Favourable
	}
	detail += ", of " + favourable
	if w := low.Twins; w != nil && w.Direct != nil && w.Rest != nil && w.Remainder != nil {
		detail += fmt.Sprintf("; %s by %s itself × %s by all else", ratio(*w.Direct), of.Name, ratio(*w.Rest**w.Remainder))
	}
	if *low.ImpactRatio == 1 {
		label = "impact ratio by " + of.Name
	}
	return &view.Card{Figure: ratio(*low.ImpactRatio), Label: view.Said{Text: label, Grade: evaluated}, Detail: detail}
}

// ratio formats a ratio with two decimals, or three below a tenth.
func ratio(v float64) string {
	if v < 0.1 {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// tight reports whether the proved interval is at most 0.01 wide, or no wider than the sample's.
func tight(s *quantify.Result) bool {
	if s.Interval == nil {
		return false
	}
	width := s.Interval.Hi - s.Interval.Lo
	return width <= 0.01 || s.Sampled != nil && s.Sampled.N > 0 && width <= s.Sampled.Hi-s.Sampled.Lo
}

// between formats an interval of shares; as a single share if both ends have the same text.
func between(lo, hi float64) string {
	from, to := view.SmallShare(lo), view.SmallShare(hi)
	if from == to {
		return from
	}
	return strings.TrimSuffix(from, " %") + "–" + to
}

// known returns a share with its grade: a tight proved interval, else the sample's, else any proved
// one. ok is false without all of these.
func known(s *quantify.Result) (share, grade string, ok bool) {
	switch {
	case s == nil || s.Nobody():
		return "", "", false
	case tight(s):
		return between(s.Interval.Lo, s.Interval.Hi), proved(s.Grade), true
	case s.Sampled != nil && s.Sampled.N > 0:
		return between(s.Sampled.Lo, s.Sampled.Hi), estimate, true
	case s.Interval != nil && *s.Undecided < 1:
		return between(s.Interval.Lo, s.Interval.Hi), proved(s.Grade), true
	}
	return "", "", false
}

// plausibleCard is the card of the share of plausible people, with the share of all combinations of
// values in its detail. The latter stands alone if no population could be fitted.
func (r *Result) plausibleCard() *view.Card {
	share, grade, ok := known(r.Plausible)
	if !ok {
		if share, grade, ok = known(r.Shares); !ok {
			return nil
		}
		return &view.Card{Figure: share, Label: view.Said{Text: "of all combinations of values " + r.treated(r.Shares), Grade: grade}, Detail: "each counts once, likely or not"}
	}
	p := r.Plausible
	detail := strings.Replace(p.Population, " of independent features", "", 1)
	if grade == estimate {
		detail += fmt.Sprintf("; %.0f %% interval of %s drawn", 100*p.Sampled.Confidence, view.Count(p.Sampled.N))
	}
	if even := r.even(p); even != "" {
		detail += "; all combinations of values alike: " + even
	}
	return &view.Card{Figure: share, Label: view.Said{Text: "of plausible people " + r.treated(p), Grade: grade}, Detail: detail}
}

// even returns the share of all combinations of values for the notion of p; empty if it is unknown.
func (r *Result) even(p *quantify.Result) string {
	if s := r.Shares; s != nil && s.Notion == p.Notion {
		share, _, _ := known(s)
		return share
	}
	if s := r.Space; s != nil && s.Flips != nil && p.Notion == fairness.Decision.String() {
		return between(quantify.ClopperPearson(*s.Flips, s.N, quantify.Confidence))
	}
	return ""
}

// treated completes "people …" for the people that a share counts.
func (r *Result) treated(s *quantify.Result) string {
	if n, _ := fairness.ParseNotion(s.Notion); !n.UsesEpsilon() {
		return "would get " + r.other()
	}
	return r.differing()
}

// worstCard is the number of outcomes of the worst-treated person.
func (r *Result) worstCard() *view.Card {
	if a := r.audited(); a != nil && r.Number {
		return &view.Card{Figure: fmt.Sprintf("%.4g", a.Summary.MaxGap), Label: view.Said{Text: "largest gap between the predictions for one person in the data", Grade: evaluated}, Detail: fmt.Sprintf("%.4g on average", a.Summary.MeanGap)}
	}
	w := r.Worst
	if w == nil {
		return nil
	}
	label := "different outcomes for the worst-treated person"
	if w.K == 1 {
		label = "outcome for the worst-treated person"
	}
	outcome := "a range of scores " + r.Epsilon + " wide"
	if r.Epsilon == "" {
		outcome = "a band"
	}
	return &view.Card{
		Figure: fmt.Sprintf("%d", w.K), Label: view.Said{Text: label, Grade: evaluated},
		Detail: fmt.Sprintf("an outcome is %s; %s copies score %s to %s", outcome, view.Count(w.N), view.Score(w.Low), view.Score(w.High)),
	}
}

// curve draws which share of the people in the data would get the other decision, by the threshold; nil if it is unknown.
func (r *Result) curve() *view.Figure {
	a := r.audited()
	if a == nil || len(a.Curve) == 0 || r.Number {
		return nil
	}
	f := &view.Figure{
		Name: "flips", Title: "At which threshold do decisions depend on " + r.by("or") + "?", Full: true,
		X: view.Axis{Label: "threshold", Max: 1}, Y: view.Axis{Label: "per cent of people"},
		Caption: fmt.Sprintf("Share of the %s people in the data who would get the other decision with another %s, if a decision were positive above this threshold. Evaluated at %d thresholds.", view.Count(a.Summary.People), r.by("or"), len(a.Curve)),
	}
	all, most, at := view.Series{Name: "the other decision", Look: 1}, view.Point{}, ""
	own := view.Point{X: r.Rule().Level(), Y: 100 * a.Summary.FlipsShare}
	points := []view.Point{own}
	for i := range a.Curve {
		t, ok := new(big.Rat).SetString(a.Curve[i].Threshold)
		if !ok {
			continue
		}
		x, _ := t.Float64()
		p := view.Point{X: x, Y: 100 * a.Curve[i].FlipsShare}
		if p.Y > most.Y {
			most, at = p, a.Curve[i].Threshold
		}
		if p.X != own.X {
			points = append(points, p)
		}
	}
	slices.SortFunc(points, func(a, b view.Point) int { return cmp.Compare(a.X, b.X) })
	all.Lines = [][]view.Point{points}
	f.Y.Max = max(1.1*max(most.Y, own.Y), 0.1)
	set := view.Series{Name: fmt.Sprintf("the study's: %s, %s", fairness.FormatRat(r.Rule().Least()), view.SmallShare(a.Summary.FlipsShare)), Look: 2, Lines: [][]view.Point{{{X: own.X, Y: 0}, {X: own.X, Y: f.Y.Max}}}}
	f.Series = []view.Series{all, set}
	if at != "" {
		f.Series = append(f.Series, view.Series{Name: fmt.Sprintf("most: %s, %s", at, view.SmallShare(most.Y/100)), Look: 3, Dots: []view.Point{most}})
	}
	return f
}
